from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import probes
import pytest
from filelock import FileLock, Timeout

from brain import tasks
from brain.jobs import progress, workers
from brain.jobs.models import Job, State

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def known_probes(monkeypatch):
    monkeypatch.setattr(tasks, "KINDS", dict(tasks.KINDS))
    probes.register()


@pytest.fixture
def ran(tmp_path):
    def lines() -> list[str]:
        file = tmp_path / "ran.txt"
        return file.read_text().splitlines() if file.exists() else []

    return lines


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


def test_a_job_that_kills_its_workers_is_failed_with_a_reason(start_worker, wait_for, ran):
    job = tasks.enqueue("deadly", "test")
    for _ in range(progress.ATTEMPTS):
        start_worker().wait(timeout=60)
    start_worker()
    wait_for(lambda: state_of(job) == State.FAILED)
    assert Job.objects.get(pk=job.pk).error_code == "worker_lost"
    assert ran() == ["deadly started"] * progress.ATTEMPTS


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


def test_an_idle_worker_ends_when_told_to_and_leaves_no_trace(start_worker, wait_for):
    worker = start_worker()
    wait_for(workers.alive)
    job = tasks.enqueue("quick-4", "test")
    wait_for(lambda: state_of(job) == State.DONE)
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(timeout=30) == 0
    assert not workers.alive()


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


def test_a_worker_ends_with_its_parent(start_worker, wait_for):
    parent = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    worker = start_worker(parent=parent.pid)
    wait_for(workers.alive)
    parent.kill()
    parent.wait()
    parent.stdin.close()
    worker.wait(timeout=30)
    assert not workers.alive()


def test_one_worker_at_a_time_keeps_the_schedule_and_the_next_takes_it_over(start_worker, wait_for, jobs_brain):
    lock = FileLock(jobs_brain.machine / "schedule.lock", timeout=0)

    def is_kept() -> bool:
        try:
            with lock:
                return False
        except Timeout:
            return True

    first = start_worker()
    wait_for(is_kept)
    first.kill()
    first.wait()
    assert not is_kept()
    start_worker()
    wait_for(is_kept)


def test_a_periodic_job_is_run_by_the_schedule(start_worker, wait_for, ran, monkeypatch):
    monkeypatch.setenv("PROBE_TICKS", "1")
    start_worker()
    wait_for(lambda: len(ran()) >= 2)
    assert {job.requested_by for job in Job.objects.filter(kind="ticking")} == {tasks.BY_SCHEDULE}


def test_a_folder_that_is_no_brain_is_said_to_be_none(tmp_path):
    command = [sys.executable, "-m", "cabecao_site.worker", "--brain", str(tmp_path / "nothing")]
    environment = {**os.environ, "CABECAO_PROCESS": "lean", "CABECAO_LANG": "en"}
    root = Path(__file__).parents[2]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, cwd=root)
    assert (done.returncode, done.stdout) == (1, "")
    assert "is not a brain" in done.stderr


def test_a_broken_settings_file_stops_the_worker_with_its_reason(tmp_path):
    (tmp_path / ".cabecao.json").write_text(json.dumps({"schema_version": 1, "colour": "blue"}))
    command = [sys.executable, "-m", "cabecao_site.worker", "--brain", str(tmp_path)]
    environment = {**os.environ, "CABECAO_PROCESS": "lean"}
    root = Path(__file__).parents[2]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, cwd=root)
    assert done.returncode == 1
    assert "colour" in done.stderr


def test_a_signal_is_taken_even_where_the_main_thread_is_just_starting_another_thread():
    code = (
        "import os, signal, threading, time\n"
        "from cabecao_site import worker\n"
        "worker._exit_after = lambda seconds: os._exit(7)\n"
        "worker.end_on_signals()\n"
        "with threading._active_limbo_lock:\n"
        "    os.kill(os.getpid(), signal.SIGTERM)\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    time.sleep(60)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, timeout=30, cwd=Path(__file__).parents[2])
    assert done.returncode == 7
