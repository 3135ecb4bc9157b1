"""A new note on its page: what is like it is seen before it is written, and it is written once, by the person."""

from __future__ import annotations

import html
import re

import pytest

KEY = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
TEXT = "Os consumidores do Atlas leem do SQS em lotes de 10 mensagens por chamada, com espera longa de 20 segundos."
OLD = "memory/procedures/Leitura em lote.md"
FACT = {"type": "fact", "subject": "Projeto Atlas", "predicate": "usa_fila", "object": "Kafka"}


@pytest.fixture
def lotes(brain):
    brain.note(OLD, TEXT, id="01KPTMDA406MCFZVF48S027CR9", type="procedure", title="Leitura em lote", scope="global")
    brain.note(
        "memory/facts/Fila.md",
        "O Atlas usa SQS.",
        id="01KPTMDA406MCFZVF48S027CR8",
        type="fact",
        scope="global",
        subject="Projeto Atlas",
        predicate="usa_fila",
        object="SQS",
        valid_from="2026-01-05",
    )
    brain.commit()
    return brain


def commits(brain) -> int:
    return int(brain.git("rev-list", "--count", "HEAD"))


def written(brain, folder: str) -> list[str]:
    return sorted(file.name for file in (brain.root / folder).glob("*.md"))


def seen_mark(page: str) -> str:
    return re.search(r'name="seen" value="([^"]+)"', page)[1]


def answers(page: str) -> list[str]:
    return [html.unescape(one) for one in re.findall(r'name="resolution" value="([^"]+)"', page)]


def test_a_note_is_written_in_one_commit_by_the_person_and_can_be_undone(lotes, send, see):
    before = commits(lotes)
    answer = send("/new", {"type": "gotcha", "title": "Prazo", "text": "O prazo vence às sextas.\r\n"})
    assert answer.status_code == 302
    assert commits(lotes) == before + 1
    log = lotes.git("log", "-1", "--format=%B")
    assert "Cabecao-Kind: human" in log
    assert "Cabecao-Op:" in log
    text = lotes.text("memory/gotchas/prazo.md")
    assert "origin: human" in text
    assert text.endswith("O prazo vence às sextas.\n")
    page = see(answer["Location"])
    assert page.heads == ["Prazo"]
    assert "Saved as gotcha." in page.text
    assert 'action="/undo"' in page.html


@pytest.mark.parametrize("kind", ["decision", "procedure", "gotcha", "synthesis"])
def test_a_type_brings_the_frame_of_its_text(see, kind):
    assert "\n## " in see("/new", {"type": kind}).html


def test_another_type_keeps_what_was_written_and_replaces_an_untouched_frame(send, see):
    frame = html.unescape(re.search(r"<textarea[^>]*>\n(.*?)</textarea>", see("/new").html, re.DOTALL)[1])
    page = send("/new", {"type": "decision", "text": frame, "shape": "1"}).content.decode()
    assert "## What was decided" in page
    page = send("/new", {"type": "fact", "text": "Meu texto.", "title": "Minha", "shape": "1"}).content.decode()
    assert "Meu texto." in page
    assert 'value="Minha"' in page
    assert 'name="subject"' in page


def test_a_frame_alone_is_no_note(lotes, send, see):
    frame = html.unescape(re.search(r"<textarea[^>]*>\n(.*?)</textarea>", see("/new").html, re.DOTALL)[1])
    assert send("/new", {"type": "gotcha", "text": frame}).status_code == 400
    assert not (lotes.root / "memory/gotchas").exists()


def test_what_is_like_it_is_shown_while_it_is_written_and_nothing_is(lotes, send):
    before = commits(lotes)
    page = send("/new/alike", {"type": "procedure", "text": TEXT.replace("10", "20")}).content.decode()
    assert "There are memories like this one." in page
    assert "Leitura em lote" in page
    assert "<html" not in page
    assert answers(page) == [
        "update:01KPTMDA406MCFZVF48S027CR9",
        "supersede:01KPTMDA406MCFZVF48S027CR9",
        "create",
    ]
    assert commits(lotes) == before
    assert (
        "Nothing like it is there." in send("/new/alike", {"type": "procedure", "text": "Bacalhau."}).content.decode()
    )


def test_without_scripts_the_first_submit_shows_it_and_the_second_does_what_is_said(lotes, send):
    before = commits(lotes)
    form = {"type": "procedure", "title": "Lotes de vinte", "text": TEXT.replace("10", "20")}
    answer = send("/new", form)
    page = answer.content.decode()
    assert answer.status_code == 409
    assert "There are memories like this one." in page
    assert "lotes de 20" in page
    assert commits(lotes) == before
    assert send("/new", {**form, "resolution": "create"}).status_code == 302
    assert commits(lotes) == before + 1
    assert len(written(lotes, "memory/procedures")) == 2


def test_mine_takes_the_place_of_the_one_that_is_there(lotes, send):
    form = {"type": "procedure", "text": TEXT.replace("10", "20")}
    update = answers(send("/new", form).content.decode())[0]
    answer = send("/new", {**form, "resolution": update})
    assert answer["Location"] == "/n/01KPTMDA406MCFZVF48S027CR9"
    assert "lotes de 20" in lotes.text(OLD)
    assert written(lotes, "memory/procedures") == ["Leitura em lote.md"]


def test_what_is_there_already_is_not_written_twice(lotes, send):
    answer = send("/new", {"type": "procedure", "text": TEXT})
    page = answer.content.decode()
    assert answer.status_code == 409
    assert "This is there already." in page
    assert 'href="/n/01KPTMDA406MCFZVF48S027CR9"' in page
    assert answers(page) == ["create"]
    assert written(lotes, "memory/procedures") == ["Leitura em lote.md"]


