"""A change as text and back: what is kept of a proposal is exactly what would be written."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from brain.services.writing import Change, FileEdit

Packed = dict[str, Any]


def pack(change: Change) -> str:
    """Return a change as JSON; a text stays legible, other bytes are base64."""
    edits = [
        {
            "path": edit.path,
            "before": _packed(edit.before),
            "after": _packed(edit.after),
            "restores": edit.restores,
            "moved_from": _packed(edit.moved_from),
        }
        for edit in change.edits
    ]
    whole = {
        "operation": change.operation,
        "edits": edits,
        "lines": list(change.lines),
        "undoes": list(change.undoes),
        "undoes_person": change.undoes_person,
        "partial_id": change.partial_id,
        "summary": change.summary,
    }
    return json.dumps(whole, ensure_ascii=False, sort_keys=True)


def unpack(text: str) -> Change:
    """Return the change that was kept."""
    from brain.services.writing import Change

    whole: Packed = json.loads(text)
    return Change(
        operation=whole["operation"],
        edits=tuple(_edit(one) for one in whole["edits"]),
        lines=tuple(whole["lines"]),
        undoes=tuple(whole["undoes"]),
        undoes_person=whole["undoes_person"],
        partial_id=whole["partial_id"],
        summary=whole["summary"],
    )


def digest(*texts: str) -> str:
    """Return the digest by which the audit log knows what was proposed."""
    return hashlib.sha256(json.dumps(texts).encode()).hexdigest()


def _edit(one: Packed) -> FileEdit:
    from brain.services.writing import FileEdit

    return FileEdit(
        one["path"],
        _unpacked(one["before"]),
        _unpacked(one["after"]),
        restores=one["restores"],
        moved_from=_unpacked(one["moved_from"]),
    )


def _packed(content: bytes | None) -> str | dict[str, str] | None:
    if content is None:
        return None
    try:
        return content.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(content).decode()}


def _unpacked(content: str | dict[str, str] | None) -> bytes | None:
    if content is None or isinstance(content, str):
        return content.encode() if content is not None else None
    return base64.b64decode(content["base64"])
