"""attest: the person vouches for rules and preferences as they are now, on this machine."""

from __future__ import annotations

from brain import clock, config
from brain.approval import attestation
from brain.audit import chain
from brain.caller import Caller
from brain.contracts.approvals import AttestInput, AttestOutput, Resident
from brain.contracts.shared import DATA_NOTICE
from brain.errors import Conflict, InvalidArgument, NotFound
from brain.guard import paths, proof, spelling
from brain.index import notes, refresh
from brain.index.notes import NoteRow
from brain.language import gettext as _
from brain.language import ngettext
from brain.note import document
from brain.services import resident_cap, shown, views, vouching
from brain.store import files


def run(caller: Caller, given: AttestInput) -> AttestOutput:
    """Show the texts that wait, all or one; with `yes`, vouch for exactly these."""
    freshness = refresh.catch_up()
    if given.digest and not given.path:
        raise InvalidArgument(_("A digest is of one note: give its path too. Nothing was changed."))
    rows = vouching.waiting() if given.path is None else _named(given.path)
    found = _residents(rows)
    if given.digest and [one.digest for one in found] not in ([given.digest], []):
        raise Conflict(
            _("The text of %(path)s changed after it was shown. Nothing was changed.") % {"path": given.path}
        )
    if given.yes:
        proof.require(caller)
        resident_cap.check_attested(rows)
        for one in found:
            _attest(caller, one)
    return AttestOutput(
        data_notice=_(DATA_NOTICE),
        residents=found,
        attested=len(found) if given.yes else 0,
        warnings=views.notices(freshness),
        next_step=_next_step(given, len(found)),
    )


def _named(name: str) -> list[NoteRow]:
    """Return the note of a path or id; none where its text is vouched for already."""
    row = notes.by_path(name) or notes.by_id(name)
    if row is None or row.archived:
        raise NotFound(_("There is no note “%(name)s”. Nothing was changed.") % {"name": name})
    if row.type not in vouching.RESIDENT_TYPES or paths.is_conflict_copy(row.path):
        raise InvalidArgument(
            _("%(path)s is neither a rule nor a preference. Nothing was changed.") % {"path": row.path}
        )
    return [] if vouching.is_vouched(row) else [row]


def _residents(rows: list[NoteRow]) -> list[Resident]:
    return [one for row in rows if (one := _resident(row)) is not None]


def _resident(row: NoteRow) -> Resident | None:
    """Return a note with its whole text as the file has it, None where the file is gone."""
    raw = files.read(config.here().root, row.path)
    if raw is None:
        return None
    return Resident(
        id=row.id,
        path=row.path,
        title=row.title,
        type=str(row.type),
        scope=row.scope,
        origin=row.origin or "human",
        edited_by=row.edited_by,
        digest=shown.digest(raw),
        content=spelling.visible(views.text_of(document.parse(raw))),
    )


def _attest(caller: Caller, one: Resident) -> None:
    """Record that this very text is the person's word, in the audit log first."""
    detail = {"path": one.path, "digest": one.digest, "surface": str(caller.surface), "at": clock.timestamp()}
    chain.append("attest", actor=caller.origin, subject=one.id or one.path, detail=detail)
    attestation.attest_digest(one.id or one.path, one.digest)


def _next_step(given: AttestInput, count: int) -> str:
    if not count:
        return _("Nothing waits: agents are given every rule that is in force.")
    if given.yes:
        return ngettext(
            "It holds on this machine, until the text changes again.",
            "They hold on this machine, until a text changes again.",
            count,
        )
    return _("Read them. If they are yours: cabecao attest%(path)s --yes") % {
        "path": f" {given.path}" if given.path else ""
    }
