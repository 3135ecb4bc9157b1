"""Two machines and one remote: random writes and syncs, one killed now and then; nothing acknowledged may be lost.

    python -m benchmarks.soak --seconds 300 --seed 1

Each machine is a clone with a home of its own and an MCP server; an editor writes beside it. Every write carries a
sign of its own. In the end both sync until nothing moves, and each acknowledged sign must be in both, in its note or in
the copy of a conflict. Exit code 1 means that something was lost or that the two are not the same.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from benchmarks.client import Server
from benchmarks.ground import PROJECT, environment
from benchmarks.measuring import Failed

_CABECAO: Final = (sys.executable, "-m", "cabecao_site.cli")
_PAGES: Final = 8  # that both machines change
_ANCHOR: Final = "Fim da lista."
_ROUNDS: Final = 12  # of syncs in the end, until nothing moves
_WEIGHTS: Final = {"remember": 6, "insert": 6, "edit": 4, "move": 1, "forget": 1, "undo": 1, "sync": 3, "kill": 1}


@dataclass
class Machine:
    """One clone: its server, the signs that were acknowledged there, and what was done."""

    name: str
    folder: Path
    env: dict[str, str]
    log: Path
    chance: random.Random
    server: Server | None = None
    signs: dict[str, str] = field(default_factory=dict)  # sign -> op that undoes it, empty for an editor's
    undone: set[str] = field(default_factory=set)
    own: list[str] = field(default_factory=list)
    done: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    number: int = 0

    def sign(self) -> str:
        """Return a sign that stands nowhere yet."""
        self.number += 1
        return f"sinal{self.name}{self.number:05d}x"

    def start(self) -> Server:
        """Return the running server."""
        if self.server is None:
            self.server = Server(_command(self.folder, "mcp", "--tools", "full"), self.env, self.log)
        return self.server

    def kill(self) -> None:
        """Kill the server as a crash would, in the middle of whatever it does."""
        if self.server is not None:
            os.kill(self.server.pid, signal.SIGKILL)
            self.server.__exit__()
            self.server = None

    def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Call a tool; Failed where it refuses."""
        answer: dict[str, Any] = json.loads(self.start().call(tool, arguments))["result"]["structuredContent"]
        return answer

    def sync(self) -> dict[str, Any]:
        """Sync by the command, and return what it says."""
        ran = subprocess.run(
            _command(self.folder, "sync", "--json"),
            env=self.env,
            capture_output=True,
            text=True,
            check=False,
            cwd=PROJECT,
        )
        told: dict[str, Any] = json.loads(ran.stdout)
        return told

    def git(self, *words: str) -> str:
        """Run Git in the clone."""
        command = ["git", "-C", str(self.folder), *words]
        return subprocess.run(command, env=self.env, capture_output=True, text=True, check=True).stdout


def _command(folder: Path, *words: str) -> list[str]:
    return [*_CABECAO, "--brain", str(folder), *words]


def remember(one: Machine) -> None:
    """Keep a memory."""
    sign = one.sign()
    told = one.call(
        "remember", {"content": f"O {sign} apareceu no registro {sign}.", "type": "episode", "title": f"Nota {sign}"}
    )
    if told["decision"] == "created":
        one.signs[sign] = str(told["op"])
        one.own.append(str(told["path"]))


def insert(one: Machine) -> None:
    """Put a line into a page that both machines change."""
    sign, path = one.sign(), f"wiki/concepts/pagina-{one.chance.randrange(_PAGES)}.md"
    told = one.call("patch_page", {"path": path, "old": _ANCHOR, "new": f"- {sign}\n{_ANCHOR}"})
    one.signs[sign] = str(told["op"])


def edit(one: Machine) -> None:
    """Add a line with an editor, which knows nothing of the server."""
    sign, file = one.sign(), one.folder / f"wiki/concepts/pagina-{one.chance.randrange(_PAGES)}.md"
    if file.exists():
        text = file.read_text(encoding="utf-8")
        draft = file.with_suffix(".tmp")
        draft.write_text(text.rstrip("\n") + f"\n\n{sign}\n", encoding="utf-8")
        if file.read_text(encoding="utf-8") == text:  # as an editor that looks before it saves
            draft.replace(file)
            one.signs[sign] = ""
        else:
            draft.unlink()


def move(one: Machine) -> None:
    """Give one of its own notes another name, as an editor does it."""
    if one.own:
        path = one.own.pop(one.chance.randrange(len(one.own)))
        file = one.folder / path
        if file.exists():
            file.rename(file.with_name(f"{file.stem}-b.md"))


def forget(one: Machine) -> None:
    """Archive one of its own notes: it is kept, elsewhere."""
    if one.own:
        path = one.own.pop(one.chance.randrange(len(one.own)))
        told = one.call("forget", {"id": path, "reason": "já não serve"})
        if token := told.get("confirm_token"):
            one.call("forget", {"id": path, "reason": "já não serve", "confirm_token": token})


def undo(one: Machine) -> None:
    """Take one of its own writes back: its sign may be gone from then on."""
    open_ = [sign for sign, op in one.signs.items() if op and sign not in one.undone]
    if open_:
        sign = one.chance.choice(open_[-5:])
        one.undone.add(sign)
        one.call("undo", {"op": one.signs[sign]})


