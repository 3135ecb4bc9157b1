"""Attesting: the person reads rules and preferences that were not given to agents, and says that they are theirs."""

from __future__ import annotations

from typing import cast

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.views.decorators.http import require_POST, require_safe

from brain import operations
from brain.contracts.approvals import AttestOutput
from brain.language import gettext as _
from brain.language import ngettext
from brain.web import person, toasts
from brain.web.rendering import page
from brain.web.viewmodels import attest


@require_safe
def show(request: HttpRequest) -> HttpResponse:
    """Show the texts that wait, whole."""
    found = cast("AttestOutput", operations.dispatch("attest", person.caller(request), {}))
    crumbs = [(_("Home"), "/"), (_("Rules held back"), "")]
    return page(request, "web/attest.html", {"attest": attest.page(found), "crumbs": crumbs})


@require_POST
def vouch(request: HttpRequest) -> HttpResponse:
    """Vouch for the texts that the form names, each by the digest of what was shown."""
    caller, count = person.caller(request), 0
    for one in request.POST.getlist("text"):
        digest, _colon, path = one.partition(":")
        given = {"path": path, "digest": digest, "yes": True}
        count += cast("AttestOutput", operations.dispatch("attest", caller, given)).attested
    said = ngettext("%(count)d text is yours now.", "%(count)d texts are yours now.", count) % {"count": count}
    toasts.say(request, said)
    return HttpResponseRedirect("/attest")
