"""The index from nothing, and a note's way to HTML."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Final

from benchmarks.ground import Ground
from benchmarks.measuring import Figure, Samples, alternate, compare, spread, timed

_FLOOR: Final = Path(__file__).with_name("floor_index.py")
_LARGE: Final = 100_000
_RENDERED: Final = 100


def measure_reindex(ground: Ground) -> list[Figure]:
    """Return how long `cabecao reindex` takes without an index, beside reading, libyaml and FTS5 in one process."""
    root, index = ground.brain, ground.corpus.folder.with_name("built.db")

    def floor(_number: int) -> list[float]:
        return [_seconds(ground, sys.executable, "-P", str(_FLOOR), str(ground.corpus.folder), str(index))]

    def product(_number: int) -> list[float]:
        for file in (root / ".cabecao").glob("index.db*"):
            file.unlink()
        return [_seconds(ground, *ground.cabecao_command, "--brain", str(root), "reindex", "--quiet")]

    floor(0)  # the files are in memory for both
    floors, own = alternate({"floor": floor}, product, rounds=1 if ground.notes >= _LARGE else ground.rounds)
    against = "read, libyaml, FTS5"
    return [compare("reindex", ground.notes, "p50", own, floors["floor"], against=against, limit=3.0, unit="s")]


def _seconds(ground: Ground, *command: str) -> float:
    start = time.perf_counter()
    ground.run(*command)
    return time.perf_counter() - start


def measure_render(ground: Ground) -> list[Figure]:
    """Return how long a note takes to become safe HTML, beside bare markdown-it."""
    from markdown_it import MarkdownIt

    from brain.note.markdown import LinkView, render

    bodies = [note.body for note in spread(ground.corpus.notes, _RENDERED)]
    bare = MarkdownIt("commonmark").enable("table")

    def product(_number: int) -> list[float]:
        seen = LinkView(href="/n/1", title="", missing=False)
        return timed(lambda body: render(body, resolve=lambda _link: seen), bodies)

    product(0)
    floors, own = alternate({"bare": lambda _round: timed(bare.render, bodies)}, product, rounds=ground.rounds)
    return [_rendered(ground, own, floors["bare"], statistic) for statistic in ("p50", "p95")]


def _rendered(ground: Ground, own: Samples, floor: Samples, statistic: str) -> Figure:
    return compare("render", ground.notes, statistic, own, floor, against="bare markdown-it")
