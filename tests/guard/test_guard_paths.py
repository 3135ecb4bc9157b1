from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain.errors import BrainError, InvalidPath, UnsafePath
from brain.guard import paths

UNSAFE = [
    "../fora.md",
    "wiki/../../fora.md",
    "wiki/../rules/x.md",
    "/tmp/fora.md",
    "//servidor/x.md",
    "~/fora.md",
    "C:\\fora.md",
    "c:/fora.md",
    "\\fora.md",
    "wiki\\..\\..\\fora.md",
    "wiki\\.git\\x.md",
    "wiki/%2e%2e/%2e%2e/fora.md",
    "wiki/%252E%252e/fora.md",
    "wiki%2ffora.md",
    "wiki%5cfora.md",
    "nota%00.md",
    ".git/nota.md",
    ".git/hooks/nota.md",
    ".GIT/hooks/x.md",
    ".Git./x.md",
    ".git /config.md",
    ".git::$INDEX_ALLOCATION/x.md",
    "git~1/x.md",
    "GIT~2/x.md",
    "wiki/.git/x.md",
    ".g\u200cit/config.md",
    ".g\u00adit/config.md",
    "\uff0egit/x.md",
    ".ｇｉｔ/x.md",
    "\uff0e\uff0e/x.md",
    "wiki\uff0f..\uff0f..\uff0ffora.md",
    "\u2025/x.md",
    ".\u200b./x.md",
    ".. /x.md",
    ".../x.md",
    ".cabecao/nota.md",
    ".CABECAO/nota.md",
    "./.cabecao/nota.md",
    "wiki/../.git/nota.md",
    "cabeca~1/x.md",
    ".git",
]
INVALID = [
    "",
    "./",
    "wiki/x",
    "wiki/x.txt",
    "wiki/x.md/",
    "wiki//x.md",
    "wiki/./x.md",
    "wiki/x.md ",
    "wiki/x.md.",
    "wiki /x.md",
    "wiki./x.md",
    "CON.md",
    "wiki/nul.md",
    "wiki/aux.x.md",
    "wiki/COM1.md",
    "wiki/lpt\u00b9.md",
    "con/x.md",
    "wiki/a:b.md",
    "a:b.md",
    "wiki/a?b.md",
    'wiki/a"b.md',
    "wiki/a|b.md",
    "wiki/a*b.md",
    "wiki/a<b>.md",
    "wiki\\x.md",
    "wiki/lo\u200bte.md",
    "wiki/lo\u202ete.md",
    "wiki/lo\x07te.md",
    "wiki/lo\nte.md",
    "wiki/lo\ufeffte.md",
    "wiki/lo\ufe0fte.md",
    "wiki/lo\u3164te.md",
    "wiki/lo\ud800te.md",
    "wiki/" + "l" * 400 + ".md",
    "wiki/" + "ç" * 100 + ".md",
    "/".join(["pasta" * 20] * 11) + "/x.md",
    "index.md",
    "INDEX.md",
    "wiki/Lote.conflict-maq-20261112-100000.md",
    "wiki/Lote.CONFLICT-maq-20261112-100000.md",
    ".obsidian/x.md",
    "wiki/.oculta.md",
    "wiki/.#x.md",
]
VALID = [
    "wiki/concepts/Idempotência.md",
    "x.md",
    "Nota.MD",
    "AGENTS.md",
    "log.md",
    "wiki/concepts/CLAUDE.md",
    "wiki/index.md",
    "-x.md",
    "--force.md",
    "wiki/🚀.md",
    "wiki/👩\u200d💻 trabalho.md",
    "wiki/❤\ufe0f.md",
    "wiki/1\ufe0f\u20e3.md",
    "wiki/Очередь.md",
    "wiki/队列.md",
    "wiki/Fim... mesmo.md",
    "wiki/100% certo.md",
    "wiki/git.md",
    "wiki/gitlab.md",
    "wiki/console.md",
    "wiki/Lote.conflict.md",
    "wiki/" + "ç" * 98 + ".md",
    ".github/copilot-instructions.md",
]


@pytest.mark.parametrize("path", UNSAFE)
def test_a_path_that_leaves_the_brain_is_unsafe(path: str) -> None:
    with pytest.raises(UnsafePath):
        paths.note_path(path)
    with pytest.raises(UnsafePath):
        paths.inside_path(path)


