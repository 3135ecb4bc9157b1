"""How the person's own operations end: in one commit, or in the word that there was nothing to write."""

from __future__ import annotations

from collections.abc import Callable

from brain.caller import Caller
from brain.contracts.shared import Notice, Written
from brain.language import ngettext
from brain.services import writing
from brain.services.drafts import Draft
from brain.services.writes.write_page import unchanged, written
from brain.services.writing import Change


class SaysItAlready(Exception):
    """Raised while a change is made up, where the note is like that already."""

    def __init__(self, path: str, draft: Draft) -> None:
        super().__init__(path)
        self.path = path
        self.draft = draft


def save(caller: Caller, build: Callable[[], Change], *, whole: bool) -> Written:
    """Commit a change whose first edit is the note's; `whole` where the person has seen all that it now holds."""
    try:
        done = writing.commit(caller, build)
    except SaysItAlready as same:
        return unchanged(same.path, same.draft)
    return written(caller, done.change.edits[0].path, done, is_new=False, whole=whole)


def followed(count: int) -> tuple[Notice, ...]:
    """Say how many notes had their links rewritten, where there were any."""
    if not count:
        return ()
    said = ngettext("The links in %(count)d note follow.", "The links in %(count)d notes follow.", count)
    return (Notice(code="links_followed", message=said % {"count": count}),)
