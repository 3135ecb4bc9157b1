"""One minimal request that holds nothing of anybody's, to see whether a provider answers and how long it takes."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Final

from llm.answer import SCHEMA
from llm.attempts import Attempts
from llm.consent import Entry
from llm.failure import Failure
from llm.keys import Keys
from llm.limits import Limits
from llm.providers import made
from llm.request import Request

_SYSTEM: Final = 'This is a test of the connection. Answer with the JSON object {"claims": [], "missing": ""}.'
_MOST_TOKENS: Final = 512  # a model that thinks first needs some


@dataclass(frozen=True)
class Trial:
    """How it went: `failure` is None where the provider answered."""

    provider: str
    seconds: float
    failure: Failure | None = None


def run(entry: Entry, keys: Keys, limits: Limits) -> Trial:
    """Ask a provider for an empty answer, in the shape of a real one."""
    request = Request(_SYSTEM, "Test.", SCHEMA, min(_MOST_TOKENS, limits.max_output_tokens))
    began, failure = time.monotonic(), None
    try:
        for _piece in made.provider(entry, keys).stream(request, Attempts(seconds=limits.seconds)):
            pass
    except Failure as error:
        failure = error
    return Trial(entry.provider, time.monotonic() - began, failure)
