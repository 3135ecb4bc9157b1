"""What the rules look at: the index as a whole, and what only the files, Git and this machine's records can tell."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cached_property

from brain.guard import paths
from brain.index.graph.whole import Whole, WholeLink, WholeNote
from brain.services.linting import mending
from brain.store.tree import Survey


@dataclass(frozen=True, slots=True)
class Approval:
    """An operation of an agent that the person confirmed."""

    op: str
    client: str
    at: str
    paths: tuple[str, ...]


@dataclass(frozen=True)
class Snapshot:
    """The brain at one moment; what costs is read when a rule first asks for it."""

    whole: Whole
    today: date
    many_valued: frozenset[str]
    relation_types: tuple[str, ...]
    read: Callable[[str], bytes | None]
    read_approvals: Callable[[], list[Approval]]
    read_vouched: Callable[[], Mapping[str, str]]
    read_survey: Callable[[], Survey]

    @cached_property
    def all_notes(self) -> list[WholeNote]:
        """Every note, by path."""
        return sorted(self.whole.notes.values(), key=lambda one: one.path)

    @cached_property
    def present(self) -> list[WholeNote]:
        """The notes that are not archived, by path."""
        return [one for one in self.all_notes if not one.archived]

    @cached_property
    def copies(self) -> frozenset[str]:
        """The paths of conflict copies, which wait to be merged and tell of nothing else."""
        return frozenset(
            one.path for one in self.all_notes if ".conflict-" in one.path and paths.is_conflict_copy(one.path)
        )

    @cached_property
    def notes(self) -> list[WholeNote]:
        """The notes that most rules are about: neither archived nor a conflict copy."""
        return [one for one in self.present if one.path not in self.copies]

    @cached_property
    def squeezed_names(self) -> dict[str, set[str]]:
        """The paths of the notes by their names without what stands between the words."""
        found: dict[str, set[str]] = {}
        for key, bearers in self.whole.bearers.items():
            some = {one.path for one in bearers if not one.archived and one.path not in self.copies}
            if some:
                found.setdefault(mending.squeezed(key), set()).update(some)
        return found

    @cached_property
    def written_links(self) -> list[WholeLink]:
        """The links of the notes outside raw/, those of archived notes left out."""
        return [one for one in self.whole.links if not one.source.archived and not paths.is_raw(one.source.path)]

    @cached_property
    def neighbours(self) -> frozenset[tuple[str, str]]:
        """Each pair of paths of which the first links to the second, outside archived notes."""
        return frozenset(
            (one.source.path, one.met.path)
            for one in self.whole.links
            if one.met is not None and not one.source.archived and one.met.path != one.source.path
        )

    @cached_property
    def approvals(self) -> list[Approval]:
        """What agents did with the person's yes, newest first; undone operations left out."""
        return self.read_approvals()

    @cached_property
    def survey(self) -> Survey:
        """What of the tree cannot be listed, opened or named."""
        return self.read_survey()

    @cached_property
    def vouched(self) -> Mapping[str, str]:
        """The digests of the texts that the person vouched for, by id or path."""
        return self.read_vouched()
