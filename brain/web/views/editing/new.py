"""A new note, whole or quick: what is like it is seen before it is written, and it is written as a memory is."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.views.decorators.http import require_http_methods, require_POST

from brain import operations
from brain.contracts import checking
from brain.contracts.writes import RememberInput, RememberOutput
from brain.errors import BrainError
from brain.guard import secrets
from brain.language import gettext as _
from brain.web import badges, failures, person, proof, toasts
from brain.web.rendering import page
from brain.web.viewmodels import addresses
from brain.web.viewmodels.editing import foreseen, new_note
from brain.web.viewmodels.editing.foreseen import Foreseen
from brain.web.viewmodels.editing.new_note import Typed


@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    """Show the form of a new note, give it the shape of another type, or save it."""
    if request.method != "POST":
        return _form(request, new_note.shaped(new_note.read(request.GET.dict())))
    typed = new_note.read(request.POST.dict())
    return _form(request, new_note.shaped(typed)) if "shape" in request.POST else _save(request, typed)


@require_http_methods(["GET", "HEAD", "POST"])
def capture(request: HttpRequest) -> HttpResponse:
    """Show the form of a quick note, or save it; where there is something to ask, the whole form asks it."""
    if request.method == "POST":
        return _save(request, _of_type(request, new_note.read(request.POST.dict())))
    context = {"new": new_note.page(new_note.read(request.GET.dict())), "crumbs": [(_("Quick note"), "")]}
    return page(request, "web/editing/capture.html", context)


@require_POST
def alike(request: HttpRequest) -> HttpResponse:
    """Show what is like the note that is being written, and what saving would do; nothing is kept of it."""
    typed = _of_type(request, new_note.read(request.POST.dict()))
    lines = secrets.scan(f"{typed.title}\n{typed.text}", human=True)
    said = _("Line %(line)d may hold a secret (%(rule)s): it cannot be saved so.")
    context = {
        "problems": [said % {"line": max(1, one.line - 1), "rule": one.rule} for one in lines],
        "foreseen": None if lines else _foreseen(request, typed),
        "guessed": badges.of_type(typed.type) if not request.POST.get("type") else None,
    }
    return page(request, "web/parts/editing/alike.html", context)


def _of_type(request: HttpRequest, typed: Typed) -> Typed:
    """Return a form with the type that its text seems to be of, where none was chosen."""
    return typed if request.POST.get("type") else replace(typed, type=new_note.guessed(typed.text))


def _foreseen(request: HttpRequest, typed: Typed) -> Foreseen | None:
    """Return what would become of a note; nothing while it is not whole."""
    try:
        given = checking.parse(RememberInput, replace(typed, resolution="").arguments())
        return foreseen.of(person.caller(request), given)
    except BrainError:
        return None


def _save(request: HttpRequest, typed: Typed) -> HttpResponse:
    try:
        if not typed.resolution and not secrets.scan(typed.text, human=True):
            known = _foreseen(request, typed)
            if known is not None and known.stops(typed.seen):
                return _form(request, typed, known)
        found = operations.dispatch("remember", person.caller(request), typed.arguments())
    except BrainError as error:
        if proof.asked_by(error):
            raise
        return _form(request, typed, refusal=error)
    return _settled(request, typed, cast("RememberOutput", found))


def _settled(request: HttpRequest, typed: Typed, done: RememberOutput) -> HttpResponse:
    if done.decision == "needs_resolution" or done.path is None:
        return _form(request, typed, _foreseen(request, typed))
    label = badges.of_type(typed.type).text
    said = (
        _("Saved as %(type)s.") % {"type": label.lower()}
        if done.op
        else _("Nothing to write: the note says that already.")
    )
    told = " ".join([said, *(one.message for one in done.warnings)])
    toasts.say(request, told, undo=done.op or "", saved=new_note.DRAFT)
    return HttpResponseRedirect(addresses.of_note(done.id, done.path))


def _form(
    request: HttpRequest, typed: Typed, known: Foreseen | None = None, refusal: BrainError | None = None
) -> HttpResponse:
    context = {
        "new": new_note.page(typed, known, refusal),
        "foreseen": known,
        "crumbs": [(_("Notes"), "/notes"), (_("New note"), "")],
    }
    status = failures.STATUS.get(refusal.code, 500) if refusal else 409 if known else 200
    return page(request, "web/editing/new.html", context, status=status)
