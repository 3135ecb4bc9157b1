"""Files that tell agents how to work: the brain's own control files, and those that AI clients read in any folder."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from brain.guard.spelling import folded_segments

# Name at the brain's root, folded -> what it is. Only Markdown ones can be mistaken for a note.
CONTROL: Final[Mapping[str, str]] = {
    "agents.md": "how the brain is organised, for agents",
    "claude.md": "the same, for one client",
    "gemini.md": "the same, for one client",
    "readme.md": "how the brain is organised, for people",
    "log.md": "one line per operation",
    "index.md": "the catalogue, derived",
    ".cabecao.json": "settings",
    ".gitignore": "what Git leaves out",
    ".gitattributes": "how Git merges and checks out",
}
NOT_NOTES: Final = frozenset(name for name in CONTROL if name.endswith(".md"))
# Those that are no Markdown; they may be patched all the same, in this spelling alone.
SETTINGS: Final = CONTROL.keys() - NOT_NOTES

# Name in any folder, folded -> the client that takes it for instructions.
AGENT_FILES: Final[Mapping[str, str]] = {
    ".agent.md": "several",
    ".aider.conf.yml": "aider",
    ".augment-guidelines": "augment",
    ".clinerules": "cline",
    ".cursorrules": "cursor",
    ".goosehints": "goose",
    ".mcp.json": "several",
    ".roorules": "roo",
    ".rules": "zed",
    ".windsurfrules": "windsurf",
    "agent.md": "several",
    "agents.md": "several",
    "agents.local.md": "several",
    "agents.override.md": "codex",
    "claude.md": "claude",
    "claude.local.md": "claude",
    "copilot-instructions.md": "copilot",
    "crush.md": "crush",
    "gemini.md": "gemini",
    "qwen.md": "qwen",
    "skill.md": "several",
    "warp.md": "warp",
}
AGENT_SUFFIXES: Final = (".instructions.md", ".prompt.md", ".chatmode.md", ".agent.md", ".mdc")
AGENT_FOLDERS: Final = frozenset(
    {
        ".agents",
        ".amazonq",
        ".augment",
        ".claude",
        ".clinerules",
        ".codex",
        ".continue",
        ".cursor",
        ".gemini",
        ".junie",
        ".kiro",
        ".opencode",
        ".roo",
        ".windsurf",
    }
)


def is_control(path: str) -> bool:
    """Tell whether a path is one of the brain's control files, the log included, in whatever spelling."""
    names = folded_segments(path)
    return names[0] in CONTROL if len(names) == 1 else names[0] == "log"


def is_agent_file(path: str) -> bool:
    """Tell whether an AI client would take the file for instructions, whatever folder it lies in."""
    *folders, name = folded_segments(path)
    return name in AGENT_FILES or name.endswith(AGENT_SUFFIXES) or not AGENT_FOLDERS.isdisjoint(folders)


def is_catalogue(path: str) -> bool:
    """Tell whether a path is index.md at the root, which is derived and which nobody writes."""
    return folded_segments(path) == ("index.md",)
