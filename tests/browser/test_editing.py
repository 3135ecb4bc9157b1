"""Editing in a real browser: two at one note lose nothing, unsaved text is asked about once, names and places follow."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

NOTE = "wiki/concepts/Lotes.md"
HREF = "/n/01KPTMDA406MCFZVF48S027CR9"
TEXT = (
    "---\nid: 01KPTMDA406MCFZVF48S027CR9\ntype: concept\ntitle: Lotes\n---\n\n"
    "## Uso\n\nDez por vez.\n\nMeio.\n\nFim. Ver [[rica]].\n"
)
WIDE = {"width": 1440, "height": 900}
PHONE = {"width": 390, "height": 844}


@pytest.fixture
def lotes(example):
    example.write(NOTE, TEXT)
    example.write("wiki/concepts/Aponta.md", "Ver [[Lotes]] e [os lotes](Lotes.md#uso).\n")
    example.commit()
    return example


def typed(page, before: str, after: str) -> None:
    """Change a passage of the text as typing would."""
    text = page.locator("#text").input_value()
    assert before in text
    page.locator("#text").fill(text.replace(before, after))


def save(page) -> None:
    page.get_by_role("button", name="Save", exact=True).click()


def commits(brain) -> int:
    return int(brain.git("rev-list", "--count", "HEAD"))


@pytest.fixture
def two_tabs(lotes, open_pages):
    """Two tabs that opened one note's editor; the first has saved, the second has typed."""
    first, second = open_pages(viewport=WIDE), open_pages(viewport=WIDE)
    for tab in (first, second):
        tab.goto(f"{HREF}/edit")
    typed(first.page, "Fim.", "Fim da primeira.")
    save(first.page)
    first.page.locator(".toast").get_by_text("Saved.").wait_for()
    typed(second.page, "Dez", "Doze")
    return second


def test_the_second_of_two_tabs_sees_both_texts_and_loses_neither(two_tabs, lotes):
    page = two_tabs.page
    save(page)
    page.get_by_text("Nothing was changed. The note changed while you were editing.").wait_for()
    assert "Doze" in page.locator("#mine").input_value()
    assert page.locator("#theirs").input_value() == lotes.text(NOTE)
    assert "Doze" not in lotes.text(NOTE)
    places = page.locator(".place")
    assert "Doze por vez." in places.filter(has_text="Dez por vez.").locator(".mine").inner_text()
    assert "Fim da primeira." in places.filter(has_text="Fim da primeira.").locator(".theirs").inner_text()

    page.get_by_role("button", name="Save what I chose").click()
    page.locator(".toast").get_by_text("Saved.").wait_for()
    assert "Doze por vez.\n\nMeio.\n\nFim da primeira." in lotes.text(NOTE)
    two_tabs.goto(f"{HREF}/edit")
    expect(page.locator(".callout")).to_have_count(0)


def test_left_for_later_the_second_text_is_still_there(two_tabs, lotes):
    page = two_tabs.page
    save(page)
    page.get_by_role("button", name="Leave the other").click()
    page.locator(".toast").wait_for()
    assert "Doze" not in lotes.text(NOTE)
    two_tabs.goto(f"{HREF}/edit")
    page.get_by_role("link", name="Go on with it").click()
    assert "Doze" in page.locator("#text").input_value()
    assert "There is text of yours" not in page.locator("main").inner_text()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, PHONE])
def test_no_fault_for_those_who_cannot_see_it(lotes, open_pages, theme, size):
    watched = open_pages(viewport=size, color_scheme=theme)
    page = watched.page
    faults = []

    def look(name: str) -> None:
        page.wait_for_load_state("networkidle")
        faults.extend(f"{name}: {fault}" for fault in watched.axe())
        if page.locator("h1:visible").count() != 1:
            faults.append(f"{name}: not one h1")

    watched.goto(f"{HREF}/edit")
    look("editor")
    lotes.write(NOTE, TEXT.replace("Fim.", "Fim de outro programa."))
    typed(page, "Dez", "Doze")
    save(page)
    page.locator(".place").first.wait_for()
    look("conflict")
    watched.goto(f"{HREF}/edit")
    look("draft")
    watched.goto(HREF)
    for form in ("Rename or move", "Archive"):
        page.locator("summary", has_text=form).click()
    look("placing")
    watched.goto("/path/quebrada.md/edit")
    save(page)
    page.locator("#refusal, .toast").first.wait_for()
    look("broken")
    assert faults == []


