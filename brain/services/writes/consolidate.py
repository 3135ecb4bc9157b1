"""consolidate: maintenance in which an agent reasons and Cabeção keeps the way back open."""

from __future__ import annotations

from typing import Final

from brain import clock
from brain.caller import Caller
from brain.contracts.consolidating import ConsolidateInput, ConsolidateOutput, Material, RestorePoint
from brain.contracts.shared import DATA_NOTICE
from brain.errors import NotFound
from brain.index import refresh
from brain.language import gettext as _
from brain.services import recorded, workplace
from brain.services.consolidating import closing, material
from brain.store import restoring
from brain.store.restoring import Point

_CLOSING: Final = 2


def run(caller: Caller, given: ConsolidateInput) -> ConsolidateOutput:
    """Begin a consolidation or close it; NotFound for one that this machine does not know."""
    caller.report(0, material.STEPS if given.action == "start" else _CLOSING, _("Reading what changed"))
    refresh.catch_up()
    if given.action == "finish":
        return _finish(caller, given.consolidation_id or "", given.title)
    return _start(caller, given.scope)


def _start(caller: Caller, scope: str | None) -> ConsolidateOutput:
    identity = clock.new_id()
    gathered = material.gather(caller, scope)
    caller.report(material.STEPS - 1, material.STEPS, _("Making the restore point"))
    with workplace.held(caller) as (repo, head):
        if head.commit is None:
            raise NotFound(_("This brain has no commit yet: there is nothing to consolidate."))
        point = restoring.make(repo, identity, head.commit)
    nothing = not (gathered.repeated_episodes or gathered.duplicates or gathered.lint)
    return _output(
        "start",
        identity,
        point,
        gathered=gathered,
        instructions=_instructions(identity),
        next_step=_(
            "Nothing repeats and nothing wants mending: close it with consolidate finish, or read the episodes."
        )
        if nothing
        else _("Follow the instructions, with the consolidation_id as session_handle in every write."),
    )


def _finish(caller: Caller, identity: str, title: str | None) -> ConsolidateOutput:
    recorded.catch_up(wait=True)
    point = closing.point_of(identity)
    caller.report(1, _CLOSING, _("Closing in one commit"))
    try:
        closed = closing.close(caller, identity, title)
    except closing.Nothing:
        return _output("finish", identity, point, next_step=_("No note changed: there was nothing to close."))
    said = (
        _("Closed in one commit.")
        if closed.squashed
        else _("Closed; its commits stay as they are, because others came between or they were sent already.")
    )
    undo = _("undo({ session: “%(id)s” }) takes the whole of it back; the restore point %(tag)s stays on this machine.")
    return _output(
        "finish",
        identity,
        point,
        op=closed.done.op,
        commit=closed.done.commit,
        squashed=closed.squashed,
        changes=closed.lines,
        warnings=closed.done.warnings,
        next_step=f"{said} {undo % {'id': identity, 'tag': point.tag}}",
    )


def _output(
    action: str,
    identity: str,
    point: Point,
    *,
    gathered: Material | None = None,
    next_step: str,
    **more: object,
) -> ConsolidateOutput:
    blank: dict[str, object] = {
        "instructions": [], "op": None, "commit": None, "squashed": False, "changes": [], "warnings": [],
    }  # fmt: skip
    return ConsolidateOutput.model_validate(
        {
            **blank,
            **more,
            "data_notice": _(DATA_NOTICE),
            "action": action,
            "consolidation_id": identity,
            "restore_point": RestorePoint(tag=point.tag, commit=point.commit),
            "material": gathered,
            "next_step": next_step,
        }
    )


def _instructions(identity: str) -> list[str]:
    return [
        _("Pass “%(id)s” as session_handle in every write.") % {"id": identity},
        _(
            "Read the repeated episodes and bring what they have in common into lasting notes with remember, with the "
            "episodes under sources; the episodes themselves stay."
        ),
        _(
            "Read both notes of each pair of duplicates: bring what only one of them says into the other, then archive "
            "the one that is left over with forget. Where they say different things, leave both."
        ),
        _("Mend the findings of lint where there is no choice to make; leave the others to the user."),
        _("A rule is never written here: propose it in a note in wiki/syntheses/."),
        _("Close with consolidate finish, this consolidation_id and a title."),
    ]
