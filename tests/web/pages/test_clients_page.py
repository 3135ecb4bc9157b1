"""The page that says how a client is connected."""

from __future__ import annotations

import json
import re
from html import unescape


def test_the_page_gives_the_command_of_this_installation_for_this_brain(person, brain):
    text = unescape(person.get("/settings/clients").content.decode())

    entry = json.loads(re.search(r"<code>(\{.*?\"mcpServers\".*?)</code>", text, re.DOTALL)[1])["mcpServers"]["cabecao"]
    assert entry["command"].startswith("/")
    assert entry["args"] == ["--brain", str(brain.root), "mcp"]


def test_clients_that_wrote_are_listed(person, brain, agent):
    agent("write_page", path="wiki/concepts/Lote.md", content="Dez.", mode="create", frontmatter={"type": "concept"})

    assert "/activity?client=claude-code" in person.get("/settings/clients").content.decode()
