from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import probes
import pytest
from django.db import connections
from kombu import pools

from brain import config, tasks
from brain.config import Brain
from cabecao_site import bootstrap
from cabecao_site import celery as site

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


@pytest.fixture
def known_probes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this process know the kinds of job that the probes' workers know."""
    monkeypatch.setattr(tasks, "KINDS", dict(tasks.KINDS))
    probes.register()


@pytest.fixture
def ran(tmp_path: Path) -> Callable[[], list[str]]:
    """Return what the probes wrote down, in the order in which it happened."""

    def lines() -> list[str]:
        file = tmp_path / "ran.txt"
        return file.read_text().splitlines() if file.exists() else []

    return lines


@pytest.fixture(params=["embedded", "redis", "amqp"])
def any_broker(request: pytest.FixtureRequest, jobs_brain: Brain, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Let this process and the workers that it starts use a broker, in a queue of the test's own."""
    if request.param == "embedded":
        yield request.param
        return
    url = address_of(request.param)
    queue = f"cabecao-test-{uuid.uuid4().hex}"
    monkeypatch.setenv("CABECAO_BROKER_URL", url)
    monkeypatch.setenv("CABECAO_QUEUE", queue)
    with celery_at(url):
        yield request.param
        with site.app.connection() as connection:
            channel = connection.default_channel
            channel.queue_delete(queue)
            if request.param == "redis":
                channel.client.delete(f"_kombu.binding.{queue}")


def address_of(service: str) -> str:
    """Return where a service is that tests may use; without one the test is skipped, or fails where none may be."""
    name = f"CABECAO_TEST_{service.upper()}_URL"
    if url := os.environ.get(name):
        return url
    usual = {"redis": "redis://127.0.0.1:6379/9", "amqp": "amqp://guest:guest@127.0.0.1:5672//"}[service]
    said = f"{name} names no {service} that tests may use, such as {usual}"
    if os.environ.get("CABECAO_REQUIRE_SERVICES"):
        pytest.fail(f"{said}; CABECAO_REQUIRE_SERVICES says that none is skipped")
    pytest.skip(said)


@contextmanager
def celery_at(url: str) -> Iterator[None]:
    """Let this process's Celery send to another broker."""

    def use(address: str) -> None:
        pools.reset()
        site.app._pool = site.app.amqp._producer_pool = None
        site.app.conf.broker_url = site.app.conf.broker_read_url = site.app.conf.broker_write_url = address

    before = site.app.conf.broker_url
    use(url)
    try:
        yield
    finally:
        use(before)
