"""Texts for people, with code in them."""

import pytest
from django.utils.safestring import SafeString

from brain.web.templatetags.cabecao import with_code


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Run `cabecao open`, then load it.", "Run <code>cabecao open</code>, then load it."),
        ("`a` or `b`", "<code>a</code> or <code>b</code>"),
        ("one ` alone", "one ` alone"),
        ("<b> `<i>` & more", "&lt;b&gt; <code>&lt;i&gt;</code> &amp; more"),
        (SafeString("1 &lt; 2 `x`"), "1 &lt; 2 <code>x</code>"),
        ("", ""),
    ],
)
def test_what_stands_between_backticks_is_code_and_all_is_escaped(text, shown):
    assert with_code(text) == shown
