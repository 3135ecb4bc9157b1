"""A note's page, by its id or its path, and the page of one that does not exist yet."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.views.decorators.http import require_safe

from brain.index import listing, names, refresh
from brain.language import gettext as _
from brain.services import shown as versions_shown
from brain.web import person
from brain.web.rendering import page, wants_part
from brain.web.viewmodels import addresses
from brain.web.viewmodels.note import backlinks
from brain.web.viewmodels.note import page as note_page
from brain.web.views import finding, live
from brain.web.views.finding import Found

_LONGEST_TITLE = 300


@require_safe
def show(request: HttpRequest, identity: str) -> HttpResponse:
    """Show the note with an id."""
    return _page(request, finding.by_id(identity))


@require_safe
def show_by_path(request: HttpRequest, file: str) -> HttpResponse:
    """Show a note that has no id yet; one that has, or is spelled otherwise, is at another address."""
    found = finding.by_path(file)
    if found.id or found.path != file:
        return HttpResponseRedirect(_with_query(request, addresses.of_note(found.id, found.path)))
    return _page(request, found)


@require_safe
def missing(request: HttpRequest) -> HttpResponse:
    """Say that a note is linked to and not there yet, and where; once it is there, lead to it."""
    refresh.catch_up()
    title = request.GET.get("title", "").strip()[:_LONGEST_TITLE]
    path = names.resolve(title).path if title else None
    plate = listing.nameplates([path]).get(path) if path else None
    if plate is not None:
        return HttpResponseRedirect(addresses.of_note(plate.id, plate.path))
    context = {
        "missing_title": title or _("A note without a name"),
        "backlinks": backlinks.of_missing(title),
        "crumbs": [(_("Notes"), "/notes"), (title, "")],
    }
    return page(request, "web/missing.html", context)


def _page(request: HttpRequest, found: Found) -> HttpResponse:
    mark = versions_shown.digest(found.raw)
    if wants_part(request) and live.PARAMETER in request.GET:
        moved = page(request, "web/parts/note_moved.html", {"href": _address(found)}, status=live.STOP_POLLING)
        return live.unchanged(request, mark) or moved
    versions_shown.remember(person.caller(request), found.path, found.raw)
    citation, line = request.GET.get("b", ""), _line(request.GET.get("line", ""))
    shown = note_page.of_file(found.raw, found.path, identity=found.id, citation=citation, line=line)
    context = {
        "note": shown,
        "ask_again": addresses.with_query(_address(found), {live.PARAMETER: mark}),
        "badges": shown.badges,
        "provenance": shown.provenance,
        "crumbs": shown.crumbs,
    }
    return page(request, "web/note.html", context)


def _address(found: Found) -> str:
    return addresses.of_note(found.id, found.path)


def _line(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 8 else 0


def _with_query(request: HttpRequest, address: str) -> str:
    query = request.META.get("QUERY_STRING", "")
    return f"{address}?{query}" if query else address
