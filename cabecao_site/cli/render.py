"""How a person sees the output of each operation."""

from __future__ import annotations

import difflib
import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from pydantic import BaseModel

from brain.contracts import approvals, consolidating, graph, reads, sources, syncing, writes
from brain.contracts.explanation import Explanation
from brain.contracts.shared import NoteItem, Notice, Written
from brain.guard.spelling import visible
from brain.language import gettext as _
from brain.language import gettext_noop as N_
from brain.language import ngettext
from cabecao_site.cli import render_asking, render_keeping
from cabecao_site.cli.terminal import BOLD, DIM, Terminal

VALIDITY: Final[Mapping[str, str]] = {"expired": N_("expired"), "not_yet_valid": N_("not yet valid")}
HOW: Final[Mapping[str, str]] = {
    "typed": N_("as typed"),
    "phrase": N_("quoted text"),
    "form": N_("another form"),
    "part": N_("part of a name"),
    "beginning": N_("beginning"),
    "alike": N_("spelled almost so"),
}
FIELDS: Final[Mapping[str, str]] = {
    "title": N_("title"),
    "names": N_("other names"),
    "body": N_("text"),
    "pieces": N_("pairs of signs"),
    "stems": N_("stems"),
}
DECISIONS: Final[Mapping[str, tuple[str, str]]] = {  # decision -> severity, sentence
    "created": ("ok", N_("Saved")),
    "updated": ("ok", N_("Added to what was known")),
    "superseded": ("ok", N_("Saved in place of an older memory")),
    "skipped": ("ok", N_("Already known; nothing was written")),
    "proposed": ("ok", N_("Proposed; a person decides")),
    "declined": ("warning", N_("Declined; nothing was written")),
    "needs_resolution": ("warning", N_("It resembles what is known; nothing was written yet")),
    "needs_confirmation": ("warning", N_("It needs your yes; nothing was written yet")),
}


def show(name: str, output: BaseModel, terminal: Terminal) -> None:
    """Print an operation's output; one without a renderer of its own as its fields."""
    RENDERERS.get(name, _plain)(output, terminal)


def _plain(output: BaseModel, terminal: Terminal) -> None:
    for name, value in output.model_dump(mode="json").items():
        terminal.say(f"{name}: {value}")


def _recall(output: reads.RecallOutput, terminal: Terminal) -> None:
    terminal.note(output.data_notice)
    parts: Sequence[tuple[str, Sequence[NoteItem]]] = (
        (_("Rules"), output.rules),
        (_("Handoff"), [output.handoff] if output.handoff else []),
        (_("Preferences"), output.preferences),
        (_("Gotchas"), output.gotchas),
        (_("Memories"), output.memories),
    )
    for title, items in parts:
        if items:
            terminal.say(terminal.style(title, BOLD))
            _items(items, terminal)
    if not any(items for _title, items in parts):
        terminal.say(_("Nothing is known about this yet."))
    if output.omitted:
        left = ngettext("%(count)d more did not fit.", "%(count)d more did not fit.", output.omitted)
        terminal.note(left % {"count": output.omitted})
    _notices(output.warnings, terminal)
    terminal.note(_("Session: %(handle)s") % {"handle": output.session_handle})


def _items(items: Sequence[NoteItem], terminal: Terminal) -> None:
    for item in items:
        terminal.say(f"  {terminal.style(item.title, BOLD)}  {terminal.style(_about(item), DIM)}")
        terminal.say(_indented(item.content, terminal))
        terminal.say()


def _about(item: NoteItem) -> str:
    facts = [item.path, item.type, item.scope if item.scope != "global" else None, _standing(item)]
    return " · ".join(fact for fact in facts if fact)


def _standing(item: NoteItem) -> str | None:
    return _(VALIDITY[item.validity]) if item.validity in VALIDITY else None


def _indented(text: str, terminal: Terminal) -> str:
    lines = text.strip("\n").split("\n")
    return "\n".join(terminal.wrap(line, indent="    ") if line.strip() else "" for line in lines)


def _search(output: reads.SearchOutput, terminal: Terminal) -> None:
    _notices(output.warnings, terminal)
    for hit in output.hits:
        _items([hit], terminal)
        if hit.explanation:
            _explanation(hit.explanation, terminal)
    if output.contradictions:
        from cabecao_site.cli import render_asking

        render_asking.contradictions(output, terminal)
    if not output.hits:
        terminal.say(_("Nothing was found for “%(query)s”.") % {"query": output.query})
    for near in output.related:
        terminal.note(f"  ~ {near.title}  {near.path}")
    if output.truncated:
        terminal.note(_("There is more: narrow the search, or raise --limit or --budget-tokens."))
    if output.next_step:
        terminal.note(output.next_step)


