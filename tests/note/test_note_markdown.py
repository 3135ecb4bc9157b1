import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st
from note_pieces import PIECES

from brain.language import activate
from brain.note.links import Link
from brain.note.markdown import LinkView, render


def resolve(link: Link) -> LinkView:
    if link.target == "Nada":
        return LinkView("/nova?title=Nada", "ainda não existe", missing=True)
    if link.target == "Sem página":
        return LinkView(None, "sem página", missing=True)
    return LinkView("/n/1", link.target or "esta nota", missing=False)


def page(body, **options):
    return render(body, resolve=resolve, **options)


def test_headings_go_one_level_down_and_have_ids_of_their_own():
    assert re.findall(r'<(h\d) id="([^"]*)"', page("# Título é\n## Título é\n###### Seis\n# ???\n")) == [
        ("h2", "titulo-e"),
        ("h3", "titulo-e-2"),
        ("h6", "seis"),
        ("h2", "section"),
    ]


def test_a_heading_takes_no_id_of_the_page():
    assert '<h2 id="main-2">' in page("# Main\n", reserved_ids=["main"])


@pytest.mark.parametrize(
    ("written", "html"),
    [
        ("[[Fila]]", '<a class="wikilink" href="/n/1">Fila</a>'),
        ("[[Fila|a <fila>]]", '<a class="wikilink" href="/n/1" title="Fila">a &lt;fila&gt;</a>'),
        ("[[Fila#Custos]]", '<a class="wikilink" href="/n/1" title="Fila">Fila › Custos</a>'),
        ("![[Fila]]", '<a class="wikilink embed" href="/n/1">Fila</a>'),
        ("[[#Local]]", '<a class="wikilink" href="/n/1" title="esta nota">Local</a>'),
        ("[x](Fila%20A.md#b)", '<a class="wikilink" href="/n/1" title="Fila A.md">x</a>'),
        (
            "[[Nada]]",
            '<a class="wikilink missing" href="/nova?title=Nada">Nada<span class="visually-hidden"> (ainda não existe)</span></a>',
        ),
        (
            "[[Sem página]]",
            '<span class="wikilink missing">Sem página<span class="visually-hidden"> (sem página)</span></span>',
        ),
        ("[[]]", "[[]]"),
        ("`[[Fila]]`", "<code>[[Fila]]</code>"),
        ("\\[[Fila]]", "[[Fila]]"),
    ],
)
def test_each_form_of_link(written, html):
    assert page(written) == f"<p>{html}</p>\n"


def test_a_missing_markdown_link_says_so():
    html = render("[x](n.md)", resolve=lambda link: LinkView("/novo", "não existe", missing=True))
    assert (
        html
        == '<p><a class="wikilink missing" href="/novo">x<span class="visually-hidden"> (não existe)</span></a></p>\n'
    )


def test_resolve_is_asked_with_the_parts_of_the_link():
    asked = []
    render("![[A#b|c]] e [d](e.md#f)", resolve=lambda link: asked.append(link) or LinkView(None, "", missing=False))
    assert asked == [Link("e.md", heading="f", markdown=True), Link("A", "b", None, "c", embed=True)]


def test_an_alias_in_a_table_keeps_the_two_cells():
    html = page("| a | b |\n|---|--:|\n| [[Fila\\|a fila]] | x |\n")
    assert html.count("<td") == 2
    assert ">a fila</a></td>" in html
    assert '<td class="align-right">x</td>' in html


def test_a_table_scrolls_in_a_region_with_a_name():
    html = page("|a|\n|-|\n\n|b|\n|-|\n", table_label='Tabela "x"')
    assert '<div class="scroll" tabindex="0" role="region" aria-label="Tabela &quot;x&quot;"><table>' in html
    assert 'aria-label="Tabela &quot;x&quot; 2"' in html
    assert html.count("</table></div>") == 2


def test_tasks_have_a_disabled_box_inside_their_label():
    html = page("- [ ] a\n- [x] b\n")
    assert html.count('<li class="task-list-item"><label><input') == 2
    assert html.count("disabled=") == 2
    assert html.count("checked=") == 1


def test_footnotes_lead_there_and_back():
    html = page("Texto[^1].\n\n[^1]: nota\n")
    assert 'href="#fn1"' in html
    assert 'id="fn1"' in html
    assert 'href="#fnref1"' in html


def test_struck_text_and_local_anchors():
    assert page("~~a~~ [x](#T%C3%ADtulo)") == '<p><s>a</s> <a href="#titulo">x</a></p>\n'


def test_diagrams_and_code_stay_code():
    html = page('```mermaid\nA["<img src=x onerror=alert(1)>"]\n```\n\n    recuado\n')
    assert (
        '<pre tabindex="0"><code class="language-mermaid">A["&lt;img src=x onerror=alert(1)&gt;"]\n</code></pre>'
        in html
    )
    assert '<pre tabindex="0"><code>recuado\n</code></pre>' in html


def test_an_external_link_is_marked_and_gives_no_referrer():
    assert page("[x](https://a.test/y 'z')") == (
        '<p><a class="external" rel="noreferrer noopener" href="https://a.test/y" title="z">x</a></p>\n'
    )


def test_a_relative_link_that_is_no_note_leads_nowhere():
    assert "href" not in page("[sair](/logout) [x](//evil.test/)")


