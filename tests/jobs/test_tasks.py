from __future__ import annotations

import sqlite3
import subprocess
from datetime import timedelta

import pytest
from celery.exceptions import Reject
from django.db import OperationalError

from brain import language, tasks
from brain.audit.models import Row as AuditRow
from brain.caller import Caller, Kind, Surface
from brain.clock import now
from brain.errors import InternalError, InvalidArgument, InvalidConfig
from brain.jobs import progress
from brain.jobs.models import Job, Schedule, State
from cabecao_site import celery as site

pytestmark = pytest.mark.usefixtures("jobs_brain")


@pytest.fixture(autouse=True)
def in_english():
    with language.activate("en"):
        yield


@pytest.fixture
def probe(monkeypatch):
    ran: list[str] = []
    row = tasks.Kind("Probe", lambda report: ran.append(report.job_id), every=timedelta(minutes=10))
    monkeypatch.setitem(tasks.KINDS, "probe", row)
    return ran


@pytest.fixture
def person():
    return Caller(Kind.HUMAN, "web", Surface.WEB)


def messages(brain) -> int:
    db = sqlite3.connect(brain.machine / "broker.db")
    try:
        return int(db.execute("SELECT count(*) FROM message").fetchone()[0])
    finally:
        db.close()


def test_enqueueing_writes_a_row_and_a_message(jobs_brain, probe):
    job = tasks.enqueue("probe", "web")
    assert (job.state, job.requested_by, job.sent_at is not None) == (State.QUEUED, "web", True)
    assert messages(jobs_brain) == 1


def test_enqueueing_twice_is_one_job_and_one_message(jobs_brain, probe):
    assert tasks.enqueue("probe", "web").pk == tasks.enqueue("probe", "cli").pk
    assert messages(jobs_brain) == 1


def test_an_unknown_kind_is_refused():
    with pytest.raises(InvalidArgument):
        tasks.enqueue("dance", "web")


def test_a_job_that_the_broker_does_not_take_is_failed_with_the_reason(jobs_brain, probe):
    (jobs_brain.machine / "broker.db").mkdir()
    with pytest.raises(InternalError):
        tasks.enqueue("probe", "web")
    job = Job.objects.get()
    assert job.state == State.FAILED
    assert job.error_message


def test_the_message_s_task_runs_the_job_once(probe):
    job = progress.start("probe", requested_by="web")
    tasks.run_job(job.pk)
    tasks.run_job(job.pk)
    assert probe == [job.pk]


def test_a_message_of_a_job_that_is_no_more_does_nothing():
    tasks.run_job("01ARZ3NDEKTSV4RRFFQ69G5FAV")
    assert not Job.objects.exists()


def overdue(kind="probe", by=timedelta(seconds=1)):
    tasks.keep_time()
    Schedule.objects.filter(kind=kind).update(next_at=now() - by)


def test_what_comes_by_itself_comes_first_after_its_interval(probe):
    tasks.keep_time()
    assert not Job.objects.filter(kind="probe").exists()
    planned = Schedule.objects.get(kind="probe").next_at
    assert timedelta(minutes=9) < planned - now() <= timedelta(minutes=10)


def test_what_is_due_is_queued_once_however_many_look_at_the_timetable(probe):
    overdue()
    assert [job.kind for job in tasks.start_due()] == ["probe"]
    assert tasks.start_due() == []
    job = Job.objects.get(kind="probe")
    assert (job.state, job.requested_by, job.sent_at is not None) == (State.QUEUED, tasks.BY_SCHEDULE, True)


def test_a_run_that_was_missed_for_long_is_made_up_once(probe):
    overdue(by=timedelta(days=9))
    assert len(tasks.start_due()) == 1
    tasks.run_job(Job.objects.get(kind="probe").pk)
    assert tasks.start_due() == []


def test_what_a_person_ran_just_now_is_not_run_again_by_itself(probe):
    tasks.run_job(progress.start("probe", requested_by="web").pk)
    overdue()
    assert tasks.start_due() == []
    Job.objects.update(created_at=now() - timedelta(minutes=10))
    overdue()
    assert len(tasks.start_due()) == 1


def test_a_clock_that_was_set_back_does_not_put_a_run_off_for_ever(probe):
    overdue(by=-timedelta(days=400))
    assert tasks.start_due() == []
    assert Schedule.objects.get(kind="probe").next_at <= now() + timedelta(minutes=10)


def test_a_schedule_that_is_off_starts_nothing_until_it_is_on_again(probe, person):
    tasks.turn("probe", on=False, by=person)
    assert row_of("probe").enabled is False
    assert row_of("probe").next_run is None
    overdue()
    assert tasks.start_due() == []
    tasks.turn("probe", on=True, by=person)
    assert row_of("probe").next_run > now() + timedelta(minutes=9)


