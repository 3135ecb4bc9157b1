"""The proof in a real browser: a passkey of a virtual device, the password without scripts, and both made readable."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from brain import operations
from brain.caller import Caller, Kind, Surface

SECRET = "cavalo bateria grampo certo"
RULE = "memory/rules/testes.md"
AGENT = Caller(kind=Kind.AGENT, client="claude-code", surface=Surface.MCP)
DEVICE = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


@pytest.fixture
def request_id(example):
    given = {"path": RULE, "content": "Rode os testes.", "frontmatter": {"type": "rule", "title": "Testes antes"}}
    asked = {"operation": "write_page", "arguments": given, "reason": "você pediu"}
    return operations.dispatch("propose", AGENT, asked).proposal_id


def device(page) -> tuple[object, str]:
    """Give a page's browser a device that makes passkeys and says that its owner is there."""
    speaking = page.context.new_cdp_session(page)
    speaking.send("WebAuthn.enable")
    return speaking, speaking.send("WebAuthn.addVirtualAuthenticator", {"options": DEVICE})["authenticatorId"]


def grow_old() -> None:
    """Let every browser's last proof be an old one."""
    from django.contrib.sessions.backends.db import SessionStore
    from django.contrib.sessions.models import Session

    for row in Session.objects.all():
        store = SessionStore(row.session_key)
        store["proved_at"] = "2020-01-01T00:00:00Z"
        store.save()


@pytest.mark.slow
def test_a_passkey_is_made_then_used_for_a_decision_then_removed(open_pages, example, request_id):
    watched = open_pages()
    page = watched.page
    speaking, number = device(page)
    watched.goto("/settings/proof")
    page.get_by_label("A name for it").fill("meu telefone")
    page.get_by_role("button", name="Add a passkey").click()
    expect(page.locator(".toast")).to_contain_text("The passkey is kept.")
    expect(page.locator("main")).to_contain_text("meu telefone")
    assert len(speaking.send("WebAuthn.getCredentials", {"authenticatorId": number})["credentials"]) == 1

    grow_old()
    watched.goto(f"/approvals/{request_id}")
    page.get_by_role("button", name="Approve rule").click()
    expect(page.locator("h1")).to_have_text("Is it you?")
    assert watched.axe() == []
    page.get_by_role("button", name="Use the passkey and go on").click()
    expect(page.locator(".toast")).to_contain_text(f"Approved: {RULE}")
    assert "approved_by: user" in example.text(RULE)

    watched.goto("/settings/proof")
    page.get_by_role("button", name="meu telefone").click()
    expect(page.locator("main")).to_contain_text("No passkey is kept for this address.")


@pytest.mark.slow
def test_a_device_that_does_not_know_its_owner_decides_nothing(open_pages, example, request_id):
    watched = open_pages()
    page = watched.page
    speaking, number = device(page)
    watched.goto("/settings/proof")
    page.get_by_role("button", name="Add a passkey").click()
    expect(page.locator(".toast")).to_contain_text("The passkey is kept.")

    grow_old()
    speaking.send("WebAuthn.setUserVerified", {"authenticatorId": number, "isUserVerified": False})
    watched.goto(f"/approvals/{request_id}")
    page.get_by_role("button", name="Approve rule").click()
    page.get_by_role("button", name="Use the passkey and go on").click()
    expect(page.locator("[data-passkey-says]")).to_have_text("The browser gave no passkey. Nothing was sent.")
    assert not (example.root / RULE).exists()


@pytest.mark.slow
def test_the_same_answer_sent_again_proves_nothing(open_pages, example, request_id):
    watched = open_pages()
    page = watched.page
    device(page)
    watched.goto("/settings/proof")
    page.get_by_role("button", name="Add a passkey").click()
    expect(page.locator(".toast")).to_contain_text("The passkey is kept.")

    grow_old()
    watched.goto("/settings/proof")
    page.get_by_role("button", name="Prove that it is you").click()
    with page.expect_request(lambda asked: asked.method == "POST") as sent:
        page.get_by_role("button", name="Use the passkey and go on").click()
    expect(page.locator("h1")).to_have_text("Password and passkeys")
    grow_old()
    send = """async ([url, body]) => {
      const headers = {"Content-Type": "application/x-www-form-urlencoded"};
      const answer = await fetch(url, {method: "POST", body, headers});
      return [answer.status, await answer.text()];
    }"""
    status, text = page.evaluate(send, [sent.value.url, sent.value.post_data])
    assert status == 403
    assert "did not fit" in text


@pytest.mark.slow
def test_the_password_is_set_and_proves_without_scripts_on_a_phone(open_pages, example, request_id):
    watched = open_pages(java_script_enabled=False, viewport={"width": 390, "height": 844})
    page = watched.page
    page.goto(f"{watched.origin}/settings/proof")
    page.get_by_label("New password").fill(SECRET)
    page.get_by_label("The same once more").fill(SECRET)
    page.get_by_role("button", name="Set the password").click()
    expect(page.locator("main")).to_contain_text("A password is set.")

    grow_old()
    page.goto(f"{watched.origin}/approvals/{request_id}")
    page.get_by_role("button", name="Approve rule").click()
    expect(page.get_by_role("button", name="Use the passkey")).to_have_count(0)
    page.get_by_label("Your password of Cabeção").fill("outra coisa qualquer")
    page.get_by_role("button", name="Go on with the password").click()
    expect(page.locator(".callout")).to_contain_text("This is not the password.")
    page.get_by_label("Your password of Cabeção").fill(SECRET)
    page.keyboard.press("Enter")
    expect(page.locator(".toast")).to_contain_text(f"Approved: {RULE}")
    assert (example.root / RULE).exists()


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 320])
def test_the_page_of_what_is_set_is_readable_for_all(open_pages, example, theme, width):
    watched = open_pages(viewport={"width": width, "height": 900}, color_scheme=theme)
    watched.goto("/settings/proof")
    assert watched.axe() == []
    assert not watched.page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
