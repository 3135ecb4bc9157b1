"""Asking the person through their client, where it can: in the way of either era of the protocol.

Up to 2025-11-25 the server sends a request while the call waits; from 2026-07-28 on it answers that input is required,
and the client calls again with what the person said and with a state that ties the answer to what they were shown.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final, Literal

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types.version import is_version_at_least
from pydantic import ValidationError

from brain.errors import ConfirmationRequired

Context = ServerRequestContext[Any, Any]
Said = Literal["accept", "decline", "cancel"]

SECONDS: Final = 300.0
PAUSE: Final = 0.5  # between two looks at whether the person decided on the Approvals page
KEY: Final = "confirm"
_ASKS_BY_ANSWER: Final = "2026-07-28"
# Yes or no is all that is asked; the client's own buttons say it.
_NO_FIELDS: Final[types.ElicitRequestedSchema] = {"type": "object", "properties": {}}


def is_offered(ctx: Context) -> bool:
    """Tell whether the client can show the person a question; one that can only open addresses cannot."""
    declared = ctx.session.client_capabilities
    elicitation = declared.elicitation if declared is not None else None
    return elicitation is not None and (elicitation.form is not None or elicitation.url is None)


def by_answer(ctx: Context) -> bool:
    """Tell whether the question goes out as an answer, to be called again."""
    return is_version_at_least(ctx.protocol_version, _ASKS_BY_ANSWER)


def required(error: ConfirmationRequired) -> dict[str, Any]:
    """Return the answer that asks; its state is the token, which no agent gets to see."""
    question = {"message": error.details["summary"], "requestedSchema": _NO_FIELDS, "mode": "form"}
    return {
        "resultType": "input_required",
        "inputRequests": {KEY: {"method": "elicitation/create", "params": question}},
        "requestState": error.details["confirm_token"],
    }


def answered(params: types.CallToolRequestParams) -> Said | None:
    """Return what the person said to the question of the call before, None where there is no answer to one."""
    answer = (params.input_responses or {}).get(KEY)
    if params.request_state is None or not isinstance(answer, types.ElicitResult):
        return None
    return answer.action


async def ask(ctx: Context, error: ConfirmationRequired, is_decided: Callable[[], Awaitable[bool]]) -> Said:
    """Ask the person while the call waits; no answer, a late one or a client that fails is as if nobody was there.

    So is a question that they answer elsewhere meanwhile: `is_decided` says so, and the client is told to drop it.
    """
    question = asyncio.ensure_future(ctx.session.elicit_form(error.details["summary"], _NO_FIELDS, ctx.request_id))
    elsewhere = asyncio.ensure_future(_until(is_decided))
    try:
        await asyncio.wait({question, elsewhere}, timeout=SECONDS, return_when=asyncio.FIRST_COMPLETED)
        return question.result().action if question.done() else "cancel"
    except (MCPError, ValidationError):
        return "cancel"
    finally:
        question.cancel()
        elsewhere.cancel()
        await asyncio.gather(question, elsewhere, return_exceptions=True)


async def _until(is_decided: Callable[[], Awaitable[bool]]) -> None:
    while not await is_decided():  # noqa: ASYNC110 (another process decides: nothing here could be woken)
        await asyncio.sleep(PAUSE)
