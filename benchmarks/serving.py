"""What an AI client feels: search, read, the start of a server, its memory, and the size of its list of tools."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Final

from benchmarks.client import Server
from benchmarks.floor import SEARCH, any_term
from benchmarks.ground import Ground
from benchmarks.measuring import Failed, Figure, Round, Samples, alternate, compare, spread, timed

_SEARCHES: Final = 60
_READS: Final = 30
_STARTS: Final = 2
_PROCESSES: Final = 10  # of a floor that is a process of its own
_LARGE: Final = 10_000
_WARM: Final = 10
_TOOL_BYTES: Final = {"core": 12_000, "standard": 40_000, "full": None}


def measure_search(ground: Ground) -> list[Figure]:
    """Return search over MCP beside FTS5 in process, the thinnest server, and ripgrep where it is installed."""
    database = sqlite3.connect(ground.index)
    with ground.thin_server() as thin, ground.server() as server:
        product = _asking(ground, _search(server))
        floors = {"FTS5": _asking(ground, lambda query: database.execute(SEARCH, (any_term(query),)).fetchall())}
        floors["thin server"] = _asking(ground, lambda query: thin.call("search", {"text": query}))
        if shutil.which("rg"):
            floors["ripgrep"] = _asking(ground, lambda query: _ripgrep(ground, query), each=_PROCESSES)
        _warm(ground, thin, server)
        taken, own = alternate(floors, product, rounds=ground.rounds)
        _prove_found(ground, server)
    database.close()
    return _search_figures(ground.notes, own, taken)


def _search_figures(notes: int, own: Samples, taken: dict[str, Samples]) -> list[Figure]:
    limits = {("FTS5", "p95"): 2.0 if notes >= _LARGE else None, ("ripgrep", "p50"): 1.0}
    limits |= {("thin server", "p50"): 2.0, ("thin server", "p95"): 2.0}
    wanted = [
        (name, statistic) for name in taken for statistic in ("p50", "p95") if (name, statistic) != ("ripgrep", "p95")
    ]
    return [
        compare("search", notes, statistic, own, taken[name], against=name, limit=limits.get((name, statistic)))
        for name, statistic in wanted
    ]


def measure_read(ground: Ground) -> list[Figure]:
    """Return read over MCP beside the thinnest server."""
    paths = [note.path for note in spread(ground.corpus.notes, _READS)]
    with ground.thin_server() as thin, ground.server() as server:
        _warm(ground, thin, server)
        floors, own = alternate(
            {"thin server": lambda _round: timed(lambda path: thin.call("read", {"text": path}), paths)},
            lambda _round: timed(lambda path: server.call("read", {"path": path}), paths),
            rounds=ground.rounds,
        )
    floor = floors["thin server"]
    return [
        compare("read", ground.notes, "p50", own, floor, against="thin server", limit=3.0),
        compare("read", ground.notes, "p95", own, floor, against="thin server"),
    ]


def measure_start(ground: Ground) -> list[Figure]:
    """Return the time from spawning a server to its answer to `initialize`."""
    ground.warm_up()
    floors, own = alternate(
        {"thin server": _starting(ground.thin_server)}, _starting(ground.server), rounds=ground.rounds
    )
    floor = floors["thin server"]
    return [compare("initialize", ground.notes, "p50", own, floor, against="thin server", limit=1.4)]


def measure_memory(ground: Ground) -> list[Figure]:
    """Return the memory of a server's processes after searches, reads and, for the product, writes."""
    ground.warm_up()
    floors, own = alternate(
        {"thin server": lambda k: [_memory_after(ground, ground.thin_server, k)]},
        lambda k: [_memory_after(ground, ground.server, k)],
        rounds=min(ground.rounds, 2),
    )
    floor = floors["thin server"]
    return [compare("memory", ground.notes, "p50", own, floor, against="thin server", limit=2.0, unit="MiB")]


def measure_tools(ground: Ground) -> list[Figure]:
    """Return how large the list of tools is, for each choice of tools."""
    figures = []
    for tools, limit in _TOOL_BYTES.items():
        with ground.server(tools=tools) as server:
            size = float(len(server.request("tools/list", {})))
        figures.append(Figure("tools/list", ground.notes, tools, "B", size, limit=limit, absolute=True))
    return figures


def _asking(ground: Ground, ask: Callable[[str], object], *, each: int = _SEARCHES) -> Round:
    return lambda _round: timed(ask, ground.corpus.queries[:each])


def _search(server: Server) -> Callable[[str], bytes]:
    return lambda query: server.call("search", {"query": query, "limit": 10})


def _ripgrep(ground: Ground, query: str) -> None:
    command = ("rg", "--files-with-matches", "--ignore-case", "--fixed-strings", "--", query, ".")
    subprocess.run(command, cwd=ground.corpus.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=False)


def _warm(ground: Ground, thin: Server, server: Server) -> None:
    for query in ground.corpus.queries[-_WARM:]:
        thin.call("search", {"text": query})
        server.call("search", {"query": query})
    for note in ground.corpus.notes[-_WARM:]:
        thin.call("read", {"text": note.path})
        server.call("read", {"path": note.path})


def _prove_found(ground: Ground, server: Server) -> None:
    """Raise Failed unless a search for a title finds the note: speed is not bought with empty answers."""
    for note in spread(ground.corpus.notes, 5):
        if note.path.encode() not in _search(server)(note.title):
            raise Failed(f"search: “{note.title}” does not find {note.path}")


def _starting(start: Callable[[], Server]) -> Round:
    def run(_number: int) -> list[float]:
        taken = []
        for _ in range(_STARTS):
            with start() as server:
                taken.append(server.ready_ms)
        return taken

    return run


def _memory_after(ground: Ground, start: Callable[[], Server], number: int) -> float:
    with start() as server:
        names = [tool["name"] for tool in json.loads(server.request("tools/list", {}))["result"]["tools"]]
        thin = "write_page" not in names
        for query in ground.corpus.queries[:60]:
            server.call("search", {"text" if thin else "query": query})
        for note in ground.corpus.notes[:30]:
            server.call("read", {"text" if thin else "path": note.path})
        if not thin:
            _write_some(server, number)
        return resident_mib(server.pid)


def _write_some(server: Server, number: int) -> None:
    for place in range(10):
        path, given = (
            f"wiki/concepts/memoria-{number}-{place}.md",
            {"type": "concept", "title": f"Memória {number} {place}"},
        )
        server.call("write_page", {"path": path, "mode": "create", "content": "Texto.\n", "frontmatter": given})


def resident_mib(pid: int) -> float:
    """Return the resident memory of a process and all below it, from /proc."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(entry.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        parents.setdefault(parent, []).append(int(entry.parent.name))
    family = [pid]
    for one in family:
        family.extend(parents.get(one, []))
    return sum(map(_resident_kib, family)) / 1024


def _resident_kib(pid: int) -> int:
    try:
        found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    except OSError:
        return 0
    return int(found[1]) if found else 0
