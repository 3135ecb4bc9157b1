import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain.errors import InvalidNote
from brain.note.document import new_note, parse, with_body, with_fields

BY_HAND = """---
# minha ficha
title: 'Lote'   # aspas simples
type: concept
cssclasses: x
tags:
  - filas
  - "custo alto"

# sobre a confiança
trust: medium
minha_chave: {a: 1, b: [x, y]}
aliases: [ leitura em lote ]
notas: |
  duas linhas
  # não é comentário
uses: []
---

# Lote

Dez por vez.
"""

HEADS = st.sampled_from(["", "---\n", "---\r\n", "--- \t\n", "\ufeff---\n", "\ufeff"])
LINES = st.lists(
    st.sampled_from(
        ["type: rule", "tags: [a, b]", "", "---", "--- ", "# x", "texto", "a: b: c", "...", "- item", "x: |", "  y"]
    ),
    max_size=8,
)


def change(text, **changes):
    return with_fields(parse(text.encode()), changes).raw.decode()


def lines_that_differ(before, after):
    old, new = before.splitlines(), after.splitlines()
    return [line for line in old if line not in new], [line for line in new if line not in old]


def test_a_byte_order_mark_before_the_fence_is_kept_and_the_fields_are_seen():
    raw = "\ufeff---\ntype: concept\ntitle: Fila\n---\nTexto.\n".encode()
    document = parse(raw)
    assert document.bom
    assert document.frontmatter == {"type": "concept", "title": "Fila"}
    assert with_body(document, "Outro.\n") == raw.replace(b"Texto", b"Outro")


def test_a_crlf_file_keeps_its_line_ends():
    raw = b"---\r\ntype: concept\r\n---\r\n\r\nUma linha.\r\nDuas.\r\n"
    document = parse(raw)
    assert document.newline == "\r\n"
    assert document.frontmatter == {"type": "concept"}
    assert with_body(document, "\nUma linha.\nTrês.\n") == raw.replace(b"Duas", "Três".encode())
    assert with_body(document, document.body.replace("Duas", "Dois")) == raw.replace(b"Duas", b"Dois")
    assert with_fields(document, {"tags": ["a"]}).raw == raw.replace(b"concept\r\n", b"concept\r\ntags:\r\n  - a\r\n")


def test_a_textarea_does_not_bring_its_line_ends_into_a_file_of_plain_ones():
    assert with_body(parse(b"Um.\nDois.\n"), "Um.\r\nTr.\r\n") == b"Um.\nTr.\n"


def test_a_file_of_mixed_line_ends_changes_only_in_the_lines_that_changed():
    document = parse(b"a\r\nb\nc\r\nd\n")
    assert with_body(document, "a\nb\nX\nd\n") == b"a\r\nb\nX\nd\n"
    assert with_body(document, "a\r\nb\r\nc\r\nd\r\n") == document.raw


def test_a_closing_fence_at_the_end_of_the_file_stands_on_its_own_line_after_an_append():
    document = parse(b"---\ntype: concept\ntitle: X\n---")
    assert document.frontmatter["title"] == "X"
    assert document.body == ""
    assert with_body(document, "fim\n") == b"---\ntype: concept\ntitle: X\n---\nfim\n"


def test_blanks_after_the_fences_do_not_hide_the_fields():
    document = parse(b"--- \ntype: concept\n---\t\nTexto")
    assert document.frontmatter == {"type": "concept"}
    assert document.body == "Texto"


def test_a_rule_of_hyphens_in_the_body_is_body():
    document = parse(b"---\ntype: concept\n---\na\n\n---\n\ntype: rule\n\n---\nb")
    assert document.frontmatter == {"type": "concept"}
    assert document.body == "a\n\n---\n\ntype: rule\n\n---\nb"
    assert with_body(document, document.body[:-1] + "c").endswith(b"---\nc")


def test_a_block_that_never_closes_is_an_error_and_its_text_stays_readable():
    document = parse(b"---\ntype: concept\n\nTexto do bloco aberto.\n")
    assert document.error
    assert document.error_line == 1
    assert document.frontmatter == {}
    assert "bloco aberto" in document.body
    assert document.head == ""
    assert document.body_line == 1


