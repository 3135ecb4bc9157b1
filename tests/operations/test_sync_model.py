"""sync against a model: four machines, one remote, whatever people and clients do; no text is ever lost."""

from __future__ import annotations

import contextlib
import os
import platform
import random
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from django.db import connections

from brain import config, operations
from brain.caller import Caller, Kind, Surface
from brain.errors import BrainError
from brain.guard import paths
from brain.index import refresh
from brain.services import workplace
from brain.services.syncing import running
from brain.store import git
from cabecao_site import bootstrap

SEEDS = [int(one) for one in os.environ.get("CABECAO_SYNC_SEEDS", "1,2,3").split(",")]
ACTIONS = int(os.environ.get("CABECAO_SYNC_ACTIONS", "200"))
MACHINES = 4
NAMES = [f"wiki/concepts/N{number}.md" for number in range(10)]
TOKEN = re.compile(r"tok-\d+-\d+")
PERSON = Caller(Kind.HUMAN, "cli", Surface.CLI)


class Killed(BaseException):
    """The process ends here."""


@dataclass
class Machine:
    """One clone with records of its own."""

    name: str
    root: Path
    caller: Caller

    def enter(self) -> None:
        workplace.close()
        refresh.stop()
        connections.close_all()
        config.leave()
        bootstrap.point_at(config.enter(self.root))

    def git(self, *arguments: str) -> str:
        done = subprocess.run(["git", *arguments], cwd=self.root, check=True, capture_output=True)
        return done.stdout.decode()

    def texts(self) -> dict[str, str]:
        found = [file for file in self.root.rglob("*.md") if not {".git", ".cabecao"} & set(file.parts)]
        return {file.relative_to(self.root).as_posix(): file.read_text() for file in found}

    def notes(self) -> list[str]:
        return sorted(path for path in self.texts() if path.startswith("wiki/") and not paths.is_conflict_copy(path))

    def tokens(self) -> set[str]:
        """The texts that somebody wrote and that a note holds; the log only tells of them."""
        texts = ((path, text) for path, text in self.texts().items() if paths.is_note(path))
        return {one for _path, text in texts for one in TOKEN.findall(text)}


@dataclass
class World:
    """The machines, what was acknowledged, and what somebody who saw it took away."""

    machines: list[Machine]
    chance: random.Random
    seed: int
    monkeypatch: pytest.MonkeyPatch
    acknowledged: set[str] = field(default_factory=set)
    committed: set[str] = field(default_factory=set)
    removed: set[str] = field(default_factory=set)
    told: list[str] = field(default_factory=list)
    count: int = 0

    def token(self) -> str:
        self.count += 1
        return f"tok-{self.seed}-{self.count}"

    def step(self) -> None:
        machine = self.chance.choice(self.machines)
        machine.enter()
        names = list(_ACTIONS)
        name = self.chance.choices(names, [_ACTIONS[one][0] for one in names])[0]
        self.monkeypatch.setattr(platform, "node", lambda: machine.name)
        before, known = machine.tokens(), self.count
        try:
            _ACTIONS[name][1](self, machine)
        except BrainError as refused:
            self.told.append(f"{self.machines.index(machine)} {name}: {refused.code} {refused.message}")
            if refused.code == "internal_error":
                raise
            return
        after = machine.tokens()
        fresh = {f"tok-{self.seed}-{number + 1}" for number in range(known, self.count)}
        self.told.append(f"{self.machines.index(machine)} {name}: {sorted(fresh)} took {sorted(before - after)}")
        if name in _SYNCS:
            assert before <= after | self.removed, f"{before - after - self.removed}\n{self.story()}\n{_last(machine)}"
            return
        self.acknowledged |= fresh
        self.committed |= fresh if not name.startswith("outside") else set()
        self.removed |= before - after

    def story(self) -> str:
        return "\n".join(self.told[-60:])


