"""Editing a note on its page: nothing typed is lost, nothing newer is overwritten, no secret comes back."""

from __future__ import annotations

import html
import re

import pytest

from brain.guard import proof

NOTE = "wiki/Fila.md"
IDENTITY = "01KPTMDA406MCFZVF48S027CR9"
TEXT = f"---\nid: {IDENTITY}\ntype: concept\n---\n\n## Uso\n\nDez por vez.\n\nFim.\n"
HREF = f"/n/{IDENTITY}"
KEY = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture
def fila(brain):
    brain.write(NOTE, TEXT)
    brain.commit()
    return brain


@pytest.fixture
def opened(fila, see):
    """The fields of the edit form, as the page has them."""
    return fields(see(f"{HREF}/edit").html)


def fields(text: str) -> dict[str, str]:
    names = ("base", "back", "opened")
    found = {name: re.search(rf'name="{name}" value="([^"]*)"', text) for name in names}
    areas = re.findall(r'<textarea[^>]*name="(\w+)"[^>]*>\n?(.*?)</textarea>', text, re.DOTALL)
    return {name: match[1] for name, match in found.items() if match} | {
        name: html.unescape(value) for name, value in areas
    }


def crlf(text: str) -> str:
    return text.replace("\n", "\r\n")


def test_the_page_holds_the_whole_text_and_how_it_looks(fila, see, opened):
    page = see(f"{HREF}/edit")
    assert page.heads == ["Edit Fila"]
    assert opened["text"] == TEXT
    assert "<p>Dez por vez.</p>" in page.html


def test_the_note_leads_to_its_editor_by_a_key(fila, see):
    page = see(HREF)
    assert f'href="{HREF}/edit" data-key="e"' in page.html


def test_a_text_is_saved_and_can_be_undone(fila, send, see, opened):
    answer = send(f"{HREF}/edit", {**opened, "text": crlf(TEXT.replace("Dez", "Vinte"))})
    assert (answer.status_code, answer["Location"]) == (302, HREF)
    assert "Vinte por vez.\n" in fila.text(NOTE)
    assert "\r" not in fila.text(NOTE)
    page = see(HREF)
    assert "Saved." in page.text
    assert 'action="/undo"' in page.html


def test_a_note_without_an_id_is_edited_by_its_path_and_gets_one(fila, send, see):
    fila.write("wiki/Sem id.md", "Texto.\n")
    form = fields(see("/path/wiki/Sem id.md/edit").html)
    answer = send("/path/wiki/Sem%20id.md/edit", {**form, "text": "Outro.\r\n"})
    assert answer["Location"].startswith("/n/")
    assert fila.text("wiki/Sem id.md").endswith("Outro.\n")


def test_a_text_over_a_newer_one_shows_both_and_loses_neither(fila, send, opened, agent):
    agent("patch_page", path=NOTE, old="Fim.", new="Fim, <b>disse</b> o agente.")
    answer = send(f"{HREF}/edit", {**opened, "text": crlf(TEXT.replace("Dez", "Doze"))})
    page = answer.content.decode()
    assert answer.status_code == 409
    assert "Doze" not in fila.text(NOTE)
    areas = [html.unescape(one) for one in re.findall(r"<textarea[^>]*>\n?(.*?)</textarea>", page, re.DOTALL)]
    assert areas == [TEXT.replace("Dez", "Doze"), fila.text(NOTE), TEXT]
    assert re.findall(r'value="(\w+)" required checked', page) == ["theirs", "mine", "theirs"]  # trust, Dez, Fim


def test_nobody_is_asked_about_the_fields_that_cabecao_writes(fila, send, opened, agent):
    agent("patch_page", path=NOTE, old="Fim.", new="Fim do agente.")
    mine = TEXT.replace("Dez", "Doze").replace("type: concept", "type: concept\ntags: [fila]")
    answer = send(f"{HREF}/edit", {**opened, "text": crlf(mine)})
    places = re.findall(r"<fieldset.*?</fieldset>", answer.content.decode(), re.DOTALL)
    assert not [one for one in places if "updated:" in one or "edited_by:" in one]
    given = {**fields(answer.content.decode()), "decision": "choose"}
    picks = {
        f"pick-{number}": "theirs" if "agente" in one or "trust" in one else "mine" for number, one in enumerate(places)
    }
    assert send(f"{HREF}/resolve", {**given, **picks}).status_code == 302
    saved = fila.text(NOTE)
    assert ("tags: [fila]" in saved, "Doze" in saved, "Fim do agente." in saved) == (True, True, True)


