"""Whether a caller may put a text at a path: the guards of the write path, asked for every file of a change."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from brain import config
from brain.caller import Caller
from brain.errors import (
    BrainError,
    HumanOnly,
    InvalidArgument,
    InvalidNote,
    InvalidPath,
    RuleRequiresHuman,
    SecretDetected,
)
from brain.guard import control_files, elevation, limits, paths, proof, secrets
from brain.guard.elevation import Action, Decision, Verdict
from brain.language import gettext as _
from brain.note import document, schema
from brain.note.document import Document

if TYPE_CHECKING:
    from brain.services.writing import Change, FileEdit

_PERSONS_SETTINGS: Final = ("embedding", "embeddings", "llm_policy", "egress")


def judge(caller: Caller, change: Change, edit: FileEdit) -> tuple[str, ...]:
    """Return why an edit needs the person's request, nothing where it needs none; raise what refuses it altogether.

    An edit that restores what the brain held before (an undo) is judged by who asks, not by its form.
    """
    as_it_is = edit.restores or edit.after is None or edit.path in control_files.SETTINGS
    path = paths.inside_path(edit.path) if as_it_is else paths.note_path(edit.path)
    before = edit.before if edit.moved_from is None else edit.moved_from
    old = document.parse(before) if before is not None else None
    new = document.parse(edit.after) if edit.after is not None else None
    if new is not None and not edit.restores and edit.after != edit.moved_from:
        _refuse_oversize(new)
        _refuse_secrets(caller, path, old, new)
        _refuse_wrong_fields(path, old, new)
    action = _action(change, path, old, new, restores=edit.restores)
    if reasons := elevation.wants_proof(action, caller):
        proof.require(caller, reasons)
    decision = elevation.decide(action, caller)
    if path == config.FILE and decision.verdict is not Verdict.NEVER:
        config.parse(new.text if new is not None else "")
    if decision.verdict is Verdict.NEVER or (decision.reasons and not caller.request.confirmable):
        raise _refusal(action, decision)
    return decision.reasons


def refuse_secrets(caller: Caller, text: str, where: str, *, known: str = "", outside: bool = False) -> None:
    """Raise SecretDetected where a text looks as if it held one that `known` does not; its value is never repeated.

    In a text from outside the mark by which a person lets one pass is nobody's word.
    """
    found = secrets.scan(text, human=caller.is_human and not outside, known=known)
    if found:
        advice = _("Take the secret out of the text and try again. A mark in a text from outside allows nothing.")
        raise _secret(where, found[0], next_step=advice if outside else None)


def _refuse_oversize(new: Document) -> None:
    if len(new.raw) > limits.NOTE_BYTES:
        raise InvalidArgument(
            _("The note would be larger than %(most)d MB. Nothing was changed.")
            % {"most": limits.NOTE_BYTES // 1_000_000},
            next_step=_("Split it into several notes that link to each other."),
        )


def _refuse_secrets(caller: Caller, path: str, old: Document | None, new: Document) -> None:
    refuse_secrets(caller, path, _("the path"))
    known = old.raw.decode("utf-8", errors="replace") if old else ""
    text = new.raw.decode("utf-8", errors="replace")
    try:
        refuse_secrets(caller, text, path, known=known)
    except SecretDetected:
        if secrets.is_echoed(text, path):
            refuse_secrets(caller, text, _("the text"), known=known)
        raise


def _secret(where: str, found: secrets.Finding, *, next_step: str | None = None) -> SecretDetected:
    return SecretDetected(
        _("There may be a secret in %(where)s, line %(line)d, column %(column)d (%(rule)s). Nothing was changed.")
        % {"where": where, "line": found.line, "column": found.column, "rule": found.rule},
        next_step=next_step,
        rule=found.rule,
        line=found.line,
        column=found.column,
    )


def _refuse_wrong_fields(path: str, old: Document | None, new: Document) -> None:
    """Refuse fields that are wrong now and were not wrong before: what a person left so stays theirs."""
    if new.error is not None:
        raise InvalidNote(_("The frontmatter of %(path)s would not be readable. Nothing was changed.") % {"path": path})
    extra = config.here().config().relation_types
    known = old.frontmatter if old and old.error is None else {}
    for problem in schema.problems(new.frontmatter, relation_types=extra):
        if known.get(problem.field) != new.frontmatter.get(problem.field) or problem.field not in known:
            raise InvalidNote(
                _("%(path)s: %(problem)s Nothing was changed.") % {"path": path, "problem": problem.message},
                field=problem.field,
            )


def _action(change: Change, path: str, old: Document | None, new: Document | None, *, restores: bool) -> Action:
    """Return what is done to a file; a trust or ring that an undo brings back was the person's before."""
    before, after = (old.frontmatter if old else {}), (new.frontmatter if new else {})
    raises = () if restores else tuple(key for key in ("trust", "ring") if after.get(key) != before.get(key))
    return Action(
        operation=change.operation,
        path=path,
        note_type=_text(after.get("type")),
        before_type=_text(before.get("type")),
        creates=old is None,
        trust=_text(after.get("trust")) if "trust" in raises else None,
        ring=_ring(after.get("ring")) if "ring" in raises else None,
        changes_config=path == config.FILE and _section(old) != _section(new),
        undoes_person=change.undoes_person,
        partial_id=change.partial_id,
    )


def _refusal(action: Action, decision: Decision) -> BrainError:
    """Return the error of what is never done, or of what only a confirmation would allow where none can be given."""
    said = " ".join(decision.reasons).rstrip(".")
    if decision.error_code == "invalid_path":
        return InvalidPath(_("%(reasons)s. Nothing was changed.") % {"reasons": said})
    if decision.verdict is Verdict.ASK and elevation.is_rule(action):
        return RuleRequiresHuman(
            _("An agent does not write rules: %(reasons)s. Nothing was changed.") % {"reasons": said}
        )
    return HumanOnly(_("This needs the user's own hand: %(reasons)s. Nothing was changed.") % {"reasons": said})


def _section(settings: Document | None) -> dict[str, object]:
    """Return the part of the settings that is the person's alone; nothing where they cannot be read."""
    try:
        found = json.loads(settings.text) if settings is not None else {}
    except ValueError:
        return {}
    whole = found if isinstance(found, dict) else {}
    return {name: whole[name] for name in _PERSONS_SETTINGS if name in whole}


def _ring(value: object) -> int | None:
    return value if isinstance(value, int) else None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
