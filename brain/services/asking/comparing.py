"""Asking a language model on this machine whether passages contradict each other, beside whatever else is done."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Final

from brain import config
from brain.caller import Caller
from brain.index.fulltext import Found
from brain.services.asking import passages, permission, private_names
from brain.services.asking.passages import Passage, Rules
from brain.services.asking.permission import Refusal
from brain.services.asking.retrieval import Candidate
from llm import contradictions, prompt, switch
from llm.attempts import Attempts
from llm.failure import Code, Failure
from llm.providers.base import Delta
from llm.request import Request
from llm.switch import Off, On

_MOST: Final = 8
_TOKENS: Final = 1500  # a model on this machine is to read them within the time
_SHARE: Final = 0.15
_LOOK_SECONDS: Final = 0.1


@dataclass
class Comparison:
    """One request on its way in a thread of its own; whoever asked goes on meanwhile."""

    on: On
    request: Request
    compared: tuple[Found, ...]
    attempts: Attempts
    is_over_time: bool = False
    _named: list[tuple[int, int]] | None = None
    _over: threading.Event = field(default_factory=threading.Event)

    def start(self) -> None:
        """Send the request."""
        threading.Thread(target=self._run, name="contradictions", daemon=True).start()

    def pairs(self, caller: Caller) -> list[tuple[Found, Found]] | None:
        """Return the pairs that contradict each other; None where that was not told, or not in time."""
        while not self._over.wait(min(_LOOK_SECONDS, self.attempts.remaining)):
            if caller.gone.is_set() or self.attempts.remaining <= 0:
                self.is_over_time = True
                self.attempts.cancel()
                return None
        if self._named is None:
            return None
        return [(self.compared[one], self.compared[other]) for one, other in self._named]

    def _run(self) -> None:
        try:
            pieces = self.on.stream(self.request, self.attempts)
            said = "".join(piece.text for piece in pieces if isinstance(piece, Delta))
            self._named = contradictions.pairs(said, len(self.compared))
        except Failure as failure:
            self.is_over_time = failure.code is Code.TIMEOUT
        finally:
            self._over.set()


def local(caller: Caller) -> On | None:
    """Return the providers on this machine that may be asked about the brain's notes, None where there is none."""
    found = switch.consented(caller_is_person=permission.is_at_terminal(caller))
    if isinstance(found, Off) or not any(one.is_local for one in found.entries):
        return None
    allowed = permission.given(caller)
    return None if isinstance(allowed, Refusal) else allowed.only(local=True)


def begin(on: On, found: Sequence[Found], day: date) -> Comparison | None:
    """Begin to compare what of the notes may be sent; None where not even two passages of different rings may."""
    attempts = Attempts(seconds=config.here().config().contradiction_budget_ms / 1000)
    policy = permission.brains_own()
    if isinstance(policy, Refusal):
        return None
    rules = Rules(policy, private_names.known(), day)
    candidates = [Candidate(one.note, one.heading_path, one.citation) for one in found]
    budget = min(_TOKENS, on.limits.context_tokens)
    material = passages.choose(candidates, rules, most=_MOST, budget=budget, share=_SHARE)
    by_path = {one.note.path: one for one in found}
    compared = tuple(by_path[one.path] for one in material.passages)
    if len({one.note.ring for one in compared}) < 2:
        return None
    request = contradictions.request([_text(one) for one in material.passages])
    running = Comparison(on, request, compared, attempts)
    running.start()
    return running


def _text(one: Passage) -> str:
    """Return a passage below its title, for what a note is about may stand nowhere else."""
    title = prompt.marked(one.sent.title) if one.sent.is_outside else one.sent.title
    return f"{title}\n{one.sent.sent}"
