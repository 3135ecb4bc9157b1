"""A note that is not there yet: what the person typed of it, and the frame of its text by type."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from brain.errors import BrainError
from brain.guard import secrets
from brain.index import notes
from brain.language import gettext as _
from brain.language import gettext_noop as N_
from brain.web import badges
from brain.web.viewmodels.editing.editor import Refusal
from brain.web.viewmodels.editing.foreseen import Foreseen

DRAFT: Final = "new"
TYPES: Final = (
    "gotcha",
    "decision",
    "preference",
    "fact",
    "procedure",
    "concept",
    "entity",
    "synthesis",
    "rule",
)
# Type -> the headings that its text begins with.
_FRAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "gotcha": (N_("What happens"), N_("What to do")),
    "decision": (N_("Context"), N_("What was decided"), N_("Why")),
    "procedure": (N_("When"), N_("Steps")),
    "synthesis": (N_("Question"), N_("Answer"), N_("What it rests on")),
}
_FACT: Final = ("subject", "predicate", "object", "valid_from")
# What a quick note begins with, and the type that it then is; nothing of it makes a gotcha.
_GUESSES: Final = (
    ("preference", r"(eu )?(prefiro|gosto|n[aã]o gosto|detesto)\b|i (prefer|like|dislike|hate)\b"),
    ("decision", r"(n[oó]s )?(decid(i|imos|iu-se)|optamos|escolhemos|ficou decidido)\b|we (decided|chose)\b"),
    ("procedure", r"(como|para) \w+[aei]r\b|how to\b|1[.)] "),
)


@dataclass(frozen=True)
class Typed:
    """What the form holds; `resolution` and `seen` are the person's answer to what was foreseen."""

    type: str = "gotcha"
    scope: str = "global"
    title: str = ""
    text: str = ""
    subject: str = ""
    predicate: str = ""
    object: str = ""
    valid_from: str = ""
    resolution: str = ""
    seen: str = ""

    @property
    def is_fact(self) -> bool:
        """Tell whether the form is that of a fact."""
        return self.type == "fact"

    @property
    def is_blank(self) -> bool:
        """Tell whether there is nothing of the person's in the text."""
        return self.text.strip() in {"", *(frame(one).strip() for one in TYPES)}

    def arguments(self) -> dict[str, Any]:
        """Return what `remember` is given; a fact without a text says itself."""
        own = "" if self.is_blank else self.text
        given: dict[str, Any] = {"type": self.type, "scope": self.scope or "global", "content": own}
        given |= {"title": self.title} if self.title else {}
        if self.is_fact:
            given |= {name: getattr(self, name) for name in _FACT if getattr(self, name)}
            given["content"] = own or f"{self.subject} {self.predicate} {self.object}".strip()
        return given | ({"resolution": self.resolution} if self.resolution else {})


@dataclass(frozen=True)
class Option:
    """A type that a note can have."""

    value: str
    label: str
    is_chosen: bool


@dataclass(frozen=True)
class NewNote:
    """The page on which a note begins."""

    typed: Typed
    types: tuple[Option, ...]
    scopes: tuple[str, ...]
    foreseen: Foreseen | None
    refusal: Refusal | None

    @property
    def key(self) -> str:
        """The name of the draft in the browser."""
        return DRAFT


def read(given: Mapping[str, str]) -> Typed:
    """Read a form, or the part of one that an address holds."""
    known = {name: given.get(name, "").replace("\r\n", "\n") for name in Typed.__dataclass_fields__}
    lines = {name: " ".join(value.split()) for name, value in known.items() if name != "text"}
    kind = lines["type"] if lines["type"] in TYPES else "gotcha"
    return Typed(**{**lines, "type": kind, "scope": lines["scope"] or "global", "text": known["text"]})


def shaped(typed: Typed) -> Typed:
    """Return a form with the frame of its type, where nothing was written yet."""
    return replace(typed, text=frame(typed.type)) if typed.is_blank else typed


def frame(kind: str) -> str:
    """Return the text that a note of a type begins with."""
    return "\n\n".join(f"## {_(heading)}\n" for heading in _FRAMES.get(kind, ()))


def guessed(text: str) -> str:
    """Return the type that a quick note most likely is, by how it begins."""
    start = text.lstrip("-*#> \t\n").lower()
    return next((kind for kind, pattern in _GUESSES if re.match(pattern, start)), "gotcha")


def page(typed: Typed, foreseen: Foreseen | None = None, refusal: BrainError | None = None) -> NewNote:
    """Return the page for a form; what may be a secret in it is not shown again."""
    is_secret = refusal is not None and refusal.code == "secret_detected"
    return NewNote(
        typed=_without_secrets(typed) if is_secret else typed,
        types=tuple(Option(one, badges.of_type(one).text, one == typed.type) for one in TYPES),
        scopes=tuple(dict.fromkeys(["global", *notes.scopes()])),
        foreseen=foreseen,
        refusal=Refusal(refusal.message, refusal.next_step, is_secret=is_secret) if refusal else None,
    )


def _without_secrets(typed: Typed) -> Typed:
    names = ("title", "text", "subject", "predicate", "object")
    return replace(typed, **{name: secrets.without(getattr(typed, name)) for name in names})
