"""patch_page: one exact passage, and not a byte beside it."""

from __future__ import annotations

import pytest
from calling import AGENT, SECRETS

from brain.errors import BrainError
from brain.note import document

PATH = "wiki/concepts/Lote.md"
BY_HAND = """---
# minha ficha
title: 'Lote'   # aspas simples
type: concept
cssclasses: x
tags:
  - filas
  - "custo alto"
notas: |
  duas linhas
  aqui
---

# Lote

Dez por vez.  \n
\tRecuo com tab e espaço no fim \n


Última linha.
"""


def body(brain, path: str = PATH) -> str:
    return document.parse((brain.root / path).read_bytes()).body


def patch(call, old: str, new: str, path: str = PATH, **more: object):
    return call("patch_page", path=path, old=old, new=new, **more)


def changed_lines(brain) -> list[str]:
    shown = brain.git("diff", "-U0", "HEAD~1", "HEAD", "--", PATH).splitlines()
    return [line for line in shown if line[:1] in "+-" and line[:3] not in ("+++", "---")]


def test_a_passage_is_replaced_in_one_commit_and_nothing_else_of_the_body(ready, agent):
    ready.write(PATH, BY_HAND)
    ready.commit()
    before = ready.git("rev-parse", "HEAD").strip()
    whole = body(ready)
    done = patch(agent, "Dez por", "Vinte por")
    assert (done.path, done.action, done.changed) == (PATH, "update", True)
    assert body(ready) == whole.replace("Dez por", "Vinte por")
    assert ready.git("rev-list", f"{before}..HEAD").split() == [done.commit]
    assert agent("search", query="vinte").hits[0].path == PATH


def test_the_block_keeps_its_bytes_but_for_cabecaos_own_marks(ready, agent):
    ready.write(PATH, BY_HAND)
    ready.commit()
    patch(agent, "Última", "Penúltima")
    block = ready.text(PATH).split("\n---\n")[0]
    assert block.startswith(BY_HAND.split("\n---\n", maxsplit=1)[0])
    added = block.removeprefix(BY_HAND.split("\n---\n", maxsplit=1)[0]).split()
    assert {line for line in added if line.endswith(":")} == {"id:", "updated:", "edited_by:", "trust:"}


def test_the_persons_own_patch_leaves_no_trace_of_an_agent(ready, person):
    ready.write(PATH, BY_HAND)
    patch(person, "Última", "Penúltima")
    assert "edited_by" not in ready.text(PATH)


def test_an_agent_leaves_a_trace_on_the_persons_note(ready, agent):
    ready.note(PATH, "Dez.", type="concept", origin="human", trust="high")
    done = patch(agent, "Dez", "Onze")
    known = document.parse((ready.root / PATH).read_bytes()).frontmatter
    assert (known["edited_by"], known["trust"]) == (AGENT, "medium")
    assert [one.code for one in done.warnings] == ["provenance_changed"]


def test_passage_and_replacement_are_literal(ready, agent):
    ready.note(PATH, r"Custo: $1 (um) [x] a.b \1 fim.", type="concept")
    patch(agent, r"$1 (um) [x] a.b \1", r"$0 \g<0> $& \n (dois)")
    assert body(ready).strip() == r"Custo: $0 \g<0> $& \n (dois) fim."


@pytest.mark.parametrize("old", ["Onze por vez.", "dez por vez.", "Dez  por vez.", "azul-escuro", "Dez por vez.\n\n\n"])
def test_what_is_not_in_the_body_letter_by_letter_is_not_found(ready, agent, refuses, old):
    ready.note(PATH, "Dez por vez.", type="concept", cor="azul-escuro")
    refuses("patch_not_found", agent, "patch_page", path=PATH, old=old, new="x")


@pytest.mark.parametrize(
    ("text", "old"), [("Dez. Outra. Dez.", "Dez."), ("aaa", "aa"), ("Um.\n\nUm.", "Um."), ("# A\n\nA", "A")]
)
def test_what_appears_twice_even_over_itself_is_ambiguous(ready, agent, refuses, text, old):
    ready.note(PATH, text, type="concept")
    refuses("ambiguous_patch", agent, "patch_page", path=PATH, old=old, new="x")


@pytest.mark.parametrize("path", ["wiki/concepts/Nada.md", "wiki/concepts/Lot.md", "memory/Lote.md"])
def test_a_note_that_is_not_there_is_never_another_one(ready, agent, refuses, path):
    ready.note(PATH, "Dez.", type="concept")
    refuses("not_found", agent, "patch_page", path=path, old="Dez", new="x")


@pytest.mark.parametrize("arguments", [{"old": ""}, {"old": None}, {"new": None}, {"section": " "}, {"extra": 1}])
def test_wrong_arguments_are_refused(ready, agent, refuses, arguments):
    ready.note(PATH, "Dez.", type="concept")
    refuses("invalid_argument", agent, "patch_page", **{"path": PATH, "old": "Dez", "new": "x", **arguments})


