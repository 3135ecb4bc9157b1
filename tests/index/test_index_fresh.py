"""The index is as new as the tree at each read, whoever changed the tree and however."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from filelock import FileLock

from brain.errors import IndexFailed
from brain.index import database, fulltext, notes, refresh
from brain.index.fulltext import Query
from brain.index.intake import extract, scanning
from brain.store import tree


def found(word: str) -> list[str]:
    assert refresh.catch_up(seconds=60).warning is None
    return [one.path for one in fulltext.search(Query(word)).found]


@pytest.fixture(params=["scan", "watch"])
def followed(brain, request):
    """A brain whose process walks the tree at each read, or watches it."""
    if request.param == "watch":
        refresh.watch(brain.here)
    refresh.catch_up(seconds=60)
    return brain


def test_a_note_made_edited_renamed_or_deleted_outside_is_taken_in(followed):
    note = followed.note("wiki/um.md", "O abacaxi.")
    assert found("abacaxi") == ["wiki/um.md"]
    followed.note("wiki/um.md", "O maracujá.")
    assert (found("abacaxi"), found("maracujá")) == ([], ["wiki/um.md"])
    note.rename(note.with_name("dois.md"))
    assert found("maracujá") == ["wiki/dois.md"]
    note.with_name("dois.md").unlink()
    assert found("maracujá") == []


def test_an_edit_that_keeps_size_and_mtime_is_taken_in(followed):
    note = followed.note("wiki/um.md", "Em janeiro.")
    stamp = note.stat().st_mtime_ns
    assert found("janeiro") == ["wiki/um.md"]
    followed.note("wiki/um.md", "Em outubro.")
    os.utime(note, ns=(stamp, stamp))
    assert (found("janeiro"), found("outubro")) == ([], ["wiki/um.md"])


def test_a_folder_that_comes_moves_or_goes_takes_its_notes_along(followed, tmp_path):
    outside = tmp_path / "outside" / "deep"
    outside.mkdir(parents=True)
    (outside / "a.md").write_text("O tamanduá.")
    (tmp_path / "outside").rename(followed.root / "wiki")
    assert found("tamanduá") == ["wiki/deep/a.md"]
    (followed.root / "wiki").rename(followed.root / "notas")
    assert found("tamanduá") == ["notas/deep/a.md"]
    followed.note("notas/deep/b.md", "O tamanduá.")
    assert found("tamanduá") == ["notas/deep/a.md", "notas/deep/b.md"]
    (followed.root / "notas").rename(tmp_path / "gone")
    assert found("tamanduá") == []


def test_a_file_saved_through_a_temporary_one_is_one_update(followed):
    followed.write("wiki/.Nota.md.swp", "O capim.")
    followed.write("wiki/Nota.md~", "O capim.")
    followed.write("wiki/Nota.tmp", "O capim.").rename(followed.root / "wiki/Nota.md")
    assert found("capim") == ["wiki/Nota.md"]


def test_links_to_files_and_folders_are_not_followed(followed, tmp_path):
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "fora.md").write_text("O segredo.")
    (followed.root / "wiki").mkdir()
    (followed.root / "wiki" / "fuga").symlink_to(tmp_path / "outside")
    (followed.root / "wiki" / "s.md").symlink_to(tmp_path / "outside" / "fora.md")
    assert found("segredo") == []
    refresh.apply(["wiki/fuga/fora.md", "wiki/s.md"])
    assert notes.count() == 0


def test_control_files_hidden_files_and_the_log_are_no_notes(followed):
    for path in ("AGENTS.md", "README.md", "log/2026-01.md", ".obsidian/x.md", "wiki/.x.md", ".cabecao/x.md"):
        followed.write(path, "O tatu.")
    followed.write("wiki/README.md", "O tatu.")
    assert found("tatu") == ["wiki/README.md"]


def test_a_file_that_cannot_be_read_is_not_taken_for_deleted(brain, monkeypatch):
    brain.note("wiki/a.md", "O tatu.")
    brain.note("wiki/b.md", "O tatu.")
    assert found("tatu") == ["wiki/a.md", "wiki/b.md"]
    real, fails = tree.read, [True]

    def read(root: Path, path: str, **more: int) -> tree.Content | None:
        if fails and path != "wiki/b.md":
            raise OSError(errno.EACCES, "no")
        return real(root, path, **more)

    monkeypatch.setattr(tree, "read", read)
    brain.note("wiki/a.md", "A onça, maior.")
    brain.note("wiki/c.md", "A anta.")
    assert found("tatu") == ["wiki/a.md", "wiki/b.md"]
    assert {row.path: row.frontmatter_error for row in notes.with_errors()} == {
        "wiki/a.md": scanning.UNREADABLE,
        "wiki/c.md": scanning.UNREADABLE,
    }
    fails.clear()
    assert (found("onça"), found("anta"), notes.with_errors()) == (["wiki/a.md"], ["wiki/c.md"], [])


def test_a_folder_that_cannot_be_listed_keeps_its_notes(brain, monkeypatch):
    brain.note("wiki/a.md", "O tatu.")
    assert found("tatu") == ["wiki/a.md"]
    real = os.scandir

    def scandir(folder):
        if str(folder).endswith("wiki"):
            raise OSError(errno.EIO, "no")
        return real(folder)

    monkeypatch.setattr(os, "scandir", scandir)
    assert found("tatu") == ["wiki/a.md"]


def test_an_odd_note_hides_no_other(brain):
    for number in range(20):
        brain.note(f"wiki/{number}.md", f"O tatu número {number}.")
    brain.write("wiki/aspas.md", '---\ntitle: "sem fim\n---\n\nO tatu.\n')
    brain.write("wiki/aberta.md", "---\ntitle: Nunca fecha\n\nO tatu.\n")
    brain.write("wiki/latin.md", b"---\ntype: concept\n---\n\nO tatu: a\xe7\xe3o.\n")
    brain.write("wiki/escapada.md", '---\ntitle: "\\ud800"\n---\n\nO tatu.\n')
    brain.write("wiki/nula.md", "O tatu\0.")
    brain.write("wiki/vazia.md", "")
    refresh.catch_up(seconds=60)
    assert len(fulltext.search(Query("tatu", limit=100)).found) == 25
    assert {row.path for row in notes.with_errors()} >= {"wiki/aspas.md", "wiki/aberta.md", "wiki/latin.md"}


def test_a_parser_that_trips_over_a_note_stops_nothing(brain, monkeypatch):
    def trip(_body: str) -> None:
        raise ZeroDivisionError

    brain.note("wiki/a.md", "O tatu.")
    monkeypatch.setattr(extract.structure, "scan", trip)
    assert found("tatu") == ["wiki/a.md"]


def test_of_a_giant_note_the_first_part_is_indexed_and_marked(brain, monkeypatch):
    monkeypatch.setattr(extract, "_LONGEST_LINE", 1000)
    monkeypatch.setattr(extract, "KEPT_BYTES", 101)
    brain.write("wiki/longa.md", "tatu " * 10 + "çã" * 1000 + " anta")
    assert found("tatu") == ["wiki/longa.md"]
    row = notes.by_path("wiki/longa.md")
    assert (row.cut, row.lossy, row.size) == (True, False, 4055)
    assert found("anta") == []


MEASURED = """
import re, sys
from pathlib import Path
from cabecao_site import bootstrap
bootstrap.start(Path(sys.argv[1]))
from brain.index import refresh
refresh.catch_up(seconds=60)
# The most that this program itself had: what getrusage tells is at least what its parent has.
print(int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) // 1024)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems count memory otherwise")
def test_a_note_of_twenty_megabytes_is_taken_in_within_300_of_memory(brain):
    brain.write("wiki/longa.md", "tatu anda no mato com calma\n" * 740_000)
    done = subprocess.run([sys.executable, "-c", MEASURED, str(brain.root)], capture_output=True, check=True, text=True)
    assert int(done.stdout) < 300
    assert found("tatu") == ["wiki/longa.md"]
    assert notes.by_path("wiki/longa.md").cut


