"""Files outside of the brain, which only a person takes in: the command reads them, the operation never does."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

from brain.errors import InvalidArgument, NotFound, reason_of
from brain.language import gettext as _
from cabecao_site.cli.run import Run


def taken_in(run: Run, given: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of ingest with the text of the file that a person named, wherever it lies.

    A path that leads into the brain is the operation's to read; so is every path that a program gives.
    """
    if given.get("path") == "-":
        return {name: value for name, value in given.items() if name != "path"}
    if "path" not in given or "content" in given or not run.caller.is_human:
        return given
    file = Path(given["path"]).expanduser()
    inside = _inside(file, run.root)
    if inside is not None:
        return given | {"path": inside}
    if not file.exists():
        return given  # a path as the brain has it, from wherever the person stands
    text = _text(run, file)
    others = {name: value for name, value in given.items() if name != "path"}
    return {"source": file.name, **others, "content": text}


def _inside(file: Path, root: Path) -> str | None:
    """Return the path in the brain that a file has, None where it lies outside."""
    try:
        return (file.parent.resolve() / file.name).relative_to(root.resolve()).as_posix() if file.exists() else None
    except ValueError:
        return None


def _text(run: Run, file: Path) -> str:
    from brain.services.sources import decoding

    try:
        descriptor = os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise InvalidArgument(
                _("%(name)s is not a regular file. Nothing was changed.") % {"name": file.name},
                next_step=_("Name a text file, or give the text on standard input."),
            )
        with os.fdopen(descriptor, "rb") as stream:
            raw = stream.read(decoding.MOST_BYTES + 1)
    except OSError as error:
        raise NotFound(
            _("%(name)s cannot be read: %(reason)s. Nothing was changed.")
            % {"name": file.name, "reason": reason_of(error)},
            next_step=_("Check the name and the permissions of the file."),
        ) from None
    text, warnings = decoding.decoded(raw, file.name)
    for warning in warnings:
        run.terminal.note(f"{run.terminal.mark('warning', run.terminal.err)} {warning.message}")
    return text