@pytest.mark.parametrize(
    ("code", "path"),
    [
        ("unsafe_path", "../fora.md"),
        ("unsafe_path", "/etc/x.md"),
        ("unsafe_path", ".git/config.md"),
        ("invalid_path", "index.md"),
        ("invalid_path", "wiki/concepts/Lote.txt"),
        ("invalid_path", "wiki/concepts/Lote.conflict-maq-20261112-100000.md"),
    ],
)
def test_paths_that_hold_no_note_are_refused(agent, refuses, code, path):
    refuses(code, agent, "patch_page", path=path, old="a", new="b")


def test_crlf_is_kept_also_where_the_passage_was_and_the_diff_has_one_line(ready, person):
    ready.write(
        PATH, b"---\r\ntype: concept\r\nid: 01KPTMDA406MCFZVF48S027CR0\r\n---\r\n\r\nUm.\r\nDois.\r\nTr\xc3\xaas.\r\n"
    )
    ready.commit()
    patch(person, "Um.\nDois.", "Um.\nDuas.")
    raw = (ready.root / PATH).read_bytes()
    assert raw.endswith("\r\n\r\nUm.\r\nDuas.\r\nTrês.\r\n".encode())
    assert raw.count(b"\n") == raw.count(b"\r\n")
    assert [line.strip() for line in changed_lines(ready) if "updated" not in line] == ["-Dois.", "+Duas."]


def test_a_byte_order_mark_is_kept(ready, agent):
    ready.write(PATH, b"\xef\xbb\xbf---\ntype: concept\ntitle: Fila\n---\nTexto.\n")
    patch(agent, "Texto", "Outro")
    assert (ready.root / PATH).read_bytes().startswith(b"\xef\xbb\xbf---\ntype: concept\ntitle: Fila\n")
    assert body(ready) == "Outro.\n"


def test_rules_inside_the_body_stay_in_the_body(ready, agent):
    ready.note(PATH, "a\n\n---\n\ntype: rule\n\n---\nbê", type="concept")
    patch(agent, "bê", "cê")
    assert body(ready).strip() == "a\n\n---\n\ntype: rule\n\n---\ncê"
    assert document.parse((ready.root / PATH).read_bytes()).frontmatter["type"] == "concept"


def test_a_patch_makes_no_rule_of_a_note_that_speaks_of_types(ready, agent):
    ready.note(PATH, "type: concept", type="concept")
    patch(agent, "type: concept", "type: rule")
    assert document.parse((ready.root / PATH).read_bytes()).frontmatter["type"] == "concept"
    assert agent("recall", task="x").rules == []


@pytest.mark.parametrize(
    "new", ["---\ntype: rule\norigin: human\n---\n", "\ufeff---\ntype: rule\n---\n", "\n---\na: 1\n---\n"]
)
def test_a_note_never_grows_a_block_by_a_patch(ready, agent, person, refuses, new):
    ready.write(PATH, "INICIO\n\nTexto da nota.\n")
    for call in (agent, person):
        refuses("invalid_argument", call, "patch_page", path=PATH, old="INICIO\n", new=new)


@pytest.mark.parametrize(
    "raw", [b"---\ntitle: a: b: c\nprivate: true\nmeu_campo: 7\n---\ncorpo", b"---\ntitle: x\ncorpo", b"corpo \xe7\n"]
)
def test_what_cannot_be_read_is_never_rewritten(ready, agent, refuses, raw):
    file = ready.write(PATH, raw)
    refuses("invalid_note", agent, "patch_page", path=PATH, old="corpo", new="texto")
    assert file.read_bytes() == raw


def test_a_secret_in_two_patches_is_seen_whole(ready, agent, refuses):
    first, second = SECRETS["aws"][:8], SECRETS["aws"][8:]
    ready.note(PATH, "Chave e fim.", type="concept")
    patch(agent, "Chave e", f"Chave {first} e")
    refuses("secret_detected", agent, "patch_page", path=PATH, old=" e fim.", new=f"{second} e fim.")


@pytest.mark.parametrize("name", sorted(SECRETS))
def test_a_secret_is_refused_and_not_repeated(ready, agent, refuses, name):
    ready.note(PATH, "Chave aqui.", type="concept")
    new = f"{SECRETS[name]} <!-- cabecao:allow-secret -->"
    error = refuses("secret_detected", agent, "patch_page", path=PATH, old="aqui", new=new)
    assert SECRETS[name] not in str(error.as_dict())


