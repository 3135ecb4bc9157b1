"""A note's place and fate in the person's hands: renamed or moved, archived, an earlier version brought back."""

from __future__ import annotations

from typing import Any, cast

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.views.decorators.http import require_POST

from brain import operations
from brain.contracts.shared import Written
from brain.contracts.writes import ForgetOutput
from brain.language import gettext as _
from brain.web import person, toasts
from brain.web.viewmodels import addresses
from brain.web.views import finding


@require_POST
def move(request: HttpRequest, identity: str = "", file: str = "") -> HttpResponse:
    """Give a note the path and title of the form; links to it follow."""
    found = finding.wanted(identity, file)
    given: dict[str, Any] = {"path": found.path, "to": request.POST.get("to", "").strip()}
    title = " ".join(request.POST.get("title", "").split())
    given |= {"title": title} if title else {}
    given |= {"base": request.POST["base"]} if request.POST.get("base") else {}
    done = cast("Written", operations.dispatch("move_page", person.caller(request), given))
    said = [_("Moved."), *(one.message for one in done.warnings)] if done.changed else [done.next_step]
    toasts.say(request, " ".join(said), undo=done.op or "")
    return HttpResponseRedirect(addresses.of_note(done.id, done.path or found.path))


@require_POST
def archive(request: HttpRequest, identity: str = "", file: str = "") -> HttpResponse:
    """Put a note away for the reason of the form."""
    found = finding.wanted(identity, file)
    given = {"id": found.path, "reason": " ".join(request.POST.get("reason", "").split())}
    done = cast("ForgetOutput", operations.dispatch("forget", person.caller(request), given))
    toasts.say(request, _("Archived."), undo=done.op or "")
    note = done.note
    return HttpResponseRedirect(addresses.of_note(note.id if note else None, done.archived_path or found.path))


@require_POST
def restore(request: HttpRequest, identity: str = "", file: str = "") -> HttpResponse:
    """Make the version of the form the new one."""
    found = finding.wanted(identity, file)
    given = {"path": found.path, "commit": request.POST.get("commit", "")}
    given |= {"base": request.POST["base"]} if request.POST.get("base") else {}
    done = cast("Written", operations.dispatch("restore_page", person.caller(request), given))
    toasts.say(request, _("Restored.") if done.changed else done.next_step, undo=done.op or "")
    return HttpResponseRedirect(addresses.of_note(done.id, done.path or found.path))
