"""What becomes of a note while it is open in the editor: the page says so, and the text is not lost."""

from __future__ import annotations

import html
import re

import pytest

NOTE = "wiki/Fila.md"
IDENTITY = "01KPTMDA406MCFZVF48S027CR9"
TEXT = f"---\nid: {IDENTITY}\ntype: concept\n---\n\nDez por vez.\n"
HREF = f"/n/{IDENTITY}"
HTMX = {"HX-Request": "true"}


@pytest.fixture
def fila(brain):
    brain.write(NOTE, TEXT)
    brain.commit()
    return brain


@pytest.fixture
def asked(fila, see):
    """The address at which the open page asks again."""
    found = re.search(r'hx-get="([^"]*[?]v=[^"]*)"', see(f"{HREF}/edit").html)
    return html.unescape(found[1])


@pytest.fixture
def form(fila, see):
    page = see(f"{HREF}/edit").html
    hidden = dict(re.findall(r'<input type="hidden" name="(base|lies|back)" value="([^"]*)"', page))
    return {**hidden, "text": TEXT.replace("Dez", "Doze")}


def test_nothing_is_said_while_the_note_is_as_it_was(person, asked):
    assert person.get(asked, headers=HTMX).status_code == 204


def test_another_text_is_said(fila, see, asked):
    fila.write(NOTE, TEXT.replace("Dez", "Onze"))
    assert "The note was changed since you opened it." in see(asked, status=286, **HTMX).text


def test_a_broken_block_is_said_and_saving_shows_both(fila, see, send, asked, form):
    broken = TEXT.replace("type: concept", "type: [concept")
    fila.write(NOTE, broken)
    assert "its fields cannot be read now" in see(asked, status=286, **HTMX).text
    answer = send(f"{HREF}/edit", form)
    page = html.unescape(answer.content.decode())
    assert answer.status_code == 409
    assert "Doze por vez." in page
    assert "type: [concept" in page
    assert fila.text(NOTE) == broken
    base = re.search(r'name="base" value="([^"]*)"', page)[1]
    mine = {"mine": form["text"], "base": base, "lies": NOTE, "opened": form["base"], "decision": "mine"}
    assert send("/path/wiki/Fila.md/resolve", mine).status_code == 302
    assert "Doze por vez." in fila.text(NOTE)


def test_another_place_is_said_and_saving_goes_there(fila, see, send, asked, form):
    send(f"{HREF}/move", {"to": "wiki/nova/Fila.md"})
    assert "it lies at wiki/nova/Fila.md now" in see(asked, status=286, **HTMX).text
    assert send(f"{HREF}/edit", form).status_code == 302
    assert "Doze por vez." in fila.text("wiki/nova/Fila.md")
    assert not (fila.root / NOTE).exists()


def test_a_note_that_is_gone_is_said_and_the_text_is_shown_whole(fila, see, send, asked, form):
    (fila.root / NOTE).unlink()
    assert "The note was taken away since you opened it." in see(asked, status=286, **HTMX).text
    answer = send(f"{HREF}/edit", form)
    assert answer.status_code == 409
    assert "Doze por vez." in answer.content.decode()


def test_the_preview_goes_on_whatever_became_of_the_note(fila, send, form):
    fila.write(NOTE, TEXT.replace("type: concept", "type: [concept"))
    assert "<p>Doze por vez.</p>" in send(f"{HREF}/preview", form).content.decode()
    (fila.root / NOTE).unlink()
    assert "<p>Doze por vez.</p>" in send(f"{HREF}/preview", form).content.decode()


def test_another_note_at_its_old_place_is_not_taken_for_it(fila, send, form):
    fila.write(NOTE, TEXT.replace(IDENTITY, "01KPTMDA406MCFZVF48S027CR8"))
    answer = send(f"{HREF}/edit", form)
    assert answer.status_code == 409
    assert "The note is gone" in answer.content.decode()
    assert "Doze" not in fila.text(NOTE)
