"""Making a brain, and the brains that this machine knows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from brain import config
from brain.errors import ConfirmationRequired, DiskFull, InvalidArgument, InvalidConfig, of_machine
from brain.language import gettext as _
from brain.language import ngettext
from cabecao_site.cli import brains as known_brains
from cabecao_site.cli.parser import Parser
from cabecao_site.cli.progress import Progress
from cabecao_site.cli.run import Run

_INDEX_SECONDS: Final = 3600.0

if TYPE_CHECKING:
    from brain.services.adopting import Plan, Report


def init_options(grammar: Parser) -> None:
    """Add the folder and what becomes of it."""
    add = grammar.add_argument
    add("folder", nargs="?", metavar=_("FOLDER"), help=_("the folder (in a terminal, default: this one)"))
    add("--example", action="store_true", help=_("fill it with the example brain"))
    add("--name", help=_("a short name for --brain (default: the folder's)"))
    add("--yes", action="store_true", help=_("commit the files that are there without asking"))


def init(run: Run) -> int:
    """Make the brain, tell what was done, and keep its name."""
    root = _folder(run)
    report = found(run, root, example=run.arguments.example, agreed=run.arguments.yes)
    is_brain = (root / config.FILE).is_file()
    name = remember_name(run, root, run.arguments.name) if is_brain else None
    if is_brain:
        _prepare(run, root)
    if run.terminal.as_json:
        run.terminal.say_json({"root": str(root), "name": name, "notes": report.notes, "lines": report.lines})
    else:
        _tell(run, report, name)
    return 0 if is_brain else 1


def _folder(run: Run) -> Path:
    """Return the folder that was named; this one only where a person is asked before anything is made of it."""
    named: str | None = run.arguments.folder
    if named is None and (run.arguments.yes or not run.terminal.can_ask):
        raise InvalidArgument(
            _("No folder was named. Nothing was changed."),
            next_step=_("Name it: `cabecao init FOLDER`; a dot stands for this one."),
        )
    if named is not None and not named.strip():
        raise InvalidArgument(
            _("The folder's name is empty. Nothing was changed."),
            next_step=_("Name it: `cabecao init FOLDER`; a dot stands for this one."),
        )
    return Path(named or ".").expanduser().resolve()


def _prepare(run: Run, root: Path) -> None:
    """Make what belongs to this machine; what there is no room for now, the next command makes."""
    try:
        _build_index(run, root)
        if run.arguments.example:
            vouch()
    except Exception as error:
        if of_machine(error) is None:
            raise
        raise DiskFull(
            _("%(root)s is a brain now, all of it committed; then the disk had no room left for its index.")
            % {"root": root},
            next_step=_("Free some space: the next command makes what is missing."),
        ) from error


def _build_index(run: Run, root: Path) -> None:
    """Let the first question find everything; where the index can't be built, the next command tries again."""
    run.enter(records=True, root=root)
    from brain.index import refresh

    with Progress(_("Building the index"), run.terminal) as progress:
        refresh.catch_up(seconds=_INDEX_SECONDS, progress=progress.advance)


def vouch() -> None:
    """Attest what the example ships, on this machine."""
    from brain.services import vouching

    vouching.vouch_for_example()


def _tell(run: Run, report: Report, name: str | None) -> None:
    for line in report.lines:
        run.terminal.say(f"{run.terminal.mark('ok')} {line}")
    if name:
        count = ngettext("%(count)d note", "%(count)d notes", report.notes) % {"count": report.notes}
        run.terminal.say(f"{run.terminal.mark('ok')} {report.root}  ({count})")
        run.terminal.note(_("Its name is %(name)s: cabecao --brain %(name)s …") % {"name": name})
        run.terminal.note(_("Next: cabecao start"))


def found(run: Run, root: Path, *, example: bool, agreed: bool) -> Report:
    """Make a folder a brain; the person is asked before their files are committed, unless `agreed`."""
    from brain.services import adopting

    def yes(plan: Plan) -> bool:
        if agreed:
            return True
        if not run.terminal.can_ask:
            raise ConfirmationRequired(
                _("%(folder)s holds files that would be committed as yours.") % {"folder": root},
                next_step=_("Run it again with --yes once you agree, or in a terminal."),
            )
        for line in _lines_of(plan):
            run.terminal.note(line)
        return run.terminal.confirm(_("Go on?"), default=True)

    return adopting.init(root, example=example, yes=yes)


def _lines_of(plan: Plan) -> Iterator[str]:
    from brain.store.tree import shown

    yield _("In %(folder)s; none of your files is changed:") % {"folder": plan.root}
    if plan.makes_repository:
        yield "  " + _("a Git repository is made")
    if plan.commits:
        count = len(plan.commits)
        yield "  " + ngettext(
            "%(count)d file is committed as yours", "%(count)d files are committed as yours", count
        ) % {"count": count}
    for name in plan.left_out:
        yield "  " + _("left out, it may hold a secret: %(name)s") % {"name": shown(name)}
    for name in plan.unreadable:
        yield "  " + _("left out, it cannot be read: %(name)s") % {"name": shown(name)}
    if plan.adds:
        yield "  " + _("added in a commit of their own: %(names)s") % {"names": ", ".join(plan.adds)}


def remember_name(run: Run, root: Path, name: str | None = None) -> str | None:
    """Keep the brain's name; where the list can't be kept, say so: the brain itself is made."""
    try:
        return known_brains.register(root, name)
    except (InvalidConfig, OSError) as error:
        run.terminal.note(f"{run.terminal.mark('warning', run.terminal.err)} {error}")
        return None


def brains_options(_grammar: Parser) -> None:
    """Add nothing."""


def brains(run: Run) -> int:
    """List names and folders."""
    known = known_brains.registry()
    found = [
        {"name": name, "path": str(folder), "default": name == known.default, "exists": folder.is_dir()}
        for name, folder in sorted(known.folders.items())
    ]
    if run.terminal.as_json:
        run.terminal.say_json({"brains": found})
    elif found:
        rows = [(str(one["name"]), str(one["path"]), _state(one)) for one in found]
        run.terminal.say(run.terminal.table(rows, (_("name"), _("folder"), "")))
    else:
        run.terminal.note(_("No brain is known yet: cabecao init FOLDER"))
    return 0


def _state(one: dict[str, object]) -> str:
    if not one["exists"]:
        return _("gone")
    return _("default") if one["default"] else ""
