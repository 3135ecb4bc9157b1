"""Connecting an AI client: what to paste where, and which clients have written here."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from brain import config
from brain.index import operations
from brain.language import gettext as _
from brain.services import recorded
from brain.web.rendering import page


@dataclass(frozen=True)
class Snippet:
    """What a client's configuration needs, and the file it goes into."""

    title: str
    place: str
    text: str


_FILES: Final = (
    ("Claude Desktop, Cursor, Windsurf", "claude_desktop_config.json · ~/.cursor/mcp.json", "mcpServers"),
    ("VS Code", ".vscode/mcp.json", "servers"),
)


@require_safe
def show(request: HttpRequest) -> HttpResponse:
    """Show the command, ready to paste, for this brain."""
    recorded.catch_up()
    return page(
        request,
        "web/clients.html",
        {"snippets": _snippets(), "seen": operations.clients(), "crumbs": [(_("Settings"), "/settings")]},
    )


def _snippets() -> list[Snippet]:
    command, arguments = _command(), ["--brain", str(config.here().root), "mcp"]
    entry = {"command": command, "args": arguments}
    words = " ".join(json.dumps(word, ensure_ascii=False) if " " in word else word for word in (command, *arguments))
    values = f"command = {json.dumps(command)}\nargs = {json.dumps(arguments, ensure_ascii=False)}"
    return [
        Snippet("Claude Code", "terminal", f"claude mcp add --scope user cabecao -- {words}"),
        *(
            Snippet(title, place, json.dumps({key: {"cabecao": entry}}, indent=2, ensure_ascii=False))
            for title, place, key in _FILES
        ),
        Snippet("Codex CLI", "~/.codex/config.toml", f"[mcp_servers.cabecao]\n{values}"),
    ]


def _command() -> str:
    """Return the full path of the command of this installation; a client does not know our environment."""
    return str(Path(sys.executable).with_name("cabecao.exe" if sys.platform == "win32" else "cabecao"))
