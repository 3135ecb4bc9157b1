"""Whether a caller may put a text at a path: the guards of the write path, asked for every file of a change."""

from __future__ import annotations

from brain import config
from brain.caller import Caller
from brain.errors import BrainError, HumanOnly, InvalidArgument, InvalidNote, RuleRequiresHuman, SecretDetected
from brain.guard import elevation, limits, paths, secrets
from brain.guard.elevation import Action, Verdict
from brain.language import gettext as _
from brain.note import document, schema
from brain.note.document import Document


def judge(
    caller: Caller, operation: str, path: str, *, before: bytes | None, after: bytes | None, restores: bool = False
) -> None:
    """Raise the error that says why a caller may not do this; return where it may.

    `restores` marks a content that the brain held before (an undo): it is judged by who asks, not by its form.
    """
    checked = paths.inside_path(path) if restores else paths.note_path(path)
    old = document.parse(before) if before is not None else None
    new = document.parse(after) if after is not None else None
    if new is not None and not restores:
        _refuse_oversize(new)
        _refuse_secrets(caller, checked, old, new)
        _refuse_wrong_fields(checked, old, new)
    _refuse_unasked(caller, operation, checked, old, new, restores=restores)


def refuse_secrets(caller: Caller, text: str, where: str) -> None:
    """Raise SecretDetected where a text looks as if it held one; the value is never repeated."""
    found = secrets.scan(text, human=caller.is_human)
    if found:
        raise _secret(where, found[0])


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
    found = secrets.scan(new.raw.decode("utf-8", errors="replace"), human=caller.is_human, known=known)
    if found:
        raise _secret(path, found[0])


def _secret(where: str, found: secrets.Finding) -> SecretDetected:
    return SecretDetected(
        _("There may be a secret in %(where)s, line %(line)d, column %(column)d (%(rule)s). Nothing was changed.")
        % {"where": where, "line": found.line, "column": found.column, "rule": found.rule},
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


def _refuse_unasked(
    caller: Caller, operation: str, path: str, old: Document | None, new: Document | None, *, restores: bool
) -> None:
    """Refuse what needs the person's request; a trust or ring that an undo brings back was the person's before."""
    before, after = (old.frontmatter if old else {}), (new.frontmatter if new else {})
    raises = () if restores else tuple(key for key in ("trust", "ring") if after.get(key) != before.get(key))
    action = Action(
        operation=operation,
        path=path,
        note_type=_text(after.get("type")),
        before_type=_text(before.get("type")),
        creates=old is None,
        trust=_text(after.get("trust")) if "trust" in raises else None,
        ring=_ring(after.get("ring")) if "ring" in raises else None,
    )
    decision = elevation.decide(action, caller)
    if decision.verdict is not Verdict.ALLOWED:
        raise _unasked(action, decision.reasons)


def _unasked(action: Action, reasons: tuple[str, ...]) -> BrainError:
    said = " ".join(reasons).rstrip(".")
    if "rule" in (action.note_type, action.before_type) or action.path.casefold().startswith("memory/rules/"):
        return RuleRequiresHuman(
            _("An agent does not write rules: %(reasons)s. Nothing was changed.") % {"reasons": said}
        )
    return HumanOnly(_("This needs the user's own hand: %(reasons)s. Nothing was changed.") % {"reasons": said})


def _ring(value: object) -> int | None:
    return value if isinstance(value, int) else None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
