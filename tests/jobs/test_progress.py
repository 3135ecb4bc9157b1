from __future__ import annotations

from datetime import timedelta

import pytest

from brain.clock import now
from brain.errors import NotFound
from brain.jobs import process, progress, running, workers
from brain.jobs.models import Job, State, Worker
from brain.jobs.progress import Cancelled, Progress

pytestmark = pytest.mark.usefixtures("jobs_brain")

DEAD = f"{process.host()}/1/not-its-start"


@pytest.fixture(autouse=True)
def nothing_running(monkeypatch):
    monkeypatch.setattr(progress, "_running", set())


@pytest.fixture
def every_report_is_written(monkeypatch):
    monkeypatch.setattr(progress, "WRITE_SECONDS", 0)


def make(kind: str = "probe", **fields: object) -> Job:
    return Job.objects.create(kind=kind, **fields)


def run(work) -> Job:
    job = progress.start("probe", requested_by="test")
    assert running.run(job.pk, work)
    job.refresh_from_db()
    return job


def test_one_job_of_a_kind_lives_at_a_time():
    first = progress.start("probe", requested_by="web")
    assert progress.start("probe", requested_by="cli").pk == first.pk
    assert progress.start("other", requested_by="cli").pk != first.pk


def test_a_kind_can_be_started_again_after_it_ended():
    job = run(lambda report: None)
    assert job.state == State.DONE
    assert progress.start("probe", requested_by="web").pk != job.pk


def test_a_job_that_ended_well_is_done_and_full():
    job = run(lambda report: report.advance(1, 3, "reading"))
    assert (job.state, job.progress, job.step, job.attempts) == (State.DONE, 1000, "reading", 1)
    assert job.started_at <= job.finished_at


def test_a_job_whose_work_raises_is_failed_with_its_last_lines(caplog):
    def work(report: Progress) -> None:
        report.say("half way")
        raise RuntimeError("no luck")

    job = run(work)
    assert (job.state, job.error_code) == (State.FAILED, "internal_error")
    assert job.log == "half way\nRuntimeError: no luck"


def test_a_foreseen_error_is_told_in_its_own_words():
    def work(report: Progress) -> None:
        raise NotFound("There is no such thing.")

    job = run(work)
    assert (job.error_code, job.error_message) == ("not_found", "There is no such thing.")


@pytest.mark.usefixtures("every_report_is_written")
def test_progress_never_goes_back():
    seen: list[int] = []

    def work(report: Progress) -> None:
        for done, total in [(1, 4), (3, 4), (2, 4), (0, 0), (5, 4), (1, 9)]:
            report.advance(done, total)
            seen.append(Job.objects.get(pk=report.job_id).progress)

    run(work)
    assert seen == [250, 750, 750, 750, 1000, 1000]


@pytest.mark.usefixtures("every_report_is_written")
def test_progress_does_not_go_back_when_a_job_is_run_again():
    job = make(state=State.RUNNING, worker=DEAD, attempts=1, progress=600)
    running.run(job.pk, lambda report: report.advance(1, 10))
    Job.objects.filter(pk=job.pk).update(state=State.RUNNING, worker=DEAD, attempts=1, progress=600)

    def work(report: Progress) -> None:
        report.advance(1, 10)
        assert Job.objects.get(pk=job.pk).progress == 600

    assert running.run(job.pk, work)


def test_progress_is_written_a_few_times_a_second_at_most(django_assert_max_num_queries):
    job = progress.start("probe", requested_by="test")
    claimed = progress.claim(job.pk)
    report = Progress(claimed)
    with django_assert_max_num_queries(10):
        for done in range(10_000):
            report.advance(done, 10_000)


@pytest.mark.usefixtures("every_report_is_written")
def test_the_log_keeps_its_last_lines():
    def work(report: Progress) -> None:
        for number in range(80):
            report.say(f"line {number}\n")

    assert run(work).log.splitlines() == [f"line {number}" for number in range(30, 80)]


@pytest.mark.usefixtures("every_report_is_written")
def test_cancelling_a_running_job_stops_the_work_at_its_next_report():
    def work(report: Progress) -> None:
        report.advance(1, 10)
        progress.cancel(report.job_id)
        report.advance(2, 10)
        pytest.fail("it went on")

    job = run(work)
    assert (job.state, job.progress) == (State.CANCELLED, 200)


def test_cancelling_a_queued_job_ends_it_at_once_and_it_is_never_run():
    job = progress.start("probe", requested_by="web")
    assert progress.cancel(job.pk).state == State.CANCELLED
    assert not running.run(job.pk, lambda report: pytest.fail("it ran"))


def test_cancelling_a_job_that_ended_changes_nothing():
    job = run(lambda report: None)
    assert progress.cancel(job.pk).state == State.DONE


def test_cancelling_a_job_that_does_not_exist_is_not_found():
    with pytest.raises(NotFound):
        progress.cancel("01ARZ3NDEKTSV4RRFFQ69G5FAV")


def test_a_job_that_is_done_is_not_run_when_its_message_comes_again():
    job = run(lambda report: None)
    assert not running.run(job.pk, lambda report: pytest.fail("it ran twice"))


def test_a_job_that_another_living_worker_runs_is_left_alone():
    job = make(state=State.RUNNING, worker=process.of(1) or "elsewhere/1/1", attempts=1, heartbeat_at=now())
    assert progress.claim(job.pk) is None


