"""Approvals: what agents ask for, shown whole, and the person's decision."""

from __future__ import annotations

from typing import Any, Final, cast

from django.contrib.messages import get_messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.views.decorators.http import require_POST, require_safe

from brain import operations
from brain.contracts.approvals import ReviewOutput, Waiting
from brain.errors import Conflict, NotFound
from brain.language import gettext as _
from brain.web import person, toasts
from brain.web.rendering import page, wants_part
from brain.web.viewmodels.approvals import queue, review, waiting
from brain.web.viewmodels.approvals.queue import Queue
from brain.web.views import live

_PAGE: Final = "/approvals"
_DECISIONS: Final = ("accept", "edit", "reject", "rebase")


@require_safe
def show(request: HttpRequest) -> HttpResponse:
    """List what waits, or the list alone for a page that asks again; `open` is the request beside it."""
    current = request.GET.get("open", "")
    shown = queue.of(_review(request).waiting, current=current)
    mark = live.version(shown)
    if (nothing := live.unchanged(request, mark)) is not None:
        return nothing
    context = {"queue": shown, "queue_mark": mark, "current": current, "crumbs": [(_("Approvals"), "")]}
    return page(request, "web/approvals.html", context, part="web/parts/queue.html")


@require_safe
def one(request: HttpRequest, identity: str) -> HttpResponse:
    """Show one request whole, beside the others, with what can be decided; `edit` opens its text."""
    found = _look(request, identity)
    if isinstance(found, Conflict):
        return _gone(request, identity, found)
    shown = review.of(found)
    beside = queue.of(_review(request).waiting, current=identity)
    context = {
        "request_shown": shown,
        "standing_mark": review.standing(found).mark,
        "queue": beside,
        "queue_mark": live.version(beside),
        "current": identity,
        "later": queue.following(beside, identity),
        "edits": shown.can_edit and "edit" in request.GET,
        "just_decided": len(get_messages(request)) > 0,
        "crumbs": [(_("Approvals"), _PAGE), (shown.item.title, "")],
    }
    return page(request, "web/approval.html", context)


@require_safe
def standing(request: HttpRequest, identity: str) -> HttpResponse:
    """Tell a page that shows a request what became of it elsewhere; nothing while it is as the page shows it."""
    told = review.standing(_look(request, identity))
    if (nothing := live.unchanged(request, told.mark)) is not None:
        return nothing
    return page(request, "web/parts/standing.html", {"standing": told, "href": f"{_PAGE}/{identity}"})


@require_safe
def deadline(request: HttpRequest, identity: str) -> HttpResponse:
    """Show how long a request waits yet; nothing of one that is decided, which `standing` tells."""
    found = next((each for each in _review(request).waiting if each.id == identity), None)
    if found is None and wants_part(request):
        return HttpResponse(status=204)
    if found is None:
        raise NotFound(_("This request no longer waits."))
    return page(request, "web/parts/deadline.html", {"item": queue.item(found)})


@require_safe
def count(request: HttpRequest) -> HttpResponse:
    """Show how many requests wait; a page that asks again gets nothing while it is the same."""
    found = waiting.now()
    mark = live.version(found)
    if (nothing := live.unchanged(request, mark)) is not None:
        return nothing
    response = page(request, "web/parts/waiting.html", {"waiting": found, "again": True})
    response["HX-Trigger"] = "waiting-changed"
    return response


@require_POST
def decide(request: HttpRequest, identity: str) -> HttpResponse:
    """Accept, accept edited, refuse or work out again, each tied to what the page showed; then go on to the next."""
    try:
        done = _review(request, id=identity, **_decision(request))
    except Conflict as error:
        return _gone(request, identity, error)
    if done.decided == "rebased":
        toasts.say(request, _("Worked out again on the notes as they are now."))
        return HttpResponseRedirect(f"{_PAGE}/{identity}")
    if done.decided == "accepted":
        toasts.say(request, _("Approved: %(path)s") % {"path": done.path}, undo=done.op or "")
    else:
        toasts.say(request, _("Refused. Nothing was written."))
    return HttpResponseRedirect(queue.following(_queue(request), identity))


def _decision(request: HttpRequest) -> dict[str, Any]:
    """Return what a form decides, as the operation is given it."""
    form, decision = request.POST, request.POST.get("decision", "")
    if decision not in _DECISIONS:
        raise NotFound(_("There is no such decision. Nothing was changed."))
    if decision == "rebase":
        return {"rebase": True}
    if decision == "reject":
        reason = " ".join(form.get("reason", "").split())
        return {"reject": True, **({"reason": reason} if reason else {})}
    text = {"text": form.get("text", "")} if decision == "edit" else {}
    return {"accept": True, "digest": form.get("digest", ""), **text}


def _look(request: HttpRequest, identity: str) -> Waiting | Conflict:
    """Return a request, or why it can be decided no more."""
    try:
        return _review(request, id=identity).waiting[0]
    except Conflict as error:
        return error


def _gone(request: HttpRequest, identity: str, error: Conflict) -> HttpResponse:
    """Say why a request was not decided as it was sent, with the text that the person may have typed."""
    context = {
        "standing": review.standing(error),
        "href": f"{_PAGE}/{identity}",
        "typed": request.POST.get("text", ""),
        "crumbs": [(_("Approvals"), _PAGE), (_("Not decided here"), "")],
    }
    return page(request, "web/approval_gone.html", context, status=409)


def _queue(request: HttpRequest) -> Queue:
    return queue.of(_review(request).waiting)


def _review(request: HttpRequest, **given: Any) -> ReviewOutput:
    return cast("ReviewOutput", operations.dispatch("review", person.caller(request), given))
