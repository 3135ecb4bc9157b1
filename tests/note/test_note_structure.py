import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from mdit_py_plugins.footnote import footnote_plugin
from note_pieces import PIECES

from brain.note import indented
from brain.note.structure import heading_path, scan, section


def texts(body):
    return [(one.level, one.text) for one in scan(body).headings]


def targets(body):
    return [link.target for link in scan(body).links]


def test_headings_have_level_text_line_and_places():
    body = "Antes.\r\n\r\n## Dois ##\r\ntexto\n# Um #x\n"
    first, second = scan(body).headings
    assert (first.level, first.text, first.line) == (2, "Dois", 3)
    assert body[first.start : first.content_start] == "## Dois ##\r\n"
    assert body[first.content_start :].startswith("texto")
    assert (second.level, second.text, second.line) == (1, "Um #x", 5)


def test_underlined_headings_are_headings_and_rules_are_not():
    assert texts("Título\n===\n\nOutro título\nem duas linhas\n---\n\ntexto\n\n---\nfim\n") == [
        (1, "Título"),
        (2, "Outro título em duas linhas"),
    ]
    assert texts("- item\n---\n> dito\n---\n1. um\n---\n---\n===\n") == []
    assert texts("# A\n---\nb\n---\n") == [(1, "A"), (2, "b")]


@pytest.mark.parametrize("line", ["#semespaco", "    # código", "####### sete", "\\# não", "texto # não"])
def test_what_only_looks_like_a_heading_is_none(line):
    assert texts(f"{line}\n") == []


def test_an_empty_heading_is_one():
    assert texts("#\n\n## \n\n### ###\n") == [(1, ""), (2, ""), (3, "")]


@pytest.mark.parametrize(
    "fence",
    ["```sh\n# instalar\n[[X]]\n```\n", "~~~\n# a\n```\n[[X]]\n~~~~\n", "````\n```\n# a [[X]]\n```\n````\n", "- ```\n  # a [[X]]\n  ```\n",
     "1. passo\n\n     ```\n     # a [[X]]\n     ```\n", "> ```\n> # a [[X]]\n> ```\n", "> ```\n> [[X]]\n\n", "```\r\n# a [[X]]\r\n```\r\n"],
)  # fmt: skip
def test_a_fence_hides_headings_and_links(fence):
    assert texts(fence + "# Fim\n") == [(1, "Fim")]
    assert targets(fence + "[[Depois]]\n") == ["Depois"]


def test_a_fence_that_never_closes_hides_the_rest():
    body = "# A\n```\n# b\n[[X]]\n"
    found = scan(body)
    assert texts(body) == [(1, "A")]
    assert found.links == ()
    assert found.fences == ((4, len(body)),)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("Texto.\n\n    [[A]]\n\n    `[[B]]`\n\n[[Depois]]", ["Depois"]),
        ("    [[A]]\r\n\r\n\t[[B]]\r\n[[Depois]]\r\n", ["Depois"]),
        ("# Título\n    [[A]]\n", []),
        ("- item\n\nTexto.\n\n    [[A]]\n", []),
        ("Texto\n    [[A]]\n", ["A"]),
        ("- item\n\n    [[A]]\n\n    - [[B]]\n        - [[C]]\n", ["A", "B", "C"]),
        ("1. item\ncontinua\n\n    [[A]]\n", ["A"]),
        ("Nota[^1].\n\n[^1]: Veja\n\n    [[A]]\n", ["A"]),
        ("- item\n  ```\n  x\n  ```\n\n    [[A]]\n", ["A"]),
    ],
)
def test_code_by_indentation_hides_links_and_a_lists_text_does_not(body, expected):
    assert targets(body) == expected


LINES = st.lists(
    st.sampled_from(
        ["", "", "    código", "\tcódigo", "      fundo", " \tcom tab", "texto", " texto", "- item", "  - item", "    - item", "-", "3. item", "> dito",
         ">", "# Título", "===", "---", "***", "* * *", "```", "    ```", "  ```", "| a |", "|---|", "[^1]: nota", "[x]: a.md", "<div>", "-\ttab"]
    ),
    max_size=12,
)  # fmt: skip


MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table").use(footnote_plugin, inline=False)


@given(LINES, st.sampled_from(["\n", "\r\n"]))
def test_whatever_is_taken_for_code_by_indentation_is_shown_as_code(lines, newline):
    body = newline.join(lines)
    shown = {
        number
        for token in MARKDOWN.parse(body)
        if token.type in {"code_block", "fence"}
        for number in range(*token.map)
    }
    for start, end in indented.spans(body, scan(body).fences):
        assert set(range(body.count("\n", 0, start), body.count("\n", 0, end) + 1)) <= shown


def test_three_ticks_with_ticks_after_them_open_no_fence():
    assert targets("```x``` [[A]]\n[[B]]\n") == ["A", "B"]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("`[[A]]` [[B]]", ["B"]),
        ("`` `[[A]]` `` [[B]]", ["B"]),
        ("` [[A]]", ["A"]),
        ("\\`[[A]]` [[B]]`", ["A"]),
        ("um ` só\n\n[[A]] `", ["A"]),
        ("- um ` só\n- [[A]] `", ["A"]),
        ("duas `linhas\n[[A]]` de código", []),
        ("`a``[[B]]` x", []),
    ],
)
def test_inline_code_hides_links_within_its_paragraph(body, expected):
    assert targets(body) == expected


@pytest.mark.parametrize(
    ("written", "target", "heading", "block", "label"),
    [
        ("[[Fila]]", "Fila", None, None, None),
        ("[[Fila|a fila]]", "Fila", None, None, "a fila"),
        ("[[Fila\\|a fila]]", "Fila", None, None, "a fila"),
        ("[[Fila#Custos]]", "Fila", "Custos", None, None),
        ("[[Fila#Custos|c]]", "Fila", "Custos", None, "c"),
        ("[[Fila^bloco1]]", "Fila", None, "bloco1", None),
        ("[[Fila#^bloco1]]", "Fila", None, "bloco1", None),
        ("[[pasta/Fila]]", "pasta/Fila", None, None, None),
        ("[[ Fila ]]", "Fila", None, None, None),
        ("[[Fila.md]]", "Fila.md", None, None, None),
        ("[[#Local]]", "", "Local", None, None),
        ("[[Fila|]]", "Fila", None, None, None),
        ("![[Fila]]", "Fila", None, None, None),
        ("[o texto](Outra%20nota.md#parte%20um)", "Outra nota.md", "parte um", None, "o texto"),
        ("[x](<com espaço.md>)", "com espaço.md", None, None, "x"),
        ("[x](../wiki/a_(b).md 'título')", "../wiki/a_(b).md", None, None, "x"),
        ("[a [b] c](n.md)", "n.md", None, None, "a [b] c"),
    ],
)
def test_each_form_of_link_has_its_parts_and_its_place(written, target, heading, block, label):
    body = f"Linha.\n\nVeja {written} aqui."
    (link,) = scan(body).links
    assert (link.target, link.heading, link.block, link.label) == (target, heading, block, label)
    assert body[link.start : link.end] == written
    assert link.line == 3
    assert link.embed == written.startswith("!")
    assert link.markdown == ("](" in written)


@pytest.mark.parametrize(
    "text",
    ["[[]]", "[[ ]]", "[[|x]]", "[[#]]", "\\[[A]]", "[[a\nb]]", "[x](https://a.test/b.md)", "[x](//a.test/b.md)", "[x](b.txt)", "[x](#local)",
     "[x](mailto:a@b.md)", "]([a.md)", "\\[x](a.md)", "(a.md)"],
)  # fmt: skip
def test_what_names_no_note_is_text(text):
    assert scan(text).links == ()


