"""relate: a typed relation from one note to another, as a wikilink in the frontmatter."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from brain import config
from brain.caller import Caller
from brain.contracts.shared import Notice
from brain.contracts.writes import RelateInput, RelateOutput, Relation
from brain.errors import InvalidArgument, NotFound
from brain.guard import paths
from brain.index import names, refresh
from brain.language import gettext as _
from brain.note import document, fields, schema
from brain.note.document import Document
from brain.services import drafts, judging, workplace, writing
from brain.services.drafts import Draft
from brain.services.writes.write_page import unchanged, written
from brain.services.writing import Change, FileEdit
from brain.store import files


@dataclass(frozen=True)
class _Ends:
    """The two notes of a relation, by their paths, and what the caller should know about how they were named."""

    origin: str
    target: str
    warnings: tuple[Notice, ...]


def run(caller: Caller, given: RelateInput) -> RelateOutput:
    """Add the relation in one commit; the same one again, however its ends are named, changes nothing."""
    refuse_unknown_types([given.type])
    judging.refuse_secrets(caller, f"{given.from_} {given.to}", _("a name"))
    refresh.catch_up()
    built: list[Relation] = []
    try:
        done = writing.commit(caller, lambda: _change(caller, given, built))
    except _RelatedBefore as before:
        said = unchanged(built[-1].from_, before.draft)
        said.warnings = list(before.warnings)
    else:
        said = written(caller, built[-1].from_, done, is_new=False)
    return RelateOutput(**said.model_dump(), relation=built[-1])


class _RelatedBefore(Exception):
    def __init__(self, draft: Draft, warnings: tuple[Notice, ...]) -> None:
        super().__init__()
        self.draft = draft
        self.warnings = warnings


def refuse_unknown_types(wanted: Iterable[str]) -> None:
    """Raise InvalidArgument for a relation that is neither Cabeção's nor one of this brain's settings."""
    known = {*schema.RELATIONS, *config.here().config().relation_types}
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise InvalidArgument(
            _("“%(name)s” is no relation of this brain; known are: %(known)s. Nothing was changed.")
            % {"name": unknown[0][:40], "known": ", ".join(sorted(known))}
        )


def _change(caller: Caller, given: RelateInput, built: list[Relation]) -> Change:
    """Describe the change, and add the relation that it writes to `built`."""
    ends = _ends(given)
    before = files.read(workplace.root(), ends.origin)
    if before is None:
        raise _no_note(given.from_)
    note = document.parse(before)
    known = fields.read(note, ends.origin, relation_types=config.here().config().relation_types)
    same = _written_link(known, given.type, ends)
    link = same or names.link(ends.target, near=ends.origin)
    if link is None:
        raise InvalidArgument(
            _("%(path)s cannot be named in a link. Nothing was changed.") % {"path": ends.target},
            next_step=_("Rename it, or give it an id by writing to it once."),
        )
    built.append(Relation(from_=ends.origin, type=given.type, to=ends.target, link=link))
    wanted = {} if same else {given.type: [*_items(note, given.type), link]}
    draft = drafts.changed(caller, ends.origin, note, given=wanted)
    if not draft.changed:
        raise _RelatedBefore(draft, ends.warnings)
    line = f"update {draft.fields.type or 'note'}: {draft.fields.title}"
    edit = FileEdit(ends.origin, before, draft.content)
    return Change("relate", (edit,), (line,), warnings=(*ends.warnings, *draft.warnings))


def _ends(given: RelateInput) -> _Ends:
    origin, first = _note(given.from_)
    target, second = _note(given.to, near=origin)
    if origin == target:
        raise InvalidArgument(_("A note has no relation to itself. Nothing was changed."))
    return _Ends(origin, target, (*first, *second))


def _note(name: str, *, near: str | None = None) -> tuple[str, tuple[Notice, ...]]:
    """Return the note that a name means, never the nearest one, and a notice where it names others too."""
    found = names.resolve(name, near=near)
    if found.path is None or files.actual(workplace.root(), found.path) is None:
        raise _no_note(name)
    if paths.is_archived(found.path):
        raise NotFound(
            _("%(path)s is archived; it takes no part in relations. Nothing was changed.") % {"path": found.path}
        )
    others = [one for one in found.candidates[1:] if not paths.is_archived(one)]
    if found.by in {"id", "path"} or not others:
        return found.path, ()
    said = _("“%(name)s” names several notes; %(path)s was taken, not %(others)s.")
    told = {"name": name[:80], "path": found.path, "others": ", ".join(others[:3])}
    return found.path, (Notice(code="ambiguous_name", message=said % told),)


def _no_note(name: str) -> NotFound:
    return NotFound(_("There is no note “%(name)s”. Nothing was changed.") % {"name": name[:80]})


def _written_link(known: fields.Fields, kind: str, ends: _Ends) -> str | None:
    """Return the link by which a note has the relation already, in whichever way it names the other one."""
    chains = {"supersedes": known.supersedes, "superseded_by": known.superseded_by}
    texts = chains.get(kind) or known.relations.get(kind, ())
    return next((text for text in texts if names.resolve(text, near=ends.origin).path == ends.target), None)


def _items(note: Document, kind: str) -> list[object]:
    """Return what a relation's key holds, so that the list only grows."""
    value = note.frontmatter.get(kind)
    if value is None or value == "":
        return []
    return list(value) if isinstance(value, list) else [value]
