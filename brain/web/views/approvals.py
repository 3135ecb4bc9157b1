"""Approvals: what agents ask for, shown whole, and the person's decision."""

from __future__ import annotations

from typing import Any, cast

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.views.decorators.http import require_POST, require_safe

from brain import operations
from brain.contracts.approvals import ReviewOutput
from brain.language import gettext as _
from brain.web import person, toasts
from brain.web.rendering import page
from brain.web.viewmodels import approvals


@require_safe
def show(request: HttpRequest) -> HttpResponse:
    """List what waits."""
    found = _review(request)
    context = {"queue": approvals.queue(found.waiting), "crumbs": [(_("Approvals"), "")]}
    return page(request, "web/approvals.html", context)


@require_safe
def one(request: HttpRequest, identity: str) -> HttpResponse:
    """Show one request whole, with what can be decided."""
    found = _review(request, id=identity)
    context = {
        "request_shown": approvals.whole(found.waiting[0]),
        "crumbs": [(_("Approvals"), "/approvals"), (found.waiting[0].title, "")],
    }
    return page(request, "web/approval.html", context)


@require_POST
def decide(request: HttpRequest, identity: str) -> HttpResponse:
    """Accept, accept edited, refuse or work out again, each tied to what the page showed."""
    form, decision = request.POST, request.POST.get("decision", "")
    given: dict[str, Any] = {"accept": {"accept": True}, "reject": {"reject": True}, "rebase": {"rebase": True}}.get(
        decision, {"accept": True}
    )
    if "accept" in given:
        given = {**given, "digest": form.get("digest", "")}
    if decision == "edit":
        given = {**given, "text": form.get("text", "")}
    reason = " ".join(form.get("reason", "").split())
    if decision == "reject" and reason:
        given = {**given, "reason": reason}
    done = _review(request, id=identity, **given)
    if done.decided == "rebased":
        toasts.say(request, _("Worked out again on the notes as they are now."))
        return HttpResponseRedirect(f"/approvals/{identity}")
    if done.decided == "accepted":
        toasts.say(request, _("Approved: %(path)s") % {"path": done.path}, undo=done.op or "")
    else:
        toasts.say(request, _("Refused. Nothing was written."))
    return HttpResponseRedirect("/approvals")


def _review(request: HttpRequest, **given: Any) -> ReviewOutput:
    return cast("ReviewOutput", operations.dispatch("review", person.caller(request), given))
