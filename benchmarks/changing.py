"""Changes to notes that are there: forget, patch, relate and undo beside a new note, and a rename with its links."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from itertools import islice
from statistics import median
from typing import Any, Final

from benchmarks.client import Server
from benchmarks.corpus import Note
from benchmarks.ground import Ground
from benchmarks.measuring import Failed, Figure, Samples, alternate, compare, timed

_EACH: Final = 10
_SESSION: Final = 50
_LINKING: Final = 100
_OF_OTHERS: Final = 2_000  # notes that other measures may have written before
_MARK: Final = "\nUma marca que só está aqui.\n"
_RENAME_MS: Final = 3_000.0
# A rename is the person's own, so that no tool has it: in a process of its own, there and back.
_RENAME: Final = """
import json, sys, time
from pathlib import Path
from cabecao_site import bootstrap
brain = bootstrap.start(Path(sys.argv[1]))
bootstrap.prepare_records()
from brain.caller import Caller, Kind, Surface
from brain.index import refresh
from brain.operations import dispatch
caller = Caller(kind=Kind.HUMAN, client="benchmarks", surface=Surface.CLI)
refresh.watch(brain)
refresh.catch_up(seconds=600)
names, taken = ["wiki/bench/Alvo.md", "wiki/bench/outra/Mira.md"], []
for number in range(2 * int(sys.argv[2])):
    given = {"path": names[number % 2], "to": names[1 - number % 2], "title": ("Mira", "Alvo")[number % 2]}
    start = time.perf_counter()
    done = dispatch("move_page", caller, given)
    taken.append((time.perf_counter() - start) * 1000)
    print(done.warnings, file=sys.stderr)
refresh.stop()
print(json.dumps(taken))
"""


def measure(ground: Ground) -> list[Figure]:
    """Return each operation beside `write_page` of as many notes, and the undo of one and of a whole session."""
    fresh = ground.fresh(after=_OF_OTHERS)
    written: list[dict[str, Any]] = []
    figures = []
    with ground.server() as server:

        def create(note: Note, **more: str) -> None:
            given = {"path": note.path, "mode": "create", "content": note.body + _MARK, **more}
            written.append(
                _call(server, "write_page", given | {"frontmatter": {"type": note.type, "title": note.title}})
            )

        def beside(name: str, change: Callable[[dict[str, Any]], float], limit: float) -> None:
            for one in islice(fresh, 2):
                create(one)
                change(written.pop())
            floors, product = alternate(
                {"write_page": lambda _round: timed(create, islice(fresh, _EACH))},
                lambda _round: [change(written.pop()) for _ in range(_EACH)],
                rounds=ground.rounds,
            )
            floor = floors["write_page"]
            figures.append(compare(name, ground.notes, "p50", product, floor, against="write_page", limit=limit))

        beside("patch_page", lambda one: _patch(server, one), 1.2)
        beside("relate", lambda one: _relate(server, one, ground.corpus.notes[0].path), 1.2)
        beside("forget", lambda one: _forget(server, one), 1.2)
        beside("undo", lambda one: _once(server, "undo", {"op": one["op"]}), 2.0)
        figures.append(_session(ground, server, fresh, create))
    _prove(ground)
    return [*figures, _rename(ground)]


def _session(ground: Ground, server: Server, fresh: Iterator[Note], create: Callable[..., None]) -> Figure:
    """Return the undo of a session of fifty writes, which is one commit, beside one of them."""
    writes, undone = [], []
    for _ in range(max(2, ground.rounds)):
        handle = _call(server, "recall", {"task": "medir"})["session_handle"]
        writes.append(tuple(timed(lambda note: create(note, session_handle=handle), islice(fresh, _SESSION))))  # noqa: B023
        before = _commits(ground)
        undone.append((_once(server, "undo", {"session": handle}),))
        if _commits(ground) != before + 1:
            raise Failed(f"undo: a session made {_commits(ground) - before} commits instead of one")
    name = f"undo of {_SESSION} writes"
    floor, product = Samples(tuple(writes)), Samples(tuple(undone))
    return compare(name, ground.notes, "p50", product, floor, against="write_page", limit=10.0)


def _rename(ground: Ground) -> Figure:
    """Return how long a new name and place take for a note that a hundred others link to; each is one commit."""
    folder = ground.brain / "wiki" / "bench"
    folder.mkdir(parents=True)
    (folder / "Alvo.md").write_text("---\ntype: concept\ntitle: Alvo\n---\n\nTexto.\n", encoding="utf-8")
    for number in range(_LINKING):
        text = f"Nota {number}, que leva a [[Alvo]] e [ao alvo](Alvo.md).\n"
        (folder / f"Leva {number}.md").write_text(text, encoding="utf-8")
    ground.git(ground.brain, "add", "--all")
    ground.git(ground.brain, "commit", "--quiet", "--message", "Links")
    before = _commits(ground)
    taken = json.loads(ground.run(sys.executable, "-P", "-c", _RENAME, str(ground.brain), str(ground.rounds)))
    made = _commits(ground) - before
    if made != len(taken):
        raise Failed(f"move_page: {len(taken)} renames made {made} commits")
    if "[[Alvo]] e [ao alvo](Alvo.md)" not in (folder / "Leva 7.md").read_text(encoding="utf-8"):
        raise Failed("move_page: the links did not come back with the note")
    _prove(ground)
    name = f"move_page, {_LINKING} links"
    return Figure(name, ground.notes, "p50", "ms", median(taken), limit=_RENAME_MS, absolute=True)


def _patch(server: Server, one: dict[str, Any]) -> float:
    return _once(server, "patch_page", {"path": one["path"], "old": "só está aqui", "new": "estava ali"})


def _relate(server: Server, one: dict[str, Any], to: str) -> float:
    return _once(server, "relate", {"from": one["path"], "to": to, "type": "related_to"})


def _forget(server: Server, one: dict[str, Any]) -> float:
    """Return how long the call takes that archives; the one before it asks, and writes nothing."""
    given = {"id": one["path"], "reason": "medida"}
    return _once(server, "forget", given | {"confirm_token": _call(server, "forget", given)["confirm_token"]})


def _once(server: Server, tool: str, given: dict[str, Any]) -> float:
    return timed(lambda arguments: server.call(tool, arguments), [given])[0]


def _call(server: Server, tool: str, given: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(server.call(tool, given))["result"]["structuredContent"]
    return found


def _commits(ground: Ground) -> int:
    return int(ground.git(ground.brain, "rev-list", "--count", "HEAD"))


def _prove(ground: Ground) -> None:
    left = ground.git(ground.brain, "status", "--porcelain").strip()
    if left:
        raise Failed(f"changes: Git sees some that nobody made: {left[:200]}")
