"""The pages: the server's own time for each, by its Server-Timing header, as a person who came in by a launch link."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException, HTTPResponse
from typing import Final
from urllib.parse import quote, urlsplit

from benchmarks.ground import Ground
from benchmarks.measuring import Failed, Figure, Samples, spread

_EACH: Final = 20
_PATIENCE: Final = 60.0
_TIMING: Final = re.compile(r"\bdur=([\d.]+)")
_LINK: Final = """
import sys
from pathlib import Path
from cabecao_site import bootstrap
bootstrap.start(Path(sys.argv[1]), lean=False)
bootstrap.prepare_records()
from brain.access import launch
print(launch.create())
"""
_PLAIN: Final = (50.0, 150.0)
_SEARCH: Final = (150.0, 300.0)


class Browser:
    """A connection that keeps its cookies and follows what it is told."""

    def __init__(self, port: int) -> None:
        self._connection = HTTPConnection("127.0.0.1", port, timeout=_PATIENCE)
        self._cookies: dict[str, str] = {}

    def get(self, address: str) -> float:
        """Return the server's milliseconds for a page; Failed where there is no such page."""
        for _ in range(4):
            answer = self._ask(address)
            if answer.status not in {301, 302, 307, 308}:
                break
            address = _relative(answer.headers["Location"])
        found = _TIMING.search(answer.headers.get("Server-Timing", ""))
        if answer.status != 200 or not found:
            raise Failed(f"{address} answered {answer.status}{'' if found else ' without Server-Timing'}")
        return float(found[1])

    def _ask(self, address: str) -> HTTPResponse:
        sent = (
            {"Cookie": "; ".join(f"{name}={value}" for name, value in self._cookies.items())} if self._cookies else {}
        )
        try:
            self._connection.request("GET", address, headers=sent)
            answer = self._connection.getresponse()
            answer.read()
        except HTTPException as error:
            raise Failed(f"{address}: {type(error).__name__}") from error
        for header in answer.headers.get_all("Set-Cookie", []):
            name, _, value = header.partition(";")[0].partition("=")
            self._cookies[name] = value
        return answer

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


def measure(ground: Ground) -> list[Figure]:
    """Return p50 and p95 of each page."""
    notes = tuple(f"/path/{quote(note.path)}" for note in spread(ground.corpus.notes, _EACH))
    searches = tuple(f"/search?q={quote(query)}" for query in ground.corpus.queries[:_EACH])
    figures: list[Figure] = []
    with _visited(ground) as browser:
        for name, addresses, limits in (
            ("page home", ("/",), _PLAIN),
            ("page search", searches, _SEARCH),
            ("page note", notes, _PLAIN),
            ("page edit", tuple(f"{address}/edit" for address in notes), _PLAIN),
            ("page new", ("/new?type=decision", "/new?type=fact"), _PLAIN),
            ("names for a link", tuple(f"/names?q={quote(start)}" for start in _starts(ground)), _PLAIN),
            ("page activity", ("/activity",), _PLAIN),
            ("page jobs", ("/jobs",), _PLAIN),
            ("page facts", ("/facts",), _PLAIN),
            (
                "page graph",
                tuple(f"/graph?node={quote(note.path)}" for note in spread(ground.corpus.notes, _EACH)),
                _PLAIN,
            ),
        ):
            taken = _visits(browser, addresses, ground.rounds)
            for statistic, limit in zip(("p50", "p95"), limits, strict=True):
                value = taken.at(statistic)
                figures.append(Figure(name, ground.notes, statistic, "ms", value, limit=limit, absolute=True))
    return figures


def _starts(ground: Ground) -> list[str]:
    """Return beginnings of names as they are typed: nothing, one letter, two, and so on."""
    return [note.title[: place % 6] for place, note in enumerate(spread(ground.corpus.notes, _EACH))]


def _visits(browser: Browser, addresses: tuple[str, ...], rounds: int) -> Samples:
    browser.get(addresses[-1])
    return Samples(tuple(tuple(map(browser.get, spread(addresses, _EACH))) for _ in range(rounds)))


@contextmanager
def served(ground: Ground) -> Iterator[tuple[int, str]]:
    """Serve the pages of the brain; give their port and the code of a launch link."""
    port = _free_port()
    command = [*ground.cabecao_command, "--brain", str(ground.brain), "serve", "--port", str(port), "--no-browser"]
    with ground.corpus.folder.with_name("serve.log").open("ab") as log:
        server = subprocess.Popen(
            command, env=ground.environment, cwd=ground.brain, stdin=subprocess.DEVNULL, stdout=log, stderr=log
        )
    try:
        _wait_for(port, server)
        yield port, ground.run(sys.executable, "-P", "-c", _LINK, str(ground.brain)).strip()
    finally:
        server.terminate()
        server.wait(30)


@contextmanager
def _visited(ground: Ground) -> Iterator[Browser]:
    with served(ground) as (port, code):
        browser = Browser(port)
        try:
            browser.get(f"/enter?c={code}")
            yield browser
        finally:
            browser.close()


def _wait_for(port: int, server: subprocess.Popen[bytes]) -> None:
    ends = time.monotonic() + _PATIENCE
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            if server.poll() is not None or time.monotonic() > ends:
                raise Failed("the server of the pages did not start") from None
            time.sleep(0.1)
        else:
            return


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def _relative(address: str) -> str:
    parts = urlsplit(address)
    return parts.path + (f"?{parts.query}" if parts.query else "")
