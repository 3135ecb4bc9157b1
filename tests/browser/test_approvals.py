"""Approvals in a real browser: what an agent asks for over MCP is seen without reload, read to the end and decided."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect

MCP = str(Path(__file__).parents[1] / "mcp")
if MCP not in sys.path:
    sys.path.insert(0, MCP)

from talking import Process, call, initialize  # noqa: E402 (its folder is known only now)

RULE = "memory/rules/testes.md"
WIDE = {"width": 1440, "height": 900}
PHONE = {"width": 390, "height": 844}


def rule(path: str = RULE, title: str = "Testes antes", content: str = "Rode os testes.", **more) -> dict:
    return {"path": path, "content": content, "frontmatter": {"type": "rule", "title": title}, **more}


class Agent:
    """A client over MCP, in a process of its own."""

    def __init__(self, process: Process) -> None:
        self.process = process
        self.number = 0

    def call(self, tool: str, arguments: dict) -> dict:
        self.number += 1
        return self.process.ask(call(self.number, tool, arguments))["result"]["structuredContent"]

    def propose(self, arguments: dict) -> str:
        given = {"operation": "write_page", "arguments": arguments, "reason": "você pediu"}
        return self.call("propose", given)["proposal_id"]


@pytest.fixture
def server(example):
    """A server over stdio, before its client has said anything."""
    command = [sys.executable, "-m", "cabecao_site.cli", "--brain", str(example.root), "mcp", "--tools", "full"]
    with Process(command, {"CABECAO_LANG": "en"}) as process:
        yield process


@pytest.fixture
def agent(server):
    server.greet(client="claude-code")
    return Agent(server)


@pytest.mark.slow
def test_a_request_appears_without_reload_and_is_approved_edited_and_refused(open_pages, example, agent):
    watched = open_pages(viewport=WIDE)
    page = watched.page
    watched.goto("/approvals")
    assert page.locator("h1").inner_text() == "Approvals"
    agent.propose(rule())
    page.locator(".queued", has_text="Testes antes").wait_for(timeout=15_000)
    expect(page.locator("#waits-rail")).to_have_text("1 waiting")
    agent.propose(rule("memory/rules/dois.md", "Dois", "Use dois."))
    agent.propose(rule("memory/rules/tres.md", "Três", "Use três."))
    expect(page.locator("#waits-rail")).to_have_text("3 waiting", timeout=15_000)

    page.locator(".queued", has_text="Testes antes").click()
    page.get_by_role("button", name="Approve rule").click()
    expect(page.locator(".toast")).to_contain_text(f"Approved: {RULE}")
    assert "approved_by: user" in example.text(RULE)
    assert "Cabecao-Approved: user" in example.git("log", "-1", "--format=%B")
    expect(page.locator("h1")).to_be_focused()

    page.locator(".queued", has_text="Dois").click()
    page.get_by_role("link", name="Edit first").click()
    text = page.locator("#text").input_value()
    page.locator("#text").fill(text.replace("Use dois.", "Use sempre dois."))
    page.get_by_role("button", name="Save my edit").click()
    page.locator(".toast").wait_for()
    assert "Use sempre dois." in example.text("memory/rules/dois.md")
    assert "Cabecao-Kind: human" in example.git("log", "-1", "--format=%B")

    page.wait_for_load_state()
    page.keyboard.press("r")
    expect(page.locator("#reason")).to_be_focused()
    page.keyboard.type("Não pedi.")
    page.keyboard.press("Enter")
    page.get_by_text("Refused. Nothing was written.").wait_for()
    assert not (example.root / "memory/rules/tres.md").exists()
    expect(page.locator("#waits-rail")).to_be_empty()


def test_approved_it_can_be_undone_from_the_toast(open_pages, example, agent):
    identity = agent.propose(rule())
    watched = open_pages(viewport=WIDE)
    watched.goto(f"/approvals/{identity}")
    watched.page.get_by_role("button", name="Approve rule").click()
    watched.page.locator(".toast").get_by_role("button", name="Undo").click()
    watched.page.get_by_text("The operation is undone.").wait_for()
    assert not (example.root / RULE).exists()


@pytest.mark.parametrize(("button", "status"), [("Approve rule", "approved"), ("Refuse", "declined")])
def test_a_question_is_answered_in_the_browser_while_the_client_waits(open_pages, example, server, button, status):
    hello = initialize(client="claude-code")
    hello["params"]["capabilities"] = {"elicitation": {}}
    server.ask(hello)
    server.send({"jsonrpc": "2.0", "method": "notifications/initialized"}, call(1, "write_page", rule()))
    question = server.next()
    assert question["method"] == "elicitation/create"

    watched = open_pages(viewport=WIDE)
    page = watched.page
    watched.goto("/approvals")
    page.locator(".queued").click()
    page.get_by_text("its client waits for an answer").wait_for()
    if status == "declined":
        page.locator("summary", has_text=button).click()
        page.locator("#reason").fill("Agora não.")
        page.locator(".refusal form").get_by_role("button", name=button).click()
    else:
        page.get_by_role("button", name=button).click()
    page.locator(".toast").wait_for()

    said = [server.next(), server.next()]
    told_off = next(one for one in said if one.get("method") == "notifications/cancelled")
    result = next(one for one in said if one.get("id") == 1)["result"]["structuredContent"]
    assert told_off["params"]["requestId"] == question["id"]
    assert result["status"] == status
    assert (example.root / RULE).exists() == (status == "approved")
    assert result["reasons"] == ["Agora não."] if status == "declined" else result["op"]


def test_the_keyboard_alone_goes_from_home_to_a_decision(open_pages, example, agent):
    agent.propose(rule())
    watched = open_pages(viewport=WIDE)
    page = watched.page
    keys = ["g", "a", "j", "Enter", "a", "Enter"]
    for key in keys[:2]:
        page.keyboard.press(key)
    page.wait_for_url("**/approvals")
    page.wait_for_load_state()
    for key in keys[2:4]:
        page.keyboard.press(key)
    page.wait_for_url("**/approvals/*")
    page.wait_for_load_state()
    page.keyboard.press("a")
    expect(page.get_by_role("button", name="Approve rule")).to_be_focused()
    assert not (example.root / RULE).exists()
    page.keyboard.press("Enter")
    page.locator(".toast").wait_for()
    assert (example.root / RULE).exists()
    assert len(keys) <= 12


def test_a_number_opens_what_waits_on_home(open_pages, agent):
    agent.propose(rule())
    watched = open_pages(viewport=WIDE)
    watched.goto("/")
    watched.page.keyboard.press("1")
    watched.page.wait_for_url("**/approvals/*")


def test_on_a_phone_the_decision_hides_no_line_at_the_end(open_pages, agent):
    identity = agent.propose(rule(content="\n\n".join(f"Linha {number}." for number in range(60))))
    watched = open_pages(viewport=PHONE)
    watched.goto(f"/approvals/{identity}")
    page = watched.page
    assert not page.locator(".tabs").is_visible()
    assert page.get_by_role("button", name="Approve rule").is_visible()
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    last, bar = page.locator(".afterwards").bounding_box(), page.locator(".decision").bounding_box()
    assert last["y"] + last["height"] <= bar["y"]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, PHONE])
def test_no_fault_for_those_who_cannot_see_it(open_pages, example, agent, theme, size):
    example.write("AGENTS.md", "# Aqui\n")
    example.commit()
    identity = agent.propose(rule(content="No p\u0430ypal\u202e já."))
    agent.propose({"path": "AGENTS.md", "content": "Fale baixo.", "mode": "append"})
    watched = open_pages(viewport=size, color_scheme=theme)
    faults = []
    for path in ("/approvals", f"/approvals/{identity}", f"/approvals/{identity}?edit=1", "/"):
        watched.goto(path)
        watched.page.wait_for_load_state("networkidle")
        faults += [f"{path} {fault}" for fault in watched.axe()]
        if watched.page.locator("h1:visible").count() != 1:
            faults.append(f"{path}: not one h1")
    watched.goto(f"/approvals/{identity}")
    watched.page.keyboard.press("r")
    faults += [f"refusing {fault}" for fault in watched.axe()]
    assert faults == []


@pytest.mark.parametrize("width", [320, 640, 900])
def test_nothing_scrolls_sideways(open_pages, agent, width):
    identity = agent.propose(rule())
    watched = open_pages(viewport={"width": width, "height": 700})
    for path in ("/approvals", f"/approvals/{identity}", f"/approvals/{identity}?edit=1"):
        watched.goto(path)
        assert not watched.page.evaluate(
            "document.documentElement.scrollWidth > document.documentElement.clientWidth"
        ), path


def test_it_is_approved_without_scripts(open_pages, example, agent):
    identity = agent.propose(rule())
    watched = open_pages(java_script_enabled=False)
    watched.page.goto(f"{watched.origin}/approvals/{identity}")
    watched.page.get_by_role("button", name="Approve rule").click()
    assert (example.root / RULE).exists()


@pytest.mark.slow
def test_a_decision_made_elsewhere_is_seen_on_the_open_page_and_keeps_what_was_typed(open_pages, example, agent):
    identity = agent.propose(rule())
    first, second = open_pages(viewport=WIDE), open_pages(viewport=WIDE)
    first.goto(f"/approvals/{identity}?edit=1")
    first.page.locator("#text").fill("---\ntype: rule\n---\n\nMeu texto.\n")
    second.goto(f"/approvals/{identity}")
    second.page.get_by_role("button", name="Approve rule").click()
    second.page.locator(".toast").wait_for()

    expect(first.page.locator("#standing")).to_contain_text("approved meanwhile", timeout=15_000)
    expect(first.page.get_by_role("button", name="Save my edit")).to_have_count(0)
    expect(first.page.locator("#text")).to_have_value("---\ntype: rule\n---\n\nMeu texto.\n")
    assert first.axe() == []
    first.page.locator("#decision").get_by_role("link", name="What waits now").click()
    expect(first.page.locator("h1")).to_have_text("Approvals")


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_the_admins_list_keeps_to_the_policy_and_leads_to_each_request(open_pages, example, agent, theme, width):
    agent.propose(rule())
    watched = open_pages(viewport={"width": width, "height": 900}, color_scheme=theme)
    watched.goto("/approvals")
    watched.page.get_by_role("link", name="Every request").click()
    expect(watched.page.locator("h1")).to_have_text("Every request")
    watched.page.get_by_role("link", name="waits").click()
    expect(watched.page.locator("#result_list tbody tr")).to_have_count(1)
    assert watched.axe() == []
    watched.page.get_by_role("link", name=RULE).click()
    expect(watched.page.locator("h1")).to_have_text("Testes antes")
