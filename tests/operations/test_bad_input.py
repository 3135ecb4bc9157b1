"""Arguments that are none, to every operation that reads, on every surface: an error of the table, or why it is empty."""

from __future__ import annotations

import json
import string
from collections.abc import Mapping
from typing import Any, Final

import pytest
from surfaces import Said, over_mcp

from brain.operations import OPERATIONS
from mcpbridge.answers import Answers

SIGNS: Final = (string.punctuation * 126)[:4000]
LONG: Final = "a" * 4001
PATH: Final = "wiki/entities/SQS.md"
NOWHERE: Final = "project:lugar-nenhum"
# Arguments, and the code of the error; None where an answer is given, which is empty and says why.
Row = tuple[Mapping[str, Any], str | None]
WRONG: Final = "invalid_argument"
NO_DAY: Final = (
    "ontem",
    "2026-02-30",
    "2026-1-1",
    "20260101",
    "",
    "9999-99-99",
    "٢٠٢٦-٠١-٠١",
    f"2026-01-01{SIGNS[:9]}",
)
NO_SCOPE: Final = ("atlas", "project:", "project:a b", "Global", "", SIGNS, "global\n")
NO_LIMIT: Final = (0, -1, 10_000, 2**63)
TABLE: Final[dict[str, list[Row]]] = {
    "recall": [
        ({}, WRONG),
        *(({"task": task}, WRONG) for task in ("", " \n", LONG)),
        *(({"task": "migrar", "scope": scope}, WRONG) for scope in NO_SCOPE),
        *(({"task": "migrar", "budget_tokens": budget}, WRONG) for budget in (0, 10**9)),
        ({"task": "migrar", "limit": 5}, WRONG),
        ({"task": "migrar", "scope": NOWHERE}, None),
        ({"task": SIGNS}, None),
    ],
    "search": [
        ({}, WRONG),
        *(({"query": query}, WRONG) for query in ("", " \n", LONG)),
        *(({"query": "fila", "scope": scope}, WRONG) for scope in NO_SCOPE),
        *(({"query": "fila", "types": [kind]}, WRONG) for kind in ("poema", "", "Rule", SIGNS)),
        *(({"query": "fila", "as_of": day}, WRONG) for day in NO_DAY),
        *(({"query": "fila", "limit": limit}, WRONG) for limit in NO_LIMIT),
        *(({"query": "fila", "budget_tokens": budget}, WRONG) for budget in (0, 10**9)),
        ({"query": "fila", "mode": "magia"}, WRONG),
        ({"query": "fila", "rules": ["broken_link"]}, WRONG),
        ({"query": SIGNS}, None),
        ({"query": "a" * 4000}, None),
        ({"query": "xilindró", "scope": NOWHERE}, None),
        ({"query": "fila", "types": ["rule"]}, None),
    ],
    "ask": [
        ({}, WRONG),
        *(({"question": question}, WRONG) for question in ("", " \n", LONG[:2001])),
        *(({"question": "fila", "scope": scope}, WRONG) for scope in NO_SCOPE),
        *(({"question": "fila", "types": [kind]}, WRONG) for kind in ("poema", "", "Rule", SIGNS)),
        *(({"question": "fila", "as_of": day}, WRONG) for day in NO_DAY),
        *(({"question": "fila", "limit": limit}, WRONG) for limit in (*NO_LIMIT, 21)),
        ({"question": "fila", "budget_tokens": 500}, WRONG),
    ],
    "read": [
        ({}, WRONG),
        ({"path": PATH, "id": "01KPTMDA406MCFZVF48S027CR0"}, WRONG),
        *(({"path": path}, WRONG) for path in ("", LONG)),
        *(({"id": identity}, WRONG) for identity in ("", SIGNS)),
        *(({"path": path}, "not_found") for path in ("wiki/nada.md", "wiki", "wiki/entities/SQS", "a" * 999)),
        *(({"path": path}, "unsafe_path") for path in ("../fora.md", "/etc/passwd", ".git/config")),
        *(({"path": SIGNS[start : start + 900]}, code) for start, code in ((0, "not_found"), (14, "unsafe_path"))),
        *(({"id": identity}, "not_found") for identity in ("01KPTMDA406MCFZVF48S027CR0", "r2-000000000000", SIGNS[:200])),
        *(({"path": PATH, "section": section}, "not_found") for section in ("Nada", "SQS › Nada", "", SIGNS[:1000])),
        ({"path": PATH, "section": LONG}, WRONG),
        ({"path": PATH, "as_of": "2026-01-01"}, WRONG),
    ],
    "graph": [
        ({}, WRONG),
        *(({"node": node}, WRONG) for node in ("", " ", SIGNS)),
        *(({"node": node}, "not_found") for node in ("Nada", "[[Nada]]", SIGNS[:1000], "wiki/nada.md", "../fora.md", "[[]]")),
        *(({"node": "SQS", "relation_types": [kind]}, WRONG) for kind in ("nada", "", "a" * 81)),
        *(({"node": "SQS", "depth": depth}, WRONG) for depth in (0, 3)),
        *(({"node": "SQS", "as_of": day}, WRONG) for day in NO_DAY),
        *(({"node": "SQS", "limit": limit}, WRONG) for limit in NO_LIMIT),
        *(({"node": "SQS", "budget_tokens": budget}, WRONG) for budget in (0, 10**9)),
        ({"node": "SQS", "scope": "global"}, WRONG),
        ({"node": "SQS", "relation_types": ["decided_by"]}, None),
    ],
    "facts": [
        *(({part: text}, WRONG) for part in ("subject", "predicate", "object") for text in ("", " ", SIGNS)),
        *(({"as_of": day}, WRONG) for day in NO_DAY),
        *(({"limit": limit}, WRONG) for limit in NO_LIMIT),
        ({"scope": "global"}, WRONG),
        *(({part: text}, None) for part in ("subject", "predicate", "object") for text in ("nada", SIGNS[:500])),
        ({"subject": "../fora.md", "predicate": "'; DROP TABLE note; --", "object": "[[]]"}, None),
    ],
    "lint": [
        *(({"rules": [rule]}, WRONG) for rule in ("nada", "", "Broken_Link", SIGNS)),
        *(({"scope": scope}, WRONG) for scope in NO_SCOPE),
        *(({"limit": limit}, WRONG) for limit in NO_LIMIT),
        ({"path": PATH}, WRONG),
        ({"scope": NOWHERE}, None),
        ({"rules": ["conflict_copy"]}, None),
    ],
    "status": [*(({name: "x"}, WRONG) for name in ("path", "scope", "limit"))],
}  # fmt: skip
EMPTY: Final = ("hits", "facts", "neighbors", "findings", "rules", "gotchas", "memories", "preferences")
OWN: Final = ("session_handle",)


