from __future__ import annotations

import sqlite3
from datetime import timedelta

import pytest

from brain import tasks
from brain.clock import now
from brain.errors import InternalError, InvalidArgument, InvalidConfig
from brain.jobs import progress
from brain.jobs.models import Job, State
from cabecao_site import celery as site

pytestmark = pytest.mark.usefixtures("jobs_brain")


@pytest.fixture
def probe(monkeypatch):
    ran: list[str] = []
    row = tasks.Kind("Probe", lambda report: ran.append(report.job_id), every=timedelta(minutes=10))
    monkeypatch.setitem(tasks.KINDS, "probe", row)
    return ran


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


def test_a_scheduled_message_that_comes_twice_runs_once(probe):
    tasks.run_scheduled("probe")
    tasks.run_scheduled("probe")
    assert len(probe) == 1


def test_a_scheduled_kind_runs_again_when_its_time_has_come(probe):
    tasks.run_scheduled("probe")
    Job.objects.update(created_at=now() - timedelta(minutes=10))
    tasks.run_scheduled("probe")
    assert len(probe) == 2


def test_the_schedule_has_a_row_for_each_periodic_kind_and_no_other():
    assert set(tasks.schedule()) == {"upkeep"}
    assert tasks.schedule()["upkeep"]["task"] == "brain.run_scheduled"
    assert set(site.app.conf.beat_schedule) == {"upkeep"}


def test_the_page_is_told_the_last_and_the_next_run(probe):
    assert next(row for row in tasks.periodic() if row.kind == "probe").next_run is None
    tasks.run_scheduled("probe")
    job = Job.objects.get()
    row = next(row for row in tasks.periodic() if row.kind == "probe")
    assert (row.last, row.next_run) == (job, job.created_at + timedelta(minutes=10))


def test_upkeep_does_every_chore(monkeypatch):
    done: list[str] = []
    monkeypatch.setattr(tasks, "UPKEEP", (lambda: done.append("one"), lambda: done.append("two")))
    tasks.run_job(progress.start("upkeep", requested_by="web").pk)
    assert done == ["one", "two"]


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