def _last(machine: Machine) -> str:
    """Return what the newest commits of a machine did, for whoever reads why a test failed."""
    return machine.git("log", "--graph", "--name-status", "-m", "--format=%h %p %s", "-8")


def _any_note(world: World, machine: Machine) -> str | None:
    found = machine.notes()
    return world.chance.choice(found) if found else None


def _create(world: World, machine: Machine) -> None:
    path, text = world.chance.choice(NAMES), _body(world)
    given = {"path": path, "content": text, "mode": "create", "frontmatter": {"type": "concept"}}
    operations.dispatch("write_page", machine.caller, given)


def _append(world: World, machine: Machine) -> None:
    if path := _any_note(world, machine):
        operations.dispatch("write_page", machine.caller, {"path": path, "content": world.token(), "mode": "append"})


def _overwrite(world: World, machine: Machine) -> None:
    if path := _any_note(world, machine):
        operations.dispatch("read", machine.caller, {"path": path})
        given = {"path": path, "content": _body(world), "mode": "overwrite"}
        operations.dispatch("write_page", machine.caller, given)


def _patch(world: World, machine: Machine) -> None:
    path = _any_note(world, machine)
    found = TOKEN.findall(machine.texts()[path]) if path else []
    if found:
        given = {"path": path, "old": world.chance.choice(found), "new": world.token()}
        operations.dispatch("patch_page", machine.caller, given)


def _undo(_world: World, machine: Machine) -> None:
    operations.dispatch("undo", machine.caller, {})


def _forget(world: World, machine: Machine) -> None:
    if path := _any_note(world, machine):
        operations.dispatch("forget", PERSON, {"id": path, "reason": "não serve mais"})


def _move(world: World, machine: Machine) -> None:
    if path := _any_note(world, machine):
        operations.dispatch("move_page", PERSON, {"path": path, "to": world.chance.choice(NAMES)})


def _outside_edit(world: World, machine: Machine) -> None:
    if path := _any_note(world, machine):
        place = machine.root / path
        lines = place.read_text().split("\n")
        first = lines.index("---", 1) + 1 if lines[0] == "---" else 0
        spot = world.chance.randint(first, len(lines) - 1)
        if world.chance.random() < 0.5:
            lines[spot] = world.token()
        else:
            lines.insert(spot + 1, world.token())
        place.write_text("\n".join(lines))


def _outside_new(world: World, machine: Machine) -> None:
    place = machine.root / world.chance.choice(NAMES)
    if not place.exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(_body(world) + "\n")


def _outside_delete(world: World, machine: Machine) -> None:
    if path := _any_note(world, machine):
        (machine.root / path).unlink()


def _outside_rename(world: World, machine: Machine) -> None:
    path, target = _any_note(world, machine), machine.root / world.chance.choice(NAMES)
    if path and not target.exists():
        (machine.root / path).rename(target)


def _settle_copy(world: World, machine: Machine) -> None:
    """Put a copy's text into its note and take the copy away, as a person does by hand."""
    found = sorted(path for path in machine.texts() if paths.is_conflict_copy(path) and path.startswith("wiki/"))
    if found:
        copy = machine.root / world.chance.choice(found)
        copy.unlink()


def _sync(world: World, _machine: Machine) -> None:
    found = running.run(PERSON)
    assert found.status == "ok", f"{found.message} {found.remote_error}\n{world.story()}"


def _killed(world: World, _machine: Machine) -> None:
    """Sync and die at some call of Git; the next one must go on from there."""
    left, run = world.chance.randint(0, 40), git.run

    def dying(*arguments: object, **named: object) -> object:
        nonlocal left
        left -= 1
        if left < 0:
            raise Killed
        return run(*arguments, **named)  # type: ignore[arg-type]

    with world.monkeypatch.context() as patch:
        patch.setattr(git, "run", dying)
        with contextlib.suppress(Killed):
            running.run(PERSON)


