"""The table of errors: each code provoked over MCP, REST and the command line, which say the same and change nothing."""

from __future__ import annotations

import errno
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from calling import SECRETS, Call
from django.db import connections
from filelock import FileLock
from surfaces import over_mcp

from brain import errors, operations
from brain.store import files, lock

PATH = "wiki/concepts/Lote.md"
CREATE = {"path": "wiki/concepts/Fila.md", "content": "Texto.", "mode": "create", "frontmatter": {"type": "concept"}}
PATCH = {"path": PATH, "old": "Dez", "new": "Onze"}
RULE = {"path": "memory/rules/r.md", "content": "Responda.", "frontmatter": {"type": "rule"}}


@dataclass(frozen=True)
class Scene:
    """A brain with a note, who asks, and what may be made to go wrong in it."""

    brain: Any
    agent: Call
    patch: pytest.MonkeyPatch

    @property
    def root(self) -> Path:
        return self.brain.root


@dataclass(frozen=True)
class Row:
    """What provokes a code: an operation and its arguments, on a brain that was prepared for it."""

    name: str
    arguments: Mapping[str, Any]
    prepare: Callable[[Scene], Mapping[str, Any] | None] = lambda _scene: None


def fails(error: BaseException) -> Callable[..., Any]:
    def fail(*_given: object, **_named: object) -> Any:
        raise error

    return fail


def _without_settings(scene: Scene) -> None:
    (scene.root / ".cabecao.json").unlink()


def _with_broken_settings(scene: Scene) -> None:
    scene.brain.write(".cabecao.json", "{")


def _without_git(scene: Scene) -> None:
    from brain.services import workplace

    workplace.close()
    (scene.root / ".git").rename(scene.root.parent / "elsewhere")


def _with_a_handoff_among_the_rules(scene: Scene) -> None:
    scene.brain.note("memory/rules/passagem.md", "Falta testar.", type="handoff", scope="global")
    scene.brain.commit()


def _with_a_later_change(scene: Scene) -> Mapping[str, Any]:
    done = scene.agent("patch_page", **PATCH)
    scene.brain.write(PATH, scene.brain.text(PATH).replace("Onze", "Doze, decidi eu"))
    scene.brain.commit()
    return {"op": done.op}


def _undone(scene: Scene) -> Mapping[str, Any]:
    done = scene.agent("patch_page", **PATCH)
    scene.agent("undo", op=done.op)
    return {"op": done.op}


def _with_a_hook_that_refuses(scene: Scene) -> None:
    hook = scene.root / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho nao >&2\nexit 1\n")
    hook.chmod(0o755)


def _in_a_merge(scene: Scene) -> None:
    (scene.root / ".git" / "MERGE_HEAD").write_text(scene.brain.git("rev-parse", "HEAD"))


def _with_no_place_for_the_index(scene: Scene) -> None:
    connections.close_all()
    for file in (scene.root / ".cabecao").glob("index.db*"):
        file.unlink()
    (scene.root / ".cabecao" / "index.db").mkdir()


def _on_a_full_disk(scene: Scene) -> None:
    scene.patch.setattr(files, "flush", fails(OSError(errno.ENOSPC, "No space left on device")))


def _locked(scene: Scene) -> None:
    waits = lock.write_lock.__wrapped__.__kwdefaults__  # type: ignore[attr-defined]
    scene.patch.setitem(waits, "seconds", 0.05)
    held = FileLock(scene.root / ".cabecao" / "lock", thread_local=False)
    held.acquire()
    scene.patch.setattr(scene.brain.__class__, "held", held, raising=False)  # let go with everything else


def _with_room_for_no_rule(scene: Scene) -> None:
    scene.brain.write(".cabecao.json", '{"schema_version": 1, "rings": {"resident_cap_tokens": 1}}')
    scene.brain.commit()


def _with_a_fault_of_ours(scene: Scene) -> None:
    scene.patch.setattr(operations, "_service", lambda _module: fails(KeyError(SECRETS["aws"])))


