"""What a name means: the same rule for links, tools and pages.

Of several notes with one name: the exact path, then the folder of the note that links, then the shortest path, then
the alphabet. Outside material in raw/ comes after, so that no source takes over the name of a note; archived notes come
last. A name that no note has means nothing, never the nearest note.
"""

# ruff: noqa: S608  (only names of this code's own go into the SQL; values are bound)
from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from brain.index import database
from brain.note import links

By = Literal["id", "path", "link", "title", "alias"]
_BY_OF_KIND: Final[dict[str, By]] = {
    "id": "id", "path": "path", "end": "path", "stem": "title", "title": "title", "alias": "alias",
}  # fmt: skip
RAW: Final = "raw/"
_KINDS: Final = ("id", "path", "end", "stem", "title", "alias")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A note that a name may mean."""

    path: str
    kind: str
    archived: bool
    title: str
    type: str | None


@dataclass(frozen=True)
class Resolution:
    """The note that a name means, how it was found, and all the notes that bear the name, the meant one first."""

    path: str | None
    by: By | None
    candidates: tuple[str, ...] = ()

    @property
    def ambiguous(self) -> bool:
        """Tell whether more than one note bears the name."""
        return len(self.candidates) > 1


NOTHING: Final = Resolution(None, None)


def resolve(text: str, *, near: str | None = None) -> Resolution:
    """Return the note that a title, path, [[wikilink]], id or alias means, seen from the note `near`."""
    inner = text.strip()
    bracketed = inner.startswith("[[") and inner.endswith("]]")
    if bracketed:
        found = links.parts(inner[2:-2])
        inner = found.target if found else ""
        if found and not inner:
            return Resolution(near, "link", (near,)) if near else NOTHING
    ordered = ranked(_bearers(links.target_key(inner)), target=inner, near=near)
    if not ordered:
        return NOTHING
    paths = tuple(dict.fromkeys(one.path for one in ordered))
    return Resolution(paths[0], "link" if bracketed else _BY_OF_KIND[ordered[0].kind], paths)


def best(candidates: Iterable[Candidate], *, target: str, near: str | None) -> Candidate | None:
    """Return the one of the notes with one name that is meant, None where there is none."""
    return next(iter(ranked(candidates, target=target, near=near)), None)


def ranked(candidates: Iterable[Candidate], *, target: str, near: str | None) -> list[Candidate]:
    """Return the notes with one name in the order in which they are meant."""
    found = list(candidates)
    if len(found) < 2:
        return found
    folder = _folder(near) if near is not None else None

    def order(one: Candidate) -> tuple[Any, ...]:
        exact = one.path in (target, f"{target}.md")
        return (
            one.archived,
            one.kind != "id",
            not exact,
            one.path.startswith(RAW),
            one.kind != "path",
            _folder(one.path) != folder,
            len(one.path),
            one.path,
            _KINDS.index(one.kind),
        )

    return sorted(found, key=order)


def bearers(keys: Sequence[str]) -> dict[str, list[Candidate]]:
    """Return for each key the notes that bear it."""
    found: dict[str, list[Candidate]] = {}
    for first in range(0, len(keys), 500):
        some = list(keys[first : first + 500])
        for key, *candidate in database.query(
            "SELECT m.key, n.path, m.kind, n.archived, n.title, n.type FROM name m JOIN note n ON n.note = m.note "
            f"WHERE m.key IN ({', '.join(['%s'] * len(some))})",
            some,
        ):
            found.setdefault(key, []).append(Candidate(*candidate))
    return found


def _bearers(key: str) -> list[Candidate]:
    return bearers([key]).get(key, []) if key else []


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def link(path: str, *, near: str | None = None) -> str | None:
    """Return the shortest wikilink that means a note, seen from the note `near`; None where it can have none."""
    stem = path.rpartition("/")[2].removesuffix(".md")
    found = database.query("SELECT id FROM note WHERE path = %s", (path,))
    for name in (stem, path.removesuffix(".md"), found[0][0] if found else None):
        if not name or links.parts(name) != (name, None, None, None) or "[" in name or "]" in name:
            continue
        meant = resolve(f"[[{name}]]", near=near)
        if meant.path == path and (name != stem or not meant.ambiguous):
            return f"[[{name}]]"
    return None
