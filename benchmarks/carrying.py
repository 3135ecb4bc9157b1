"""The processes of the measure of jobs: `python -m benchmarks.carrying work|send|tell --brain DIR --jobs N`.

Each job writes a line when it starts, so that what ran is known from the file and from the rows.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from brain.jobs.progress import Progress

WORK_SECONDS = 0.02
_FILE = "ran.txt"


def kinds(count: int) -> list[str]:
    """Return the kinds of the jobs: one of a kind lives at a time, so each has its own."""
    return [f"bench-{number}" for number in range(count)]


def _register(brain: Path, count: int) -> None:
    from brain import tasks

    def row(kind: str) -> tasks.Kind:
        def work(_report: Progress) -> None:
            descriptor = os.open(brain / ".cabecao" / _FILE, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
            os.write(descriptor, f"{kind} {time.time()}\n".encode())
            os.close(descriptor)
            time.sleep(WORK_SECONDS)

        return tasks.Kind(kind, work)

    tasks.KINDS.update({kind: row(kind) for kind in kinds(count)})


def _work(given: argparse.Namespace) -> int:
    from cabecao_site import bootstrap, worker

    prepare = bootstrap.prepare_records

    def prepare_and_register() -> None:
        prepare()
        _register(given.brain, given.jobs)

    bootstrap.prepare_records = prepare_and_register
    return worker.main(["--brain", str(given.brain), "--parent", str(os.getppid())])


def _send(given: argparse.Namespace) -> int:
    _enter(given)
    from brain import tasks

    for kind in kinds(given.jobs):
        tasks.enqueue(kind, "benchmark")
    return 0


def _tell(given: argparse.Namespace) -> int:
    """Print how many jobs there are of each state, were started, and were started once more after they were done."""
    _enter(given)
    from brain.jobs.models import Job, State

    rows = {job.kind: job for job in Job.objects.filter(kind__startswith="bench-")}
    started: dict[str, list[float]] = {}
    file = given.brain / ".cabecao" / _FILE
    for line in file.read_text().splitlines() if file.exists() else ():
        kind, moment = line.split()
        started.setdefault(kind, []).append(float(moment))
    done = {kind: job for kind, job in rows.items() if job.state == State.DONE}
    again = [kind for kind, job in done.items() if max(started.get(kind, [0.0])) > job.finished_at.timestamp()]
    told = {
        "states": dict(Counter(job.state for job in rows.values())),
        "live": sum(not job.ended for job in rows.values()),
        "lost": given.jobs - len(done),
        "unstarted": sum(kind not in started for kind in done),
        "again": len(again),
        "runs": sum(map(len, started.values())),
    }
    sys.stdout.write(json.dumps(told) + "\n")
    return 0


def _enter(given: argparse.Namespace) -> None:
    from cabecao_site import bootstrap

    bootstrap.start(given.brain)
    bootstrap.prepare_records()
    _register(given.brain, given.jobs)


def main() -> int:
    """Do what the command line names."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.carrying")
    parser.add_argument("what", choices=("work", "send", "tell"))
    parser.add_argument("--brain", type=Path, required=True)
    parser.add_argument("--jobs", type=int, required=True)
    given = parser.parse_args()
    return {"work": _work, "send": _send, "tell": _tell}[given.what](given)


if __name__ == "__main__":
    sys.exit(main())
