"""A server process whose operations are stand-ins; run as a script. What search is asked for decides what it does.

Usage: playing.py ROOT [SETUP] where SETUP is what happens while the brain gets ready: fine, broken or slow.
"""

import os
import subprocess
import sys
import time
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from mcpbridge import launcher

ROOT = Path(sys.argv[1])
SETUP = sys.argv[2] if len(sys.argv) > 2 else "fine"


def note(text):
    with (ROOT / "happened").open("a", encoding="utf-8") as file:
        file.write(text + "\n")


def pause(seconds, caller):
    note("began")
    caller.gone.wait(seconds) if "patient" not in sys.argv else time.sleep(seconds)
    note("ended")


def sleep_in_a_child(seconds, caller):
    child = subprocess.Popen(["sleep", seconds])
    note(str(child.pid))
    child.wait()


def print_everywhere(text, caller):
    print(text)  # noqa: T201
    sys.stdout.flush()
    os.write(1, b"straight to the descriptor\n")
    warnings.warn("a library warns", stacklevel=1)
    subprocess.run(["sh", "-c", "echo a child prints; cat"], check=True)


DEEDS = {"pause": pause, "child": sleep_in_a_child, "print": print_everywhere}


def search(caller, given):
    from brain.contracts.reads import SearchOutput

    word, _, rest = given.query.partition(" ")
    if word == "pause":
        pause(float(rest), caller)
    elif word in DEEDS:
        DEEDS[word](rest, caller)
    return SearchOutput(
        data_notice="dado",
        query=given.query,
        mode="none",
        mode_requested="auto",
        mode_used="keyword",
        mode_reason=f"{caller.client} {caller.connection}",
        warnings=[],
        terms=[module for module in sys.modules if "." not in module],
        as_of="2026-11-13",
        hits=[],
        related=[],
        truncated=False,
        next_step=None,
        contradiction_check="off",
        contradictions=[],
    )


def write_page(caller, given):
    from brain.contracts.shared import Written

    (ROOT / "written").write_text(given.content, encoding="utf-8")
    seconds = (given.frontmatter or {}).get("pause", 0)
    if seconds:
        pause(seconds, caller)
    return Written(
        data_notice="dado",
        op=None,
        path=given.path,
        id=None,
        action="add",
        changed=True,
        commit=None,
        warnings=[],
        next_step="",
    )


def prepare():
    from brain import operations
    from brain.errors import InvalidConfig

    if SETUP == "broken":
        raise InvalidConfig("The settings are broken.")
    if SETUP == "slow":
        time.sleep(1.5)
    services = {"brain.services.reads.search": search, "brain.services.writes.write_page": write_page}
    operations._service = services.__getitem__


if __name__ == "__main__":
    sys.exit(launcher.run(ROOT, prepare=prepare))
