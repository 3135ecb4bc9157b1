"""A note's versions, any two of them compared."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from brain.language import gettext as _
from brain.note import document, fields
from brain.services import shown
from brain.web.rendering import page
from brain.web.viewmodels import addresses, versions
from brain.web.viewmodels.listing import Pages
from brain.web.viewmodels.versions import Versions
from brain.web.views import finding
from brain.web.views.finding import Found

_IN_PANEL = 5


@require_safe
def show(request: HttpRequest, identity: str) -> HttpResponse:
    """Show the versions of a note with an id."""
    return _page(request, finding.by_id(identity))


@require_safe
def show_by_path(request: HttpRequest, file: str) -> HttpResponse:
    """Show the versions of a note that has no id yet."""
    return _page(request, finding.by_path(file))


@require_safe
def panel(request: HttpRequest, identity: str) -> HttpResponse:
    """Show the last versions in the side panel of a note with an id."""
    return _panel(request, finding.by_id(identity))


@require_safe
def panel_by_path(request: HttpRequest, file: str) -> HttpResponse:
    """Show the last versions in the side panel of a note without an id."""
    return _panel(request, finding.by_path(file))


def _panel(request: HttpRequest, found: Found) -> HttpResponse:
    context = {
        "versions": versions.of_note(found.path, limit=_IN_PANEL),
        "history": addresses.of_history(found.id, found.path),
    }
    return page(request, "web/parts/versions_panel.html", context)


def _page(request: HttpRequest, found: Found) -> HttpResponse:
    number = _number(request)
    known = versions.of_note(found.path, skip=(number - 1) * versions.PAGE)
    older, newer = _chosen(request, known)
    title = fields.read(document.parse(found.raw), found.path).title
    href, history = addresses.of_note(found.id, found.path), addresses.of_history(found.id, found.path)
    context = {
        "note_title": title,
        "href": href,
        "digest": shown.digest(found.raw),
        "history": history,
        "versions": known,
        "older": older,
        "newer": newer,
        "change": versions.between(found.path, older, newer, known) if older and newer else None,
        "pages": _pages(history, number, known),
        "crumbs": [(_("Notes"), "/notes"), (title, href), (_("Versions"), "")],
    }
    return page(request, "web/history.html", context, part="web/parts/comparison.html")


def _chosen(request: HttpRequest, known: Versions) -> tuple[str, str]:
    """Return the two versions to compare: those asked for, else the newest and the one before it."""
    names = [versions.NOW] if known.is_edited else []
    names += [one.name for one in known.items]
    newest, before = ([*names, "", ""])[:2]
    return request.GET.get("from", before), request.GET.get("to", newest)


def _number(request: HttpRequest) -> int:
    text = request.GET.get("page", "")
    return int(text) if text.isascii() and text.isdigit() and 0 < len(text) < 5 and int(text) else 1


def _pages(history: str, number: int, known: Versions) -> Pages:
    previous = addresses.with_query(history, {"page": str(number - 1) if number > 2 else None}) if number > 1 else ""
    following = addresses.with_query(history, {"page": str(number + 1)}) if known.has_more else ""
    return Pages(number, 0, previous, following)