def sync(one: Machine) -> None:
    """Sync; a network that another process uses is no fault."""
    told = one.sync()
    one.done[f"sync {told.get('status', 'error')}"] += 1


def kill(one: Machine) -> None:
    """Kill the server while it writes."""
    server, sign = one.start(), one.sign()
    given = {"content": f"O {sign} caiu no meio.", "type": "episode", "title": f"Nota {sign}"}
    line = {"jsonrpc": "2.0", "id": 999_999, "method": "tools/call", "params": {"name": "remember", "arguments": given}}
    server.tell(line)
    time.sleep(one.chance.uniform(0, 0.06))
    one.kill()


ACTIONS: Final[dict[str, Callable[[Machine], None]]] = {
    "remember": remember, "insert": insert, "edit": edit, "move": move, "forget": forget, "undo": undo, "sync": sync,
    "kill": kill,
}  # fmt: skip


def main() -> int:
    """Run the soak and print what became of it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak", description=__doc__)
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--work", type=Path)
    given = parser.parse_args()
    with TemporaryDirectory(prefix="cabecao-soak-", dir=given.work) as work:
        machines = found(Path(work), given.seed)
        soak(machines, given.seconds)
        told = settled(machines)
    print(json.dumps(told, ensure_ascii=False, indent=2))
    return 0 if told["lost"] == {} and told["is_same"] and told["is_sound"] else 1


def found(work: Path, seed: int) -> list[Machine]:
    """Make the remote and the two clones."""
    first = _machine(work, "a", seed)
    pages = first.folder / "wiki" / "concepts"
    _run(first.env, *_CABECAO, "init", str(first.folder), "--yes", "--name", "soak-a")
    pages.mkdir(parents=True, exist_ok=True)
    for number in range(_PAGES):
        text = f"---\ntype: concept\ntitle: Página {number}\n---\n\n# Página {number}\n\n{_ANCHOR}\n"
        (pages / f"pagina-{number}.md").write_text(text, encoding="utf-8")
    remote = work / "remote.git"
    _run(first.env, "git", "init", "--quiet", "--bare", str(remote))
    first.git("remote", "add", "origin", str(remote))
    _synced(first)
    second = _machine(work, "b", seed + 1)
    second.folder.rmdir()
    _run(second.env, "git", "clone", "--quiet", str(remote), str(second.folder))
    return [first, second]


def _machine(work: Path, name: str, seed: int) -> Machine:
    base = work / name
    (base / "brain").mkdir(parents=True)
    env = dict(environment(base))
    return Machine(name, base / "brain", env, base / "server.log", random.Random(seed))


def _run(env: dict[str, str], *command: str) -> None:
    done = subprocess.run(
        command, env=env, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False, cwd=PROJECT
    )
    if done.returncode:
        raise Failed(f"{' '.join(command)[-120:]}: {done.stderr[-300:]}")


def soak(machines: list[Machine], seconds: float) -> None:
    """Let both machines work at the same time until the time is over."""
    ends = time.monotonic() + seconds
    threads = [threading.Thread(target=_work, args=(one, ends)) for one in machines]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _work(one: Machine, ends: float) -> None:
    names, weights = list(_WEIGHTS), list(_WEIGHTS.values())
    while time.monotonic() < ends:
        name = one.chance.choices(names, weights)[0]
        try:
            ACTIONS[name](one)
            one.done[name] += 1
        except Failed as failed:
            one.refused[f"{name}: {_code(str(failed))}"] += 1
    if one.server is not None:
        one.server.__exit__()
        one.server = None


def _code(said: str) -> str:
    _before, mark, rest = said.partition('\\"code\\": \\"')
    return rest.partition("\\")[0] if mark else said[:80]


def _synced(one: Machine) -> dict[str, Any]:
    told = one.sync()
    if told.get("status") not in {"ok", "busy"}:
        raise Failed(f"sync of {one.name}: {json.dumps(told, ensure_ascii=False)[:400]}")
    return told


def settled(machines: list[Machine]) -> dict[str, Any]:
    """Sync both until nothing moves, and tell what is missing where."""
    for number in range(_ROUNDS):
        moved = [sum(_synced(one)[name] for name in ("pulled", "pushed", "committed")) for one in machines]
        if number and not any(moved):
            break
    heads = {one.git("rev-parse", "HEAD").strip() for one in machines}
    held = {one.name: _texts(one) for one in machines}
    acknowledged = {sign for one in machines for sign in one.signs if sign not in one.undone}
    lost = {name: sorted(sign for sign in acknowledged if sign not in text) for name, text in held.items()}
    return {
        "acknowledged": len(acknowledged),
        "lost": {name: signs for name, signs in lost.items() if signs},
        "is_same": len(heads) == 1 and all(not one.git("status", "--porcelain").strip() for one in machines),
        "is_sound": all(_is_sound(one) for one in machines),
        "conflict_copies": len(list(machines[0].folder.rglob("*.conflict-*"))),
        "done": {one.name: dict(one.done) for one in machines},
        "refused": {one.name: dict(one.refused) for one in machines},
    }


def _texts(one: Machine) -> str:
    return "\n".join(file.read_text(encoding="utf-8") for file in one.folder.rglob("*.md"))


def _is_sound(one: Machine) -> bool:
    ran = subprocess.run(
        ["git", "-C", str(one.folder), "fsck", "--strict"], env=one.env, capture_output=True, check=False
    )
    return ran.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
