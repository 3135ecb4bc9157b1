"""Activity and undo: what was done, what it changed, and the way back."""

from __future__ import annotations

import html
import re

import pytest

from brain.clock import new_id
from brain.index import operations

HTMX = {"HX-Request": "true"}


@pytest.fixture
def written(brain, agent):
    brain.commit()
    return agent("remember", content="A fila ficou sem dono.", type="gotcha", title="Fila sem dono")


def test_an_operation_says_who_did_what_and_to_which_note(written, see):
    page = see("/activity")

    assert "Today" in page.text
    assert "Claude Code wrote Fila sem dono" in page.text
    assert page.links["Fila sem dono"] == f"/n/{written.id}"


def test_the_changes_of_an_operation_are_shown_without_the_log(written, see):
    page = see(f"/activity/{written.op}")

    assert "A fila ficou sem dono." in page.text
    assert "log.md" not in page.text
    assert "<html" not in see(f"/activity/{written.op}", **HTMX).html


def test_the_newest_operations_stay_up_to_date_and_older_ones_stand_still(written, agent, person, see):
    again = html.unescape(re.search(r'hx-get="(/activity\?v=[0-9a-f]+)"', see("/activity").html)[1])
    assert person.get(again, headers=HTMX).status_code == 204

    agent("remember", content="O lote roda à noite.", type="gotcha", title="Lote noturno")
    newer = see(again, **HTMX)
    assert "Lote noturno" in newer.text
    assert "<html" not in newer.html
    assert "every 1s" not in see("/activity?before=999").html


def test_an_operation_that_does_not_exist_is_not_found(written, see):
    assert "no operation" in see("/activity/nada", status=404).text


def test_undo_by_a_plain_form_takes_the_note_away_and_leaves_a_row(written, brain, send, see):
    answer = send("/undo", {"op": written.op, "next": "/activity"})

    assert (answer.status_code, answer["Location"]) == (302, "/activity")
    assert not (brain.root / written.path).exists()
    page = see("/activity")
    assert "The operation is undone." in page.text
    assert "You undid Fila sem dono" in page.text
    assert page.text.count("Undone") == 1


def test_an_undo_can_be_undone(written, brain, send):
    send("/undo", {"op": written.op})
    send("/undo", {"op": operations.page(limit=1)[0].op})

    assert "A fila ficou sem dono." in brain.text(written.path)


def test_htmx_gets_the_rows_and_the_toast_from_where_it_is_led(written, send, see):
    answer = send("/undo", {"op": written.op, "next": "/activity"}, **HTMX)
    html = see(answer["Location"], **HTMX).html

    assert html.lstrip().startswith('<div id="operations" hx-get="/activity?v=')
    assert 'hx-swap-oob="beforeend:#toasts"' in html


def test_what_was_undone_before_is_said_beside_the_row(written, send):
    send("/undo", {"op": written.op})
    answer = send("/undo", {"op": written.op}, **HTMX)

    assert answer.status_code == 409
    assert answer["HX-Retarget"] == f"#failed-{written.op}"
    assert "To have it back, undo the undo." in answer.content.decode()


def test_a_conflict_changes_nothing_and_says_the_next_step(written, brain, send):
    place = brain.root / written.path
    place.write_text(place.read_text().replace("sem dono.", "com dono."))
    brain.commit("Edit")
    answer = send("/undo", {"op": written.op})

    assert answer.status_code == 409
    assert "Nothing was changed." in answer.content.decode()
    assert "com dono." in place.read_text()


@pytest.mark.parametrize(
    "back", ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)", ""]
)
def test_an_undo_leads_back_to_no_other_place(written, send, back):
    assert send("/undo", {"op": written.op, "next": back})["Location"] == "/activity"


def test_an_undo_leads_back_to_a_note_only_where_it_is_still_there(written, send):
    page = f"/n/{written.id}"
    assert send("/undo", {"op": written.op, "next": page})["Location"] == "/activity"
    assert send("/undo", {"op": operations.page(limit=1)[0].op, "next": page})["Location"] == page


def test_nothing_is_undone_by_get_or_without_the_token(written, brain, person):
    assert person.get("/undo", {"op": written.op}).status_code == 405
    assert person.post("/undo", {"op": written.op}).status_code == 403
    assert (brain.root / written.path).exists()


def test_one_client_can_be_chosen(written, send, see):
    send("/undo", {"op": written.op})
    page = see("/activity?client=web")

    assert "Claude Code wrote" not in page.text
    assert "You undid" in page.text
    assert page.links["Claude Code"] == "/activity?client=claude-code"


def test_five_thousand_operations_are_paged_by_place(brain, agent, see):
    brain.commit()
    for number in range(90):
        operations.record(
            new_id(), commit="0" * 40, session=None, client="c", kind="agent", at=_moment(), subject=f"add gotcha: N{number:03}",
            paths=["log.md"],
        )  # fmt: skip
    operations.record(new_id(), commit=brain.git("rev-parse", "HEAD").strip(), session=None, client="c", kind="agent",
                      at=_moment(), subject="add gotcha: N090", paths=["log.md"])  # fmt: skip
    seen, path = [], "/activity"
    while path:
        page = see(path)
        seen += re.findall(r"\bN\d{3}\b", page.text)
        path = page.links.get("Next")

    assert seen == [f"N{number:03}" for number in range(90, -1, -1)]


def _moment():
    from brain import clock

    return clock.now()


def test_an_empty_brain_says_what_will_be_here(brain, see):
    brain.commit()

    assert "Nothing was written through Cabeção yet." in see("/activity").text
