"""What lint found, by rule: where it is, and what would mend it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from brain.contracts.graph import LintFinding, LintOutput
from brain.index import listing
from brain.index.listing import Nameplate
from brain.language import gettext as _
from brain.language import gettext_noop as N_
from brain.language import ngettext
from brain.services.health.checkup import Finding
from brain.services.linting.table import RULES
from brain.web.badges import Badge
from brain.web.viewmodels import addresses
from brain.web.viewmodels.listing import Choice

PATH: Final = "/lint"
MOST: Final = 1000
_MOST_OF_ONE: Final = 15  # findings of each rule while all rules are shown
_TITLES: Final[Mapping[str, str]] = {
    "invalid_frontmatter": N_("Fields that cannot be read"),
    "unreadable_file": N_("Files and folders that cannot be read"),
    "fact_contradiction": N_("Facts that contradict each other"),
    "conflict_copy": N_("Copies left by sync"),
    "broken_link": N_("Broken links"),
    "case_twin": N_("Paths that differ in case alone"),
    "duplicate_id": N_("One id on two notes"),
    "expired_note": N_("Expired, with nothing in their place"),
    "unconfirmed_memory": N_("Unconfirmed for half a year"),
    "unlinked_mention": N_("Names without a link"),
    "orphan_note": N_("Notes without any link"),
    "agent_approved": N_("Approved through an agent"),
    "retention_due": N_("Kept longer than they should be"),
    "ambiguous_link": N_("Links that could mean several notes"),
    "unattested_resident": N_("Rules and preferences held back"),
    "pii_found": N_("Personal data"),
}
_SEVERITIES: Final[Mapping[str, tuple[str, str, str]]] = {
    "error": (N_("Error"), "circle-x", "bad"),
    "warning": (N_("Warning"), "triangle-alert", "warn"),
    "info": (N_("Hint"), "info", "chip"),
}
# What the doctor says of a matter -> label, icon, tint; in the order of the page.
_SIGNS: Final[Mapping[str, tuple[str, str, str]]] = {
    "error": _SEVERITIES["error"],
    "warning": _SEVERITIES["warning"],
    "ok": (N_("Well"), "circle-check", "ok"),
}


@dataclass(frozen=True)
class Place:
    """A file as a finding names it; without an address where it is no note that has a page."""

    title: str
    href: str
    path: str
    line: int | None = None


@dataclass(frozen=True)
class FindingItem:
    """One thing to look at."""

    place: Place
    message: str
    fix: str
    related: tuple[Place, ...]
    can_mend: bool


@dataclass(frozen=True)
class RuleGroup:
    """The findings of a rule, the first of them shown; `all` leads to the rest."""

    rule: str
    title: str
    severity: Badge
    count: int
    items: tuple[FindingItem, ...]
    all: str


@dataclass(frozen=True)
class LintPage:
    """Everything that was found, and what it can be narrowed to."""

    groups: tuple[RuleGroup, ...]
    rules: tuple[Choice, ...]
    summary: str
    checked: str
    warnings: tuple[str, ...]
    rule: str

    @property
    def is_narrowed(self) -> bool:
        """Tell whether the findings of one rule alone are shown."""
        return bool(self.rule)


@dataclass(frozen=True)
class Checked:
    """One matter that the doctor looked at; `command` mends it."""

    name: str
    message: str
    command: str
    sign: Badge


def tabs(*, doctor: bool = False) -> tuple[Choice, ...]:
    """Return the two halves of the page: the notes' findings, and the doctor's."""
    return (
        Choice(_("Findings"), PATH, not doctor),
        Choice(_("Doctor"), f"{PATH}/doctor", doctor),
    )


def checked(found: Iterable[Finding]) -> tuple[Checked, ...]:
    """Return what the doctor found, errors first, what is well last."""
    ranks = list(_SIGNS)
    ordered = sorted(found, key=lambda one: ranks.index(one.severity))
    return tuple(_checked(one) for one in ordered)


def _checked(one: Finding) -> Checked:
    label, icon, tint = _SIGNS[one.severity]
    return Checked(one.id, one.message, one.command, Badge(_(label), icon, tint))


def known(rule: str) -> str:
    """Return the name of a rule, empty for what is none."""
    return rule if rule in _TITLES else ""


def page(found: LintOutput, *, rule: str, of_rule: LintOutput) -> LintPage:
    """Return the page of all findings, or of those of one rule; `found` counts them all."""
    shown = [one for one in of_rule.findings if rule in ("", one.rule)]
    plates = listing.nameplates(path for one in shown for path in (one.path, *one.related))
    most = MOST if rule else _MOST_OF_ONE
    by_rule = groupby(shown, key=lambda one: one.rule)
    return LintPage(
        groups=tuple(_group(name, list(some), found.by_rule[name], plates, most) for name, some in by_rule),
        rules=_rules(found.by_rule, rule),
        summary=_summary(found.counts),
        checked=ngettext(
            "%(count)d note looked at just now.", "%(count)d notes looked at just now.", found.checked_notes
        )
        % {"count": found.checked_notes},
        warnings=tuple(one.message for one in found.warnings),
        rule=rule,
    )


def _group(rule: str, found: list[LintFinding], count: int, plates: Mapping[str, Nameplate], most: int) -> RuleGroup:
    label, icon, tint = _SEVERITIES[found[0].severity]
    items = tuple(_item(one, plates) for one in found[:most])
    return RuleGroup(
        rule=rule,
        title=_(_TITLES[rule]),
        severity=Badge(_(label), icon, tint),
        count=count,
        items=items,
        all=address(rule) if count > len(items) and most < MOST else "",
    )


def _item(one: LintFinding, plates: Mapping[str, Nameplate]) -> FindingItem:
    related = tuple(_place(path, plates.get(path)) for path in one.related)
    return FindingItem(_place(one.path, plates.get(one.path), one.line), one.message, one.fix, related, one.mendable)


def _place(path: str, plate: Nameplate | None, line: int | None = None) -> Place:
    if plate is None:
        return Place(path, "", path, line)
    href = addresses.of_note(plate.id, path)
    return Place(plate.title, addresses.with_query(href, {"line": str(line) if line else None}), path, line)


def _rules(counts: Mapping[str, int], chosen: str) -> tuple[Choice, ...]:
    every = Choice(_("All"), PATH, not chosen, sum(counts.values()))
    there = (rule.name for rule in RULES if counts.get(rule.name) or rule.name == chosen)
    return (every, *(Choice(_(_TITLES[name]), address(name), name == chosen, counts.get(name, 0)) for name in there))


def address(rule: str) -> str:
    """Return the address of the findings, of those of one rule where it is named."""
    return addresses.with_query(PATH, {"rule": rule})


def _summary(counts: Mapping[str, int]) -> str:
    said: Iterable[str] = (
        ngettext("%(count)d error", "%(count)d errors", counts["error"]) % {"count": counts["error"]},
        ngettext("%(count)d warning", "%(count)d warnings", counts["warning"]) % {"count": counts["warning"]},
        ngettext("%(count)d hint", "%(count)d hints", counts["info"]) % {"count": counts["info"]},
    )
    return " · ".join(said)
