"""Sync: how this brain and its remote stand to each other, and a sync now."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.views.decorators.http import require_POST, require_safe

from brain import tasks
from brain.index import refresh
from brain.language import gettext as _
from brain.web import person, toasts
from brain.web.rendering import page
from brain.web.viewmodels import syncing
from brain.web.views import live


@require_safe
def show(request: HttpRequest) -> HttpResponse:
    """Show sync; a part that asks again gets 204 while nothing moves."""
    refresh.catch_up()
    shown = syncing.page()
    mark = live.version(shown)
    if (nothing := live.unchanged(request, mark)) is not None:
        return nothing
    context = {"sync": shown, "mark": mark, "crumbs": [(_("Sync"), "")]}
    return page(request, "web/syncing/sync.html", context, part="web/parts/sync.html")


@require_POST
def start(request: HttpRequest) -> HttpResponse:
    """Queue a sync, and go on where it was asked for."""
    tasks.enqueue("sync", requested_by=person.caller(request).client)
    toasts.say(request, _("The sync is queued."))
    return HttpResponseRedirect("/sync")
