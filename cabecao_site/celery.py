"""The Celery app: the embedded broker unless CABECAO_BROKER_URL names another, JSON only, acknowledged when done."""

from __future__ import annotations

import hashlib
import importlib.util
from typing import Any, Final

from celery import Celery

from brain import config
from brain.errors import InvalidConfig
from brain.jobs import process
from brain.language import gettext as _
from cabecao_site import broker, environment

QUEUE: Final = "cabecao"
# Scheme of a broker URL -> the Python package that speaks it.
_CLIENTS: Final = {"redis": "redis", "rediss": "redis", "amqp": "amqp", "amqps": "amqp", "pyamqp": "amqp"}


def broker_url() -> str:
    """Return the broker's URL; InvalidConfig where it names an unknown one, or one whose client is not installed."""
    url = environment.text("CABECAO_BROKER_URL") or f"{broker.SCHEME}://"
    scheme = url.partition("://")[0]
    package = _CLIENTS.get(scheme)
    if package is None and scheme != broker.SCHEME:
        raise InvalidConfig(
            _("CABECAO_BROKER_URL names a kind of broker that Cabeção does not know: %(kind)s.") % {"kind": scheme},
            next_step=_("Use redis://… or amqp://…, or leave it out for the embedded broker."),
        )
    if package and importlib.util.find_spec(package) is None:
        raise InvalidConfig(
            _("CABECAO_BROKER_URL asks for %(kind)s, and the Python package %(package)s is not installed.")
            % {"kind": scheme, "package": package},
            next_step=_("Run `pip install 'cabecao[%(package)s]'` and start again.") % {"package": package},
        )
    return url


def queue() -> str:
    """Return the brain's own queue: a broker that several brains share must not hand one's jobs to another's worker."""
    if named := environment.text("CABECAO_QUEUE"):
        return named
    if broker_url().startswith(broker.SCHEME):
        return QUEUE
    place = f"{process.host()}:{config.here().root}"
    return f"{QUEUE}-{hashlib.sha256(place.encode()).hexdigest()[:12]}"


def _route(_name: str, _args: object, _kwargs: object, _options: object, **_more: object) -> dict[str, str]:
    return {"queue": queue()}


def _transport_options() -> dict[str, Any]:
    """Let Redis give a message to another worker late: the row, not the message, says whether a job is run again."""
    return {"visibility_timeout": 6 * 3600} if broker_url().startswith("redis") else {}


def _configuration() -> dict[str, Any]:
    return {
        "broker_url": broker_url(),
        "broker_connection_retry_on_startup": True,
        "broker_transport_options": _transport_options(),
        "broker_connection_timeout": 4,
        "task_default_queue": QUEUE,
        "task_serializer": "json",
        "accept_content": ["json"],
        "task_acks_late": True,
        "task_reject_on_worker_lost": True,
        "task_ignore_result": True,
        "result_backend": None,
        "result_expires": None,
        "worker_pool": "solo",
        "worker_concurrency": 1,
        "worker_prefetch_multiplier": 1,
        "worker_enable_remote_control": False,
        "worker_send_task_events": False,
        "worker_hijack_root_logger": False,
        "worker_redirect_stdouts": False,
        "task_routes": (_route,),
    }


broker.register()
# Without Celery's own touch on Django: jobs manage their connections, and its system checks would load every page.
app: Any = Celery("cabecao", fixups=[], set_as_current=True)
app.conf.update(_configuration())
app.set_default()
