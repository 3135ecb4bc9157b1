"""The brain's policy on what providers of answers get: `llm_policy` of .cabecao.json, changed by the person alone."""

from __future__ import annotations

import json
from typing import Any

from brain import config
from brain.caller import Caller
from brain.errors import Conflict
from brain.guard.llm_policy import LlmPolicy
from brain.language import gettext as _
from brain.services import workplace, writing
from brain.services.writing import Change, Done, FileEdit
from brain.store import files

FIELD = "llm_policy"


def change(caller: Caller, wanted: LlmPolicy, *, shown: Any) -> Done:
    """Write a policy in one commit, none where it restricts nothing; Conflict where it is not as it was `shown`."""
    return writing.commit(caller, lambda: _change(wanted, shown))


def _change(wanted: LlmPolicy, shown: Any) -> Change:
    before = files.read(workplace.root(), config.FILE)
    value = _settings(before)
    if value.get(FIELD) != shown:
        raise Conflict(_("The policy was changed meanwhile. Nothing was changed."), next_step=_("Look at it again."))
    value.pop(FIELD, None)
    if restricts := wanted.as_json():
        value[FIELD] = restricts
    after = (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()
    return Change("llm", (FileEdit(config.FILE, before, after),), (f"update {FIELD}",))


def _settings(content: bytes | None) -> dict[str, Any]:
    text = (content or b"").decode("utf-8-sig", errors="replace")
    config.parse(text)
    return dict(json.loads(text))
