"""The protocol library's server with the brain's operations behind it."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from traceback import format_tb
from typing import Any, Final, cast

import mcp_types as types
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.shared.exceptions import MCPError
from pydantic import BaseModel, ValidationError

from brain import __version__, clock, operations
from brain.caller import Caller, Kind, Surface, Voice, client_name, unheard
from brain.contracts import checking
from brain.errors import BrainError, ConfirmationRequired, InternalError, InvalidArgument, foreign
from brain.language import gettext as _
from brain.operations import Operation
from mcpbridge import elicitation, handshake, instructions, progress, prompts, resources, tools
from mcpbridge.answers import Answers
from mcpbridge.workers import Workers

logger = logging.getLogger(__name__)

Context = ServerRequestContext[Any, Any]
Reply = dict[str, Any]
# Stands for arguments that are no object, which a tool refuses in the form of every other refusal.
_NO_OBJECT: Final = clock.new_id()
# What a result says of itself from 2026-07-28 on; the library leaves it out where an older version is spoken.
_WHOLE: Final[Reply] = {"resultType": "complete"}
RECOVERY_SECONDS: Final = 2.0
_CALLED: Final = re.compile(r"\b([a-z_]+)\(")  # how a text names a call of a tool
_NEVER_KEPT: Final[Reply] = {**_WHOLE, "ttlMs": 0, "cacheScope": "private"}


class OurServer(Server[Any]):
    """The library's server, which says of its lists that the tools may change: `ask` comes and goes."""

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        """Return what the server says of itself when a session begins."""
        changing = notification_options or NotificationOptions(tools_changed=True)
        return super().create_initialization_options(changing, experimental_capabilities, extensions)


@dataclass(frozen=True)
class Bound:
    """A consolidation that runs by itself, and whether it may archive notes."""

    consolidation: str
    may_forget: bool = False


@dataclass
class Bridge:
    """One connection: what it may see, the threads that work for it, and whether its client is still there.

    `interrupted` says that a process which died left a write to settle, which is done while the brain gets ready.
    `bound` is the consolidation that the agent is at work on by itself; `answers` knows whether there is `ask`.
    """

    profile: str
    ready: Future[BrainError | None]
    interrupted: bool = False
    gone: threading.Event = field(default_factory=threading.Event)
    connection: str = field(default_factory=clock.new_id)
    bound: Bound | None = None
    answers: Answers = field(default_factory=Answers)
    _had_ask: bool = False
    _workers: Workers = field(default_factory=Workers)

    @property
    def is_idle(self) -> bool:
        """Tell whether no operation runs."""
        return self._workers.is_idle

    def close(self) -> None:
        """Take no more calls."""
        self._workers.close()

    def server(self) -> Server[Any]:
        """Return the server; it needs no brain to list what there is."""
        server: Server[Any] = OurServer(
            handshake.NAME,
            version=__version__,
            title=handshake.TITLE,
            instructions=instructions.text(self.profile, asks=self.asks()),
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=_listing("resources", resources.listed),
            on_list_resource_templates=_listing("resourceTemplates", resources.templates),
            on_read_resource=self._read_resource,
            on_list_prompts=_listing("prompts", lambda: prompts.listed(self.profile)),
            on_get_prompt=self._get_prompt,
        )
        server.middleware[:] = [_in_our_words, _refuse_no_object]
        return server

    def asks(self) -> bool:
        """Tell whether the tool `ask` is here now."""
        are_on = self.answers.are_on()
        self._had_ask = self._had_ask or are_on
        return are_on

    async def _list_tools(self, ctx: Context, params: types.PaginatedRequestParams | None) -> Any:
        """List the tools at once, needing no brain; only an interrupted write is settled first."""
        if self.interrupted:
            await asyncio.wait([asyncio.wrap_future(self.ready)], timeout=RECOVERY_SECONDS)
        return await _listing("tools", lambda: tools.listed(self.profile, asks=self.asks()))(ctx, params)

    async def _call_tool(self, ctx: Context, params: types.CallToolRequestParams) -> Any:
        caller = self._caller(ctx)
        operation = operations.by_name(params.name)
        # Who was shown `ask` is told by its answer that it was turned off meanwhile.
        known = tools.names(self.profile, asks=self.asks() or self._had_ask)
        if operation is None or params.name not in known:
            return _failure(InvalidArgument(_("There is no tool “%(name)s”.") % {"name": params.name[:80]}))
        arguments = params.arguments or {}
        if _NO_OBJECT in arguments:
            return _failure(InvalidArgument(_("“arguments” must be an object.")))
        failed = await self._readiness()
        if failed is not None:
            return _failure(failed)
        if (report := progress.reporter(ctx)) is not unheard:
            caller = replace(caller, report=report)
        call = Call(operation, caller, arguments, self._workers, known)
        return await call.answer(ctx, params) if operation.confirmable else await call.run(caller)

    async def _read_resource(self, ctx: Context, params: types.ReadResourceRequestParams) -> Any:
        caller, uri = self._caller(ctx), str(params.uri)
        failed = await self._readiness()
        if failed is not None:
            raise _protocol_error(failed)
        return await self._workers.run(lambda: _resource(uri, caller), writes=False)

    async def _get_prompt(self, _ctx: Context, params: types.GetPromptRequestParams) -> Any:
        try:
            return {**_WHOLE, **prompts.get(params.name, params.arguments or {}, self.profile)}
        except BrainError as error:
            raise _protocol_error(error) from None

    async def _readiness(self) -> BrainError | None:
        """Wait until the brain is ready and return why it can't be, None where it is."""
        if self.ready.done():
            return self.ready.result()
        return await asyncio.shield(asyncio.wrap_future(self.ready))

    def _caller(self, ctx: Context) -> Caller:
        client = ctx.session.client_params
        return Caller(
            kind=Kind.AGENT,
            client=client_name(client.client_info.name if client else None),
            surface=Surface.MCP,
            connection=self.connection,
            session=self.bound.consolidation if self.bound else None,
            consolidation=self.bound.consolidation if self.bound else None,
            may_forget=self.bound is None or self.bound.may_forget,
            gone=self.gone,
        )


