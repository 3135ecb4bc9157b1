"""relate: a typed relation as a wikilink in the frontmatter, once."""

from __future__ import annotations

import json

import pytest
from calling import AGENT, SECRETS

from brain.errors import BrainError
from brain.note import document

CONCEPT = "wiki/concepts/Idempotência.md"
SQS = "wiki/entities/SQS.md"


@pytest.fixture
def notes(ready):
    """Two notes to relate."""
    ready.note(CONCEPT, "Repetir não muda.", type="concept", tags=["filas"], aliases=["Operação idempotente"])
    ready.note(SQS, "Fila.", type="entity", id="01KPTMDA406MCFZVF48S027CR0")
    ready.commit()
    return ready


def relate(call, origin: str = "Idempotência", target: str = "SQS", kind: str = "uses"):
    return call("relate", **{"from": origin, "to": target, "type": kind})


def fields(brain, path: str = CONCEPT) -> dict[str, object]:
    return document.parse((brain.root / path).read_bytes()).frontmatter


def test_a_relation_is_a_wikilink_in_the_frontmatter_in_one_commit(notes, agent):
    before, text = notes.git("rev-parse", "HEAD").strip(), document.parse(notes.text(CONCEPT).encode()).body
    done = relate(agent, kind="related_to")
    assert (done.path, done.action, done.changed) == (CONCEPT, "update", True)
    assert done.relation.model_dump() == {"from": CONCEPT, "type": "related_to", "to": SQS, "link": "[[SQS]]"}
    assert fields(notes)["related_to"] == ["[[SQS]]"]
    assert document.parse(notes.text(CONCEPT).encode()).body == text
    assert notes.git("rev-list", f"{before}..HEAD").split() == [done.commit]
    assert agent("graph", node="SQS").neighbors[0].path == CONCEPT


@pytest.mark.parametrize("origin", ["Idempotência", "[[idempotencia]]", CONCEPT, "Operação idempotente"])
@pytest.mark.parametrize("target", ["SQS", "[[SQS]]", "[[SQS|fila]]", SQS, "01KPTMDA406MCFZVF48S027CR0"])
def test_the_same_relation_again_changes_nothing_however_its_ends_are_named(notes, agent, unchanged, origin, target):
    relate(agent)
    with unchanged():
        again = relate(agent, origin, target)
    assert (again.changed, again.op, again.commit) == (False, None, None)
    assert again.relation.to == SQS


@pytest.mark.parametrize(
    "value", ["uses: '[[SQS]]'", "uses: [[SQS]]", "uses:\n  - SQS", "uses: [ '[[entities/SQS]]' ]"]
)
def test_a_relation_that_the_person_wrote_in_their_way_is_known(ready, agent, unchanged, value):
    ready.note(SQS, "Fila.", type="entity")
    ready.write(CONCEPT, f"---\ntype: concept\n{value}\n---\nTexto.\n")
    ready.commit()
    with unchanged():
        assert not relate(agent).changed


@pytest.mark.parametrize("value", ["uses: '[[SQS]]'", "uses: [[SQS]]", "uses:\n- SQS", "uses: [ '[[SQS]]' ] # duas"])
def test_a_further_relation_joins_those_that_are_there(notes, agent, value):
    notes.note("wiki/entities/Kafka.md", "Outra fila.", type="entity")
    notes.write(CONCEPT, f"---\n# ficha\ntype: concept\n{value}\ncor: 'azul'\n---\nTexto.\n")
    relate(agent, target="Kafka")
    assert sorted(one.path for one in agent("read", path=CONCEPT).outgoing_links) == ["wiki/entities/Kafka.md", SQS]
    assert notes.text(CONCEPT).startswith("---\n# ficha\ntype: concept\nuses:")
    assert "\ncor: 'azul'\n" in notes.text(CONCEPT)


def test_the_first_relation_leaves_every_other_line_as_it_is(notes, person):
    block = '---\ncssclasses: x\n# minha nota\ntitle: "Fila"\ntype: concept\nnotas: |\n  a\n  b\nid: 01KKH3TRY0VQZAZYG72EE1BQJ9\n'
    notes.write(CONCEPT, block + "---\nTexto.\n")
    relate(person, origin=CONCEPT)
    assert notes.text(CONCEPT).startswith(block)
    assert notes.text(CONCEPT).endswith('uses:\n  - "[[SQS]]"\n---\nTexto.\n')


@pytest.mark.parametrize(
    ("origin", "target"), [("Lote", "SQS"), ("Idempotência", "Kafka"), ("Idem", "SQS"), ("[[#x]]", "SQS")]
)
def test_both_notes_must_exist_and_the_nearest_name_is_none(notes, agent, refuses, origin, target):
    refuses("not_found", agent, "relate", **{"from": origin, "to": target, "type": "uses"})


