"""The commands, as a table that costs nothing to import: help and mistakes answer before anything heavy loads.

A test compares it with the catalogue of operations.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from brain.language import gettext_noop as N_

_ACTIONS: Final = "cabecao_site.cli.actions."


@dataclass(frozen=True)
class Command:
    """One command: `module` has the functions `<name>_options(parser)` and `<name>(run) -> exit code`."""

    name: str
    group: str
    summary: str
    module: str
    examples: tuple[str, ...] = ()

    @property
    def is_operation(self) -> bool:
        """Tell whether it is generated from the catalogue."""
        return self.module == OPERATION

    @property
    def function(self) -> str:
        """The name of its function in the module."""
        return "operation" if self.is_operation else self.name.replace("-", "_")


OPERATION: Final = _ACTIONS + "operation"
_STARTING: Final = _ACTIONS + "starting"
_FOUNDING: Final = _ACTIONS + "founding"
_BACKGROUND: Final = _ACTIONS + "background"
_PROVING: Final = _ACTIONS + "proving"
_UPKEEP: Final = _ACTIONS + "upkeep"

# Keys of the groups, in the order of the help.
GROUPS: Final = {
    "begin": N_("Begin"),
    "use": N_("Use"),
    "care": N_("Care"),
    "machine": N_("Machine"),
}

COMMANDS: Final[tuple[Command, ...]] = (
    Command(
        "start",
        "begin",
        N_("Serve the pages and open them in the browser; makes an example brain where there is none."),
        _STARTING,
        ("cabecao start", "cabecao start --port 9000 --no-browser"),
    ),
    Command(
        "init",
        "begin",
        N_("Make a new brain, or adopt a folder of notes without changing a file in it."),
        _FOUNDING,
        ("cabecao init ~/notes", "cabecao init ~/example --example"),
    ),
    Command(
        "open",
        "begin",
        N_("Open the pages of the running server with a new one-time link."),
        _STARTING,
        ("cabecao open", "cabecao open --no-browser"),
    ),
    Command(
        "doctor",
        "begin",
        N_("Check this machine and the brain, and say what mends each fault."),
        _UPKEEP,
        ("cabecao doctor", "cabecao doctor --deep --json"),
    ),
    Command(
        "recall",
        "use",
        N_("Give the briefing for a task: rules, handoff, preferences and related memories."),
        OPERATION,
        (
            'cabecao recall "Prepare the migration"',
            'cabecao recall "Prepare the migration" --scope project:atlas --json',
        ),
    ),
    Command(
        "search",
        "use",
        N_("Search the notes by words; accents and case make no difference."),
        OPERATION,
        ("cabecao search queue", "cabecao search queue --types decision --limit 3"),
    ),
    Command(
        "ask",
        "use",
        N_("Answer a question from the notes, each statement with a quote that was checked; needs `cabecao llm on`."),
        OPERATION,
        ('cabecao ask "que fila o atlas usa?"', 'cabecao ask "que fila o atlas usa?" --show-context'),
    ),
    Command(
        "read",
        "use",
        N_("Show a note by its path, its id or a citation."),
        OPERATION,
        ("cabecao read wiki/entities/SQS.md", 'cabecao read wiki/entities/SQS.md --section "Limits"'),
    ),
    Command(
        "graph",
        "use",
        N_("Show the neighbours of a note: relations, links, facts and mentions."),
        OPERATION,
        ('cabecao graph "Projeto Atlas"', "cabecao graph SQS --depth 2 --relation-types uses"),
    ),
    Command(
        "facts",
        "use",
        N_("List facts by subject, predicate or object, and whether they hold on a date."),
        OPERATION,
        ("cabecao facts", 'cabecao facts --subject "Projeto Atlas" --as-of 2026-03-01'),
    ),
    Command(
        "remember",
        "use",
        N_("Save a memory in one commit; without a text it is read from standard input."),
        OPERATION,
        (
            'cabecao remember "The printer wants A4." --type gotcha',
            "cabecao remember --type procedure --title Backup - < backup.md",
        ),
    ),
    Command(
        "handoff-save",
        "use",
        N_("Leave a handoff to the next session: what was done, what is left, decisions and gotchas."),
        OPERATION,
        (
            'cabecao handoff-save --session-handle monday --done "Moved the billing" --next "Move the tracking"',
            'cabecao handoff-save --session-handle monday --next "Move the tracking" --scope project:atlas --json',
        ),
    ),
    Command(
        "write-page",
        "use",
        N_("Create, overwrite or append to a note by its path; the text comes from standard input."),
        OPERATION,
        (
            'cabecao write-page wiki/concepts/Queue.md --frontmatter \'{"type": "concept"}\' < queue.md',
            'cabecao write-page wiki/concepts/Queue.md --mode append --content "One more line."',
        ),
    ),
    Command(
        "patch-page",
        "use",
        N_("Replace one exact passage of a note."),
        OPERATION,
        (
            'cabecao patch-page wiki/concepts/Queue.md --old "ten messages" --new "twenty messages"',
            'cabecao patch-page wiki/concepts/Queue.md --section Limits --old "10" --new "20" --json',
        ),
    ),
    Command(
        "ingest",
        "use",
        N_("Register an outside source in raw/ and show what to do with it; without a file it is read from input."),
        OPERATION,
        (
            "cabecao ingest ~/Downloads/article.md --source https://example.org/article",
            'cabecao ingest --title "Minutes of May" --scope project:atlas < minutes.txt',
        ),
    ),
    Command(
        "edit-page",
        "use",
        N_("Save the whole text of a note over the version you opened; the text comes from standard input."),
        OPERATION,
        (
            'cabecao edit-page wiki/concepts/Queue.md --base "$(sha256sum old.md | cut -c1-64)" < new.md',
            'cabecao edit-page wiki/concepts/Queue.md --base "$(sha256sum old.md | cut -c1-64)" --json < new.md',
        ),
    ),
    Command(
        "restore-page",
        "use",
        N_("Make an earlier version of a note the new one."),
        OPERATION,
        ("cabecao restore-page wiki/concepts/Queue.md --commit previous",),
    ),
    Command(
        "move-page",
        "use",
        N_("Give a note another path or title; links to it follow."),
        OPERATION,
        (
            "cabecao move-page wiki/concepts/Queue.md --to wiki/concepts/Queues.md",
            "cabecao move-page wiki/concepts/Queue.md --to wiki/concepts/Queues.md --title Queues --json",
        ),
    ),
    Command(
        "forget",
        "use",
        N_("Archive a note: out of search and recall, still in Git; undo brings it back."),
        OPERATION,
        ('cabecao forget wiki/concepts/Queue.md --reason "No longer used"',),
    ),
    Command(
        "relate",
        "use",
        N_("Add a typed relation from one note to another."),
        OPERATION,
        (
            "cabecao relate --from Queue --to SQS --type uses",
            'cabecao relate --from wiki/concepts/Queue.md --to "Projeto Atlas" --type part_of --json',
        ),
    ),
    Command(
        "status",
        "care",
        N_("Tell how the brain is: notes, index, broken links, problems."),
        OPERATION,
        ("cabecao status", "cabecao status --json"),
    ),
    Command(
        "lint",
        "care",
        N_("List what wants a look, by rules; exits 1 where a finding is an error, else 0."),
        OPERATION,
        ("cabecao lint", "cabecao lint --rules broken_link --scope project:atlas --json"),
    ),
    Command(
        "lint-fix",
        "care",
        N_("Mend findings of lint in one note where there is no choice to make."),
        OPERATION,
        ("cabecao lint-fix --rule broken_link --path wiki/entities/SQS.md",),
    ),
    Command(
        "resolve-conflict",
        "care",
        N_("Settle a copy that a sync left of a note which two machines changed."),
        OPERATION,
        ("cabecao resolve-conflict --path wiki/entities/SQS.conflict-escritorio-20260503-101500.md --keep both",),
    ),
    Command(
        "sync",
        "care",
        N_("Sync with the remote: your edits go out, what others wrote comes in; no text is lost."),
        OPERATION,
        ("cabecao sync", "cabecao sync --json"),
    ),
    Command(
        "consolidate",
        "care",
        N_("Bring together what repeats, with a restore point; --run lets an installed agent do it."),
        OPERATION,
        (
            "cabecao consolidate start --scope project:atlas",
            "cabecao consolidate finish --consolidation-id 01JZ0000000000000000000000 --title Faxina",
            "cabecao consolidate --run",
        ),
    ),
    Command(
        "propose",
        "use",
        N_("Leave a write for the person to decide; for agents."),
        OPERATION,
        (
            'cabecao propose forget --arguments \'{"id": "wiki/concepts/Queue.md", "reason": "old"}\' --reason old',
            'cabecao propose relate --arguments \'{"from": "Queue", "to": "SQS", "type": "uses"}\' --reason asked',
        ),
    ),
    Command(
        "review",
        "care",
        N_("Show what agents ask for, and decide it: --accept, --reject or --rebase."),
        OPERATION,
        ("cabecao review", 'cabecao review 01JZ0000000000000000000000 --reject --reason "Not now"'),
    ),
    Command(
        "attest",
        "care",
        N_("Show rules and preferences whose text you have not vouched for; with --yes, vouch for them."),
        OPERATION,
        ("cabecao attest", "cabecao attest memory/rules/no-secrets.md --yes"),
    ),
    Command(
        "retention",
        "care",
        N_("List the notes past the time they were to be kept for; with --apply, archive them. None is deleted."),
        OPERATION,
        ("cabecao retention", "cabecao retention --apply"),
    ),
    Command(
        "undo",
        "care",
        N_("Undo an operation by its op, or the last one."),
        OPERATION,
        ("cabecao undo", "cabecao undo 01JZ0000000000000000000000"),
    ),
    Command(
        "eval",
        "care",
        N_("Measure the answers of ask with your own questions; each is one question to the provider."),
        _ACTIONS + "evaluating",
        ("cabecao eval --answers questions.jsonl", "cabecao eval --answers questions.jsonl --json"),
    ),
    Command(
        "reindex",
        "care",
        N_("Build the index again from the files; no file changes."),
        _UPKEEP,
        ("cabecao reindex", "cabecao reindex --quiet"),
    ),
    Command(
        "jobs",
        "care",
        N_("Show background jobs and what comes by itself; run, stop or time one."),
        _ACTIONS + "jobs",
        ("cabecao jobs", "cabecao jobs run index-check", "cabecao jobs every sync 15m"),
    ),
    Command(
        "brains",
        "care",
        N_("List the brains that this machine knows."),
        _FOUNDING,
        ("cabecao brains", "cabecao brains --json"),
    ),
    Command(
        "password",
        "care",
        N_("Set, change or remove the password that the pages ask for where something weighs."),
        _PROVING,
        ("cabecao password", "cabecao password --remove"),
    ),
    Command(
        "serve",
        "machine",
        N_("Serve the pages and run background jobs, on this machine only."),
        _STARTING,
        ("cabecao serve", "cabecao serve --port 9000 --no-browser"),
    ),
    Command(
        "llm",
        "machine",
        N_("Let a language model answer, or not: on, off, status, test, remove, policy; only you, in the terminal."),
        _ACTIONS + "llm",
        ("cabecao llm on", "cabecao llm on --provider ollama --model llama3.2", "cabecao llm policy --allow agent"),
    ),
    Command(
        "mcp",
        "machine",
        N_("Serve an AI client over standard input and output."),
        _BACKGROUND,
        ("cabecao mcp", "cabecao mcp --tools core"),
    ),
    Command(
        "worker",
        "machine",
        N_("Run background jobs without the pages."),
        _BACKGROUND,
        ("cabecao worker", "cabecao worker --brain ~/notes"),
    ),
)

_BY_NAME: Final = {command.name: command for command in COMMANDS}


def find(name: str) -> Command | None:
    """Return a command, None where there is none of that name."""
    return _BY_NAME.get(name)


def nearest(name: str) -> str | None:
    """Return the command that a mistyped name may have meant."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(name, _BY_NAME, n=1)), None)
