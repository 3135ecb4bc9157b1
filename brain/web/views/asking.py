"""Ask: a question that a person sends, and its answer, statement by statement where a script reads it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.template.loader import render_to_string
from django.views.decorators.http import require_http_methods

from brain import operations
from brain.caller import Caller
from brain.contracts.asking import Again, AskOutput, ClaimPart
from brain.errors import BrainError
from brain.language import gettext as _
from brain.services.asking import standing
from brain.web import failures, person, streaming
from brain.web.rendering import page
from brain.web.streaming import Send
from brain.web.viewmodels.asking import answer, form
from brain.web.viewmodels.asking.answer import Claim

_PARTS = "web/parts/asking/"


@require_http_methods(["GET", "HEAD", "POST"])
def show(request: HttpRequest) -> HttpResponseBase:
    """Show the form, or put the question that was sent; a link or a page that is fetched ahead puts none."""
    caller = person.caller(request)
    if request.method != "POST":
        return _page(request, caller, form.read(request.GET.dict()))
    typed = form.read(request.POST.dict())
    if streaming.is_wanted(request):
        return streaming.answer(request, lambda send, gone: _Telling(send).put(replace(caller, gone=gone), typed))
    try:
        output = _dispatched(caller, typed)
    except BrainError as error:
        status = failures.STATUS.get(error.code, 500)
        return _page(request, caller, typed, wrong=error, status=422 if status < 500 else status)
    return _page(request, caller, typed, output)


def _page(
    request: HttpRequest,
    caller: Caller,
    typed: form.Typed,
    output: AskOutput | None = None,
    *,
    wrong: BrainError | None = None,
    status: int = 200,
) -> HttpResponse:
    context = {
        "form": form.form(typed, standing.now(caller)),
        "answer": answer.answer(output) if output else None,
        "wrong": wrong,
        "crumbs": [(_("Ask"), "")],
    }
    return page(request, "web/ask.html", context, status=status)


def _dispatched(caller: Caller, typed: form.Typed) -> AskOutput:
    return cast("AskOutput", operations.dispatch("ask", caller, typed.arguments()))


@dataclass
class _Telling:
    """Sends an answer as it comes: `state` is a line, `claim` and `end` are HTML, `again` takes the claims back."""

    send: Send
    shown: int = 0

    def put(self, caller: Caller, typed: form.Typed) -> None:
        """Put the question and send everything that comes of it."""
        asking = replace(caller, tell=self._tell, report=lambda _done, _all, step: self.send("state", f"{step}…"))
        try:
            output = _dispatched(asking, typed)
        except BrainError as error:
            self.send("state", "")
            said = {"message": error.message, "next_step": error.next_step, "tint": "bad"}
            self.send("end", render_to_string("web/parts/message.html", said))
            return
        if self.shown > len(output.claims):
            self._take_back()
        for claim in list(answer.claims(output))[self.shown :]:
            self._show(claim)
        self.send("use", _use(caller))
        self.send("end", render_to_string(f"{_PARTS}end.html", {"end": answer.ending(output)}))
        self.send("state", answer.state(output))

    def _tell(self, part: object) -> None:
        if isinstance(part, ClaimPart):
            self._show(answer.claim(part.claim, part.citations))
        elif isinstance(part, Again):
            self._take_back()

    def _show(self, claim: Claim) -> None:
        self.shown += 1
        self.send("claim", render_to_string(f"{_PARTS}claim.html", {"claim": claim}))

    def _take_back(self) -> None:
        self.shown = 0
        self.send("again", "")


def _use(caller: Caller) -> str:
    return render_to_string(f"{_PARTS}use.html", {"standing": standing.now(caller)})