def test_reading_keeps_the_first_bytes_and_the_digest_of_all(tmp_path):
    (tmp_path / "a.md").write_bytes(b"x" * 5000)
    (tmp_path / "b.md").write_bytes(b"x" * 5000)
    cut = tree.read(tmp_path, "a.md", most=4000, keep=100)
    whole = tree.read(tmp_path, "b.md", most=5000, keep=100)
    assert (len(cut.raw), cut.cut, cut.size) == (100, True, 5000)
    assert (len(whole.raw), whole.cut) == (5000, False)
    assert cut.digest == whole.digest


def test_a_name_in_another_unicode_form_is_the_same_note(brain):
    brain.note("wiki/Configurac\u0327a\u0303o.md", "O tatu.")
    refresh.catch_up()
    assert notes.by_path("wiki/Configuração.md").title == "Configurac\u0327a\u0303o"


def test_a_name_that_is_no_text_is_passed_over(brain):
    brain.note("wiki/a.md", "O tatu.")
    (brain.root / "wiki" / os.fsdecode(b"\xff.md")).write_text("O tatu.")
    assert found("tatu") == ["wiki/a.md"]


def test_the_first_holder_keeps_an_id_until_it_goes(followed):
    identity = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
    first = followed.note("wiki/z.md", "O tatu.", id=identity)
    refresh.catch_up()
    followed.note("wiki/a.md", "O tatu.", id=identity)
    refresh.catch_up()
    assert notes.by_id(identity).path == "wiki/z.md"
    assert notes.by_path("wiki/a.md").id is None
    first.rename(followed.root / "wiki" / "b.md")
    refresh.catch_up()
    assert notes.by_id(identity).path == "wiki/b.md"
    (followed.root / "wiki" / "b.md").unlink()
    refresh.catch_up()
    assert notes.by_id(identity).path == "wiki/a.md"


