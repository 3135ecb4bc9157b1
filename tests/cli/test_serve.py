from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from functools import partial
from pathlib import Path

import psutil
import pytest
from command_line import AT_TERMINAL, CommandLine

from brain.config import Brain
from brain.errors import Locked
from cabecao_site import running, serve, supervisor

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
LINK = re.compile(r"http://(cabecao\.localhost|127\.0\.0\.1):(\d+)/enter\?c=([\w-]{20,})")


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def wait_until(true: Callable[[], object], seconds: float = 40) -> None:
    ends = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < ends, "it did not happen"
        time.sleep(0.05)


def alive(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def command_of(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.NoSuchProcess:  # a child of a moment, such as Git
        return []


class Serving:
    """A server that runs in the background of a test."""

    def __init__(self, cli: CommandLine, root: Path, *words: str, person: bool, command: str = "serve") -> None:
        self.cli, self.root, self.port = cli, root, free_port()
        self.shown = cli.home / f"shown-{self.port}"
        report = cli.home / f"serve-{self.port}"
        line = cli.command("--brain", str(root), command, "--no-browser", *(words or ("--port", str(self.port))))
        line = [sys.executable, str(AT_TERMINAL), str(report), "120", *line] if person else line
        with self.shown.open("wb") as stream:
            self.process = subprocess.Popen(
                line, stdin=subprocess.DEVNULL, stdout=stream, stderr=stream, env=cli.environment(), cwd=cli.home,
                start_new_session=True,
            )  # fmt: skip
        wait_until(lambda: self.recorded is not None)
        self.port = self.recorded["port"]
        self.pid = self.recorded["pid"]

    @property
    def recorded(self):
        try:
            return json.loads((self.root / ".cabecao" / "server.json").read_text())
        except FileNotFoundError:
            return None

    @property
    def text(self) -> str:
        return self.shown.read_text()

    @property
    def worker(self) -> int | None:
        children = psutil.Process(self.pid).children() if alive(self.pid) else []
        return next((one.pid for one in children if "cabecao_site.worker" in command_of(one)), None)

    def status_of(self, path: str) -> int:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        with closing(connection):
            connection.request("GET", path)
            return connection.getresponse().status

    def end(self) -> None:
        for pid in (self.pid, self.worker):
            if pid and alive(pid):
                os.kill(pid, signal.SIGKILL)
        self.process.wait(20)


@pytest.fixture
def serving(cli: CommandLine, made_brain: Path) -> Iterator[Callable[..., Serving]]:
    started: list[Serving] = []

    def start(*words: str, person: bool = True, command: str = "serve") -> Serving:
        started.append(Serving(cli, made_brain, *words, person=person, command=command))
        return started[-1]

    yield start
    for one in started:
        one.end()


@pytest.mark.slow
def test_serve_shows_a_person_a_link_under_both_names_and_ends_with_its_worker(serving):
    server = serving()
    wait_until(lambda: len(LINK.findall(server.text)) == 2)
    (first, second) = LINK.findall(server.text)
    assert [first[0], second[0]] == ["cabecao.localhost", "127.0.0.1"]
    assert first[1:] == second[1:]
    assert server.status_of(f"/enter?c={first[2]}") in (302, 303)
    wait_until(lambda: server.worker)
    worker = server.worker
    os.kill(server.pid, signal.SIGTERM)
    wait_until(lambda: not alive(server.pid) and not alive(worker))
    assert server.recorded is None
    assert "Traceback" not in server.text


@pytest.mark.slow
def test_ctrl_c_ends_a_server_cleanly(serving):
    server = serving(person=False)
    wait_until(lambda: server.worker)
    os.kill(server.process.pid, signal.SIGINT)
    assert server.process.wait(30) == 0
    assert server.recorded is None
    assert "Traceback" not in server.text


def left_none(pid: int, root: Path) -> bool:
    """Tell whether nothing runs of a server any more: neither it nor a worker of its brain."""
    commands = [command_of(one) for one in psutil.process_iter() if one.pid == pid or str(root) in command_of(one)]
    return not any("-m" in one for one in commands)


@pytest.mark.slow
@pytest.mark.parametrize("again", [None, 0.3])
def test_ctrl_c_at_any_moment_leaves_nothing_behind(cli, made_brain, tmp_path, again):
    for tenths in (3, 5, 7, 9, 11, 14, 17, 20, 25, 32):
        line = cli.command("--brain", str(made_brain), "serve", "--no-browser", "--port", str(free_port()))
        shown = tmp_path / f"shown-{tenths}"
        with shown.open("wb") as stream:
            process = subprocess.Popen(
                line, stdin=subprocess.DEVNULL, stdout=stream, stderr=stream, env=cli.environment(), cwd=cli.home,
                start_new_session=True,
            )  # fmt: skip
        time.sleep(tenths / 10)
        os.killpg(process.pid, signal.SIGINT)
        if again is not None:
            time.sleep(again)
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGINT)
        assert process.wait(40) in (0, 130), (tenths, shown.read_text())
        assert "Traceback" not in shown.read_text(), tenths
        assert not (made_brain / ".cabecao" / "server.json").exists(), tenths
        wait_until(partial(left_none, process.pid, made_brain))


@pytest.mark.slow
def test_a_worker_is_started_again_and_ends_when_its_server_is_killed(serving):
    server = serving(person=False)
    wait_until(lambda: server.worker)
    first = server.worker
    os.kill(first, signal.SIGKILL)
    wait_until(lambda: server.worker not in (None, first))
    second = server.worker
    os.kill(server.pid, signal.SIGKILL)
    wait_until(lambda: not alive(second))


@pytest.mark.slow
def test_a_script_gets_no_link_and_a_taken_port_disturbs_nobody(serving, cli, made_brain):
    server = serving(person=False)
    wait_until(lambda: "cabecao open" in server.text)
    assert LINK.search(server.text) is None
    ended = cli.run("--brain", str(made_brain), "serve", "--port", str(server.port), "--json")
    assert ended.code == 1
    assert str(server.port) in json.loads(ended.out)["error"]["message"]
    assert server.status_of("/") in (200, 302, 403)
    assert server.recorded["pid"] == server.pid


@pytest.mark.slow
def test_open_gives_another_link_and_a_second_start_finds_the_server(serving, cli, made_brain):
    server = serving()
    opened = cli.run("--brain", str(made_brain), "open", "--no-browser", person=True)
    again = cli.run("--brain", str(made_brain), "start", "--no-browser", person=True)
    links = {LINK.search(text)[3] for text in (server.text, opened.out, again.out)}
    assert (opened.code, again.code) == (0, 0)
    assert len(links) == 3
    assert server.recorded["pid"] == server.pid


@pytest.mark.slow
def test_start_takes_another_port_and_says_so(serving):
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            taken.bind(("127.0.0.1", serve.PORT))
            taken.listen()
        except OSError:
            pass  # another program of this machine has it: just as good
        server = serving("--quiet", person=False, command="start")
        assert server.port != serve.PORT


@pytest.mark.slow
def test_a_detached_start_answers_and_leaves_a_server_behind(cli, made_brain):
    ended = cli.run("--brain", str(made_brain), "start", "--detach", "--json", "--port", str(free_port()))
    assert ended.code == 0, ended.err
    found = json.loads((made_brain / ".cabecao" / "server.json").read_text())
    try:
        assert json.loads(ended.out)["port"] == found["port"]
        assert alive(found["pid"])
    finally:
        os.kill(found["pid"], signal.SIGTERM)
        wait_until(lambda: not alive(found["pid"]))


def test_the_first_start_on_a_taken_port_makes_no_brain(cli):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        ended = cli.run("start", "--json", "--port", str(taken.getsockname()[1]))
    assert ended.code == 1
    assert json.loads(ended.out)["error"]["code"] == "locked"
    assert not (cli.home / "cabecao").exists()


@pytest.mark.slow
def test_the_first_start_makes_the_example_brain(cli):
    port = free_port()
    ended = cli.run("start", "--detach", "--json", "--port", str(port))
    assert ended.code == 0, ended.err
    root = cli.home / "cabecao"
    found = json.loads((root / ".cabecao" / "server.json").read_text())
    os.kill(found["pid"], signal.SIGTERM)
    wait_until(lambda: not alive(found["pid"]))
    assert len(list(root.rglob("*.md"))) >= 40
    assert json.loads(cli.run("brains", "--json").out)["brains"][0]["path"] == str(root)


def test_a_socket_listens_on_this_machine_alone_and_keeps_its_port_to_itself():
    with serve.listen(0) as first:
        assert first.getsockname()[0] == "127.0.0.1"
        with pytest.raises(Locked):
            serve.listen(serve.port_of(first))
        with serve.listen_near(serve.port_of(first)) as second:
            assert serve.port_of(second) not in (0, serve.port_of(first))


@pytest.mark.parametrize("port", [-1, 70_000])
def test_a_number_that_is_no_port_is_refused(port):
    with pytest.raises(Locked):
        serve.listen(port)


def test_the_note_of_a_dead_or_other_process_names_no_server(tmp_path):
    brain = Brain(tmp_path)
    brain.machine.mkdir()
    file = brain.machine / "server.json"
    assert running.find(brain) is None
    running.write(brain, 4321)
    assert running.find(brain).port == 4321
    written = json.loads(file.read_text())
    for text in ("", "[]", json.dumps({**written, "process": "x/1/2"}), json.dumps({**written, "pid": "x"})):
        file.write_text(text)
        assert running.find(brain) is None
        running.remove(brain)
        assert file.exists()
    running.write(brain, 4321)
    running.remove(brain)
    assert not file.exists()


def supervised(tmp_path: Path, code: str) -> supervisor.Supervisor:
    return supervisor.Supervisor([sys.executable, "-c", code], tmp_path / "logs" / "worker.log")


def test_a_child_that_always_dies_is_started_a_few_times_and_then_waited_for(tmp_path):
    child = supervised(tmp_path, "print('dead', flush=True)")
    child.start()
    log = tmp_path / "logs" / "worker.log"
    wait_until(lambda: log.exists() and log.read_text().count("dead") == supervisor.MOST_STARTS)
    time.sleep(0.3)
    assert log.read_text().count("dead") == supervisor.MOST_STARTS
    child.stop()


def test_a_child_that_will_not_end_is_killed(tmp_path, monkeypatch):
    monkeypatch.setattr(supervisor, "GRACE_SECONDS", 0.2)
    child = supervised(
        tmp_path, "import signal, time; signal.signal(15, signal.SIG_IGN); print('up', flush=True); time.sleep(60)"
    )
    child.start()
    log = tmp_path / "logs" / "worker.log"
    wait_until(lambda: log.exists() and "up" in log.read_text())
    pid = child.pid
    child.stop()
    assert not alive(pid)
    assert child.pid is None


def test_a_long_log_makes_room_for_a_new_one(tmp_path):
    log = tmp_path / "logs" / "worker.log"
    log.parent.mkdir()
    log.write_bytes(b"x" * 1_000_001)
    child = supervised(tmp_path, "print('fresh', flush=True)")
    child.start()
    wait_until(lambda: log.with_suffix(".log.1").exists() and log.exists() and "fresh" in log.read_text())
    child.stop()
    assert log.with_suffix(".log.1").stat().st_size == 1_000_001
