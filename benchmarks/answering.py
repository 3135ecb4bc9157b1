"""The other reads beside search: recall, graph, facts, lint, and what a search adds to its words."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable
from typing import Any, Final

from benchmarks.client import Server
from benchmarks.ground import Ground
from benchmarks.measuring import Figure, Round, Samples, alternate, compare, spread, timed

_EACH: Final = 30
_WARM: Final = 5
_MOST: Final = 3.0
_WHOLE: Final = 2.0
_LINT: Final = 1.5
# In one process, so that nothing but the search is measured: its words alone, and with neighbours and provenance.
_INSIDE: Final = """
import json, sys, time
from pathlib import Path
from cabecao_site import bootstrap
brain = bootstrap.start(Path(sys.argv[1]))
bootstrap.prepare_records()
from brain.caller import Caller, Kind, Surface
from brain.index import fulltext, refresh
from brain.index.fulltext import Query
from brain.operations import dispatch
caller = Caller(kind=Kind.AGENT, client="benchmarks", surface=Surface.MCP, connection="benchmarks")
queries = json.loads(sys.argv[2])
refresh.watch(brain)
refresh.catch_up(seconds=600)
ways = {
    "words": lambda query: fulltext.search(Query(query)),
    "whole": lambda query: dispatch("search", caller, {"query": query, "budget_tokens": 200_000}),
}
taken = {"words": [], "whole": []}
for ask in ways.values():
    for query in queries:
        ask(query)
for _ in range(int(sys.argv[3])):
    for name, ask in ways.items():
        for query in queries:
            start = time.perf_counter()
            ask(query)
            taken[name].append((time.perf_counter() - start) * 1000)
refresh.stop()
print(json.dumps(taken))
"""


def measure_reads(ground: Ground) -> list[Figure]:
    """Return recall, graph at depth 2 and facts over MCP beside search, and a whole search beside its words."""
    titles = [note.title for note in spread(ground.corpus.notes, _EACH)]
    queries = list(ground.corpus.queries[:_EACH])
    asked: dict[str, tuple[Iterable[str], Callable[[str], dict[str, Any]]]] = {
        "recall": (queries, lambda query: {"task": query}),
        "graph": (titles, lambda title: {"node": title, "depth": 2}),
        "facts": (titles, lambda title: {"subject": title}),
    }
    figures = [_words_alone(ground, queries)]
    with ground.server() as server:
        search = _round(server, "search", queries, lambda query: {"query": query})
        search(0)
        for name, (items, arguments) in asked.items():
            _warm(server, name, items, arguments)
            floors, own = alternate({"search": search}, _round(server, name, items, arguments), rounds=ground.rounds)
            figures += [
                compare(name, ground.notes, statistic, own, floors["search"], against="search", limit=limit)
                for statistic, limit in (("p50", None), ("p95", _MOST))
            ]
    return figures


def measure_lint(ground: Ground) -> list[Figure]:
    """Return lint of the whole brain beside building the index from nothing, both by command."""

    def product(_number: int) -> list[float]:
        return [_seconds(ground, "lint", "--json")]

    def floor(_number: int) -> list[float]:
        return [_seconds(ground, "reindex", "--quiet")]

    product(0)
    floors, own = alternate({"reindex": floor}, product, rounds=ground.rounds)
    return [compare("lint", ground.notes, "p50", own, floors["reindex"], against="reindex", limit=_LINT, unit="s")]


def _words_alone(ground: Ground, queries: list[str]) -> Figure:
    said = ground.run(
        sys.executable, "-P", "-c", _INSIDE, str(ground.brain), json.dumps(queries), str(max(ground.rounds, 3))
    )
    taken = {name: Samples((tuple(times),)) for name, times in json.loads(said).items()}
    return compare("search", ground.notes, "p50", taken["whole"], taken["words"], against="words alone", limit=_WHOLE)


def _round(server: Server, tool: str, items: Iterable[str], arguments: Callable[[str], dict[str, Any]]) -> Round:
    return lambda _number: timed(lambda item: server.call(tool, arguments(item)), items)


def _warm(server: Server, tool: str, items: Iterable[str], arguments: Callable[[str], dict[str, Any]]) -> None:
    for item in list(items)[-_WARM:]:
        server.call(tool, arguments(item))


def _seconds(ground: Ground, *words: str) -> float:
    start = time.perf_counter()
    ground.cabecao("--brain", str(ground.brain), *words)
    return time.perf_counter() - start