@pytest.fixture
def filled(ready, monkeypatch):
    """A brain in which each of the operations finds something where it is asked well, and that has the tool `ask`."""
    monkeypatch.setattr(Answers, "are_on", lambda _self: True)
    ready.note(PATH, "# SQS\n\n## Custos\n\nA fila cobra por requisição. Veja [[Lote]].", type="entity", title="SQS")
    ready.note("wiki/concepts/Lote.md", "Leitura em lote.", type="concept", title="Lote", scope="project:atlas")
    ready.commit()
    return ready


@pytest.mark.parametrize("name", TABLE)
def test_what_cannot_be_asked_is_refused_alike_or_answered_with_why_nothing_is_there(
    filled, unchanged, over_rest, by_command, name
):
    faults = []
    for arguments, code in TABLE[name]:
        shown = json.dumps(arguments, ensure_ascii=False)[:100]
        with unchanged():
            said = [ask(name, arguments) for ask in (over_mcp, over_rest, by_command)]
        for surface, one in zip(("mcp", "rest", "cli"), said, strict=True):
            faults += [f"{surface} {shown}: {fault}" for fault in _faults(one, code)]
        if len({json.dumps(_told(one), sort_keys=True) for one in (said[:2] if code == WRONG else said)}) != 1:
            faults.append(f"{shown} is told differently: {[_told(one) for one in said]}")
    assert faults == []


def _faults(said: Said, code: str | None) -> list[str]:
    if code is not None:
        error = said.get("error") or {"code": None, "message": "", "next_step": ""}
        wrong = [] if error["code"] == code else [f"{error['code']}, not {code}: {json.dumps(said)[:300]}"]
        return wrong + [f"no {part}" for part in ("message", "next_step") if not error[part]]
    if "error" in said:
        return [f"an error: {said['error']}"]
    there = [part for part in EMPTY if said.get(part)]
    return [f"{part} is not empty" for part in there] + ([] if said["next_step"] else ["nothing is explained"])


def _told(said: Said) -> Said:
    """Return what must be the same on every surface."""
    return dict(said["error"]) if "error" in said else {key: value for key, value in said.items() if key not in OWN}


def test_an_unknown_scope_is_told_with_those_that_there_are(filled, agent):
    for name, arguments in (("recall", {"task": "lote"}), ("search", {"query": "requisição"}), ("lint", {})):
        said = agent(name, scope=NOWHERE, **arguments)
        told = " ".join([*(one.message for one in said.warnings), said.next_step or ""])
        assert NOWHERE in told, name
        assert "project:atlas" in told, name
        told = agent(name, scope="project:atlas", **arguments).model_dump_json()
        assert "No note has the scope" not in told


def test_the_table_has_every_operation_that_reads_a_brain():
    reads = {one.name for one in OPERATIONS if not one.writes}
    assert reads - TABLE.keys() == set(), reads
