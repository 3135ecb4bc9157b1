"""Writes: `write_page` over MCP beside `git add` and `git commit` of the same text, `remember` beside `write_page`."""

from __future__ import annotations

from itertools import islice
from typing import Final

from benchmarks.corpus import Note
from benchmarks.ground import Ground
from benchmarks.measuring import Failed, Figure, Samples, alternate, compare, timed

_EACH: Final = 20
_OF_WRITES: Final = 1_000  # notes that `write` may have written before
_LARGE: Final = 100_000


def measure(ground: Ground) -> list[Figure]:
    """Return how long it takes until a write is acknowledged."""
    ours, theirs = ground.fresh(), ground.fresh()
    before = _commits(ground)
    with ground.server() as server:

        def create(note: Note) -> None:
            given = {"type": note.type, "title": note.title}
            server.call("write_page", {"path": note.path, "mode": "create", "content": note.body, "frontmatter": given})

        create(next(ours))
        floors, product = alternate(
            {"git": lambda _round: timed(lambda note: _add_and_commit(ground, note), islice(theirs, _EACH))},
            lambda _round: timed(create, islice(ours, _EACH)),
            rounds=ground.rounds,
        )
    _prove(ground, before, next(ours))
    return _figures(ground, product, floors["git"])


def measure_remember(ground: Ground) -> list[Figure]:
    """Return how long `remember` takes with memories that are not there yet, beside `write_page` with as many."""
    fresh = ground.fresh(after=_OF_WRITES)
    before = _commits(ground)
    with ground.server() as server:

        def create(note: Note) -> None:
            path = note.path.replace("/", "/page-", 1)
            given = {"type": note.type, "title": note.title}
            server.call("write_page", {"path": path, "mode": "create", "content": note.body, "frontmatter": given})

        def keep(note: Note) -> None:
            answer = server.call("remember", {"content": note.body, "type": note.type, "title": note.title})
            if b"created" not in answer:
                raise Failed(f"remember: {note.title} was taken for another memory")

        create(next(fresh))
        keep(next(fresh))
        floors, product = alternate(
            {"write_page": lambda _round: timed(create, islice(fresh, _EACH))},
            lambda _round: timed(keep, islice(fresh, _EACH)),
            rounds=ground.rounds,
        )
    _prove(ground, before, next(fresh), after=_OF_WRITES)
    floor = floors["write_page"]
    return [
        compare("remember", ground.notes, "p50", product, floor, against="write_page", limit=1.5),
        compare("remember", ground.notes, "p95", product, floor, against="write_page"),
    ]


def _figures(ground: Ground, product: Samples, floor: Samples) -> list[Figure]:
    limit = 0.5 if ground.notes >= _LARGE else 1.0
    middle, tail = product.at("p50"), product.at("p95")
    against = "git add + commit"
    return [
        compare("write", ground.notes, "p50", product, floor, against=against, limit=limit),
        compare("write", ground.notes, "p95", product, floor, against=against),
        Figure("write", ground.notes, "p95", "ms", tail, middle, "its own p50", limit=2.5, void=floor.void),
    ]


def _add_and_commit(ground: Ground, note: Note) -> None:
    file = ground.repository / note.path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(note.text, encoding="utf-8")
    ground.git(ground.repository, "add", "--", note.path)
    ground.git(ground.repository, "commit", "--quiet", "--message", note.title)


def _commits(ground: Ground) -> int:
    return int(ground.git(ground.brain, "rev-list", "--count", "HEAD"))


def _prove(ground: Ground, before: int, following: Note, *, after: int = 0) -> None:
    """Raise Failed unless each write is a commit, and Git's own index and the files are at the last of them."""
    written = int(following.title.rsplit(" ", 1)[1]) - ground.notes - after
    made = _commits(ground) - before
    if made < written:
        raise Failed(f"write: {written} writes were acknowledged, {made} commits are there")
    left = ground.git(ground.brain, "status", "--porcelain").strip()
    if left:
        raise Failed(f"write: Git sees changes that nobody made: {left[:200]}")
