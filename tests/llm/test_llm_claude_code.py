"""Claude Code as a provider: without tools, in an empty folder, with an environment of the system's, and gone afterwards."""

from __future__ import annotations

import json
import os
import pwd
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest
from asking import asked, failed
from servers import GIVEN, PIECES, TAKEN, TEXT

from llm.attempts import Attempts
from llm.consent import Entry
from llm.failure import Code
from llm.keys import Keys
from llm.providers import made
from llm.providers.base import Delta, Usage

PROGRAM = """#!{python} -IS
import json, os, subprocess, sys, time
here = {folder!r}
note = dict(arguments=sys.argv[1:], environment=dict(os.environ), folder=os.getcwd(), files=os.listdir("."))
with open(os.path.join(here, "question"), "w") as kept:
    kept.write(sys.stdin.read())
with open(os.path.join(here, "note.draft"), "w") as kept:
    json.dump(note, kept)
os.rename(os.path.join(here, "note.draft"), os.path.join(here, "note.json"))
{does}
"""
INPUTS = {"input_tokens": 2, "cache_creation_input_tokens": 18, "cache_read_input_tokens": GIVEN - 20}
RESULT = {
    "type": "result", "subtype": "success", "is_error": False, "result": TEXT, "total_cost_usd": 0.0017,
    "usage": {**INPUTS, "output_tokens": TAKEN},
}  # fmt: skip
DELTAS = [
    {"type": "stream_event", "event": {"type": "content_block_delta", "delta": {"type": "text_delta", "text": one}}}
    for one in PIECES
]
WHOLE = [{"type": "system", "subtype": "init", "tools": []}, *DELTAS, {"type": "assistant", "message": {}}, RESULT]
HOSTILE = {
    "ANTHROPIC_BASE_URL": "http://evil.example", "ANTHROPIC_AUTH_TOKEN": "x", "ANTHROPIC_API_KEY": "x",
    "CLAUDE_CONFIG_DIR": "/tmp/evil", "CLAUDE_CODE_USE_BEDROCK": "1", "CLAUDE_CODE_USE_VERTEX": "1",
    "CLAUDE_CODE_USE_FOUNDRY": "1", "ANTHROPIC_VERTEX_PROJECT_ID": "x", "AWS_PROFILE": "evil", "HTTPS_PROXY": "http://evil.example",
    "NODE_OPTIONS": "--require /tmp/evil.js", "LD_PRELOAD": "", "NODE_EXTRA_CA_CERTS": "/tmp/evil.pem", "XDG_CONFIG_HOME": "/tmp/evil",
    "HOME": "/tmp/evil", "PATH": "/tmp/evil:/usr/bin", "USER": "evil", "LANG": "C.UTF-8", "TZ": "UTC", "TMPDIR": "/tmp/evil",
}  # fmt: skip


def says(events):
    return f"sys.stdout.write({''.join(json.dumps(one) + chr(10) for one in events)!r})"


@pytest.fixture
def install(tmp_path):
    """Write a program that is named claude, and return what asks it."""

    def installed(does: str = says(WHOLE), *, is_person: bool = False, environ: dict[str, str] | None = None):
        program = Path(os.path.realpath(tmp_path)) / "bin" / "claude"
        program.parent.mkdir(exist_ok=True)
        program.write_text(PROGRAM.format(python=sys.executable, folder=str(tmp_path), does=does))
        program.chmod(0o755)
        entry = Entry("claude-code", "haiku", program=str(program), node="/opt/node/bin/node")
        return made.provider(entry, Keys(tmp_path, is_person, environ or {}))

    return installed


def note(tmp_path):
    return json.loads((tmp_path / "note.json").read_text())


def test_the_text_comes_as_it_is_told_and_the_cached_input_is_counted(install, question):
    assert asked(install(), question) == (TEXT, Usage(GIVEN, TAKEN, 0.0017))


def test_a_program_that_tells_no_pieces_gives_its_result(install, question):
    assert asked(install(says([RESULT])), question)[0] == TEXT


def test_an_unknown_cost_is_unknown(install, question):
    bare = {"type": "result", "result": "{}", "is_error": False}
    assert asked(install(says([bare])), question)[1] == Usage(None, None, None)