def _explanation(why: Explanation, terminal: Terminal) -> None:
    places = _("place %(final)d; by words %(by_words)d, without the ring %(without_ring)d, if it held %(without_past)d")
    terminal.say(terminal.wrap(why.summary, indent="    "))
    terminal.say(f"    {places % why.places.model_dump()}")
    weights = (why.ring_weight, why.past_weight, why.follow_weight)
    factors = "".join(f" x {weight:.2f}" for weight in weights if weight != 1)
    terminal.say(f"    {why.score:.4f} = {why.share:.4f}{factors}")
    for match in why.matches:
        fields = ", ".join(_(FIELDS[name]) for name in match.fields)
        share = match.points / (why.words or 1)
        terminal.say(f"    {share:4.0%}  {match.term} -> {match.found} ({_(HOW[match.how])})  {fields}")
    for label, terms in ((_("not in it"), why.missing), (_("not looked for"), why.ignored)):
        if terms:
            terminal.say(f"    {label}: {', '.join(terms)}")
    terminal.say()


def _read(output: reads.ReadOutput, terminal: Terminal) -> None:
    note = output.note
    terminal.note(f"{terminal.style(note.title, BOLD, terminal.err)}  {_about(note)}")
    if output.frontmatter_error:
        terminal.note(f"{terminal.mark('warning', terminal.err)} {output.frontmatter_error}")
    terminal.say(note.content.rstrip("\n"))
    for link in output.outgoing_links:
        if link.broken:
            broken = _("Broken link: %(target)s") % {"target": link.target}
            terminal.note(f"{terminal.mark('warning', terminal.err)} {broken}")
    if output.backlinks:
        terminal.note(_("Linked from:"))
        for back in output.backlinks:
            terminal.note(f"  {back.title}  {back.path}" + (f":{back.line}" if back.line else ""))
    if output.truncated:
        terminal.note(_("The note is longer; read it by --section."))
    _notices(output.warnings, terminal)


def _graph(output: graph.GraphOutput, terminal: Terminal) -> None:
    _notices(output.warnings, terminal)
    terminal.note(f"{terminal.style(output.node.title, BOLD, terminal.err)}  {output.node.path}")
    for near in output.neighbors:
        indent = "  " * near.distance
        standing = _(VALIDITY[near.validity]) if near.validity in VALIDITY else None
        about = " · ".join(fact for fact in (near.path, near.type, standing) if fact)
        terminal.say(f"{indent}{terminal.style(near.title, BOLD)}  {terminal.style(about, DIM)}")
        for link in near.links:
            arrow = "->" if link.direction == "out" else "<-"
            kind = f"{link.type} ({link.predicate})" if link.predicate else link.type
            past = f", {_(VALIDITY[link.validity])}" if link.validity in VALIDITY else ""
            terminal.say(f"{indent}  {arrow} {kind}{past}")
    terminal.note(output.next_step)


def _facts(output: graph.FactsOutput, terminal: Terminal) -> None:
    _notices(output.warnings, terminal)
    for fact in output.facts:
        period = f"{fact.valid_from or '…'} – {fact.valid_until or fact.expires_at or '…'}"
        held = "" if (fact.valid_from or fact.valid_until or fact.expires_at) is None else f" · {period}"
        said = f"{fact.subject} · {fact.predicate} · {fact.object}"
        standing = _standing(fact)
        terminal.say(f"{terminal.style(said, BOLD)}{held}" + (f" · {standing}" if standing else ""))
        terminal.say(f"    {terminal.style(fact.path, DIM)}")
        for path in fact.superseded_by:
            terminal.say("    " + _("replaced by %(path)s") % {"path": path})
    terminal.note(output.next_step)


def _lint(output: graph.LintOutput, terminal: Terminal) -> None:
    _notices(output.warnings, terminal)
    for rule, total in output.by_rule.items():
        shown = [one for one in output.findings if one.rule == rule]
        if not shown:
            continue
        terminal.say(f"{terminal.mark(shown[0].severity)} {terminal.style(rule, BOLD)}  {total}")
        for one in shown:
            place = f"{one.path}:{one.line}" if one.line else one.path
            terminal.say(f"  {place}  {one.message}")
        terminal.say("    " + terminal.style(shown[0].fix, DIM))
    checked = ngettext("%(count)d note was looked at.", "%(count)d notes were looked at.", output.checked_notes)
    terminal.note(checked % {"count": output.checked_notes})
    terminal.note(output.next_step)


