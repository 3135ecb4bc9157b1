"""jobs on the command line: listed, started, stopped and timed, by those who may."""

from __future__ import annotations

import json
import threading
import time

import pytest

from brain import tasks
from brain.jobs import progress, workers
from brain.jobs.models import Job, Schedule, State
from cabecao_site import bootstrap
from cabecao_site.cli.actions import jobs as action


@pytest.fixture
def jobs(brain, call, monkeypatch):
    """Run `cabecao jobs` on a brain whose broker takes no message."""
    bootstrap.prepare_records()
    monkeypatch.setenv("CABECAO_BRAIN", str(brain.root))
    monkeypatch.setattr(tasks, "KINDS", dict(tasks.KINDS))
    monkeypatch.setattr(tasks, "_send", lambda job: None)
    monkeypatch.setattr(action, "_POLL_SECONDS", 0.01)
    return lambda *words: call("jobs", *words)


def answer(ended):
    assert ended.code == 0, ended.err
    return json.loads(ended.out)


def a_worker_lives(monkeypatch):
    monkeypatch.setattr(workers, "alive", lambda: True)


def test_the_list_says_what_comes_by_itself_and_how_the_last_jobs_went(jobs, script):
    Job.objects.create(kind="upkeep", state=State.FAILED, error_message="No room.", requested_by="schedule")
    told = answer(jobs("--json"))
    assert [one["kind"] for one in told["schedules"]] == ["sync", "index-check", "retention", "upkeep"]
    upkeep = told["schedules"][3]
    assert (upkeep["enabled"], upkeep["every"], upkeep["least"], upkeep["most"]) == (True, "1d", "1h", "30d")
    assert upkeep["last"]["error_message"] == told["jobs"][0]["error_message"] == "No room."
    assert told["worker"] is False

    shown = jobs()
    assert shown.code == 0
    for part in ("By itself", "index-check", "every 1d", "No room.", "off"):
        assert part in shown.out
    assert "No worker is running" in shown.err


def test_without_a_worker_a_job_runs_here_and_says_how_far_it_is(jobs, script):
    def work(report):
        report.advance(1, 4, "reading")
        report.say("a line")
        report.conclude("All was read.")

    tasks.KINDS["probe"] = tasks.Kind("Probe", work)
    ended = jobs("run", "probe")
    assert ended.code == 0
    assert "Probe: 25 % reading" in ended.err
    assert "All was read." in ended.out
    assert (Job.objects.get().state, Job.objects.get().requested_by) == (State.DONE, "script")
    assert "a line" in jobs("show", "probe").out


def test_a_job_that_fails_ends_with_one_and_its_reason(jobs, script):
    def work(report):
        raise tasks.GitFailed("It did not go well.")

    tasks.KINDS["probe"] = tasks.Kind("Probe", work)
    ended = jobs("run", "probe", "--json")
    assert ended.code == 1
    told = json.loads(ended.out)
    assert (told["state"], told["error_code"], told["error_message"]) == ("failed", "git_failed", "It did not go well.")


def test_with_a_worker_the_job_is_followed_to_its_end(jobs, script, monkeypatch):
    a_worker_lives(monkeypatch)
    tasks.KINDS["probe"] = tasks.Kind("Probe", lambda report: None)

    def carry():
        while not (job := Job.objects.filter(kind="probe").first()):
            time.sleep(0.01)
        Job.objects.filter(pk=job.pk).update(state=State.RUNNING, progress=400, step="half way")
        time.sleep(0.2)
        Job.objects.filter(pk=job.pk).update(state=State.DONE, progress=1000, result="Carried.")

    thread = threading.Thread(target=carry)
    thread.start()
    ended = jobs("run", "probe")
    thread.join()
    assert ended.code == 0
    assert "Probe: 40 % half way" in ended.err
    assert "Carried." in ended.out


def test_a_job_is_only_queued_where_nobody_waits_for_it(jobs, script):
    assert answer(jobs("run", "index-check", "--no-wait", "--json"))["state"] == "queued"


def test_following_ends_when_no_worker_is_left(jobs, script, monkeypatch):
    living = iter([True])
    monkeypatch.setattr(workers, "alive", lambda: next(living, False))
    monkeypatch.setattr(action, "_NO_WORKER_SECONDS", 0.0)
    tasks.KINDS["probe"] = tasks.Kind("Probe", lambda report: None)
    assert jobs("run", "probe").code == 1


def test_ctrl_c_stops_a_job_that_runs_here(jobs, script):
    def work(report):
        raise KeyboardInterrupt

    tasks.KINDS["probe"] = tasks.Kind("Probe", work)
    assert jobs("run", "probe").code == 130
    assert Job.objects.get().state == State.CANCELLED


def test_a_person_times_and_turns_off_what_comes_by_itself(jobs, person):
    told = answer(jobs("every", "index-check", "6h", "--json"))
    assert (told["every"], told["enabled"]) == ("6h", True)
    assert answer(jobs("off", "index-check", "--json"))["enabled"] is False
    assert Schedule.objects.get(kind="index-check").changed_by == "cli"
    assert "on" in jobs("on", "index-check").out


def test_a_person_cancels_a_job_by_its_kind_or_its_id(jobs, person):
    first = progress.start("reindex", requested_by="web")
    assert answer(jobs("cancel", "reindex", "--json"))["state"] == "cancelled"
    assert Job.objects.get(pk=first.pk).state == State.CANCELLED
    second = progress.start("reindex", requested_by="web")
    assert jobs("cancel", second.pk).code == 0
    assert Job.objects.get(pk=second.pk).state == State.CANCELLED


@pytest.mark.parametrize(
    "words",
    [("on", "upkeep"), ("off", "upkeep"), ("every", "upkeep", "2h"), ("cancel", "upkeep"), ("run", "archive-due")],
)
def test_what_is_the_persons_is_refused_to_a_script(jobs, script, words):
    ended = jobs(*words)
    assert ended.code == 4
    assert not Schedule.objects.exists()
    assert not Job.objects.exists()


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (2, ("every", "upkeep", "soon")), (2, ("every", "upkeep", "1s")), (2, ("every", "upkeep")), (2, ("off",)),
        (2, ("off", "reindex")), (2, ("run", "dance")), (2, ("run",)), (2, ("dance",)), (1, ("show", "upkeep")),
        (1, ("cancel", "01ARZ3NDEKTSV4RRFFQ69G5FAV")), (2, ("on", "sync")),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused_with_the_next_step(jobs, person, code, words):
    ended = jobs(*words)
    assert ended.code == code, ended
    assert ended.err.strip()
