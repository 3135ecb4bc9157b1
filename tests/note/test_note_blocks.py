import re

import pytest
from hypothesis import given
from note_pieces import PIECES

from brain.note.blocks import MAX_TOKENS, citation, split
from brain.note.structure import scan
from brain.note.tokens import count


def texts(body):
    return [block.text for block in split(body)]


def test_paragraphs_lists_and_fences_are_blocks_under_their_headings():
    body = "Um.\n\n# A\n\nDois\nlinhas.\n## B\n- x\n- y\n\n```\na\n\nb\n```\nfim\n"
    found = split(body)
    assert [(block.text, block.heading_path, block.line) for block in found] == [
        ("Um.", (), 1),
        ("Dois\nlinhas.", ("A",), 5),
        ("- x\n- y", ("A", "B"), 8),
        ("```\na\n\nb\n```", ("A", "B"), 11),
        ("fim", ("A", "B"), 16),
    ]
    assert [block.ordinal for block in found] == [0, 1, 2, 3, 4]


def test_a_heading_with_nothing_under_it_is_a_block():
    assert [(block.text, block.heading_path) for block in split("# A\n## B\n\nx\n\n# C\n")] == [
        ("# A", ("A",)),
        ("x", ("A", "B")),
        ("# C", ("C",)),
    ]


def test_a_body_without_text_has_no_blocks():
    assert split("") == split(" \n\n\t\r\n") == ()


def test_crlf_parts_paragraphs_too():
    assert texts("Um.\r\n\r\nDois.\r\n") == ["Um.", "Dois."]


@pytest.mark.parametrize(
    "body",
    [
        "palavra " * 3000,
        "é" * 9000,
        "Uma frase. " * 2000,
        "- item\n" * 2000,
        "```\n" + "linha de código\n" * 500 + "```\n",
        "🚀" * 3000,
    ],
    ids=["words", "one word", "sentences", "list", "fence", "astral"],
)
def test_a_long_passage_is_cut_where_it_reads_well(body):
    found = split(body)
    assert len(found) > 1
    assert all(count(block.text) <= MAX_TOKENS for block in found)
    assert re.sub(r"\s", "", "".join(texts(body))) == re.sub(r"\s", "", body)
    if "." in body:
        assert all(block.text.endswith(".") for block in found)
    if body.startswith("-"):
        assert all(block.text.startswith("- item") for block in found)


def test_a_fence_that_fits_is_whole():
    fence = "```\n" + "a = 1\n\n" * 100 + "```"
    assert texts(f"Antes.\n\n{fence}\n\nDepois.") == ["Antes.", fence, "Depois."]


def test_a_new_first_paragraph_changes_no_other_citation():
    def citations(body):
        return {citation(2, "nota", 0, block.text) for block in split(body)}

    body = "## Parte\n\nO peixe nada.\n\nOutro parágrafo.\n"
    assert citations(body) < citations("Antes de tudo.\n\n" + body)
    assert citations(body) < citations(body.replace("\n\nO peixe", "\n\nNovo.\n\nO peixe"))


def test_a_citation_is_made_of_the_note_the_twin_and_the_text():
    made = citation(2, "nota", 0, "texto")
    assert re.fullmatch(r"r2-[0-9a-f]{12}", made)
    others = [citation(2, "outra", 0, "texto"), citation(2, "nota", 1, "texto"), citation(2, "nota", 0, "Texto")]
    assert len({made, *others}) == 4
    assert citation(3, "nota", 0, "texto") == made.replace("r2", "r3")


@pytest.mark.parametrize(
    "body",
    ["a" * 2_000_000, "\n" * 500_000, "a\n\n" * 20_000, "# a\n" * 20_000, "\n" + " " * 1_000_000 + "x"],
    ids=lambda body: repr(body[:5]),
)
def test_a_hostile_body_is_split(body):
    assert all(block.text for block in split(body))


@given(PIECES)
def test_blocks_and_headings_cover_the_text_in_order(body):
    structure = scan(body)
    found = split(body, structure)
    spans = sorted(
        [(block.start, block.end) for block in found] + [(one.start, one.content_start) for one in structure.headings]
    )
    covered = [body[start:end] for start, end in spans]
    ends = [block.end for block in found]
    assert all(one <= block.start for one, block in zip(ends, found[1:], strict=False))
    assert [block.ordinal for block in found] == list(range(len(found)))
    outside = list(body)
    for start, end in spans:
        outside[start:end] = " " * (end - start)
    assert not "".join(outside).strip(), covered
    for block in found:
        assert block.text == body[block.start : block.end] == block.text.strip() != ""
        assert block.line == body.count("\n", 0, block.start) + 1
