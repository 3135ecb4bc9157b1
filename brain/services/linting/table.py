"""Every rule, in the order in which findings of one severity are listed."""

from __future__ import annotations

from typing import Final

from brain.services.linting import ageing, facts, files, frontmatter, linking, privacy, trust
from brain.services.linting.rule import Rule

RULES: Final[tuple[Rule, ...]] = (
    Rule("invalid_frontmatter", "error", frontmatter.invalid_frontmatter),
    Rule("unreadable_file", "error", files.unreadable_file),
    Rule("fact_contradiction", "warning", facts.fact_contradiction),
    Rule("conflict_copy", "warning", files.conflict_copy),
    Rule("broken_link", "warning", linking.broken_link),
    Rule("case_twin", "warning", files.case_twin),
    Rule("duplicate_id", "warning", files.duplicate_id),
    Rule("expired_note", "info", ageing.expired_note),
    Rule("unconfirmed_memory", "info", ageing.unconfirmed_memory),
    Rule("unlinked_mention", "info", linking.unlinked_mention),
    Rule("orphan_note", "info", linking.orphan_note),
    Rule("agent_approved", "info", trust.agent_approved),
    Rule("retention_due", "info", ageing.retention_due),
    Rule("ambiguous_link", "info", linking.ambiguous_link),
    Rule("unattested_resident", "info", trust.unattested_resident),
    Rule("pii_found", "info", privacy.pii_found),
)
