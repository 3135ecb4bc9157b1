"""The language of messages: Brazilian Portuguese by default, English on request.

The system's locale never decides (docs/decisions). The catalogue is gettext's, shared with the templates; texts in the
code are English. `activate` holds for the current thread or task.
"""

from __future__ import annotations

import gettext as _gettext
import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import Final

DEFAULT: Final = "pt-br"
LANGUAGES: Final = ("pt-br", "en")
LOCALE_DIR: Final = Path(__file__).with_name("locale")
_ALIASES: Final = {
    "pt": "pt-br",
    "pt-br": "pt-br",
    "pt_br": "pt-br",
    "en": "en",
    "en-us": "en",
    "en_us": "en",
}
_current: ContextVar[str | None] = ContextVar("language", default=None)
_configured: list[str] = []


def normalised(name: str | None) -> str | None:
    """Return one of `LANGUAGES` for a name such as `pt_BR` or `en`, None for any other."""
    return _ALIASES.get((name or "").strip().lower())


def configure(name: str | None) -> None:
    """Set this process's language from the brain's setting; CABECAO_LANG wins over it."""
    _configured[:] = [normalised(os.environ.get("CABECAO_LANG")) or normalised(name) or DEFAULT]


def current() -> str:
    """Return the language in force here: `pt-br` or `en`."""
    return (
        _current.get()
        or (_configured[0] if _configured else None)
        or normalised(os.environ.get("CABECAO_LANG"))
        or DEFAULT
    )


@contextmanager
def activate(name: str) -> Iterator[None]:
    """Use another language inside the block."""
    token = _current.set(normalised(name) or DEFAULT)
    try:
        yield
    finally:
        _current.reset(token)


@cache
def _catalogue(name: str) -> _gettext.NullTranslations:
    folder = "pt_BR" if name == "pt-br" else name
    return _gettext.translation("django", LOCALE_DIR, languages=[folder], fallback=True)


def gettext(text: str) -> str:
    """Return the text in the language in force."""
    return _catalogue(current()).gettext(text)


def ngettext(one: str, many: str, number: int) -> str:
    """Return the singular or plural text for a number, in the language in force."""
    return _catalogue(current()).ngettext(one, many, number)


def gettext_noop(text: str) -> str:
    """Mark a text for translation where it is defined; it is translated where it is shown."""
    return text
