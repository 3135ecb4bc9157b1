"""`cabecao consolidate --run`: an agent that is installed on this machine does the work, tied to the consolidation."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from brain.errors import InvalidArgument, NotFound
from brain.language import gettext as _
from cabecao_site.cli.parser import Parser
from cabecao_site.cli.run import Run

if TYPE_CHECKING:
    from brain.caller import Caller
    from brain.contracts.consolidating import ConsolidateOutput

CLAUDE: Final = "claude"
_LAST: Final = "consolidated.json"
_MODULE: Final = "cabecao_site.cli"


def options(grammar: Parser) -> None:
    """Add what lets an agent do it."""
    grammar.add_argument("--run", action="store_true", help=_("start, let an installed agent work, and finish"))
    grammar.add_argument(
        "--agent",
        metavar="COMMAND",
        help=_("with --run: the agent's command; {prompt} and {config} are filled in, else the prompt is its input "
               "(default: claude)"),
    )  # fmt: skip
    grammar.add_argument("--minutes", type=int, default=30, metavar="N", help=_("with --run: how long it may work"))
    grammar.add_argument("--allow-forget", action="store_true", help=_("with --run: let it archive notes"))


def run_agent(run: Run) -> int:
    """Start a consolidation, let the agent work on it, and close it; nothing where no note changed since the last."""
    run.need_person()
    brain = run.enter(records=True)
    from brain.caller import Kind

    command = _command(run.arguments.agent)
    if _is_unchanged(brain.root, brain.machine / _LAST):
        run.terminal.say(f"{run.terminal.mark('ok')} " + _("No note changed since the last consolidation."))
        return 0
    client = Path(command[0]).name
    agent = replace(run.caller, kind=Kind.AGENT, client=client)
    scope = getattr(run.arguments, "field_scope", None)
    begun = _dispatch(agent, {"action": "start", **({"scope": scope} if scope else {})})
    run.terminal.note(_("Restore point: %(tag)s") % {"tag": begun.restore_point.tag})
    code = _work(run, brain.root, command, begun)
    ended = _dispatch(
        agent,
        {
            "action": "finish",
            "consolidation_id": begun.consolidation_id,
            "title": _("With %(agent)s") % {"agent": client},
        },
    )
    _remember(brain.root, brain.machine / _LAST)
    _show(run, ended, code)
    return 0 if code == 0 else 1


def _dispatch(caller: Caller, arguments: dict[str, Any]) -> ConsolidateOutput:
    from brain.contracts.consolidating import ConsolidateOutput
    from brain.operations import dispatch

    found = dispatch("consolidate", caller, arguments)
    assert isinstance(found, ConsolidateOutput)  # noqa: S101 (the catalogue says so)
    return found


def _command(given: str | None) -> list[str]:
    words = shlex.split(given) if given else [CLAUDE]
    if not words:
        raise InvalidArgument(_("--agent is empty. Nothing was changed."))
    if shutil.which(words[0]) is None:
        raise NotFound(
            _("The agent's command “%(name)s” was not found. Nothing was changed.") % {"name": words[0]},
            next_step=_("Install it, or name another with --agent COMMAND."),
        )
    return words


def _work(run: Run, root: Path, command: list[str], begun: ConsolidateOutput) -> int | None:
    """Run the agent and return its exit code, None where its time was over; what it says goes to a file."""
    folder = root / ".cabecao" / "consolidations"
    folder.mkdir(parents=True, exist_ok=True)
    config = folder / f"{begun.consolidation_id}.mcp.json"
    config.write_text(json.dumps(_server(root, begun.consolidation_id, forget=run.arguments.allow_forget)), "utf-8")
    config.chmod(0o600)
    prompt = _prompt(begun)
    words, given = _filled(command, prompt, config)
    log = folder / f"{begun.consolidation_id}.log"
    run.terminal.note(_("The agent works; what it says goes to %(log)s") % {"log": log})
    try:
        with log.open("wb") as stream:
            process = subprocess.Popen(
                words,
                cwd=root,
                stdin=subprocess.PIPE,
                stdout=stream,
                stderr=subprocess.STDOUT,
                env={**os.environ, "CABECAO_AGENT": Path(command[0]).name, "CABECAO_MCP_CONFIG": str(config)},
                start_new_session=True,
            )
            return _waited_for(process, given.encode(), run.arguments.minutes * 60)
    finally:
        config.unlink(missing_ok=True)


def _waited_for(process: subprocess.Popen[bytes], given: bytes, seconds: int) -> int | None:
    try:
        process.communicate(given, timeout=seconds)
    except subprocess.TimeoutExpired:
        _end(process)
        return None
    except BaseException:
        _end(process)
        raise
    return process.returncode


def _end(process: subprocess.Popen[bytes]) -> None:
    """End an agent and whatever it has started."""
    for number in (signal.SIGTERM, getattr(signal, "SIGKILL", signal.SIGTERM)):
        with contextlib.suppress(OSError):
            os.killpg(process.pid, number) if hasattr(os, "killpg") else process.send_signal(number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=5)
            return


def _filled(command: list[str], prompt: str, config: Path) -> tuple[list[str], str]:
    """Return the command with the prompt and the configuration in it, and what it gets as its input."""
    if Path(command[0]).name == CLAUDE and len(command) == 1:
        named = ["-p", "--mcp-config", str(config), "--strict-mcp-config", "--allowedTools", "mcp__cabecao"]
        return [*command, *named], prompt
    words = [word.replace("{config}", str(config)).replace("{prompt}", prompt) for word in command]
    return words, "" if any("{prompt}" in word for word in command) else prompt


def _server(root: Path, identity: str, *, forget: bool) -> dict[str, Any]:
    words = ["-m", _MODULE, "mcp", "--brain", str(root), "--consolidation", identity]
    words += ["--allow-forget"] if forget else []
    return {"mcpServers": {"cabecao": {"command": sys.executable, "args": words}}}


def _prompt(begun: ConsolidateOutput) -> str:
    material = begun.material.model_dump_json() if begun.material else "{}"
    steps = "\n".join(f"{number}. {step}" for number, step in enumerate(begun.instructions[:-1], 1))
    return "\n\n".join(
        (
            _("Consolidate the user's memory with the tools of the MCP server “cabecao”. Nobody is there to ask."),
            steps,
            begun.data_notice,
            _("The material, as JSON:"),
            material,
        )
    )


def _show(run: Run, ended: ConsolidateOutput, code: int | None) -> None:
    from cabecao_site.cli import render

    if run.terminal.as_json:
        run.terminal.say_json({**ended.model_dump(mode="json"), "agent_exit": code})
        return
    render.show("consolidate", ended, run.terminal)
    if code is None:
        run.terminal.note(f"{run.terminal.mark('warning', run.terminal.err)} " + _("The agent's time was over."))
    elif code:
        run.terminal.note(
            f"{run.terminal.mark('warning', run.terminal.err)} "
            + _("The agent ended with code %(code)d; what it had written is in the consolidation.") % {"code": code}
        )


def _is_unchanged(root: Path, record: Path) -> bool:
    """Tell whether no note changed since the last run; log and machine files do not count."""
    from brain.store import git

    try:
        commit = json.loads(record.read_text(encoding="utf-8"))["commit"]
    except (OSError, ValueError, KeyError, TypeError):
        return False
    if not isinstance(commit, str) or not commit.isalnum():
        return False
    arguments = ("diff", "--quiet", commit, "--", ".", ":(exclude)log.md", ":(exclude)log/")
    if git.run(root, *arguments, check=False).code != 0:
        return False
    return not git.run(root, "ls-files", "--others", "--exclude-standard", check=False).text.strip()


def _remember(root: Path, record: Path) -> None:
    from brain.store import git

    head = git.run(root, "rev-parse", "HEAD", check=False).text.strip()
    record.write_text(json.dumps({"commit": head}), encoding="utf-8")
