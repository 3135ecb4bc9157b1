"""Run a command at a pseudo-terminal of its own, away from this process's ancestors: REPORT SECONDS COMMAND...

Standard output stays the caller's; input and errors are the terminal's. The exit code goes to the file REPORT, the
command's process number to REPORT.pid.
"""

from __future__ import annotations

import os
import pty
import select
import signal
import sys
import time
from pathlib import Path


def leave_the_tree() -> None:
    parent = os.getpid()
    readable, writable = os.pipe()
    if os.fork():
        os.close(writable)
        os.read(readable, 1)  # until the child has ended
        os._exit(0)
    os.close(readable)
    if os.fork():
        os._exit(0)
    while os.getppid() == parent:
        time.sleep(0.001)


def relay(master: int, ends: float) -> bool:
    while time.monotonic() < ends:
        if not select.select([master], [], [], 0.2)[0]:
            continue
        try:
            shown = os.read(master, 65536)
        except OSError:
            return True
        if not shown:
            return True
        os.write(2, shown)
    return False


def main(report: str, seconds: str, *command: str) -> None:
    leave_the_tree()
    typed = sys.stdin.buffer.read()
    output = os.dup(1)
    child, master = pty.fork()
    if child == 0:
        os.dup2(output, 1)
        os.execvp(command[0], command)
    Path(f"{report}.pid").write_text(str(child))
    os.close(output)
    os.close(1)
    os.write(master, typed + b"\x04")
    in_time = relay(master, time.monotonic() + float(seconds))
    if not in_time:
        os.kill(child, signal.SIGKILL)
    status = os.waitpid(child, 0)[1]
    Path(f"{report}.part").write_text(str(os.waitstatus_to_exitcode(status) if in_time else 124))
    Path(f"{report}.part").replace(report)


if __name__ == "__main__":
    main(*sys.argv[1:])
