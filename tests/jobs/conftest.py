from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.db import connections

from brain import config
from brain.config import Brain
from cabecao_site import bootstrap

PROBES = Path(__file__).with_name("probes.py")


@pytest.fixture
def jobs_brain(tmp_path: Path, django_db_blocker: object) -> Iterator[Brain]:
    """A brain folder of its own whose records exist; this process works on it."""
    root = tmp_path / "brain"
    root.mkdir()
    (root / ".cabecao.json").write_text(json.dumps({"schema_version": 1}))
    names = {alias: connections.settings[alias]["NAME"] for alias in connections.settings}
    with django_db_blocker.unblock():  # type: ignore[attr-defined]
        connections.close_all()
        brain = config.enter(root)
        bootstrap.point_at(brain)
        bootstrap.prepare_records()
        yield brain
        connections.close_all()
        config.leave()
    for alias, name in names.items():
        connections.settings[alias]["NAME"] = name


@pytest.fixture
def start_worker(jobs_brain: Brain, tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Start worker processes that know the probes; whatever is left at the end is killed."""
    started: list[subprocess.Popen[bytes]] = []

    def start(*options: str, parent: int | None = None) -> subprocess.Popen[bytes]:
        command = [sys.executable, str(PROBES), "--brain", str(jobs_brain.root), "--parent", str(parent or os.getpid())]
        environment = {**os.environ, "CABECAO_PROCESS": "lean", "PROBE_DIR": str(tmp_path)}
        started.append(subprocess.Popen([*command, *options], env=environment))
        return started[-1]

    yield start
    for process in started:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
        process.wait()


@pytest.fixture
def wait_for() -> Callable[[Callable[[], bool]], None]:
    def wait(true: Callable[[], bool], seconds: float = 60) -> None:
        deadline = time.monotonic() + seconds
        while not true():
            assert time.monotonic() < deadline, "it did not happen"
            time.sleep(0.05)

    return wait
