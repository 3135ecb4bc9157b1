"""A worker with kinds of job that only tests know; each writes down that it ran."""

from __future__ import annotations

import os
import sys
import time
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[2]))

if TYPE_CHECKING:
    from brain.jobs.progress import Progress

QUICK = tuple(f"quick-{number}" for number in range(60))
FOLDER = Path(os.environ.get("PROBE_DIR", "."))


def note(line: str) -> None:
    descriptor = os.open(FOLDER / "ran.txt", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.write(descriptor, f"{line}\n".encode())
    os.close(descriptor)


def quick(kind: str) -> object:
    def work(report: Progress) -> None:
        time.sleep(0.02)
        note(kind)

    return work


def gated(report: Progress) -> None:
    """Run until the gate is open, reporting progress; done only then."""
    note("gated started")
    done = 0
    while not (FOLDER / "gate").exists():
        done = min(done + 1, 900)
        report.advance(done, 1000, "waiting")
        time.sleep(0.01)
    note("gated finished")


def deadly(report: Progress) -> None:
    note("deadly started")
    os.abort()


def broken(report: Progress) -> None:
    report.say("about to fail")
    raise RuntimeError("no luck")


def register() -> None:
    from brain import tasks

    works = {"gated": gated, "deadly": deadly, "broken": broken} | {kind: quick(kind) for kind in QUICK}
    if os.environ.get("PROBE_TICKS"):
        tasks.KINDS["ticking"] = tasks.Kind("ticking", quick("tick"), every=timedelta(seconds=1))
    tasks.KINDS.update({kind: tasks.Kind(kind, work) for kind, work in works.items()})


if __name__ == "__main__":
    from cabecao_site import bootstrap, worker

    prepare = bootstrap.prepare_records

    def prepare_and_register() -> None:
        prepare()
        register()

    bootstrap.prepare_records = prepare_and_register
    sys.exit(worker.main())
