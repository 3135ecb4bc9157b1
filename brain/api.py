"""The REST API: each operation of the catalogue at an address of its own, with its own input and output.

A read answers to GET and to POST, a write to POST alone. A query string is text: whole numbers, true and false in it
are read as such, lists are given by repeating the name, and then everything is checked as strictly as a JSON body. The
person's session opens it; what changes something needs the CSRF token of the pages too.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final, get_args, get_origin

from django.http import HttpRequest, HttpResponse, JsonResponse, QueryDict
from ninja import NinjaAPI
from ninja.errors import HttpError
from ninja.security.base import AuthBase
from ninja.utils import check_csrf
from pydantic import BaseModel

from brain import operations
from brain.errors import BrainError, InvalidArgument
from brain.language import gettext as _
from brain.operations import OPERATIONS, Operation
from brain.web import entrance, failures, person

_JSON: Final = "application/json"
_TRUTHS: Final[Mapping[str, bool]] = {"true": True, "false": False}
_ERROR_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message", "next_step"],
            "properties": {name: {"type": "string"} for name in ("code", "message", "next_step")},
        }
    },
}


class _Session(AuthBase):
    """The session of the person's browser."""

    openapi_type = "apiKey"
    openapi_in = "cookie"
    openapi_name = "cabecao_session"

    def __call__(self, request: HttpRequest) -> bool:
        """Let the person in; a request that may change something must come from one of the pages."""
        if not entrance.is_inside(request):
            return False
        if check_csrf(request):
            raise HttpError(403, _("The CSRF token is missing or wrong. Nothing was changed."))
        return True


def _guarded(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Show the description of the API to the person alone."""

    def shown(request: HttpRequest, **named: Any) -> HttpResponse:
        return view(request, **named) if entrance.is_inside(request) else _nobody()

    return shown


api: Final = NinjaAPI(
    title="Cabeção",
    version="1",
    urls_namespace="api",
    docs_url=None,
    docs_decorator=_guarded,
    auth=_Session(),
)


def _nobody(*_ignored: object) -> HttpResponse:
    answer = _failed(401, "unauthorized", _("Nobody is named."), _("Send a bearer token."))
    answer["WWW-Authenticate"] = "Bearer"
    return answer


@api.exception_handler(BrainError)
def _of_error(_request: HttpRequest, error: BrainError) -> HttpResponse:
    return JsonResponse({"error": error.as_dict()}, status=failures.STATUS.get(error.code, 500))


@api.exception_handler(HttpError)
def _of_http_error(_request: HttpRequest, error: HttpError) -> HttpResponse:
    if error.status_code == 401:
        return _nobody()
    code = "human_only" if error.status_code == 403 else "invalid_argument"
    return _failed(error.status_code, code, str(error), _("Correct the request and send it again."))


def _failed(status: int, code: str, message: str, next_step: str) -> HttpResponse:
    return JsonResponse({"error": {"code": code, "message": message, "next_step": next_step}}, status=status)


def _endpoint(operation: Operation, read: Callable[[HttpRequest, Operation], Mapping[str, Any]]) -> Callable[..., Any]:
    """Return the view of an operation; `read` takes its arguments from the request."""

    def call(request: HttpRequest) -> BaseModel:
        return operations.dispatch(operation.name, person.caller(request), read(request, operation))

    call.__name__ = operation.name
    call.__doc__ = operation.doc
    return call


def _in_body(request: HttpRequest, _operation: Operation) -> Mapping[str, Any]:
    """Return the arguments of a JSON body; none at all is an empty object."""
    try:
        given = json.loads(request.body or b"{}")
    except (ValueError, RecursionError):
        raise InvalidArgument(_("The body is not valid JSON.")) from None
    if not isinstance(given, dict):
        raise InvalidArgument(_("The arguments must be an object."))
    return given


def _in_query(request: HttpRequest, operation: Operation) -> Mapping[str, Any]:
    return {name: _value(operation.input, name, request.GET) for name in request.GET}


def _value(model: type[BaseModel], name: str, query: QueryDict) -> Any:
    field = model.model_fields.get(name)
    kinds = _kinds(field.annotation) if field else set()
    if list in kinds:
        return query.getlist(name)
    text = str(query[name])
    if bool in kinds and text in _TRUTHS:
        return _TRUTHS[text]
    return int(text) if int in kinds and text.isascii() and text.isdigit() and len(text) < 20 else text


def _kinds(annotation: Any) -> set[Any]:
    """Return the plain types that an annotation allows, such as {int} or {list, NoneType}."""
    found = {get_origin(annotation) or annotation}
    for inner in get_args(annotation) if get_origin(annotation) is not list else ():
        found |= _kinds(inner)
    return found


def _parameters(model: type[BaseModel]) -> list[dict[str, Any]]:
    shape = model.model_json_schema()
    required = shape.get("required", [])
    return [
        {"in": "query", "name": name, "required": name in required, "schema": schema}
        for name, schema in shape.get("properties", {}).items()
    ]


def _add(operation: Operation) -> None:
    """Give an operation its address."""
    path = f"/{operation.command}"
    errors = {"4XX": {"description": "Refused", "content": {_JSON: {"schema": dict(_ERROR_SCHEMA)}}}}
    body = {"required": True, "content": {_JSON: {"schema": operation.input.model_json_schema()}}}
    named: dict[str, Any] = {"response": operation.output, "summary": operation.command, "description": operation.doc}
    api.post(
        path,
        operation_id=operation.name,
        openapi_extra={"requestBody": body, "responses": errors},
        **named,
    )(_endpoint(operation, _in_body))
    if not operation.writes:
        api.get(
            path,
            operation_id=f"{operation.name}_get",
            openapi_extra={"parameters": _parameters(operation.input), "responses": errors},
            **named,
        )(_endpoint(operation, _in_query))


for _one in OPERATIONS:
    _add(_one)
