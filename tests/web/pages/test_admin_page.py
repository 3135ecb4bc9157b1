"""The admin's list of requests: every one with what became of it, filtered and searched, and nothing to change."""

from __future__ import annotations

import re
from html import unescape

import pytest

from brain.approval.models import Proposal

LIST = "/admin/approval/proposal/"


def ask(client, name: str, **more) -> str:
    given = {
        "path": f"memory/rules/{name}.md",
        "content": f"Use {name}.",
        "frontmatter": {"type": "rule", "title": name},
    }
    return client("propose", operation="write_page", arguments=given, **{"reason": "pediu", **more}).proposal_id


def rows(page) -> list[str]:
    body = page.html.partition("<tbody>")[2].partition("</tbody>")[0]
    return [" ".join(unescape(re.sub(r"<[^>]+>", " ", row)).split()) for row in body.split("<tr>")[1:]]


@pytest.fixture
def three(client_of, send):
    """One request that waits, one refused, one approved: of two clients."""
    claude, codex = client_of("claude-code"), client_of("codex-cli")
    first, second, third = ask(claude, "um"), ask(codex, "dois"), ask(claude, "tres")
    send(f"/approvals/{second}/decide", {"decision": "reject", "reason": "Agora <não>."})
    send(f"/approvals/{third}/decide", {"decision": "accept", "digest": digest(third)})
    return first, second, third


def policy(answer) -> set[str]:
    return set(re.sub(r" 'nonce-[^']*'", "", answer["Content-Security-Policy"]).split("; "))


def digest(identity: str) -> str:
    from brain.services.proposals import keeping

    return keeping.digest(Proposal.objects.get(id=identity))


def test_every_request_is_listed_with_what_became_of_it(three, see):
    page = see(LIST)
    third, second, first = rows(page)
    assert "memory/rules/um.md write_page Claude Code proposal waits" in first
    assert "memory/rules/dois.md write_page Codex CLI proposal refused" in second
    assert second.endswith("Agora <não>.")
    assert "approved" in third
    assert f'href="/approvals/{three[0]}"' in page.html
    assert f'href="/approvals/{three[2]}"' not in page.html
    assert f'href="/activity/{Proposal.objects.get(id=three[2]).op}"' in page.html


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({"is": "waiting"}, ["um"]),
        ({"is": "rejected"}, ["dois"]),
        ({"by": "claude-code"}, ["tres", "um"]),
        ({"of": "forget"}, []),
        ({"as": "confirmation"}, []),
        ({"by": "claude-code", "is": "accepted"}, ["tres"]),
        ({"q": "Use dois"}, ["dois"]),
        ({"q": "nada disso"}, []),
    ],
)
def test_it_is_filtered_and_searched(three, see, asked, found):
    assert [re.search(r"rules/(\w+)\.md", row)[1] for row in rows(see(LIST, asked))] == found


def test_it_speaks_the_language_of_the_person(three, person, see):
    person.cookies["cabecao_lang"] = "pt-br"
    page = see(LIST)
    assert "recusado" in page.text
    assert "aprovado" in page.text
    assert "refused" not in page.text


def test_only_the_session_sees_it_and_nobody_changes_anything(three, stranger, person, send):
    from django.test import Client

    other = Client(headers={"host": "cabecao.localhost:8765"})
    for address in ("/admin/", LIST, f"{LIST}?is=waiting"):
        answer = other.get(address)
        assert answer.status_code == 403
        assert "rules/" not in answer.content.decode()
    before = list(Proposal.objects.values())
    for form in ({"action": "delete_selected", "_selected_action": three[0]}, {"_save": "1"}):
        assert send(LIST, form).status_code == 405
    for address in (f"{LIST}{three[0]}/change/", f"{LIST}{three[0]}/delete/", f"{LIST}add/", "/admin/login/",
                    "/admin/password_change/", "/admin/auth/user/", "/admin/logout/"):  # fmt: skip
        assert person.get(address).status_code == 404
        assert send(address).status_code == 404
    assert list(Proposal.objects.values()) == before


@pytest.mark.parametrize(
    "asked", [{"e": "1"}, {"o": "9.9"}, {"p": "99"}, {"nothing__here": "1"}, {"is": "<b>"}, {"q": "\x00"}]
)
def test_what_cannot_be_asked_for_is_no_failure_of_the_page(three, person, asked):
    assert person.get(LIST, asked, follow=True).status_code in (200, 400)


def test_it_needs_no_other_policy_than_every_page(three, person, see):
    answer = person.get(LIST)
    page = answer.content.decode()
    assert policy(answer) == policy(person.get("/"))
    assert not re.search(r"<style|style=|<script|\son\w+=|javascript:", page)
    assert "https://" not in page
