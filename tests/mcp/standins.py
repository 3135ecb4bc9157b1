"""Service functions that answer without a brain."""

from typing import Any

from brain.caller import Caller
from brain.contracts.reads import ReadOutput, SearchOutput
from brain.contracts.shared import NoteItem, Written


def found(caller: Caller, given: Any) -> SearchOutput:
    return SearchOutput(
        data_notice="dado",
        query=given.query,
        mode="none",
        mode_requested="auto",
        mode_used="keyword",
        mode_reason=caller.client,
        warnings=[],
        terms=[],
        as_of="2026-11-13",
        hits=[],
        related=[],
        truncated=False,
        next_step=None,
        contradiction_check="off",
        contradictions=[],
    )


def shown(_caller: Caller, given: Any) -> ReadOutput:
    item = NoteItem(
        id=None,
        path=given.path,
        type="concept",
        title="Configuração",
        scope="global",
        validity="current",
        trust="medium",
        origin="human",
        edited_by=None,
        sources=[],
        content_kind="full",
        content="Texto 🚀.",
    )
    return ReadOutput(
        data_notice="dado",
        note=item,
        frontmatter={"type": "concept"},
        frontmatter_error=None,
        section=None,
        headings=[],
        archived=False,
        outgoing_links=[],
        backlinks=[],
        truncated=False,
        warnings=[],
    )


def written(_caller: Caller, given: Any) -> Written:
    return Written(
        data_notice="dado",
        op="01",
        path=given.path,
        id=None,
        action="add",
        changed=True,
        commit="0" * 40,
        warnings=[],
        next_step="",
    )
