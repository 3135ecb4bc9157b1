"""A short word after something was done, with the way back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpRequest


@dataclass(frozen=True)
class Toast:
    """What was done; `undo` is the operation that can be taken back, `saved` the draft that is none any more."""

    text: str
    undo: str = ""
    saved: str = ""


def say(request: HttpRequest, text: str, *, undo: str = "", saved: str = "") -> None:
    """Show a toast on the next page; `undo` is an operation's id, `saved` the name of a draft."""
    messages.success(request, text, extra_tags=f"{undo}\n{saved}")


def waiting(request: HttpRequest) -> Iterator[Toast]:
    """Yield the toasts that no page has shown yet."""
    for message in messages.get_messages(request):
        undo, _line, saved = (message.extra_tags or "").partition("\n")
        yield Toast(message.message, undo, saved)
