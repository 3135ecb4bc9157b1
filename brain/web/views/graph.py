"""The graph: the neighbourhood of a note first, the whole brain on demand; drawn from data, and listed."""

from __future__ import annotations

from typing import Any, cast

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe

from brain import operations
from brain.contracts.graph import GraphOutput
from brain.errors import NotFound
from brain.index import refresh
from brain.index.graph import hubs
from brain.language import gettext as _
from brain.web import person
from brain.web.rendering import page, wants_part
from brain.web.viewmodels.graph import asked as graphs
from brain.web.viewmodels.graph import near, whole
from brain.web.viewmodels.graph.asked import Asked
from brain.web.viewmodels.graph.picture import Picture
from brain.web.views import finding
from brain.web.views.finding import Found

_IN_PANEL = 12


@require_safe
def show(request: HttpRequest) -> HttpResponse:
    """Show a graph and its list; htmx gets both without the form, and the address of them."""
    asked = _asked(request)
    context = {
        "asked": asked,
        "types": graphs.types(),
        "kinds": graphs.kinds(),
        "crumbs": [(_("Graph"), "")],
        **_contents(request, asked),
    }
    status = 404 if "missing" in context else 200
    response = page(request, "web/graph.html", context, part="web/parts/graph.html", status=status)
    if wants_part(request):
        response["HX-Replace-Url"] = asked.href
    return response


@require_safe
def data(request: HttpRequest) -> HttpResponse:
    """Return the drawing of a graph for the script that draws it."""
    asked = _asked(request)
    return JsonResponse(_picture(request, asked).as_data(), headers={"Cache-Control": "private, no-cache"})


@require_safe
def panel(request: HttpRequest, identity: str) -> HttpResponse:
    """Show the nearest neighbours in the side panel of a note with an id."""
    return _panel(request, finding.by_id(identity))


@require_safe
def panel_by_path(request: HttpRequest, file: str) -> HttpResponse:
    """Show the nearest neighbours in the side panel of a note without an id."""
    return _panel(request, finding.by_path(file))


def _panel(request: HttpRequest, found: Found) -> HttpResponse:
    asked = Asked(node=found.path)
    try:
        neighbours = near.listed(_neighbours(request, asked), asked, most=_IN_PANEL)
    except NotFound:  # what is in the archive is a note with a page, and in no graph
        neighbours = None
    return page(request, "web/parts/neighbours.html", {"graph": neighbours, "asked": asked})


def _asked(request: HttpRequest) -> Asked:
    """Read the address; one that names no note means the note that most links lead to."""
    refresh.catch_up()
    asked = graphs.read(request.GET.dict())
    if asked.node or asked.is_whole:
        return asked
    return graphs.read({**request.GET.dict(), "node": hubs.most_linked() or ""})


def _contents(request: HttpRequest, asked: Asked) -> dict[str, Any]:
    if asked.is_whole:
        brain = whole.load(asked)
        listed = whole.listed(brain, asked)
        return {"graph": listed, "pages": listed.pages, "colours": whole.colours(brain)}
    if not asked.node:
        return {}
    try:
        found = _neighbours(request, asked)
    except NotFound as error:
        return {"missing": error}
    return {"graph": near.listed(found, asked), "colours": near.colours(found, asked)}


def _picture(request: HttpRequest, asked: Asked) -> Picture:
    if asked.is_whole:
        return whole.drawn(whole.load(asked))
    return near.drawn(_neighbours(request, asked), asked) if asked.node else Picture((), ())


def _neighbours(request: HttpRequest, asked: Asked) -> GraphOutput:
    return cast("GraphOutput", operations.dispatch("graph", person.caller(request), near.arguments(asked)))
