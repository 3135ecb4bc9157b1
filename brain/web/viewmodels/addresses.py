"""The addresses of notes and of what belongs to them."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote, urlencode

_KEPT = "/ ,()'!@"


def of_note(identity: str | None, path: str) -> str:
    """Return the page of a note: by its id, or by its path while it has none."""
    return f"/n/{quote(identity, safe='')}" if identity else f"/path/{quote(path, safe=_KEPT).replace(' ', '%20')}"


def of_history(identity: str | None, path: str) -> str:
    """Return the page of a note's versions."""
    return of_note(identity, path) + "/history"


def of_edit(identity: str | None, path: str) -> str:
    """Return the page where a note is edited."""
    return of_note(identity, path) + "/edit"


def of_graph(path: str) -> str:
    """Return the page of the graph around a note."""
    return "/graph?" + urlencode({"node": path})


def of_conflict(path: str) -> str:
    """Return the page on which a conflict copy is settled."""
    return f"/conflicts/{quote(path, safe=_KEPT).replace(' ', '%20')}"


def of_missing(title: str) -> str:
    """Return the page of a note that is linked to and does not exist."""
    return "/missing?" + urlencode({"title": title})


def with_query(path: str, given: Mapping[str, str | None]) -> str:
    """Return an address with those of the parameters that have a value."""
    kept = {name: value for name, value in given.items() if value}
    return f"{path}?{urlencode(kept)}" if kept else path
