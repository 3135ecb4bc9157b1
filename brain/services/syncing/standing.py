"""Where the brain's branch stands against its remote, without asking the remote."""

from __future__ import annotations

from brain.errors import BrainError
from brain.services import workplace
from brain.store.remote import address
from brain.store.remote.address import Standing


def now() -> Standing:
    """Return how the branch stands; of a repository that cannot be opened nothing is known."""
    try:
        return address.standing(workplace.repository())
    except BrainError:
        return Standing(None, None)