def test_a_link_by_reference_is_a_link_where_it_is_defined():
    body = "Veja [o erro][erro].\n\n[erro]: ./Erro%20um.md#parte\n[^1]: nota.md\n[x]: https://a.test/b.md\n"
    (link,) = scan(body).links
    assert (link.target, link.heading, link.label, link.line, link.markdown) == (
        "./Erro um.md",
        "parte",
        "erro",
        3,
        True,
    )
    assert body[link.start : link.end] == "[erro]: ./Erro%20um.md#parte"


def test_an_alias_in_a_table_is_one_link():
    (link,) = scan("| a | b |\n|---|---|\n| [[Fila\\|a fila]] | x |\n").links
    assert (link.target, link.label, link.line) == ("Fila", "a fila", 3)


NESTED = "# Raiz\n\n## Pai 1\n\n### Decisões – método\n\num\n\n## Pai 2\n\n### Decisões – método\n\ndois\n\n# Fim\n"


@pytest.mark.parametrize(
    ("wanted", "content"),
    [
        ("Pai 2 › Decisões – método", "dois"),
        ("Pai 1 › Decisões – método", "um"),
        ("Decisões – método", "um"),
        ("pai 2 › decisoes – metodo", "dois"),
        ("Raiz › Pai 2 › Decisões – método", "dois"),
        ("Raiz › Decisões – método", "um"),
        ("## Pai 2", "dois"),
    ],
)
def test_a_section_is_named_by_its_heading_or_its_path(wanted, content):
    found = section(NESTED, wanted)
    assert found is not None
    assert content in NESTED[found.start : found.end]
    assert NESTED[found.start] == "#"
    assert "# Fim" not in NESTED[found.start : found.end]


@pytest.mark.parametrize(
    "wanted", ["Nada", "Pai 1 › Pai 2", "Decisões – método › Pai 1", "", " › ", "Fim › Decisões – método"]
)
def test_a_section_that_is_not_there_is_none(wanted):
    assert section(NESTED, wanted) is None


def test_a_heading_with_the_separator_in_its_text_is_found():
    found = section("# A › B\n\nx\n", "A › B")
    assert found is not None
    assert found.title == "A › B"


def test_a_place_has_the_headings_above_it():
    structure = scan(NESTED)
    assert heading_path(structure, NESTED.index("dois")) == ("Raiz", "Pai 2", "Decisões – método")
    assert heading_path(structure, len(NESTED)) == ("Fim",)
    assert heading_path(scan("a\n\n# B\n"), 0) == ()


@pytest.mark.parametrize(
    "body",
    ["[[" * 50_000, "[[a " * 50_000, "a" * 5_000_000, "[a](b.md)" * 20_000, "[" + "]" * 200_000 + "](a.md)", "".join("`" * n + " " for n in range(1000)),
     "```\n" * 50_000, "a\n---\n" * 20_000, "\n" * 500_000, " " * 2_000_000 + "x", "    x\n\n" * 50_000, "- a\n    x\n" * 50_000, "\\" * 500_000 + "[[a]]", "> " * 100_000],
    ids=lambda body: repr(body[:8]),
)  # fmt: skip
def test_a_hostile_body_is_scanned(body):
    found = scan(body)
    assert all(0 <= link.start < link.end <= len(body) for link in found.links)


@given(PIECES)
def test_any_text_is_scanned_and_every_place_is_in_it(body):
    found = scan(body)
    places = [(one.start, one.content_start) for one in found.headings]
    for spans in (places, found.code, found.fences, [(link.start, link.end) for link in found.links]):
        assert all(0 <= start <= end <= len(body) for start, end in spans)
        assert all(one[1] <= other[0] for one, other in zip(spans, spans[1:], strict=False))
    for one in (*found.headings, *found.links):
        assert one.line == body.count("\n", 0, one.start) + 1
    for link in found.links:
        assert body[link.start : link.end].startswith(("[", "!["))
        assert link.markdown or body[link.end - 1] == "]"
        assert not any(start <= link.start < end for start, end in found.code)
    for heading in found.headings:
        assert heading.path[-1] == heading.text
        assert heading_path(found, heading.start) == heading.path
