"""The pages that there are, as the rail, the tab bar and the shortcuts list them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from brain.language import gettext as _
from brain.language import gettext_noop as N_


@dataclass(frozen=True)
class Page:
    """A page of the navigation; `key` follows `g`, `under` are other addresses that belong to it.

    `counts` says that the number of requests that wait stands beside it.
    """

    label: str
    href: str
    icon: str
    key: str = ""
    under: tuple[str, ...] = ()
    in_tabs: bool = False
    counts: bool = False


@dataclass(frozen=True)
class Group:
    """Pages under one heading; the first group has none."""

    label: str
    pages: tuple[Page, ...]


GROUPS: Final = (
    Group(
        "",
        (
            Page(N_("Home"), "/", "house", key="h", in_tabs=True),
            Page(N_("Search"), "/search", "search", key="s", in_tabs=True),
            Page(N_("Approvals"), "/approvals", "inbox", key="a", in_tabs=True, counts=True),
            Page(N_("Activity"), "/activity", "activity", key="t", in_tabs=True),
        ),
    ),
    Group(
        N_("Memory"),
        (
            Page(N_("Notes"), "/notes", "file-text", key="n", under=("/n/", "/path/")),
            Page(N_("Ask"), "/ask", "message-circle-question-mark", key="q"),
            Page(N_("Facts"), "/facts", "calendar-clock", key="f"),
            Page(N_("Graph"), "/graph", "waypoints", key="r"),
        ),
    ),
    Group(
        N_("Care"),
        (
            Page(N_("Lint"), "/lint", "list-checks", key="l"),
            Page(N_("Sync"), "/sync", "refresh-cw", under=("/conflicts",)),
            Page(N_("Jobs"), "/jobs", "clock"),
            Page(N_("Settings"), "/settings", "settings"),
        ),
    ),
)


@dataclass(frozen=True)
class Link:
    """A page as one request sees it."""

    label: str
    href: str
    icon: str
    key: str
    is_current: bool
    in_tabs: bool
    counts: bool


@dataclass(frozen=True)
class Section:
    """A group as one request sees it."""

    label: str
    links: tuple[Link, ...]


def sections(path: str) -> tuple[Section, ...]:
    """Return the navigation in the language in force, the page of an address marked."""
    return tuple(
        Section(_(group.label) if group.label else "", tuple(_link(page, path) for page in group.pages))
        for group in GROUPS
    )


def _link(page: Page, path: str) -> Link:
    return Link(_(page.label), page.href, page.icon, page.key, _holds(page, path), page.in_tabs, page.counts)


def _holds(page: Page, path: str) -> bool:
    below = () if page.href == "/" else (f"{page.href}/",)
    return path == page.href or path.startswith((*below, *page.under))
