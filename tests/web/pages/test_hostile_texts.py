"""What a note, a client or an address says is shown as text on every page, and a secret typed in the editor stays out."""

from __future__ import annotations

import random
import re
import sys
from html import escape
from html.parser import HTMLParser
from pathlib import Path

import pytest

from brain.services import shown

GUARD = str(Path(__file__).parents[2] / "guard")
if GUARD not in sys.path:
    sys.path.insert(0, GUARD)

from made_up import OTHERS, TOKENS  # noqa: E402 (its folder is known only now)

EVIL = "<img src=x onerror=alert(1)>"
NOTE = "01KPTMDA406MCFZVF48S027CR0"
FACT = "01KPTMDA406MCFZVF48S027CR1"
# In a file's name no system takes the slash or quotes, and none of the bracket's work is needed.
NAMED = "wiki/concepts/<img src=x onerror=alert(1)>.md"
ADDRESSES = (
    "/", "/notes", "/graph", "/graph/data", "/facts", "/lint", "/lint/doctor", "/activity", "/jobs", "/health", "/approvals", "/attest",
    "/admin/approval/proposal/", "/settings", "/settings/proof", "/settings/clients", f"/n/{NOTE}", f"/n/{FACT}",
    f"/n/{NOTE}/edit", f"/n/{NOTE}/history", f"/n/{NOTE}/versions", f"/n/{NOTE}/neighbours",
)  # fmt: skip
QUERIES = (
    ("/search", "q"), ("/search", "types"), ("/search", "scope"), ("/search", "as_of"), ("/notes", "type"),
    ("/notes", "scope"), ("/notes", "tag"), ("/facts", "as_of"), ("/facts", "subject"), ("/graph", "node"), ("/", "task"),
    ("/", "scope"), ("/activity", "client"), ("/missing", "name"), ("/admin/approval/proposal/", "q"), ("/enter", "c"),
    ("/admin/approval/proposal/", "is"), ("/approvals", "open"), ("/attest", "x"), ("/lint", "rule"),
)  # fmt: skip


class Tags(HTMLParser):
    """The tags that the browser would make, and what is wrong with them."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.wrong: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = {name for name, _value in attrs}
        if any(name.startswith("on") for name in names) or "style" in names or dict(attrs).get("src") == "x":
            self.wrong.append(str(self.get_starttag_text()))
        if re.match(r"\s*(java|vb)script:|\s*data:text", dict(attrs).get("href") or "", re.IGNORECASE):
            self.wrong.append(str(self.get_starttag_text()))


def harmless(answer, where: object) -> None:
    if "html" in answer["Content-Type"]:
        assert Tags(answer.content.decode()).wrong == [], where


def test_the_look_at_tags_sees_what_would_run():
    for bad in (EVIL, '<a href="JavaScript:alert(1)">a</a>', '<p style="x">', '<svg onload="x">'):
        assert Tags(bad).wrong
    assert Tags(escape(EVIL)).wrong == []


@pytest.fixture
def evil(brain, agent):
    """A brain in which every field that a person or a client fills in is a script, and requests that are one too."""
    link = "[[javascript:alert(1)]] [a](javascript:alert(1)) [a](java\tscript:alert(1)) [a](data:text/html,x)"
    text = (
        f'# {EVIL}\n\n{EVIL} {link} [[Outra|{EVIL}]]\n\n```mermaid\nA["{EVIL}"]\nclick A "javascript:alert(1)"\n```\n'
    )
    fields = {
        "title": EVIL,
        "tags": [EVIL],
        "aliases": [EVIL],
        "scope": EVIL,
        "sources": [f"[[{EVIL}]]"],
        "uses": [EVIL],
    }
    brain.note(NAMED, text, type="concept", id=NOTE, **fields)
    brain.note("memory/facts/f.md", EVIL, type="fact", id=FACT, subject=EVIL, predicate="usa", object=EVIL, title=EVIL)
    brain.note("memory/rules/r.md", EVIL, type="rule", title=EVIL)
    brain.write("wiki/x.md", f"---\ntype: {EVIL}\n---\n\n{EVIL}\n")
    brain.write("raw/desenho.svg", f"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script>{EVIL}</svg>")
    brain.commit()
    agent("remember", content=f"Outra memória. {EVIL}", type="gotcha", title=EVIL)
    rule = {"path": "memory/rules/n.md", "content": EVIL, "frontmatter": {"type": "rule", "title": EVIL}}
    return agent("propose", operation="write_page", arguments=rule, reason=EVIL).proposal_id


def test_a_script_in_any_field_is_text_on_every_page(evil, person):
    said = 0
    for address in (
        *ADDRESSES,
        f"/approvals/{evil}",
        f"/approvals/{evil}?edit=1",
        f"/path/{NAMED}",
        "/path/raw/desenho.svg",
    ):
        answer = person.get(address)
        assert answer.status_code < 500, address
        harmless(answer, address)
        said += escape(EVIL) in answer.content.decode()
    assert said >= 10  # it was there, as text


def test_a_drawing_of_the_brain_runs_no_script(evil, person):
    answer = person.get("/path/raw/desenho.svg")
    assert answer.status_code == 404 or "script-src" in answer["Content-Security-Policy"]
    assert "svg" not in answer["Content-Type"]


def test_a_script_in_an_address_is_text(evil, person):
    for address, name in QUERIES:
        for value in (EVIL, f'"><script>alert(1)</script>{EVIL}', "javascript:alert(1)"):
            answer = person.get(address, {name: value})
            assert answer.status_code < 500, (address, name)
            harmless(answer, (address, name))
            assert "<script>alert" not in answer.content.decode()


def test_a_script_in_a_form_is_text_where_a_proof_is_asked_for_and_in_an_error(evil, person, send):
    session = person.session
    session["proved_at"] = "2020-01-01T00:00:00Z"
    session.save()
    form = {f'"><script>{EVIL}': EVIL, "decision": "accept", "digest": EVIL, "text": EVIL, "back": f"/{EVIL}"}
    for address in (f"/approvals/{evil}/decide", "/approvals/x/decide", "/attest/vouch", "/settings/proof"):
        answer = send(address, form)
        assert answer.status_code >= 400, address
        harmless(answer, address)
        assert "<script>&lt;" not in answer.content.decode()


@pytest.mark.parametrize("family", [*TOKENS, *OTHERS])
def test_a_secret_typed_in_the_editor_is_not_saved(brain, send, family):
    brain.note("wiki/concepts/Fila.md", "Dez por vez.", type="concept", id=NOTE)
    brain.commit()
    value = {**TOKENS, **OTHERS}[family](random.Random(family))
    before, head = brain.text("wiki/concepts/Fila.md"), brain.git("rev-parse", "HEAD")
    base = shown.digest(before.encode())
    answer = send(f"/n/{NOTE}/edit", {"decision": "save", "text": f"{before}\n{value}\n", "base": base})
    assert answer.status_code == 422, answer.status_code
    assert (brain.text("wiki/concepts/Fila.md"), brain.git("rev-parse", "HEAD")) == (before, head)
