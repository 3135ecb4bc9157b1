"""A note's text in the person's hands: opened, previewed, saved, and set beside a newer one that is in the way."""

from __future__ import annotations

from typing import cast

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.views.decorators.http import require_http_methods, require_POST

from brain import clock, operations
from brain.contracts.shared import Written
from brain.errors import BrainError, NotFound
from brain.guard import secrets
from brain.language import gettext as _
from brain.note import document, fields
from brain.services import shown
from brain.services.editing import keeping
from brain.services.editing.keeping import Kept
from brain.services.editing.merging import CHOICES
from brain.web import failures, person, proof, toasts
from brain.web.rendering import page, wants_part
from brain.web.viewmodels import addresses
from brain.web.viewmodels.editing import conflict, editor
from brain.web.views import finding, live
from brain.web.views.finding import Found


@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, identity: str = "", file: str = "") -> HttpResponse:
    """Show a note's whole text to be edited, or save it."""
    if wants_part(request) and live.PARAMETER in request.GET:
        return _meanwhile(request, identity, file)
    try:
        found = _opened(request, identity, file)
    except (NotFound, Http404):
        if request.method != "POST":
            raise
        return _gone(request, request.POST.get("text", ""))
    if request.method == "POST":
        typed = Kept(request.POST.get("text", ""), request.POST.get("base", ""), clock.now())
        return _editor(request, found, typed=typed) if "preview" in request.POST else save(request, found, typed)
    wanted = request.GET.get("draft", "")
    return _editor(request, found, typed=keeping.kept(_key(found)) if wanted else None)


@require_POST
def preview(request: HttpRequest, identity: str = "", file: str = "") -> HttpResponse:
    """Show how the typed text will look, and keep it as a draft."""
    text = request.POST.get("text", "")
    try:
        found = _opened(request, identity, file)
    except (NotFound, Http404):  # the note is gone: the page says so, and its text is shown as before
        context = {"preview": editor.preview(text, request.POST.get("lies", ""))}
    else:
        _keep(found, text, request.POST.get("base", ""))
        known = document.parse(found.raw).text
        context = {"preview": editor.preview(text, found.path, known=known)}
    return page(request, "web/parts/editing/preview.html", context)


@require_POST
def discard(request: HttpRequest, identity: str = "", file: str = "") -> HttpResponse:
    """Throw away what was typed and not saved."""
    found = finding.wanted(identity, file)
    keeping.drop(_key(found))
    toasts.say(request, _("The unsaved text is thrown away."), saved=_key(found))
    return HttpResponseRedirect(addresses.of_edit(found.id, found.path))


@require_POST
def resolve(request: HttpRequest, identity: str = "", file: str = "") -> HttpResponse:
    """Save what the person chose of two texts; neither is lost."""
    try:
        found = _opened(request, identity, file)
    except (NotFound, Http404):
        return _gone(request, request.POST.get("mine", ""))
    mine, base = request.POST.get("mine", ""), request.POST.get("base", "")
    decision = request.POST.get("decision", "")
    if decision == "theirs":
        _keep(found, mine, request.POST.get("opened", ""))
        toasts.say(request, _("The other text stays. Yours is kept as a draft on the page where you edit the note."))
        return HttpResponseRedirect(addresses.of_note(found.id, found.path))
    if base != shown.digest(found.raw):
        return _conflict(request, found, mine, request.POST.get("opened", ""))
    text: str | None = mine
    if decision != "mine":
        picks = _picks(request)
        text = conflict.picked(found.raw, mine, picks)
        if text is None:
            return _conflict(request, found, mine, request.POST.get("opened", ""), picks=picks)
    typed = Kept(text or "", base, clock.now())
    return _editor(request, found, typed=typed) if decision == "edit" else save(request, found, typed)