def _body(world: World) -> str:
    return "\n\n".join([world.token(), f"Linha do meio {world.chance.randint(1, 3)}.", world.token()])


_SYNCS = {"sync", "killed"}
_ACTIONS: dict[str, tuple[int, Callable[[World, Machine], None]]] = {
    "create": (10, _create),
    "append": (8, _append),
    "overwrite": (6, _overwrite),
    "patch": (6, _patch),
    "undo": (3, _undo),
    "forget": (2, _forget),
    "move": (4, _move),
    "outside edit": (12, _outside_edit),
    "outside new": (4, _outside_new),
    "outside delete": (3, _outside_delete),
    "outside rename": (4, _outside_rename),
    "outside settling": (2, _settle_copy),
    "sync": (28, _sync),
    "killed": (8, _killed),
}


@pytest.fixture
def world(ready, tmp_path, monkeypatch) -> Iterator[Callable[[int], World]]:
    """Make the machines, all with the same beginning; no power is lost here, so nothing is flushed."""
    monkeypatch.setenv("GIT_TEST_FSYNC", "0")
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)
    bare = tmp_path / "remoto.git"
    subprocess.run(["git", "init", "-q", "--bare", "--initial-branch=main", str(bare)], check=True)
    ready.write("log.md", "# Log\n\n")
    ready.write(".gitattributes", "log.md merge=union\n")
    ready.git("remote", "add", "origin", str(bare))
    ready.commit()
    roots = [ready.root]
    assert running.run(PERSON).status == "ok"
    for number in range(1, MACHINES):
        root = tmp_path / f"maquina{number}" / "brain"
        subprocess.run(["git", "clone", "-q", str(bare), str(root)], check=True)
        (root / ".cabecao").mkdir()
        for name in ("state.db", "audit.db"):
            shutil.copy(ready.root / ".cabecao" / name, root / ".cabecao")
        roots.append(root)

    def make(seed: int) -> World:
        same = seed % 2  # two machines may well be called the same
        machines = [
            Machine("casa" if same else f"casa{number}", root,
                    Caller(Kind.AGENT, f"client-{number}", Surface.MCP, connection=f"{number} of {root}"))
            for number, root in enumerate(roots)
        ]  # fmt: skip
        return World(machines, random.Random(seed), seed, monkeypatch)

    yield make
    workplace.close()
    refresh.stop()
    connections.close_all()
    config.leave()
    bootstrap.point_at(config.enter(ready.root))


def _converge(world: World) -> None:
    for _round in range(6):
        for machine in world.machines:
            machine.enter()
            _sync(world, machine)
        if len({machine.git("rev-parse", "HEAD") for machine in world.machines}) == 1:
            return
    raise AssertionError("the machines do not come together\n" + world.story())


@pytest.mark.parametrize("seed", SEEDS)
def test_no_text_is_lost_whatever_four_machines_do(world, seed):
    world = world(seed)
    for _number in range(ACTIONS):
        world.step()
    _converge(world)

    for machine in world.machines:
        assert world.acknowledged - machine.tokens() <= world.removed, (machine.name, world.story())
        assert machine.texts() == world.machines[0].texts()
        assert not machine.git("status", "--porcelain"), machine.name
        assert not [text for text in machine.texts().values() if "<<<<<<<" in text]
        machine.git("fsck", "--strict")
    history = world.machines[0].git("log", "-p", "-m", "--root", "--first-parent", "--no-renames", "--reverse")
    history += world.machines[0].git("log", "-p", "--no-renames")
    assert world.committed <= set(TOKEN.findall(history)), world.committed - set(TOKEN.findall(history))


def test_a_sync_with_nothing_to_do_makes_no_commit(world):
    world = world(4)
    _converge(world)
    before = world.machines[0].git("rev-parse", "HEAD")
    _converge(world)
    assert world.machines[0].git("rev-parse", "HEAD") == before
