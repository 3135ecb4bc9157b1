"""The promise of budget_tokens: an answer never takes more, and one that can't take less is refused with its figure."""

from __future__ import annotations

from pydantic import BaseModel

from brain.errors import InvalidArgument
from brain.language import gettext as _
from brain.note import tokens


def size(answer: BaseModel) -> int:
    """Return the approximate tokens of an answer as it is sent."""
    return tokens.count(answer.model_dump_json(by_alias=True))


def require_inside(answer: BaseModel, budget: int) -> None:
    """Raise InvalidArgument where the least that an answer can be is larger than the budget."""
    needed = size(answer)
    if needed > budget:
        raise InvalidArgument(
            _("The answer does not fit in a budget_tokens of %(budget)d: its first part alone takes %(needed)d.")
            % {"budget": budget, "needed": needed},
            next_step=_("Call again with a budget_tokens of at least %(needed)d.") % {"needed": needed},
        )
