"""Why a provider gave no answer: a code of a fixed set, and never a word of what the provider said."""

from __future__ import annotations

from enum import StrEnum


class Code(StrEnum):
    """The reasons there are. `RETRIED` are worth another request."""

    OFFLINE = "offline"  # no connection came about, or it broke
    TIMEOUT = "timeout"
    UNAUTHORIZED = "unauthorized"  # the key was refused
    LIMITED = "limited"  # rate limit, or no credit left
    SERVER = "server"
    REJECTED = "rejected"  # the request itself: an unknown model, a wrong address
    REDIRECTED = "redirected"
    MALFORMED = "malformed"
    TOO_LARGE = "too_large"
    FILTERED = "filtered"  # the model declined
    CANCELLED = "cancelled"
    NOT_INSTALLED = "not_installed"
    NO_KEY = "no_key"
    KEYRING = "keyring"  # the system's store of keys did not answer
    PROXY = "proxy"
    ADDRESS = "address"  # the name leads to an address that is never called
    SPENT = "spent"  # the question has had its requests


RETRIED = frozenset({Code.OFFLINE, Code.LIMITED, Code.SERVER})


class Failure(Exception):
    """A provider gave no answer, or not all of it; carries neither a key nor what came back.

    `partial` tells that text had been yielded before; `status` is the HTTP status where there was one, `retry_after`
    the seconds that the provider asked to wait.
    """

    def __init__(
        self, code: Code, *, status: int | None = None, partial: bool = False, retry_after: float | None = None
    ) -> None:
        super().__init__(code.value)
        self.code = code
        self.status = status
        self.partial = partial
        self.retry_after = retry_after
