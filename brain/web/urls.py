"""The addresses of the pages: English, and the same in both languages."""

from django.urls import path

from brain.web import entrance, preferences
from brain.web.views import activity, attest, clients, facts, graph, history, home, jobs, lint, note, notes, search

urlpatterns = [
    path("", home.show, name="home"),
    path("health", home.health, name="health"),
    path("search", search.show, name="search"),
    path("notes", notes.show, name="notes"),
    path("n/<str:identity>", note.show, name="note"),
    path("n/<str:identity>/history", history.show, name="history"),
    path("n/<str:identity>/versions", history.panel, name="versions"),
    path("n/<str:identity>/neighbours", graph.panel, name="neighbours"),
    path("path/<path:file>/neighbours", graph.panel_by_path, name="neighbours-by-path"),
    path("path/<path:file>/history", history.show_by_path, name="history-by-path"),
    path("path/<path:file>/versions", history.panel_by_path, name="versions-by-path"),
    path("path/<path:file>", note.show_by_path, name="note-by-path"),
    path("missing", note.missing, name="missing"),
    path("activity", activity.show, name="activity"),
    path("activity/<str:op>", activity.details, name="operation"),
    path("undo", activity.undo, name="undo"),
    path("graph", graph.show, name="graph"),
    path("graph/data", graph.data, name="graph-data"),
    path("facts", facts.show, name="facts"),
    path("lint", lint.show, name="lint"),
    path("lint/mend", lint.mend, name="mend"),
    path("attest", attest.show, name="attest"),
    path("attest/vouch", attest.vouch, name="vouch"),
    path("jobs", jobs.show, name="jobs"),
    path("jobs/start", jobs.start, name="start-job"),
    path("jobs/<str:job>/cancel", jobs.cancel, name="cancel-job"),
    path("enter", entrance.enter, name="enter"),
    path("settings", preferences.settings, name="settings"),
    path("settings/clients", clients.show, name="clients"),
    path("settings/theme", preferences.set_theme, name="set-theme"),
    path("settings/language", preferences.set_language, name="set-language"),
    path("settings/keys", preferences.set_keys, name="set-keys"),
]