def test_an_archived_note_takes_no_part(notes, agent, refuses):
    notes.note("memory/_archive/Velha.md", "Antiga.", type="concept")
    refuses("not_found", agent, "relate", **{"from": "Velha", "to": "SQS", "type": "uses"})
    refuses("not_found", agent, "relate", **{"from": "SQS", "to": "Velha", "type": "uses"})


@pytest.mark.parametrize(
    "arguments",
    [
        {"type": "gosta_de"},
        {"type": "sources"},
        {"type": "type"},
        {"to": "Idempotência"},
        {"to": " "},
        {"from": None},
        {"from_": "SQS"},
        {"extra": 1},
    ],
)
def test_wrong_arguments_are_refused(notes, agent, refuses, arguments):
    refuses("invalid_argument", agent, "relate", **{"from": "Idempotência", "to": "SQS", "type": "uses", **arguments})


def test_a_relation_of_the_brains_own_is_known_by_its_settings(notes, agent, refuses):
    given = {"from": "Idempotência", "to": "SQS", "type": "mantido_por"}
    refuses("invalid_argument", agent, "relate", **given)
    notes.write(".cabecao.json", json.dumps({"schema_version": 1, "relation_types": ["mantido_por"]}))
    assert agent("relate", **given).changed
    assert not agent("relate", **given).changed
    assert fields(notes)["mantido_por"] == ["[[SQS]]"]


def test_of_two_notes_with_one_name_the_link_says_which(notes, agent):
    notes.note("wiki/concepts/SQS.md", "O conceito.", type="concept")
    done = relate(agent, target=SQS)
    assert done.relation.link == "[[wiki/entities/SQS]]"
    assert "ambiguous_name" not in [one.code for one in done.warnings]
    named = relate(agent, target="SQS", kind="part_of")
    assert "ambiguous_name" in [one.code for one in named.warnings]
    assert named.relation.to == "wiki/concepts/SQS.md"


@pytest.mark.parametrize(
    ("name", "identity", "link"),
    [("A [x] b", "01KPTMDA406MCFZVF48S027CR1", "[[01KPTMDA406MCFZVF48S027CR1]]"), ("Nota é", None, "[[Nota é]]")],
)
def test_a_name_that_no_link_can_hold_is_linked_by_id(notes, agent, name, identity, link):
    path = f"wiki/concepts/{name}.md"
    notes.note(path, "Texto.", type="concept", **({"id": identity} if identity else {}))
    assert relate(agent, target=path).relation.link == link
    assert not relate(agent, target=path).changed


def test_an_agent_leaves_a_trace_on_the_persons_note(notes, agent):
    done = relate(agent)
    assert fields(notes)["edited_by"] == AGENT
    assert "provenance_changed" in [one.code for one in done.warnings]
    assert "edited_by" not in fields(notes, SQS)


@pytest.mark.parametrize("path", ["memory/rules/minha.md", "raw/articles/artigo.md"])
def test_from_a_rule_or_a_source_it_needs_the_persons_request(notes, agent, path):
    notes.note(path, "Texto.", type="rule" if "rules" in path else "source")
    before = notes.text(path)
    with pytest.raises(BrainError) as raised:
        relate(agent, path, kind="related_to")
    assert raised.value.code in {"rule_requires_human", "human_only", "confirmation_required"}
    assert notes.text(path) == before
    assert relate(agent, target=path, kind="related_to").changed


def test_to_supersede_a_rule_by_a_relation_leaves_the_rule_in_force(notes, agent, person):
    person("write_page", path="memory/rules/minha.md", content="Em português.", frontmatter={"type": "rule"})
    relate(agent, target="memory/rules/minha.md", kind="supersedes")
    assert [one.path for one in agent("recall", task="x").rules] == ["memory/rules/minha.md"]


@pytest.mark.parametrize("raw", [b"---\ntitle: a: b: c\nprivate: true\n---\ncorpo", b"corpo \xe7\n"])
def test_what_cannot_be_read_is_never_rewritten(notes, agent, refuses, raw):
    file = notes.write("wiki/concepts/Torta.md", raw)
    refuses("invalid_note", agent, "relate", **{"from": "wiki/concepts/Torta.md", "to": "SQS", "type": "uses"})
    assert file.read_bytes() == raw


def test_a_secret_in_a_name_is_refused_and_not_repeated(notes, agent, refuses):
    error = refuses("secret_detected", agent, "relate", **{"from": "SQS", "to": SECRETS["github"], "type": "uses"})
    assert SECRETS["github"] not in str(error.as_dict())


def test_undo_takes_a_relation_back_to_the_byte(notes, agent):
    before = notes.text(CONCEPT)
    agent("undo", op=relate(agent).op)
    assert notes.text(CONCEPT) == before