class _Gone(threading.Event):
    """Set when a call is cancelled, and when its client has gone."""

    def __init__(self, client: threading.Event) -> None:
        super().__init__()
        self._client = client

    def is_set(self) -> bool:
        """Tell whether nobody waits for the answer."""
        return super().is_set() or self._client.is_set()


@dataclass(frozen=True)
class Call:
    """One call of a tool, which may have to be run once more when the person has answered."""

    operation: Operation
    caller: Caller
    arguments: Reply
    workers: Workers
    tools: frozenset[str]

    async def run(self, caller: Caller, *, token: str | None = None) -> Any:
        """Run it in a worker thread and return the tool's result, or what the person has to be asked."""
        given = self.arguments if token is None else {**self.arguments, operations.CONFIRM_FIELD: token}
        name, tools_here = self.operation.name, self.tools
        waits = self.operation.open_world and not self.operation.writes
        gone = _Gone(caller.gone) if waits else caller.gone
        asking = replace(caller, gone=gone)
        try:
            return await self.workers.run(
                lambda: _answer(name, asking, given, tools_here), writes=self.operation.writes, waits=waits
            )
        except asyncio.CancelledError:
            if waits:  # a write that has begun goes on to its end
                gone.set()
            raise

    async def answer(self, ctx: Context, params: types.CallToolRequestParams) -> Reply:
        """Run it, and ask the person where that is needed and the client can; else the answer carries a token."""
        asks = elicitation.is_offered(ctx) and self.arguments.get(operations.CONFIRM_FIELD) is None
        directly = replace(self.caller, voice=Voice.PERSON if asks else Voice.CALLER)
        said = elicitation.answered(params) if asks else None
        if said is not None:
            return await self._follow(said, directly, params.request_state)
        result = await self.run(directly)
        if not isinstance(result, ConfirmationRequired):
            return cast("Reply", result)
        if not asks or result.details["status"] != "confirmation_required":
            return _asking(self.operation.name, result)
        if elicitation.by_answer(ctx):
            return elicitation.required(result)
        content = result.content
        said = await elicitation.ask(ctx, result, lambda: self._is_decided(content))
        return await self._follow(said, directly, result.details["confirm_token"])

    async def _is_decided(self, content: str) -> bool:
        """Tell whether the person said yes or no on the Approvals page while their client asks."""
        return await self.workers.run(lambda: operations.is_decided(content), writes=False)

    async def _follow(self, said: elicitation.Said, directly: Caller, token: str | None) -> Reply:
        """Do what the person said: it is done, remembered as declined, or left to a token where nobody answered."""
        if said == "accept":
            result = await self.run(directly, token=token)
        else:
            result = await self.run(directly if said == "decline" else self.caller)
        if not isinstance(result, ConfirmationRequired):
            return cast("Reply", result)
        if said == "decline":
            name, content = self.operation.name, result.content
            result = await self.workers.run(lambda: operations.decline(name, self.caller, content), writes=True)
        return _asking(self.operation.name, result)


