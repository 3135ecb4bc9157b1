"""The working tree, touched safely: links are never followed, files are replaced whole, names have one spelling."""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import stat
import threading
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest

from brain import language
from brain.errors import BrainError, Conflict, DiskFull, GitFailed, InvalidPath, UnsafePath
from brain.store import files
from brain.store.placing import Placement

PATH = "wiki/concepts/Fila.md"
NFD = unicodedata.normalize("NFD", "Configuração.md")
NFC = unicodedata.normalize("NFC", NFD)
Touch = Callable[[Path, str], object]


def read(root: Path, path: str) -> object:
    return files.read(root, path)


def write(root: Path, path: str) -> object:
    return files.write(root, path, b"ours")


def remove(root: Path, path: str) -> object:
    return files.remove(root, path)


def keep_aside(root: Path, path: str) -> object:
    return files.keep_aside(root, path)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "brain"
    (folder / "wiki" / "concepts").mkdir(parents=True)
    (folder / PATH).write_bytes(b"before")
    return folder


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "Fila.md").write_bytes(b"theirs")
    return folder


@pytest.fixture(params=["absolute", "relative"])
def calls(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The way of a system with relative calls, and that of one without."""
    if request.param == "absolute":
        monkeypatch.setattr(files, "_RELATIVE", False)
    return str(request.param)


def names(folder: Path) -> list[str]:
    return sorted(one.name for one in folder.iterdir())


def aside(root: Path) -> list[Path]:
    return list((root / ".cabecao" / "tmp").glob("*"))


@pytest.mark.parametrize("touch", [read, write, remove])
def test_a_folder_that_is_a_link_is_refused(root, outside, calls, touch):
    (root / "wiki" / "fuga").symlink_to(outside)
    with pytest.raises(UnsafePath):
        touch(root, "wiki/fuga/Fila.md")
    assert (outside / "Fila.md").read_bytes() == b"theirs"
    assert names(outside) == ["Fila.md"]


@pytest.mark.parametrize("touch", [read, remove])
def test_a_file_that_is_a_link_is_neither_read_nor_its_target_removed(root, outside, touch):
    (root / "s.md").symlink_to(outside / "Fila.md")
    if touch is read:
        with pytest.raises(UnsafePath):
            touch(root, "s.md")
    else:
        touch(root, "s.md")
    assert (outside / "Fila.md").read_bytes() == b"theirs"


def test_a_write_replaces_a_link_and_never_follows_it(root, outside):
    (root / "s.md").symlink_to(outside / "Fila.md")
    files.write(root, "s.md", b"ours")
    assert (outside / "Fila.md").read_bytes() == b"theirs"
    assert (root / "s.md").read_bytes() == b"ours"


def test_a_link_that_leads_nowhere_makes_nothing_there(root, tmp_path):
    (root / "s.md").symlink_to(tmp_path / "nowhere.md")
    files.write(root, "s.md", b"ours")
    assert not (tmp_path / "nowhere.md").exists()


def swapping(root: Path, outside: Path, monkeypatch: pytest.MonkeyPatch, at: int) -> Callable[[], None]:
    """Exchange the folder for a link at the n-th opening of something."""
    real, count = os.open, [0]
    folder, saved = root / "wiki" / "concepts", root / "saved"

    def opening(*arguments, **named):
        count[0] += 1
        if count[0] == at and not saved.exists():
            folder.rename(saved)
            folder.symlink_to(outside)
        return real(*arguments, **named)

    monkeypatch.setattr(os, "open", opening)

    def put_back() -> None:
        monkeypatch.setattr(os, "open", real)
        if saved.exists():
            folder.unlink()
            saved.rename(folder)

    return put_back


@pytest.mark.parametrize("touch", [read, write, remove, keep_aside])
@pytest.mark.parametrize("at", range(1, 9))
def test_a_folder_exchanged_for_a_link_in_between_leads_nobody_outside(root, outside, monkeypatch, touch, at):
    (root / ".cabecao" / "tmp").mkdir(parents=True)
    put_back = swapping(root, outside, monkeypatch, at)
    try:
        found = touch(root, PATH)
    except (BrainError, OSError):
        found = None
    finally:
        put_back()
    assert found != b"theirs"
    assert (outside / "Fila.md").read_bytes() == b"theirs"
    assert (outside / "Fila.md").stat().st_nlink == 1
    assert names(outside) == ["Fila.md"]


@pytest.mark.slow
def test_a_folder_that_is_exchanged_all_the_time_leads_nobody_outside(root, outside):
    folder, saved, link = root / "wiki" / "concepts", root / "saved", root / "link"
    ended = threading.Event()

    def swap() -> None:
        link.symlink_to(outside)
        anew = itertools.count()
        while not ended.is_set():
            folder.rename(saved)
            with contextlib.suppress(OSError):  # a write has made the folder anew
                link.rename(folder)
                folder.rename(link)
            while saved.exists():
                with contextlib.suppress(OSError):
                    folder.rename(root / f"made-anew-{next(anew)}")
                with contextlib.suppress(OSError):  # it was made anew once more
                    saved.rename(folder)

    worker = threading.Thread(target=swap)
    worker.start()
    try:
        for _number in range(500):
            for touch in (read, write, remove):
                try:
                    assert touch(root, PATH) != b"theirs"
                except (BrainError, OSError):
                    continue
    finally:
        ended.set()
        worker.join()
    assert names(outside) == ["Fila.md"]
    assert (outside / "Fila.md").read_bytes() == b"theirs"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_what_is_no_regular_file_is_not_read(root):
    os.mkfifo(root / "tubo.md")
    for path in ("tubo.md", "wiki"):
        with pytest.raises(UnsafePath):
            files.read(root, path)


def test_a_file_in_the_place_of_a_folder_is_an_invalid_path(root, calls):
    assert files.read(root, f"{PATH}/x.md") is None
    with pytest.raises((InvalidPath, GitFailed)):
        files.write(root, f"{PATH}/x.md", b"ours")
    assert aside(root) == []
    assert (root / PATH).read_bytes() == b"before"


def test_a_write_makes_the_folders_that_are_missing(root, calls):
    files.write(root, "a/b/c.md", b"ours")
    assert (root / "a/b/c.md").read_bytes() == b"ours"
    assert aside(root) == []


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o664, 0o755])
def test_a_write_keeps_the_mode(root, mode):
    (root / PATH).chmod(mode)
    files.write(root, PATH, b"ours")
    assert stat.S_IMODE((root / PATH).stat().st_mode) == mode


def test_a_new_file_has_the_mode_of_the_umask(root):
    before = os.umask(0o027)
    try:
        files.write(root, "new.md", b"ours")
    finally:
        os.umask(before)
    assert stat.S_IMODE((root / "new.md").stat().st_mode) == 0o640


def test_a_reader_sees_the_old_or_the_new_content_and_nothing_between(root):
    contents = {b"a" * 100_000, b"b" * 100_000}
    files.write(root, PATH, b"a" * 100_000)
    ended = threading.Event()
    seen: set[bytes] = set()

    def look() -> None:
        while not ended.is_set():
            seen.add((root / PATH).read_bytes())

    worker = threading.Thread(target=look)
    worker.start()
    for number in range(100):
        files.write(root, PATH, sorted(contents)[number % 2])
    ended.set()
    worker.join()
    assert seen <= contents


@pytest.mark.parametrize(
    ("number", "kind"),
    [
        (errno.ENOSPC, DiskFull),
        (errno.EDQUOT, DiskFull),
        (errno.EFBIG, DiskFull),
        (errno.EACCES, GitFailed),
        (errno.EROFS, GitFailed),
        (errno.EIO, GitFailed),
        (errno.ELOOP, UnsafePath),
        (errno.ENAMETOOLONG, InvalidPath),
    ],
)
def test_what_the_system_refuses_is_an_error_of_the_table(root, monkeypatch, number, kind):
    def fails(*_arguments, **_named):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "replace", fails)
    with pytest.raises(kind):
        files.write(root, PATH, b"ours")
    assert (root / PATH).read_bytes() == b"before"
    assert aside(root) == []


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission_is_an_error(root):
    (root / "wiki" / "concepts").chmod(0o500)
    with pytest.raises(GitFailed, match="Permission denied"):
        files.write(root, PATH, b"ours")


def test_a_name_is_found_in_any_case_and_unicode_form(root):
    (root / "wiki" / NFD).write_bytes(b"x")
    assert files.actual(root, f"wiki/{NFC}") == f"wiki/{NFD}"
    assert files.actual(root, "WIKI/CONCEPTS/fila.MD") == PATH
    assert files.actual(root, "wiki/outra.md") is None


def test_the_exact_spelling_wins_over_a_twin(root):
    (root / "wiki" / "concepts" / "fila.md").write_bytes(b"x")
    if len(names(root / "wiki" / "concepts")) < 2:
        pytest.skip("the file system folds names")
    assert files.actual(root, "wiki/concepts/fila.md") == "wiki/concepts/fila.md"
    assert files.actual(root, PATH) == PATH


def test_a_path_takes_the_spelling_of_the_folders_that_are_there(root):
    assert files.spelled(root, "Wiki/Concepts/Nova.md") == "wiki/concepts/Nova.md"
    assert files.spelled(root, "Outra/Pasta/Nova.md") == "Outra/Pasta/Nova.md"
    assert files.spelled(root, "wiki/concepts/FILA.md") == PATH


@pytest.fixture
def hardlinks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system without a second name for a file, where asked for."""
    if not request.param:

        def fails(*_arguments, **_named):
            raise OSError(errno.EPERM, "Operation not permitted")

        monkeypatch.setattr(os, "link", fails)


@pytest.mark.parametrize("hardlinks", [True, False], indirect=True)
def test_a_placement_is_taken_back_whole(root, hardlinks):
    contents = {PATH: b"ours", "new/one.md": b"new", "gone.md": None}
    (root / "gone.md").write_bytes(b"was here")
    placement = Placement(root, contents, {PATH: b"before", "new/one.md": None, "gone.md": b"was here"})
    placement.stage()
    placement.place()
    assert files.read(root, PATH) == b"ours"
    assert files.read(root, "gone.md") is None
    placement.take_back()
    placement.discard()
    assert files.read(root, PATH) == b"before"
    assert files.read(root, "gone.md") == b"was here"
    assert files.read(root, "new/one.md") is None
    assert aside(root) == []


def test_a_placement_that_is_taken_back_leaves_what_somebody_wrote_since(root):
    placement = Placement(root, {PATH: b"ours"}, {PATH: b"before"})
    placement.stage()
    placement.place()
    (root / PATH).write_bytes(b"theirs")
    placement.take_back()
    placement.discard()
    assert (root / PATH).read_bytes() == b"theirs"


@pytest.mark.parametrize("now", [b"changed", None])
def test_a_file_that_is_not_as_it_was_seen_is_a_conflict(root, now):
    placement = Placement(root, {PATH: b"ours"}, {PATH: b"before"})
    placement.stage()
    if now is None:
        (root / PATH).unlink()
    else:
        (root / PATH).write_bytes(now)
    with pytest.raises(Conflict):
        placement.place()
    placement.take_back()
    placement.discard()
    assert files.read(root, PATH) == now
    assert aside(root) == []


def test_a_file_exchanged_for_a_link_is_a_conflict_and_the_link_stays(root, outside):
    placement = Placement(root, {PATH: b"ours"}, {PATH: b"before"})
    placement.stage()
    (root / PATH).unlink()
    (root / PATH).symlink_to(outside / "Fila.md")
    with pytest.raises(Conflict):
        placement.place()
    placement.take_back()
    placement.discard()
    assert (root / PATH).is_symlink()
    assert (outside / "Fila.md").read_bytes() == b"theirs"


def test_what_a_dead_process_wrote_aside_is_tidied_away(root):
    files.stage(root, b"left")
    (root / ".cabecao" / "tmp" / "write-index-x").mkdir()
    (root / ".cabecao" / "tmp" / "write-index-x" / "index").write_bytes(b"left")
    (root / ".cabecao" / "tmp" / "other").write_bytes(b"not ours")
    files.tidy(root)
    assert [one.name for one in aside(root)] == ["other"]


def test_what_the_system_refuses_is_told_in_the_readers_language():
    error = PermissionError(errno.EACCES, os.strerror(errno.EACCES), "nota.md")
    with language.activate("pt-br"):
        said = files.refusal(error).message
    assert "permissão negada" in said
    assert "denied" not in said
    assert "EXDEV" in files.refusal(OSError(errno.EXDEV, os.strerror(errno.EXDEV), "nota.md")).message
