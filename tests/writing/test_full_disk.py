"""A small disk that is really full."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.db import connections

from brain import language
from brain.errors import BrainError
from brain.index import database
from brain.services import adopting, workplace

NOTE = "wiki/concepts/Fila.md"
LONG = "palavra " * 4000


@pytest.fixture
def small_disk(tmp_path: Path):
    """A file system of 8 MB."""
    place = tmp_path / "disk"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(place)]
    if not hasattr(os, "geteuid") or os.geteuid() != 0 or not shutil.which("mount"):
        pytest.skip("only root can mount a small disk")
    if subprocess.run(command, capture_output=True, check=False).returncode != 0:
        pytest.skip("no file system can be mounted here")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


@pytest.fixture
def cramped(scribe, small_disk, move_to):
    """The scribe of a brain on that disk."""
    root = small_disk / "brain"
    subprocess.run(["git", "clone", "--quiet", "--template=", str(scribe.root), str(root)], check=True)
    beside = move_to(root)
    (root / ".gitignore").write_text(".cabecao/\nindex.md\n")
    yield beside
    workplace.close()


def fill(disk: Path, free: int) -> Path:
    """Leave so many bytes free."""
    filler = disk / "filler"
    about = os.statvfs(disk)
    with filler.open("wb") as stream:
        stream.write(b"x" * max(0, about.f_bavail * about.f_frsize - free))
    return filler


def writes(scribe: Any, number: int) -> list[Any]:
    return [
        lambda: scribe.append(NOTE, f"Linha {number}. {LONG}"),
        lambda: scribe.create(f"wiki/concepts/Nova {number}.md", LONG),
        lambda: scribe.call("remember", content=f"Cuidado {number}.", type="gotcha"),
    ]


@pytest.mark.parametrize("free", [0, 4, 16, 64, 128, 256])
def test_a_write_on_a_full_disk_leaves_the_old_note_or_makes_the_new_one(cramped, small_disk, free):
    cramped.append(NOTE, "Primeira.")
    for number in range(3):
        for write in writes(cramped, number):
            before, head = cramped.text(), cramped.head()
            filler = fill(small_disk, free * 1024)
            error = None
            try:
                write()
            except BrainError as raised:
                error = raised
            filler.unlink()
            if error is not None:
                assert error.message == "There is no room left on the disk. Nothing was changed."
                assert error.next_step
                assert (cramped.text(), cramped.head()) == (before, head), error.message
            cramped.append(NOTE, f"Depois {free} {number}.")
            assert f"Depois {free} {number}." in cramped.committed()
            cramped.assert_whole()


def test_a_process_that_begins_on_a_full_disk_says_so_and_goes_on_when_there_is_room(cramped, small_disk):
    cramped.append(NOTE, "Antes.")
    database.close()
    connections.close_all()
    filler = fill(small_disk, 0)
    for arguments in (["status"], ["search", "fila"], ["recall", "tarefa"], ["undo"], ["lint"]):
        command = [sys.executable, "-m", "cabecao_site.cli", "--json", "--brain", str(cramped.root), *arguments]
        said = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        told = json.loads(said.stdout)
        if arguments == ["status"]:
            assert not told["healthy"]
            assert "espaço no disco" in " ".join(told["problems"])
        else:
            assert told["error"]["code"] == "disk_full", said.stdout + said.stderr
    command = [sys.executable, "-m", "cabecao_site.cli", "--brain", str(cramped.root), "doctor"]
    said = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert "danificado" not in said.stdout
    filler.unlink()
    cramped.append(NOTE, "Depois.")
    cramped.assert_whole()


@pytest.mark.parametrize("free", [0, 4, 16, 32, 64, 128, 256])
@pytest.mark.parametrize("kind", ["mine", "none", "repository"])
def test_a_brain_that_cannot_be_made_leaves_the_folder_as_it_was(small_disk, free, kind, own_home):
    root = small_disk / "notas"
    if kind != "none":
        root.mkdir()
        (root / "Minha.md").write_bytes(os.urandom(300_000).hex().encode())
    if kind == "repository":
        subprocess.run(["git", "init", "--quiet", "--initial-branch=main", "--template=", str(root)], check=True)
        subprocess.run(["git", "-C", str(root), "commit", "--quiet", "--allow-empty", "-m", "Meu"], check=True)
    before = _all_of(small_disk)
    filler = fill(small_disk, free * 1024)
    error = None
    try:
        with language.activate("en"):
            adopting.init(root, example=kind == "none")
    except BrainError as raised:
        error = raised
    filler.unlink()

    if error is not None:
        assert error.message == "There is no room left on the disk. Nothing was changed."
        assert error.next_step
        assert _all_of(small_disk) == before
    assert error is not None or free > 64
    adopting.init(root)
    assert subprocess.run(["git", "-C", str(root), "fsck"], capture_output=True, check=False).returncode == 0


def test_a_brain_that_was_made_before_the_disk_was_full_is_told_to_be_one(small_disk, own_home):
    filler = fill(small_disk, 400 * 1024)
    root = small_disk / "notas"
    command = [sys.executable, "-m", "cabecao_site.cli", "--json", "init", str(root)]
    said = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    filler.unlink()

    error = json.loads(said.stdout)["error"]
    assert error["code"] == "disk_full"
    assert "já é um cérebro" in error["message"]
    assert "Nada foi alterado" not in error["message"]
    status = [sys.executable, "-m", "cabecao_site.cli", "--brain", str(root), "status"]
    assert subprocess.run(status, capture_output=True, timeout=60, check=False).returncode == 0


def _all_of(folder: Path) -> dict[str, bytes | None]:
    """Return what a folder holds, what Git keeps of objects that nothing names left out."""
    found = {one.relative_to(folder).as_posix(): one for one in folder.rglob("*")}
    return {
        name: one.read_bytes() if one.is_file() else None
        for name, one in found.items()
        if ".git/objects" not in name and name != "filler"
    }
