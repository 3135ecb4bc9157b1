"""Serving the pages, and letting a person in."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import webbrowser
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from brain import __version__, config
from brain.config import Brain
from brain.errors import AlreadyExists, InternalError, NotABrain, NotFound
from brain.language import gettext as _
from cabecao_site import running
from cabecao_site.cli import brains
from cabecao_site.cli.actions import founding
from cabecao_site.cli.parser import Parser
from cabecao_site.cli.run import Run
from cabecao_site.cli.terminal import BOLD

if TYPE_CHECKING:
    from collections.abc import Callable

EXAMPLE_FOLDER: Final = "cabecao"
_DETACHED_SECONDS: Final = 60.0


@dataclass(frozen=True)
class Served:
    """A server that answers, and the one-time links to it; none for a caller who is not a person."""

    port: int
    links: tuple[str, ...]

    @property
    def address(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.port}"


def serve_options(grammar: Parser) -> None:
    """Add the port and whether a browser is opened."""
    grammar.add_argument("--port", type=int, help=_("the port on 127.0.0.1 (default: 8765)"))
    grammar.add_argument("--no-browser", action="store_true", help=_("open no browser, only print the link"))


def start_options(grammar: Parser) -> None:
    """Add those of serve, and serving in the background."""
    serve_options(grammar)
    grammar.add_argument("--detach", action="store_true", help=_("serve in the background"))


def open_options(grammar: Parser) -> None:
    """Add whether a browser is opened."""
    grammar.add_argument("--no-browser", action="store_true", help=_("open no browser, only print the link"))


def serve(run: Run) -> int:
    """Serve the chosen brain until Ctrl+C."""
    from cabecao_site import serve as server

    root = config.enter(run.root).root
    with server.listen(run.arguments.port or server.PORT) as listening:
        return _serve(run, root, listening, lambda served: _tell_served(run, served))


def start(run: Run) -> int:
    """Serve the brain that is meant, the example where there is none; one that is served already is opened."""
    root, is_new = _home(run)
    config.enter(root)
    found = running.find(config.here())
    if found:
        run.enter(records=True, lean=False, root=root)
        run.terminal.note(_("It is served already; here is a new link."))
        _tell_started(run, root, _let_in(run, found.port))
        return 0
    if run.arguments.detach:
        return _start_detached(run, root, is_new=is_new)
    with _port_for_start(run) as listening:
        return _serve(run, root, listening, lambda served: _tell_started(run, root, served), is_new=is_new)


def open(run: Run) -> int:  # noqa: A001 (named like the command)
    """Print a new one-time link to the running server, and open it."""
    run.need_person()
    root = config.enter(run.root).root
    found = running.find(config.here())
    if found is None:
        raise NotFound(_("Nothing serves this brain now."), next_step=_("Run `cabecao start`."))
    run.enter(records=True, lean=False, root=root)
    _tell_served(run, _let_in(run, found.port))
    return 0


def _serve(
    run: Run, root: Path, listening: socket.socket, tell: Callable[[Served], None], *, is_new: bool = False
) -> int:
    from cabecao_site import serve as server

    with server.held_signals() as ending:
        brain = run.enter(records=True, lean=False, root=root)
        from brain.index import refresh
        from brain.services import workplace
        from brain.services.proposals import interrupted

        workplace.recover()
        interrupted.settle()
        if is_new:
            founding.vouch()

        def ready() -> None:
            tell(_let_in(run, server.port_of(listening)))
            refresh.watch(brain)
            refresh.catch_up(seconds=0.0)  # the rest goes on in the background

        try:
            if not ending.times:
                server.serve(brain, listening, ending, ready=ready)
        finally:
            refresh.stop()
        run.terminal.note(_("Stopped."))
        return 0


def _let_in(run: Run, port: int) -> Served:
    """Return the server with a fresh link, which only a person at a terminal gets."""
    if not run.caller.is_human:
        return Served(port, ())
    from brain.access import launch

    return Served(port, launch.addresses(port, launch.create()))


def _tell_served(run: Run, served: Served) -> None:
    shown = run.terminal
    if shown.as_json:
        shown.say_json({"address": served.address, "port": served.port, "links": list(served.links)})
    else:
        if not served.links:
            shown.say(served.address)
        _tell_links(run, served)
    sys.stdout.flush()
    _open_browser(run, served)


def _tell_links(run: Run, served: Served) -> None:
    if not served.links:
        run.terminal.note(_("To open the pages, a person runs `cabecao open` in a terminal."))
        return
    run.terminal.note(_("Open one of these addresses (it works once, for 5 minutes):"))
    for link in served.links:
        run.terminal.say(f"  {link}")


def _tell_started(run: Run, root: Path, served: Served) -> None:
    shown = run.terminal
    if shown.as_json or shown.quiet:
        _tell_served(run, served)
        return
    shown.say(shown.style(f"Cabeção {__version__}", BOLD))
    shown.say()
    rows = (
        (_("Brain"), _short(root)),
        (_("Pages and tasks are up"), served.address),
        (_("Only on this machine"), _("nothing leaves it unless you turn that on")),
    )
    width = max(len(label) for label, _value in rows) + 3
    for label, value in rows:
        shown.say(f"  {shown.mark('ok')} {label:<{width}}{value}")
    shown.say()
    _tell_links(run, served)
    shown.say()
    shown.say("  " + _("Stop: Ctrl+C      In the background: cabecao start --detach"))
    sys.stdout.flush()
    _open_browser(run, served)


def _short(folder: Path) -> str:
    try:
        return str(Path("~") / folder.relative_to(Path.home()))
    except (ValueError, RuntimeError):
        return str(folder)


def _open_browser(run: Run, served: Served) -> None:
    if served.links and not run.arguments.no_browser and _has_browser():
        webbrowser.open(served.links[0])


def _has_browser() -> bool:
    """Tell whether a window can be opened; a browser inside the terminal would take it over."""
    if os.environ.get("BROWSER") or sys.platform in {"darwin", "win32"}:
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _home(run: Run) -> tuple[Path, bool]:
    """Return the folder of the brain to start with, and whether it was made from the example just now."""
    try:
        return run.root, False
    except NotABrain:
        root = Path.home() / EXAMPLE_FOLDER
    is_new = not (root / config.FILE).is_file()
    if is_new and root.exists() and (not root.is_dir() or any(root.iterdir())):
        raise AlreadyExists(
            _("%(folder)s holds something else, and nothing in it was touched.") % {"folder": root},
            next_step=_("Run `cabecao init FOLDER` to choose a folder, or to adopt this one."),
        )
    if is_new:
        _require_port(run)
        run.terminal.note(_("Making the example brain in %(folder)s …") % {"folder": _short(root)})
        for line in founding.found(run, root, example=True, agreed=True).lines:
            run.terminal.detail(line)
    brains.register(root)
    return root, is_new


def _require_port(run: Run) -> None:
    """Refuse a taken port before anything is made."""
    from cabecao_site import serve as server

    if run.arguments.port:
        server.listen(run.arguments.port).close()


def _port_for_start(run: Run) -> socket.socket:
    from cabecao_site import serve as server

    if run.arguments.port:
        return server.listen(run.arguments.port)
    listening = server.listen_near(server.PORT)
    port = server.port_of(listening)
    if port != server.PORT:
        run.terminal.note(
            _("Port %(taken)d is taken by another program; this is port %(port)d.")
            % {"taken": server.PORT, "port": port}
        )
    return listening


def _start_detached(run: Run, root: Path, *, is_new: bool) -> int:
    """Start a server of its own session and wait until it answers."""
    from cabecao_site.supervisor import environment, python

    with _port_for_start(run) as listening:  # free a moment from now
        port = listening.getsockname()[1]
    brain = config.here()
    log = brain.machine / "logs" / "serve.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    command = python("-m", "cabecao_site.cli", "--brain", str(root), "serve", "--port", str(port), "--no-browser")
    with log.open("ab") as stream:
        child = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=stream, stderr=stream, env=environment(), start_new_session=True
        )
    _wait_for(child, brain, log)
    run.enter(records=True, lean=False, root=root)
    if is_new:
        founding.vouch()
    _tell_served(run, _let_in(run, port))
    run.terminal.note(_("It runs in the background; stop it with: kill %(pid)d") % {"pid": child.pid})
    return 0


def _wait_for(child: subprocess.Popen[bytes], brain: Brain, log: Path) -> None:
    ends = time.monotonic() + _DETACHED_SECONDS
    while running.find(brain) is None:
        if child.poll() is not None or time.monotonic() > ends:
            raise InternalError(_("The server did not start; its log is %(file)s.") % {"file": log})
        time.sleep(0.1)
