"""Making a folder a repository, and taking the person's files into it as theirs."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from brain.config import MACHINE_FOLDER
from brain.store import files, git
from brain.store.repository import Repository

BRANCH: Final = "main"


def has_own_repository(root: Path) -> bool:
    """Tell whether a folder is the top of a Git work tree; one inside another repository has none of its own."""
    ran = git.run(root, "rev-parse", "--show-toplevel", check=False)
    if ran.code != 0:
        return "dubious ownership" in ran.err
    return Path(ran.text.strip()).samefile(root)


def is_bare(root: Path) -> bool:
    """Tell whether a folder is, or lies inside of, a Git repository's own folder."""
    said = git.run(root, "rev-parse", "--is-bare-repository", "--is-inside-git-dir", check=False)
    return said.code == 0 and "true" in said.lines()


def is_untouched(root: Path) -> bool:
    """Tell whether a folder's own repository holds nothing yet: no commit, on no branch, and nothing staged."""
    refs = git.run(root, "for-each-ref", "--count=1", check=False)
    head = git.run(root, "rev-parse", "--verify", "--quiet", "HEAD", check=False)
    staged = git.run(root, "ls-files", "--cached", check=False)
    return refs.code == staged.code == 0 and head.code != 0 and not refs.out and not staged.out


def has_broken_repository(root: Path) -> bool:
    """Tell whether a folder holds a repository that Git cannot open and that is more than the stub of one."""
    folder = root / ".git"
    if not folder.exists() or has_own_repository(root):
        return False
    held = [folder] if folder.is_file() else [folder / "objects", folder / "refs", folder / "packed-refs"]
    return any(one.is_file() or any(file.is_file() for file in one.rglob("*")) for one in held)


def all_files(root: Path) -> tuple[str, ...]:
    """Return the files below a folder that Git would not ignore, without asking for a repository there."""
    with tempfile.TemporaryDirectory(prefix="cabecao-") as folder:
        git.run(root, "init", "--quiet", "--bare", folder)
        arguments = (f"--git-dir={folder}", f"--work-tree={root}", "ls-files", "--others", "--exclude-standard", "-z")
        listed = git.run(root, "-c", "core.bare=false", *arguments, seconds=600).names()
    return tuple(
        sorted(
            name for name in listed if not name.endswith("/") and not name.startswith((".git/", f"{MACHINE_FOLDER}/"))
        )
    )


def make_repository(root: Path) -> None:
    """Make a folder a Git repository; the files in it stay as they are."""
    git.run(root, "init", "--quiet", f"--initial-branch={BRANCH}")


def surrounding(root: Path) -> Path | None:
    """Return the top of the repository that a folder lies in, None where it lies in none."""
    place = next((one for one in (root, *root.parents) if one.is_dir()), root)
    ran = git.run(place, "rev-parse", "--show-toplevel", check=False)
    return Path(ran.text.strip()) if ran.code == 0 and ran.text.strip() else None


def make_machine_folder(root: Path, *, keeps_catalogue: bool = False) -> None:
    """Make the folder of what belongs to this machine; it ignores itself, and the catalogue is kept out of Git.

    With `keeps_catalogue` index.md is a file of the person's, and stays one for Git.
    """
    folder = root / MACHINE_FOLDER
    make_ignored(folder)
    (folder / "tmp").mkdir(exist_ok=True)
    if not keeps_catalogue:
        _exclude(root, "/index.md")


def make_ignored(folder: Path) -> None:
    """Make a folder whose files Git ignores."""
    folder.mkdir(exist_ok=True)
    ignore = folder / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n", encoding="utf-8")


def _exclude(root: Path, line: str) -> None:
    common = git.run(root, "rev-parse", "--git-common-dir").text.strip()
    file = (root / common) / "info" / "exclude"
    file.parent.mkdir(exist_ok=True)
    text = file.read_text(encoding="utf-8", errors="surrogateescape") if file.exists() else ""
    if line not in text.splitlines():
        with file.open("a", encoding="utf-8", errors="surrogateescape") as stream:
            stream.write(("" if text.endswith("\n") or not text else "\n") + line + "\n")


def commit_as_person(repository: Repository, paths: Iterable[str]) -> None:
    """Commit files that are not in Git yet, as the person's."""
    listing = b"".join(path.encode("utf-8", errors="surrogateescape") + b"\0" for path in paths)
    root, person = repository.root, repository.settings.person()
    env = {"GIT_LITERAL_PATHSPECS": "1"}
    git.run(root, "add", "--pathspec-from-file=-", "--pathspec-file-nul", stdin=listing, env=env, seconds=3600)
    named = {
        **{f"GIT_{role}_NAME": person.name for role in ("AUTHOR", "COMMITTER")},
        **{f"GIT_{role}_EMAIL": person.email for role in ("AUTHOR", "COMMITTER")},
    }
    flush = ("-c", "core.fsync=objects,reference", "-c", "commit.gpgsign=false")
    git.run(root, *flush, "commit", "--quiet", "-m", "Keep the notes as they are", env=named, seconds=3600)


def put(root: Path, contents: Mapping[str, bytes]) -> None:
    """Write files that are not there yet."""
    for path, content in contents.items():
        if not files.exists(root, path):
            files.write(root, path, content)
