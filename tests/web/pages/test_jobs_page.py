"""Jobs: what runs, how it ended, and what a person can do about it."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest

from brain import clock
from brain.index import refresh
from brain.jobs import workers
from brain.jobs.models import Job, Schedule, State

HTMX = {"HX-Request": "true"}


@pytest.fixture(autouse=True)
def quiet_broker(monkeypatch):
    """Let no message leave; the row is what these pages show."""
    from brain import tasks

    monkeypatch.setattr(tasks, "_send", lambda job: None)


def test_no_worker_is_said(see):
    assert "No worker is running" in see("/jobs").text
    workers.beat()
    assert "No worker is running" not in see("/jobs").text


def test_a_running_job_shows_how_far_it_is_and_how_long_it_takes(see, stranger):
    moment = clock.now()
    Job.objects.create(kind="reindex", state=State.RUNNING, progress=500, done=50, total=100, step="Lendo",
                       started_at=moment - timedelta(seconds=30), heartbeat_at=moment)  # fmt: skip
    page = see("/jobs")

    assert '<progress aria-label="Lendo" value="500" max="1000">' in page.html
    assert "50 of 100, about 30 s left" in page.text
    assert "every 2s" in page.html


def test_a_job_can_be_started_once_and_cancelled(send, see):
    assert send("/jobs/start", {"kind": "reindex"})["Location"] == "/jobs"
    send("/jobs/start", {"kind": "reindex"})
    job = Job.objects.get()
    assert "waits for its turn" in see("/jobs").text

    send(f"/jobs/{job.pk}/cancel")
    page = see("/jobs")
    assert "is cancelled" in page.text
    assert "Cancelled" in page.text


def test_a_failed_job_shows_its_last_lines_and_can_be_tried_again(see, stranger):
    Job.objects.create(
        kind="reindex",
        state=State.FAILED,
        error_message="It <b>failed</b>.",
        log="\n".join(f"line {n}" for n in range(20)),
    )
    page = see("/jobs")

    assert "It &lt;b&gt;failed&lt;/b&gt;." in page.html
    assert "line 19" in page.text
    assert "line 3 " not in page.text
    assert "Try again" in page.text


def test_what_comes_by_itself_says_how_it_went_and_when_it_comes_next(see, stranger):
    moment = clock.now()
    Job.objects.create(kind="upkeep", state=State.DONE, requested_by="schedule", result="All is in order.",
                       log="Old jobs: ok", started_at=moment - timedelta(seconds=7), finished_at=moment)  # fmt: skip
    Schedule.objects.create(kind="upkeep", next_at=moment + timedelta(days=3))
    page = see("/jobs")

    assert "Keep the databases in order Turned on" in page.text
    assert "every 24 h" in page.text
    assert "in 7 s" in page.text
    assert "All is in order." in page.text
    assert "Old jobs: ok" in page.text
    assert re.search(r"next \d\d/\d\d \d\d:\d\d", page.text)
    assert "Ended" not in page.text  # what went well by itself hides nothing that a person looks for


def test_a_schedule_is_turned_off_and_on_and_comes_at_another_interval(send, see):
    assert send("/jobs/schedules/upkeep", {"turn": "off"})["Location"] == "/jobs"
    assert "is off" in see("/jobs").text
    assert Schedule.objects.get(kind="upkeep").enabled is False
    send("/jobs/schedules/upkeep", {"turn": "on"})
    send("/jobs/schedules/upkeep", {"every": "2h"})
    row = Schedule.objects.get(kind="upkeep")
    assert (row.enabled, row.every_seconds, row.changed_by) == (True, 7200, "web")
    assert '<option value="2h" selected>' in see("/jobs").html


@pytest.mark.parametrize(
    ("kind", "form"),
    [("upkeep", {}), ("upkeep", {"turn": "maybe"}), ("upkeep", {"every": "1s"}), ("upkeep", {"every": "soon"}),
     ("reindex", {"turn": "off"}), ("nada", {"turn": "off"})],
)  # fmt: skip
def test_a_change_of_a_schedule_that_makes_no_sense_is_refused(send, kind, form):
    assert send(f"/jobs/schedules/{kind}", form).status_code == 400
    assert not Schedule.objects.exists()


def test_without_a_remote_sync_is_off_and_says_why(see, stranger):
    assert "Sync with the remote Turned off" in see("/jobs").text
    assert "there is no remote" in see("/jobs").text


def test_a_remote_alone_sends_nothing_by_itself_until_the_person_turns_sync_on(see, send, brain):
    brain.git("remote", "add", "origin", "../outro")
    assert "Sync with the remote Turned off" in see("/jobs").text
    send("/jobs/schedules/sync", {"turn": "on"})
    assert "Sync with the remote Turned on" in see("/jobs").text


def test_each_schedule_has_a_run_now_button_that_queues_it(send, see):
    assert see("/jobs").text.count("Run now") == 4
    send("/jobs/start", {"kind": "index-check"})
    assert Job.objects.get().kind == "index-check"
    assert see("/jobs").text.count("Run now") == 3


def test_notes_past_their_retention_can_be_archived_from_the_page(send, see, brain):
    assert "Archive the notes" not in see("/jobs").text
    brain.note("memory/gotchas/velha.md", "Antiga.", type="gotcha", created="2020-01-01", retention="P1Y")
    refresh.catch_up()
    assert "Archive the notes past their retention" in see("/jobs").text
    send("/jobs/start", {"kind": "archive-due"})
    assert Job.objects.get().kind == "archive-due"


def test_a_page_that_asks_again_hears_nothing_until_something_changes(person, see):
    job = Job.objects.create(kind="reindex", state=State.QUEUED)
    mark = re.search(r"/jobs\?v=([0-9a-f]+)", see("/jobs").html)[1]
    assert person.get(f"/jobs?v={mark}", headers=HTMX).status_code == 204

    Job.objects.filter(pk=job.pk).update(state=State.DONE, finished_at=clock.now())
    answer = person.get(f"/jobs?v={mark}", headers=HTMX)
    assert answer.status_code == 200
    assert "Done" in answer.content.decode()
    assert "every 10s" in answer.content.decode()


def test_an_open_page_says_of_the_worker_what_home_says_at_any_time(person, stranger):
    def said(path):
        return "No worker is running" in person.get(path, headers=HTMX).content.decode()

    def follows(page):
        mark = re.search(r"/jobs\?v=([0-9a-f]+)", page)[1]
        return person.get(f"/jobs?v={mark}", headers=HTMX)

    page = person.get("/jobs").content.decode()
    for change, gone in ((lambda: None, True), (workers.beat, False), (workers.leave, True), (workers.beat, False)):
        change()
        answer = follows(page)
        page = answer.content.decode() or page
        assert answer.status_code in (200, 204)  # any other would stop the asking
        assert ("No worker is running" in page, said("/health")) == (gone, gone)


def test_an_unknown_kind_or_job_is_refused(send):
    assert send("/jobs/start", {"kind": "rm"}).status_code == 400
    assert send("/jobs/nada/cancel").status_code == 404


def test_jobs_are_not_started_by_get(person):
    assert person.get("/jobs/start").status_code == 405
