"""graph: the neighbours of a note, one or two links away."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import date
from typing import Final

from brain import clock, config
from brain.caller import Caller
from brain.contracts.graph import GraphInput, GraphLink, GraphNote, GraphOutput, Neighbour
from brain.contracts.shared import DATA_NOTICE, Notice
from brain.errors import InvalidArgument, NotFound
from brain.index import names, notes, refresh
from brain.index.graph import edges, mentions
from brain.index.graph.edges import FACT, MENTION, WIKILINK, Edge
from brain.index.graph.mentions import Mention
from brain.index.names import Resolution
from brain.index.notes import NoteRow
from brain.language import gettext as _
from brain.language import ngettext
from brain.note import tokens
from brain.note.schema import RELATIONS
from brain.note.validity import Validity
from brain.services import views
from brain.services.reads import budget as budgets
from brain.services.reads import nearest_names

MOST_EXPANDED: Final = 200  # neighbours whose own neighbours are looked for at depth 2
MOST_READ: Final = 2  # of them, those whose text is read for names of other notes
MOST_MENTIONS: Final = 200
_MOST_LINKS: Final = 12  # between two notes
_ORDER: Final = {FACT: 1, WIKILINK: 2, MENTION: 3}  # typed relations come first


@dataclass
class _Walk:
    """What was reached so far: the links of each neighbour, and how far it is."""

    start: NoteRow
    kinds: Collection[str]
    on: date
    distance: dict[str, int] = field(default_factory=dict)
    links: dict[str, list[tuple[Edge, str]]] = field(default_factory=lambda: defaultdict(list))
    is_cut: bool = False

    def take(self, found: Iterable[Edge], *, away: int) -> None:
        """Keep the edges that lead from notes one step nearer to those at this distance."""
        for edge in found:
            if edge.type not in self.kinds:
                continue
            for near, far, direction in ((edge.source, edge.target, "out"), (edge.target, edge.source, "in")):
                if self.distance.get(near) == away - 1 and self.distance.setdefault(far, away) == away:
                    self.links[far].append((edge, direction))

    def closest(self) -> list[str]:
        """Return the neighbours: the nearest and most tightly bound first, ties by path."""
        bound = {path: min(_ORDER.get(edge.type, 0) for edge, _way in found) for path, found in self.links.items()}
        return sorted(bound, key=lambda path: (self.distance[path], bound[path], path))


def run(_caller: Caller, given: GraphInput) -> GraphOutput:
    """Return the neighbours inside limit and budget; NotFound for a note that does not exist, never the nearest one."""
    freshness = refresh.catch_up()
    kinds = _kinds(given.relation_types)
    resolution = names.resolve(given.node)
    row = notes.by_path(resolution.path) if resolution.path else None
    if row is None or resolution.by is None or row.archived:
        raise _missing(given.node, row)
    on = date.fromisoformat(given.as_of) if given.as_of else clock.today()
    walk = _walked(row, kinds, on, given.depth)
    closest = walk.closest()
    answer = GraphOutput(
        data_notice=_(DATA_NOTICE),
        node=GraphNote(**views.plate(row, on)),
        resolved_by=resolution.by,
        as_of=on.isoformat(),
        depth=given.depth,
        relation_types=list(kinds),
        neighbors=[],
        total=len(closest),
        truncated=False,
        omitted=len(closest),
        warnings=views.notices(freshness, _ambiguous(resolution, given.node), _cut(walk)),
        next_step=_next_step(len(closest), len(closest)),
    )
    shown = _within(answer, closest[: given.limit], walk, given.budget_tokens)
    return _cut_to(answer, shown, given.budget_tokens)


def _cut_to(answer: GraphOutput, shown: list[Neighbour], budget: int) -> GraphOutput:
    """Return the answer with as many neighbours as fit; InvalidArgument where it does not fit without any."""
    while True:
        omitted = answer.total - len(shown)
        step = _next_step(answer.total, omitted)
        more = {"neighbors": shown, "truncated": omitted > 0, "omitted": omitted, "next_step": step}
        whole = answer.model_copy(update=more)
        if not shown or budgets.size(whole) <= budget:
            budgets.require_inside(whole, budget)
            return whole
        shown = shown[:-1]


def _kinds(asked: list[str] | None) -> tuple[str, ...]:
    extra = config.here().config().relation_types
    known = tuple(dict.fromkeys((*RELATIONS, *extra, WIKILINK, FACT, MENTION)))
    unknown = next((one for one in asked or () if one not in known), None)
    if unknown is not None:
        raise InvalidArgument(
            _("There is no relation type “%(name)s”; there are: %(known)s.")
            % {"name": unknown[:80], "known": ", ".join(known)}
        )
    return tuple(dict.fromkeys(asked)) if asked else known


def _walked(start: NoteRow, kinds: Collection[str], on: date, depth: int) -> _Walk:
    walk = _Walk(start, kinds, on, distance={start.path: 0})
    found = _around(walk, [start.path])
    walk.take([*found, *_named_in(walk, start, found), *_naming(walk, start, found)], away=1)
    if depth == 2:
        nearest = walk.closest()
        walk.is_cut |= len(nearest) > MOST_EXPANDED
        found = _around(walk, nearest[:MOST_EXPANDED])
        read = edges.rows_of(nearest[:MOST_READ])
        named = [edge for path in nearest[:MOST_READ] if path in read for edge in _named_in(walk, read[path], found)]
        walk.take([*found, *named], away=2)
    return walk


def _around(walk: _Walk, paths: list[str]) -> list[Edge]:
    """Return the written edges, those of other kinds too where it must be told what is linked already."""
    return edges.around(paths, on=walk.on, kinds=None if MENTION in walk.kinds else walk.kinds)


def _named_in(walk: _Walk, row: NoteRow, found: Iterable[Edge]) -> list[Edge]:
    """Return the edges to the notes whose names stand in a note's text, where no link leads to them."""
    if MENTION not in walk.kinds:
        return []
    linked = {edge.target for edge in found if edge.stated_in == row.path}
    there = mentions.in_note(row, linked=linked)
    return [_mention(one, row.validity(walk.on)) for one in there]