TABLE: dict[str, Row] = {
    "not_a_brain": Row("write_page", CREATE, _without_settings),
    "invalid_config": Row("write_page", CREATE, _with_broken_settings),
    "not_a_repository": Row("write_page", CREATE, _without_git),
    "not_found": Row("patch_page", {**PATCH, "path": "wiki/concepts/Nada.md"}),
    "unsafe_path": Row("write_page", {**CREATE, "path": "../fora.md"}),
    "invalid_path": Row("write_page", {**CREATE, "path": "index.md"}),
    "invalid_argument": Row("write_page", {**CREATE, "frontmatter": {}}),
    "invalid_note": Row("write_page", {**CREATE, "frontmatter": {"type": "poema"}}),
    "already_exists": Row("write_page", {**CREATE, "path": PATH}),
    "secret_detected": Row("write_page", {**CREATE, "content": f"Chave {SECRETS['aws']}"}),
    "rule_requires_human": Row(
        "handoff_save", {"session_handle": "s", "next": ["Testar"]}, _with_a_handoff_among_the_rules
    ),
    "patch_not_found": Row("patch_page", {**PATCH, "old": "Doze"}),
    "ambiguous_patch": Row("patch_page", {**PATCH, "old": "z"}),
    "conflict": Row("undo", {}, _with_a_later_change),
    "locked": Row("write_page", CREATE, _locked),
    "nothing_to_undo": Row("undo", {}),
    "already_undone": Row("undo", {}, _undone),
    "human_only": Row("write_page", {**CREATE, "frontmatter": {"type": "concept", "ring": 0}}),
    "git_failed": Row("write_page", CREATE, _with_a_hook_that_refuses),
    "index_failed": Row("undo", {}, _with_no_place_for_the_index),
    "internal_error": Row("write_page", CREATE, _with_a_fault_of_ours),
    "disk_full": Row("write_page", CREATE, _on_a_full_disk),
    "repository_busy": Row("write_page", CREATE, _in_a_merge),
    "confirmation_required": Row("write_page", RULE),
    "resident_cap_exceeded": Row("write_page", RULE, _with_room_for_no_rule),
}


@pytest.fixture
def scene(ready, agent, monkeypatch) -> Scene:
    ready.note(PATH, "Dez por vez.", type="concept")
    ready.commit()
    return Scene(ready, agent, monkeypatch)


@pytest.mark.parametrize("code", TABLE)
def test_a_code_is_told_alike_on_every_surface_and_nothing_is_changed(scene, unchanged, over_rest, by_command, code):
    row = TABLE[code]
    arguments = {**row.arguments, **(row.prepare(scene) or {})}
    told = []
    for surface in (over_mcp, over_rest, by_command):
        with unchanged():
            said = surface(row.name, arguments)
        # Over MCP what asks for a yes is an answer, and its status is the code.
        error = said["error"] if "error" in said else {**said, "code": said["status"], "message": None}
        assert error["code"] == code, (surface, error)
        assert error["next_step"]
        assert SECRETS["aws"] not in json.dumps(error)
        told.append({name: error.get(name) for name in ("message", "next_step", "summary", "reasons")})
    if code == "confirmation_required":  # over MCP it is an answer, which has no message
        assert told[1].pop("message") == told[2].pop("message")
        told[0].pop("message")
    assert told[0] == told[1] == told[2]


@pytest.mark.parametrize("code", sorted(errors._BEFORE & set(TABLE)))
def test_a_write_that_is_refused_says_once_that_nothing_was_changed(scene, code):
    row = TABLE[code]
    if not operations.by_name(row.name).writes:
        pytest.skip("it reads")
    said = over_mcp(row.name, {**row.arguments, **(row.prepare(scene) or {})})
    assert said["error"]["message"].count("Nothing was changed.") == 1


def test_a_read_that_is_refused_says_nothing_of_changes(ready):
    assert "changed" not in over_mcp("read", {"path": "wiki/Nada.md"})["error"]["message"]


@pytest.mark.parametrize("arguments", [{}, {"content": 7}, {"nada": "x"}])
def test_arguments_of_the_wrong_form_change_nothing_and_it_is_said(ready, arguments):
    assert over_mcp("remember", arguments)["error"]["message"].count("Nothing was changed.") == 1


def test_the_table_has_every_code_that_a_client_can_meet():
    def codes(kind: type[errors.BrainError]) -> Iterator[str]:
        for below in kind.__subclasses__():
            yield below.code
            yield from codes(below)

    assert set(codes(errors.BrainError)) == TABLE.keys()
