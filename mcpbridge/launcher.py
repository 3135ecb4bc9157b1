"""`cabecao mcp`: the process that an AI client starts and talks to over its pipes.

Standard library only when imported, because the first answer must not wait for anything. The protocol library and
Django are loaded in the background while the client's first line is read, and answered where it is `initialize`.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from brain import config, language
from brain.errors import BrainError, InternalError, foreign
from brain.language import gettext as _
from mcpbridge import handshake, pipes
from mcpbridge.answers import Answers
from mcpbridge.ending import Ending
from mcpbridge.pipes import Pipes

if TYPE_CHECKING:
    from mcpbridge.wire import Deliver

# How long loading waits for the first line: a client that sends it at once gets its answer before that work begins.
_HEAD_START: Final = 0.05


@dataclass
class Start:
    """What the threads of a starting process tell each other."""

    pipes: Pipes
    ending: Ending
    profile: str
    root: Path
    prepare: Callable[[], None]
    consolidation: str | None = None
    may_forget: bool = False
    interrupted: bool = False
    answers: Answers = field(default_factory=Answers)
    opening: queue.SimpleQueue[bytes | None] = field(default_factory=queue.SimpleQueue)
    greeted: threading.Event = field(default_factory=threading.Event)
    loaded: Future[None] = field(default_factory=Future)
    ready: Future[BrainError | None] = field(default_factory=Future)
    deliver: Future[Deliver] = field(default_factory=Future)


def run(
    root: Path,
    *,
    prepare: Callable[[], None],
    profile: str = "standard",
    consolidation: str | None = None,
    may_forget: bool = False,
) -> int:
    """Serve a brain until the client goes, and return the exit code; `prepare` makes the services usable.

    With a `consolidation` the client is an agent that is at work on it by itself.
    """
    _speak_as(root)
    start = Start(pipes.claim(), Ending(), profile, root, prepare, consolidation, may_forget)
    start.answers.root = root if consolidation is None else None
    start.ending.watch()
    start.ending.then(lambda: start.opening.put(None))
    for work in (_load, _read):
        threading.Thread(target=work, args=(start,), name=work.__name__.strip("_"), daemon=True).start()
    opening = start.opening.get()
    if opening is not None:
        _serve(start, opening)
    start.ending.begin()
    if not start.ready.done():
        start.ending.leave()
    return start.ending.code


def _speak_as(root: Path) -> None:
    try:
        language.configure(config.Brain(root).config().language)
    except BrainError:
        language.configure(None)


def _serve(start: Start, opening: bytes) -> None:
    answer = handshake.answer(opening, start.profile, asks=start.answers.are_on())
    if answer is not None:
        try:
            start.pipes.write(answer.line)
        except OSError:
            return
    start.greeted.set()
    start.loaded.result()
    from mcpbridge import wire

    wire.serve(start, opening, answered=None if answer is None else answer.id)


def _read(start: Start) -> None:
    """Hand the client's lines on: the first to whoever greets, the others to the loop once it runs."""
    lines: Iterator[bytes] = start.pipes.lines()
    start.opening.put(next(lines, None))
    deliver: Deliver | None = None
    for line in lines:
        deliver = deliver or start.deliver.result()
        if not deliver(line):
            return
    start.ending.begin()


def _load(start: Start) -> None:
    """Import what is heavy and get the brain ready."""
    start.greeted.wait(_HEAD_START)
    if start.ending.gone.is_set():
        start.ready.set_result(None)
        return
    try:
        _import()
        start.interrupted = _is_interrupted(start.root)
    except BaseException as error:
        start.loaded.set_exception(error)
        raise
    start.loaded.set_result(None)
    start.ready.set_result(_failure_of(start.prepare))


def _import() -> None:
    import logging

    logging.basicConfig(level=logging.WARNING)
    from mcpbridge import wire  # noqa: F401


def _is_interrupted(root: Path) -> bool:
    """Tell whether a process that died left a write to settle."""
    from brain.store import journal

    try:
        return journal.count(root) > 0
    except OSError:
        return False


def _failure_of(prepare: Callable[[], None]) -> BrainError | None:
    """Get the brain ready and return why it can't be, None where it is."""
    try:
        prepare()
    except BrainError as error:
        return error
    except Exception as error:  # noqa: BLE001 (the last door before the client)
        if (told := foreign(error)) is not None:
            return told
        import logging
        from traceback import format_tb

        where = "".join(format_tb(error.__traceback__))
        logging.getLogger(__name__).error("the brain could not be made ready: %s\n%s", type(error).__name__, where)  # noqa: TRY400
        return InternalError(
            _("Something unexpected failed inside Cabeção (%(kind)s).") % {"kind": type(error).__name__}
        )
    return None