@pytest.fixture
def conflict(fila, send, opened, agent):
    """The fields of the page that shows two texts."""
    agent("patch_page", path=NOTE, old="Fim.", new="Fim do agente.")
    page = send(f"{HREF}/edit", {**opened, "text": crlf(TEXT.replace("Dez", "Doze"))}).content.decode()
    return fields(page)


def test_a_choice_at_each_place_is_what_is_saved(fila, send, conflict):
    picks = {"pick-0": "theirs", "pick-1": "both", "pick-2": "theirs"}
    assert send(f"{HREF}/resolve", {**conflict, **picks, "decision": "choose"}).status_code == 302
    assert fila.text(NOTE).endswith("Dez por vez.\nDoze por vez.\n\nFim do agente.\n")


def test_without_a_choice_nothing_is_saved(fila, send, conflict):
    answer = send(f"{HREF}/resolve", {**conflict, "pick-0": "mine", "decision": "choose"})
    assert answer.status_code == 422
    assert "Choose one of the three." in answer.content.decode()
    assert "Doze" not in fila.text(NOTE)


def test_my_text_whole_is_saved_over_the_one_that_was_shown(fila, send, conflict):
    send(f"{HREF}/resolve", {**conflict, "mine": crlf(conflict["mine"]), "decision": "mine"})
    assert "Doze" in fila.text(NOTE)
    assert "agente" not in fila.text(NOTE)


def test_leaving_the_other_text_keeps_mine_as_a_draft(fila, send, see, conflict):
    send(f"{HREF}/resolve", {**conflict, "decision": "theirs"})
    assert "Doze" not in fila.text(NOTE)
    page = see(f"{HREF}/edit")
    assert "There is text of yours that was not saved." in page.text
    assert "Doze" in fields(see(f"{HREF}/edit", {"draft": "1"}).html)["text"]


def test_what_was_chosen_can_be_edited_first(fila, send, conflict):
    picks = {"pick-0": "theirs", "pick-1": "mine", "pick-2": "theirs"}
    page = send(f"{HREF}/resolve", {**conflict, **picks, "decision": "edit"}).content.decode()
    assert "Doze por vez.\n\nFim do agente.\n" in fields(page)["text"]
    assert send(f"{HREF}/edit", fields(page)).status_code == 302
    assert "Doze" in fila.text(NOTE)


def test_a_third_text_meanwhile_is_shown_too(fila, send, conflict, agent):
    agent("patch_page", path=NOTE, old="do agente", new="de novo")
    picks = {"pick-0": "theirs", "pick-1": "mine", "pick-2": "theirs"}
    answer = send(f"{HREF}/resolve", {**conflict, **picks, "decision": "choose"})
    assert answer.status_code == 409
    assert "Fim de novo." in answer.content.decode()


def test_a_secret_is_refused_by_rule_and_line_and_not_shown_again(fila, send, opened):
    text = TEXT.replace("Dez", f"Chave {KEY} e dez")
    answer = send(f"{HREF}/edit", {**opened, "text": crlf(text)})
    page = answer.content.decode()
    assert answer.status_code == 422
    assert "line 8" in page
    assert KEY not in page
    assert "Chave ••• e dez por vez." in page
    assert fila.text(NOTE) == TEXT


def test_a_broken_block_is_refused_with_the_text_and_the_line(fila, send, opened):
    answer = send(f"{HREF}/edit", {**opened, "text": TEXT.replace("type: concept", "type: [concept")})
    page = answer.content.decode()
    assert answer.status_code == 422
    assert "type: [concept" in fields(page)["text"]
    assert 'class="at-fault"' in page


def test_a_note_with_a_broken_block_opens_as_it_is(fila, see, send):
    fila.write(NOTE, TEXT.replace("type: concept", "type: [concept"))
    page = see(f"/path/{NOTE}/edit")
    assert 'class="at-fault"' in page.html
    assert send(f"/path/{NOTE}/edit", {**fields(page.html), "text": TEXT}).status_code == 302
    assert "type: concept\n" in fila.text(NOTE)


