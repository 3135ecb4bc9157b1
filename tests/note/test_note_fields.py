from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain.note.document import parse
from brain.note.fields import is_private, own_keys, read, without_markup
from brain.note.schema import KEYS, TYPES, in_order, problems
from brain.note.validity import Validity, validity


def fields(block, body="", path="memory/gotchas/Nota.md"):
    return read(parse(f"---\n{block}\n---\n{body}".encode()), path)


def faulty(**frontmatter):
    return [problem.field for problem in problems(frontmatter)]


@pytest.mark.parametrize(
    ("block", "tags"),
    [
        ("tags:", ()),
        ("tags: fila", ("fila",)),
        ("tags: a, b", ("a", "b")),
        ("tags: [1, no, 2026-01-02]", ("1", "no", "2026-01-02")),
        ("tags: {a: b}", ()),
        ("tags: ['#fila', fila, ~]", ("fila",)),
        ("tag: fila\ntags: [x]", ("x", "fila")),
    ],
)
def test_tags_of_odd_shapes_become_texts(block, tags):
    assert fields(block).tags == tags


def test_a_mapping_of_tags_is_a_problem():
    assert faulty(tags={"a": "b"}) == ["tags"]
    assert faulty(tags=[1, "no", None]) == []


@pytest.mark.parametrize("title", ["no", "010", "1e3", "12:30", "true", "7"])
def test_a_title_is_the_text_that_was_written(title):
    assert fields(f"title: {title}").title == title


def test_aliases_are_texts_and_null_is_none():
    assert fields("aliases: [on, ~]\nalias: Outra").aliases == ("on", "Outra")


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("---\ntitle: Dado\n---\n# Do corpo\n", "Dado"),
        ("---\ntitle:\n---\n## Dois\n# Do corpo #\n", "Do corpo"),
        ("```\n# código\n```\nSublinhado\n===\n", "Sublinhado"),
        ("## Só dois\n", "Nota.Um"),
        ("## Livros\n\n# Recortes\n\n# Episódios\n", "Nota.Um"),
        ("\n# Uso\n\n# Fim\n", "Uso"),
        (
            "# Entendendo _Ownership_ e `match` com [Rust](x.md), snake_case\n",
            "Entendendo Ownership e match com Rust, snake_case",
        ),
        ("", "Nota.Um"),
    ],
)
def test_a_title_is_given_or_the_first_heading_or_the_files_name(text, title):
    assert read(parse(text.encode()), "wiki/Nota.Um.md").title == title


def test_a_type_is_known_in_any_case_and_kept_when_it_is_not():
    assert fields("type: Rule").type == "rule"
    assert fields("type: poema").type == "poema"
    assert fields("type: [rule]").type is None
    assert fields("type: concept\ntype: rule").type is None


def test_links_without_quotes_are_links():
    found = fields(
        "uses: [[SQS]]\npart_of:\n  - [[Projeto Atlas]]\n  - '[[B]]'\nsubject: [[Atlas]]\nsources: [[a, b]]\nsupersedes: []"
    )
    assert found.relations == {"uses": ("[[SQS]]",), "part_of": ("[[Projeto Atlas]]", "[[B]]")}
    assert found.subject == "[[Atlas]]"
    assert found.sources == ("[[a, b]]",)


def test_relation_types_of_the_brain_are_relations_too():
    document = parse(b"---\nmentors: '[[Ana]]'\nuses: x\n---\n")
    assert read(document, "a.md").relations == {"uses": ("x",)}
    assert read(document, "a.md", relation_types=("mentors",)).relations == {"uses": ("x",), "mentors": ("[[Ana]]",)}


def test_what_has_the_wrong_form_has_its_default():
    found = fields(
        "scope: projeto atlas\ntrust: altíssima\nvalid_until: 2026-02-31\nring: 9\nretention: dois anos\nid: [a]\norigin:"
    )
    assert (found.scope, found.trust, found.valid_until, found.ring, found.retention, found.id, found.origin) == (
        "global", None, None, None, None, None, None,
    )  # fmt: skip


