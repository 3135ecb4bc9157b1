"""A new note in a real browser: by keys from anywhere, with what is like it shown while one writes."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

WIDE = {"width": 1440, "height": 900}
PHONE = {"width": 390, "height": 844}
OLD = "memory/gotchas/lotes.md"
TEXT = "Os consumidores do Atlas leem do SQS em lotes de 10 mensagens por chamada, com espera longa de 20 segundos."


@pytest.fixture
def lotes(example):
    example.note(OLD, TEXT, id="01KPTMDA406MCFZVF48S027CR9", type="gotcha", title="Leitura em lote", scope="global")
    example.commit()
    return example


def test_what_is_like_it_is_seen_while_one_writes_and_answered_without_a_first_save(lotes, open_pages):
    watched = open_pages(viewport=WIDE)
    page = watched.page
    watched.goto("/notes")
    page.keyboard.press("n")
    page.wait_for_url("**/new")
    page.get_by_label("Title").fill("Lotes de vinte")
    page.locator("#text").fill(TEXT.replace("10", "20"))
    alike = page.locator("#alike")
    alike.get_by_text("There are memories like this one.").wait_for()
    expect(alike.locator(".alike li")).to_have_count(1)
    expect(page.locator("#text")).to_be_focused()
    assert not (lotes.root / "memory/gotchas/lotes-de-vinte.md").exists()
    alike.get_by_role("button", name="Mine is another memory: save it").click()
    page.locator(".toast").get_by_text("Saved as gotcha.").wait_for()
    assert "lotes de 20" in lotes.text("memory/gotchas/lotes-de-vinte.md")
    watched.goto("/new")
    expect(page.locator(".callout")).to_have_count(0)  # no draft is left


def test_another_type_keeps_the_text_and_leaving_it_asks(lotes, open_pages):
    watched = open_pages(viewport=WIDE)
    page = watched.page
    asked = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.dismiss()))
    watched.goto("/new")
    assert "## What happens" in page.locator("#text").input_value()
    page.get_by_label("Type").select_option("decision")
    expect(page.locator("#text")).to_have_value("## Context\n\n\n## What was decided\n\n\n## Why\n")
    page.locator("#text").fill("Meu texto.")
    page.get_by_label("Type").select_option("fact")
    page.get_by_label("Subject").wait_for()
    assert page.locator("#text").input_value() == "Meu texto."
    assert asked == []
    page.get_by_role("link", name="Leave").click()
    page.wait_for_timeout(300)
    assert asked == ["beforeunload"]
    page.get_by_role("link", name="Leave").click()
    page.wait_for_url("**/notes")


def test_a_fact_shows_whose_place_it_takes_before_it_is_saved(lotes, open_pages):
    lotes.note(
        "memory/facts/f.md",
        "O Boto usa SQS.",
        type="fact",
        scope="global",
        subject="Boto",
        predicate="usa",
        object="SQS",
    )
    watched = open_pages(viewport=WIDE)
    page = watched.page
    watched.goto("/new?type=fact")
    page.get_by_label("Subject").fill("Boto")
    page.get_by_label("Predicate").fill("usa")
    page.get_by_label("Object").fill("Kafka")
    page.locator("#alike").get_by_text("takes the place of one that holds now").wait_for()
    assert "O Boto usa SQS." in page.locator("#alike").inner_text()
    page.get_by_label("Object").press("Control+Enter")
    page.locator(".toast").get_by_text("Saved as fact.").wait_for()
    assert "valid_until" in lotes.text("memory/facts/f.md")


def test_a_quick_note_by_a_key_from_anywhere(lotes, open_pages):
    watched = open_pages(viewport={"width": 700, "height": 800})
    page = watched.page
    watched.goto("/settings")
    page.keyboard.press("c")
    page.wait_for_url("**/capture")
    expect(page.locator("#text")).to_be_focused()
    page.keyboard.type("Prefiro reuniões curtas.")
    page.locator("#alike").get_by_text("Preference").wait_for()
    page.keyboard.press("Control+Enter")
    page.locator(".toast").get_by_text("Saved as preference.").wait_for()
    assert page.locator("h1").inner_text() == "Prefiro reuniões curtas."
    page.locator(".toast").get_by_role("button", name="Undo").click()
    page.locator(".toast").get_by_text("The operation is undone.").or_(page.get_by_text("as before")).first.wait_for()
    assert page.url.endswith("/activity")


def test_keys_turned_off_stay_off(open_pages):
    watched = open_pages(viewport=WIDE)
    page = watched.page
    watched.goto("/settings")
    page.locator('input[name="keys"][value="off"]').check()
    page.locator('form[action="/settings/keys"] button').click()
    page.wait_for_load_state("networkidle")
    watched.goto("/notes")
    for key in ("c", "n"):
        page.keyboard.press(key)
    page.wait_for_timeout(300)
    assert page.url.endswith("/notes")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, PHONE])
def test_no_fault_for_those_who_cannot_see_it(lotes, open_pages, theme, size):
    watched = open_pages(viewport=size, color_scheme=theme)
    page = watched.page
    faults = []
    wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
    for path in ("/new", "/new?type=fact", "/capture", "/missing?title=Xilindró", "/"):
        watched.goto(path)
        page.wait_for_load_state("networkidle")
        faults += [f"{path} {fault}" for fault in watched.axe()]
        faults += [f"{path}: not one h1"] if page.locator("h1:visible").count() != 1 else []
        faults += [f"{path}: sideways"] if page.evaluate(wide) else []
    watched.goto("/new")
    page.locator("#text").fill(TEXT.replace("10", "20"))
    page.locator("#alike .alike").wait_for()
    faults += [f"alike {fault}" for fault in watched.axe()]
    page.set_viewport_size({"width": 320, "height": 700})
    faults += ["alike: sideways"] if page.evaluate(wide) else []
    assert faults == []


def test_without_scripts_it_is_asked_after_the_first_submit(lotes, open_pages):
    watched = open_pages(java_script_enabled=False)
    page = watched.page
    page.goto(f"{watched.origin}/")
    page.get_by_role("link", name="New note").first.click()
    page.get_by_label("Type").select_option("decision")
    page.get_by_role("button", name="Change the type").click()
    assert "## Context" in page.locator("#text").input_value()
    page.get_by_label("Type").select_option("gotcha")
    page.locator("#text").fill(TEXT.replace("10", "20"))
    page.get_by_label("Title").press("Enter")
    page.get_by_text("There are memories like this one.").wait_for()
    page.get_by_role("button", name="Put mine in its place").click()
    assert "lotes de 20" in lotes.text(OLD)
