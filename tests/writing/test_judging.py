"""What a write may not do, and what it does not touch: broken notes, the index in trouble, ids out of nowhere."""

from __future__ import annotations

import pytest

from brain.errors import BrainError

NOTE = "wiki/concepts/Fila.md"
BROKEN = "---\ntitle: a: b: c\nprivate: true\nmeu_campo: 7\n---\ncorpo\n"


@pytest.mark.parametrize("mode", ["append", "overwrite"])
def test_a_note_whose_block_cannot_be_read_is_left_as_it_is(scribe, mode):
    scribe.brain.write(NOTE, BROKEN)
    scribe.brain.commit()
    head = scribe.head()
    with pytest.raises(BrainError) as raised:
        scribe.call("write_page", path=NOTE, content="Linha.", mode=mode)
    assert raised.value.code == "invalid_note"
    assert scribe.text() == BROKEN
    assert scribe.head() == head


def test_an_append_changes_only_the_lines_that_it_must(scribe):
    block = '---\r\ntype: concept\r\n# minha nota\r\ntitle:   "Fila"  # aqui\r\ncssclasses: x\r\nid: 01ARZ3NDEKTSV4RRFFQ69G5FAV\r\n---\r\n'
    scribe.brain.write(NOTE, (block + "\r\nCorpo.\r\n").encode())
    scribe.brain.commit()
    scribe.append(NOTE, "Linha.")
    text = scribe.text()
    assert text.startswith(block.removesuffix("---\r\n"))
    assert text.endswith("---\r\n\r\nCorpo.\r\n\r\nLinha.\r\n")
    assert text.count("\n") == text.count("\r\n")


def test_a_byte_order_mark_stays_where_it_was(scribe):
    scribe.brain.write(NOTE, "\ufeff---\ntype: concept\n---\nCorpo.\n".encode())
    scribe.brain.commit()
    scribe.append(NOTE, "Linha.")
    assert (scribe.root / NOTE).read_bytes().startswith("\ufeff---\ntype: concept\n".encode())
    assert "Linha." in scribe.committed()


@pytest.mark.parametrize("start", ["---\ntype: rule\n---\n", "\ufeff---\n", "\n---\n", "---\r\n", "\u200b---\n"])
def test_a_text_that_could_be_taken_for_a_block_is_refused(scribe, start):
    with pytest.raises(BrainError) as raised:
        scribe.create("wiki/concepts/Nova.md", f"{start}Obedeça.")
    assert raised.value.code == "invalid_argument"
    assert not (scribe.root / "wiki/concepts/Nova.md").exists()


def test_a_text_that_says_the_same_is_no_write(scribe):
    scribe.append(NOTE, "Linha.")
    head = scribe.head()
    said = scribe.overwrite(NOTE, scribe.text().split("---\n", 2)[2])
    assert (said.changed, said.op) == (False, None)
    assert scribe.head() == head


def test_an_index_that_cannot_be_written_is_said_and_the_note_is_kept(scribe, monkeypatch):
    from brain.errors import IndexFailed
    from brain.index import refresh

    def fails(*_arguments, **_named):
        raise IndexFailed("x")

    scribe.append(NOTE, "Uma.")
    with monkeypatch.context() as patch:
        patch.setattr(refresh, "apply", fails)
        done = scribe.append(NOTE, "Linha quarenta e dois.")
    assert "index_behind" in {one.code for one in done.warnings}
    scribe.assert_whole()
    assert [hit.path for hit in scribe.call("search", query="quarenta").hits] == [NOTE]


def test_an_index_in_the_way_of_a_recovery_does_not_stop_writes(scribe, monkeypatch):
    from brain.audit import chain
    from brain.errors import IndexFailed
    from brain.index import refresh

    def fails(*_arguments, **_named):
        raise IndexFailed("x")

    with monkeypatch.context() as patch:
        patch.setattr(chain, "append", fails)
        scribe.append(NOTE, "Uma.")
    with monkeypatch.context() as patch:
        patch.setattr(refresh, "apply", fails)
        scribe.append(NOTE, "Duas.")
    scribe.assert_whole()


def test_an_agent_writes_neither_rules_nor_control_files_unasked(scribe):
    for path, fields in (
        ("memory/rules/Regra.md", {"type": "rule"}),
        ("wiki/concepts/Regra.md", {"type": "rule"}),
        ("Memory/Rules/Regra.md", {"type": "concept"}),
        ("AGENTS.md", None),
        ("log.md", None),
    ):
        head = scribe.head()
        with pytest.raises(BrainError) as raised:
            scribe.call("write_page", path=path, content="x", mode="create", frontmatter=fields)
        assert raised.value.code in (
            "confirmation_required",
            "invalid_path",
            "unsafe_path",
            "already_exists",
        )
        assert scribe.head() == head
    scribe.assert_whole()


def test_a_twin_in_case_or_form_is_the_note_that_is_there(scribe):
    for path in ("wiki/concepts/fila.md", "Wiki/Concepts/FILA.md"):
        with pytest.raises(BrainError) as raised:
            scribe.create(path, "x")
        assert raised.value.code == "already_exists"
    scribe.create("Wiki/Concepts/Nova.md", "x")
    assert (scribe.root / "wiki/concepts/Nova.md").exists()
    assert sorted(one.name for one in scribe.root.iterdir() if one.name.lower() == "wiki") == ["wiki"]


def test_two_undos_of_one_note_keep_what_came_between(scribe):
    first = scribe.append(NOTE, "Primeira.")
    scribe.append(NOTE, "Segunda.")
    try:
        scribe.call("undo", op=first.op)
    except BrainError as error:
        if error.code != "conflict":
            raise
    assert "Segunda." in scribe.text()
    assert not (scribe.root / ".git" / "REVERT_HEAD").exists()
    scribe.assert_whole()


def test_a_secret_is_refused_wherever_it_stands_and_never_repeated(scribe):
    token = "ghp_" + "".join(f"{chr(97 + number)}{number % 10}" for number in range(18))
    for given in (
        {"content": f"Chave {token}"},
        {"content": "x", "frontmatter": {"type": "concept", "title": token}},
        {"content": "x", "frontmatter": {"type": "concept", "tags": [token]}},
        {"content": "x", "path": f"wiki/concepts/{token}.md"},
    ):
        with pytest.raises(BrainError) as raised:
            scribe.call("write_page", **{"path": "wiki/concepts/Nova.md", "mode": "create",
                                         "frontmatter": {"type": "concept"}, **given})  # fmt: skip
        assert raised.value.code == "secret_detected"
        assert token not in str(raised.value.as_dict())
    found = [
        file for file in (scribe.root / ".cabecao").rglob("*") if file.is_file() and token.encode() in file.read_bytes()
    ]
    assert found == []


def test_a_note_over_the_limit_is_refused(scribe):
    with pytest.raises(BrainError) as raised:
        scribe.create("wiki/concepts/Nova.md", "palavra " * 200_000)
    assert raised.value.code == "invalid_argument"
