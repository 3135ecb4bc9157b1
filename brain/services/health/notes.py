"""Notes and folders that Cabeção cannot read, or not as their person meant them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from brain.index import notes
from brain.language import gettext as _
from brain.language import ngettext
from brain.services import workplace
from brain.services.health.trouble import Trouble, named
from brain.store import tree


def unreadable_notes() -> Iterator[Trouble]:
    """Tell of notes whose frontmatter, text or fields cannot be taken as they stand; lint names the lines."""
    faults = [one for one in notes.faulty() if not one.is_unopened]
    broken = [one.path for one in faults if one.has_broken_frontmatter]
    odd = [one.path for one in faults if one.is_lossy and not one.has_broken_frontmatter]
    fields = [one.path for one in faults if not one.has_broken_frontmatter and not one.is_lossy]
    lint = _("`cabecao lint` names the line and what mends it.")
    if broken:
        text = ngettext(
            "The frontmatter of %(count)d note cannot be read: %(names)s.",
            "The frontmatter of %(count)d notes cannot be read: %(names)s.",
            len(broken),
        )
        yield _about("unreadable_frontmatter", text, broken, lint)
    if odd:
        text = ngettext(
            "%(count)d note is not UTF-8 text: %(names)s.", "%(count)d notes are not UTF-8 text: %(names)s.", len(odd)
        )
        yield _about("not_utf8", text, odd, _("Save each as UTF-8 in an editor."))
    if fields:
        text = ngettext(
            "%(count)d note has a field that is not valid: %(names)s.",
            "%(count)d notes have a field that is not valid: %(names)s.",
            len(fields),
        )
        yield _about("invalid_field", text, fields, lint)


def unreadable_files() -> Iterator[Trouble]:
    """Tell of folders that cannot be listed, notes that cannot be opened, and names that are no text."""
    found = tree.survey(workplace.root())
    unopened = sorted({*found.unopened, *(one.path for one in notes.faulty() if one.is_unopened)})
    rights = _("Check the permissions (`ls -l`, `chmod u+r`), or restore from Git; nothing is taken for deleted.")
    if found.unlisted:
        folders = [f"{folder or '.'}/" for folder in found.unlisted]
        text = ngettext(
            "%(count)d folder cannot be read, and what is in it is unknown: %(names)s.",
            "%(count)d folders cannot be read, and what is in them is unknown: %(names)s.",
            len(folders),
        )
        yield _about("unreadable_folder", text, folders, _("Check the permissions (`ls -ld`, `chmod u+rx`)."))
    if unopened:
        text = ngettext(
            "%(count)d note cannot be opened: %(names)s.", "%(count)d notes cannot be opened: %(names)s.", len(unopened)
        )
        yield _about("unreadable_file", text, unopened, rights)
    if found.unnameable:
        names = [tree.shown(name) for name in found.unnameable]
        text = ngettext(
            "%(count)d name is not UTF-8, so its notes are not shown: %(names)s.",
            "%(count)d names are not UTF-8, so their notes are not shown: %(names)s.",
            len(names),
        )
        yield _about("unreadable_name", text, names, _("Give each a name in UTF-8, in a terminal or a file manager."))


def _about(identity: str, text: str, paths: Sequence[str], next_step: str) -> Trouble:
    return Trouble(identity, text % {"count": len(paths), "names": named(paths)}, next_step)