def _status(output: reads.StatusOutput, terminal: Terminal) -> None:
    severity = "ok" if output.healthy else "warning"
    told = _("All is well") if output.healthy else _("Something needs a look")
    terminal.say(f"{terminal.mark(severity)} {terminal.style(told, BOLD)}  {output.root}")
    for problem in output.problems:
        terminal.say(f"  {terminal.mark('warning')} {problem}")
    notes, index, sync = output.notes, output.index, output.sync
    rows = (
        (_("notes"), str(notes.total)),
        (_("by type"), ", ".join(f"{name} {count}" for name, count in sorted(notes.by_type.items())) or "-"),
        (_("without type"), str(notes.untyped)),
        (_("archived notes"), str(notes.archived)),
        (_("broken links"), str(output.broken_links)),
        (_("index"), _("%(pending)d files wait to be read") % {"pending": index.pending} if index.pending else "ok"),
        (_("branch"), sync.branch or "-"),
        (_("remote"), sync.remote or "-"),
        (_("uncommitted files"), str(sync.pending_changes)),
        (_("conflicts"), ", ".join(output.conflicts) or "-"),
    )
    for label, value in rows:
        terminal.say(f"  {label}: {value}")
    terminal.say(f"  {_(reads.ANSWERS[output.answers])}")
    terminal.note(output.next_step)


def _remember(output: writes.RememberOutput, terminal: Terminal) -> None:
    severity, sentence = DECISIONS[output.decision]
    place = f": {output.path}" if output.path else ""
    terminal.say(f"{terminal.mark(severity)} {_(sentence)}{place}")
    if output.reason:
        terminal.note(f"  {output.reason}")
    for candidate in output.candidates:
        terminal.say(f"  {candidate.title}  {candidate.path}  {candidate.id or ''}  {candidate.verdict}")
    _written_more(output, terminal)


def _write_page(output: Written, terminal: Terminal) -> None:
    told = _("Written: %(path)s") if output.changed else _("Nothing changed: %(path)s")
    terminal.say(f"{terminal.mark('ok')} {told % {'path': output.path}}")
    _written_more(output, terminal)


def _handoff_save(output: writes.HandoffSaveOutput, terminal: Terminal) -> None:
    terminal.say(f"{terminal.mark('ok')} " + _("Handed over: %(path)s") % {"path": output.handoff.path})
    if output.episode:
        terminal.say("    " + _("episode: %(path)s") % {"path": output.episode.path})
    if output.supersedes:
        terminal.say("    " + _("in place of %(path)s") % {"path": output.supersedes.path})
    _notices(output.warnings, terminal)
    terminal.note("  " + _("Undo: %(command)s") % {"command": f"cabecao undo {output.op}"})
    terminal.note(f"  {output.next_step}")


def _relate(output: writes.RelateOutput, terminal: Terminal) -> None:
    if output.relation:
        told = _("Related: %(from)s -> %(type)s -> %(to)s")
        known = _("Related before: %(from)s -> %(type)s -> %(to)s")
        said = (told if output.changed else known) % output.relation.model_dump()
        terminal.say(f"{terminal.mark('ok')} {said}")
    _written_more(output, terminal)


def _written_more(output: Written, terminal: Terminal) -> None:
    _notices(output.warnings, terminal)
    if output.op:
        terminal.note("  " + _("Undo: %(command)s") % {"command": f"cabecao undo {output.op}"})
    terminal.note(f"  {output.next_step}")


def _ingest(output: sources.IngestOutput, terminal: Terminal) -> None:
    if output.source and output.plan:
        told = _("Registered: %(path)s") if output.changed else _("In raw/ already: %(path)s")
        terminal.say(f"{terminal.mark('ok')} {told % {'path': output.source.path}}")
        for note in output.plan.update:
            terminal.say(f"  {note.title}  {terminal.style(note.path, DIM)}")
        for number, step in enumerate(output.plan.steps, 1):
            terminal.say(terminal.wrap(f"{number}. {step}", indent="  "))
    _notices(output.warnings, terminal)
    terminal.note(f"  {output.next_step}")


def _forget(output: writes.ForgetOutput, terminal: Terminal) -> None:
    terminal.say(f"{terminal.mark('ok')} " + _("Archived: %(path)s") % {"path": output.archived_path})
    _notices(output.warnings, terminal)
    terminal.note("  " + _("Have it back: %(command)s") % {"command": f"cabecao undo {output.op}"})


def _attest(output: approvals.AttestOutput, terminal: Terminal) -> None:
    for one in output.residents:
        mark = f"{terminal.mark('ok')} " if output.attested else ""
        facts = (one.path, one.type, one.scope if one.scope != "global" else "", one.origin)
        about = terminal.style(" · ".join(fact for fact in facts if fact), DIM)
        terminal.say(f"{mark}{terminal.style(one.title, BOLD)}  {about}")
        terminal.say(_indented(one.content, terminal))
        terminal.say()
    _notices(output.warnings, terminal)
    terminal.note(output.next_step)


def _propose(output: approvals.ProposeOutput, terminal: Terminal) -> None:
    if output.proposal_id:
        terminal.say(f"{terminal.mark('ok')} " + _("Proposed: %(id)s") % {"id": output.proposal_id})
        terminal.say(textwrap.indent(output.summary or "", "    "))
    terminal.note(f"  {output.next_step}")


