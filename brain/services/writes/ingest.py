"""ingest: an outside source, registered in raw/ as it came, and the plan of what to do with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from brain import clock
from brain.caller import Caller
from brain.contracts.shared import DATA_NOTICE, Notice
from brain.contracts.sources import IngestInput, IngestOutput, RegisteredSource
from brain.errors import InvalidArgument, InvalidPath, NotFound, UnsafePath
from brain.guard import paths
from brain.index import notes, refresh
from brain.language import gettext as _
from brain.note import document, fields, likeness, naming
from brain.services import drafts, folders, judging, views, workplace, writing
from brain.services.sources import decoding, describing, planning
from brain.services.writing import Change, FileEdit
from brain.store import files

FOLDER: Final = "raw/articles"
_RAW: Final = "raw"
_UNKNOWN: Final = "unknown"


@dataclass(frozen=True)
class _Source:
    """An outside source with its name and where it comes from, as both are kept."""

    title: str
    source: str | None
    author: str | None
    body: str
    private: bool
    warnings: tuple[Notice, ...]


@dataclass(frozen=True)
class _Found:
    """A text file of the brain: where it lies, and what it says."""

    path: str
    text: str
    warnings: tuple[Notice, ...]


class _IsThere(Exception):
    """The source lies in raw/ already."""

    def __init__(self, path: str, raw: bytes) -> None:
        super().__init__(path)
        self.path = path
        self.raw = raw


def run(caller: Caller, given: IngestInput) -> IngestOutput:
    """Register the source in one commit; one that lies in raw/ already is not copied again.

    UnsafePath for a path that leads out of the brain: nothing there is looked at.
    """
    for name in (given.title, given.source):
        judging.refuse_secrets(caller, name or "", _("a name"))
    refresh.catch_up()
    try:
        source = _source(caller, given)
        done = writing.commit(caller, lambda: _change(source, given.scope))
    except _IsThere as known:
        return _known(known)
    edit = done.change.edits[0]
    said = _("Follow plan.steps. undo({ op: “%(op)s” }) takes the source out again, once the user said yes.")
    return _answer(
        edit.path,
        edit.after or b"",
        warnings=[*source.warnings, *done.warnings],
        next_step=said % {"op": done.op},
        op=done.op,
        commit=done.commit,
    )


def _known(there: _IsThere) -> IngestOutput:
    said = _("%(path)s is in raw/ already: nothing was written. Follow plan.steps where they were not yet done.")
    return _answer(there.path, there.raw, warnings=[], next_step=said % {"path": there.path})


def _answer(
    path: str, raw: bytes, *, warnings: list[Notice], next_step: str, op: str | None = None, commit: str | None = None
) -> IngestOutput:
    note = document.parse(raw)
    known = fields.read(note, path)
    return IngestOutput(
        data_notice=_(DATA_NOTICE),
        source=RegisteredSource(
            path=path,
            title=known.title,
            origin=known.origin or "human",
            trust=views.trust_of(known.trust, path),
            chars=len(note.body.strip()),
            registered=op is not None,
        ),
        plan=planning.plan(path, title=known.title, scope=known.scope, body=note.body),
        op=op,
        changed=op is not None,
        commit=commit,
        warnings=warnings,
        next_step=next_step,
    )


def _source(caller: Caller, given: IngestInput) -> _Source:
    """Return the source as it is to be kept; raise _IsThere where it is a note in raw/."""
    found = _file(given.path) if given.path is not None else None
    text, warnings = (found.text, found.warnings) if found else (_plain(given.content or ""), ())
    said = describing.described(text, found.path if found else given.source or "")
    title = given.title or said.title
    if not title:
        raise InvalidArgument(
            _("“%(field)s” is missing: the text itself has none. Nothing was changed.") % {"field": "title"},
            next_step=_("Give a title with the content."),
        )
    # Of what the source says of itself, that it is private counts where a file of the person's says so.
    private = said.private and (found is not None or caller.is_human)
    source = given.source or said.source or (found.path if found else None)
    judging.refuse_secrets(caller, text, _("the source"), outside=True)
    return _Source(title, source, said.author, said.body, private, (*warnings, *said.warnings))


def _plain(content: str) -> str:
    return content.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def _file(wanted: str) -> _Found:
    """Return a text file of the brain; nothing outside of it is looked at."""
    try:
        found = _located(wanted)
    except UnsafePath as error:
        raise UnsafePath(
            error.message,
            next_step=_(
                "Give the text itself as content, with a title. For a file outside of the brain the user runs "
                "`cabecao ingest FILE` in a terminal."
            ),
        ) from None
    if found is None:
        raise NotFound(
            _("There is no file at %(path)s. Nothing was changed.") % {"path": wanted[:200]},
            next_step=_("Check how the path is written, or give the text itself as content, with a title."),
        )
    path, raw = found
    if paths.is_raw(path) and path.lower().endswith(".md"):
        raise _IsThere(path, raw)
    if paths.is_archived(path):
        raise InvalidPath(
            _("%(path)s is archived: it is no source of anything. Nothing was changed.") % {"path": path},
            next_step=_("Ask the user to have it back with undo first."),
        )
    text, warnings = decoding.decoded(raw, path)
    return _Found(path, text, tuple(warnings))


def _located(wanted: str) -> tuple[str, bytes] | None:
    path = paths.inside_path(wanted)
    if path.startswith(".") or "/." in path:
        raise InvalidPath(
            _("A hidden file is a program's, not a source. Nothing was changed."),
            next_step=_("Give a text file that is not hidden, or the text itself as content, with a title."),
        )
    raw = _read(path)  # first of all: a link on the way is refused, whether or not something lies behind it
    if raw is None:
        twin = files.actual(workplace.root(), path)
        path, raw = (twin, _read(twin)) if twin is not None else (path, None)
    return None if raw is None else (path, raw)


def _read(path: str) -> bytes | None:
    return files.read(workplace.root(), path, most=decoding.MOST_BYTES + 1)


def _change(source: _Source, scope: str) -> Change:
    """Describe the change; raise _IsThere where raw/ holds the same text."""
    if (same := _same(source.body)) is not None:
        raise _IsThere(*same)
    folder, taken = folders.with_room(workplace.root(), FOLDER)
    path = f"{folder}/{naming.file_name(f'{clock.today().isoformat()} {source.title}', taken)}"
    given = {
        "type": "source",
        "title": source.title,
        "scope": scope,
        "author": source.author,
        "sources": [source.source] if source.source and "://" in source.source else None,
        "private": source.private,
    }
    draft = drafts.outside(path, given, source.body, origin=f"ingest:{source.source or _UNKNOWN}")
    return Change("ingest", (FileEdit(path, None, draft.content),), (f"add source: {source.title}",))


def _same(body: str) -> tuple[str, bytes] | None:
    """Return the note in raw/ whose text is this one to the letter, None where there is none."""
    for row in notes.with_text(likeness.key(body), under=_RAW):
        raw = files.read(workplace.root(), row.path)
        if raw is not None and document.parse(raw).body.strip() == body.strip():
            return row.path, raw
    return None
