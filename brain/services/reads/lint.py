"""lint: what in the brain wants a look, by rules, without changing anything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from brain import clock, config
from brain.caller import Caller
from brain.contracts.graph import LintFinding, LintInput, LintOutput
from brain.contracts.shared import DATA_NOTICE
from brain.errors import BrainError
from brain.index import operations, refresh
from brain.index.graph import whole
from brain.language import gettext as _
from brain.language import ngettext
from brain.services import views, vouching, workplace
from brain.services.linting.rule import SEVERITIES, Finding, Rule
from brain.services.linting.snapshot import Approval, Snapshot
from brain.services.linting.table import RULES
from brain.services.reads import known_scopes
from brain.store import files, history, tree

Found = list[tuple[Rule, Finding]]


def run(_caller: Caller, given: LintInput) -> LintOutput:
    """Return what the rules find, from error to info; a scope that no note has is explained, not an error."""
    freshness = refresh.catch_up()
    seen = snapshot()
    found = _in_scope(seen, sorted(findings(seen, given.rules), key=_order), given.scope)
    shown = found[: given.limit]
    counts = Counter(rule.severity for rule, _finding in found)
    by_rule = Counter(rule.name for rule, _finding in found)
    checked = sum(1 for note in seen.present if given.scope in (None, note.scope))
    return LintOutput(
        data_notice=_(DATA_NOTICE),
        findings=[_finding(rule, one) for rule, one in shown],
        counts={severity: counts[severity] for severity in SEVERITIES},
        by_rule={rule.name: by_rule[rule.name] for rule in RULES if by_rule[rule.name]},
        checked_notes=checked,
        total=len(found),
        truncated=len(found) > len(shown),
        warnings=views.notices(freshness),
        next_step=_next_step(given, checked, len(found), len(found) - len(shown)),
    )


def snapshot() -> Snapshot:
    """Return the brain as the rules look at it."""
    settings = config.here().config()
    root = workplace.root()
    return Snapshot(
        whole=whole.load(),
        today=clock.today(),
        many_valued=settings.many_valued_predicates,
        relation_types=settings.relation_types,
        read=lambda path: files.read(root, path),
        read_approvals=lambda: list(_approvals()),
        read_vouched=vouching.vouched,
        read_survey=lambda: tree.survey(root),
    )


def _approvals() -> Iterator[Approval]:
    """Yield the operations that the person confirmed and that still hold; none where Git cannot be asked."""
    try:
        for one in history.approved(workplace.root()):
            known = operations.by_op(one.op or "")
            if known is None or known.undone_by is None:
                yield Approval(one.op or "", one.client or "?", one.at.astimezone().date().isoformat(), one.paths)
    except BrainError:
        return


def findings(seen: Snapshot, names: Iterable[str] | None) -> Iterator[tuple[Rule, Finding]]:
    """Yield what some rules find, or all of them."""
    wanted = None if names is None else set(names)
    for rule in RULES:
        if wanted is None or rule.name in wanted:
            yield from ((rule, finding) for finding in rule.find(seen))


def _order(one: tuple[Rule, Finding]) -> tuple[int, int, str, int, str]:
    rule, finding = one
    return SEVERITIES.index(rule.severity), RULES.index(rule), finding.path, finding.line or 0, finding.message


def _in_scope(seen: Snapshot, found: Found, scope: str | None) -> Found:
    """Return the findings in notes of a scope; a file that is no note is global."""
    if scope is None:
        return found
    known = seen.whole.by_path
    return [one for one in found if (known[one[1].path].scope if one[1].path in known else "global") == scope]


def _finding(rule: Rule, one: Finding) -> LintFinding:
    return LintFinding.model_validate(
        {
            "rule": rule.name,
            "severity": rule.severity,
            "path": one.path,
            "line": one.line,
            "message": one.message,
            "fix": one.fix,
            "related": list(one.related),
            "mendable": one.mend is not None,
        }
    )


def _next_step(given: LintInput, checked: int, total: int, left: int) -> str:
    if not checked and (unknown := known_scopes.missing(given.scope)) is not None:
        return unknown
    if not total:
        return _("Nothing to mend.")
    if left:
        said = ngettext("%(count)d more finding is not shown", "%(count)d more findings are not shown", left)
        return f"{said % {'count': left}}: {_('choose rules or a scope, or raise limit')}."
    return _("Begin with the errors; fix says what mends each one. Ask the user before you archive or change a rule.")
