"""Jobs: what the worker does, did and will do."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.views.decorators.http import require_POST, require_safe

from brain import tasks
from brain.errors import InvalidArgument
from brain.jobs import progress, schedules
from brain.jobs.models import State
from brain.language import gettext as _
from brain.web import person, toasts
from brain.web.rendering import page
from brain.web.viewmodels.jobs import listing
from brain.web.views import live

_PAGE = "/jobs"


@require_safe
def show(request: HttpRequest) -> HttpResponse:
    """Show the jobs; a part that asks again gets 204 while nothing moves, for as long as its page is open."""
    shown = listing.page()
    mark = live.version(shown)
    if (nothing := live.unchanged(request, mark)) is not None:
        return nothing
    context = {"jobs": shown, "mark": mark, "crumbs": [(_("Jobs"), "")]}
    return page(request, "web/jobs.html", context, part="web/parts/jobs.html")


@require_POST
def start(request: HttpRequest) -> HttpResponse:
    """Queue a job of a kind, also to try one that failed again."""
    job = tasks.enqueue(request.POST.get("kind", ""), requested_by=person.caller(request).client)
    toasts.say(request, _("“%(title)s” is queued.") % {"title": tasks.title(job.kind)})
    return HttpResponseRedirect(_PAGE)


@require_POST
def cancel(request: HttpRequest, job: str) -> HttpResponse:
    """Cancel a job; a running one stops at its next step."""
    found = progress.cancel(job)
    text = (
        _("“%(title)s” was done before it could be cancelled.")
        if found.state == State.DONE
        else _("“%(title)s” is cancelled.")
    )
    toasts.say(request, text % {"title": tasks.title(found.kind)})
    return HttpResponseRedirect(_PAGE)


@require_POST
def change_schedule(request: HttpRequest, kind: str) -> HttpResponse:
    """Turn a schedule on or off, or let it come at another interval."""
    turned, every = request.POST.get("turn", ""), request.POST.get("every", "")
    if every:
        tasks.set_every(kind, schedules.span(every), by=person.caller(request))
        text = _("“%(title)s” comes at the new interval.")
    elif turned in ("on", "off"):
        tasks.turn(kind, on=turned == "on", by=person.caller(request))
        text = _("“%(title)s” is on.") if turned == "on" else _("“%(title)s” is off.")
    else:
        raise InvalidArgument(_("Nothing was asked for. Nothing was changed."))
    toasts.say(request, text % {"title": tasks.title(kind)})
    return HttpResponseRedirect(_PAGE)
