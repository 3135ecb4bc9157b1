"""Tags of the pages: icons, moments in time, and what a toast says."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Final

from django import template
from django.templatetags.static import static
from django.utils.formats import date_format
from django.utils.html import conditional_escape, format_html, format_html_join
from django.utils.safestring import SafeString

from brain import clock
from brain.language import gettext as _
from brain.language import ngettext
from brain.web import toasts

register = template.Library()
_DAY: Final = timedelta(days=1)


@register.simple_tag
def icon(name: str, label: str = "") -> SafeString:
    """Draw an icon of the sprite; one without words beside it has a label."""
    address = f"{static('icons.svg')}#{name}"
    if label:
        return format_html('<svg class="icon" role="img" aria-label="{}"><use href="{}"/></svg>', label, address)
    return format_html('<svg class="icon" aria-hidden="true"><use href="{}"/></svg>', address)


@register.filter
def with_code(text: str) -> SafeString:
    """Write a text for people with what stands between `backticks` in it as code."""
    pieces = conditional_escape(text).split("`")
    if len(pieces) % 2 == 0:
        return format_html("{}", text)
    safe = map(SafeString, pieces)
    shown = (format_html("<code>{}</code>", piece) if place % 2 else piece for place, piece in enumerate(safe))
    return format_html_join("", "{}", ((piece,) for piece in shown))


@register.simple_tag
def when(moment: datetime) -> SafeString:
    """Write how long ago something was, up to a day, then its date; the full form is in the title."""
    local = moment.astimezone()
    full = date_format(local.replace(tzinfo=None), "j b Y, H:i:s")
    return format_html('<time datetime="{}" title="{}">{}</time>', local.isoformat("T", "seconds"), full, _said(local))


@register.simple_tag(takes_context=True)
def waiting_toasts(context: template.Context) -> list[toasts.Toast]:
    """Return the toasts that wait for this page."""
    request: Any = context.get("request")
    return list(toasts.waiting(request)) if request is not None else []


def _said(local: datetime) -> str:
    passed = clock.now() - local
    if timedelta(0) <= passed < timedelta(minutes=1):
        return _("just now")
    if timedelta(0) <= passed < timedelta(hours=1):
        minutes = int(passed.total_seconds() // 60)
        return ngettext("%(count)d min ago", "%(count)d min ago", minutes) % {"count": minutes}
    if timedelta(0) <= passed < _DAY:
        hours = int(passed.total_seconds() // 3600)
        return ngettext("%(count)d h ago", "%(count)d h ago", hours) % {"count": hours}
    is_this_year = local.year == clock.today().year
    return date_format(local.replace(tzinfo=None), "j b, H:i" if is_this_year else "j b Y")