def save(request: HttpRequest, found: Found, typed: Kept) -> HttpResponse:
    """Save a note's text and go to its page; what stands in the way is shown with the text."""
    given = {"path": found.path, "text": typed.text, "base": typed.base}
    try:
        done = cast("Written", operations.dispatch("edit_page", person.caller(request), given))
    except BrainError as error:
        if proof.asked_by(error):
            raise
        if error.code == "conflict":
            return _conflict(request, finding.by_path(found.path), typed.text, typed.base)
        return _editor(request, found, typed=typed, refusal=error)
    keeping.drop(_key(found))
    if done.changed:
        toasts.say(
            request,
            " ".join([_("Saved."), *(one.message for one in done.warnings)]),
            undo=done.op or "",
            saved=_key(found),
        )
    else:
        toasts.say(request, _("Nothing to write: the note says that already."), saved=_key(found))
    return HttpResponseRedirect(addresses.of_note(done.id, done.path or found.path))


def _opened(request: HttpRequest, identity: str, file: str) -> Found:
    """Return the note of an address; where its id can no longer be read, the one at the path that it was opened at."""
    try:
        return finding.wanted(identity, file)
    except (NotFound, Http404):
        lies = request.POST.get("lies") or request.GET.get("lies", "")
        if not identity or not lies:
            raise
        found = finding.by_path(lies)
        if found.id is not None:  # another note has taken the place
            raise
        return found


def _meanwhile(request: HttpRequest, identity: str, file: str) -> HttpResponse:
    """Say to an open editor what became of its note; nothing while that is as it was opened."""
    context: dict[str, object] = {"is_gone": True}
    try:
        found = _opened(request, identity, file)
    except (NotFound, Http404):
        return page(request, "web/parts/editing/meanwhile.html", context, status=live.STOP_POLLING)
    lies = request.GET.get("lies") or found.path
    if found.path == lies and request.GET.get(live.PARAMETER) == shown.digest(found.raw):
        return HttpResponse(status=204)
    context = {
        "moved_to": found.path if found.path != lies else "",
        "is_broken": document.parse(found.raw).error is not None,
    }
    return page(request, "web/parts/editing/meanwhile.html", context, status=live.STOP_POLLING)


def _editor(
    request: HttpRequest, found: Found, *, typed: Kept | None, refusal: BrainError | None = None
) -> HttpResponse:
    shown_editor = editor.of_note(found.raw, found.path, found.id, typed=typed, refusal=refusal)
    context = {
        "editor": shown_editor,
        "preview": shown_editor.preview,
        "crumbs": [(_("Notes"), "/notes"), (shown_editor.title, shown_editor.href), (_("Edit"), "")],
    }
    status = failures.STATUS.get(refusal.code, 500) if refusal else 200
    return page(request, "web/editing/edit.html", context, status=status)


def _conflict(
    request: HttpRequest, found: Found, mine: str, opened: str, *, picks: dict[int, str] | None = None
) -> HttpResponse:
    _keep(found, mine, opened)
    both = conflict.of_texts(found.raw, found.path, found.id, mine=mine, opened=opened, picks=picks)
    context = {
        "both": both,
        "opened": opened,
        "crumbs": [(_("Notes"), "/notes"), (both.title, both.href), (_("Two texts"), "")],
    }
    return page(request, "web/editing/conflict.html", context, status=409 if picks is None else 422)


def _gone(request: HttpRequest, text: str) -> HttpResponse:
    """Show the text of a note that is no longer there, without what may be a secret."""
    context = {"text": secrets.without(text), "crumbs": [(_("Notes"), "/notes"), (_("The note is gone"), "")]}
    return page(request, "web/editing/gone.html", context, status=409)


def _picks(request: HttpRequest) -> dict[int, str]:
    found = ((name.removeprefix("pick-"), str(value)) for name, value in request.POST.items())
    return {int(number): value for number, value in found if number.isdecimal() and value in CHOICES}


def _keep(found: Found, text: str, base: str) -> None:
    """Keep a text as a draft where it is worth it; nothing of a private note is kept."""
    note = document.parse(found.raw)
    same = text.replace("\r\n", "\n") == note.text.replace("\r\n", "\n")
    if same or fields.is_private(note):
        keeping.drop(_key(found))
    else:
        keeping.keep(_key(found), text, base)


def _key(found: Found) -> str:
    return found.id or found.path
