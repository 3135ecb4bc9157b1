"""A real browser at the pages, watched: any error, breach of the policy or request elsewhere fails the test."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from django.conf import settings as django_settings

from brain import config, language

WEB = Path(__file__).parents[1] / "web"
AXE = Path(__file__).parents[2] / "assets" / "node_modules" / "axe-core" / "axe.min.js"
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
REQUIRED = os.environ.get("CABECAO_REQUIRE_SERVICES") == "1"
_REPORT = "addEventListener('securitypolicyviolation', e => reportViolation(`${e.effectiveDirective} ${e.blockedURI}`))"

if str(WEB) not in sys.path:
    sys.path.insert(0, str(WEB))


def pytest_collection_modifyitems(items):
    """Mark what drives a browser; the fixture of another plug-in warns about pytest's own change."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker("browser")
            item.add_marker(
                pytest.mark.filterwarnings("ignore:Session-scoped fixtures:pytest.PytestRemovedIn10Warning")
            )


def absent(what: str) -> None:
    """Skip for want of a program, or fail where everything is meant to be there."""
    (pytest.fail if REQUIRED else pytest.skip)(f"{what} is not here")


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args):
    if not Path(CHROMIUM).exists():
        absent(f"a browser at {CHROMIUM} (set CHROMIUM)")
    root = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    return {**browser_type_launch_args, "executable_path": CHROMIUM, "args": ["--disable-dev-shm-usage", *root]}


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args):
    return {**browser_context_args, "locale": "pt-BR", "timezone_id": "America/Sao_Paulo", "reduced_motion": "reduce"}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol():
    """The browser's event loop runs in the thread of the test, where Django's ORM would refuse to work."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        return (yield)


@dataclass
class Watched:
    """A page of the browser and what went wrong on it."""

    page: object
    origin: str
    wrong: list[str] = field(default_factory=list)

    def goto(self, path: str):
        """Open an address of the server and wait for its fonts."""
        answer = self.page.goto(self.origin + path)
        self.page.evaluate("document.fonts.ready.then(() => true)")
        return answer

    def listen(self) -> None:
        """Note down everything that a page must not do."""
        self.page.on("console", lambda said: said.type in ("error", "warning") and self.note(f"console: {said.text}"))
        self.page.on("pageerror", lambda error: self.note(f"error: {error}"))
        self.page.on("requestfailed", lambda request: self.note(f"failed: {request.failure} {request.url}"))
        self.page.context.expose_function("reportViolation", lambda text: self.note(f"policy: {text}"))
        self.page.context.add_init_script(_REPORT)
        self.page.context.route(lambda url: not url.startswith((self.origin, "data:")), self.refuse)

    def refuse(self, route) -> None:
        """Let nothing out of the server."""
        self.note(f"elsewhere: {route.request.url}")
        route.abort()

    def note(self, text: str) -> None:
        """Keep what went wrong, but for the status of a page that is meant to fail and a file that a new page cut off."""
        if not re.search(r"responded with a status of [45]|ERR_ABORTED", text):
            self.wrong.append(text)

    def axe(self) -> list[str]:
        """Return what the accessibility checker calls serious or critical."""
        if not AXE.exists():
            absent("axe-core (npm ci in assets)")
        # A bar that stays in place covers half a control now and then; on a page shown whole it covers none.
        size = self.page.viewport_size
        self.page.set_viewport_size({**size, "height": self.page.evaluate("document.documentElement.scrollHeight")})
        self.page.evaluate(AXE.read_text(encoding="utf-8"))
        tags = ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"]
        found = self.page.evaluate("tags => axe.run({runOnly: tags})", tags)["violations"]
        self.page.set_viewport_size(size)
        return [
            f"{one['impact']} {one['id']}: {[node['html'][:120] for node in one['nodes'][:3]]}"
            for one in found
            if one["impact"] in ("serious", "critical", "moderate")
        ]


@pytest.fixture
def gallery(settings, tmp_path):
    """Serve the gallery's pages from a brain of its own."""
    (tmp_path / ".cabecao.json").write_text('{"schema_version": 1}')
    config.enter(tmp_path)
    settings.ROOT_URLCONF = "gallery"
    settings.ALLOWED_HOSTS = [*settings.ALLOWED_HOSTS, "testserver"]
    settings.TEMPLATES = [{**django_settings.TEMPLATES[0], "DIRS": [WEB / "templates"]}]
    with language.activate("pt-br"):
        yield
    config.leave()


@pytest.fixture
def unjudged(gallery, live_server, page):
    """A watched page whose test itself looks at what went wrong."""
    origin = live_server.url.replace("localhost", "cabecao.localhost").replace("127.0.0.1", "cabecao.localhost")
    watched = Watched(page, origin)
    watched.listen()
    return watched


@pytest.fixture
def watched(unjudged):
    """A page of the person, come in through a launch link; fails the test when anything on it went wrong."""
    from brain.access import launch

    unjudged.goto(f"/enter?c={launch.create()}")
    yield unjudged
    assert not unjudged.wrong, unjudged.wrong
