"""Sync with nothing to do: what it takes itself, beside `git fetch` and `git status` in the same repository."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path
from typing import Any, Final

from benchmarks.ground import Ground
from benchmarks.measuring import Failed, Figure, alternate, compare, timed

_EACH: Final = 8


def measure(ground: Ground) -> list[Figure]:
    """Return how long a sync takes that finds both sides the same; starting its process is a row of its own."""
    brain = _with_remote(ground)
    whole: list[float] = []

    def sync(_number: int) -> list[float]:
        taken = []
        for _again in range(_EACH):
            start = time.perf_counter()
            told = _synced(ground, brain)
            whole.append((time.perf_counter() - start) * 1000)
            taken.append(float(told["ms"]))
            if told["pushed"] or told["pulled"] or told["committed"]:
                raise Failed(f"sync: there was something to do: {told['message']}")
        return taken

    def by_hand(_number: int) -> list[float]:
        return timed(lambda _again: _fetch_and_look(ground, brain), range(_EACH))

    floors, product = alternate({"git": by_hand}, sync, rounds=ground.rounds)
    middle = sorted(whole)[len(whole) // 2]
    return [
        compare("sync", ground.notes, "p50", product, floors["git"], against="git fetch + git status", limit=1.5),
        Figure("sync, its process with it", ground.notes, "p50", "ms", middle, floors["git"].at("p50"), "the same"),
    ]


def _with_remote(ground: Ground) -> Path:
    """Return a copy of the brain that follows a bare repository on this disk."""
    brain = ground.brain.with_name("synced")
    bare = ground.brain.with_name("remote.git")
    for folder in (brain, bare):
        shutil.rmtree(folder, ignore_errors=True)
    ground.git(ground.brain, "clone", "--quiet", "--bare", str(ground.brain), str(bare))
    shutil.copytree(ground.brain, brain)
    ground.git(brain, "remote", "add", "origin", str(bare))
    _synced(ground, brain)
    _synced(ground, brain)
    return brain


def _synced(ground: Ground, brain: Path) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(ground.cabecao("sync", "--json", "--brain", str(brain)))
    if told["status"] != "ok":
        raise Failed(f"sync: {told['message']}")
    return told


def _fetch_and_look(ground: Ground, brain: Path) -> None:
    ground.git(brain, "fetch", "--quiet", "origin")
    ground.git(brain, "status", "--porcelain")
