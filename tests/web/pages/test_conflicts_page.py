"""Conflicts: both texts are seen, one is kept, and a decision over a version that moved loses nothing."""

from __future__ import annotations

import re
import subprocess

import pytest

from brain.caller import Caller, Kind, Surface
from brain.services.syncing import running

NOTE = "wiki/concepts/Fila.md"


@pytest.fixture
def copy(brain, stranger, tmp_path):
    """A conflict that a sync left: one line of a note, changed on two machines."""
    bare, other = tmp_path / "remoto.git", tmp_path / "outra"
    subprocess.run(["git", "init", "-q", "--bare", "--initial-branch=main", str(bare)], check=True)
    brain.note(NOTE, "Dez por vez.\n\nFim.", type="concept", title="Fila", id="01JZ0000000000000000000001")
    brain.commit()
    brain.git("remote", "add", "origin", str(bare))
    brain.git("push", "-q", "-u", "origin", "main")
    subprocess.run(["git", "clone", "-q", str(bare), str(other)], check=True)
    (other / NOTE).write_text(brain.text(NOTE).replace("Dez por vez.", "Trinta <b>lá</b>."))
    for arguments in (["commit", "-qam", "Lá"], ["push", "-q"]):
        subprocess.run(["git", *arguments], cwd=other, check=True)
    brain.write(NOTE, brain.text(NOTE).replace("Dez por vez.", "Vinte, aqui."))
    [found] = running.run(Caller(Kind.HUMAN, "cli", Surface.CLI)).conflicts
    return found.copy_path


@pytest.fixture
def settle(send, see, copy):
    """Press a button of the copy's page."""

    def press(decision, **typed):
        page = see(f"/conflicts/{copy}").html
        hidden = dict(re.findall(r'type="hidden" name="(base|copy_base)" value="([^"]+)"', page))
        return send(f"/conflicts/{copy}/settle", {**hidden, "decision": decision, **typed})

    return press


def test_the_list_leads_to_both_texts_and_what_they_began_with(see, copy):
    listed = see("/conflicts")
    assert listed.links["Fila"] == f"/conflicts/{copy}"
    page = see(f"/conflicts/{copy}")
    assert page.heads == ["Two texts of Fila"]
    for text in ("Trinta <b>lá</b>.", "Vinte, aqui.", "Dez por vez."):
        assert text in page.text
    assert "<b>lá</b>" not in page.html


@pytest.mark.parametrize(
    ("decision", "has", "lacks"),
    [("note", ["Trinta"], ["Vinte"]), ("copy", ["Vinte"], ["Trinta"]), ("both", ["Trinta", "Vinte"], ["Dez"])],
)
def test_a_button_settles_it_in_one_commit_that_can_be_undone(settle, see, send, brain, copy, decision, has, lacks):
    before = brain.text(NOTE), brain.text(copy)
    count = int(brain.git("rev-list", "--count", "HEAD"))
    assert settle(decision)["Location"] == "/conflicts"
    text = brain.text(NOTE)
    assert all(one in text for one in has)
    assert not any(one in text for one in lacks)
    assert not (brain.root / copy).exists()
    assert int(brain.git("rev-list", "--count", "HEAD")) == count + 1
    page = see("/conflicts")
    assert "No note has two texts." in page.text

    op = re.search(r'name="op" value="([^"]+)"', page.html)[1]
    send("/undo", {"op": op})
    assert (brain.text(NOTE), brain.text(copy)) == before


def test_it_is_chosen_place_by_place_and_a_missing_choice_is_said(settle, brain):
    answer = settle("choose")
    assert answer.status_code == 422
    assert "Choose one of the three." in answer.content.decode()
    number = re.findall(r'name="pick-(\d+)"', answer.content.decode())
    assert settle("choose", **{f"pick-{one}": "mine" for one in number}).status_code == 302
    assert "Vinte, aqui." in brain.text(NOTE)


def test_it_is_edited_by_hand(settle, brain, copy):
    numbers = set(re.findall(r'name="pick-(\d+)"', settle("choose").content.decode()))
    answer = settle("edit", **{f"pick-{one}": "both" for one in numbers})
    assert answer.status_code == 200
    assert '<textarea class="input" id="text"' in answer.content.decode()
    text = brain.text(NOTE).replace("Trinta <b>lá</b>.", "Vinte e cinco.")
    assert settle("text", text=text).status_code == 302
    assert "Vinte e cinco." in brain.text(NOTE)
    assert not (brain.root / copy).exists()


@pytest.mark.parametrize("decision", ["note", "copy", "both", "text", "choose"])
def test_a_decision_over_a_version_that_moved_says_so_and_loses_nothing(send, see, brain, copy, decision):
    page = see(f"/conflicts/{copy}").html
    hidden = dict(re.findall(r'type="hidden" name="(base|copy_base)" value="([^"]+)"', page))
    brain.write(NOTE, brain.text(NOTE).replace("Fim.", "Fim, depois."))
    before = brain.text(NOTE), brain.text(copy)
    typed = {"text": "O que digitei."} if decision == "text" else {}
    answer = send(f"/conflicts/{copy}/settle", {**hidden, "decision": decision, **typed})
    assert answer.status_code == 409
    assert "Nothing was changed." in answer.content.decode()
    assert "Fim, depois." in answer.content.decode()
    assert all(one in answer.content.decode() for one in typed.values())
    assert (brain.text(NOTE), brain.text(copy)) == before


def test_a_note_that_is_gone_is_said_and_comes_back(settle, see, brain, copy):
    (brain.root / NOTE).unlink()
    page = see(f"/conflicts/{copy}")
    assert "The note is gone" in page.text
    settle("copy")
    assert "Vinte, aqui." in brain.text(NOTE)


def test_pages_lead_there(see, copy):
    assert see("/health").links["Settle the conflicts"] == "/conflicts"
    assert see("/sync").links["Look at the conflicts"] == "/conflicts"
    assert see("/lint").links["Settle them"] == "/conflicts"
    assert see(f"/path/{copy}").links["Settle it"] == f"/conflicts/{copy}"


def test_a_settled_copy_and_what_is_none_have_no_page(settle, person, copy):
    settle("note")
    for path in (copy, NOTE, "../fora.md", "nada.conflict-x-20260101-101010.md"):
        assert person.get(f"/conflicts/{path}").status_code == 404


def test_a_picture_that_was_kept_twice_is_listed(see, brain, stranger):
    brain.write("raw/foto.conflict-casa-20260101-101010.png", b"x")
    brain.commit()
    assert "raw/foto.conflict-casa-20260101-101010.png" in see("/conflicts").text
