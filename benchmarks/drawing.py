"""The graph in a real browser: when its page first stands, and when the whole brain is drawn."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from benchmarks import pages
from benchmarks.ground import Ground
from benchmarks.measuring import Failed, Figure, Samples

_CHROMIUM: Final = os.environ.get("CHROMIUM", "/usr/bin/chromium")
_VISITS: Final = 5
_PATIENCE: Final = 60_000
_LIMIT: Final = 2000.0
_MARKS: Final = """() => [
  performance.getEntriesByName("first-contentful-paint")[0].startTime,
  performance.getEntriesByName("graph-drawn")[0].startTime,
]"""
_GRAPHS: Final = (("graph near", "/graph?depth=2"), ("graph whole", "/graph?whole=1"))


def measure(ground: Ground) -> list[Figure]:
    """Return when a page with a graph is first painted and when the graph is drawn, from the start of the visit."""
    figures: list[Figure] = []
    with pages.served(ground) as (port, code), _browser() as page:
        address = f"http://cabecao.localhost:{port}"
        page.goto(f"{address}/enter?c={code}")
        for name, path in _GRAPHS:
            visits = [_visit(page, address + path) for _ in range(_VISITS + 1)][1:]
            for what, taken in zip(("painted", "drawn"), zip(*visits, strict=True), strict=True):
                value = Samples((tuple(taken),)).at("p95")
                figures.append(Figure(f"{name} {what}", ground.notes, "p95", "ms", value, limit=_LIMIT, absolute=True))
    return figures


def _visit(page: Any, address: str) -> tuple[float, float]:
    page.goto(address)
    page.locator("[data-drawn]").wait_for(timeout=_PATIENCE)
    painted, drawn = page.evaluate(_MARKS)
    return float(painted), float(drawn)


@contextmanager
def _browser() -> Iterator[Any]:
    if not Path(_CHROMIUM).exists():
        raise Failed(f"there is no browser at {_CHROMIUM} (set CHROMIUM)")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        raise Failed("playwright is not installed") from None
    root = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=_CHROMIUM, args=["--disable-dev-shm-usage", *root])
        try:
            yield browser.new_page(viewport={"width": 1440, "height": 900})
        finally:
            browser.close()
