"""The question as a person fills it in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from brain.contracts.asking import MOST_QUESTION, AskInput
from brain.index import notes
from brain.note.schema import TYPES
from brain.services.asking.standing import Standing
from brain.web import badges

MOST_NOTES = 20
_NOTES = str(AskInput.model_fields["limit"].default)


@dataclass(frozen=True)
class Typed:
    """What was typed and chosen, whether it can be taken or not."""

    question: str = ""
    scope: str = ""
    type: str = ""
    as_of: str = ""
    limit: str = _NOTES
    only_shows: bool = False

    @property
    def is_narrowed(self) -> bool:
        """Tell whether something besides the question limits it."""
        return bool(self.scope or self.type or self.as_of) or self.limit != _NOTES

    def arguments(self) -> dict[str, object]:
        """Return the arguments of `ask`."""
        given: dict[str, object] = {"question": self.question, "verbose": True, "show_context": self.only_shows}
        given |= {"types": [self.type]} if self.type else {}
        is_number = self.limit.isascii() and self.limit.isdigit() and len(self.limit) < 4
        named = {"scope": self.scope, "as_of": self.as_of, "limit": int(self.limit) if is_number else self.limit}
        return given | {name: value for name, value in named.items() if value != ""}


@dataclass(frozen=True)
class Form:
    """The form: what is in it, what can be chosen, and where the question would go."""

    typed: Typed
    standing: Standing
    scopes: tuple[tuple[str, str], ...]
    types: tuple[tuple[str, str], ...]
    most_signs: int = MOST_QUESTION
    most_notes: int = MOST_NOTES


def read(given: Mapping[str, str]) -> Typed:
    """Return what a form or an address holds."""
    question, scope, kind, day = (given.get(name, "").strip() for name in ("question", "scope", "type", "as_of"))
    question = question.replace("\r\n", "\n")  # as the field counts its signs
    return Typed(question, scope, kind, day, given.get("limit", "").strip() or _NOTES, only_shows="show" in given)


def form(typed: Typed, standing: Standing) -> Form:
    """Return the form; a scope or type that was given is among the choices."""
    scopes = dict.fromkeys(["global", *notes.scopes(), *filter(None, [typed.scope])])
    return Form(
        typed,
        standing,
        tuple((name, badges.of_scope(name).text) for name in scopes),
        tuple((name, badges.of_type(name).text) for name in dict.fromkeys([*TYPES, *filter(None, [typed.type])])),
    )