def test_a_text_that_has_all_of_another_is_joined_to_it_once_that_was_seen(lotes, send):
    more = f"{TEXT} Depois disso cada consumidor confirma o lote inteiro, ou devolve tudo para a fila de espera."
    form = {"type": "procedure", "text": more}
    page = send("/new", form).content.decode()
    assert "Yours has all that this note says, and more." in page
    assert "confirma o lote" not in lotes.text(OLD)
    assert send("/new", {**form, "seen": seen_mark(page)}).status_code == 302
    assert "confirma o lote" in lotes.text(OLD)


def test_a_fact_shows_the_one_whose_place_it_takes_before_it_is_saved(lotes, send, see):
    page = send("/new/alike", {**FACT, "valid_from": "2026-11-01"}).content.decode()
    assert "takes the place of one that holds now" in page
    assert "2026-11-01" in page
    assert "O Atlas usa SQS." in page
    assert send("/new", {**FACT, "valid_from": "2026-11-01"}).status_code == 409
    assert written(lotes, "memory/facts") == ["Fila.md"]

    answer = send("/new", {**FACT, "valid_from": "2026-11-01", "seen": seen_mark(page)})
    assert answer.status_code == 302
    assert "valid_until: 2026-11-01" in lotes.text("memory/facts/Fila.md").replace('"', "").replace("'", "")
    new = lotes.text("memory/facts/projeto-atlas-usa-fila-kafka.md")
    assert "supersedes:" in new
    assert new.endswith("Projeto Atlas usa_fila Kafka\n")


def test_what_changed_since_it_was_seen_is_shown_again(lotes, send, agent):
    mark = seen_mark(send("/new/alike", FACT).content.decode())
    agent("patch_page", path="memory/facts/Fila.md", old="SQS.", new="SQS, por ora.")
    answer = send("/new", {**FACT, "seen": mark})
    assert answer.status_code == 409
    assert "por ora" in answer.content.decode()
    assert written(lotes, "memory/facts") == ["Fila.md"]


def test_a_fact_of_two_parts_is_refused_with_what_was_typed(lotes, send):
    answer = send("/new", {**FACT, "object": "", "text": "Mais."})
    page = answer.content.decode()
    assert answer.status_code == 400
    assert "Nothing was changed" in page
    assert 'value="Projeto Atlas"' in page


def test_a_secret_is_named_by_its_line_written_nowhere_and_not_shown_again(lotes, send):
    before = commits(lotes)
    form = {"type": "gotcha", "text": f"Um.\r\nChave {KEY}"}
    live = send("/new/alike", form).content.decode()
    assert "Line 2 may hold a secret" in live
    answer = send("/new", form)
    assert answer.status_code == 422
    assert KEY not in live + answer.content.decode()
    assert "Chave •••" in answer.content.decode()
    assert commits(lotes) == before


def test_a_rule_wants_a_fresh_proof_and_the_form_waits_with_the_question(lotes, send, person):
    session = person.session
    session["proved_at"] = "2020-01-01T00:00:00.000Z"
    session.save()
    answer = send("/new", {"type": "rule", "title": "Testes", "text": "Rode os testes antes."})
    assert answer.status_code == 403
    assert "Rode os testes antes." in answer.content.decode()
    assert not (lotes.root / "memory/rules").exists()


def test_a_rule_with_a_fresh_proof_is_the_persons(lotes, send):
    assert send("/new", {"type": "rule", "title": "Testes", "text": "Rode os testes antes."}).status_code == 302
    assert "Rode os testes antes." in lotes.text("memory/rules/testes.md")


@pytest.mark.parametrize(
    ("text", "folder"),
    [
        ("Prefiro respostas curtas.", "memory/preferences"),
        ("Decidimos usar o SQS.", "memory/decisions"),
        ("Como publicar: rode o build.", "memory/procedures"),
        ("O prazo vence às sextas.", "memory/gotchas"),
    ],
)
def test_a_quick_note_is_of_the_type_that_its_text_says(lotes, send, text, folder):
    before = set(written(lotes, folder))
    assert send("/capture", {"type": "", "text": text}).status_code == 302
    assert len(set(written(lotes, folder)) - before) == 1


def test_a_quick_note_of_a_chosen_type_has_its_first_line_for_a_title(lotes, send, see):
    answer = send("/capture", {"type": "concept", "text": "Contrapressão\r\n\r\nQuem lê diz quanto aguenta."})
    assert see(answer["Location"]).heads == ["Contrapressão"]
    assert written(lotes, "wiki/concepts") == ["contrapressao.md"]


def test_the_guess_is_shown_while_one_writes(lotes, send):
    assert "Preference" in send("/new/alike", {"type": "", "text": "Prefiro chá."}).content.decode()


def test_a_quick_note_that_is_there_already_is_asked_about_with_all_fields(lotes, send):
    answer = send("/capture", {"type": "procedure", "text": TEXT})
    assert answer.status_code == 409
    assert 'action="/new"' in answer.content.decode()
    assert "This is there already." in answer.content.decode()


def test_every_page_leads_to_both_by_links_and_keys(see):
    for path in ("/", "/notes", "/settings"):
        page = see(path).html
        assert 'href="/capture" aria-label="Quick note" data-key="c"' in page
        assert 'data-key="n"' in page
    assert '/new?title=Xilindr%C3%B3"' in see("/missing?title=Xilindró").html
    assert 'value="Xilindró"' in see("/new?title=Xilindró").html


def test_a_stranger_sees_and_writes_nothing(lotes, stranger):
    for path in ("/new", "/capture"):
        assert stranger.get(path).status_code == 403
        assert stranger.post(path, {"type": "gotcha", "text": "x"}).status_code == 403
    assert stranger.post("/new/alike", {"text": TEXT}).status_code == 403
