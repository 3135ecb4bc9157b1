"""A sync in a process of its own, so that no network and no Git of the remote's can hold up the one who asks."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from typing import IO, Any, Final

from django.conf import settings

from brain import config, language
from brain.caller import Caller
from brain.contracts.syncing import SyncOutput
from brain.errors import GitFailed
from brain.language import gettext as _

_SECONDS: Final = 1800.0
_POLL: Final = 0.05
_PROGRESS: Final = "CABECAO_PROGRESS_LINES"  # the command then tells its steps on stderr, a JSON object a line


def run(caller: Caller) -> SyncOutput:
    """Run `cabecao sync --json` and return what it says; GitFailed where it ended without a word."""
    module = f"{settings.SETTINGS_MODULE.rpartition('.')[0]}.cli"
    command = [sys.executable, "-m", module, "sync", "--json", "--brain", str(config.here().root)]
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "CABECAO_AGENT": caller.client, "CABECAO_LANG": language.current(), _PROGRESS: "1"},
        start_new_session=True,
    )
    out = _waited_for(process, caller)
    try:
        told: Any = json.loads(out)
        return SyncOutput.model_validate(told)
    except ValueError:
        raise GitFailed(
            _("The sync ended without an answer."), next_step=_("Run `cabecao sync` in a terminal to see why.")
        ) from None


def _waited_for(process: subprocess.Popen[bytes], caller: Caller) -> bytes:
    """Return what a process says; it is asked to end where the caller goes away, and writes nothing half."""
    out, err = process.stdout, process.stderr
    assert out is not None and err is not None  # noqa: PT018, S101
    heard: list[bytes] = []
    readers = [
        threading.Thread(target=lambda: heard.append(out.read()), daemon=True),
        threading.Thread(target=_relay, args=(err, caller), daemon=True),
    ]
    for reader in readers:
        reader.start()
    ends, asked = time.monotonic() + _SECONDS, False
    while process.poll() is None:
        if not asked and (caller.gone.is_set() or time.monotonic() > ends):
            process.terminate()
            asked = True
        caller.gone.wait(_POLL) if not asked else time.sleep(_POLL)
    for reader in readers:
        reader.join(timeout=5)
    for stream in (out, err):
        stream.close()
    return b"".join(heard)


def _relay(stream: IO[bytes], caller: Caller) -> None:
    """Tell the caller how far the process is; its other words are for nobody."""
    for line in stream:
        with contextlib.suppress(ValueError, TypeError, KeyError):
            told = json.loads(line)
            caller.report(int(told["done"]), int(told["total"]), str(told["step"]))