def test_an_interval_is_changed_within_its_limits(probe, person):
    tasks.set_every("probe", timedelta(hours=2), by=person)
    row = row_of("probe")
    assert row.every == timedelta(hours=2)
    assert row.next_run > now() + timedelta(minutes=119)
    for outside in (timedelta(minutes=4), timedelta(days=31)):
        with pytest.raises(InvalidArgument, match="5m"):
            tasks.set_every("probe", outside, by=person)
    assert row_of("probe").every == timedelta(hours=2)


def test_what_a_person_changes_of_the_timetable_is_in_the_audit_log(probe, person):
    tasks.turn("probe", on=False, by=person)
    tasks.set_every("probe", timedelta(hours=1), by=person)
    rows = [(row.actor, row.subject, row.detail) for row in AuditRow.objects.order_by("seq")]
    assert [(actor, subject) for actor, subject, _detail in rows] == [("human", "probe")] * 2


@pytest.mark.parametrize("kind", ["dance", "reindex"])
def test_a_kind_without_a_schedule_has_none_to_change(kind, person):
    with pytest.raises(InvalidArgument, match="no schedule") as told:
        tasks.turn(kind, on=False, by=person)
    assert "upkeep" in told.value.next_step


def test_sync_comes_by_itself_only_where_there_is_a_remote_and_a_person_turned_it_on(jobs_brain, person):
    subprocess.run(["git", "init", "--quiet", str(jobs_brain.root)], check=True)
    assert row_of("sync").enabled is False
    overdue("sync")
    assert [job.kind for job in tasks.start_due()] == []
    with pytest.raises(InvalidArgument, match="no remote"):
        tasks.turn("sync", on=True, by=person)
    subprocess.run(["git", "-C", str(jobs_brain.root), "remote", "add", "origin", "../other"], check=True)
    assert (row_of("sync").enabled, row_of("sync").is_possible) == (False, True)
    overdue("sync")
    assert [job.kind for job in tasks.start_due()] == []
    tasks.turn("sync", on=True, by=person)
    assert row_of("sync").enabled is True
    overdue("sync")
    assert [job.kind for job in tasks.start_due()] == ["sync"]


def test_a_timetable_that_cannot_be_kept_now_is_kept_later(probe, monkeypatch, caplog):
    overdue()
    monkeypatch.setattr(tasks, "_send", fails)
    tasks.keep_time()
    assert "could not be kept" in caplog.text


def fails(_job):
    raise InternalError("The queue is gone.")


def test_the_page_is_told_the_last_and_the_next_run(probe):
    assert row_of("probe").next_run is None
    overdue()
    tasks.start_due()
    job = Job.objects.get(kind="probe")
    assert row_of("probe").last == job
    assert row_of("probe").next_run == Schedule.objects.get(kind="probe").next_at


def row_of(kind):
    return next(row for row in tasks.periodic() if row.kind == kind)


def test_a_message_is_put_back_where_the_state_cannot_be_had_just_now(probe, monkeypatch):
    job = progress.start("probe", requested_by="web")
    monkeypatch.setattr(tasks, "_AGAIN_SECONDS", 0)

    def locked(*_given):
        raise OperationalError("database is locked")

    with monkeypatch.context() as patch:
        patch.setattr(tasks.running, "run", locked)
        with pytest.raises(Reject) as told:
            tasks.run_job(job.pk)
    assert told.value.requeue
    tasks.run_job(job.pk)
    assert probe == [job.pk]


def test_messages_are_json_and_acknowledged_when_done():
    conf = site.app.conf
    assert conf.accept_content == ["json"]
    assert (conf.task_acks_late, conf.worker_prefetch_multiplier, conf.task_ignore_result) == (True, 1, True)


@pytest.mark.parametrize(("url", "package"), [("redis://127.0.0.1", "redis"), ("amqp://127.0.0.1", "amqp")])
def test_another_broker_without_its_client_library_is_a_clear_error(monkeypatch, url, package):
    monkeypatch.setenv("CABECAO_BROKER_URL", url)
    monkeypatch.setattr(site.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(InvalidConfig, match=package) as caught:
        site.broker_url()
    assert package in caught.value.next_step


def test_a_broker_of_an_unknown_kind_is_a_clear_error(monkeypatch):
    monkeypatch.setenv("CABECAO_BROKER_URL", "pigeon://loft")
    with pytest.raises(InvalidConfig, match="pigeon"):
        site.broker_url()


def test_a_broker_with_its_client_library_is_taken(monkeypatch):
    monkeypatch.setenv("CABECAO_BROKER_URL", "amqp://guest@127.0.0.1//")
    assert site.broker_url() == "amqp://guest@127.0.0.1//"


def test_a_sync_that_cannot_be_made_is_a_failed_job_that_says_the_next_step(jobs_brain):
    tasks.run_job(progress.start("sync", requested_by="web").pk)
    job = Job.objects.get()
    assert job.state == State.FAILED
    assert "cabecao init" in job.error_message
    assert job.log
