"""Activity: every operation, what it changed, and the way back."""

from __future__ import annotations

from typing import cast
from urllib.parse import urlsplit

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import resolve
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST, require_safe

from brain import operations as catalogue
from brain.contracts.writes import UndoOutput
from brain.errors import BrainError, NotFound
from brain.index import operations as rows
from brain.language import gettext as _
from brain.services import recorded
from brain.web import failures, person, toasts
from brain.web.rendering import page, wants_part
from brain.web.viewmodels import activity, addresses, operations, versions
from brain.web.views import finding, live

_PAGE = "/activity"


@require_safe
def show(request: HttpRequest) -> HttpResponse:
    """Show the operations by day, those of one client where the address names one; the newest stay up to date."""
    recorded.catch_up()
    asked = activity.wanted(request.GET.dict())
    shown = activity.page(asked)
    mark = live.version(shown.days)
    if (nothing := live.unchanged(request, mark)) is not None:
        return nothing
    again = "" if asked.before else addresses.with_query(_PAGE, {"client": asked.client, live.PARAMETER: mark})
    context = {"activity": shown, "ask_again": again, "pages": shown.pages, "crumbs": [(_("Activity"), "")]}
    return page(request, "web/activity.html", context, part="web/parts/operations.html")


@require_safe
def details(request: HttpRequest, op: str) -> HttpResponse:
    """Show what one operation changed."""
    recorded.catch_up()
    row = rows.by_op(op)
    if row is None:
        raise NotFound(_("There is no operation with this name."), next_step=_("Look for it in Activity."))
    context = {
        "operation": operations.items([row])[0],
        "changes": versions.of_operation(row),
        "row": row,
        "crumbs": [(_("Activity"), _PAGE), (row.subject, "")],
    }
    return page(request, "web/operation.html", context, part="web/parts/changes.html")


@require_POST
def undo(request: HttpRequest) -> HttpResponse:
    """Undo an operation and go back to the page that asked; what stands in the way is said beside the operation."""
    op = request.POST.get("op", "")
    try:
        done = cast("UndoOutput", catalogue.dispatch("undo", person.caller(request), {"op": op or None}))
    except BrainError as error:
        if not wants_part(request):
            raise
        response = failures.of_error(request, error)
        response["HX-Retarget"] = f"#failed-{op}" if op.isalnum() else "#content"
        response["HX-Reswap"] = "innerHTML"
        return response
    toasts.say(request, activity.undone(done), undo=done.op or "")
    return HttpResponseRedirect(_back(request))


def _back(request: HttpRequest) -> str:
    back = request.POST.get("next", "")
    safe = back.startswith("/") and url_has_allowed_host_and_scheme(back, allowed_hosts=None)
    return back if safe and not _is_gone(back) else _PAGE


def _is_gone(back: str) -> bool:
    """Tell whether an address is that of a note which is there no more, as a new one is that was undone."""
    if not back.startswith(("/n/", "/path/")):
        return False
    try:
        named = resolve(urlsplit(back).path).kwargs
        finding.wanted(str(named.get("identity", "")), str(named.get("file", "")))
    except (NotFound, Http404):
        return True
    return False
