"""Run a command at a pseudo-terminal of its own, away from this process's ancestors: REPORT SECONDS COMMAND...

Standard output stays the caller's; input and errors are the terminal's. The exit code goes to the file REPORT, the
command's process number to REPORT.pid. What is typed is typed at once, up to a record separator: each piece after one
waits for a prompt at which the terminal does not show what is typed, as for a password.
"""

from __future__ import annotations

import os
import pty
import select
import signal
import sys
import termios
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


SEPARATOR = b"\x1e"


def is_hidden(master: int) -> bool:
    return not termios.tcgetattr(master)[3] & termios.ECHO


def relay(master: int, ends: float, hidden: list[bytes]) -> bool:
    prompted = False
    while time.monotonic() < ends:
        if hidden and prompted and is_hidden(master):
            os.write(master, hidden.pop(0))
            prompted = False
        if not select.select([master], [], [], 0.2)[0]:
            continue
        try:
            shown = os.read(master, 65536)
        except OSError:
            return True
        if not shown:
            return True
        os.write(2, shown)
        prompted = prompted or shown.rstrip().endswith(b":")
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
    at_once, *hidden = typed.split(SEPARATOR)
    os.write(master, at_once + (b"" if hidden else b"\x04"))
    in_time = relay(master, time.monotonic() + float(seconds), hidden)
    if not in_time:
        os.kill(child, signal.SIGKILL)
    status = os.waitpid(child, 0)[1]
    Path(f"{report}.part").write_text(str(os.waitstatus_to_exitcode(status) if in_time else 124))
    Path(f"{report}.part").replace(report)


if __name__ == "__main__":
    main(*sys.argv[1:])
