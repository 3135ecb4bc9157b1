"""restore_page: an earlier version becomes the new one, byte for byte, in one commit."""

from __future__ import annotations

import hashlib

import pytest
from calling import SECRETS

NOTE = "wiki/Fila.md"
FIRST = b"---\r\ntype:   concept   # meu\r\n---\r\nDez por vez.   \r\n\r\n"


@pytest.fixture
def versions(ready):
    """A note with three versions, the first under another name; return their commits, oldest first."""
    ready.write("wiki/Antes.md", FIRST)
    first = ready.commit()
    ready.git("mv", "wiki/Antes.md", NOTE)
    ready.write(NOTE, FIRST.replace(b"Dez", b"Onze"))
    second = ready.commit()
    ready.write(NOTE, FIRST.replace(b"Dez", b"Doze"))
    return [first, second, ready.commit()]


def test_the_bytes_are_those_of_the_version_through_a_rename(ready, person, versions):
    count = int(ready.git("rev-list", "--count", "HEAD"))
    answer = person("restore_page", path=NOTE, commit=versions[0][:10])
    assert (ready.root / NOTE).read_bytes() == FIRST
    assert int(ready.git("rev-list", "--count", "HEAD")) == count + 1
    assert answer.changed


def test_previous_is_the_newest_that_says_something_else(ready, person, versions):
    person("restore_page", path=NOTE, commit="previous")
    assert b"Onze" in (ready.root / NOTE).read_bytes()


def test_it_is_undone_in_one(ready, person, versions):
    done = person("restore_page", path=NOTE, commit=versions[1])
    person("undo", op=done.op)
    assert b"Doze" in (ready.root / NOTE).read_bytes()


def test_what_was_changed_with_an_editor_is_recorded_first(ready, person, versions):
    ready.write(NOTE, b"Editado.\n")
    person("restore_page", path=NOTE, commit=versions[1])
    assert ready.git("show", f"HEAD~1:{NOTE}") == "Editado.\n"


def test_the_version_of_now_writes_nothing(person, versions, unchanged):
    with unchanged():
        assert not person("restore_page", path=NOTE, commit=versions[2]).changed


def test_a_commit_that_is_no_version_of_the_note_is_not_found(ready, person, refuses, versions):
    ready.write("wiki/Outra.md", "Outra.\n")
    other = ready.commit()
    refuses("not_found", person, "restore_page", path=NOTE, commit=other)
    refuses("not_found", person, "restore_page", path="wiki/Nada.md", commit=other)


def test_over_a_newer_text_than_was_shown_it_is_a_conflict(ready, person, refuses, versions):
    base = hashlib.sha256((ready.root / NOTE).read_bytes()).hexdigest()
    ready.write(NOTE, b"Editado.\n")
    refuses("conflict", person, "restore_page", path=NOTE, commit=versions[1], base=base)


def test_a_version_that_holds_a_secret_stays_in_the_past(ready, person, refuses):
    ready.write(NOTE, f"Chave {SECRETS['github']}\n")
    bad = ready.commit()
    ready.write(NOTE, "Sem chave.\n")
    ready.commit()
    refuses("secret_detected", person, "restore_page", path=NOTE, commit=bad)


def test_an_agent_never_does_it(agent, refuses, versions):
    refuses("human_only", agent, "restore_page", path=NOTE, commit=versions[0])