@pytest.mark.parametrize("width", [320, 640, 900])
def test_nothing_scrolls_sideways(two_tabs, width):
    page = two_tabs.page
    wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
    page.set_viewport_size({"width": width, "height": 700})
    assert not page.evaluate(wide)
    save(page)
    page.locator(".place").first.wait_for()
    assert not page.evaluate(wide)


def test_leaving_unsaved_text_asks_exactly_once(lotes, open_pages):
    watched = open_pages(viewport=WIDE)
    page = watched.page
    asked = []

    def stay(dialog):
        asked.append(dialog.type)
        dialog.dismiss()

    page.on("dialog", stay)
    watched.goto(f"{HREF}/edit")
    page.get_by_role("link", name="Leave").click()
    page.wait_for_url(f"**{HREF}")
    assert asked == []  # nothing was typed

    watched.goto(f"{HREF}/edit")
    page.locator("#text").press("End")
    page.locator("#text").press_sequentially("mais")
    page.get_by_role("link", name="Leave").click()
    page.wait_for_timeout(300)
    assert asked == ["beforeunload"]
    assert page.url.endswith("/edit")
    page.get_by_role("link", name="Leave").click()
    page.wait_for_url(f"**{HREF}")
    assert asked == ["beforeunload"]
    assert lotes.text(NOTE) == TEXT


def test_a_key_opens_the_editor_and_another_saves_without_a_question(lotes, open_pages):
    watched = open_pages(viewport=WIDE)
    page = watched.page
    asked = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.dismiss()))
    watched.goto(HREF)
    page.keyboard.press("e")
    page.wait_for_url("**/edit")
    before = commits(lotes)
    typed(page, "Dez", "Vinte")
    page.locator("#text").press("Control+Enter")
    page.locator(".toast").get_by_text("Saved.").wait_for()
    assert "Vinte por vez." in lotes.text(NOTE)
    assert commits(lotes) == before + 1
    assert asked == []


def test_what_was_typed_survives_the_browser_going_back_and_is_offered(lotes, open_pages):
    watched = open_pages(viewport=WIDE)
    page = watched.page
    page.route("**/preview", lambda route: route.abort())  # so that this browser alone has kept it
    page.on("dialog", lambda dialog: dialog.accept())
    watched.goto(f"{HREF}/edit")
    typed(page, "Dez", "Trinta")
    watched.goto("/notes")
    watched.goto(f"{HREF}/edit")
    page.get_by_text("This browser holds text of yours that was not saved.").wait_for()
    page.get_by_role("button", name="Go on with it").click()
    assert "Trinta" in page.locator("#text").input_value()
    watched.wrong[:] = [fault for fault in watched.wrong if "/preview" not in fault]
    save(page)
    page.locator(".toast").wait_for()
    assert "Trinta" in lotes.text(NOTE)


def test_a_new_name_takes_the_links_along(lotes, open_pages):
    watched = open_pages(viewport=WIDE)
    page = watched.page
    before = commits(lotes)
    watched.goto(HREF)
    page.locator("summary", has_text="Rename or move").click()
    page.get_by_label("Title").fill("Levas")
    page.get_by_label("File").fill("wiki/concepts/atlas/Levas.md")
    page.get_by_role("button", name="Rename or move").click()
    page.locator(".toast").get_by_text("The links in 1 note follow.").wait_for()
    assert page.locator("h1").inner_text() == "Levas"
    assert lotes.text("wiki/concepts/Aponta.md") == "Ver [[Levas]] e [os lotes](atlas/Levas.md#uso).\n"
    assert commits(lotes) == before + 1
    page.locator(".toast").get_by_role("button", name="Undo").click()
    page.locator(".toast").get_by_text("as before").wait_for()
    assert lotes.text(NOTE) == TEXT
    assert "[[Lotes]]" in lotes.text("wiki/concepts/Aponta.md")


