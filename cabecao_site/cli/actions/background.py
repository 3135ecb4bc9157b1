"""What other programs start: the MCP server and the worker."""

from __future__ import annotations

import logging
from pathlib import Path

from brain.errors import IndexFailed
from brain.language import gettext as _
from cabecao_site.cli.parser import Parser, UsageError
from cabecao_site.cli.run import Run


def mcp_options(grammar: Parser) -> None:
    """Add the choice of tools."""
    grammar.add_argument(
        "--tools", choices=("core", "standard", "full"), default="standard", help=_("how many tools the client gets")
    )
    grammar.add_argument(
        "--consolidation", metavar="ID", help=_("tie every write to this consolidation, which runs by itself")
    )
    grammar.add_argument("--allow-forget", action="store_true", help=_("with --consolidation: let it archive notes"))


def mcp(run: Run) -> int:
    """Serve an AI client; the brain gets ready while the client is answered already."""
    from brain import clock, config
    from mcpbridge import launcher

    root = config.enter(run.root).root
    consolidation = run.arguments.consolidation
    if consolidation is not None and not clock.is_id(consolidation):
        raise UsageError(_("--consolidation takes the consolidation_id that consolidate start returned."))
    return launcher.run(
        root,
        profile=run.arguments.tools,
        prepare=lambda: _prepare(root),
        consolidation=consolidation,
        may_forget=run.arguments.allow_forget,
    )


def _prepare(root: Path) -> None:
    from brain.index import refresh
    from cabecao_site import bootstrap

    brain = bootstrap.start(root)
    try:
        bootstrap.prepare_records()
    except IndexFailed as error:  # reading goes on; a write meets it again
        logging.getLogger(__name__).warning("a record cannot be read: %s", error.message)
    from brain.services import workplace
    from brain.services.proposals import interrupted

    workplace.recover()
    interrupted.settle()
    refresh.watch(brain)
    refresh.catch_up(seconds=0.0)  # the rest goes on in the background


def worker_options(_grammar: Parser) -> None:
    """Add nothing."""


def worker(run: Run) -> int:
    """Run background jobs until it is stopped."""
    from brain import config
    from cabecao_site import worker as running_worker

    return running_worker.main(["--brain", str(config.enter(run.root).root)]) or 0
