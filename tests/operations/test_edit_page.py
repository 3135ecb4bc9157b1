"""edit_page: the person's whole text over the version that they opened, and the links to what it renames."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import pytest
from calling import SECRETS, calling

from brain.caller import Caller, Kind, Surface

NOTE = "wiki/Fila.md"
TEXT = "---\nid: 01KPTMDA406MCFZVF48S027CR9\ntype: concept\ntitle: Fila\norigin: human\n---\n\n## Uso\n\nDez por vez.\n"


def digest(brain, path=NOTE) -> str:
    return hashlib.sha256((brain.root / path).read_bytes()).hexdigest()


@pytest.fixture
def fila(ready):
    ready.write(NOTE, TEXT)
    ready.commit()
    return ready


@pytest.fixture
def edit(fila, person):
    def save(change, path=NOTE, **more):
        text = (fila.root / path).read_bytes().decode()
        return person("edit_page", path=path, text=change(text), base=digest(fila, path), **more)

    return save


@pytest.fixture
def stale(fila):
    """The person, whose proof is older than ten minutes."""
    return calling(replace(Caller(Kind.HUMAN, "web", Surface.WEB, connection="old"), proved=False))


def test_the_text_is_saved_in_one_commit_and_marked(fila, edit):
    count = fila.git("rev-list", "--count", "HEAD")
    answer = edit(lambda text: text.replace("Dez", "Vinte"))
    assert "Vinte por vez." in fila.text(NOTE)
    assert "updated:" in fila.text(NOTE)
    assert int(fila.git("rev-list", "--count", "HEAD")) == int(count) + 1
    assert answer.commit == fila.git("rev-parse", "HEAD").strip()


def test_the_same_text_writes_nothing(edit, unchanged):
    with unchanged():
        assert not edit(lambda text: text.replace("\n", "\r\n")).changed


def test_a_note_is_named_by_its_id_too(fila, person):
    person("edit_page", path="01KPTMDA406MCFZVF48S027CR9", text=TEXT.replace("Dez", "Duas"), base=digest(fila))
    assert "Duas por vez." in fila.text(NOTE)


def test_a_text_over_a_newer_version_is_a_conflict(fila, person, agent, refuses):
    opened = digest(fila)
    agent("patch_page", path=NOTE, old="Dez", new="Onze")
    error = refuses("conflict", person, "edit_page", path=NOTE, text=TEXT.replace("Dez", "Doze"), base=opened)
    assert error.details["digest"] == digest(fila)


def test_a_change_with_an_editor_is_a_conflict_too(fila, person, refuses):
    opened = digest(fila)
    fila.write(NOTE, TEXT.replace("Dez", "Onze"))
    refuses("conflict", person, "edit_page", path=NOTE, text=TEXT.replace("Dez", "Doze"), base=opened)


def test_the_files_own_line_ends_stay(fila, person):
    fila.write(NOTE, b"\xef\xbb\xbf" + TEXT.replace("\n", "\r\n").encode())
    text = TEXT.replace("Dez por vez.", "Dez.\n\nVinte.")
    person("edit_page", path=NOTE, text=text, base=digest(fila))
    raw = (fila.root / NOTE).read_bytes()
    assert raw.startswith(b"\xef\xbb\xbf---\r\n")
    assert raw.endswith(b"\r\n\r\nDez.\r\n\r\nVinte.\r\n")
    assert raw.count(b"\n") == raw.count(b"\r\n")


def test_lines_of_a_mixed_file_that_stay_keep_their_ends(fila, person):
    fila.write(NOTE, "um\r\ndois\ntrês\rquatro\n")
    person("edit_page", path=NOTE, text="um\r\ndois\r\ntrês\r\nquatro\r\ncinco\r\n", base=digest(fila))
    assert (fila.root / NOTE).read_bytes().endswith("um\r\ndois\ntrês\rquatro\ncinco\n".encode())


def test_what_cabecao_writes_stays_as_it_was_and_is_said(fila, edit):
    answer = edit(lambda text: text.replace("origin: human", "origin: agent:x\nedited_by: agent:y"))
    assert "origin: human\n" in fila.text(NOTE)
    assert "edited_by" not in fila.text(NOTE)
    assert {one.field for one in answer.warnings} == {"origin", "edited_by"}


def test_an_id_that_is_taken_out_comes_back(fila, edit):
    edit(lambda text: "Só texto.\n")
    assert "id: 01KPTMDA406MCFZVF48S027CR9\n" in fila.text(NOTE)
    assert fila.text(NOTE).endswith("---\nSó texto.\n")


def test_a_broken_block_is_refused_with_its_line(edit, unchanged):
    from brain.errors import InvalidNote

    with unchanged(), pytest.raises(InvalidNote) as raised:
        edit(lambda text: text.replace("type: concept", "type: [concept"))
    assert raised.value.details["line"] in range(2, 7)


def test_a_broken_block_can_be_mended(fila, person):
    fila.write(NOTE, TEXT.replace("type: concept", "type: [concept"))
    person("edit_page", path=NOTE, text=TEXT, base=digest(fila))
    assert "id: 01KPTMDA406MCFZVF48S027CR9\ntype: concept\n" in fila.text(NOTE)


def test_a_wrong_field_and_a_secret_are_refused(fila, person, refuses):
    given = {"path": NOTE, "base": digest(fila)}
    refuses("invalid_note", person, "edit_page", text=TEXT.replace("concept", "conceito"), **given)
    error = refuses("secret_detected", person, "edit_page", text=f"{TEXT}\n{SECRETS['github']}\n", **given)
    assert error.details["line"] == 12
    assert SECRETS["github"] not in str(error.as_dict())


def test_an_agent_never_does_it(fila, agent, refuses):
    refuses("human_only", agent, "edit_page", path=NOTE, text="x", base=digest(fila))


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("memory/rules/r.md", "---\ntype: rule\n---\n\nSirva quente.\n"),
        ("memory/preferences/p.md", "---\ntype: preference\n---\n\nPrefere chá.\n"),
        ("AGENTS.md", "Como é.\n"),
        ("wiki/CLAUDE.md", "Como é.\n"),
    ],
)
def test_what_instructs_agents_wants_a_fresh_proof(fila, stale, person, refuses, path, text):
    fila.write(path, text)
    fila.commit()
    error = refuses("human_only", stale, "edit_page", path=path, text=f"{text}Mais.\n", base=digest(fila, path))
    assert error.details["proof"] == "due"
    assert person("edit_page", path=path, text=f"{text}Mais.\n", base=digest(fila, path)).changed


def test_a_rule_that_the_person_saves_is_their_word(fila, edit, person):
    fila.write("memory/rules/r.md", "---\ntype: rule\n---\n\nSirva quente.\n")
    assert [one.path for one in person("attest").residents] == ["memory/rules/r.md"]
    edit(lambda text: text.replace("quente", "frio"), path="memory/rules/r.md")
    assert person("attest").residents == []


def test_links_to_a_renamed_heading_follow(fila, edit):
    fila.write("wiki/A.md", "Ver [[Fila#Uso|como]] e [[Fila]], [[#Uso]], `[[Fila#Uso]]`.\n")
    fila.write("notas/B.md", "Ver [uso](../wiki/Fila.md#uso) e [isto](../wiki/Fila.md#Uso).\n")
    fila.write("notas/C.md", '---\nuses: ["[[Fila#Uso]]"]\n---\n\nNada.\n')
    fila.commit()
    answer = edit(lambda text: text.replace("## Uso", "## Como se usa") + "\nVeja [[#Uso]].\n")
    assert fila.text("wiki/A.md") == "Ver [[Fila#Como se usa|como]] e [[Fila]], [[#Uso]], `[[Fila#Uso]]`.\n"
    assert (
        fila.text("notas/B.md") == "Ver [uso](../wiki/Fila.md#como-se-usa) e [isto](../wiki/Fila.md#Como%20se%20usa).\n"
    )
    assert "[[Fila#Como se usa]]" in fila.text("notas/C.md")
    assert fila.text(NOTE).endswith("Veja [[#Como se usa]].\n")
    assert [one.code for one in answer.warnings] == ["links_followed"]
    assert len(fila.git("show", "--name-only", "--format=").split()) == 5  # the four notes and log.md


def test_one_undo_takes_heading_and_links_back(fila, edit, person):
    fila.write("wiki/A.md", "Ver [[Fila#Uso]].\n")
    fila.commit()
    done = edit(lambda text: text.replace("## Uso", "## Emprego"))
    person("undo", op=done.op)
    assert fila.text("wiki/A.md") == "Ver [[Fila#Uso]].\n"
    assert fila.text(NOTE) == TEXT


def test_a_heading_that_goes_takes_no_link_to_another(fila, edit):
    fila.write("wiki/A.md", "Ver [[Fila#Uso]].\n")
    edit(lambda text: text.replace("## Uso\n\nDez por vez.", "Nada."))
    assert fila.text("wiki/A.md") == "Ver [[Fila#Uso]].\n"


def test_links_by_a_title_that_changes_follow(fila, edit):
    fila.write(
        "wiki/A.md", "---\nsubject: Fila de espera\npredicate: p\nobject: x\ntype: fact\n---\n\n[[Fila de espera]]\n"
    )
    fila.write("wiki/fila-1.md", "---\ntitle: Fila de espera\n---\n\nTexto.\n")
    fila.commit()
    edit(lambda text: text.replace("Fila de espera", "Fila única"), path="wiki/fila-1.md")
    assert "subject: Fila única\n" in fila.text("wiki/A.md")
    assert fila.text("wiki/A.md").endswith("\n[[Fila única]]\n")


def test_a_rule_whose_link_follows_is_vouched_for_only_if_it_was(fila, edit, person):
    for name in ("minha", "alheia"):
        fila.write(f"memory/rules/{name}.md", f"---\nid: {name}\ntype: rule\n---\n\nVeja [[Fila#Uso]].\n")
    fila.commit()
    person("attest", path="memory/rules/minha.md", yes=True)
    edit(lambda text: text.replace("## Uso", "## Emprego"))
    assert "[[Fila#Emprego]]" in fila.text("memory/rules/alheia.md")
    assert [one.path for one in person("attest").residents] == ["memory/rules/alheia.md"]
