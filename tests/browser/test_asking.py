"""Ask in a real browser: statements as they come, their quotes in place, and a stop that stops."""

from __future__ import annotations

import json
import os
import re
import sys
import threading
from pathlib import Path

import pytest
from playwright.sync_api import expect

from llm import consent, folders, switch
from llm.failure import Failure
from llm.providers.base import Delta, Usage

OPERATIONS = str(Path(__file__).parents[1] / "operations")
if OPERATIONS not in sys.path:
    sys.path.insert(0, OPERATIONS)

from answering import Answers, answer, claim  # noqa: E402

QUESTION = "Que fila o Atlas usa hoje e por quê?"
ENABLED = switch.enabled
PICTURES = os.environ.get("CABECAO_PICTURES")


def quotes(request) -> list[tuple[str, str]]:
    """Return the first long line of each passage that was sent, with its label."""
    found = re.findall(r"<<<passage (S\d+) (\w+) [^>]*>>>\n(.*?)\n<<<end \1 \2>>>", request.user, re.DOTALL)
    lines = ((label, [line for line in text.splitlines() if len(line) > 60]) for label, _mark, text in found)
    return [(label, long[0]) for label, long in lines if long]


def said(request) -> str:
    first, second, *_others = quotes(request)
    return answer(
        claim("O Projeto Atlas usa SQS desde maio de 2026.", first, second),
        claim("A troca foi pelo custo <b>operacional</b>.", second),
        missing="quanto custa por mês",
    )


@pytest.fixture
def answers(example, tmp_path, monkeypatch):
    on = Answers(tmp_path / "settings")
    monkeypatch.setattr(switch, "enabled", on.enabled)
    on.says(said)
    return on


def picture(watched, name: str) -> None:
    if PICTURES:
        watched.page.screenshot(path=Path(PICTURES) / f"{name}.png", full_page=True)


def ask(watched) -> None:
    watched.goto("/ask")
    watched.page.get_by_label("Your question").fill(QUESTION)
    watched.page.get_by_role("button", name="Ask", exact=True).click()
    expect(watched.page.get_by_role("status").filter(has_text="statements, each")).to_be_visible()


def turn_on(monkeypatch, folder) -> None:
    """Turn a provider on in the user's own folder, as the terminal would."""
    monkeypatch.setattr(switch, "enabled", ENABLED)
    monkeypatch.setattr(folders, "own", lambda: folder)
    monkeypatch.setenv("SEGREDO", "chave-de-teste-0123456789-abcd")
    folders.make(folder)
    entry = consent.Entry("compatible", "fake-1", "https://modelos.example/v1", "variable:SEGREDO")
    consent.save(folder, consent.Settings((entry,)), on=["compatible"])


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("width", "height"), [(1440, 900), (320, 800)])
def test_each_face_of_the_page_can_be_read_by_all(open_pages, answers, own_home, monkeypatch, theme, width, height):
    watched = open_pages(color_scheme=theme, viewport={"width": width, "height": height})
    page, faults = watched.page, []

    def look(name: str) -> None:
        picture(watched, f"ask-{name}-{theme}-{width}")
        faults.extend(f"{name} {fault}" for fault in watched.axe())
        if page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"):
            faults.append(f"{name}: scrolls sideways")

    ask(watched)
    page.locator(".cite").first.click()
    look("answered")
    page.locator(".ask-narrow > summary").click()
    page.locator(".ask-took > summary").click()
    look("opened")
    page.get_by_role("button", name="Show what would be sent").click()
    page.get_by_text("Nothing was sent.").first.wait_for()
    look("shown")
    answers.says(answer())
    page.get_by_role("button", name="Ask", exact=True).click()
    page.get_by_text("The brain does not have this.").wait_for()
    look("not-found")
    answers.is_on = False
    watched.goto("/ask")
    look("off")
    watched.goto("/settings/answers")
    look("settings")
    turn_on(monkeypatch, own_home / "config" / "cabecao")
    watched.goto("/settings/answers")
    page.get_by_role("button", name="Turn answers off").wait_for()
    look("settings-on")
    page.get_by_role("button", name="Turn answers off").click()
    page.get_by_text("Answers are off: nothing leaves any more.").wait_for()

    assert faults == []


def test_a_number_opens_its_quote_in_place_and_the_quote_leads_to_the_note(open_pages, answers, example):
    watched = open_pages()
    page = watched.page
    ask(watched)
    assert page.locator(".claim").count() == 2
    assert "<b>operacional</b>" in page.locator(".claim").nth(1).inner_text()
    assert not page.locator("blockquote").nth(1).is_visible()
    page.locator(".claim").nth(1).get_by_role("link", name="Quote 2").press("Enter")

    quote = page.locator("#quote-2 blockquote")
    assert quote.is_visible()
    assert page.evaluate("document.activeElement.matches('summary')")
    text = quote.inner_text().replace("[[", "").replace("]]", "")
    page.locator("#quote-2").get_by_role("link").click()
    page.wait_for_selector("article")
    assert " ".join(text.split())[:30] in " ".join(page.locator("article").inner_text().split())


class Endless:
    """A model that says one thing and goes on until it is told to stop."""

    name, model, destination = "fake", "fake-1", "here"

    def __init__(self):
        self.stopped = threading.Event()

    def stream(self, request, attempts):
        attempts.take()
        yield Delta(said(request).partition(', {"text"')[0])
        yield Usage()
        try:
            attempts.wait(50)
        except Failure:
            if attempts.is_cancelled:
                self.stopped.set()
            raise


def test_stop_ends_the_request_and_leaves_what_came(open_pages, answers):
    answers.model = Endless()
    watched = open_pages()
    page = watched.page
    watched.goto("/ask")
    page.get_by_label("Your question").fill(QUESTION)
    page.keyboard.press("Control+Enter")
    page.locator(".claim").first.wait_for()
    place = page.locator("[data-answer]").bounding_box()["y"]
    page.get_by_role("button", name="Stop").click()

    page.get_by_text("Stopped. What came so far stays.").wait_for()
    assert answers.model.stopped.wait(20)
    assert page.locator(".claim").count() == 1
    assert page.locator("[data-answer]").bounding_box()["y"] == place  # nothing jumped
    expect(page.get_by_role("button", name="Ask", exact=True)).to_be_focused()


def test_what_came_is_taken_back_where_it_was_not_whole(open_pages, answers):
    broken = json.dumps({"claims": [claim("Sem fim.", "nada")]})[:-3]
    answers.says(broken, said)
    watched = open_pages()
    ask(watched)

    assert watched.page.locator(".claim").count() == 2


def test_without_scripts_the_whole_answer_comes_as_a_page(open_pages, answers):
    watched = open_pages(java_script_enabled=False)
    page = watched.page
    page.goto(watched.origin + "/ask")
    page.locator("#question").fill(QUESTION)
    assert not page.get_by_role("button", name="Stop").is_visible()
    page.get_by_role("button", name="Ask", exact=True).click()
    page.locator(".claim").first.wait_for()
    page.locator(".cite").first.click()

    assert page.locator(".claim").count() == 2
    assert page.locator("#question").input_value() == QUESTION
