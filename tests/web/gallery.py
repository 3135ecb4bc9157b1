"""Pages that show every part with invented content, for tests and for looking at; not shipped."""

from __future__ import annotations

from datetime import timedelta

from django.http import HttpResponse, HttpResponseRedirect
from django.urls import include, path
from django.utils.safestring import mark_safe

from brain import clock
from brain.errors import Conflict
from brain.web import badges, toasts
from brain.web.difference import compare
from brain.web.rendering import page

HOST = "cabecao.localhost:8765"
ORIGIN = f"http://{HOST}"
BEFORE = (
    "## Commits\n\nEscreva a mensagem de commit no presente.\nUm assunto por commit.\n"
    + "Linha igual.\n" * 14
    + "## Segredos\n"
)
AFTER = (
    "## Commits\n\nEscreva a mensagem de commit no imperativo e em português.\nRode os testes antes de cada commit e cole o resumo na"
    " mensagem.\nUm assunto por commit.\n"
    + "Linha igual.\n" * 14
    + "## Segredos\nSe um teste pedir uma chave, pare e pergunte.\n"
)


def note(request):
    context = {
        "crumbs": [("Notas", "/notes"), ("Decisões", "/notes?type=decision"), ("SQS no lugar do RabbitMQ", "")],
        "badges": [
            badges.of_type("decision"),
            badges.of_validity("current"),
            badges.of_trust("high"),
            badges.of_scope("project:atlas"),
        ],
        "provenance": {
            "is_agent": True,
            "text": mark_safe(
                "<strong>Claude Code</strong> escreveu em 3 de maio de 2026. <strong>Você</strong> aprovou no mesmo dia"
                " e corrigiu um trecho há 2 dias."
            ),
            "href": "/activity",
            "label": "Ver sessão",
        },
        "diff": compare(BEFORE, AFTER),
        "bar": {"start": 40, "until": 130, "today": 130, "is_open": True, "text": "3 mai 2026, sem fim"},
    }
    return page(request, "gallery/note.html", context)


def parts(request):
    now = clock.now()
    context = {
        "crumbs": [("Atividade", "")],
        "moments": [now, now - timedelta(minutes=3), now - timedelta(hours=5), now - timedelta(days=40)],
        "all_badges": [badges.of_type(name) for name in [*badges.TYPES, "outro", None]]
        + [badges.of_validity(name) for name in ("current", "expired", "not_yet_valid")]
        + [badges.of_trust(name) for name in ("low", "medium", "high")]
        + [badges.of_ring(2), badges.private()],
        "pages": {"number": 2, "count": 9, "previous": "/?page=1", "next": "/?page=3"},
        "progress": {
            "label": "Refazendo o índice",
            "value": 3200,
            "max": 10000,
            "note": "3.200 de 10.000, falta 1 min",
        },
        "meter": {"label": "Regras e preferências", "value": 6000, "max": 8192, "high": 7000, "note": "6.000 de 8.192"},
    }
    return page(request, "gallery/parts.html", context, part="web/parts/pagination.html")


def say(request):
    toasts.say(request, "“SQS no lugar do RabbitMQ” foi arquivada.", undo="01JABCDEFGHJKMNPQRSTVWXYZ0")
    return HttpResponseRedirect("/")


def clash(request):
    raise Conflict("A nota mudou enquanto você editava.")


def crash(request):
    raise RuntimeError("a view that fails")


def outside_the_policy(request):
    """A page that breaks the policy in three ways."""
    return HttpResponse(
        '<!doctype html><html lang="en"><head><title>x</title><link rel="icon" href="/static/favicon.svg"></head>'
        '<body><h1 style="color:red" onclick="alert(1)">x</h1><img src="https://evil.example/pixel.png" alt=""></body></html>'
    )


urlpatterns = [
    path("", note),
    path("parts", parts),
    path("say", say),
    path("clash", clash),
    path("crash", crash),
    path("api/thing", crash),
    path("outside-the-policy", outside_the_policy),
    path("", include("cabecao_site.urls")),
]
handler400 = "brain.web.failures.bad_request"
handler403 = "brain.web.failures.forbidden"
handler404 = "brain.web.failures.missing"
handler500 = "brain.web.failures.broken"
