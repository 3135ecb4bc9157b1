"""A real browser at the pages, watched: any error, breach of the policy or request elsewhere fails the test."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from django.conf import settings as django_settings
from watching import Watched, absent

from brain import config, language

WEB = Path(__file__).parents[1] / "web"
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")

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
