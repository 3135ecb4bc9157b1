import subprocess
import sys

import psutil
import pytest

from brain.errors import InvalidConfig
from mcpbridge import ending, launcher
from mcpbridge.ending import Ending


@pytest.fixture
def end(monkeypatch):
    """An end that does not insist."""
    monkeypatch.setattr(Ending, "_insist", lambda self: None)
    return Ending()


def test_the_end_begins_once_and_keeps_its_first_code(end):
    steps = []
    end.then(lambda: steps.append("one"))
    end.begin(143)
    end.begin(0)
    assert steps == ["one"]
    assert end.gone.is_set()
    assert end.code == 143


def test_a_step_after_the_end_has_begun_is_done_at_once(end):
    steps = []
    end.begin()
    end.then(lambda: steps.append("late"))
    assert steps == ["late"]


def test_a_child_that_ignores_the_request_to_end_is_made_to(monkeypatch):
    monkeypatch.setattr(ending, "CHILDREN", 0.2)
    deaf = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(1, flush=True); time.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", deaf], stdout=subprocess.PIPE) as child:
        child.stdout.readline()
        monkeypatch.setattr(psutil.Process, "children", lambda self, recursive: [psutil.Process(child.pid)])
        ending.end_children()
        assert child.wait(10) != 0


def test_what_keeps_a_brain_from_getting_ready_is_told_without_its_text(caplog):
    secret = "sk-segredo"

    def fail():
        raise RuntimeError(secret)

    def refuse():
        raise InvalidConfig("Broken.")

    assert launcher._failure_of(lambda: None) is None
    assert launcher._failure_of(refuse).code == "invalid_config"
    assert launcher._failure_of(fail).code == "internal_error"
    assert secret not in caplog.text


def test_a_request_to_terminate_is_taken_even_where_the_main_thread_is_just_starting_another_thread():
    code = (
        "import os, signal, threading, time\n"
        "from mcpbridge import ending\n"
        "ending.PATIENCE = 0.1\n"
        "end = ending.Ending()\n"
        "end.watch()\n"
        "end.then(end.leave)\n"
        "with threading._active_limbo_lock:\n"
        "    os.kill(os.getpid(), signal.SIGTERM)\n"
        "    end.gone.wait(60)\n"
        "time.sleep(60)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, timeout=30)
    assert done.returncode == ending.TERMINATED