def test_archived_it_leaves_the_list_and_comes_back_by_undo(lotes, open_pages):
    watched = open_pages(viewport=WIDE)
    page = watched.page
    watched.goto(HREF)
    page.locator("summary", has_text="Archive").click()
    page.get_by_label("Why?").fill("Repetida")
    page.get_by_role("button", name="Archive").click()
    page.locator(".toast").get_by_text("Archived.").wait_for()
    assert "forget_reason: Repetida" in lotes.text(f"memory/_archive/{NOTE}")
    assert not (lotes.root / NOTE).exists()
    page.locator(".toast").get_by_role("button", name="Undo").click()
    page.locator(".toast").get_by_text("as before").wait_for()
    assert lotes.text(NOTE) == TEXT


def test_an_earlier_version_is_restored_byte_for_byte(lotes, open_pages):
    watched = open_pages(viewport=WIDE)
    page = watched.page
    watched.goto(f"{HREF}/edit")
    typed(page, "Dez", "Vinte")
    save(page)
    page.locator(".toast").wait_for()
    watched.goto(f"{HREF}/history")
    before = commits(lotes)
    page.get_by_role("button", name="Restore").last.click()
    page.locator(".toast").get_by_text("Restored.").wait_for()
    assert lotes.text(NOTE) == TEXT
    assert commits(lotes) == before + 1
    expect(page.get_by_text("Dez por vez.")).to_be_visible()


def test_without_scripts_a_text_is_saved_and_a_conflict_is_resolved(lotes, open_pages):
    watched = open_pages(java_script_enabled=False)
    page = watched.page
    page.goto(f"{watched.origin}{HREF}/edit")
    lotes.write(NOTE, TEXT.replace("Fim.", "Fim de outro."))
    typed(page, "Dez", "Doze")
    save(page)
    page.locator(".place").first.wait_for()
    page.get_by_role("button", name="Save what I chose").click()
    page.wait_for_url(f"**{HREF}")
    assert "Doze por vez.\n\nMeio.\n\nFim de outro." in lotes.text(NOTE)


def test_a_link_is_completed_by_keys_and_by_a_click(lotes, open_pages):
    lotes.write("wiki/concepts/Bacalhau.md", "Peixe.\n")
    lotes.write("wiki/concepts/Bacalhau frito.md", "Peixe.\n")
    watched = open_pages(viewport=WIDE)
    page = watched.page
    watched.goto(f"{HREF}/edit")
    text, rows = page.locator("#text"), page.locator("#link-list [role=option]")
    text.press("Control+End")
    text.press_sequentially("[[BACA", delay=20)
    expect(rows).to_have_count(2)
    expect(text).to_have_attribute("aria-activedescendant", "link-0")
    text.press("ArrowDown")
    expect(rows.nth(1)).to_have_attribute("aria-selected", "true")
    assert watched.axe() == []
    text.press("Enter")
    assert text.input_value().endswith("[[Bacalhau frito]]")
    expect(page.locator("#link-list")).to_be_hidden()

    text.press_sequentially(" e [[bac", delay=20)
    rows.first.click()
    assert text.input_value().endswith("[[Bacalhau frito]] e [[Bacalhau]]")
    expect(text).to_be_focused()
    text.press_sequentially(" e [[bac", delay=20)
    expect(rows).to_have_count(2)
    text.press("Escape")
    expect(page.locator("#link-list")).to_be_hidden()
    text.press("Control+Enter")
    page.locator(".toast").get_by_text("Saved.").wait_for()
    assert "[[Bacalhau frito]] e [[Bacalhau]] e [[bac" in lotes.text(NOTE)


def test_an_open_editor_is_told_what_became_of_its_note_and_keeps_the_text(lotes, open_pages):
    watched = open_pages(viewport=PHONE)
    page = watched.page
    watched.goto(f"{HREF}/edit")
    typed(page, "Dez", "Doze")
    lotes.write(NOTE, TEXT.replace("type: concept", "type: [concept"))
    page.get_by_text("its fields cannot be read now").wait_for(timeout=15_000)
    assert "Doze" in page.locator("#text").input_value()
    assert watched.axe() == []
    save(page)
    page.locator(".place").first.wait_for()
    assert "Doze" in page.locator("#mine").input_value()
    assert "[concept" in lotes.text(NOTE)
