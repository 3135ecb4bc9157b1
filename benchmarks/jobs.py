"""Jobs: three workers carry 300 each on the embedded broker, left in peace and with one of them killed every second."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any, Final

from benchmarks import carrying
from benchmarks.ground import PROJECT, Ground
from benchmarks.measuring import Failed, Figure

WORKERS: Final = 3
JOBS: Final = WORKERS * 300
_PATIENCE_SECONDS: Final = 600.0
_KILL_SECONDS: Final = 1.0
_SEED: Final = 7


def measure(ground: Ground) -> list[Figure]:
    """Return how long a job takes all in all, and that none is lost and none is run again once it was done."""
    return [*_figures("in peace", *_carried(ground, kill=False)), *_figures("kill -9", *_carried(ground, kill=True))]


def _figures(how: str, told: dict[str, Any], seconds: float, kills: int) -> list[Figure]:
    least = carrying.WORK_SECONDS * 1000 / WORKERS
    of = f"{kills} workers killed, {told['runs']} runs" if kills else "their work alone, on three workers"
    return [
        Figure(f"jobs, {how}", JOBS, "each", "ms", seconds * 1000 / JOBS, least, of),
        Figure(f"jobs, {how}", JOBS, "lost", "", told["lost"] + told["unstarted"], limit=0, absolute=True),
        Figure(f"jobs, {how}", JOBS, "again", "", told["again"], limit=0, absolute=True),
    ]


def _carried(ground: Ground, *, kill: bool) -> tuple[dict[str, Any], float, int]:
    """Let workers carry all jobs; return what became of them, how long it took and how many workers were killed."""
    brain = ground.brain.with_name("jobs")
    shutil.rmtree(brain, ignore_errors=True)
    ground.cabecao("init", str(brain), "--yes", "--name", "bench-jobs")
    _run(ground, brain, "send")
    workers = [_worker(ground, brain) for _ in range(WORKERS)]
    killing = _Killing(ground, brain, workers)
    began = time.monotonic()
    try:
        if kill:
            killing.start()
        while (told := _told(ground, brain))["live"]:
            if time.monotonic() - began > _PATIENCE_SECONDS:
                raise Failed(f"jobs: {told['live']} were not carried in {_PATIENCE_SECONDS:.0f} s")
        seconds = time.monotonic() - began
    finally:
        killing.stop()
        for one in workers:
            one.kill()
            one.wait()
    return told, seconds, killing.kills


class _Killing:
    """Kills a worker every second, chosen by chance, and starts another in its place."""

    def __init__(self, ground: Ground, brain: Path, workers: list[subprocess.Popen[bytes]]) -> None:
        self.kills = 0
        self._ground, self._brain, self._workers = ground, brain, workers
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._kill)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._over.set()
        if self._thread.ident is not None:
            self._thread.join()

    def _kill(self) -> None:
        chance = random.Random(_SEED)
        while not self._over.wait(_KILL_SECONDS):
            place = chance.randrange(WORKERS)
            self._workers[place].kill()
            self._workers[place].wait()
            self._workers[place] = _worker(self._ground, self._brain)
            self.kills += 1


def _worker(ground: Ground, brain: Path) -> subprocess.Popen[bytes]:
    log = (brain / ".cabecao" / "worker.log").open("ab")
    with log:
        return subprocess.Popen(_command(brain, "work"), env=ground.environment, cwd=PROJECT, stdout=log, stderr=log)


def _told(ground: Ground, brain: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(_run(ground, brain, "tell"))
    return found


def _run(ground: Ground, brain: Path, what: str) -> str:
    done = subprocess.run(
        _command(brain, what), env=ground.environment, cwd=PROJECT, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise Failed(f"jobs: {what}: {done.stderr.strip()[-300:]}")
    return done.stdout


def _command(brain: Path, what: str) -> list[str]:
    return [sys.executable, "-m", "benchmarks.carrying", what, "--brain", str(brain), "--jobs", str(JOBS)]
