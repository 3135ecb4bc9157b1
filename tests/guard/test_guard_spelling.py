"""Signs that are not what they look like, found without a look at each sign of a text."""

from __future__ import annotations

import sys
import unicodedata

from brain.guard import spelling


def test_no_hidden_sign_and_no_lookalike_is_among_those_that_are_passed_over():
    signs = [chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code <= 0xDFFF]
    wanted = [sign for sign in signs if spelling.is_hidden(sign) or spelling.LOOKALIKE.match(sign)]

    assert [sign for sign in wanted if not spelling.deceiving(f"a{sign}")] == []


def test_no_letter_of_a_script_with_twins_is_passed_over():
    scripts = ("CYRILLIC ", "GREEK ", "ARMENIAN ", "CHEROKEE ")
    signs = map(chr, range(sys.maxunicode + 1))
    letters = [sign for sign in signs if sign.isalpha() and unicodedata.name(sign, "").startswith(scripts)]

    assert len(letters) > 500
    assert [sign for sign in letters if not spelling.deceiving(f"a{sign}b")] == []
