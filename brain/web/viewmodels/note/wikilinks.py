"""Where the links of a note's text lead; all its targets are looked up at once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from brain.index import listing, names
from brain.index.listing import Nameplate
from brain.language import gettext as _
from brain.note import links
from brain.note.links import Link
from brain.note.markdown import LinkView, Resolve
from brain.web.viewmodels import addresses


def resolver(path: str, found: Sequence[Link]) -> Resolve:
    """Return what tells the renderer where each of these links of the note at `path` leads; it looks when asked."""

    @cache
    def meant() -> dict[str, Nameplate]:
        targets = {links.target_key(links.written_path(one, within=path)) for one in found if one.target}
        return meaning(targets, near=path)

    def resolve(link: Link) -> LinkView:
        fragment = f"#{links.anchor(link.heading)}" if link.heading else ""
        if not link.target:
            return LinkView(fragment or "#content", "", missing=False)
        met = meant().get(links.target_key(links.written_path(link, within=path)))
        if met is None:
            return LinkView(addresses.of_missing(link.target), _("does not exist yet"), missing=True)
        return LinkView(addresses.of_note(met.id, met.path) + fragment, met.title, missing=False)

    return resolve


def meaning(keys: set[str], *, near: str) -> dict[str, Nameplate]:
    """Return the note that each key means, seen from the note `near`; keys that mean nothing are left out."""
    bearers = names.bearers(sorted(key for key in keys if key))
    best = {key: names.best(found, target=key, near=near) for key, found in bearers.items()}
    plates = listing.nameplates(one.path for one in best.values() if one)
    return {key: plates[one.path] for key, one in best.items() if one and one.path in plates}