def test_every_known_field_is_read():
    found = fields(
        "id: 01ARZ3NDEKTSV4RRFFQ69G5FAV\nscope: project:atlas\ntrust: high\nvalid_from: 2026-01-02\nring: 3\nretention: P2Y\n"
        "confirmed: true\nbereich: vendas\npii: [cpf]\nsuperseded_by: '[[b]]'\ncreated: 2026-01-02T10:00:00Z"
    )
    assert (found.id, found.scope, found.trust, found.valid_from) == (
        "01ARZ3NDEKTSV4RRFFQ69G5FAV",
        "project:atlas",
        "high",
        date(2026, 1, 2),
    )
    assert (found.ring, found.retention, found.confirmed, found.bereich, found.pii) == (
        3,
        "P2Y",
        "true",
        "vendas",
        ("cpf",),
    )
    assert found.superseded_by == ("[[b]]",)
    assert found.created == "2026-01-02T10:00:00Z"


@pytest.mark.parametrize(
    ("block", "body"),
    [
        ("private: true", ""), ("Private: Sim", ""), ("PRIVATE: yes", ""), ("private: verdadeiro", ""), ("private: 1", ""),
        ("private: [true]", ""), ("private: 'on'", ""), ("tags: [private]", ""), ("tags: ['#private/saude']", ""), ("tag: Private", ""),
        ("a: b", "Veja #private aqui."), ("a: b", "#Private/saude"),
    ],
)  # fmt: skip
def test_a_note_is_private_by_key_tag_or_text(block, body):
    assert fields(block, body).private


@pytest.mark.parametrize(
    ("block", "body"),
    [
        ("private: false", ""), ("private:", ""), ("private: talvez", ""), ("meta: {private: true}", ""), ("cssclasses: [private]", ""),
        ("tags: [privado, privateer]", ""), ("a: b", "#privateer, x#private, /#private e #private-x"),
    ],
)  # fmt: skip
def test_what_only_looks_private_is_not(block, body):
    document = parse(f"---\n{block}\n---\n{body}".encode())
    assert not is_private(document)
    assert not is_private(document, read(document, "a.md"))


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        ("valid_until: 2026-05-03", Validity.EXPIRED),
        ("valid_until: 2026-05-04", Validity.CURRENT),
        ("expires_at: 2026-05-03", Validity.CURRENT),
        ("expires_at: 2026-05-02", Validity.EXPIRED),
        ("valid_from: 2026-05-03", Validity.CURRENT),
        ("valid_from: 2026-05-04", Validity.NOT_YET_VALID),
        ("a: b", Validity.CURRENT),
    ],
)
def test_the_first_and_the_last_day_of_a_note(block, expected):
    assert validity(fields(block), date(2026, 5, 3)) is expected


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=12)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=4), inner, max_size=3)),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from([*KEYS, "tag", "alias", "Private", "meu"]), JSON, max_size=6))
def test_any_frontmatter_is_read_and_judged(frontmatter):
    document = parse(b"x")
    document.frontmatter.update(frontmatter)
    found = read(document, "a/b.md")
    assert found.title
    assert found.scope
    assert all(isinstance(tag, str) and tag for tag in found.tags)
    assert all(problem.field in frontmatter and problem.message for problem in problems(frontmatter))


def test_the_table_of_types_has_each_with_its_folder_and_ring():
    assert {name: (one.folder, one.ring) for name, one in TYPES.items()} == {
        "rule": ("memory/rules", 0),
        "preference": ("memory/preferences", 1),
        "gotcha": ("memory/gotchas", 2),
        "decision": ("memory/decisions", 2),
        "fact": ("memory/facts", 2),
        "procedure": ("memory/procedures", 2),
        "handoff": ("memory/handoffs", 2),
        "focus": ("memory/focus", 2),
        "episode": ("memory/episodes", 3),
        "entity": ("wiki/entities", 2),
        "concept": ("wiki/concepts", 2),
        "source": ("wiki/sources", 4),
        "synthesis": ("wiki/syntheses", 2),
    }


def test_cabecao_owns_the_marks_of_where_a_note_came_from():
    owned = {name for name, key in KEYS.items() if key.owner == "cabecao"}
    assert owned == {"id", "created", "updated", "origin", "edited_by", "approved_by", "approved_at", "forget_reason"}
    assert in_order(["zeta", "title", "id"]) == ["id", "title", "zeta"]


