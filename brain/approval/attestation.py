"""Which texts of resident notes are the person's own word.

A rule or preference becomes an instruction only while its text is what the person last wrote or approved through
Cabeção, or attested; an edit behind their back takes it out until they attest again. Attestations stay on one machine.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from brain.approval.models import Attestation


def attest(note: str, content: bytes) -> None:
    """Record that a note's present bytes are the person's word; `note` is its id, or its path while it has none."""
    attest_digest(note, _digest(content))


def attest_digest(note: str, digest: str) -> None:
    """Record the same of a text by its digest (SHA-256, in hex)."""
    Attestation.objects.update_or_create(note=note, defaults={"digest": digest})


def attested(notes: Iterable[tuple[str, bytes]]) -> set[str]:
    """Return those of the notes whose bytes are what the person vouched for."""
    contents = dict(notes)
    if not contents:
        return set()
    rows = Attestation.objects.filter(note__in=list(contents)).values_list("note", "digest")
    return {note for note, digest in rows if digest == _digest(contents[note])}


def digests() -> dict[str, str]:
    """Return the digest (SHA-256, in hex) of each text that the person vouched for, by note."""
    return dict(Attestation.objects.values_list("note", "digest"))


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
