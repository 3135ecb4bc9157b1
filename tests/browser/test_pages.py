"""The pages in a real browser: the main job, readable by all, with and without scripts."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect

ATLAS = "/path/memory/decisions/sqs-no-lugar-do-rabbitmq.md"
PAGES = {
    "home": "/",
    "empty-search": "/search",
    "search": "/search?q=fila",
    "explained": "/search?q=filas de mensagem xilindró&explain=1&open=1",
    "nothing": "/search?q=xilindró&type=rule",
    "notes": "/notes",
    "note": ATLAS,
    "expired": "/path/memory/decisions/rabbitmq-para-comecar.md",
    "raw": "/path/raw/articles/2026-05-03-reuniao-de-arquitetura.md",
    "broken": "/path/quebrada.md",
    "rich": "/path/rica.md",
    "history": "/path/rica.md/history",
    "missing": "/missing?title=Painel de alarmes",
    "ask": "/ask?question=Que fila o Atlas usa?",
    "activity": "/activity",
    "settings": "/settings",
    "clients": "/settings/clients",
    "answers": "/settings/answers",
    "jobs": "/jobs",
    "sync": "/sync",
    "conflicts": "/conflicts",
    "two-texts": "/conflicts/wiki/entities/SQS.conflict-escritorio-20260503-101500.md",
    "health": "/health",
    "facts": "/facts",
    "facts-then": "/facts?as_of=2026-02-01",
    "no-facts": "/facts?predicate=xilindró",
    "graph": "/graph?node=Projeto Atlas",
    "graph-then": "/graph?node=Projeto Atlas&as_of=2026-02-01",
    "graph-far": "/graph?node=Projeto Atlas&depth=2",
    "graph-whole": "/graph?whole=1",
    "no-graph": "/graph?node=xilindró",
    "lint": "/lint",
    "doctor": "/lint/doctor",
    "one-rule": "/lint?rule=broken_link",
}
PICTURES = os.environ.get("CABECAO_PICTURES")


def remember(brain, title: str, text: str) -> None:
    """Write a note from another process, as a client does."""
    command = [
        sys.executable,
        "-m",
        "cabecao_site.cli",
        "--brain",
        str(brain.root),
        "remember",
        "--type",
        "gotcha",
        "--title",
        title,
    ]
    environment = {**os.environ, "CABECAO_AGENT": "claude-code"}
    done = subprocess.run([*command, text], env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr


def picture(watched, name: str) -> None:
    """Keep a picture for a person to look at, where a folder is named."""
    if PICTURES:
        watched.page.screenshot(path=Path(PICTURES) / f"{name}.png")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("width", "height"), [(1440, 900), (390, 844)])
def test_no_page_has_a_fault_for_those_who_cannot_see_it(open_pages, theme, width, height):
    watched = open_pages(color_scheme=theme, viewport={"width": width, "height": height})
    faults = []
    for name, path in PAGES.items():
        watched.goto(path)
        watched.page.wait_for_load_state("networkidle")
        picture(watched, f"{name}-{theme}-{width}")
        faults += [f"{name} {fault}" for fault in watched.axe()]
        if watched.page.locator("h1:visible").count() != 1:
            faults.append(f"{name}: not one h1")

    assert faults == []


@pytest.mark.parametrize("width", [320, 640, 900])
def test_no_page_scrolls_sideways(open_pages, width):
    watched = open_pages(viewport={"width": width, "height": 700})
    wide = []
    for name, path in PAGES.items():
        watched.goto(path)
        if watched.page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"):
            wide.append(name)

    assert wide == []


def test_the_main_job_from_the_search_to_the_undo(open_pages, example):
    watched = open_pages(viewport={"width": 1440, "height": 900})
    page = watched.page
    watched.goto("/search")
    page.locator("#query").press_sequentially("rabbitmq", delay=20)
    page.locator("#results .passage").first.wait_for()
    page.wait_for_url("**/search?q=rabbitmq")
    assert page.locator("#results mark").first.inner_text().lower() == "rabbitmq"
    page.get_by_role("link", name="RabbitMQ para começar").first.click()
    assert page.locator("h1").inner_text() == "RabbitMQ para começar"

    watched.goto("/")
    remember(example, "Fila sem dono", "A fila de teste ficou sem dono.")
    row = page.locator("#last-operations li").filter(has_text="Fila sem dono")
    row.wait_for(timeout=15_000)
    assert "Claude Code" in row.inner_text()
    row.get_by_role("button", name="Undo").click()

    page.locator(".toast").get_by_text("The operation is undone.").wait_for()
    undone = page.locator("#last-operations li").filter(has_text="You undid")
    undone.wait_for()
    assert (
        page.locator("#last-operations li")
        .filter(has_text="Claude Code wrote Fila sem dono")
        .get_by_text("Undone")
        .is_visible()
    )
    assert not (example.root / "memory/gotchas/fila-sem-dono.md").exists()
    assert page.url.endswith("/")


def test_activity_shows_what_is_written_and_keeps_what_is_open(open_pages, example):
    watched = open_pages(viewport={"width": 1440, "height": 900})
    page = watched.page
    remember(example, "Primeira nota viva", "A primeira.")
    watched.goto("/activity")
    first = page.locator("#operations li").filter(has_text="Primeira nota viva")
    first.get_by_role("link", name="Changes").click()
    first.locator(".changes").get_by_text("A primeira.").first.wait_for()

    remember(example, "Segunda nota viva", "A segunda.")
    page.locator("#operations li").filter(has_text="Segunda nota viva").wait_for(timeout=15_000)
    assert first.locator(".changes").get_by_text("A primeira.").first.is_visible()
    expect(first.get_by_role("link", name="Changes")).to_be_focused()


def test_ten_letters_typed_quickly_end_with_the_answer_to_the_last(open_pages):
    watched = open_pages()
    watched.goto("/search")
    watched.page.locator("#query").press_sequentially("zzqqwwxxkk", delay=5)
    watched.page.get_by_text("No note has").wait_for()
    watched.page.locator("#query").fill("")
    watched.page.locator("#query").press_sequentially("mensagens", delay=5)
    watched.page.locator("#results .passage").first.wait_for()

    assert "notes found" in watched.page.locator("#result-count").inner_text()
    watched.page.wait_for_url("**/search?q=mensagens")
    watched.page.reload()
    assert watched.page.locator("#query").input_value() == "mensagens"
    assert watched.page.locator("#results .passage").count() > 0


def test_back_from_a_note_finds_the_query_and_its_results(open_pages):
    watched = open_pages()
    watched.goto("/search?q=fila")
    watched.page.locator(".passage-title").first.click()
    watched.page.wait_for_selector("article")
    watched.page.go_back()

    assert watched.page.locator("#query").input_value() == "fila"
    assert watched.page.locator("#results .passage").count() > 0


def test_changes_unfold_in_place_and_a_conflict_is_said_there(open_pages, example):
    remember(example, "Fila sem dono", "A fila de teste ficou sem dono.")
    place = example.root / "memory/gotchas/fila-sem-dono.md"
    place.write_text(place.read_text().replace("sem dono.", "com dono."))
    example.commit("Edit")
    watched = open_pages()
    watched.goto("/activity")
    row = watched.page.locator("li.operation").filter(has_text="Fila sem dono")
    row.get_by_role("link", name="Changes").click()
    row.locator(".diff").wait_for()
    picture(watched, "changes")
    row.get_by_role("button", name="Undo").click()
    row.get_by_role("alert").wait_for()

    assert "Nothing was changed." in row.get_by_role("alert").inner_text()
    assert watched.axe() == []
    assert [one for one in watched.wrong if "409" not in one] == []  # htmx says on the console what was refused
    watched.wrong.clear()


def test_two_versions_are_compared_in_place(open_pages):
    watched = open_pages()
    watched.goto("/path/rica.md/history")
    assert watched.page.locator("#comparison ins").first.inner_text() == "faturamento"
    watched.page.locator('input[name="from"]').first.check()
    watched.page.get_by_text("These two versions are equal.").wait_for()

    assert "from=" in watched.page.url


def test_a_cited_passage_has_the_focus_and_is_in_view(open_pages, example):
    from brain.note import blocks

    body = "".join(f"Parágrafo {number}.\n\n" for number in range(80))
    example.write("longa.md", body)
    citation = blocks.citation(2, "longa.md", 0, "Parágrafo 70.")
    watched = open_pages()
    watched.goto(f"/path/longa.md?b={citation}")

    assert watched.page.locator("#cited").inner_text() == "Parágrafo 70."
    assert watched.page.evaluate("document.activeElement.id") == "cited"
    box = watched.page.locator("#cited").bounding_box()
    assert 0 < box["y"] < 700


def test_the_versions_of_a_note_come_into_its_panel(open_pages):
    watched = open_pages(viewport={"width": 1440, "height": 900})
    watched.goto("/path/rica.md")
    watched.page.locator("#versions li").first.wait_for()

    assert watched.page.locator("#versions li").count() == 2


def test_arrows_lead_from_the_search_field_through_what_was_found(open_pages):
    watched = open_pages()
    watched.goto("/search?q=fila")
    page = watched.page
    titles = page.locator(".passage-title")
    page.locator("#query").focus()
    page.keyboard.press("ArrowUp")
    assert page.evaluate("document.activeElement.id") == "query"
    page.keyboard.press("ArrowDown")
    expect(titles.nth(0)).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(titles.nth(1)).to_be_focused()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    assert page.evaluate("document.activeElement.id") == "query"


def test_search_and_undo_work_without_scripts(open_pages, example):
    remember(example, "Fila sem dono", "A fila de teste ficou sem dono.")
    watched = open_pages(java_script_enabled=False)
    page = watched.page
    page.goto(watched.origin + "/search")
    page.locator("#query").fill("dono")
    page.locator("#query").press("Enter")
    assert page.locator(".passage").filter(has_text="Fila sem dono").is_visible()

    page.goto(watched.origin + "/activity")
    page.get_by_role("button", name="Undo").first.click()
    assert page.get_by_text("The operation is undone.").is_visible()
    assert page.get_by_text("You undid Fila sem dono", exact=True).is_visible()
    assert not (example.root / "memory/gotchas/fila-sem-dono.md").exists()


def test_the_jobs_page_follows_a_job_to_its_end(open_pages):
    from brain.jobs.models import Job, State

    watched = open_pages()
    watched.goto("/jobs")
    assert watched.page.locator("progress").get_attribute("value") == "400"
    Job.objects.filter(kind="reindex").update(state=State.DONE, progress=1000)
    watched.page.get_by_text("No job is running or waiting.").wait_for(timeout=10_000)


def test_letters_move_through_the_results(open_pages):
    watched = open_pages()
    watched.goto("/search?q=fila")
    watched.page.evaluate("document.activeElement.blur()")
    watched.page.keyboard.press("j")
    watched.page.keyboard.press("j")

    assert watched.page.evaluate("document.activeElement.className") == "passage-title"


def test_why_a_hit_stands_there_opens_in_its_place_by_the_keyboard(open_pages):
    watched = open_pages(viewport={"width": 1440, "height": 900})
    watched.goto("/search?q=fila")
    page = watched.page
    titles = page.locator(".passage-title").all_inner_texts()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("w")
    shown = page.locator("details.why[open]")
    expect(shown).to_have_count(1)
    expect(page.locator("#why-2")).to_be_focused()
    page.wait_for_url("**/search?q=fila&explain=1&open=2")

    assert shown.get_by_role("cell", name="as typed").first.is_visible()
    assert page.locator(".passage-title").all_inner_texts() == titles
    page.keyboard.press("Tab")
    expect(page.locator(".why-tables").nth(1)).to_be_focused()
    page.keyboard.press("w")
    expect(shown).to_have_count(0)
    page.locator("#query").fill("mensagens")
    expect(page.locator("details.why")).to_have_count(0)
    page.wait_for_url("**/search?q=mensagens")


def test_why_a_hit_stands_there_is_told_without_scripts(open_pages):
    watched = open_pages(java_script_enabled=False, viewport={"width": 390, "height": 844})
    page = watched.page
    page.goto(watched.origin + "/search?q=fila")
    page.get_by_role("link", name="Why here?").nth(1).click()
    assert page.locator("details.why").nth(1).locator("table").first.is_visible()
    assert not page.locator("details.why").first.locator("table").first.is_visible()
    page.locator("#query").fill("mensagens")
    page.locator("#query").press("Enter")
    assert page.locator("details.why").count() == page.locator(".passage").count()
    page.get_by_role("link", name="Without the explanations").click()
    assert page.locator("details.why").count() == 0


def test_the_slider_moves_the_facts_through_time(open_pages):
    watched = open_pages(viewport={"width": 1440, "height": 900})
    watched.goto("/facts?subject=Projeto Atlas")
    page = watched.page
    slider = page.locator("#day")
    low = int(slider.get_attribute("min"))
    slider.evaluate(
        "(one, day) => { one.value = day; one.dispatchEvent(new Event('input', {bubbles: true})); }", low + 60
    )
    page.get_by_text("Does not hold yet").first.wait_for()

    assert page.locator("#as-of").input_value() in page.url
    assert slider.get_attribute("aria-valuetext") == page.locator("#facts-said-day").inner_text()
    assert watched.axe() == []
    page.get_by_role("link", name="Back to today").click()
    page.get_by_text("Does not hold yet").first.wait_for(state="detached")
    assert "as_of" not in page.url


def test_facts_are_narrowed_without_scripts(open_pages):
    watched = open_pages(java_script_enabled=False)
    page = watched.page
    page.goto(watched.origin + "/facts")
    assert not page.locator("#day").is_visible()
    page.get_by_label("Predicate").fill("uses_queue")
    page.get_by_label("Day").fill("2026-02-01")
    page.get_by_role("button", name="Show").click()

    assert page.locator(".lane-fact").count() == 2
    assert page.locator(".lane-fact").filter(has_text="Holds").filter(has_text="RabbitMQ").is_visible()


def drawn(watched, path: str) -> None:
    """Open a graph and wait for its drawing."""
    watched.goto(path)
    watched.page.locator("[data-drawn]").wait_for()


def test_the_graph_is_drawn_and_arrows_lead_to_a_neighbour(open_pages):
    watched = open_pages(viewport={"width": 1440, "height": 900})
    drawn(watched, "/graph?node=Projeto Atlas")
    page = watched.page
    chosen = page.locator("#graph-chosen a")
    assert chosen.inner_text() == "Projeto Atlas"
    listed = page.locator(".graph-row .row-title").all_inner_texts()
    assert int(page.locator("[data-drawn]").get_attribute("data-drawn")) == len(listed) + 1

    page.locator("[data-graph]").focus()
    page.keyboard.press("ArrowRight")
    expect(chosen).not_to_have_text("Projeto Atlas")
    assert chosen.inner_text() in listed
    title = chosen.inner_text()
    page.keyboard.press("+")
    page.keyboard.press("0")
    page.keyboard.press("Enter")
    page.wait_for_selector("article")
    assert page.locator("h1").inner_text() == title


def test_a_note_of_the_drawing_is_chosen_by_a_click(open_pages):
    watched = open_pages(viewport={"width": 1440, "height": 900})
    drawn(watched, "/graph?node=Projeto Atlas")
    box = watched.page.locator("[data-graph]").bounding_box()
    watched.page.keyboard.press("Tab")
    watched.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    assert watched.page.locator("#graph-chosen a").inner_text() != ""


def test_filters_draw_the_graph_anew_and_the_theme_repaints_it(open_pages):
    watched = open_pages(viewport={"width": 1440, "height": 900})
    drawn(watched, "/graph?node=Projeto Atlas")
    page = watched.page
    before = int(page.locator("[data-drawn]").get_attribute("data-drawn"))
    page.get_by_label("Type").select_option("fact")
    page.wait_for_url("**type=fact**")
    page.locator("[data-drawn]").wait_for()
    assert int(page.locator("[data-drawn]").get_attribute("data-drawn")) < before
    page.get_by_label("Whole brain").check()
    page.wait_for_url("**whole=1**")
    page.locator("[data-drawn]").wait_for()
    page.get_by_role("button", name="Dark theme").click()
    assert page.locator("canvas").count() > 0


def test_without_scripts_the_graph_is_a_list(open_pages):
    watched = open_pages(java_script_enabled=False)
    page = watched.page
    page.goto(watched.origin + "/graph?node=Projeto Atlas")
    assert not page.locator(".graph-picture").is_visible()
    page.get_by_label("Distance").select_option("2")
    page.get_by_role("button", name="Show").click()

    assert page.get_by_role("heading", name="Two links away").is_visible()
    assert page.locator(".graph-row").count() > 5


def test_the_graph_of_another_day_is_asked_for_without_scripts(open_pages):
    watched = open_pages(java_script_enabled=False)
    page = watched.page
    page.goto(watched.origin + "/graph?node=Projeto Atlas")
    later = page.locator(".graph-row").get_by_text("Does not hold yet")
    today = later.count()
    page.get_by_label("Day").fill("2026-02-01")
    page.get_by_role("button", name="Show").click()

    assert "as_of=2026-02-01" in page.url
    assert page.get_by_label("Day").input_value() == "2026-02-01"
    assert later.count() > today


def test_the_neighbours_of_a_note_come_into_its_panel(open_pages):
    watched = open_pages(viewport={"width": 1440, "height": 900})
    watched.goto(ATLAS)
    watched.page.locator("#neighbours li").first.wait_for()
    watched.page.locator(".side").get_by_role("link", name="Graph").click()

    assert watched.page.locator(".graph-head h2").inner_text() == "SQS no lugar do RabbitMQ"