@pytest.mark.usefixtures("every_report_is_written")
def test_work_that_was_taken_over_stops_and_leaves_the_row_to_the_other():
    def work(report: Progress) -> None:
        Job.objects.filter(pk=report.job_id).update(worker="elsewhere/1/1", attempts=2)
        report.advance(1, 2)

    job = run(work)
    assert (job.state, job.worker) == (State.RUNNING, "elsewhere/1/1")


def test_a_job_whose_worker_died_is_queued_and_sent_again():
    job = make(state=State.RUNNING, worker=DEAD, attempts=1)
    sent: list[str] = []
    assert progress.recover(lambda one: sent.append(one.pk)) == 1
    job.refresh_from_db()
    assert (sent, job.state) == ([job.pk], State.QUEUED)


def test_a_job_that_lost_its_worker_too_often_is_failed_with_a_reason():
    job = make(state=State.RUNNING, worker=DEAD, attempts=progress.ATTEMPTS)
    assert progress.recover(lambda one: pytest.fail("it was sent")) == 0
    job.refresh_from_db()
    assert (job.state, job.error_code) == (State.FAILED, "worker_lost")
    assert str(progress.ATTEMPTS) in job.error_message


def test_a_job_that_was_to_be_cancelled_when_its_worker_died_is_cancelled():
    job = make(state=State.RUNNING, worker=DEAD, attempts=1, cancel_requested=True)
    progress.recover(lambda one: pytest.fail("it was sent"))
    job.refresh_from_db()
    assert job.state == State.CANCELLED


def test_a_job_of_a_living_worker_is_not_recovered():
    job = make(state=State.RUNNING, worker=process.identity(), attempts=1)
    progress._running.add(job.pk)
    progress.recover(lambda one: pytest.fail("it was sent"))
    job.refresh_from_db()
    assert job.state == State.RUNNING


def test_a_job_whose_end_could_not_be_written_does_not_run_for_ever():
    job = make(state=State.RUNNING, worker=process.identity(), attempts=1)
    progress.recover(lambda one: None)
    job.refresh_from_db()
    assert job.state == State.QUEUED


def test_a_worker_of_another_machine_counts_as_dead_after_a_silence():
    silent = now() - 3 * workers.SILENCE
    lost = make("one", state=State.RUNNING, worker="elsewhere/7/7", attempts=1, heartbeat_at=silent)
    kept = make("two", state=State.RUNNING, worker="elsewhere/8/8", attempts=1, heartbeat_at=now())
    assert (progress.is_lost(lost), progress.is_lost(kept)) == (True, False)


def test_queued_jobs_that_the_broker_may_have_lost_are_sent_again():
    never, old, new = make("never"), make("old", sent_at=now() - timedelta(hours=1)), make("new", sent_at=now())
    sent: list[str] = []
    progress.recover(lambda one: sent.append(one.pk))
    assert sent == [never.pk, old.pk]
    assert new.pk not in sent


def test_work_handed_back_is_not_counted_as_an_attempt():
    job = progress.claim(progress.start("probe", requested_by="test").pk)
    progress.hand_back()
    job.refresh_from_db()
    assert (job.state, job.attempts, job.worker) == (State.QUEUED, 0, "")


def test_the_newest_ended_jobs_of_a_kind_are_kept():
    jobs = [make(state=State.DONE) for _ in range(5)]
    live = make()
    progress.forget_old(keep=2)
    assert set(Job.objects.values_list("pk", flat=True)) == {jobs[3].pk, jobs[4].pk, live.pk}


def test_recent_shows_the_running_then_the_queued_then_the_newest_that_ended():
    done, failed = make("a", state=State.DONE), make("b", state=State.FAILED)
    queued, late = make("c"), make("d")
    busy = make("e", state=State.RUNNING)
    assert [job.pk for job in progress.recent(limit=4)] == [busy.pk, queued.pk, late.pk, failed.pk]
    assert done.pk in [job.pk for job in progress.recent()]


def test_a_report_outside_a_claimed_job_is_refused():
    job = make()
    job.worker = "elsewhere/1/1"
    with pytest.raises(Cancelled):
        Progress(job).advance(1, 2)


def test_workers_that_live_are_told_from_those_that_died():
    assert (workers.alive(), workers.last_seen()) == (False, None)
    Worker.objects.create(identity=DEAD, seen_at=now())
    assert not workers.alive()
    workers.beat()
    assert workers.alive()
    workers.leave()
    assert Worker.objects.count() == 0


def test_another_machine_s_worker_lives_as_long_as_it_says_so():
    Worker.objects.create(identity="elsewhere/1/1", seen_at=now())
    assert workers.alive()
    Worker.objects.update(seen_at=now() - 2 * workers.SILENCE)
    assert not workers.alive()


def test_a_sign_of_life_is_noted_on_the_jobs_being_run():
    job = make(state=State.RUNNING, worker=process.identity())
    workers.beat()
    job.refresh_from_db()
    assert job.heartbeat_at is not None


def test_a_job_that_changes_while_it_is_claimed_is_looked_at_again(monkeypatch):
    job = make(state=State.RUNNING, worker=DEAD, attempts=1)
    as_it_is, changed = progress._as_it_is, []

    def meanwhile(row):
        if not changed:  # another process puts it back into the queue
            changed.append(Job.objects.filter(pk=job.pk).update(state=State.QUEUED, worker=""))
        return as_it_is(row)

    monkeypatch.setattr(progress, "_as_it_is", meanwhile)
    assert progress.claim(job.pk).state == State.RUNNING