def test_an_image_names_its_host_and_is_not_fetched():
    with activate("en"):
        html = page("![alt <b>](https://evil.test/x.png?d=1) ![](img/a.png) ![x](http://[)")
    assert "<img" not in html
    assert '<span class="blocked-image">Image from evil.test, not loaded: alt &lt;b&gt;</span>' in html
    assert '<span class="blocked-image">Image img/a.png</span>' in html


@pytest.mark.parametrize(
    "attack",
    [
        "[a](javascript:alert(1))", "[a](JaVaScRiPt:alert(1))", "[a](java\tscript:alert(1))", "[a](data:text/html,<script>1</script>)",
        "[a](vbscript:x)", "<javascript:alert(1)>", "[[javascript:alert(1)]]", "[a](&#106;avascript:alert(1))", "![a](javascript:alert(1))",
        "<img src=x onerror=alert(1)>", "<svg onload=alert(1)>", "<a href=x hx-get=/y hx-trigger=load>z</a>", "<form action=/x><input></form>",
        "<iframe src=x></iframe>", '<p style="color:red">x</p>', '[a](https://a.test/"onclick="x)', '```a" onclick="x\n```', "[a](file:///etc/passwd)",
        '[[Fila|"><script>alert(1)</script>]]', "[^<script>]: x", "[x](a.md \"<script>\")", "<!-- <script> -->", "[a]: javascript:x\n\n[a]",
    ],
)  # fmt: skip
def test_no_script_comes_through(attack):
    html = page(attack)
    tags = re.findall(r"<[^>]*>", html)
    assert not [
        tag
        for tag in tags
        if re.search(r"script|\son\w+\s*=|hx-|style=|<(?:img|svg|form|iframe|!)", tag, re.IGNORECASE)
    ], html
    assert not re.search(r'href="(?!/n/1|https?:|#)', html), html


def test_an_address_that_the_page_gives_is_sanitised_too():
    html = render("[[x]]", resolve=lambda link: LinkView("javascript:alert(1)", "x", missing=False))
    assert "href" not in html


@pytest.mark.parametrize(
    "body",
    [">" * 5000 + " a", "- " * 3000 + "a", "[" * 50_000, "[[" * 50_000, "![" * 9000, "*a " * 10_000, "a\n\n" * 30_000, "# a\n" * 3000,
     "".join("`" * n for n in range(300)), "\n".join(" " * (2 * n) + "- x" for n in range(200)), "x" * 1_100_000, "a\0b", "\ud800"[:0]],
    ids=lambda body: repr(body[:6]),
)  # fmt: skip
def test_a_hostile_body_is_rendered(body):
    assert page(body) or not body


def test_an_ordinary_long_note_is_rendered_whole():
    body = "".join(
        f"## Parte {number}\n\nTexto *com* [[Fila]] e `código`.\n\n- um\n- dois\n\n" for number in range(1000)
    )
    html = page(body)
    assert html.count('class="wikilink"') == 1000
    assert '<h3 id="parte-999">' in html


def test_two_threads_render_apart():
    def one(number):
        return render(f"# T\n\n[[{number}]]", resolve=lambda link: LinkView(f"/n/{number}", link.target, missing=False))

    with ThreadPoolExecutor(8) as pool:
        pages = list(pool.map(one, range(100)))
    assert all(f'href="/n/{number}">{number}</a>' in html and 'id="t"' in html for number, html in enumerate(pages))


@given(st.one_of(PIECES, st.text(max_size=80)))
def test_any_text_becomes_html_without_script(body):
    html = page(body)
    assert not re.search(r"<(?:script|img|svg|iframe|form|style)|<[^>]*\son\w+=", html)


def test_a_text_nested_beyond_the_parser_is_shown_as_typed(monkeypatch):
    class Exhausted:
        def render(self, *_arguments):
            raise RecursionError

    monkeypatch.setattr("brain.note.markdown._parser", Exhausted)
    assert page("> <b>") == '<pre tabindex="0">&gt; &lt;b&gt;</pre>'


@pytest.mark.parametrize(
    "body",
    [
        "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 20_000,
        "a|b\n-|-\n" + "a\n" * 50_000,
        ("> " * 30 + "x\n\n") * 2_000,
        "- [ ] a\n" * 5_000,
        "- a\n" * 30_000,
        "a\n\n" * 30_000,
        "*a* " * 50_000,
        "`a` " * 50_000,
        "[" * 50_000,
        "]" * 500_000,
        "![a" * 20_000,
        "<http://a.b> " * 20_000,
        "[[Nota]] " * 20_000,
        "# T\n" * 50_000,
        "a" * 1_000_001,
    ],
    ids=lambda body: body[:12].strip(),
)
def test_a_text_that_would_keep_the_person_waiting_is_never_given_to_the_parser(monkeypatch, body):
    monkeypatch.setattr("brain.note.markdown._parser", None)

    assert page(body).startswith('<pre tabindex="0">')


def test_a_long_text_of_the_ordinary_kind_is_laid_out():
    section = "## Título\n\n" + "Uma frase comum com [[Nota]] e *ênfase*. " * 4 + "\n\n- um\n- dois\n\n"
    table = "| a | b | c |\n|---|---|---|\n" + "| 1 | 2 | 3 |\n" * 2_000

    assert "<h3" in page(section * 900)
    assert "<table>" in page(table)
