"""Two sides' changes made one, path by path, in memory: nothing in the working tree is touched.

No text is ever dropped. Where two sides changed the same text and it cannot be merged, the remote's stays in its place,
for other machines have it already, and this machine's goes beside it, as a copy that says so in its name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Literal

from brain.store.plumbing.objects import FILE_MODE
from brain.store.remote.histories import Changed, Leaf
from brain.store.repository import Repository

MergeText = Callable[[str, bytes, bytes, bytes], bytes | None]
NameCopy = Callable[[str], str]
Kind = Literal["both_edited", "kept_edit"]
_REGULAR: Final = "100"


@dataclass(frozen=True)
class Clash:
    """A path that both sides changed and that waits for a person: the copy beside it, or the edit that was kept."""

    path: str
    copy: str | None
    kind: Kind


@dataclass
class Merged:
    """What each path is to hold where that is not what this side has already, and what waits for a person."""

    leaves: dict[str, Leaf | None] = field(default_factory=dict)
    clashes: list[Clash] = field(default_factory=list)


class Merge:
    """One merge; `text(path, base, ours, theirs)` makes one text of three or None, `name_copy` names a copy."""

    def __init__(
        self, repository: Repository, commits: tuple[str, str, str], text: MergeText, name_copy: NameCopy
    ) -> None:
        self._repository = repository
        self._base, self._ours, self._theirs = commits
        self._text = text
        self._name_copy = name_copy
        self._merged = Merged()

    def of(self, ours: Changed, theirs: Changed) -> Merged:
        """Return the merge of what the two sides changed since they parted."""
        for path, leaf in theirs.leaves.items():
            if path not in ours.leaves:
                self._merged.leaves[path] = leaf
        for path in sorted(ours.leaves.keys() & theirs.leaves.keys()):
            mine, other = ours.leaves[path], theirs.leaves[path]
            if mine == other:
                continue
            if mine is None and other is not None:
                self._edited_there(path, other, ours.moved.get(path))
            elif other is None and mine is not None:
                self._edited_here(path, mine, theirs.moved.get(path))
            elif mine is not None and other is not None:
                self._edited_twice(path, mine, other)
        return self._merged

    def _edited_there(self, path: str, theirs: Leaf, moved_to: str | None) -> None:
        """Bring an edit of the remote to where this side has moved the note, or keep it where this side deleted it."""
        here = self._leaf(self._ours, moved_to) if moved_to else None
        if moved_to is not None and here is not None and self._leaf(self._theirs, moved_to) is None:
            self._settle(moved_to, self._leaf(self._base, path), here, theirs)
        else:
            self._merged.leaves[path] = theirs
            self._merged.clashes.append(Clash(path, None, "kept_edit"))

    def _edited_here(self, path: str, ours: Leaf, moved_to: str | None) -> None:
        """Bring this side's edit to where the remote has moved the note, or keep it where the remote deleted it."""
        there = self._leaf(self._theirs, moved_to) if moved_to else None
        if moved_to is not None and there is not None and self._leaf(self._ours, moved_to) is None:
            self._merged.leaves[path] = None
            self._settle(moved_to, self._leaf(self._base, path), ours, there)
        else:
            self._merged.clashes.append(Clash(path, None, "kept_edit"))

    def _edited_twice(self, path: str, ours: Leaf, theirs: Leaf) -> None:
        self._settle(path, self._leaf(self._base, path), ours, theirs)

    def _settle(self, path: str, base: Leaf | None, ours: Leaf, theirs: Leaf) -> None:
        """Put one text in the place of two where they can be merged, else both, side by side."""
        merged = self._merge_texts(path, base, ours, theirs)
        if merged is not None:
            self._merged.leaves[path] = Leaf(theirs.mode, self._repository.objects.write("blob", merged))
            return
        copy = self._name_copy(path)
        self._merged.leaves[path] = theirs
        self._merged.leaves[copy] = ours
        self._merged.clashes.append(Clash(path, copy, "both_edited"))

    def _merge_texts(self, path: str, base: Leaf | None, ours: Leaf, theirs: Leaf) -> bytes | None:
        if not all(one is None or one.mode.startswith(_REGULAR) for one in (base, ours, theirs)):
            return None
        if ours.oid == theirs.oid:  # the modes alone differ
            return self._read(theirs)
        before = self._read(base) if base is not None else b""
        return self._text(path, before, self._read(ours), self._read(theirs))

    def _read(self, leaf: Leaf) -> bytes:
        return self._repository.objects.blob(leaf.oid) or b""

    def _leaf(self, commit: str, path: str) -> Leaf | None:
        entry = self._repository.entry(commit, path)
        return Leaf(entry.mode or FILE_MODE, entry.oid) if entry else None