@pytest.mark.parametrize("path", INVALID)
def test_a_path_that_cannot_hold_a_note_is_invalid(path: str) -> None:
    with pytest.raises(InvalidPath):
        paths.note_path(path)


@pytest.mark.parametrize("path", VALID)
def test_a_good_path_stays_as_it_is(path: str) -> None:
    assert paths.note_path(path) == unicodedata.normalize("NFC", path)


def test_a_path_becomes_nfc_and_loses_a_leading_dot_slash() -> None:
    assert paths.note_path("./wiki/Configurac\u0327a\u0303o.md") == "wiki/Configuração.md"


@pytest.mark.parametrize(
    "path", ["O que é?.md", "a:b.md", ".obsidian/app.json", ".cabecao.json", ".gitignore", "index.md"]
)
def test_a_file_that_is_there_may_have_a_name_that_a_new_note_may_not(path: str) -> None:
    assert paths.inside_path(path) == path


def test_an_error_shows_what_is_invisible_and_keeps_a_long_path_short() -> None:
    with pytest.raises(InvalidPath) as hidden:
        paths.note_path("wiki/lo\u200bte.md")
    assert "\\u200b" in hidden.value.message
    with pytest.raises(BrainError) as long:
        paths.note_path("../" + "x" * 5000)
    assert len(long.value.message) < 400


@pytest.mark.parametrize("path", ["a.md", "A.MD", "Templates/x.md", "wiki/README.md", "wiki/log/x.md", "raw/articles/x.md",
                                  "memory/_archive/x.md", "wiki/Index.md", "logbook/x.md", "a.conflict-m-20261112-100000.md"])  # fmt: skip
def test_a_markdown_file_is_a_note(path: str) -> None:
    assert paths.is_note(path)


@pytest.mark.parametrize("path", ["a.txt", "a.md~", ".a.md.swp", ".#a.md", "a.tmp", ".git/x.md", ".cabecao/x.md", ".obsidian/x.md",
                                  "wiki/.trash/x.md", "index.md", "INDEX.md", "log.md", "log/2026-11.md", "README.md", "Readme.md",
                                  "AGENTS.md", "CLAUDE.md", "GEMINI.md", "md", ""])  # fmt: skip
def test_other_files_are_no_notes(path: str) -> None:
    assert not paths.is_note(path)


def test_folders_with_a_meaning_are_known_in_any_case() -> None:
    assert paths.is_archived("memory/_archive/x.md")
    assert paths.is_archived("Memory/_Archive/x.md")
    assert not paths.is_archived("memory/archive/x.md")
    assert paths.is_raw("raw/x.md")
    assert paths.is_raw("RAW/articles/x.md")
    assert not paths.is_raw("raw.md")
    assert not paths.is_raw("wiki/raw/x.md")


def test_a_conflict_copy_is_known_by_its_whole_form() -> None:
    assert paths.is_conflict_copy("wiki/Lote.conflict-maq-20261112-100000.md")
    assert paths.is_conflict_copy("Lote.conflict-casa-da-ana-20261112-100000-2.md")
    assert not paths.is_conflict_copy("wiki/Lote.conflict-maq.md")
    assert not paths.is_conflict_copy("wiki/conflict-maq-20261112-100000.md")


@given(st.text(max_size=60))
def test_whatever_is_accepted_is_stable_and_inside(text: str) -> None:
    try:
        path = paths.note_path(f"{text}.md")
    except (UnsafePath, InvalidPath):
        return
    assert paths.note_path(path) == path
    assert unicodedata.is_normalized("NFC", path)
    assert not path.startswith("/")
    assert not {"..", ".", "", ".git", ".cabecao"} & {part.casefold() for part in path.split("/")}


@given(
    st.lists(
        st.sampled_from(["..", ".", ".git", "/", "\\", "%2e", "\u200b", " ", "git~1", "a", ":", "\uff0e"]), max_size=8
    )
)
def test_no_mixture_of_tricks_leads_out(parts: list[str]) -> None:
    try:
        path = paths.inside_path("".join(parts) + "x.md")
    except (UnsafePath, InvalidPath):
        return
    parts_left = unicodedata.normalize("NFKC", path).replace("\u200b", "").replace("\\", "/").split("/")
    assert not {"..", ".git"} & {part.strip(" ") for part in parts_left}
