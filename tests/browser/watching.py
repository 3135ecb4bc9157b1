"""A page of the browser that notes down everything a page must not do."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path

import pytest

AXE = Path(__file__).parents[2] / "assets" / "node_modules" / "axe-core" / "axe.min.js"
REQUIRED = os.environ.get("CABECAO_REQUIRE_SERVICES") == "1"
_REPORT = "addEventListener('securitypolicyviolation', e => reportViolation(`${e.effectiveDirective} ${e.blockedURI}`))"


def absent(what: str) -> None:
    """Skip for want of a program, or fail where everything is meant to be there."""
    (pytest.fail if REQUIRED else pytest.skip)(f"{what} is not here")


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
        """Keep what went wrong, but for what says nothing of the page.

        That is the status of one that is meant to fail, a file that a new page cut off, and the word of a browser
        that draws without a graphics card.
        """
        if not re.search(r"responded with a status of [45]|ERR_ABORTED|GPU stall due to ReadPixels", text):
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
