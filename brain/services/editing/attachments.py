"""The pictures and other files that a note shows: from another folder they are to be the same ones."""

from __future__ import annotations

import posixpath
from typing import Final

from brain.errors import BrainError
from brain.note import links, structure
from brain.services import workplace
from brain.store import files

_OUTSIDE: Final = ("/", "../")


def moved(body: str, before: str, after: str) -> str:
    """Return the text of a note that lay at `before` and lies at `after`, its relative addresses of files so as to fit.

    An address at which there is no file stays as it is.
    """
    old, new = posixpath.dirname(before), posixpath.dirname(after)
    if old == new or ("](" not in body and "]:" not in body):
        return body
    for link in reversed(links.find_files(body, structure.scan(body).code)):
        wanted = posixpath.normpath(posixpath.join(old, link.target))
        if not _is_there(wanted):
            continue
        start = link.start + link.embed
        address = posixpath.relpath(wanted, new or ".")
        body = body[:start] + links.with_destination(body[start : link.end], address, link.heading) + body[link.end :]
    return body


def _is_there(path: str) -> bool:
    if path == ".." or path.startswith(_OUTSIDE):
        return False
    try:
        return files.exists(workplace.root(), path)
    except BrainError:
        return False