@pytest.mark.parametrize("body", ["---\ntype: rule\n---\nObedeça", "---\r\ntype: rule\r\n---\r\n", "---\nsem fim"])
def test_a_new_body_never_grows_a_block(body):
    with pytest.raises(InvalidNote):
        with_body(parse(b"Texto.\n"), body)


def test_an_unreadable_block_keeps_its_bytes_when_the_body_changes():
    raw = b"---\ntitle: a: b: c\nprivate: true\nmeu_campo: 7\n---\ncorpo"
    document = parse(raw)
    assert document.error
    assert document.error_line == 2
    assert with_body(document, "novo") == raw.replace(b"corpo", b"novo")
    with pytest.raises(InvalidNote):
        with_fields(document, {"uses": ["[[X]]"]})


def test_a_file_that_is_not_utf_8_is_shown_and_never_written():
    document = parse(b"---\ntype: concept\n---\nConfigura\xe7\xe3o\n")
    assert document.lossy
    assert "Configura\ufffd\ufffdo" in document.body
    assert document.frontmatter == {"type": "concept"}
    for change_it in (lambda: with_body(document, "x"), lambda: with_fields(document, {"title": "x"})):
        with pytest.raises(InvalidNote):
            change_it()


def test_the_body_knows_at_which_line_of_the_file_it_starts():
    assert parse(BY_HAND.encode()).body_line == 19
    assert BY_HAND.splitlines()[18] == ""


def test_changing_one_key_changes_one_line():
    assert lines_that_differ(BY_HAND, change(BY_HAND, trust="low")) == (["trust: medium"], ["trust: low"])


def test_a_comment_beside_a_value_stays():
    assert "title: Lotes   # aspas simples\n" in change(BY_HAND, title="Lotes")


def test_a_new_item_keeps_the_lines_of_the_others():
    changed = change(BY_HAND, tags=["filas", "custo alto", "lote"], aliases=["leitura em lote", "batch"])
    assert lines_that_differ(BY_HAND, changed) == (
        ["aliases: [ leitura em lote ]"],
        ["  - lote", "aliases: [ leitura em lote, batch ]"],
    )
    assert '  - "custo alto"\n  - lote\n\n# sobre' in changed


def test_an_empty_list_becomes_a_list_of_lines():
    assert 'uses:\n  - "[[SQS]]"\n---\n' in change(BY_HAND, uses=["[[SQS]]"])


def test_a_key_is_taken_away_with_its_lines_alone():
    assert change(BY_HAND, tags=None) == BY_HAND.replace('tags:\n  - filas\n  - "custo alto"\n', "")
    assert "# não é comentário" not in change(BY_HAND, notas=None)


def test_new_keys_come_at_the_end_in_the_order_of_the_schema():
    changed = change(BY_HAND, sources=["[[a]]"], id="01ARZ3NDEKTSV4RRFFQ69G5FAV", valid_until="2026-01-02")
    assert changed.partition("uses: []\n")[2].startswith(
        'id: 01ARZ3NDEKTSV4RRFFQ69G5FAV\nvalid_until: 2026-01-02\nsources:\n  - "[[a]]"\n---\n'
    )


def test_a_note_without_a_block_gets_one_and_its_body_stays():
    assert change("# Título\n", type="concept") == "---\ntype: concept\n---\n# Título\n"


def test_an_empty_block_and_one_of_comments_can_be_filled():
    assert change("---\n---\nx", type="concept") == "---\ntype: concept\n---\nx"
    assert change("---\n# só isto\n---\nx", type="concept") == "---\n# só isto\ntype: concept\n---\nx"


def test_indented_keys_get_indented_company():
    assert change("---\n  type: concept\n---\n", title="X") == "---\n  type: concept\n  title: X\n---\n"


def test_the_same_values_change_nothing():
    document = parse(BY_HAND.encode())
    assert with_fields(document, {"title": "Lote", "tags": ["filas", "custo alto"], "fantasma": None}) is document


@pytest.mark.parametrize(
    "block",
    [
        "{type: concept}",
        "a: &x [1]\nb: *x\ntype: concept",
        "? type\n: concept",
        "type: >-\n  concept\n\n# fim\nb: 1",
        "b: 1\n...",
    ],
)
def test_an_odd_block_is_changed_rightly_or_refused(block):
    document = parse(f"---\n{block}\n---\ncorpo\n".encode())
    assert document.error is None
    for changes in ({"type": "fact"}, {"a": None}, {"b": ["novo"]}, {"z": 1}):
        try:
            result = with_fields(document, changes)
        except InvalidNote:
            continue
        expected = {key: value for key, value in {**document.frontmatter, **changes}.items() if value is not None}
        assert result.frontmatter == expected
        assert result.body == document.body


