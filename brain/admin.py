"""Every request of the agents, decided ones too, as Django's admin lists them: to look through, filter and search.

Nothing is changed here: each request that waits leads to its page, where it is shown whole. Of the admin there is the
list alone, without its own log-in and password pages, and under the same policy as every other page.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import path
from django.utils.formats import date_format
from django.utils.functional import lazystr
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from brain.approval.models import Proposal
from brain.language import gettext as _
from brain.language import gettext_noop as N_
from brain.services.proposals import interrupted, keeping
from brain.web.viewmodels import people

if TYPE_CHECKING:
    _Admin = admin.ModelAdmin[Proposal]
else:
    _Admin = admin.ModelAdmin

LIST: Final = "/admin/approval/proposal/"
_STATES: Final = {
    Proposal.WAITING: N_("waits"),
    Proposal.ACCEPTED: N_("approved"),
    Proposal.REJECTED: N_("refused"),
    Proposal.WITHDRAWN: N_("taken back by its client"),
    Proposal.CONFIRMED: N_("confirmed in its client"),
}
_KINDS: Final = {Proposal.PROPOSAL: N_("proposal"), Proposal.CONFIRMATION: N_("question of its client")}


class _Said:
    """A text in the language that is in force when it is shown."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __str__(self) -> str:
        return _(self.text)


class _Filter(admin.SimpleListFilter):
    """The values of a column to choose from."""

    column = ""

    def lookups(self, _request: HttpRequest, _model_admin: Any) -> list[tuple[str, str]]:
        """Return what there is to choose."""
        return [(value, value) for value in _values(self.column)]

    def queryset(self, _request: HttpRequest, queryset: QuerySet[Proposal]) -> QuerySet[Proposal]:
        """Keep what has the chosen value."""
        chosen = self.value()
        return queryset.filter(**{self.column: chosen}) if chosen else queryset


class ByState(_Filter):
    """What became of it."""

    title, parameter_name, column = lazystr(_Said(N_("state"))), "is", "state"

    def lookups(self, _request: HttpRequest, _model_admin: Any) -> list[tuple[str, str]]:
        """Return the states in words."""
        return [(value, _(text)) for value, text in _STATES.items()]


class ByKind(_Filter):
    """Left for later, or asked while the client waits."""

    title, parameter_name, column = lazystr(_Said(N_("kind"))), "as", "kind"

    def lookups(self, _request: HttpRequest, _model_admin: Any) -> list[tuple[str, str]]:
        """Return the kinds in words."""
        return [(value, _(text)) for value, text in _KINDS.items()]


class ByClient(_Filter):
    """Who asked."""

    title, parameter_name, column = lazystr(_Said(N_("client"))), "by", "client"

    def lookups(self, _request: HttpRequest, _model_admin: Any) -> list[tuple[str, str]]:
        """Return the clients as they write their names."""
        return [(value, people.client_name(value)) for value in _values("client")]


class ByOperation(_Filter):
    """What it asked for."""

    title, parameter_name, column = lazystr(_Said(N_("operation"))), "of", "operation"


def _values(column: str) -> list[str]:
    return sorted(Proposal.objects.order_by().values_list(column, flat=True).distinct())


class Proposals(_Admin):
    """The list, which nobody adds to, changes or takes from."""

    list_display = ("asked", "what", "operation_name", "client_name", "kind_name", "state_name", "decided", "outcome")
    list_display_links = None
    list_filter = (ByState, ByKind, ByClient, ByOperation)
    search_fields = ("id", "client", "session", "operation", "claim", "op", "change")
    list_per_page = 50
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    actions = None
    change_list_template = "web/admin_proposals.html"

    @property
    def media(self) -> Any:
        """No script of the admin's is needed for a list."""
        from django.forms import Media

        return Media()

    def get_queryset(self, request: HttpRequest) -> QuerySet[Proposal]:
        """Return the requests, what an interrupted approval left settled."""
        interrupted.settle()
        return super().get_queryset(request)

    def has_add_permission(self, _request: HttpRequest) -> bool:
        """Leave asking to the agents."""
        return False

    def has_change_permission(self, _request: HttpRequest, _one: Proposal | None = None) -> bool:
        """Let a request be decided on its page alone."""
        return False

    def has_delete_permission(self, _request: HttpRequest, _one: Proposal | None = None) -> bool:
        """Let nobody take a request away by hand."""
        return False

    def has_view_permission(self, _request: HttpRequest, _one: Proposal | None = None) -> bool:
        """Show it to whoever got here: only the person does."""
        return True

    @admin.display(description=lazystr(_Said(N_("Asked"))), ordering="id")
    def asked(self, one: Proposal) -> str:
        """Return when it was asked for, in local time."""
        return _moment(one.created_at)

    @admin.display(description=lazystr(_Said(N_("About"))))
    def what(self, one: Proposal) -> SafeString | str:
        """Return the file that it is about, with the way to its page while it waits."""
        file = keeping.path_of(one)
        return format_html('<a href="/approvals/{}">{}</a>', one.id, file) if one.state == Proposal.WAITING else file

    @admin.display(description=lazystr(_Said(N_("Operation"))), ordering="operation")
    def operation_name(self, one: Proposal) -> str:
        """Return the operation's own name."""
        return one.operation

    @admin.display(description=lazystr(_Said(N_("Client"))), ordering="client")
    def client_name(self, one: Proposal) -> str:
        """Return who asked."""
        return people.client_name(one.client)

    @admin.display(description=lazystr(_Said(N_("Kind"))), ordering="kind")
    def kind_name(self, one: Proposal) -> str:
        """Return its kind in words."""
        return _(_KINDS[one.kind])

    @admin.display(description=lazystr(_Said(N_("State"))), ordering="state")
    def state_name(self, one: Proposal) -> str:
        """Return what became of it in words."""
        return _(_STATES[one.state])

    @admin.display(description=lazystr(_Said(N_("Decided"))), ordering="decided_at")
    def decided(self, one: Proposal) -> str:
        """Return when it was decided, in local time."""
        return _moment(one.decided_at) if one.decided_at else ""

    @admin.display(description=lazystr(_Said(N_("Outcome"))))
    def outcome(self, one: Proposal) -> SafeString | str:
        """Return the operation that wrote it, or why it was refused."""
        if one.op and one.commit:
            return format_html('<a href="/activity/{}">{}</a>', one.op, one.op)
        return one.answer if one.state == Proposal.REJECTED else ""


def _moment(moment: datetime) -> str:
    return date_format(moment.astimezone().replace(tzinfo=None), "j b Y, H:i")


_site: Final = admin.AdminSite(name="admin")
_site.enable_nav_sidebar = False


@require_safe
def proposals(request: HttpRequest) -> HttpResponse:
    """Show the list."""
    _site.site_title = "Cabeção"
    return Proposals(Proposal, _site).changelist_view(request, {"title": _("Every request")})


@require_safe
def index(_request: HttpRequest) -> HttpResponse:
    """Go to the one list that there is."""
    return HttpResponseRedirect(LIST)


urlpatterns = [
    path("", index, name="index"),
    path("approval/proposal/", proposals, name="approval_proposal_changelist"),
]
