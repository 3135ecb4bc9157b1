"""What a person sees when something did not work: one frame, what happened, what to do next."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.contrib.sessions.backends.base import SessionBase
from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent
from django.http import HttpRequest, HttpResponse, JsonResponse

from brain.errors import BrainError, foreign
from brain.language import gettext as _
from brain.language import gettext_noop as N_
from brain.web import proof
from brain.web.rendering import page
from brain.web.viewmodels.approvals.waiting import Waits


@dataclass(frozen=True)
class Failure:
    """A page that stands in for the one that was asked for."""

    status: int
    title: str
    message: str
    next_step: str
    code: str


_NOT_UNDERSTOOD: Final = Failure(
    400,
    N_("This request cannot be read"),
    N_("The address or the form was not understood. Nothing was changed."),
    N_("Go back, load the page again and try once more."),
    "invalid_argument",
)
_TOO_BIG: Final = Failure(
    413,
    N_("This is more than a page can send"),
    N_("The form or the request was too big to be read. Nothing was changed."),
    N_("Go back: the text is still there. Save it as several smaller notes, or edit the file itself in an editor."),
    "invalid_argument",
)
_FORBIDDEN: Final = Failure(
    403,
    N_("This is not allowed here"),
    N_("The page may not do what was asked. Nothing was changed."),
    N_("Open Cabeção again with `cabecao open` in a terminal."),
    "human_only",
)
_STALE_FORM: Final = Failure(
    403,
    N_("This form is out of date"),
    N_("The form did not come from a page that Cabeção just gave you. Nothing was changed."),
    N_("Load the page again and send the form once more. Cookies must be allowed for this address."),
    "human_only",
)
_MISSING: Final = Failure(
    404,
    N_("There is nothing at this address"),
    N_("The page or the note does not exist, or has moved."),
    N_("Search for it, or look in Activity for what became of it."),
    "not_found",
)
_NOT_THIS_WAY: Final = Failure(
    405,
    N_("This address is not asked this way"),
    N_("The address does not take this method. Nothing was changed."),
    N_("Use one of the methods that the header Allow names."),
    "invalid_argument",
)
_BROKEN: Final = Failure(
    500,
    N_("Something went wrong in Cabeção"),
    N_("The page could not be made. Your notes are files and are as they were."),
    N_("Load the page again. If it stays like this, run `cabecao doctor` in a terminal."),
    "internal_error",
)

# Error code -> HTTP status; any other is 500.
STATUS: Final[Mapping[str, int]] = {
    "invalid_argument": 400,
    "invalid_path": 400,
    "unsafe_path": 400,
    "human_only": 403,
    "rule_requires_human": 403,
    "not_found": 404,
    "conflict": 409,
    "already_exists": 409,
    "already_undone": 409,
    "nothing_to_undo": 409,
    "ambiguous_patch": 409,
    "patch_not_found": 409,
    "confirmation_required": 409,
    "repository_busy": 409,
    "resident_cap_exceeded": 409,
    "invalid_note": 422,
    "secret_detected": 422,
    "locked": 423,
    "disk_full": 507,
}


def of_error(request: HttpRequest, error: BrainError) -> HttpResponse:
    """Show an error of the brain, whole page or message as the request wants it."""
    if proof.asked_by(error) and not request.path.startswith("/api/"):
        return proof.ask(request, error)
    status = STATUS.get(error.code, 500)
    return _show(request, Failure(status, N_("This did not work"), error.message, error.next_step, error.code))


def _answering(failure: Failure) -> Callable[..., HttpResponse]:
    """Return a handler of Django's; the reason that it hands over is for the log, not for the page."""

    def answer(request: HttpRequest, *_reason: object, **_named: object) -> HttpResponse:
        return _show(request, failure)

    return answer


def broken(request: HttpRequest, *_reason: object, **_named: object) -> HttpResponse:
    """Show what stands for a page that could not be made; why, where a database or the disk is the reason."""
    told = foreign(sys.exc_info()[1])
    if told is None:
        return _show(request, _BROKEN)
    request.session = SessionBase()  # the person's own may lie in the very file that cannot be read
    return of_error(request, told)


def bad_request(request: HttpRequest, *reason: object, **named: object) -> HttpResponse:
    """Show that a request was not understood, or was more than is read of one."""
    told = (*reason, *named.values())
    too_big = any(isinstance(one, RequestDataTooBig | TooManyFieldsSent) for one in told)
    return _show(request, _TOO_BIG if too_big else _NOT_UNDERSTOOD)


forbidden: Final = _answering(_FORBIDDEN)
stale_form: Final = _answering(_STALE_FORM)
missing: Final = _answering(_MISSING)
not_allowed: Final = _answering(_NOT_THIS_WAY)


def _show(request: HttpRequest, failure: Failure) -> HttpResponse:
    told: dict[str, Any] = {
        "code": failure.code,
        "message": _(failure.message),
        "next_step": _(failure.next_step),
    }
    if request.path.startswith("/api/"):
        return JsonResponse({"error": told}, status=failure.status)
    # What went wrong may be the database: the frame then counts nothing.
    frame = {"waiting": Waits(), "waiting_mark": ""} if failure.status >= 500 else {}
    context = {**told, **frame, "status": failure.status, "title": _(failure.title), "tint": "bad"}
    return page(request, "web/failure.html", context, part="web/parts/message.html", status=failure.status)
