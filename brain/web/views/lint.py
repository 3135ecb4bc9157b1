"""Lint: what in the brain wants a look, and what would mend it; beside it what the doctor says of the machine."""

from __future__ import annotations

from typing import Any, cast

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.views.decorators.http import require_POST, require_safe

from brain import config, operations
from brain.contracts.graph import LintOutput
from brain.contracts.shared import Written
from brain.language import gettext as _
from brain.services.health import checkup
from brain.web import person, toasts
from brain.web.rendering import page
from brain.web.viewmodels import lint


@require_safe
def show(request: HttpRequest) -> HttpResponse:
    """Show the findings by rule, those of one rule where the address names one."""
    rule = lint.known(request.GET.get("rule", ""))
    found = _found(request)
    of_rule = _found(request, rules=[rule]) if rule and found.truncated else found
    context = {"lint": lint.page(found, rule=rule, of_rule=of_rule), "tabs": lint.tabs(), "crumbs": [(_("Lint"), "")]}
    return page(request, "web/lint.html", context)


@require_safe
def doctor(request: HttpRequest) -> HttpResponse:
    """Show what the doctor finds wrong with the machine and the brain, and what mends each fault."""
    found = checkup.run_all(config.here(), caller=person.caller(request), deep=False)
    crumbs = [(_("Lint"), lint.PATH), (_("Doctor"), "")]
    context = {"doctor": lint.checked(found), "tabs": lint.tabs(doctor=True), "crumbs": crumbs}
    return page(request, "web/doctor.html", context)


@require_POST
def mend(request: HttpRequest) -> HttpResponse:
    """Mend one finding and go back to the findings, with the way back in a toast."""
    line = request.POST.get("line", "")
    given = {
        "rule": request.POST.get("rule", ""),
        "path": request.POST.get("path", ""),
        "line": int(line) if line.isascii() and line.isdigit() and len(line) < 8 else line or None,
    }
    done = cast("Written", operations.dispatch("lint_fix", person.caller(request), given))
    toasts.say(request, _("Mended in %(path)s.") % {"path": done.path}, undo=done.op or "")
    return HttpResponseRedirect(lint.address(lint.known(request.POST.get("shown", ""))))


def _found(request: HttpRequest, **asked: Any) -> LintOutput:
    given = {"limit": lint.MOST, **asked}
    return cast("LintOutput", operations.dispatch("lint", person.caller(request), given))
