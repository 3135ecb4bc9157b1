"""Who did something, as the pages call them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from brain.language import gettext as _

# Clients whose own spelling is known.
_NAMES: Final = {
    "claude-code": "Claude Code",
    "claude-desktop": "Claude Desktop",
    "claude-ai": "Claude",
    "codex-cli": "Codex CLI",
    "copilot-cli": "Copilot CLI",
    "gemini-cli": "Gemini CLI",
    "cursor": "Cursor",
    "cursor-vscode": "Cursor",
    "goose": "Goose",
    "opencode": "opencode",
    "zed": "Zed",
    "visual-studio-code": "VS Code",
}


@dataclass(frozen=True)
class Who:
    """A person or a client, with the name to show."""

    name: str
    is_agent: bool


def of_client(client: str | None, kind: str) -> Who:
    """Return who made an operation."""
    return Who(client_name(client), is_agent=True) if kind == "agent" else Who(_("You"), is_agent=False)


def of_origin(origin: str | None) -> Who | None:
    """Return who a note's `origin` or `edited_by` names; None for outside material and for what is not said."""
    kind, _sign, client = (origin or "").partition(":")
    if kind == "agent":
        return Who(client_name(client), is_agent=True)
    return Who(_("You"), is_agent=False) if kind in ("human", "user") else None


def client_name(client: str | None) -> str:
    """Return a client's name as it writes it itself, where that is known."""
    return _NAMES.get(client or "", client or _("an unknown client"))


def client_label(client: str) -> str:
    """Return what a client is called where one chooses among them; the person's own pages and terminal included."""
    own = {"web": _("You, on these pages"), "cli": _("You, in the terminal")}
    return own.get(client) or client_name(client)