def test_it_runs_without_tools_settings_or_servers(install, question, tmp_path):
    asked(install(), question)
    said = note(tmp_path)["arguments"]
    assert said[said.index("--tools") + 1] == ""
    assert said[said.index("--setting-sources") + 1] == ""
    assert json.loads(said[said.index("--mcp-config") + 1]) == {"mcpServers": {}}
    assert {"-p", "--strict-mcp-config", "--disable-slash-commands", "--no-session-persistence"} <= set(said)
    assert said[said.index("--max-turns") + 1] == "1"
    assert said[said.index("--model") + 1] == "haiku"
    assert not {"--dangerously-skip-permissions", "--allowedTools", "--add-dir", "--continue", "--resume"} & set(said)


def test_the_question_is_on_no_command_line(install, question, tmp_path):
    asked(install(), question)
    assert (tmp_path / "question").read_text() == question.user
    told = note(tmp_path)
    assert question.user not in "".join(told["arguments"])
    system = told["arguments"][told["arguments"].index("--system-prompt") + 1]
    assert system.startswith(question.system)
    assert json.dumps(question.schema) in system
    assert told["environment"]["CLAUDE_CODE_MAX_OUTPUT_TOKENS"] == "321"


def test_it_runs_in_an_empty_folder_that_is_gone_afterwards(install, question, tmp_path):
    asked(install(), question)
    told = note(tmp_path)
    assert told["files"] == []
    assert not Path(told["folder"]).exists()
    assert Path(told["folder"]) != Path.cwd()


def test_an_agents_environment_does_not_come_along(install, question, tmp_path, monkeypatch):
    for name, value in HOSTILE.items():
        if name not in {"TMPDIR", "PATH", "HOME"}:
            monkeypatch.setenv(name, value)
    provider = install(environ=HOSTILE)
    asked(provider, question)
    given = note(tmp_path)["environment"]
    account = pwd.getpwuid(os.getuid())
    assert given["HOME"] == account.pw_dir
    assert given["USER"] == account.pw_name
    assert "evil" not in json.dumps(given)
    assert set(given) <= {
        "HOME",
        "USER",
        "LOGNAME",
        "LANG",
        "LC_CTYPE",
        "TZ",
        "PATH",
        "TERM",
        "CLAUDE_CODE_MAX_OUTPUT_TOKENS",
    }
    folders = given["PATH"].split(":")
    assert folders[:2] == [str(Path(provider.entry.program).parent), "/opt/node/bin"]
    assert set(folders[2:]) <= {"/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"}


def test_a_persons_environment_is_kept(install, question, tmp_path):
    environ = {
        "HOME": "/home/ana",
        "ANTHROPIC_BASE_URL": "https://gateway.example",
        "PATH": "/opt/bin",
        "CLAUDE_CONFIG_DIR": "/c",
    }
    asked(install(is_person=True, environ=environ), question)
    assert environ.items() <= note(tmp_path)["environment"].items()


def test_a_path_that_was_made_a_link_is_refused(install, question, tmp_path):
    provider = install()
    other = tmp_path / "other"
    Path(provider.entry.program).rename(other)
    Path(provider.entry.program).symlink_to(other)
    attempts = Attempts(seconds=20)
    assert failed(provider, question, attempts).code is Code.NOT_INSTALLED
    assert attempts.used == 0
    assert not (tmp_path / "note.json").exists()


def test_a_folder_above_that_was_made_a_link_is_refused(install, question, tmp_path):
    provider = install()
    (tmp_path / "bin").rename(tmp_path / "other")
    (tmp_path / "bin").symlink_to(tmp_path / "other")
    assert failed(provider, question).code is Code.NOT_INSTALLED
    assert not (tmp_path / "note.json").exists()


def folder_at(program):
    program.unlink()
    program.mkdir()


@pytest.mark.parametrize("spoil", [Path.unlink, lambda program: program.chmod(0o644), folder_at])
def test_a_program_that_is_not_there_costs_no_request(spoil, install, question):
    provider = install()
    spoil(Path(provider.entry.program))
    attempts = Attempts(seconds=20)
    assert failed(provider, question, attempts).code is Code.NOT_INSTALLED
    assert attempts.used == 0


