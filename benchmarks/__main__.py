"""Measure the product beside its floors; see README.md."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from benchmarks import answering, changing, commands, drawing, indexing, jobs, pages, report, serving, syncing, writing
from benchmarks.ground import Ground
from benchmarks.measuring import Failed, Figure

# Writes come last: what they add is in no floor's index.
MEASURES: Final[dict[str, Callable[[Ground], list[Figure]]]] = {
    "start": serving.measure_start,
    "tools": serving.measure_tools,
    "search": serving.measure_search,
    "read": serving.measure_read,
    "reads": answering.measure_reads,
    "lint": answering.measure_lint,
    "render": indexing.measure_render,
    "cli": commands.measure,
    "pages": pages.measure,
    "drawing": drawing.measure,
    "reindex": indexing.measure_reindex,
    "write": writing.measure,
    "remember": writing.measure_remember,
    "change": changing.measure,
    "sync": syncing.measure,
    "memory": serving.measure_memory,
    "jobs": jobs.measure,
}
_ONCE: Final = frozenset({"tools", "render", "jobs"})  # of one size only: the number of notes changes nothing


def main() -> int:
    """Measure, print the table and the verdict; 1 where something could not be measured, goals are the reader's."""
    given = _arguments()
    figures: list[Figure] = []
    failed: dict[str, str] = {}
    with TemporaryDirectory(prefix="cabecao-bench-", dir=given.work) as work:
        for size in given.notes:
            ground = Ground(Path(work), notes=size, rounds=given.rounds)
            for name in given.only:
                if name not in _ONCE or size == given.notes[0]:
                    _take(name, ground, figures, failed)
    print(report.table(figures), report.verdict(figures, failed), sep="\n\n")
    if given.json:
        given.json.write_text(report.as_json(figures, failed), encoding="utf-8")
    return 1 if failed or any(one.void for one in figures) else 0


def _take(name: str, ground: Ground, figures: list[Figure], failed: dict[str, str]) -> None:
    print(f"measuring {name} at {ground.notes:,} notes …", file=sys.stderr, flush=True)
    try:
        figures += MEASURES[name](ground)
    except (Failed, OSError) as reason:
        failed[f"{name} at {ground.notes:,}"] = str(reason)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    add = parser.add_argument
    add("--notes", type=_sizes, default=[1000, 10_000], metavar="N,N", help="sizes of the corpus (default: 1000,10000)")
    add("--only", type=_names, default=list(MEASURES), metavar="NAME,NAME", help=f"which of: {', '.join(MEASURES)}")
    add("--rounds", type=int, default=3, metavar="N", help="rounds of each side (default: 3)")
    add("--json", type=Path, metavar="FILE", help="write everything there too")
    add("--work", type=Path, metavar="DIR", help="a folder on the disk to be measured (default: a temporary one)")
    return parser.parse_args()


def _sizes(text: str) -> list[int]:
    return [int(one) for one in text.split(",")]


def _names(text: str) -> list[str]:
    unknown = sorted(set(text.split(",")) - set(MEASURES))
    if unknown:
        raise argparse.ArgumentTypeError(f"there is no {', '.join(unknown)}; choose from {', '.join(MEASURES)}")
    return [name for name in MEASURES if name in text.split(",")]


if __name__ == "__main__":
    sys.exit(main())
