"""No text with a control character or half of a character pair is written, whichever operation it is given to."""

from __future__ import annotations

import json

import pytest

CONTROL = [chr(code) for code in (*range(0x09), 0x0B, 0x0C, *range(0x0E, 0x20), 0x7F)]
PAGE = {"path": "wiki/concepts/Fila.md", "content": "Um corpo.", "frontmatter": {"type": "concept", "title": "Fila"}}


def page(**more):
    return {**PAGE, "frontmatter": {**PAGE["frontmatter"], **more}}


def every_door(text):
    """What each writing operation may be given a text in."""
    yield "remember", {"content": f"Lembrar {text} disto.", "type": "gotcha"}, "content"
    yield "remember", {"content": "Lembrar disto.", "type": "gotcha", "title": f"Título {text}x"}, "title"
    yield "remember", {"content": "Lembrar disto.", "type": "gotcha", "tags": [f"a{text}b"]}, "tags"
    yield "write_page", {**PAGE, "content": f"Um {text} corpo."}, "content"
    yield "write_page", page(tags=[f"a{text}b"]), "frontmatter"
    yield "write_page", page(**{f"chave{text}": "x"}), "frontmatter"
    yield "write_page", page(nested={"a": [f"b{text}"]}), "frontmatter"
    yield "patch_page", {"path": "wiki/concepts/Velha.md", "old": "velho", "new": f"novo{text}"}, "new"
    yield "handoff_save", {"session_handle": "S1", "done": [f"Feito {text}."]}, "done"


@pytest.fixture
def old_note(ready):
    ready.note("wiki/concepts/Velha.md", "O velho\x0c texto.", type="concept", title="Velha")
    ready.commit()


@pytest.mark.parametrize("text", ["\x00", "\x1b", "\x7f", "\ud800"])
def test_no_operation_writes_it_and_the_refusal_names_the_argument(old_note, agent, person, refuses, text):
    for call in (agent, person):
        for name, arguments, field in every_door(text):
            error = refuses("invalid_argument", call, name, **arguments)
            assert f"“{field}" in error.message, (name, arguments)
            json.dumps(error.as_dict(), ensure_ascii=False).encode()


@pytest.mark.parametrize("sign", CONTROL)
def test_each_control_character_is_refused_in_a_body(agent, refuses, sign):
    error = refuses("invalid_argument", agent, "write_page", **{**PAGE, "content": f"Um {sign} corpo."})
    assert f"U+{ord(sign):04X}" in error.message


def test_tabs_and_line_ends_are_plain_text(ready, agent):
    done = agent("write_page", **{**PAGE, "content": "Um\tcorpo.\r\nDois.\nTrês.\n"})
    assert (ready.root / done.path).read_bytes().endswith(b"Um\tcorpo.\nDois.\nTr\xc3\xaas.\n")


def test_what_a_person_has_in_a_note_can_be_taken_out(old_note, ready, agent):
    agent("patch_page", path="wiki/concepts/Velha.md", old="velho\x0c texto", new="novo texto")
    assert "O novo texto." in ready.text("wiki/concepts/Velha.md")