def test_a_program_that_cannot_be_started_costs_no_request(install, question):
    provider = install()
    Path(provider.entry.program).write_text("#!/nonexistent/node\n")
    attempts = Attempts(seconds=20)
    assert failed(provider, question, attempts).code is Code.NOT_INSTALLED
    assert attempts.used == 0


@pytest.mark.parametrize(
    ("does", "code"),
    [("", Code.MALFORMED), ("sys.exit(3)", Code.SERVER), ("print('{')", Code.MALFORMED), ("print('<html>')", Code.MALFORMED),
     ("print('[' * 100000)", Code.MALFORMED), ("print('[]\\n7\\nnull')", Code.MALFORMED), (says(DELTAS), Code.MALFORMED),
     (says([{"type": "result", "is_error": True, "result": "Invalid API key · Please run /login"}]), Code.UNAUTHORIZED),
     (says([{"type": "result", "is_error": True, "result": "API Error: 529"}]), Code.SERVER),
     (says([{"type": "result", "is_error": True, "result": 5}]), Code.SERVER),
     ("print('x' * 11_000_000)", Code.TOO_LARGE), ("[print('{}' + ' ' * 1_000_000) for _ in range(11)]", Code.TOO_LARGE)],
)  # fmt: skip
def test_a_program_that_gives_no_answer(does, code, install, question, tmp_path):
    failure = failed(install(does), question)
    assert failure.code is code
    assert str(tmp_path) not in repr(failure)
    assert not Path(note(tmp_path)["folder"]).exists()


CHILDREN = """
a = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
b = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
print(json.dumps(dict(type="stream_event", event=dict(delta=dict(text=json.dumps([os.getpid(), a.pid, b.pid]))))), flush=True)
time.sleep(600)
"""
ORPHAN = """
sleeps = "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'], stdout=subprocess.DEVNULL)"
middle = [sys.executable, "-c", "import subprocess, sys; print(" + sleeps + ".pid)"]
pid = int(subprocess.run(middle, stdout=subprocess.PIPE, check=True).stdout)
print(json.dumps(dict(type="stream_event", event=dict(delta=dict(text=json.dumps([pid]))))), flush=True)
"""
DEAF = "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n" + CHILDREN


def gone(pids):
    limit = time.monotonic() + 30
    while any(is_running(one) for one in pids):
        if time.monotonic() > limit:
            return False
        time.sleep(0.02)
    return True


def is_running(pid):
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@pytest.mark.parametrize("does", [CHILDREN, DEAF], ids=["hears", "deaf"])
def test_cancelling_ends_the_program_and_what_it_started(does, install, question, tmp_path):
    attempts = Attempts(seconds=300)
    pieces = install(does).stream(question, attempts)
    started = next(pieces)
    assert isinstance(started, Delta)
    pids = json.loads(started.text)
    assert len(pids) == 3
    threading.Thread(target=attempts.cancel).start()
    assert failed_rest(pieces).code is Code.CANCELLED
    assert gone(pids)
    assert not Path(note(tmp_path)["folder"]).exists()


def failed_rest(pieces):
    class Rest:
        def stream(self, *_arguments):
            return pieces

    return failed(Rest(), None)


def test_closing_the_answer_ends_the_program_and_what_it_started(install, question, tmp_path):
    pieces = install(CHILDREN).stream(question, Attempts(seconds=300))
    pids = json.loads(next(pieces).text)
    pieces.close()
    assert gone(pids)
    assert not Path(note(tmp_path)["folder"]).exists()


def test_what_a_program_leaves_running_is_ended(install, question):
    text, _usage = asked(install(ORPHAN + says([RESULT])), question)
    assert gone(json.loads(text))


def test_a_program_that_takes_too_long_is_ended(install, question):
    pids = []
    attempts = Attempts(seconds=5)
    pieces = install(CHILDREN).stream(question, attempts)
    pids = json.loads(next(pieces).text)
    assert failed_rest(pieces).code is Code.TIMEOUT
    assert gone(pids)


def test_a_program_that_goes_on_after_its_result_is_not_waited_for_in_vain(install, question):
    """The result is the end: what is still running then is ended with the answer."""
    text, _usage = asked(
        install(says(WHOLE) + "; sys.stdout.flush(); time.sleep(600)"), question, Attempts(seconds=300)
    )
    assert text == TEXT
