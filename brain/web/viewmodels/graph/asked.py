"""What the page of the graph is asked for, and what it can be narrowed to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from brain import config
from brain.language import gettext as _
from brain.language import gettext_noop as N_
from brain.note.schema import RELATIONS, TYPES
from brain.web import badges
from brain.web.viewmodels import addresses
from brain.web.viewmodels.note import relations

PATH: Final = "/graph"
DATA: Final = "/graph/data"
_LINKS: Final = {"wikilink": N_("links in the text"), "fact": N_("facts"), "mention": N_("names without a link")}


@dataclass(frozen=True)
class Option:
    """A choice of a list."""

    value: str
    label: str


@dataclass(frozen=True)
class Asked:
    """A graph as the address says it; without a note it is the one around the most linked note."""

    node: str = ""
    depth: int = 1
    type: str = ""
    relation: str = ""
    as_of: str = ""
    is_whole: bool = False
    page: int = 1

    @property
    def href(self) -> str:
        """Return the address of this graph."""
        return addresses.with_query(PATH, self._query())

    @property
    def data(self) -> str:
        """Return the address of its drawing."""
        return addresses.with_query(DATA, {**self._query(), "page": None})

    @property
    def whole(self) -> str:
        """Return the address of the whole brain's graph with the same filters."""
        return replace(self, is_whole=True, page=1).href

    @property
    def near(self) -> str:
        """Return the address of a note's graph with the same filters."""
        return replace(self, is_whole=False, page=1).href

    def around(self, node: str) -> str:
        """Return the address of the graph around another note."""
        return replace(self, node=node, is_whole=False, page=1).href

    def _query(self) -> dict[str, str | None]:
        return {
            "node": self.node,
            "depth": str(self.depth) if self.depth != 1 else None,
            "type": self.type,
            "relation": self.relation,
            "as_of": self.as_of,
            "whole": "1" if self.is_whole else None,
            "page": str(self.page) if self.page > 1 else None,
        }


def read(query: Mapping[str, str]) -> Asked:
    """Read the address; what is not understood counts as not said."""
    kind, relation, number = query.get("type", ""), query.get("relation", ""), query.get("page", "")
    return Asked(
        node=query.get("node", "").strip(),
        depth=2 if query.get("depth") == "2" else 1,
        type=kind if kind in TYPES else "",
        relation=relation if relation in set(_kinds()) else "",
        as_of=query.get("as_of", "").strip(),
        is_whole=query.get("whole") == "1",
        page=int(number) if number.isascii() and number.isdigit() and 0 < len(number) < 5 and int(number) else 1,
    )


def types() -> tuple[Option, ...]:
    """Return the types of notes to choose from."""
    return (Option("", _("All")), *(Option(name, badges.of_type(name).text) for name in TYPES))


def kinds() -> tuple[Option, ...]:
    """Return the kinds of links to choose from."""
    named = (Option(name, _(_LINKS[name]) if name in _LINKS else relations.label(name)) for name in _kinds())
    return (Option("", _("All")), *named)


def _kinds() -> Iterable[str]:
    extra = config.here().config().relation_types
    return dict.fromkeys((*RELATIONS, *extra, *_LINKS))