def test_the_preview_shows_the_typed_text_and_keeps_it(fila, send, see, opened):
    answer = send(
        f"{HREF}/preview", {**opened, "text": "# Novo\r\n\r\nVer [[Fila]] e [[Nada]]."}, **{"HX-Request": "true"}
    )
    part = answer.content.decode()
    assert f'href="{HREF}"' in part
    assert "/missing?title=Nada" in part
    assert fila.text(NOTE) == TEXT
    assert "# Novo" in fields(see(f"{HREF}/edit", {"draft": "1"}).html)["text"]


def test_a_secret_is_named_in_the_preview_and_kept_nowhere(fila, send, opened):
    part = send(f"{HREF}/preview", {**opened, "text": f"{TEXT}\n{KEY}\n"}).content.decode()
    assert "Line 12 may hold a secret" in part
    assert KEY not in part
    assert not list((fila.root / ".cabecao").glob("drafts/*.json"))


def test_nothing_of_a_private_note_is_kept(fila, send, see):
    fila.write(NOTE, TEXT.replace("type: concept", "type: concept\nprivate: true"))
    form = fields(see(f"{HREF}/edit").html)
    assert "data-private" in see(f"{HREF}/edit").html
    send(f"{HREF}/preview", {**form, "text": "Outro texto."})
    send(f"{HREF}/preview", {**form, "text": "Outro texto #private."})
    assert not list((fila.root / ".cabecao").glob("drafts/*.json"))


def test_a_kept_text_is_readable_by_its_user_alone_and_goes_when_saved(fila, send, opened):
    send(f"{HREF}/preview", {**opened, "text": "Outro."})
    (file,) = (fila.root / ".cabecao").glob("drafts/*.json")
    assert file.stat().st_mode & 0o777 == 0o600
    send(f"{HREF}/edit", {**opened, "text": TEXT.replace("Dez", "Onze")})
    assert not file.exists()


def test_a_kept_text_can_be_thrown_away(fila, send, see, opened):
    send(f"{HREF}/preview", {**opened, "text": "Outro."})
    send(f"{HREF}/discard")
    assert "There is text of yours" not in see(f"{HREF}/edit").text


def test_without_scripts_a_button_shows_the_preview(fila, send, opened):
    page = send(f"{HREF}/edit", {**opened, "text": "**Novo** texto.", "preview": "1"}).content.decode()
    assert "<strong>Novo</strong> texto." in page
    assert fields(page)["text"] == "**Novo** texto."
    assert fila.text(NOTE) == TEXT


def test_the_text_of_a_note_that_is_gone_is_shown_whole(fila, send, opened):
    (fila.root / NOTE).unlink()
    answer = send(f"{HREF}/edit", {**opened, "text": TEXT.replace("Dez", "Doze")})
    assert answer.status_code == 409
    assert "Doze por vez." in answer.content.decode()


def test_a_rule_wants_a_fresh_proof_and_the_text_waits_with_the_question(fila, send, see, person):
    fila.write("memory/rules/r.md", "---\nid: regra\ntype: rule\n---\n\nSirva quente.\n")
    form = fields(see("/n/regra/edit").html)
    session = person.session
    session["proved_at"] = "2020-01-01T00:00:00.000Z"
    session.save()
    assert proof.LIFETIME
    answer = send("/n/regra/edit", {**form, "text": form["text"].replace("quente", "frio")})
    assert answer.status_code == 403
    assert "Sirva frio." in answer.content.decode()
    assert "frio" not in fila.text("memory/rules/r.md")


def test_a_file_that_is_not_text_is_not_offered(fila, see):
    fila.write("wiki/Velha.md", b"caf\xe9\n")
    page = see("/path/wiki/Velha.md/edit")
    assert "<textarea" not in page.html
    assert "not UTF-8" in page.text


@pytest.mark.parametrize(
    "path", ["/n/nada/edit", "/path/wiki/Nada.md/edit", "/path/AGENTS.md/edit", "/path/.git/config/edit"]
)
def test_what_is_no_note_has_no_editor(fila, see, path):
    see(path, status=404)


def test_a_stranger_sees_and_saves_nothing(fila, stranger):
    assert "Dez" not in stranger.get(f"{HREF}/edit").content.decode()
    assert stranger.post(f"{HREF}/edit", {"text": "x"}).status_code in (302, 401, 403)
    assert fila.text(NOTE) == TEXT
