"""Messages are Portuguese by default and English on request, completely."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from brain import language
from brain.language import gettext

ROOT = Path(__file__).resolve().parent.parent
PORTUGUESE = re.compile(r"\b(não|você|nota[s]?|cérebro|está|ção)\b|ção\b", re.IGNORECASE)


def catalogue():
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        import messages
    finally:
        sys.path.pop(0)
    return messages


def test_the_catalogue_is_complete_current_and_compiled():
    ran = subprocess.run([sys.executable, "scripts/messages.py", "check"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout[-2000:]


def test_a_text_in_the_code_is_english():
    texts = [one.id if isinstance(one.id, str) else one.id[0] for one in catalogue().collected() if one.id]
    assert not [text for text in texts if PORTUGUESE.search(text.replace("Cabeção", ""))]


@pytest.mark.parametrize(("name", "expected"), [("pt-br", "Nada foi alterado."), ("en", "Nothing was changed.")])
def test_a_message_comes_in_the_language_in_force(name, expected):
    with language.activate(name):
        assert gettext("Nothing was changed.") == expected


def test_portuguese_is_the_default_whatever_the_system_says(monkeypatch):
    monkeypatch.delenv("CABECAO_LANG", raising=False)
    monkeypatch.setenv("LANG", "en_US.UTF-8")
    assert language.DEFAULT == "pt-br"
    assert language.normalised("pt_BR") == "pt-br"
    assert language.normalised("fr") is None
