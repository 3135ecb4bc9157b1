"""The command line: what a person waits for before anything is done."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Final

from benchmarks.ground import Ground
from benchmarks.measuring import Figure, Samples, alternate, compare, timed

_EACH: Final = 3
_HELP_MS: Final = 150.0
_SETUP: Final = (
    "from django.conf import settings; settings.configure(INSTALLED_APPS=['django.contrib.contenttypes', "
    "'django.contrib.auth']); import django; django.setup()"
)


def measure(ground: Ground) -> list[Figure]:
    """Return `cabecao --help` and `cabecao search` beside a process that sets up a small Django."""
    helping, helped = _beside_setup(ground, lambda _query: ground.cabecao("--help"))
    searching, searched = _beside_setup(ground, lambda query: _search(ground, query))
    against, help_name, search_name = "django.setup()", "cabecao --help", "cabecao search"
    return [
        compare(help_name, ground.notes, "p50", helping, helped, against=against, limit=_HELP_MS, absolute=True),
        compare(search_name, ground.notes, "p50", searching, searched, against=against, limit=1.3),
    ]


def _search(ground: Ground, query: str) -> str:
    return ground.cabecao("--brain", str(ground.brain), "search", query)


def _beside_setup(ground: Ground, command: Callable[[str], str]) -> tuple[Samples, Samples]:
    def product(_number: int) -> list[float]:
        return timed(command, ground.corpus.queries[:_EACH])

    def floor(_number: int) -> list[float]:
        return timed(lambda _: ground.run(sys.executable, "-P", "-c", _SETUP), range(_EACH))

    product(0)
    floor(0)
    floors, own = alternate({"setup": floor}, product, rounds=ground.rounds)
    return own, floors["setup"]
