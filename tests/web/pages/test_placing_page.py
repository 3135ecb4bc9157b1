"""A note renamed, moved, archived and brought back to an earlier version on its pages."""

from __future__ import annotations

import re

import pytest

NOTE = "wiki/Fila.md"
HREF = "/n/id-1"
TEXT = "---\nid: id-1\ntype: concept\n---\n\nDez por vez.\n"


@pytest.fixture
def fila(brain):
    brain.write(NOTE, TEXT)
    brain.write("wiki/A.md", "Ver [[Fila]].\n")
    brain.commit()
    return brain


def base(text: str) -> str:
    return re.search(r'name="base" value="(\w+)"', text)[1]


def test_the_form_moves_the_note_and_its_links(fila, see, send):
    answer = send(f"{HREF}/move", {"to": "conceitos/Espera.md", "title": "Espera", "base": base(see(HREF).html)})
    assert (answer.status_code, answer["Location"]) == (302, HREF)
    assert fila.text("wiki/A.md") == "Ver [[Espera]].\n"
    page = see(HREF)
    assert page.heads == ["Espera"]
    assert "Moved. The links in 1 note follow." in page.text


def test_a_place_that_is_taken_is_refused(fila, send):
    answer = send(f"{HREF}/move", {"to": "wiki/A.md", "title": "Fila"})
    assert answer.status_code == 409
    assert fila.text(NOTE) == TEXT


def test_an_archived_note_says_why_and_can_be_undone(fila, see, send):
    answer = send(f"{HREF}/archive", {"reason": "Saiu de uso."})
    assert answer.status_code == 302
    page = see(answer["Location"])
    assert "Saiu de uso." in page.text
    assert 'action="/undo"' in page.html
    assert "/archive" not in page.html
    assert not (fila.root / NOTE).exists()


def test_a_version_is_restored_byte_for_byte(fila, see, send):
    fila.write(NOTE, TEXT.replace("Dez", "Vinte"))
    fila.commit()
    page = see(f"{HREF}/history")
    older = re.findall(r'name="commit" value="(\w+)"', page.html)[-1]
    assert send(f"{HREF}/restore", {"commit": older, "base": base(page.html)}).status_code == 302
    assert fila.text(NOTE) == TEXT
    assert "Restored." in see(HREF).text


def test_over_a_newer_text_nothing_is_restored_or_moved(fila, see, send):
    page = see(f"{HREF}/history")
    form = {"commit": re.findall(r'name="commit" value="(\w+)"', page.html)[0], "base": base(page.html)}
    fila.write(NOTE, TEXT.replace("Dez", "Vinte"))
    assert send(f"{HREF}/restore", form).status_code == 409
    assert send(f"{HREF}/move", {"to": "wiki/B.md", "base": form["base"]}).status_code == 409
    assert "Vinte" in fila.text(NOTE)
