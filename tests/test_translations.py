"""Messages are Portuguese by default and English on request, completely."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from babel.messages import Catalog

from brain import language
from brain.language import gettext, ngettext
from cabecao_site.cli.__main__ import main
from cabecao_site.cli.commands import COMMANDS

ROOT = Path(__file__).resolve().parent.parent
PORTUGUESE = re.compile(r"\b(não|você|notas?|cérebro|está|uma|para|dos|da|das|que)\b|ção|ções|ência", re.IGNORECASE)
ENGLISH = re.compile(r"\b(the|and|of|is|are|it|was|with|this|what|which)\b", re.IGNORECASE)
# The parts of a help that are nobody's language: names of commands and options, and the lines of examples.
UNSPOKEN = re.compile(r"^  cabecao .*$|`[^`]*`|--?[a-z][\w-]*|Cabeção|\{[^}]*\}|“[^”]*”", re.MULTILINE)

CODE = """
told = f"{_('One')}: {n}"
_("Two" if given else "Three")
ngettext("%d four", "%d fours", n)
_(name or "")
"""
PAGE = """{% load i18n %}
{% blocktranslate count n=n trimmed %}
  one
{% plural %}
  {{ n }} ones
{% endblocktranslate %}
"""


@pytest.fixture(scope="module")
def messages() -> ModuleType:
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        import messages
    finally:
        sys.path.pop(0)
    return messages


@pytest.fixture(scope="module")
def texts(messages: ModuleType) -> list[str]:
    found = [one.id for one in messages.collected() if one.id]
    return [form for one in found for form in ((one,) if isinstance(one, str) else one)]


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "cabecao_site.cli", *arguments]
    spoken = {"PYTHONUTF8": "1", "LANG": "en_US.UTF-8", **environment}
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env={**os.environ, **spoken})


def catalogue(**translations: str) -> Catalog:
    catalog = Catalog(locale="pt_BR", charset="utf-8")
    for text, translation in translations.items():
        catalog.add(text, translation)
    return catalog


def test_the_catalogue_is_complete_current_and_compiled():
    command = [sys.executable, "scripts/messages.py", "check"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    assert ran.returncode == 0, ran.stdout[-2000:] + ran.stderr[-2000:]


def test_a_text_in_the_code_is_english(texts):
    assert len(texts) > 500
    assert [text for text in texts if PORTUGUESE.search(text.replace("Cabeção", ""))] == []


@pytest.mark.parametrize(
    ("text", "translation", "fault"),
    [
        ("One note.", "", "without a translation: One note."),
        ("%(count)d of %(total)d", "%(count)d de %(todas)d", "other placeholders: %(count)d of %(total)d"),
        ("%(count)d of %(total)d", "%(count)d", "other placeholders: %(count)d of %(total)d"),
        ("%(count)d of", "%(count)s de", "other placeholders: %(count)d of"),
        ("see %s", "veja", "other placeholders: see %s"),
        (" on a day", "num dia", "other blanks:  on a day"),
    ],
)
def test_a_fault_of_a_translation_is_found(messages, text, translation, fault):
    known = catalogue(**{text: translation})
    assert messages.faults(known, known) == [fault]


def test_a_text_that_is_new_or_gone_is_found(messages):
    found = messages.faults(catalogue(Old="Velho"), catalogue(New=""))
    assert found == ["not in the catalogue: New", "no longer used: Old"]


def test_texts_are_collected_from_f_strings_conditionals_and_templates(messages, tmp_path):
    code = tmp_path / "code.py"
    code.write_text(CODE)
    page = tmp_path / "page.html"
    page.write_text(PAGE)
    assert {found for found, _context in messages._texts(code)} == {"One", "Two", "Three", ("%d four", "%d fours")}
    assert [found for found, _context in messages._texts(page)] == [("one", "%(n)s ones")]


@pytest.mark.parametrize(("name", "expected"), [("pt-br", "Nada foi alterado."), ("en", "Nothing was changed.")])
def test_a_message_comes_in_the_language_in_force(name, expected):
    with language.activate(name):
        assert gettext("Nothing was changed.") == expected


@pytest.mark.parametrize(
    ("number", "expected"), [(0, "0 nota"), (1, "1 nota"), (2, "2 notas"), (1_000_000, "1000000 notas")]
)
def test_a_number_takes_its_form(number, expected):
    with language.activate("pt-br"):
        assert ngettext("%(count)d note", "%(count)d notes", number) % {"count": number} == expected


def test_the_system_does_not_choose_the_language():
    assert "uso: cabecao COMANDO" in run("--help").stdout
    assert "uso: cabecao COMANDO" in run("--help", CABECAO_LANG="fr").stdout
    assert "usage: cabecao COMMAND" in run("--help", CABECAO_LANG="en").stdout


@pytest.mark.parametrize(("name", "foreign"), [("en", PORTUGUESE), ("pt-br", ENGLISH)], ids=["en", "pt-br"])
@pytest.mark.parametrize("command", [None, *(one.name for one in COMMANDS)])
def test_a_help_holds_no_word_of_the_other_language(name, foreign, command, monkeypatch, capsys):
    monkeypatch.setenv("CABECAO_LANG", name)
    try:
        assert main([command, "--help"] if command else ["--help"]) == 0
    finally:
        language.configure(None)
    told = UNSPOKEN.sub("", capsys.readouterr().out)
    assert len(told) > 200
    assert [line for line in told.splitlines() if foreign.search(line)] == []
