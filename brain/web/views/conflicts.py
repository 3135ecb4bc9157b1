"""Conflict copies: listed, and settled one by one by the person."""

from __future__ import annotations

from typing import cast

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.views.decorators.http import require_POST, require_safe

from brain import operations
from brain.contracts.shared import Written
from brain.errors import BrainError, Conflict, InvalidPath, UnsafePath
from brain.guard import paths
from brain.index import refresh
from brain.language import gettext as _
from brain.services import workplace
from brain.services.editing.merging import CHOICES
from brain.store import files
from brain.web import failures, person, proof, toasts
from brain.web.rendering import page
from brain.web.viewmodels import conflicts
from brain.web.viewmodels.conflicts import Both

_PAGE = "/conflicts"
_WHOLE = ("note", "copy", "both")


@require_safe
def show(request: HttpRequest) -> HttpResponse:
    """List the copies that wait."""
    refresh.catch_up()
    context = {
        "waiting": conflicts.waiting(),
        "others": conflicts.others(),
        "crumbs": [(_("Sync"), "/sync"), (_("Conflicts"), "")],
    }
    return page(request, "web/syncing/conflicts.html", context)


@require_safe
def one(request: HttpRequest, file: str) -> HttpResponse:
    """Show the texts of a copy side by side."""
    refresh.catch_up()
    path, raw = _found(file)
    return _both(request, conflicts.of_copy(path, raw))


@require_POST
def settle(request: HttpRequest, file: str) -> HttpResponse:
    """Carry out what the person decided; over a version that moved it says so and shows both anew."""
    refresh.catch_up()
    path, raw = _found(file)
    decision, picks = request.POST.get("decision", ""), _picks(request)
    given = {"path": path, "base": request.POST.get("base", ""), "copy_base": request.POST.get("copy_base", "")}
    if decision in _WHOLE:
        return _settle(request, {**given, "keep": decision}, (path, raw))
    if decision in ("choose", "edit"):
        now = conflicts.of_copy(path, raw)
        if (now.base, now.copy_base) != (given["base"], given["copy_base"]):
            said = Conflict(_("The texts changed since you opened them. Nothing was changed."))
            return _both(request, now, refusal=said)
        text = conflicts.picked(path, raw, picks)
        if text is None:
            return _both(request, conflicts.of_copy(path, raw, picks=picks), status=422)
    else:
        text = request.POST.get("text", "").replace("\r\n", "\n")
    if decision == "edit":
        return _both(request, conflicts.of_copy(path, raw, picks=picks, typed=text))
    return _settle(request, {**given, "keep": "text", "text": text}, (path, raw))


def _settle(request: HttpRequest, given: dict[str, str], copy: tuple[str, bytes]) -> HttpResponse:
    try:
        done = cast("Written", operations.dispatch("resolve_conflict", person.caller(request), given))
    except BrainError as error:
        if proof.asked_by(error):
            raise
        path, raw = copy
        return _both(request, conflicts.of_copy(path, raw, typed=given.get("text")), refusal=error)
    said = " ".join([conflicts.settled(done.path), *(one.message for one in done.warnings)])
    toasts.say(request, said, undo=done.op or "")
    return HttpResponseRedirect(_PAGE)


def _both(request: HttpRequest, both: Both, *, refusal: BrainError | None = None, status: int = 200) -> HttpResponse:
    context = {
        "both": both,
        "refusal": refusal,
        "crumbs": [(_("Sync"), "/sync"), (_("Conflicts"), _PAGE), (both.title, "")],
    }
    status = failures.STATUS.get(refusal.code, 500) if refusal else status
    return page(request, "web/syncing/conflict.html", context, status=status)


def _found(file: str) -> tuple[str, bytes]:
    """Return the copy of an address and its bytes; Http404 where there is none."""
    try:
        path = files.actual(workplace.root(), paths.inside_path(file))
        raw = files.read(workplace.root(), path) if path and paths.is_conflict_copy(path) else None
    except (UnsafePath, InvalidPath) as error:
        raise Http404 from error
    if path is None or raw is None:
        raise Http404
    return path, raw


def _picks(request: HttpRequest) -> dict[int, str]:
    found = ((name.removeprefix("pick-"), str(value)) for name, value in request.POST.items())
    return {int(number): value for number, value in found if number.isdecimal() and value in CHOICES}