def _review(output: approvals.ReviewOutput, terminal: Terminal) -> None:
    for one in output.waiting:
        facts = (one.id, one.operation, one.client, _("its target changed") if one.moved else "")
        terminal.say(terminal.style(one.title, BOLD) + "  " + terminal.style(" · ".join(filter(None, facts)), DIM))
        if one.claim:
            terminal.say("    " + _("It says: “%(claim)s”") % {"claim": one.claim})
        for reason in one.reasons:
            terminal.say(f"    {terminal.mark('warning')} {reason}")
        for change in one.changes:
            terminal.say(textwrap.indent(_difference(change), "    "))
    if output.decided:
        told = {"accepted": _("Accepted"), "rejected": _("Rejected"), "withdrawn": _("Withdrawn")}
        said = told.get(output.decided, _("Worked out again"))
        terminal.say(f"{terminal.mark('ok')} {said}" + (f": {output.path}" if output.path else ""))
    _notices(output.warnings, terminal)
    terminal.note(f"  {output.next_step}")


def _difference(change: approvals.FileChange) -> str:
    """Return a file's new text whole, or its difference, with what hides in it written out."""
    before, after = visible(change.before or ""), visible(change.after or "")
    if change.whole or change.before is None:
        return f"+++ {change.path}\n{after}"
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), change.path, change.path, lineterm="", n=2)
    return "\n".join(lines) or change.path


def _undo(output: writes.UndoOutput, terminal: Terminal) -> None:
    for one in output.undone:
        terminal.say(f"{terminal.mark('ok')} " + _("Undone: %(op)s") % {"op": one.op})
        for change in one.changes:
            terminal.say(f"    {change}")
    _notices(output.warnings, terminal)
    terminal.note("  " + _("Have it back: %(command)s") % {"command": f"cabecao undo {output.op}"})


def _consolidate(output: consolidating.ConsolidateOutput, terminal: Terminal) -> None:
    found = output.material
    terminal.say(f"{terminal.mark('ok')} " + _("Consolidation %(id)s") % {"id": output.consolidation_id})
    for change in output.changes:
        terminal.say(f"    {visible(change)}")
    if found is not None:
        for group in found.repeated_episodes:
            terminal.say("  " + _("Episodes that repeat: %(paths)s") % {"paths": visible(", ".join(group.paths))})
        for pair in found.duplicates:
            told = {"first": visible(pair.first), "second": visible(pair.second), "reason": pair.reason}
            terminal.say("  " + _("Alike: %(first)s and %(second)s (%(reason)s)") % told)
        terminal.say(
            "  "
            + _("Episodes: %(episodes)d, findings of lint: %(findings)d")
            % {"episodes": len(found.episodes), "findings": len(found.lint)}
        )
    _notices(output.warnings, terminal)
    terminal.note(f"  {output.next_step}")


def _sync(output: syncing.SyncOutput, terminal: Terminal) -> None:
    severity = {"ok": "ok", "offline": "warning", "busy": "warning"}.get(output.status, "error")
    terminal.say(f"{terminal.mark(severity)} {visible(output.message)}")
    for secret in output.secrets:
        terminal.say(f"    {visible(secret.file)}:{secret.line}:{secret.column} {secret.rule}")
    for one in output.conflicts:
        terminal.say(f"    {visible(one.path)}" + (f"  ↔  {visible(one.copy_path)}" if one.copy_path else ""))
    if output.remote_error:
        terminal.note("  " + _("The remote's words: %(said)s") % {"said": visible(output.remote_error)})
    if output.status != "ok" or output.conflicts:
        terminal.note(f"  {output.next_step}")


def _notices(notices: Sequence[Notice], terminal: Terminal) -> None:
    for notice in notices:
        terminal.note(f"{terminal.mark('warning', terminal.err)} {notice.message}")


RENDERERS: Final[Mapping[str, Callable[[Any, Terminal], None]]] = {
    "recall": _recall,
    "search": _search,
    "ask": render_asking.show,
    "read": _read,
    "graph": _graph,
    "facts": _facts,
    "lint": _lint,
    "status": _status,
    "remember": _remember,
    "handoff_save": _handoff_save,
    "write_page": _write_page,
    "patch_page": _write_page,
    "ingest": _ingest,
    "forget": _forget,
    "lint_fix": _write_page,
    "edit_page": _write_page,
    "restore_page": _write_page,
    "move_page": _write_page,
    "resolve_conflict": _write_page,
    "attest": _attest,
    "propose": _propose,
    "review": _review,
    "relate": _relate,
    "retention": render_keeping.retention,
    "undo": _undo,
    "sync": _sync,
    "consolidate": _consolidate,
}