def test_a_read_answers_with_a_warning_while_another_process_updates(brain):
    brain.note("wiki/a.md", "O tatu.")
    refresh.catch_up()
    brain.note("wiki/b.md", "O tatu.")
    with FileLock(brain.root / ".cabecao" / "index.lock"):
        fresh = refresh.catch_up()
        assert "Another process" in fresh.warning
        assert fresh.pending >= 1
        assert len(fulltext.search(Query("tatu")).found) == 1
    assert refresh.catch_up() == refresh.Freshness()
    assert len(fulltext.search(Query("tatu")).found) == 2


def test_the_first_read_of_a_process_bears_with_another_that_fills_the_index(brain, monkeypatch):
    monkeypatch.setattr(refresh, "_FIRST_WAITS", 60.0)
    brain.note("wiki/a.md", "O tatu.")
    database.connected()
    other = FileLock(brain.root / ".cabecao" / "index.lock", thread_local=False)
    other.acquire()
    threading.Timer(0.1, other.release).start()
    assert found("tatu") == ["wiki/a.md"]


def test_a_read_takes_no_lock_where_nothing_changed(brain):
    brain.note("wiki/a.md", "O tatu.")
    refresh.watch(brain.here)
    refresh.catch_up()
    with FileLock(brain.root / ".cabecao" / "index.lock"):
        assert refresh.catch_up() == refresh.Freshness()


def test_a_read_does_not_wait_for_the_databases_writer(brain):
    brain.note("wiki/a.md", "O tatu.")
    refresh.catch_up()
    brain.note("wiki/b.md", "O tatu.")
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with database.writing():
            held.set()
            done.wait(30)
        database.close()

    thread = threading.Thread(target=hold)
    thread.start()
    try:
        assert held.wait(30)
        assert refresh.catch_up().warning is not None
        assert len(fulltext.search(Query("tatu")).found) == 1
    finally:
        done.set()
        thread.join()
    assert refresh.catch_up().warning is None


def test_a_writer_waits_and_then_says_that_the_index_is_behind(brain, monkeypatch):
    monkeypatch.setattr(refresh, "_WRITER_WAITS", 0.05)
    refresh.catch_up()
    brain.note("wiki/a.md", "O tatu.")
    with FileLock(brain.root / ".cabecao" / "index.lock"), pytest.raises(IndexFailed):
        refresh.apply(["wiki/a.md"])
    refresh.apply(["wiki/a.md"])
    assert notes.by_path("wiki/a.md") is not None