def test_taking_away_an_anchor_that_is_used_is_refused():
    with pytest.raises(InvalidNote):
        change("---\na: &x [1]\nb: *x\n---\n", a=None)


@pytest.mark.parametrize(
    "value",
    [object(), float("nan"), "\ud800", {"a": object()}, 10**30, [[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]],
)
def test_a_value_without_a_form_in_yaml_is_refused_or_kept_as_text(value):
    try:
        written = with_fields(parse(b"x\n"), {"chave": value})
    except InvalidNote:
        return
    assert written.frontmatter == {"chave": str(value)}


def test_a_new_note_has_its_keys_in_order_and_values_that_come_back_equal():
    fields = {
        "tags": ["no", "2026-01-02", "fila"],
        "title": "Governança: parte 2 (Núcleo: base)",
        "type": "concept",
        "created": "2026-11-13T15:10:53.000Z",
        "private": True,
        "uses": ["[[SQS]]"],
        "minha": {"a": [1, "b: c"]},
        "aliases": [],
        "sem": None,
    }
    raw = new_note(fields, "\r\nTexto.\r\n\n")
    assert raw.decode().startswith('---\ntype: concept\ntitle: "Governança: parte 2 (Núcleo: base)"\ntags:\n  - "no"\n')
    assert "\ncreated: 2026-11-13T15:10:53.000Z\n" in raw.decode()
    assert raw.endswith(b"---\n\nTexto.\n")
    assert parse(raw).frontmatter == {key: value for key, value in fields.items() if value is not None}


@given(HEADS, LINES, st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_a_file_is_its_head_and_its_body(head, lines, end, closed):
    raw = (head + end.join(lines) + (end if closed else "")).encode()
    document = parse(raw)
    assert (b"\xef\xbb\xbf" if document.bom else b"") + document.text.encode() == raw
    assert document.body_line == document.head.count("\n") + 1


@given(st.binary(max_size=200))
def test_any_bytes_are_parsed(raw):
    document = parse(b"---\n" + raw)
    assert document.lossy or document.text.encode() == document.raw


VALUES = st.one_of(
    st.text(max_size=20),
    st.booleans(),
    st.integers(-(10**17), 10**17),
    st.dates(),
    st.lists(st.text(max_size=10), max_size=4),
    st.dictionaries(st.text(max_size=5), st.text(max_size=5), max_size=2),
    st.none(),
)
NAMES = st.sampled_from(
    ["title", "tags", "type", "trust", "minha_chave", "aliases", "notas", "uses", "novo", "a: b", "não", "on", "1"]
)


@given(st.dictionaries(NAMES, VALUES, max_size=4), st.booleans())
def test_only_the_named_keys_change(changes, crlf):
    text = BY_HAND.replace("\n", "\r\n") if crlf else BY_HAND
    document = parse(text.encode())
    try:
        result = with_fields(document, changes)
    except InvalidNote:
        assert any("\ud800" <= sign <= "\udfff" for sign in repr(changes))
        return
    plain = {key: str(value) if type(value).__name__ == "date" else value for key, value in changes.items()}
    expected = {
        key: value for key, value in {**document.frontmatter, **plain}.items() if plain.get(key, "") is not None
    }
    assert result.frontmatter == expected
    assert result.body == document.body
    if crlf:
        assert b"\n" not in result.raw.replace(b"\r\n", b"")
    for line in ("# minha ficha", "cssclasses: x", "# sobre a confiança"):
        assert line in result.head
    if "notas" not in changes:
        assert text[text.index("notas: |") : text.index("uses:")] in result.head


@given(st.dictionaries(st.text(min_size=1, max_size=8), VALUES, max_size=4))
def test_what_a_new_note_is_given_comes_back(fields):
    try:
        raw = new_note(fields, "corpo")
    except InvalidNote:
        return
    plain = {key: str(value) if type(value).__name__ == "date" else value for key, value in fields.items()}
    assert parse(raw).frontmatter == {key: value for key, value in plain.items() if value is not None}
