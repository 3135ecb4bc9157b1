"""Measure whether search finds what was asked for: `python -m benchmarks.retrieval --sets DIR`; see README.md."""

from __future__ import annotations

import argparse
import gzip
import json
import math
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from benchmarks.client import Server
from benchmarks.ground import environment
from benchmarks.measuring import Failed

_NEAR: Final = 5
_FAR: Final = 10
_BUDGET: Final = 50_000


@dataclass(frozen=True)
class Question:
    """What is asked, of which kind, and how well each passage answers it."""

    text: str
    kind: str
    gold: Mapping[str, float]


def main() -> int:
    """Print recall@5 and nDCG@10 of each set, in per cent; with `--misses` also what was not found."""
    given = _arguments()
    sets = sorted(folder.parent for folder in given.sets.glob("*/docs.jsonl.gz"))
    print(f"{'set':16} {'questions':>9} {'recall@5':>9} {'nDCG@10':>9}")
    for folder in [one for one in sets if not given.only or one.name in given.only]:
        with TemporaryDirectory(prefix="cabecao-retrieval-", dir=given.work) as work:
            scored = [(one, found) for one, found in _answered(folder, Path(work))]
        recalls = [recall(found, one.gold) for one, found in scored]
        gains = [gain(found, one.gold) for one, found in scored]
        print(f"{folder.name:16} {len(scored):9} {_percent(recalls):9.1f} {_percent(gains):9.1f}", flush=True)
        if given.misses:
            _print_misses([one for (one, _found), share in zip(scored, recalls, strict=True) if share < 1])
    return 0 if sets else 1


def recall(found: Sequence[str], gold: Mapping[str, float]) -> float:
    """Return the share of the right passages that are among the first five."""
    return sum(one in gold for one in found[:_NEAR]) / min(_NEAR, len(gold))


def gain(found: Sequence[str], gold: Mapping[str, float]) -> float:
    """Return the discounted gain of the first ten, by the best that could be."""
    best = sum(grade / math.log2(place + 2) for place, grade in enumerate(sorted(gold.values(), reverse=True)[:_FAR]))
    won = sum(gold.get(one, 0) / math.log2(place + 2) for place, one in enumerate(found[:_FAR]))
    return won / best


def _answered(folder: Path, work: Path) -> Iterator[tuple[Question, list[str]]]:
    brain, settings = work / "brain", environment(work)
    names = _write_notes(brain, _lines(folder / "docs.jsonl.gz"))
    command = [sys.executable, "-m", "cabecao_site.cli", "--brain", str(brain)]
    _run([*command[:3], "init", str(brain), "--yes", "--name", "retrieval"], settings, work)
    with Server([*command, "mcp", "--tools", "core"], settings, work / "server.log") as server:
        for row in _lines(folder / "queries.jsonl.gz"):
            asked = {"query": row["text"], "limit": _FAR, "budget_tokens": _BUDGET}
            answer = json.loads(server.call("search", asked))["result"]["structuredContent"]
            found = [names.get(hit["path"], "") for hit in answer["hits"]]
            yield Question(row["text"], row["cat"], row["gold"]), found


def _write_notes(brain: Path, passages: Iterator[dict[str, Any]]) -> dict[str, str]:
    """Write a note of each passage and return which passage each path stands for."""
    (brain / "wiki/concepts").mkdir(parents=True)
    names: dict[str, str] = {}
    for number, row in enumerate(passages):
        path = f"wiki/concepts/{number:05}.md"
        head = {"type": "concept", "title": row["title"] or f"{number:05}", "tags": row.get("tags") or []}
        keys = "".join(f"{key}: {json.dumps(value, ensure_ascii=False)}\n" for key, value in head.items())
        (brain / path).write_text(f"---\n{keys}---\n{row['text']}\n", encoding="utf-8")
        names[path] = row["id"]
    return names


def _lines(file: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _run(command: list[str], settings: Mapping[str, str], work: Path) -> None:
    done = subprocess.run(command, env=dict(settings), cwd=work, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failed(done.stderr.strip()[-600:])


def _percent(shares: Sequence[float]) -> float:
    return 100 * sum(shares) / len(shares) if shares else 0.0


def _print_misses(missed: Sequence[Question]) -> None:
    for one in missed:
        print(f"    {one.kind:16} {one.text}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.retrieval", description=__doc__)
    add = parser.add_argument
    add("--sets", type=Path, required=True, metavar="DIR", help="a folder of SET/docs.jsonl.gz and queries.jsonl.gz")
    add("--only", type=lambda text: text.split(","), default=[], metavar="SET,SET", help="some of the sets")
    add("--misses", action="store_true", help="print what was not found among the first five")
    add("--work", type=Path, metavar="DIR", help="where the brains are made (default: a temporary folder)")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
