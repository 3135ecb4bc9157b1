"""Django's settings.

A process names itself in CABECAO_PROCESS: `web` (pages, worker, tests; the default) loads everything, `lean` (MCP over
stdio, command line) only what the services need, because start-up is part of the product. The databases lie in the
brain's machine folder; `bootstrap.start` points them there.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from csp.constants import NONCE, NONE, SELF

from brain.language import LOCALE_DIR
from cabecao_site import environment

LEAN = environment.text("CABECAO_PROCESS", "web") == "lean"

DEBUG = False
SECRET_KEY = "replaced at start by the machine's own"  # noqa: S105 (bootstrap.start reads .cabecao/django.key)
ALLOWED_HOSTS = ["127.0.0.1", "localhost", "cabecao.localhost"]
ROOT_URLCONF = "cabecao_site.urls"
ASGI_APPLICATION = "cabecao_site.asgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

_CORE_APPS = ["brain.index", "brain.audit", "brain.jobs", "brain.approval"]
_WEB_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_htmx",
    "csp",
    "brain.access",
    "brain.web",
    "django.contrib.admin.apps.SimpleAdminConfig",  # its list of requests alone; nothing is discovered
]
INSTALLED_APPS = _CORE_APPS if LEAN else [*_WEB_APPS, *_CORE_APPS]

MIDDLEWARE = [
    "brain.web.middleware.local_only",
    "django.middleware.security.SecurityMiddleware",
    "servestatic.middleware.ServeStaticMiddleware",
    "brain.web.middleware.server_timing",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "brain.web.middleware.language",
    "brain.web.middleware.BrainErrors",
    "brain.web.middleware.person_only",
    "brain.web.middleware.proof_taken",
]

TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "django.template.context_processors.i18n",
                "brain.web.context.frame",
            ],
        },
    },
]


def _sqlite(name: str, synchronous: str) -> dict[str, Any]:
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": name,
        "CONN_MAX_AGE": None,
        "OPTIONS": {
            "timeout": 20,
            "transaction_mode": "IMMEDIATE",
            "init_command": f"PRAGMA journal_mode=WAL; PRAGMA synchronous={synchronous};",
        },
        "TEST": {"NAME": ":memory:", "DEPENDENCIES": []},
    }


# Names are replaced by bootstrap.point_at; audit and state are records, the index is a cache.
DATABASES: dict[str, Any] = {
    "default": _sqlite(":memory:", "FULL"),
    "index": _sqlite(":memory:", "NORMAL"),
    "audit": _sqlite(":memory:", "FULL"),
}
DATABASE_ROUTERS = ["cabecao_site.router.ByApp"]
MIGRATION_MODULES: dict[str, None] = {"index": None}  # a cache: made by brain.index.schema, never migrated

USE_TZ = True
USE_I18N = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "pt-br"
LANGUAGES = [("pt-br", "Português"), ("en", "English")]
LOCALE_PATHS = [LOCALE_DIR]

STATIC_URL = "/static/"
STATIC_ROOT = Path(__file__).parent / "collected"
SERVESTATIC_USE_FINDERS = True
SERVESTATIC_AUTOREFRESH = False
SERVESTATIC_ALLOW_ALL_ORIGINS = False

# A note of the largest size, each of its signs written as a form writes accents.
DATA_UPLOAD_MAX_MEMORY_SIZE = 16_000_000

SESSION_COOKIE_NAME = "cabecao_session"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Strict"
SESSION_COOKIE_AGE = 30 * 24 * 3600
CSRF_COOKIE_NAME = "cabecao_csrf"
CSRF_COOKIE_HTTPONLY = True
CSRF_COOKIE_SAMESITE = "Strict"
CSRF_FAILURE_VIEW = "brain.web.failures.stale_form"
LOGIN_URL = "/enter"
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.ScryptPasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",  # where OpenSSL has no scrypt
]
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"

SECURE_REFERRER_POLICY = "same-origin"
SECURE_CONTENT_TYPE_NOSNIFF = True
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF, NONCE],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
        "object-src": [NONE],
    },
}

LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "handlers": {"stderr": {"class": "logging.StreamHandler"}},
    "root": {"handlers": ["stderr"], "level": environment.text("CABECAO_LOG_LEVEL", "WARNING")},
}
