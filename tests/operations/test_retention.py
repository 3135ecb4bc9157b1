"""retention: what is past the time it was to be kept for is listed, archived for the person alone, deleted by nobody."""

from __future__ import annotations

import json

import pytest
from test_confirming import fields

from brain.errors import HumanOnly
from brain.jobs import progress
from brain.jobs.models import Job, State
from brain.services import writing
from brain.services.keeping import retaining

OLD, YOUNG = "memory/gotchas/velha.md", "wiki/concepts/nova.md"


@pytest.fixture
def kept(ready):
    ready.note(OLD, "O bacalhau de ontem.", type="gotcha", title="Velha", created="2020-01-01", retention="P1Y")
    ready.note(YOUNG, "O de sempre.", type="concept", created="2020-01-01", retention="P100Y")
    ready.note("wiki/concepts/livre.md", "Sem prazo.", type="concept", created="2001-01-01")
    ready.commit()
    return ready


def test_without_apply_they_are_listed_and_nothing_changes(kept, person, unchanged):
    with unchanged():
        told = person("retention")
    assert [(one.path, one.title, one.retention, one.ended_on) for one in told.due] == [
        (OLD, "Velha", "P1Y", "2021-01-01")
    ]
    assert told.archived == []
    assert "--apply" in told.next_step
    assert not Job.objects.exists()


def test_with_apply_they_are_archived_in_one_commit_and_undo_brings_them_back(kept, person):
    kept.note("memory/facts/a.md", "Fato.", type="fact", created="2019-05-01T10:00:00.000Z", retention="P2M")
    kept.note("facts/a.md", "Outro.", type="fact", created="2019-05-01", retention="P2W")
    kept.commit()
    before = {path: (kept.root / path).read_bytes() for path in (OLD, "memory/facts/a.md", "facts/a.md")}
    count = int(kept.git("rev-list", "--count", "HEAD"))
    told = person("retention", apply=True)

    assert {one.path: one.archived_path for one in told.archived} == {
        "facts/a.md": "memory/_archive/facts/a.md",
        "memory/facts/a.md": "memory/_archive/facts/a-2.md",
        OLD: "memory/_archive/gotchas/velha.md",
    }
    assert told.due == []
    assert "2021-01-01" in fields(kept, "memory/_archive/gotchas/velha.md")["forget_reason"]
    assert int(kept.git("rev-list", "--count", "HEAD")) == count + 1
    assert kept.git("status", "--porcelain") == ""
    assert (kept.root / YOUNG).exists()
    assert person("search", query="bacalhau").hits == []
    person("undo", op=told.archived[0].op)
    assert {path: (kept.root / path).read_bytes() for path in before} == before


def test_it_is_a_job_that_says_how_it_went(kept, person):
    person("retention", apply=True)
    job = Job.objects.get()
    assert (job.kind, job.state, job.requested_by, job.progress) == ("archive-due", State.DONE, "web", 1000)


def test_nothing_due_is_said_and_makes_no_commit(ready, person, unchanged):
    with unchanged():
        told = person("retention", apply=True)
    assert (told.archived, told.due) == ([], [])
    assert "No note is past" in told.next_step


@pytest.mark.parametrize("arguments", [{}, {"apply": True}])
def test_an_agent_does_not_archive_them(kept, agent, arguments):
    with pytest.raises(HumanOnly):
        agent("retention", **arguments)
    assert (kept.root / OLD).exists()


def test_a_note_that_was_given_a_longer_time_meanwhile_stays(kept, person, monkeypatch):
    found = retaining.due

    def due():
        answer = found()
        kept.note(OLD, "O bacalhau de ontem.", type="gotcha", created="2020-01-01", retention="P90Y")
        return answer

    monkeypatch.setattr(retaining, "due", due)
    assert person("retention", apply=True).archived == []
    assert (kept.root / OLD).exists()


def test_it_can_be_stopped_between_two_commits(ready, person, monkeypatch):
    monkeypatch.setattr(retaining, "BATCH", 2)
    monkeypatch.setattr(progress, "WRITE_SECONDS", 0)
    for number in range(6):
        ready.note(f"wiki/concepts/{number}.md", "Velho.", type="concept", created="2020-01-01", retention="P1D")
    ready.commit()
    commit = writing.commit

    def cancel_after(*given):
        done = commit(*given)
        progress.cancel(Job.objects.get().pk)
        return done

    monkeypatch.setattr(writing, "commit", cancel_after)
    told = person("retention", apply=True)
    assert (len(told.archived), len(told.due)) == (2, 4)
    assert [one.code for one in told.warnings] == ["cancelled"]
    assert Job.objects.get().state == State.CANCELLED


def test_while_another_process_is_at_it_nothing_is_done_twice(kept, person, refuses):
    Job.objects.create(kind="archive-due", state=State.RUNNING, worker="elsewhere/1/1", attempts=1,
                       heartbeat_at=progress.now())  # fmt: skip
    refuses("locked", person, "retention", apply=True)


def test_the_job_of_the_timetable_only_looks(kept):
    from brain import tasks

    tasks.run_job(progress.start("retention", requested_by="schedule").pk)
    job = Job.objects.get()
    assert job.state == State.DONE
    assert job.log == f"{OLD} · P1Y · 2021-01-01"
    assert "1 note is past" in job.result
    assert (kept.root / OLD).exists()


def test_the_job_that_a_person_started_on_the_page_archives(kept):
    from brain import tasks

    tasks.run_job(progress.start("archive-due", requested_by="web").pk)
    job = Job.objects.get()
    assert (job.state, "1 note was archived" in job.result) == (State.DONE, True)
    assert job.log == f"{OLD} → memory/_archive/gotchas/velha.md"
    assert not (kept.root / OLD).exists()


def test_the_command_is_for_a_person(kept, by_command):
    answer = by_command("retention", {})
    assert "human_only" in json.dumps(answer, default=str)
