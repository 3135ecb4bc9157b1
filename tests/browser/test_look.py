"""The frame in a real browser: readable by all, inside its policy, on every width."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

PAGES = ["/", "/parts", "/settings", "/nowhere"]
SIZES = [(1440, 900), (768, 1024), (390, 844), (320, 640)]
PICTURES = os.environ.get("CABECAO_PICTURES")


def picture(watched, name: str) -> None:
    """Keep a picture for a person to look at, where a folder is named."""
    if PICTURES:
        watched.page.screenshot(path=Path(PICTURES) / f"{name}.png", full_page=True)


def test_the_watch_sees_what_breaks_the_policy(unjudged):
    from brain.access import launch

    unjudged.goto(f"/enter?c={launch.create()}")
    unjudged.goto("/outside-the-policy")
    unjudged.page.wait_for_timeout(200)

    told = " ".join(unjudged.wrong)
    assert all(directive in told for directive in ("style-src-attr", "script-src-attr", "img-src"))


def test_the_watch_sees_a_request_elsewhere_and_an_error(unjudged):
    unjudged.goto("/enter")
    unjudged.page.evaluate("setTimeout(() => { throw new Error('broken') })")
    unjudged.page.evaluate("console.warn('careful')")
    unjudged.page.wait_for_timeout(200)

    told = " ".join(unjudged.wrong)
    assert "error: broken" in told
    assert "console: careful" in told


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("width", "height"), SIZES)
def test_no_page_has_a_serious_fault_for_those_who_cannot_see_it(watched, theme, width, height):
    watched.page.emulate_media(color_scheme=theme)
    watched.page.set_viewport_size({"width": width, "height": height})
    faults = []
    for path in PAGES:
        watched.goto(path)
        picture(watched, f"{path.strip('/') or 'note'}-{theme}-{width}")
        faults += [f"{path} {fault}" for fault in watched.axe()]

    assert faults == []


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_the_entrance_is_readable_too(unjudged, theme, width):
    unjudged.page.emulate_media(color_scheme=theme)
    unjudged.page.set_viewport_size({"width": width, "height": 844})
    unjudged.goto("/")
    picture(unjudged, f"entrance-{theme}-{width}")

    assert unjudged.axe() == []
    assert unjudged.wrong == []


@pytest.mark.parametrize("width", [320, 640, 900, 1440])
def test_no_page_scrolls_sideways(watched, width):
    watched.page.set_viewport_size({"width": width, "height": 700})
    wide = []
    for path in PAGES:
        watched.goto(path)
        if watched.page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"):
            wide.append(path)

    assert wide == []


def test_the_first_tab_stop_skips_to_the_content(watched):
    watched.goto("/")
    watched.page.keyboard.press("Tab")

    assert watched.page.evaluate("document.activeElement.className") == "skip"
    watched.page.keyboard.press("Enter")
    assert watched.page.evaluate("document.activeElement.id") == "content"


@pytest.mark.parametrize("width", [1440, 390])
def test_every_stop_of_the_keyboard_is_seen_and_uncovered(watched, width):
    watched.page.set_viewport_size({"width": width, "height": 844})
    watched.goto("/parts")
    covered = []
    for _ in range(60):
        watched.page.keyboard.press("Tab")
        stop = watched.page.evaluate(
            """() => {
              const one = document.activeElement, box = one.getBoundingClientRect();
              const over = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
              const ring = [one, one.parentElement, one.closest(".search-box") ?? one].some(
                each => parseFloat(getComputedStyle(each).outlineWidth) >= 2 && getComputedStyle(each).outlineStyle !== "none");
              return one === document.body ? null : {what: one.outerHTML.slice(0, 90), ring, uncovered: one.contains(over) || !!over?.contains(one)};
            }"""
        )
        if stop is None:
            break
        if not stop["ring"] or not stop["uncovered"]:
            covered.append(stop)

    assert covered == []


def test_the_theme_changes_at_once_and_stays(watched):
    watched.page.emulate_media(color_scheme="light")
    watched.goto("/")
    with watched.page.expect_response("**/settings/theme"):
        watched.page.get_by_role("button", name="Tema escuro").click()

    assert watched.page.evaluate("document.documentElement.dataset.theme") == "dark"
    watched.page.reload()
    assert watched.page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert watched.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(21, 23, 27)"


def test_keys_lead_about_and_stay_out_of_fields(watched):
    watched.goto("/parts")
    watched.page.keyboard.press("/")
    assert watched.page.evaluate("document.activeElement.id") == "search-box"

    watched.page.keyboard.type("g?j")
    assert watched.page.input_value("#search-box") == "g?j"
    watched.page.evaluate("document.activeElement.blur()")

    watched.page.keyboard.press("j")
    watched.page.keyboard.press("j")
    assert watched.page.evaluate("document.activeElement.getAttribute('href')") == "/n/2"

    watched.page.keyboard.press("?")
    assert watched.page.locator("#shortcuts").is_visible()
    watched.page.keyboard.press("Escape")
    watched.page.keyboard.press("g")
    with watched.page.expect_navigation(url="**/"):
        watched.page.keyboard.press("h")


def test_single_keys_stay_silent_when_turned_off(watched):
    watched.goto("/settings")
    watched.page.get_by_label("Desligados").check()
    watched.page.get_by_role("button", name="Salvar").click()
    watched.page.keyboard.press("?")

    assert not watched.page.locator("#shortcuts").is_visible()


def test_a_dialog_gives_the_focus_back_and_has_no_fault(watched):
    watched.goto("/")
    watched.page.keyboard.press("?")
    picture(watched, "shortcuts")

    assert watched.axe() == []


def test_a_toast_shows_its_way_back(watched):
    watched.goto("/say")
    picture(watched, "toast")

    assert watched.page.locator(".toast").get_by_role("button", name="Desfazer").is_visible()
    assert watched.axe() == []


def test_the_pages_work_without_scripts(browser, gallery, live_server):
    from brain.access import launch

    context = browser.new_context(java_script_enabled=False, color_scheme="light")
    page = context.new_page()
    page.goto(f"{live_server.url}/enter?c={launch.create()}")
    page.get_by_role("button", name="Tema escuro").click()

    assert page.locator("html").get_attribute("data-theme") == "dark"
    page.get_by_text("Como fica").first.click()
    assert page.locator(".diff-after").is_visible()
    assert not page.locator(".diff-changes").is_visible()
    context.close()


def test_what_is_pressed_stays_visible_in_forced_colours(watched):
    watched.page.emulate_media(forced_colors="active")
    watched.goto("/")
    picture(watched, "forced")

    assert (
        watched.page.evaluate("getComputedStyle(document.querySelector('.rail [aria-current]')).outlineWidth") == "2px"
    )


def test_a_note_is_printed_without_bars(watched):
    watched.page.emulate_media(media="print")
    watched.goto("/")

    assert not watched.page.locator(".rail").is_visible()
    assert not watched.page.get_by_role("link", name="Editar").is_visible()
    assert watched.page.locator(".note-text").is_visible()


def test_the_first_visit_is_light(watched):
    session = watched.page.context.new_cdp_session(watched.page)
    sizes = []
    session.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    session.send("Network.enable")
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})
    watched.goto("/")

    assert len(sizes) <= 20
    assert sum(sizes) <= 300 * 1024