def test_a_writer_that_finds_no_index_makes_one(brain):
    brain.note("wiki/a.md", "O tatu.")
    refresh.apply(["wiki/a.md"])
    assert notes.by_path("wiki/a.md") is not None


def test_a_short_deadline_leaves_the_rest_and_says_how_much(brain, monkeypatch):
    monkeypatch.setattr(refresh.scanning, "CHUNK", 2)
    for number in range(7):
        brain.note(f"wiki/{number}.md", "O tatu.")
    steps: list[tuple[int, int]] = []
    fresh = refresh.catch_up(seconds=0, progress=lambda done, total: steps.append((done, total)))
    assert (fresh.pending, steps) == (5, [(2, 7)])
    assert "5 notes" in fresh.warning
    assert refresh.catch_up(seconds=60).pending == 0


def test_a_process_that_lives_long_goes_on_in_the_background(brain, monkeypatch):
    monkeypatch.setattr(refresh.scanning, "CHUNK", 2)
    for number in range(20):
        brain.note(f"wiki/{number}.md", "O tatu.")
    refresh.watch(brain.here)
    assert refresh.catch_up(seconds=0).pending > 0
    settle_in_background()
    assert refresh.catch_up() == refresh.Freshness()
    assert notes.count() == 20


def test_a_read_helps_the_background_for_a_moment_and_answers_with_what_is_left(brain, monkeypatch):
    monkeypatch.setattr(refresh.scanning, "CHUNK", 2)
    monkeypatch.setattr(refresh, "_SHARES", 0.0)
    for number in range(20):
        brain.note(f"wiki/{number}.md", "O tatu.")
    refresh.watch(brain.here)
    follower = refresh._follower()
    follower.worker = threading.Thread()  # works, but does not get its turn
    assert refresh.catch_up(seconds=60).pending == 18
    assert refresh.catch_up(seconds=60).pending == 16
    follower.worker = None
    assert refresh.catch_up(seconds=60).pending == 0


def test_a_background_that_has_ended_is_begun_anew(brain, monkeypatch):
    monkeypatch.setattr(refresh.scanning, "CHUNK", 2)
    monkeypatch.setattr(refresh, "_keep_up", lambda follower: None)
    refresh.watch(brain.here)
    for first in (0, 20):
        for number in range(first, first + 20):
            brain.note(f"wiki/{number}.md", "O tatu.")
        refresh._follower().changes.overflow = True
        assert refresh.catch_up(seconds=0).pending > 0
        settle_in_background()
        assert refresh._follower().worker is None
        assert refresh.pending() == 0


def settle_in_background() -> None:
    if (worker := refresh._follower().worker) is not None:
        worker.join(30)


def test_many_threads_read_while_notes_change(brain):
    refresh.watch(brain.here)
    failures: list[Exception] = []

    def read() -> None:
        try:
            for _ in range(15):
                refresh.catch_up()
                fulltext.search(Query("tatu"))
        except Exception as error:  # noqa: BLE001
            failures.append(error)
        finally:
            database.close()

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for number in range(30):
        brain.note(f"wiki/{number}.md", "O tatu.")
        refresh.apply([f"wiki/{number}.md"])
    for thread in threads:
        thread.join()
    assert failures == []
    refresh.catch_up()
    assert notes.count() == 30


def test_without_watches_each_read_walks(brain, monkeypatch):
    monkeypatch.setenv("CABECAO_WATCH", "scan")
    refresh.watch(brain.here)
    brain.note("wiki/a.md", "O tatu.")
    assert found("tatu") == ["wiki/a.md"]


def test_the_newest_note_and_an_older_file_come_in_together(brain):
    brain.note("wiki/b.md", "O tatu.")
    assert refresh.catch_up(seconds=60).warning is None
    brain.note("wiki/b.md", "O tatu cava.")
    older = brain.note("wiki/a.md", "A anta nada.")
    os.utime(older, (1_700_000_000, 1_700_000_000))

    assert refresh.catch_up(seconds=60).warning is None
    assert found("cava") == ["wiki/b.md"]
    assert found("anta") == ["wiki/a.md"]
