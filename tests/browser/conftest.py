"""A real browser at the pages, watched: any error, breach of the policy or request elsewhere fails the test."""

from __future__ import annotations

import os
import shutil
import sys
from importlib.resources import files
from pathlib import Path

import pytest
from django.conf import settings as django_settings
from django.contrib.staticfiles.handlers import StaticFilesHandler
from django.test.testcases import LiveServerThread
from watching import Watched, absent

from brain import config, language, operations
from brain.caller import Caller, Kind, Surface
from cabecao_site import bootstrap

WEB = Path(__file__).parents[1] / "web"
RICH = """# Rica

Texto com `código`, **força**, [fora](https://example.org/) e [[Painel de alarmes]].

### Terceiro nível

- [x] feito
- [ ] por fazer

| fila | dono |
|---|---|
| faturamento | Ana |

```python
print("olá, um comando que é comprido o bastante para não caber em um telefone de trezentos e noventa pontos")
```

> Citação.

![foto](https://evil.example/pixel.png)
"""
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


@pytest.fixture
def example(brain):
    """The example brain, with one note that holds everything and one that cannot be read; committed."""
    from brain.jobs.models import Job, State

    bootstrap.prepare_records()
    shutil.copytree(str(files("brain") / "example" / "notes"), brain.root, dirs_exist_ok=True)
    brain.write("quebrada.md", "---\ntype: [gotcha\n---\n\nTexto.\n")
    brain.write("rica.md", RICH.replace("faturamento", "rastreio"))
    brain.commit()
    brain.write("rica.md", RICH)
    copied = brain.text("wiki/entities/SQS.md")
    brain.write("wiki/entities/SQS.conflict-escritorio-20260503-101500.md", copied.replace("\n\n", "\n\nOutra. ", 1))
    brain.git("remote", "add", "origin", "https://ana:nada@example.org/notas.git")
    brain.commit()
    agent = Caller(kind=Kind.AGENT, client="claude-code", surface=Surface.MCP)
    for title in ("Fila antiga", "Fila nova"):
        operations.dispatch("remember", agent, {"content": f"{title} sem dono.", "type": "gotcha", "title": title})
    Job.objects.create(kind="reindex", state=State.RUNNING, progress=400, done=40, total=100, step="Lendo as notas")
    Job.objects.create(
        kind="upkeep", state=State.FAILED, error_message="O repositório está ocupado.", log="linha 1\nlinha 2"
    )
    return brain


@pytest.fixture
def origin(example):
    """Where the pages are served, each request with connections of its own to the brain's databases."""
    from brain.services import workplace

    server = LiveServerThread("127.0.0.1", StaticFilesHandler, connections_override={}, port=0)
    server.daemon = True
    server.start()
    server.is_ready.wait()
    yield f"http://cabecao.localhost:{server.port}"
    server.terminate()
    workplace.close()


@pytest.fixture
def open_pages(origin, browser):
    """Open a browser of the person at the pages; what goes wrong in it fails the test."""
    from brain.access import launch

    opened = []

    def start(**options):
        context = browser.new_context(locale="pt-BR", reduced_motion="reduce", **options)
        watched = Watched(context.new_page(), origin)
        watched.listen()
        watched.goto(f"/enter?c={launch.create()}")
        opened.append((context, watched))
        return watched

    language.configure("en")  # for every thread, so for the server's too
    yield start
    language.configure(None)
    wrong = [fault for _context, watched in opened for fault in watched.wrong]
    for context, _watched in opened:
        context.close()
    assert wrong == []
