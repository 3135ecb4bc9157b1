"""A note whose frontmatter cannot be read is told in lint, and in nothing else's way."""

from __future__ import annotations

import pytest

BROKEN = {
    "quebrada.md": "---\ntype: [gotcha\ntitle: Zarabatana\n---\n\nZarabatana, veja [[Bacalhau]].\n",
    "memory/rules/quebrada.md": "---\ntype: rule\ntype: gotcha\n---\n\nObedeça.\n",
    "memory/gotchas/sem-fim.md": "---\ntype: gotcha\nZarabatana sem fim\n",
    "memory/facts/objeto.md": "---\ntype: !!python/object/apply:os.system [ls]\n---\n\nFato.\n",
    "wiki/lista.md": "---\n- um\n- dois\n---\n\nLista.\n",
    "memory/handoffs/aspas.md": '---\ntype: handoff\ntitle: "aberta\n---\n\nPassagem.\n',
    "memory/preferences/tab.md": "---\ntype:\tpreference\n\tscope: global\n---\n\nPrefere.\n",
}
PAGES = [
    "/",
    "/?task=zarabatana",
    "/health",
    "/search?q=bacalhau",
    "/search?q=zarabatana&explain=1",
    "/notes",
    "/notes?type=gotcha",
    "/path/wiki/Bacalhau.md",
    "/path/wiki/Bacalhau.md/history",
    "/path/wiki/Bacalhau.md/neighbours",
    "/path/wiki/Bacalhau.md/edit",
    "/activity",
    "/graph?node=Bacalhau&depth=2",
    "/graph?whole=1",
    "/graph/data?whole=1",
    "/facts",
    "/lint",
    "/approvals",
    "/attest",
    "/jobs",
    "/missing?title=Nada",
]


@pytest.fixture
def filled(brain):
    brain.note("wiki/Bacalhau.md", "Peixe da [[Noruega]].", type="entity", title="Bacalhau")
    brain.note("wiki/Noruega.md", "País do bacalhau.", type="entity", title="Noruega")
    brain.note("memory/gotchas/sal.md", "O bacalhau vem salgado.", type="gotcha", title="Sal")
    brain.note("memory/preferences/p.md", "Prefere bacalhau.", type="preference", title="Peixe")
    brain.note("memory/facts/f.md", "Vem da Noruega.", type="fact", subject="[[Bacalhau]]", predicate="vem_de",
               object="[[Noruega]]", title="Origem")  # fmt: skip
    brain.note("memory/handoffs/h.md", "Falta dessalgar o bacalhau.", type="handoff", title="Sexta")
    brain.commit()
    return brain


def told(agent) -> dict[str, object]:
    """Return what each operation that reads says of the notes that can be read."""
    briefing = agent("recall", task="bacalhau", budget_tokens=8_000)
    parts = {name: getattr(briefing, name) for name in ("rules", "preferences", "gotchas", "memories")}
    lint = agent("lint")
    return {
        **{name: [one.path for one in items if one.path not in BROKEN] for name, items in parts.items()},
        "handoff": briefing.handoff.path,
        "search": [one.path for one in agent("search", query="bacalhau").hits if one.path not in BROKEN],
        "graph": [one.path for one in agent("graph", node="Bacalhau").neighbors if one.path not in BROKEN],
        "facts": [(one.path, one.subject_path, one.object_path) for one in agent("facts").facts],
        "read": [one.path for one in agent("read", path="wiki/Bacalhau.md").backlinks if one.path not in BROKEN],
        "links": [one.path for one in agent("read", path="wiki/Bacalhau.md").outgoing_links],
        "lint": [(one.rule, one.path) for one in lint.findings if one.path not in BROKEN],
        "types": agent("status").notes.by_type,
    }


def test_each_operation_says_of_the_other_notes_what_it_said_before(filled, agent):
    before = told(agent)
    for path, text in BROKEN.items():
        filled.write(path, text)
    assert told(agent) == before
    assert before["facts"]
    assert before["graph"]


@pytest.mark.parametrize("path", BROKEN)
def test_a_broken_note_is_in_lint_and_can_be_read_and_found(filled, agent, path):
    filled.write(path, BROKEN[path])
    (one,) = (one for one in agent("lint").findings if one.path == path and one.rule == "invalid_frontmatter")
    assert one.severity == "error"
    shown = agent("read", path=path)
    assert shown.frontmatter_error
    assert shown.frontmatter == {}
    assert agent("recall", task="obedeça").rules == []
    assert agent("graph", node=path).node.path == path


def test_every_page_stands_with_broken_notes_about(filled, person):
    for path, text in BROKEN.items():
        filled.write(path, text)
    own = [f"/path/{path}{below}" for path in BROKEN for below in ("", "/history", "/versions", "/neighbours", "/edit")]
    faults = [
        (address, answer.status_code)
        for address in (*PAGES, *own)
        if (answer := person.get(address)).status_code not in (200, 204)
    ]
    assert faults == []
    assert {path for path in BROKEN if path in person.get("/lint").content.decode()} == BROKEN.keys()
