"""One thing that is wrong, and what mends it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from brain.language import gettext as _
from brain.language import ngettext

MOST_NAMED: Final = 3


@dataclass(frozen=True)
class Trouble:
    """What is wrong, as a sentence, and what to do; a `warning` takes nothing away from what the brain can do."""

    id: str
    message: str
    next_step: str
    severity: Literal["warning", "error"] = "error"

    @property
    def sentence(self) -> str:
        """What is wrong and what to do, for a list of plain texts."""
        return f"{self.message} {self.next_step}"


def named(paths: Sequence[str]) -> str:
    """Return the first paths, and how many more there are."""
    first = ", ".join(paths[:MOST_NAMED])
    more = len(paths) - MOST_NAMED
    if more <= 0:
        return first
    return ngettext("%(first)s and %(count)d more", "%(first)s and %(count)d more", more) % {
        "first": first,
        "count": more,
    }


def unchecked(what: str, kind: str) -> Trouble:
    """Return that a part could not be looked at, which is never taken for being well."""
    return Trouble(
        "check_failed",
        _("This could not be checked: %(check)s (%(kind)s).") % {"check": what, "kind": kind},
        _("Run `cabecao doctor --debug` in a terminal to see why."),
    )
