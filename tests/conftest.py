"""A home and a brain of its own for each test: nothing of the developer's is read, nothing of it is touched."""

from __future__ import annotations

import json
import signal
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.db import connections
from hypothesis import HealthCheck, settings

from brain import config, language
from cabecao_site import bootstrap

if (
    signal.getsignal(signal.SIGINT) is signal.SIG_IGN
):  # as for a job of a shell's background: our children would inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)

# How long an example takes says how busy the machine is.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")


@pytest.fixture(autouse=True)
def own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of the test's own, empty but for Git's identity, and no word in the environment about any brain."""
    home = tmp_path_factory.mktemp("home")
    git_config = home / "gitconfig"
    git_config.write_text(
        "[user]\n\tname = Ana\n\temail = ana@example.org\n[init]\n\tdefaultBranch = main\n[gc]\n\tauto = 0\n"
    )
    monkeypatch.setenv("HOME", str(home))
    for name in ("CONFIG", "CACHE", "DATA", "STATE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(home / name.lower()))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(git_config))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    for name in ("CABECAO_BRAIN", "CABECAO_LANG", "CABECAO_WATCH", "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        monkeypatch.delenv(name, raising=False)
    return home


@dataclass(frozen=True)
class TestBrain:
    """A folder of notes that is a repository and this process's brain."""

    __test__ = False
    root: Path

    @property
    def here(self) -> config.Brain:
        return config.here()

    def write(self, path: str, text: str | bytes) -> Path:
        """Write a file as an editor would, folders made where they are missing."""
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text.encode() if isinstance(text, str) else text)
        return place

    def note(self, path: str, body: str, **frontmatter: object) -> Path:
        """Write a note; the values of its frontmatter are written as JSON, which is YAML too."""
        lines = [f"{key}: {json.dumps(value, ensure_ascii=False)}\n" for key, value in frontmatter.items()]
        return self.write(path, f"---\n{''.join(lines)}---\n\n{body}\n" if lines else f"{body}\n")

    def text(self, path: str) -> str:
        return (self.root / path).read_text(encoding="utf-8")

    def git(self, *arguments: str) -> str:
        done = subprocess.run(["git", *arguments], cwd=self.root, check=True, capture_output=True)
        return done.stdout.decode()

    def commit(self, message: str = "Notes") -> str:
        """Commit everything as the person and return the commit."""
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)
        return self.git("rev-parse", "HEAD").strip()


@pytest.fixture
def brain(tmp_path: Path, own_home: Path, django_db_blocker: object) -> Iterator[TestBrain]:
    """An empty brain, its databases in its own machine folder; whatever was opened in it is closed at the end."""
    from brain.index import refresh

    root = tmp_path / "brain"
    root.mkdir()
    subprocess.run(["git", "init", "--quiet", "--initial-branch=main", str(root)], check=True)
    (root / ".cabecao.json").write_text(json.dumps({"schema_version": 1}))
    (root / ".gitignore").write_text(".cabecao/\nindex.md\n")
    names = {alias: connections.settings[alias]["NAME"] for alias in connections.settings}
    with django_db_blocker.unblock():  # type: ignore[attr-defined]
        connections.close_all()
        bootstrap.point_at(config.enter(root))
        with language.activate("en"):
            yield TestBrain(config.here().root)
        refresh.stop()
        connections.close_all()
        config.leave()
    for alias, name in names.items():
        connections.settings[alias]["NAME"] = name


@pytest.fixture(autouse=True)
def _interrupts_as_before():
    """Put the answer to Ctrl+C back: a command that is interrupted in this process leaves it ignored for all children."""
    before = signal.getsignal(signal.SIGINT)
    yield
    if signal.getsignal(signal.SIGINT) is not before and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, before)