@pytest.mark.parametrize(
    "fine",
    [
        {"type": "fact", "subject": "a", "predicate": "b", "object": "c"},
        {"type": "concept", "subject": "assunto do e-mail"},
        {"scope": "global"}, {"scope": "project:ação-1.0_b"}, {"trust": "low"}, {"origin": "human"}, {"origin": "agent:claude-code"},
        {"origin": "ingest:https://a.test/x"}, {"valid_from": "2024-02-29"}, {"created": "2026-11-13T15:10:53.000Z"},
        {"created": "2023-09-12"}, {"confirmed": True}, {"private": "Sim"}, {"private": [True]}, {"ring": 0}, {"pii": "none"},
        {"pii": ["cpf", "email"]}, {"retention": "P1Y6M"}, {"retention": "PT12H"}, {"title": 7}, {"meu": {"a": object()}}, {"type": None},
        {"uses": ["[[X]]"]}, {"uses": [["SQS"]]}, {"subject": [["SQS"]]},
    ],
)  # fmt: skip
def test_fields_that_are_right_are_no_problem(fine):
    assert problems(fine) == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"type": "poema"}, {"type": ["fact"]}, {"scope": "atlas"}, {"scope": "project:"}, {"scope": "project:a b"},
        {"scope": "project:" + "a" * 81}, {"trust": "altíssima"}, {"trust": ["low"]}, {"origin": "eu"}, {"origin": "agent:"},
        {"valid_until": "2026-02-31"}, {"valid_until": "2026-1-2"}, {"valid_until": "20260102"}, {"valid_until": 2026},
        {"created": "ontem"}, {"created": "10:00"}, {"confirmed": "sim"}, {"private": "talvez"}, {"ring": 5}, {"ring": True},
        {"ring": "2"}, {"pii": "rg"}, {"retention": "P"}, {"retention": "2 anos"}, {"retention": "P1YT"}, {"title": ["a"]},
        {"title": {}}, {"uses": {"a": 1}}, {"aliases": [{}]},
    ],
)  # fmt: skip
def test_a_field_of_the_wrong_form_is_named(wrong):
    assert faulty(**wrong) == list(wrong)


def test_a_whole_fact_belongs_to_facts_alone():
    assert faulty(type="concept", subject="a", predicate="b", object="c") == ["object", "predicate", "subject"]


def test_a_relation_of_the_brain_is_checked_like_the_others():
    assert [one.field for one in problems({"mentors": {}}, relation_types=["mentors"])] == ["mentors"]
    assert problems({"mentors": {}}) == []


@pytest.mark.parametrize(
    ("path", "body", "title"),
    [
        ("src/ch04-01-ownership.md", "\n## O que é?\n\n### Um\n", "O que é?"),
        ("src/ch04-01-ownership.md", "Texto.\n\n## O que é?\n", "ch04-01-ownership"),
        ("src/ch04-01-ownership.md", "## Um\n\n### Dois\n\n## Resumo\n", "Um"),
        ("src/ch04-01-ownership.md", "### Um\n\n## Dois\n", "ch04-01-ownership"),
        ("src/Minha nota.md", "## A fazer\n", "Minha nota"),
        ("src/nota.md", "## A fazer\n", "nota"),
    ],
)
def test_where_the_files_name_is_no_title_the_heading_it_begins_with_is(path, body, title):
    assert read(parse(body.encode()), path).title == title


@pytest.mark.parametrize(
    ("line", "plain"),
    [("**a** e *b*", "a e b"), ("2 * 3 * 4", "2 * 3 * 4"), ("a_b_c", "a_b_c"), ("[[SQS|fila]] ![[x.png]]", "fila x.png"),
     ("``a ` b``", "a ` b"), ("***", "***"), ("`RefCell<T>`", "RefCell<T>"), ("*" * 5000, "*" * 5000)],
)  # fmt: skip
def test_a_line_is_read_without_its_markup(line, plain):
    assert without_markup(line) == plain


@given(st.text(max_size=200))
def test_a_line_without_markup_is_never_empty_and_stays_as_it_is(line):
    plain = without_markup(line)
    assert bool(plain) is bool(line.strip())
    assert without_markup(plain) == plain or len(without_markup(plain)) < len(plain)


def test_the_persons_own_keys_are_read_as_texts():
    document = parse(
        '---\ntitle: x\nloc:\n  - [[Quioto]]\n  - "[[Japão]]"\nano: 2023\nvazio:\na: {b: [c, {d: e}]}\nsim: true\n---\n'.encode()
    )
    assert own_keys(document) == {"loc": ("[[Quioto]]", "[[Japão]]"), "ano": ("2023",), "a": ("c", "e")}
