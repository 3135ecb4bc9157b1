"""Jobs are carried in the same way by every broker: the brain's own file, Redis and RabbitMQ."""

from __future__ import annotations

import json
import signal
from collections import Counter

import probes
import pytest

from brain import tasks
from brain.jobs import progress, workers
from brain.jobs.models import Job, State
from cabecao_site import celery as site

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("any_broker", "known_probes")]


def state_of(job: Job) -> str:
    return str(Job.objects.get(pk=job.pk).state)


def test_a_worker_carries_a_job_to_its_end(start_worker, wait_for, ran):
    start_worker()
    job = tasks.enqueue("quick-1", "test")
    wait_for(lambda: state_of(job) == State.DONE)
    assert ran() == ["quick-1"]
    assert workers.alive()


def test_a_job_survives_the_death_of_its_worker_and_is_done_once(start_worker, wait_for, ran, tmp_path):
    first = start_worker()
    job = tasks.enqueue("gated", "test")
    wait_for(lambda: Job.objects.get(pk=job.pk).progress > 0)
    first.kill()
    first.wait()
    reached = Job.objects.get(pk=job.pk).progress
    start_worker()
    wait_for(lambda: len(ran()) == 2)
    assert Job.objects.get(pk=job.pk).progress >= reached
    (tmp_path / "gate").touch()
    wait_for(lambda: state_of(job) == State.DONE)
    assert Counter(ran()) == {"gated started": 2, "gated finished": 1}


def test_a_running_job_is_cancelled_from_another_process(start_worker, wait_for, ran):
    start_worker()
    job = tasks.enqueue("gated", "test")
    wait_for(lambda: ran() == ["gated started"])
    progress.cancel(job.pk)
    wait_for(lambda: state_of(job) == State.CANCELLED)
    after = tasks.enqueue("quick-2", "test")
    wait_for(lambda: state_of(after) == State.DONE)


def test_a_failed_job_does_not_stop_its_worker(start_worker, wait_for):
    start_worker()
    failing, after = tasks.enqueue("broken", "test"), tasks.enqueue("quick-3", "test")
    wait_for(lambda: state_of(after) == State.DONE)
    job = Job.objects.get(pk=failing.pk)
    assert (job.state, job.log) == (State.FAILED, "about to fail\nRuntimeError: no luck")


def test_three_workers_share_the_jobs_and_each_runs_once(start_worker, wait_for, ran):
    for _ in range(3):
        start_worker()
    for kind in probes.QUICK:
        tasks.enqueue(kind, "test")
    wait_for(lambda: Job.objects.filter(state=State.DONE).count() == len(probes.QUICK))
    assert Counter(ran()) == dict.fromkeys(probes.QUICK, 1)


def test_a_busy_worker_ends_when_told_to_and_its_job_is_carried_on(start_worker, wait_for, ran, tmp_path):
    worker = start_worker()
    job = tasks.enqueue("gated", "test")
    wait_for(lambda: ran() == ["gated started"])
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(timeout=30) == 0
    handed_back = Job.objects.get(pk=job.pk)
    assert (handed_back.state, handed_back.attempts) == (State.QUEUED, 0)
    (tmp_path / "gate").touch()
    start_worker()
    wait_for(lambda: state_of(job) == State.DONE)


def test_an_idle_worker_ends_when_told_to_and_leaves_no_trace(start_worker, wait_for):
    worker = start_worker()
    wait_for(workers.alive)
    job = tasks.enqueue("quick-4", "test")
    wait_for(lambda: state_of(job) == State.DONE)
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(timeout=30) == 0
    assert not workers.alive()


def test_two_brains_at_one_broker_have_each_their_own_jobs(any_broker, tmp_path, monkeypatch):
    if any_broker == "embedded":
        assert site.queue() == site.QUEUE
        return
    monkeypatch.delenv("CABECAO_QUEUE")
    other = tmp_path / "other"
    other.mkdir()
    (other / ".cabecao.json").write_text(json.dumps({"schema_version": 1}))
    own = site.queue()
    monkeypatch.setattr(site.config, "_here", [site.config.Brain(other)])
    assert own != site.queue()
    assert own.startswith(f"{site.QUEUE}-")


def test_a_message_that_comes_twice_runs_its_job_once(start_worker, wait_for, ran):
    job = tasks.enqueue("quick-5", "test")
    for _ in range(3):
        tasks._send(job)
    after = tasks.enqueue("quick-6", "test")
    start_worker()
    wait_for(lambda: state_of(after) == State.DONE)
    assert Counter(ran()) == {"quick-5": 1, "quick-6": 1}


def test_what_is_due_is_started_by_the_schedule(start_worker, wait_for, ran, monkeypatch):
    monkeypatch.setenv("PROBE_TICKS", "1")
    start_worker()
    wait_for(lambda: len(ran()) >= 1)
    assert {job.requested_by for job in Job.objects.filter(kind="ticking")} == {tasks.BY_SCHEDULE}
