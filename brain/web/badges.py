"""The small labels of a note: its type, whether it holds today, how far it is trusted, where it applies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from brain.language import gettext as _
from brain.language import gettext_noop as N_


@dataclass(frozen=True)
class Badge:
    """A word with an icon, in a tint: chip, accent, ok, warn, bad or rule; `dots` of three stand for trust."""

    text: str
    icon: str = ""
    tint: str = "chip"
    dots: int | None = None


# Type of a note -> label, icon, tint.
TYPES: Final[Mapping[str, tuple[str, str, str]]] = {
    "rule": (N_("Rule"), "scale", "rule"),
    "decision": (N_("Decision"), "landmark", "accent"),
    "fact": (N_("Fact"), "calendar-clock", "accent"),
    "preference": (N_("Preference"), "heart", "accent"),
    "gotcha": (N_("Gotcha"), "triangle-alert", "warn"),
    "procedure": (N_("Procedure"), "list-checks", "accent"),
    "episode": (N_("Episode"), "history", "chip"),
    "handoff": (N_("Handoff"), "flag-triangle-right", "accent"),
    "source": (N_("Source"), "book-open", "chip"),
    "entity": (N_("Entity"), "waypoints", "accent"),
    "concept": (N_("Concept"), "book-open", "chip"),
    "synthesis": (N_("Synthesis"), "file-text", "chip"),
    "focus": (N_("Focus"), "flag-triangle-right", "accent"),
}
_VALIDITIES: Final[Mapping[str, tuple[str, str, str]]] = {
    "current": (N_("Holds today"), "circle-check", "ok"),
    "expired": (N_("No longer holds"), "calendar-x", "warn"),
    "not_yet_valid": (N_("Does not hold yet"), "clock", "warn"),
}
_TRUSTS: Final[Mapping[str, tuple[str, int]]] = {
    "low": (N_("Low trust"), 1),
    "medium": (N_("Medium trust"), 2),
    "high": (N_("High trust"), 3),
}


def of_type(name: str | None) -> Badge:
    """Return the badge of a type; one that is not in the table shows its own name."""
    label, icon, tint = TYPES.get(name or "", (name or N_("Note"), "file-text", "chip"))
    return Badge(_(label), icon, tint)


def of_validity(name: str) -> Badge:
    """Return the badge of `current`, `expired` or `not_yet_valid`."""
    label, icon, tint = _VALIDITIES[name]
    return Badge(_(label), icon, tint)


def of_trust(name: str | None) -> Badge | None:
    """Return the badge of a trust; none where the note names none that is known."""
    known = _TRUSTS.get(name or "")
    return Badge(_(known[0]), dots=known[1]) if known else None


def of_scope(scope: str) -> Badge:
    """Return the badge of a scope."""
    return Badge(_("Global") if scope == "global" else scope)


def of_ring(ring: int) -> Badge:
    """Return the badge of a ring of trust."""
    return Badge(_("Ring %(number)d") % {"number": ring})


def private() -> Badge:
    """Return the badge of what only the person sees."""
    return Badge(_("Private"), "lock", "warn")
