"""The caps on questions hold over all processes, and a counter that nobody can read counts as full."""

from __future__ import annotations

import json
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from llm import caps
from llm.caps import LimitReached, reserve
from llm.limits import InvalidLimits, Limits, parse

ROOT = Path(__file__).resolve().parents[2]
ASKING = """
import sys, threading
from pathlib import Path
from llm import caps
from llm.limits import Limits
got, ready = [], threading.Barrier(7)
def ask():
    ready.wait()
    try:
        caps.reserve(Path(sys.argv[1]), None, Limits())
        got.append("slot")
    except caps.LimitReached as error:
        got.append(error.cap)
sys.stdin.readline()
threads = [threading.Thread(target=ask) for _ in range(7)]
[one.start() for one in threads]
[one.join() for one in threads]
print(*got)
"""


def refused(folder, session=None, limits=None) -> LimitReached:
    with pytest.raises(LimitReached) as raised:
        reserve(folder, session, limits or Limits())
    return raised.value


def written(folder, *calls, **named):
    (folder / caps.FILE).write_text(
        json.dumps({"calls": [{"id": f"{at}", "session": "", **one} for at, one in enumerate(calls)], **named})
    )


def test_35_questions_at_once_from_5_processes_get_30_slots(tmp_path, monkeypatch):
    command = [sys.executable, "-c", ASKING, str(tmp_path)]
    running = [
        subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(5)
    ]
    for one in running:
        one.stdin.write("\n")
        one.stdin.flush()
    said = [word for one in running for word in one.communicate(timeout=120)[0].split()]
    assert sorted(said) == ["hour"] * 5 + ["slot"] * 30
    assert caps.used_in_hour(tmp_path) == 30
    assert refused(tmp_path).cap == "hour"


def test_a_slot_that_is_given_back_is_free_and_no_other(tmp_path):
    limits = Limits(max_calls_per_hour=2)
    first, _second = reserve(tmp_path, None, limits), reserve(tmp_path, None, limits)
    assert refused(tmp_path, limits=limits).limit == 2
    first.give_back()
    first.give_back()
    assert caps.used_in_hour(tmp_path) == 1
    reserve(tmp_path, None, limits)
    assert refused(tmp_path, limits=limits).cap == "hour"


def test_a_session_has_its_own_cap(tmp_path):
    limits = Limits(max_calls_per_session=2)
    for session in ("a", "a", "b"):
        reserve(tmp_path, session, limits)
    assert refused(tmp_path, "a", limits).cap == "session"
    reserve(tmp_path, "b", limits)
    reserve(tmp_path, None, limits)


def test_a_cap_of_nothing_lets_nothing_through(tmp_path):
    assert refused(tmp_path, limits=Limits(max_calls_per_hour=0)).cap == "hour"
    assert refused(tmp_path, "a", Limits(max_calls_per_session=0)).cap == "session"


def test_what_was_asked_over_an_hour_ago_counts_for_its_session_alone(tmp_path):
    now = time.time()
    written(tmp_path, {"at": now - 3700, "session": "a"}, {"at": now - 3700}, {"at": now - 3500})
    assert caps.used_in_hour(tmp_path) == 1
    assert refused(tmp_path, "a", Limits(max_calls_per_session=1)).cap == "session"
    reserve(tmp_path, None, Limits(max_calls_per_hour=2))


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", "null", "{}", '{"calls": 5}', '{"calls": {}}', '{"calls": ""}', '{"calls": [5]}', '{"calls": [{}]}', "[" * 100_000,
     '{"calls": [{"id": "a", "session": "", "at": "x"}]}', '{"calls": [{"id": "a", "session": "", "at": true}]}',
     '{"calls": [{"id": "a", "session": "", "at": NaN}]}', '{"calls": [{"id": "a", "session": null, "at": 1}]}', "\x00\x01"],
)  # fmt: skip
def test_a_counter_that_cannot_be_read_counts_as_full(tmp_path, content):
    (tmp_path / caps.FILE).write_text(content)
    assert refused(tmp_path).cap == "counter"
    assert caps.used_in_hour(tmp_path) is None
    assert (tmp_path / caps.FILE).read_text() == content


def test_a_counter_that_is_a_folder_counts_as_full(tmp_path):
    (tmp_path / caps.FILE).mkdir()
    assert refused(tmp_path).cap == "counter"


def test_calls_from_the_future_count_from_now_on_and_then_no_more(tmp_path, monkeypatch):
    now = time.time()
    written(tmp_path, *({"at": now + 365 * 24 * 3600} for _ in range(30)))
    assert refused(tmp_path).cap == "hour"
    assert caps.used_in_hour(tmp_path) == 30
    monkeypatch.setattr(time, "time", lambda: now + caps.HOUR + 60)
    assert caps.used_in_hour(tmp_path) == 0
    reserve(tmp_path, None, Limits())


def test_a_clock_that_was_set_back_frees_nothing(tmp_path, monkeypatch):
    limits = Limits(max_calls_per_hour=1)
    reserve(tmp_path, None, limits)
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now - 7200)
    assert refused(tmp_path, limits=limits).cap == "hour"


def test_a_counter_that_another_holds_counts_as_full(tmp_path, monkeypatch):
    from filelock import FileLock

    monkeypatch.setattr(caps, "_LOCK_SECONDS", 0.05)
    with FileLock(tmp_path / f"{caps.FILE}.lock"):
        said = subprocess.run(
            [sys.executable, "-c", ASKING.replace("caps.reserve", "caps._LOCK_SECONDS = 0.05; caps.reserve"), str(tmp_path)],
            cwd=ROOT, input="\n", capture_output=True, text=True, check=True, timeout=120,
        ).stdout.split()  # fmt: skip
    assert said == ["counter"] * 7
    assert caps.used_in_hour(tmp_path) == 0


def test_the_counter_is_for_its_user_alone(tmp_path):
    reserve(tmp_path, None, Limits())
    assert {stat.S_IMODE(one.stat().st_mode) for one in tmp_path.iterdir()} == {0o600}


def test_limits_have_their_defaults():
    assert parse({}) == Limits(3000, 2048, 60_000, 30, 20)
    assert parse({"timeout_ms": 1500}).seconds == 1.5


@pytest.mark.parametrize(
    "value",
    [[], None, "", {"context_tokens": 8001}, {"context_tokens": 199}, {"max_output_tokens": 0}, {"timeout_ms": 0},
     {"timeout_ms": 600_001}, {"max_calls_per_hour": -1}, {"max_calls_per_hour": True}, {"max_calls_per_session": 1.5},
     {"max_calls_per_session": "20"}, {"max_calls": 5}, {"timeout_ms": None}, {"timeout_ms": 10**30}],
)  # fmt: skip
def test_a_limit_out_of_its_range_is_not_taken(value):
    with pytest.raises(InvalidLimits):
        parse(value)