def _asking(name: str, error: ConfirmationRequired) -> Reply:
    return _result(operations.asked(name, error))


def _listing(key: str, items: Callable[[], list[Reply]]) -> Callable[..., Any]:
    """Return the handler that lists everything on one page."""

    async def handle(_ctx: Context, params: types.PaginatedRequestParams | None) -> Reply:
        if params is not None and params.cursor is not None:
            raise MCPError(types.INVALID_PARAMS, _("There is no such page."))
        return {**_NEVER_KEPT, key: items()}

    return handle


async def _refuse_no_object(ctx: Context, call_next: CallNext) -> HandlerResult:
    """Let arguments that are no object, null among them, be refused by the tool in the form of every other refusal."""
    params = ctx.params or {}
    if ctx.method == "tools/call" and not isinstance(params.get("arguments", {}), dict):
        ctx = replace(ctx, params={**params, "arguments": {_NO_OBJECT: None}})
    return await call_next(ctx)


async def _in_our_words(ctx: Context, call_next: CallNext) -> HandlerResult:
    """Say in the language in force, and by name, what the library finds wrong with a request."""
    try:
        return await call_next(ctx)
    except ValidationError as error:
        raise _protocol_error(InvalidArgument(checking.explain(error))) from None
    except MCPError as error:
        if error.error.code == types.METHOD_NOT_FOUND:
            raise MCPError(types.METHOD_NOT_FOUND, _("There is no such method here."), error.error.data) from None
        if error.error.code == types.INVALID_PARAMS and not error.error.data:
            raise _protocol_error(InvalidArgument(_("The session has not begun: send initialize first."))) from None
        raise


def _answer(name: str, caller: Caller, arguments: Reply, tools_here: frozenset[str]) -> Reply | ConfirmationRequired:
    """Run an operation, in a worker thread, and return the tool's result, or what the person has to be asked."""
    try:
        return _result(_with_a_way(operations.dispatch(name, caller, arguments), tools_here))
    except ConfirmationRequired as error:
        return error
    except BrainError as error:
        return _failure(error)
    except Exception as error:  # noqa: BLE001 (the last door before the client)
        return _failure(_unexpected(name, error))


def _with_a_way(output: BaseModel, tools_here: frozenset[str]) -> BaseModel:
    """Return the output; where its next step calls a tool that this server does not show, it says who can do it."""
    step = getattr(output, "next_step", None) or ""
    missing = next(
        (name for name in _CALLED.findall(step) if operations.by_name(name) and name not in tools_here), None
    )
    if missing is None:
        return output
    said = _("“%(name)s” is not among the tools here: the user has it as `cabecao %(command)s`.")
    more = said % {"name": missing, "command": missing.replace("_", "-")}
    return output.model_copy(update={"next_step": f"{step} {more}"})


def _result(output: BaseModel) -> Reply:
    text = output.model_dump_json(by_alias=True)
    content = output.model_dump(mode="json", by_alias=True)
    return {**_WHOLE, "content": [{"type": "text", "text": text}], "structuredContent": content}


def _resource(uri: str, caller: Caller) -> Reply:
    try:
        return {**_NEVER_KEPT, **resources.read(uri, caller)}
    except BrainError as error:
        raise _protocol_error(error) from None
    except Exception as error:  # noqa: BLE001 (the last door before the client)
        raise _protocol_error(_unexpected("resource", error)) from None


def _unexpected(what: str, error: Exception) -> BrainError:
    if (told := foreign(error)) is not None:
        return told
    # The text of a foreign exception may hold note text or keys: it goes to no client and to no log.
    where = "".join(format_tb(error.__traceback__))
    logger.error("%s failed: %s\n%s", what, type(error).__name__, where)
    return InternalError(_("Something unexpected failed inside Cabeção (%(kind)s).") % {"kind": type(error).__name__})


def _failure(error: BrainError) -> Reply:
    text = json.dumps({"error": error.as_dict()}, ensure_ascii=False, default=str)
    return {**_WHOLE, "content": [{"type": "text", "text": text}], "isError": True}


def _protocol_error(error: BrainError) -> MCPError:
    code = types.INTERNAL_ERROR if isinstance(error, InternalError) else types.INVALID_PARAMS
    return MCPError(code, error.message, {"error": error.as_dict()})
