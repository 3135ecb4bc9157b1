"""Who calls, and what a brain holds; secrets are made at run time, so that no token-like text lies in the repository."""

from __future__ import annotations

import hashlib
import random
import string
from collections.abc import Callable
from typing import Any

from brain import config, operations
from brain.caller import Caller, Kind, Surface

Call = Callable[..., Any]
AGENT = "agent:claude-code"
_LETTERS = string.ascii_letters + string.digits


def _some(length: int, alphabet: str = _LETTERS) -> str:
    chance = random.Random(7)
    return "".join(chance.choice(alphabet) for _ in range(length))


SECRETS = {
    "aws": "AK" + "IA" + _some(16, string.ascii_uppercase + "234567"),
    "github": "gh" + "p_" + _some(36),
    "slack": "xox" + "b-" + _some(12, string.digits) + "-" + _some(24),
}


def calling(caller: Caller) -> Call:
    def call(name: str, **arguments: Any) -> Any:
        return operations.dispatch(name, caller, arguments)

    return call


def as_client(client: str, *, connection: str = "") -> Call:
    """Return what does an operation as a client over MCP, in a connection of its own."""
    return calling(
        Caller(Kind.AGENT, client, Surface.MCP, connection=connection or f"{client} of {config.here().root}")
    )


def state(brain: Any) -> dict[str, str]:
    """Return every file of the tree outside of the machine's folder, and where the branch stands."""
    found = {}
    for file in sorted(brain.root.rglob("*")):
        name = file.relative_to(brain.root).as_posix()
        if not name.startswith((".git/", ".cabecao/")) and (file.is_file() or file.is_symlink()):
            found[name] = str(file.readlink()) if file.is_symlink() else hashlib.sha256(file.read_bytes()).hexdigest()
    heads = brain.root / ".git" / "refs" / "heads"
    return found | {str(ref): ref.read_text() for ref in sorted(heads.rglob("*")) if ref.is_file()}
