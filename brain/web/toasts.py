"""A short word after something was done, with the way back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpRequest


@dataclass(frozen=True)
class Toast:
    """What was done; `undo` is the operation that can be taken back."""

    text: str
    undo: str = ""


def say(request: HttpRequest, text: str, *, undo: str = "") -> None:
    """Show a toast on the next page; `undo` is an operation's id."""
    messages.success(request, text, extra_tags=undo)


def waiting(request: HttpRequest) -> Iterator[Toast]:
    """Yield the toasts that no page has shown yet."""
    for message in messages.get_messages(request):
        yield Toast(message.message, message.extra_tags or "")
