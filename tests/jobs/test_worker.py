from __future__ import annotations

import json
import os
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

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("known_probes")]


def state_of(job: Job) -> str:
    return str(Job.objects.get(pk=job.pk).state)


def test_a_job_that_kills_its_workers_is_failed_with_a_reason(start_worker, wait_for, ran):
    job = tasks.enqueue("deadly", "test")
    for _ in range(progress.ATTEMPTS):
        start_worker().wait(timeout=60)
    start_worker()
    wait_for(lambda: state_of(job) == State.FAILED)
    assert Job.objects.get(pk=job.pk).error_code == "worker_lost"
    assert ran() == ["deadly started"] * progress.ATTEMPTS


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


def test_workers_killed_again_and_again_lose_no_job_and_none_runs_once_it_was_done(start_worker, wait_for, ran):
    for kind in probes.QUICK:
        tasks.enqueue(kind, "test")
    living, seen = [start_worker() for _ in range(3)], []
    for reached in (5, 20, 35, 50):
        wait_for(lambda reached=reached: len(ran()) >= reached)
        living[0].kill()
        living.pop(0).wait()
        seen.append((set(Job.objects.filter(state=State.DONE).values_list("kind", flat=True)), Counter(ran())))
        living.append(start_worker())
    wait_for(lambda: Job.objects.filter(state=State.DONE).count() == len(probes.QUICK))
    runs = Counter(ran())
    assert set(runs) == set(probes.QUICK)
    assert all(runs[kind] == before[kind] for done, before in seen for kind in done)
