"""How a folder is watched, and that half a file is no change."""

from __future__ import annotations

import errno
import sys
import threading
from pathlib import Path

import pytest

from brain.store import kernel_watch, places, watch
from brain.store.changes import Changes
from brain.store.watch import Manner, Reason, ScanWatch, Way

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems have other watches")


@pytest.fixture
def mounts(tmp_path, monkeypatch):
    """Let the machine have these file systems mounted."""
    file = tmp_path / "mountinfo"
    monkeypatch.setattr(places, "_MOUNTS", file)

    def have(*lines: tuple[str, str]) -> None:
        file.write_text(
            "".join(f"{n} 1 0:{n} / {where} rw - {kind} source rw\n" for n, (where, kind) in enumerate(lines))
        )

    have(("/", "ext4"))
    return have


@pytest.fixture
def root(tmp_path, mounts):
    folder = tmp_path / "notas"
    folder.mkdir()
    return folder


@pytest.fixture
def opened(root):
    """A watch of the folder by the kernel."""
    found = watch.start(root)
    yield found
    found.close()


@linux
def test_a_local_folder_is_watched_by_the_kernel(root):
    assert watch.found(root) == Manner(Way.EVENTS, Reason.LOCAL)


@linux
@pytest.mark.parametrize(
    "kind", ["nfs", "nfs4", "cifs", "smb3", "9p", "drvfs", "fuse", "fuse.sshfs", "virtiofs", "vboxsf"]
)
def test_a_folder_on_a_file_system_of_another_machine_is_looked_at(root, mounts, kind):
    mounts(("/", "ext4"), (str(root.parent), kind))
    assert watch.found(root) == Manner(Way.POLL, Reason.REMOTE, kind)
    mounts(("/", kind), (str(root.parent), "ext4"))
    assert watch.found(root) == Manner(Way.EVENTS, Reason.LOCAL)


@linux
def test_the_last_of_two_mounts_at_one_place_counts_and_signs_in_its_name_are_read(root, mounts):
    folder = root / "a b"
    folder.mkdir()
    mounts((str(root), "nfs"), (str(root), "ext4"), (str(folder).replace(" ", "\\040"), "cifs"))
    assert watch.found(root).way is Way.EVENTS
    assert watch.found(folder).detail == "cifs"


@linux
@pytest.mark.parametrize(
    "mark", [".stfolder", ".dropbox.cache", ".849C9593-D756-4E56-8D6E-42412F2A707B", ".tmp.drivedownload"]
)
def test_a_folder_that_another_program_copies_is_watched_and_looked_at(root, mark):
    (root.parent / mark).mkdir()
    manner = watch.found(root)
    assert (manner.way, manner.reason, manner.detail) == (Way.BOTH, Reason.SYNCED, places.MARKS[mark])


@linux
def test_a_folder_below_one_of_a_cloud_client_is_known_by_its_path(root):
    folder = root / "Dropbox (Pessoal)" / "notas"
    folder.mkdir(parents=True)
    assert watch.found(folder) == Manner(Way.BOTH, Reason.SYNCED, "Dropbox (Pessoal)")


@linux
def test_where_the_kernel_has_no_watches_left_the_folder_is_looked_at(root, monkeypatch):
    def refuses(self, path, mask):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("inotify_simple.INotify.add_watch", refuses)
    assert watch.found(root) == Manner(Way.POLL, Reason.LIMIT, "No space left on device")


@linux
def test_once_the_kernel_refuses_a_later_folder_the_whole_is_looked_at_too(root, opened, monkeypatch):
    def refuses(self, path, mask):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("inotify_simple.INotify.add_watch", refuses)
    (root / "nova").mkdir()
    assert opened.drain().overflow
    assert (opened.manner.way, opened.manner.reason) == (Way.BOTH, Reason.LIMIT)


def test_other_systems_look(root, monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    assert watch.found(root) == Manner(Way.POLL, Reason.SYSTEM, "darwin")


def test_a_person_may_ask_for_looking(root, monkeypatch):
    monkeypatch.setenv("CABECAO_WATCH", "scan")
    assert watch.found(root) == Manner(Way.POLL, Reason.ASKED)


def test_a_machine_that_does_not_tell_its_mounts_is_taken_for_a_local_one(root, monkeypatch):
    monkeypatch.setattr(places, "_MOUNTS", root / "nothing")
    assert places.of(root) == places.Place()


@linux
def test_a_file_that_is_being_written_is_told_of_once_it_is_closed(root, opened):
    with (root / "a.md").open("w") as stream:
        stream.write("Metade")
        stream.flush()
        assert not opened.drain()
        stream.write(" e o resto.")
    assert opened.drain() == Changes(paths={"a.md"})
    assert not opened.drain()


@linux
def test_a_file_that_nobody_closes_is_told_of_when_it_has_not_changed_for_a_moment(root, opened, monkeypatch):
    now = [100.0]
    monkeypatch.setattr(kernel_watch.time, "monotonic", lambda: now[0])
    with (root / "a.md").open("w") as stream:
        stream.write("Metade")
        stream.flush()
        assert not opened.drain()
        now[0] += kernel_watch.SETTLED_SECONDS / 2
        stream.write(" e mais")
        stream.flush()
        assert not opened.drain()
        now[0] += kernel_watch.SETTLED_SECONDS * 0.6
        assert not opened.drain()
        now[0] += kernel_watch.SETTLED_SECONDS
        assert opened.drain() == Changes(paths={"a.md"})


@linux
def test_a_file_that_was_emptied_waits_for_what_comes_next(root, opened):
    place = root / "a.md"
    place.write_text("O tatu.")
    opened.drain()
    place.write_text("")
    assert not opened.drain()
    place.write_text("O tatu cava.")
    assert opened.drain() == Changes(paths={"a.md"})


@linux
def test_what_is_moved_linked_or_deleted_is_told_of_at_once(root, opened):
    (root / "a.tmp").write_text("O tatu.")
    (root / "a.tmp").rename(root / "a.md")
    assert opened.drain() == Changes(paths={"a.md"})
    (root / "b.md").hardlink_to(root / "a.md")
    assert opened.drain() == Changes(paths={"b.md"})
    with (root / "b.md").open("a") as stream:
        stream.write("x")
        stream.flush()
        (root / "b.md").unlink()
        assert "b.md" in opened.drain().paths


@linux
def test_waiting_ends_with_a_change_and_with_waking(root, opened):
    assert not opened.wait(0.0)
    (root / "a.md").write_text("O tatu.")
    assert opened.wait(60.0)
    opened.drain()
    threading.Timer(0.05, opened.wake).start()
    assert opened.wait(60.0)


def test_waiting_for_nothing_ends_with_waking():
    one = ScanWatch(Manner(Way.POLL, Reason.ASKED))
    threading.Timer(0.05, one.wake).start()
    assert not one.wait(60.0)
    assert one.drain().overflow


@linux
def test_a_link_and_a_hidden_name_are_told_of_to_nobody(root, opened, tmp_path):
    (root / ".a.md.swp").write_text("x")
    (root / ".a.md").write_text("x")
    (root / "a.md~").write_text("x")
    assert not opened.drain()
    assert Path(root).is_dir()
