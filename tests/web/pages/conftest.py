"""The pages over a brain of its own, seen by a browser without scripts."""

from __future__ import annotations

import json
import re
import shutil
import sys
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.db import connections
from django.test import Client

from brain import operations
from brain.caller import Caller, Kind, Surface
from cabecao_site import bootstrap

OPERATIONS = Path(__file__).parents[2] / "operations"  # where the tests' own provider is
if str(OPERATIONS) not in sys.path:
    sys.path.insert(0, str(OPERATIONS))

HOST = "cabecao.localhost:8765"
HTMX = {"HX-Request": "true"}


@pytest.fixture(autouse=True)
def gallery(settings, monkeypatch):
    """Stand in for the gallery of the frame's tests: these pages are the product's own.

    A browser's tests may have left their event loop in this thread: nothing here may go through one.
    """
    settings.MIDDLEWARE = [name for name in settings.MIDDLEWARE if not name.startswith("servestatic.")]
    monkeypatch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")


@pytest.fixture(scope="session")
def records(tmp_path_factory):
    """Where the empty databases are kept once they were made."""
    return tmp_path_factory.mktemp("records")


@pytest.fixture
def stranger(gallery, brain, records):
    """Someone at the pages of the brain, without the cookie."""
    from brain.services import workplace

    machine = brain.root / ".cabecao"
    machine.mkdir(exist_ok=True)
    if (records / "state.db").exists():
        for file in records.iterdir():
            shutil.copy(file, machine)
    else:
        bootstrap.prepare_records()
        connections.close_all()
        for name in ("state.db", "audit.db"):
            shutil.copy(machine / name, records)
    yield Client(enforce_csrf_checks=True, headers={"host": HOST})
    workplace.close()


@pytest.fixture
def person(stranger):
    """The person, come in through a launch link."""
    from brain.access import launch

    assert stranger.get("/enter", {"c": launch.create()}).status_code == 302
    return stranger


@pytest.fixture
def send(person):
    """Send a form as the person's page would, with its CSRF token."""

    def post(path, data=None, **headers):
        page = person.get("/settings").content.decode()
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)[1]
        return person.post(path, {**(data or {}), "csrfmiddlewaretoken": token}, headers=headers)

    return post


@pytest.fixture
def token(person):
    """The CSRF token of the person's pages."""
    return re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', person.get("/settings").content.decode())[1]


@pytest.fixture
def post(person, token):
    def call(path, body, **headers):
        text = body if isinstance(body, str | bytes) else json.dumps(body)
        return person.post(
            f"/api/{path}", text, content_type="application/json", headers={"X-CSRFToken": token, **headers}
        )

    return call


@pytest.fixture
def agent(brain, stranger):
    """Do an operation as a client over MCP."""
    caller = Caller(kind=Kind.AGENT, client="claude-code", surface=Surface.MCP)

    def call(name, **arguments):
        return operations.dispatch(name, caller, arguments)

    return call


@pytest.fixture
def client_of(brain, stranger):
    """Return what does an operation as a client over a connection of its own."""

    def connected(client):
        caller = Caller(kind=Kind.AGENT, client=client, surface=Surface.MCP, connection=f"{client} of {brain.root}")
        return lambda name, **arguments: operations.dispatch(name, caller, arguments)

    return connected


@dataclass
class Seen(HTMLParser):
    """What a page holds: its headings, links and text."""

    html: str
    heads: list[str] = field(default_factory=list)
    links: dict[str, str] = field(default_factory=dict)
    text: str = ""
    _inside: list[str] = field(default_factory=list)
    _href: str = ""

    def __post_init__(self):
        super().__init__()
        self.feed(self.html)
        self.text = " ".join(self.text.split())

    def handle_starttag(self, tag, attrs):
        if tag in ("h1", "a"):
            self._inside.append(tag)
            self._href = dict(attrs).get("href", "") if tag == "a" else self._href
            self.heads += [""] if tag == "h1" else []

    def handle_endtag(self, tag):
        if self._inside and self._inside[-1] == tag:
            self._inside.pop()

    def handle_data(self, data):
        self.text += data
        if "h1" in self._inside:
            self.heads[-1] += data
        if "a" in self._inside and data.strip():
            self.links[data.strip()] = self._href


@pytest.fixture
def see(person):
    """Open a page that must answer, and take it apart."""

    def get(path, data=None, *, status=200, **headers):
        answer = person.get(path, data, headers=headers)
        assert answer.status_code == status, (path, answer.status_code, answer.content[:400])
        return Seen(answer.content.decode())

    return get