@pytest.mark.parametrize("path", ["memory/rules/minha.md", "raw/articles/artigo.md", "AGENTS.md", "wiki/CLAUDE.md"])
def test_what_needs_the_persons_request_is_not_patched_by_an_agent_alone(ready, agent, path):
    ready.write(path, "Texto antigo.\n")
    before = ready.text(path)
    with pytest.raises(BrainError) as raised:
        patch(agent, "antigo", "novo", path=path)
    assert raised.value.code in {"rule_requires_human", "human_only", "confirmation_required"}
    assert ready.text(path) == before


def test_the_persons_edit_between_read_and_patch_survives_as_theirs(ready, agent):
    ready.note(PATH, "Primeira linha.\n\nSegunda linha.", type="concept")
    ready.commit()
    agent("read", path=PATH)
    ready.write(PATH, ready.text(PATH).replace("Primeira linha.", "Primeira linha, minha."))
    patch(agent, "Segunda linha.", "Segunda, do agente.")
    assert body(ready).strip() == "Primeira linha, minha.\n\nSegunda, do agente."
    assert ready.git("log", "-2", "--format=%an").split("\n")[1] == "Ana"


def test_an_edit_that_a_patch_passed_by_is_still_not_overwritten(ready, agent, refuses):
    ready.note(PATH, "Primeira linha.\n\nSegunda linha.", type="concept")
    agent("read", path=PATH)
    ready.write(PATH, ready.text(PATH).replace("Primeira linha.", "Primeira linha, minha."))
    patch(agent, "Segunda linha.", "Segunda, do agente.")
    refuses("conflict", agent, "write_page", path=PATH, content="Tudo meu.", mode="overwrite")


def test_a_patch_of_a_note_never_shown_shows_nothing_and_one_of_a_known_text_keeps_it_known(ready, agent):
    ready.note(PATH, "Dez. Vinte.", type="concept")
    patch(agent, "Dez", "Onze")
    ready.write(PATH, ready.text(PATH).replace("Vinte", "Trinta"))
    assert agent("write_page", path=PATH, content="Dez. Vinte.", mode="overwrite").changed
    patch(agent, "Dez", "Onze")
    assert agent("write_page", path=PATH, content="Tudo.", mode="overwrite").changed


def test_a_passage_that_the_person_changed_since_it_was_shown_is_a_conflict(ready, agent, other_agent, refuses):
    ready.note(PATH, "Primeira linha.", type="concept")
    agent("read", path=PATH)
    ready.write(PATH, ready.text(PATH).replace("Primeira linha.", "Primeira linha, minha."))
    refuses("conflict", agent, "patch_page", path=PATH, old="Primeira linha.", new="x")
    refuses("patch_not_found", other_agent, "patch_page", path=PATH, old="Primeira linha.", new="x")


TWO_PARENTS = "# Pai 1\n\n## Decisões – método\n\nDez.\n\n# Pai 2\n\n## Decisões – método\n\nDez.\n\n### Mais\n\nDez!\n\n## Fim\n\nDez."


def test_a_section_bounds_the_passage_as_read_shows_it(ready, agent, refuses):
    ready.note(PATH, TWO_PARENTS, type="concept")
    named = "Pai 2 › Decisões – método"
    assert agent("read", path=PATH, section=named).note.content.count("Dez") == 2
    refuses("ambiguous_patch", agent, "patch_page", path=PATH, old="Dez", new="x", section=named)
    patch(agent, "Dez.", "Vinte.", section=named)
    head, _, tail = TWO_PARENTS.partition("# Pai 2")
    assert body(ready).strip() == f"{head}# Pai 2{tail.replace('Dez.', 'Vinte.', 1)}"
    refuses("patch_not_found", agent, "patch_page", path=PATH, old="Fim", new="x", section=named)
    refuses("not_found", agent, "patch_page", path=PATH, old="Dez", new="x", section="Pai 3")


def test_the_same_text_again_writes_nothing(ready, agent, unchanged):
    ready.note(PATH, "Dez.", type="concept")
    ready.commit()
    with unchanged():
        done = patch(agent, "Dez.", "Dez.")
    assert (done.changed, done.op, done.commit) == (False, None, None)


def test_blank_lines_at_the_end_count(ready, agent):
    ready.write(PATH, "---\ntype: concept\n---\nDez.\n\n\n")
    assert patch(agent, "Dez.\n\n\n", "Dez.\n").changed
    assert body(ready) == "Dez.\n"


def test_files_that_look_like_options_are_files(ready, agent):
    for name in ("wiki/-x.md", "wiki/--force.md"):
        ready.note(name, "Dez.", type="concept")
        patch(agent, "Dez", "Onze", path=name)
        assert body(ready, name).strip() == "Onze."


def test_undo_takes_a_patch_back_to_the_byte(ready, agent):
    ready.write(PATH, BY_HAND)
    ready.commit()
    done = patch(agent, "Dez por", "Vinte por")
    agent("undo", op=done.op)
    assert ready.text(PATH) == BY_HAND
