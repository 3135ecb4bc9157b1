"""The note that the person means, and that it is still the one that they were shown."""

from __future__ import annotations

from brain.errors import Conflict, InvalidPath, NotFound
from brain.guard import control_files, paths
from brain.index import notes, refresh
from brain.language import gettext as _
from brain.services import shown, workplace
from brain.store import files


def located(wanted: str) -> str:
    """Return the path of a note by its path or id; NotFound where there is none."""
    refresh.catch_up()
    row = notes.by_id(wanted)
    path = row.path if row is not None else files.actual(workplace.root(), paths.inside_path(wanted))
    if path is None or not path.lower().endswith(".md"):
        raise NotFound(_("There is no note “%(id)s”. Nothing was changed.") % {"id": wanted[:200]})
    return path


def content(path: str, *, base: str | None) -> bytes:
    """Return a note's bytes; Conflict where they are not those of the digest `base`."""
    found = files.read(workplace.root(), path)
    if found is None:
        raise NotFound(_("There is no note “%(id)s”. Nothing was changed.") % {"id": path})
    if base is not None and shown.digest(found) != base:
        raise Conflict(
            _("%(path)s changed since you opened it. Nothing was changed.") % {"path": path},
            next_step=_("Look at both texts, take the newer one into account, then save again."),
            path=path,
            digest=shown.digest(found),
        )
    return found


def refuse_fixed(path: str) -> None:
    """Raise InvalidPath for what has its place: control files, what clients obey, raw/, the archive, copies."""
    if control_files.is_control(path) or control_files.is_agent_file(path):
        raise InvalidPath(
            _("%(path)s is a control file: its name is what it is for. Nothing was changed.") % {"path": path}
        )
    if paths.is_raw(path):
        raise InvalidPath(_("What lies in raw/ stays as it came: %(path)s. Nothing was changed.") % {"path": path})
    if paths.is_archived(path):
        raise InvalidPath(
            _("%(path)s is in the archive. Nothing was changed.") % {"path": path},
            next_step=_("A note goes there by archiving it, and comes back by undoing that in Activity."),
        )
    if paths.is_conflict_copy(path):
        raise InvalidPath(_("%(path)s is a conflict copy; it is resolved, not moved.") % {"path": path})
