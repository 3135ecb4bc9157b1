"""The thinnest server on the mcp SDK that searches and reads: what any other pays for features stands above it.

usage: python floor.py INDEX FOLDER     (run by its path; INDEX is made by floor_index.py)
"""

import json
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

SEARCH = (
    "SELECT note.path, note.title, snippet(words, 1, '', '', '…', 24) FROM words JOIN note ON note.rowid = words.rowid"
    " WHERE words MATCH ? ORDER BY rank LIMIT 10"
)
ONE_TEXT = {"type": "object", "properties": {"text": {"type": "string"}}}


def any_term(query: str) -> str:
    """Return a question as FTS5 wants it: any of its words, each of them text."""
    return " OR ".join('"' + word.replace('"', '""') + '"' for word in query.split())


def main(index: str, folder: Path) -> None:
    """Serve until standard input ends."""
    database = sqlite3.connect(index)
    tools: dict[str, Callable[[str], str]] = {
        "search": lambda text: json.dumps(database.execute(SEARCH, (any_term(text),)).fetchall(), ensure_ascii=False),
        "read": lambda text: (folder / text).read_text(encoding="utf-8"),
    }

    async def listed(_context: Any, _page: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[types.Tool(name=name, input_schema=ONE_TEXT) for name in tools])

    async def called(_context: Any, asked: types.CallToolRequestParams) -> types.CallToolResult:
        text = tools[asked.name]((asked.arguments or {})["text"])
        return types.CallToolResult(content=[types.TextContent(type="text", text=text)])

    async def serve() -> None:
        server: Server[Any] = Server("floor", version="1", on_list_tools=listed, on_call_tool=called)
        async with stdio_server() as (incoming, outgoing):
            options = server.create_initialization_options()
            await server.run(incoming, outgoing, options)

    anyio.run(serve)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
