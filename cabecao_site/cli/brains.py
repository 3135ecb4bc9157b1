"""Which brain is meant, and the brains that this machine knows by name."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from brain import config
from brain.errors import InvalidConfig, NotABrain
from brain.language import gettext as _

_LOCK_SECONDS: Final = 10


@dataclass(frozen=True)
class Registry:
    """Names and folders, and the one that is meant where nothing else says which."""

    default: str | None
    folders: dict[str, Path]

    def name_of(self, root: Path) -> str | None:
        """Return the name of a folder, None where it has none."""
        return next((name for name, folder in self.folders.items() if folder == root), None)


def file() -> Path:
    """Return where the names are kept."""
    from platformdirs import user_config_path

    return user_config_path("cabecao", appauthor=False) / "brains.json"


def registry() -> Registry:
    """Return the brains that this machine knows; InvalidConfig where the file is damaged."""
    try:
        value = json.loads(file().read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Registry(None, {})
    except (OSError, ValueError) as error:
        raise _damaged(str(error)) from error
    return _parsed(value)


def _parsed(value: Any) -> Registry:
    if not isinstance(value, dict) or not isinstance(value.get("brains", {}), dict):
        raise _damaged(_("it must be an object"))
    folders = {str(name): Path(str(folder)) for name, folder in value.get("brains", {}).items()}
    default = value.get("default")
    return Registry(default if default in folders else None, folders)


def _damaged(reason: str) -> InvalidConfig:
    return InvalidConfig(
        _("The list of brains %(file)s cannot be read: %(reason)s.") % {"file": file(), "reason": reason},
        next_step=_("Correct or remove that file, then run `cabecao init FOLDER` for each brain; no note is touched."),
    )


def choose(named: str | None, *, start: Path | None = None) -> Path:
    """Return the folder of the brain that is meant; NotABrain where nothing names one.

    `named`, else CABECAO_BRAIN, else the nearest parent with .cabecao.json, else the default.
    """
    wanted = named or os.environ.get("CABECAO_BRAIN")
    if wanted:
        return _by_name_or_folder(wanted)
    inside = _nearest_parent(start or Path.cwd())
    if inside:
        return inside
    known = registry()
    if known.default is None:
        raise NotABrain(
            _("No brain was named and there is none here or above."),
            next_step=_("Run `cabecao start` for an example brain, or `cabecao init FOLDER` to make one."),
        )
    return known.folders[known.default]


def _by_name_or_folder(wanted: str) -> Path:
    if not any(sign in wanted for sign in (os.sep, "/", "~")) and wanted not in {".", ".."}:
        found = registry().folders.get(wanted)
        if found:
            return found
    return Path(wanted).expanduser()


def _nearest_parent(folder: Path) -> Path | None:
    return next((one for one in (folder, *folder.parents) if (one / config.FILE).is_file()), None)


def setting_of_language(named: str | None) -> str | None:
    """Return the language that the chosen brain's settings name, None where there is no brain or it can't be read."""
    try:
        return config.Brain(choose(named)).config().language
    except (NotABrain, InvalidConfig, OSError):
        return None


def register(root: Path, name: str | None = None) -> str:
    """Keep a brain under a name that is free, the first one as the default; returns its name."""
    from filelock import FileLock

    root, target = root.expanduser().resolve(), file()
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with FileLock(target.with_name("brains.lock"), timeout=_LOCK_SECONDS):
        known = registry()
        mine = known.name_of(root)
        if mine and name in {None, mine}:
            return mine
        chosen = _free(name or root.name or "brain", known)
        folders = {key: folder for key, folder in known.folders.items() if folder != root}
        default = chosen if known.default in {None, mine} else known.default
        _write(target, replace(known, default=default, folders={**folders, chosen: root}))
    return chosen


def _free(name: str, known: Registry) -> str:
    name = "-".join(name.replace("/", " ").replace(os.sep, " ").replace("~", " ").split()) or "brain"
    tries = (name, *(f"{name}-{number}" for number in range(2, len(known.folders) + 3)))
    return next(one for one in tries if one not in known.folders)


def _write(target: Path, known: Registry) -> None:
    value = {"default": known.default, "brains": {name: str(folder) for name, folder in known.folders.items()}}
    fresh = target.with_name(f"{target.name}.{os.getpid()}")
    fresh.write_text(json.dumps(value, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    fresh.replace(target)
