"""sync over HTTP: a real Git server behind the standard library's, open or behind a password."""

from __future__ import annotations

import base64
import os
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from brain.caller import Caller, Kind, Surface
from brain.services.syncing import running

PERSON = Caller(Kind.HUMAN, "cli", Surface.CLI)
NOTE = "wiki/concepts/Fila.md"
EXEC = Path(subprocess.run(["git", "--exec-path"], capture_output=True, check=True).stdout.decode().strip())
pytestmark = pytest.mark.skipif(not (EXEC / "git-http-backend").exists(), reason="this Git has no git-http-backend")


class _Server(ThreadingHTTPServer):
    """Repositories of a folder; `password` is what a client must give, nothing where all may in."""

    folder: Path
    password = ""


class _Git(BaseHTTPRequestHandler):
    """Hand each request to git http-backend, as a web server does."""

    server: _Server

    def do_GET(self) -> None:
        wanted = "Basic " + base64.b64encode(f"ana:{self.server.password}".encode()).decode()
        if self.server.password and self.headers.get("Authorization") != wanted:
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="notas"')
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        path, _sign, query = self.path.partition("?")
        environment = {
            **os.environ,
            "GIT_PROJECT_ROOT": str(self.server.folder),
            "GIT_HTTP_EXPORT_ALL": "1",
            "REMOTE_USER": "ana",
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "REQUEST_METHOD": self.command,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
        }
        given = self._body()
        environment["CONTENT_LENGTH"] = str(len(given))
        ran = subprocess.run([EXEC / "git-http-backend"], input=given, env=environment, capture_output=True, check=True)
        head, _gap, body = ran.stdout.partition(b"\r\n\r\n")
        lines = [line.partition(": ") for line in head.decode().split("\r\n")]
        status = next((value for name, _colon, value in lines if name == "Status"), "200")
        self.send_response(int(status.split()[0]))
        for name, _colon, value in lines:
            if name not in ("Status", ""):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_GET  # noqa: N815 (the name that the server calls)

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        found = b""
        while size := int(self.rfile.readline(), 16):
            found += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return found

    def log_message(self, *_arguments: object) -> None:
        """Say nothing."""


@pytest.fixture
def server(tmp_path):
    with _Server(("127.0.0.1", 0), _Git) as running_server:
        running_server.folder = tmp_path / "servidor"
        bare = running_server.folder / "notas.git"
        subprocess.run(["git", "init", "-q", "--bare", "--initial-branch=main", str(bare)], check=True)
        subprocess.run(["git", "config", "http.receivepack", "true"], cwd=bare, check=True)
        threading.Thread(target=running_server.serve_forever).start()
        yield running_server
        running_server.shutdown()


@pytest.fixture
def pair(ready, server, tmp_path):
    """The brain with all of it on the server, and what runs Git in a clone on another machine."""
    ready.note(NOTE, "Dez por vez.\n\nFim.", type="concept", title="Fila")
    ready.commit()
    ready.git("remote", "add", "origin", f"http://127.0.0.1:{server.server_port}/notas.git")
    assert running.run(PERSON).integration == "published"
    other = tmp_path / "outra"
    subprocess.run(["git", "clone", "-q", str(server.folder / "notas.git"), str(other)], check=True)

    def git(*arguments: str) -> None:
        subprocess.run(["git", *arguments], cwd=other, check=True, capture_output=True)

    return ready, git, other


def test_what_both_sides_wrote_comes_together(pair):
    brain, git, other = pair
    (other / NOTE).write_text((other / NOTE).read_text().replace("Fim.", "Fim, lá."))
    git("commit", "-qam", "Lá")
    git("push", "-q")
    brain.note("wiki/concepts/Lote.md", "Daqui.", type="concept")
    found = running.run(PERSON)
    assert (found.status, found.integration, found.conflicts) == ("ok", "merge", [])
    git("pull", "-q")
    assert (other / "wiki/concepts/Lote.md").exists()
    assert "Fim, lá." in brain.text(NOTE)


def test_a_password_that_is_asked_for_and_not_there_is_told_and_nobody_waits(pair, server):
    server.password = "senha-inventada"
    found = running.run(PERSON)
    assert (found.status, found.reason) == ("error", "auth")


def test_a_password_that_git_knows_lets_in_and_is_shown_nowhere(pair, server, tmp_path):
    brain, _git, _other = pair
    server.password = "senha-inventada"
    store = tmp_path / "credenciais"
    store.write_text(f"http://ana:{server.password}@127.0.0.1:{server.server_port}\n")
    brain.git("config", "credential.helper", f"store --file={store}")
    brain.note("wiki/concepts/Lote.md", "Daqui.", type="concept")
    found = running.run(PERSON)
    assert (found.status, found.pushed) == ("ok", 1)
    assert server.password not in found.model_dump_json()


def test_a_rewritten_remote_is_told(pair):
    brain, git, _other = pair
    git("commit", "-q", "--amend", "-m", "Reescrito")
    git("push", "-qf")
    before = brain.git("rev-parse", "HEAD")
    assert running.run(PERSON).reason == "force_pushed"
    assert brain.git("rev-parse", "HEAD") == before


def test_another_history_is_told(pair):
    brain, git, _other = pair
    git("checkout", "-q", "--orphan", "outro")
    git("commit", "-qm", "Outra história")
    git("push", "-qf", "origin", "outro:main")
    brain.git("update-ref", "-d", "refs/remotes/origin/main")
    assert running.run(PERSON).reason == "unrelated"


def test_a_branch_or_a_repository_that_is_gone_is_told(pair, server):
    brain, git, _other = pair
    git("push", "-q", "origin", "HEAD:refs/heads/outro")
    subprocess.run(["git", "update-ref", "-d", "refs/heads/main"], cwd=server.folder / "notas.git", check=True)
    assert running.run(PERSON).reason == "branch_missing"
    brain.git("remote", "set-url", "origin", f"http://127.0.0.1:{server.server_port}/sumiu.git")
    assert running.run(PERSON).reason == "remote_missing"


def test_a_shallow_copy_that_cannot_be_compared_is_told(pair):
    brain, git, other = pair
    brain.note("wiki/concepts/Lote.md", "Daqui.", type="concept")
    assert running.run(PERSON).status == "ok"
    (other / "a.md").write_text("Mais.\n")
    git("add", "-A")
    git("commit", "-qm", "Lá")
    git("push", "-q", "--force")
    (brain.root / ".git/shallow").write_text(brain.git("rev-parse", "HEAD"))
    brain.git("update-ref", "-d", "refs/remotes/origin/main")
    assert running.run(PERSON).reason == "shallow"
