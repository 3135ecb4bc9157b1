"""Lint: what in the brain wants a look, and what would mend it."""

from __future__ import annotations

from typing import Any, cast

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from brain import operations
from brain.contracts.graph import LintOutput
from brain.language import gettext as _
from brain.web import person
from brain.web.rendering import page
from brain.web.viewmodels import lint


@require_safe
def show(request: HttpRequest) -> HttpResponse:
    """Show the findings by rule, those of one rule where the address names one."""
    rule = lint.known(request.GET.get("rule", ""))
    found = _found(request)
    of_rule = _found(request, rules=[rule]) if rule and found.truncated else found
    context = {"lint": lint.page(found, rule=rule, of_rule=of_rule), "crumbs": [(_("Lint"), "")]}
    return page(request, "web/lint.html", context)


def _found(request: HttpRequest, **asked: Any) -> LintOutput:
    given = {"limit": lint.MOST, **asked}
    return cast("LintOutput", operations.dispatch("lint", person.caller(request), given))