def _naming(walk: _Walk, row: NoteRow, found: Iterable[Edge]) -> list[Edge]:
    """Return the edges from the notes whose text names a note, where no link of theirs leads to it."""
    if MENTION not in walk.kinds:
        return []
    linked = {edge.stated_in for edge in found if row.path in (edge.target, edge.source)}
    there, more = mentions.of_note(row, linked=linked, limit=MOST_MENTIONS)
    walk.is_cut |= more
    sources = edges.rows_of(one.source for one in there)
    return [_mention(one, sources[one.source].validity(walk.on)) for one in there if one.source in sources]


def _mention(one: Mention, validity: Validity) -> Edge:
    return Edge(one.source, one.target, MENTION, "body", one.source, validity, one.line)


def _within(answer: GraphOutput, paths: list[str], walk: _Walk, budget: int) -> list[Neighbour]:
    """Return neighbours until the next one would take the answer over its budget."""
    left = budget - tokens.count(answer.model_dump_json())
    rows = edges.rows_of(paths)
    shown: list[Neighbour] = []
    for path in paths:
        if path not in rows:
            continue
        found = [_link(edge, direction) for edge, direction in walk.links[path][:_MOST_LINKS]]
        one = Neighbour(**views.plate(rows[path], walk.on), distance=walk.distance[path], links=found)
        left -= tokens.count(one.model_dump_json()) + 1
        if left < 0:
            break
        shown.append(one)
    return shown


def _link(edge: Edge, direction: str) -> GraphLink:
    return GraphLink(
        from_=edge.source,
        to=edge.target,
        type=edge.type,
        origin=edge.origin,
        direction="out" if direction == "out" else "in",
        validity=edge.validity.value,
        stated_in=edge.stated_in,
        line=edge.line,
        predicate=edge.predicate and views.brief(edge.predicate),
    )


def _missing(node: str, row: NoteRow | None) -> NotFound:
    if row is not None and row.archived:
        return NotFound(
            _("“%(node)s” was archived; it is no longer part of the graph.") % {"node": node[:80]},
            next_step=_("Read it by its path, %(path)s, or undo the operation that archived it.") % {"path": row.path},
        )
    near = nearest_names.suggest(node)
    step = _("Did you mean one of these? %(names)s. Call again with the name you mean.") % {"names": ", ".join(near)}
    return NotFound(_("There is no note “%(node)s”.") % {"node": node[:80]}, next_step=step if near else None)


def _ambiguous(resolution: Resolution, node: str) -> Notice | None:
    if resolution.by in ("id", "path") or not resolution.ambiguous:
        return None
    message = _("Several notes are called “%(node)s”: %(paths)s. The first is meant.") % {
        "node": node[:80],
        "paths": ", ".join(resolution.candidates[:5]),
    }
    return Notice(code="ambiguous_name", message=message, field="node")


def _cut(walk: _Walk) -> Notice | None:
    if not walk.is_cut:
        return None
    return Notice(code="graph_cut", message=_("There are so many links here that not all of them were followed."))


def _next_step(total: int, omitted: int) -> str:
    if not total:
        return _("Nothing is linked to this note yet; search may find what speaks of the same.")
    if omitted:
        left = ngettext("%(count)d neighbour was left out", "%(count)d neighbours were left out", omitted)
        more = _("name the relation_types you need, or raise limit and budget_tokens")
        return f"{left % {'count': omitted}}: {more}."
    return _("Read a neighbour by its path, or call graph with it to go on from there.")
