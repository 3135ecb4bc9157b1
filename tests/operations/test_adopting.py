"""init: a folder becomes a brain, and not one byte of the person's files changes."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from calling import SECRETS

from brain import language
from brain.errors import BrainError, InvalidArgument, RepositoryBusy
from brain.note.schema import TYPES
from brain.services import adopting

VAULTS = os.environ.get("CABECAO_TEST_VAULTS", "")  # a folder of real vaults, each in a folder of its own
CONTROL = {"AGENTS.md", "CLAUDE.md", "GEMINI.md", "README.md", ".gitattributes", ".cabecao.json", "log.md"}


@pytest.fixture(autouse=True)
def english():
    with language.activate("en"):
        yield


@pytest.fixture
def folder(tmp_path):
    """A person's folder of notes that knows nothing of Git."""
    root = tmp_path / "notas"
    (root / "Diário").mkdir(parents=True)
    (root / "Diário" / "2026-01-01.md").write_bytes(b"\xef\xbb\xbf# Ano novo\r\n\r\n[[Ideias]]\r\n")
    (root / "Ideias.md").write_text("---\ntags: [x]\n---\nUma ideia.\n")
    (root / "foto.png").write_bytes(b"\x89PNG\0\0")
    (root / ".gitignore").write_text("rascunho*\n")
    (root / "rascunho.md").write_text("Não versionar.\n")
    return root


def git(root: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True)
    return done.stdout.decode()


def files(root: Path) -> dict[str, str]:
    """Return the files of a folder outside of what belongs to Git and the machine, with their digests."""
    return {
        file.relative_to(root).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in root.rglob("*")
        if file.is_file() and not file.relative_to(root).as_posix().startswith((".git/", ".cabecao/"))
    }


def everything(root: Path) -> dict[str, str]:
    return {
        file.relative_to(root).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest() if file.is_file() else "folder"
        for file in root.rglob("*")
    }


def tracked(root: Path, commit: str = "HEAD") -> set[str]:
    return set(
        git(root, "-c", "core.quotePath=false", "ls-tree", "-r", "--name-only", "-z", commit).strip("\0").split("\0")
    )


def test_a_folder_is_adopted_without_changing_a_byte_of_it(folder):
    before = files(folder)
    report = adopting.init(folder)
    after = files(folder)
    assert {name: after[name] for name in before} == before
    assert set(after) - set(before) == CONTROL
    assert not report.created
    assert report.notes == 2
    said = "\n".join(report.lines)
    assert "A Git repository was made" in said
    assert "4 files were committed as yours" in said
    assert "AGENTS.md" in said


def test_the_persons_files_are_committed_as_theirs_and_the_rest_apart(folder):
    adopting.init(folder)
    first, second = git(folder, "log", "--reverse", "--format=%H").split()
    assert tracked(folder, first) == {"Diário/2026-01-01.md", "Ideias.md", "foto.png", ".gitignore"}
    assert tracked(folder, second) - tracked(folder, first) == CONTROL
    assert git(folder, "log", "--format=%an <%ae>").splitlines() == ["Ana <ana@example.org>"] * 2
    assert "Cabecao-Op" not in git(folder, "log", "--format=%B")
    assert git(folder, "status", "--porcelain") == ""


def test_what_is_the_machines_stays_out_of_git_without_the_persons_gitignore(folder):
    adopting.init(folder)
    assert (folder / ".gitignore").read_text() == "rascunho*\n"
    assert (folder / ".cabecao" / ".gitignore").read_text() == "*\n"
    assert "/index.md" in (folder / ".git" / "info" / "exclude").read_text().splitlines()
    (folder / "index.md").write_text("catálogo\n")
    assert git(folder, "status", "--porcelain") == ""


@pytest.mark.parametrize("start", ["adopted", "new", "example"])
def test_a_second_init_changes_nothing(folder, tmp_path, start):
    root = folder if start == "adopted" else tmp_path / "novo"
    adopting.init(root, example=start == "example")
    before = everything(root)
    report = adopting.init(root)
    after = everything(root)
    assert {name: one for name, one in after.items() if ".git/" not in name} == {
        name: one for name, one in before.items() if ".git/" not in name
    }
    assert len(git(root, "log", "--format=%H").split()) == (2 if start == "adopted" else 1)
    assert report.lines == ["Nothing was missing."]


def test_a_second_init_brings_back_a_control_file_that_went_away(folder):
    adopting.init(folder)
    (folder / "CLAUDE.md").unlink()
    assert "CLAUDE.md" in adopting.init(folder).lines[0]
    assert (folder / "CLAUDE.md").exists()


def test_a_new_brain_has_its_folders_and_its_own_gitignore(tmp_path):
    report = adopting.init(tmp_path / "a" / "novo")
    root = tmp_path / "a" / "novo"
    assert report.created
    assert report.notes == 0
    assert set(files(root)) == CONTROL | {".gitignore"}
    assert all((root / kind.folder).is_dir() for kind in TYPES.values())
    assert git(root, "status", "--porcelain") == ""
    assert git(root, "symbolic-ref", "--short", "HEAD").strip() == "main"


def test_an_empty_folder_becomes_a_new_brain_without_asking(tmp_path):
    root = tmp_path / "vazia"
    root.mkdir()
    assert adopting.init(root, yes=lambda _plan: pytest.fail("asked")).created


def test_declined_nothing_is_changed_not_even_a_git_folder(folder):
    before = everything(folder)
    seen = []
    report = adopting.init(folder, yes=lambda plan: bool(seen.append(plan)))
    assert everything(folder) == before
    assert report.lines == ["Nothing was changed."]
    (plan,) = seen
    assert plan.makes_repository
    assert set(plan.commits) == {"Diário/2026-01-01.md", "Ideias.md", "foto.png", ".gitignore"}
    assert set(plan.adds) == CONTROL
    assert plan.left_out == ()


@pytest.mark.parametrize("kind", sorted(SECRETS))
def test_files_with_secrets_are_left_out_and_named_and_stay_as_they_are(folder, kind):
    text = f"senha\nchave: {SECRETS[kind]}\n"
    (folder / "Contas.md").write_text(text)
    (folder / "grande.txt").write_text(f"{SECRETS[kind]}\n" + "linha\n" * 500_000)
    report = adopting.init(folder)
    assert not {"Contas.md", "grande.txt"} & tracked(folder)
    said = "\n".join(report.lines)
    assert "Contas.md may hold a secret" in said
    assert "grande.txt may hold a secret" in said
    assert SECRETS[kind] not in said
    assert (folder / "Contas.md").read_text() == text
    assert SECRETS[kind] not in git(folder, "log", "--all", "-p")


def test_what_the_person_marked_as_no_secret_is_taken_in(folder):
    (folder / "Exemplo.md").write_text(f"{SECRETS['aws']} <!-- cabecao:allow-secret -->\n")
    adopting.init(folder)
    assert "Exemplo.md" in tracked(folder)


def test_control_files_that_are_there_are_kept_also_under_another_case(folder):
    (folder / "Readme.md").write_text("# Meu\n")
    (folder / "AGENTS.md").write_text("Meus agentes.\n")
    (folder / "CLAUDE.md").symlink_to("AGENTS.md")
    (folder / "GEMINI.md").symlink_to("nada.md")
    adopting.init(folder)
    assert (folder / "Readme.md").read_text() == "# Meu\n"
    assert (folder / "AGENTS.md").read_text() == "Meus agentes.\n"
    assert (folder / "CLAUDE.md").readlink() == Path("AGENTS.md")
    assert (folder / "GEMINI.md").is_symlink()
    assert "README.md" not in {file.name for file in folder.iterdir()}
    assert git(folder, "status", "--porcelain") == ""


def test_an_index_of_the_persons_own_is_theirs(folder):
    (folder / "index.md").write_text("# Meu índice\n")
    adopting.init(folder)
    assert (folder / "index.md").read_text() == "# Meu índice\n"
    assert "index.md" in tracked(folder)
    (folder / "index.md").write_text("# Meu índice novo\n")
    assert git(folder, "status", "--porcelain").strip() == "M index.md"


@pytest.mark.parametrize("name", ["-x.md", "--force.md", "a b.md", "ação.md", "(x)*.md", "x\ty.md", ":x.md", '"q".md'])
def test_any_name_is_a_file(folder, name):
    (folder / name).write_text("Texto.\n")
    adopting.init(folder)
    assert name in tracked(folder)


def test_work_in_an_existing_repository_is_left_alone(folder):
    git(folder, "init", "--quiet")
    git(folder, "add", "Ideias.md")
    git(folder, "commit", "--quiet", "-m", "Meu")
    (folder / "Ideias.md").write_text("Outra ideia.\n")
    git(folder, "add", "Diário")
    before = files(folder)
    status = git(folder, "status", "--porcelain")
    report = adopting.init(folder)
    assert {name: files(folder)[name] for name in before} == before
    assert git(folder, "status", "--porcelain") == status
    assert tracked(folder) == {"Ideias.md"} | CONTROL
    assert git(folder, "show", "HEAD:Ideias.md") == "---\ntags: [x]\n---\nUma ideia.\n"
    assert len(report.lines) == 1


def test_an_existing_repository_asks_too_and_says_what_it_adds(folder):
    git(folder, "init", "--quiet")
    git(folder, "commit", "--quiet", "--allow-empty", "--message", "Minha")
    before = everything(folder)
    plans = []
    adopting.init(folder, yes=lambda plan: bool(plans.append(plan)))
    assert everything(folder) == before
    assert not plans[0].makes_repository
    assert plans[0].commits == ()


def test_a_folder_inside_another_repository_gets_its_own_and_the_other_is_left(folder):
    git(folder.parent, "init", "--quiet")
    head = (folder.parent / ".git" / "HEAD").read_text()
    report = adopting.init(folder)
    assert (folder / ".git").is_dir()
    assert "Ideias.md" in tracked(folder)
    assert any(str(folder.parent) in line for line in report.lines)
    assert (folder.parent / ".git" / "HEAD").read_text() == head
    assert not (folder.parent / ".git" / "index").exists()


def test_a_linked_work_tree_is_adopted_where_it_is(folder, tmp_path):
    git(folder, "init", "--quiet")
    git(folder, "add", "Ideias.md")
    git(folder, "commit", "--quiet", "-m", "Meu")
    git(folder, "worktree", "add", "--quiet", "-b", "cerebro", str(tmp_path / "ligada"))
    linked = tmp_path / "ligada"
    adopting.init(linked)
    assert tracked(linked) == {"Ideias.md"} | CONTROL
    assert git(linked, "status", "--porcelain") == ""
    assert tracked(folder) == {"Ideias.md"}
    assert (linked / ".git").is_file()


def test_a_nested_repository_of_the_persons_is_not_taken_apart(folder):
    git(folder, "init", "--quiet", "projeto")
    (folder / "projeto" / "x.md").write_text("Do projeto.\n")
    adopting.init(folder)
    assert "projeto/x.md" not in tracked(folder)
    assert (folder / "projeto" / ".git").is_dir()


def test_a_file_is_no_folder(folder):
    with pytest.raises(InvalidArgument):
        adopting.init(folder / "Ideias.md")


def test_a_place_where_nothing_can_be_made_is_an_error_of_the_table(folder):
    with pytest.raises(BrainError) as raised:
        adopting.init(folder / "Ideias.md" / "dentro")
    assert raised.value.next_step


def test_a_folder_without_permission_is_an_error_of_the_table(folder, monkeypatch):
    def refused(*_given, **_named):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "iterdir", refused)
    with pytest.raises(BrainError) as raised:
        adopting.init(folder)
    assert "permission denied" in raised.value.message
    assert "permissions" in raised.value.next_step


def test_in_the_middle_of_a_merge_nothing_is_touched(folder):
    git(folder, "init", "--quiet")
    git(folder, "add", "Ideias.md")
    git(folder, "commit", "--quiet", "-m", "Meu")
    (folder / ".git" / "MERGE_HEAD").write_text(git(folder, "rev-parse", "HEAD"))
    before = everything(folder)
    with pytest.raises(RepositoryBusy):
        adopting.init(folder)
    assert everything(folder) == before


def test_a_hook_that_refuses_leaves_no_half_adopted_folder(folder, own_home):
    hooks = own_home / "hooks"
    hooks.mkdir()
    (hooks / "pre-commit").write_text("#!/bin/sh\nexit 1\n")
    (hooks / "pre-commit").chmod(0o755)
    git(own_home, "config", "--file", str(own_home / "gitconfig"), "core.hooksPath", str(hooks))
    before = files(folder)
    with pytest.raises(BrainError) as raised:
        adopting.init(folder)
    assert raised.value.code == "git_failed"
    assert files(folder) == before
    assert not (folder / ".git").exists()
    (hooks / "pre-commit").unlink()
    adopting.init(folder)
    assert "Ideias.md" in tracked(folder)


@pytest.mark.parametrize(
    ("known", "signed"),
    [("", "Cabeção <cabecao@localhost>"), ("[user]\n\tname = Ana\n", "Ana <cabecao@localhost>")],
)
def test_without_a_name_in_git_init_says_what_the_commits_carry_and_how_to_sign(folder, own_home, known, signed):
    (own_home / "gitconfig").write_text(known)
    said = "\n".join(adopting.init(folder).lines)
    assert "Ideias.md" in tracked(folder)
    assert git(folder, "log", "--format=%an <%ae>|%cn <%ce>").splitlines() == [f"{signed}|{signed}"] * 2
    assert signed in said
    assert "git config --global user.name" in said


def test_with_a_name_in_git_nothing_is_said_of_it(folder):
    assert "git config" not in "\n".join(adopting.init(folder).lines)


def test_a_name_that_is_not_utf_8_is_committed_and_named(folder):
    odd, inner = os.fsdecode(b"caf\xe9.md"), os.fsdecode(b"pasta\xff")
    (folder / odd).write_text("Texto.\n")
    (folder / inner).mkdir()
    (folder / inner / "dentro.md").write_text("Texto.\n")
    (folder / os.fsdecode(b"foto\xe9.png")).write_bytes(b"\x89PNG\0")
    before = files(folder)
    plans = []
    report = adopting.init(folder, yes=lambda plan: plans.append(plan) or True)
    assert {name: files(folder)[name] for name in before} == before
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=folder, check=True, capture_output=True).stdout.split(b"\0")
    assert {b"caf\xe9.md", b"pasta\xff/dentro.md", b"foto\xe9.png"} <= set(listed)
    named = [line for line in report.lines if "not UTF-8" in line]
    assert [line.partition(":")[0] for line in named] == ["caf\\xe9.md", "pasta\\xff/"]
    assert "secret" not in "\n".join(report.lines)
    assert plans[0].left_out == ()
    "\n".join(report.lines).encode()
    assert git(folder, "status", "--porcelain") == ""


def test_what_cannot_be_read_is_left_out_for_that_reason(folder, monkeypatch):
    monkeypatch.setattr(adopting, "_can_be_read", lambda file: file.name != "Ideias.md")
    report = adopting.init(folder)
    assert "Ideias.md" not in tracked(folder)
    said = "\n".join(report.lines)
    assert "Ideias.md cannot be read" in said
    assert "secret" not in said


def test_the_example_needs_a_folder_of_its_own(folder):
    before = everything(folder)
    with pytest.raises(InvalidArgument):
        adopting.init(folder, example=True)
    assert everything(folder) == before


def test_the_example_is_a_brain_with_all_its_notes(tmp_path):
    root = tmp_path / "exemplo"
    report = adopting.init(root, example=True)
    assert report.notes == len(adopting.example_paths()) >= 40
    assert git(root, "status", "--porcelain") == ""
    assert len(git(root, "log", "--format=%H").split()) == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", ["kepano", "rust-livro-pt"])
def test_a_real_vault_is_adopted_byte_for_byte(tmp_path, name):
    if not VAULTS or not (Path(VAULTS) / name).is_dir():
        pytest.skip("CABECAO_TEST_VAULTS names no folder with this vault")
    root = tmp_path / name
    shutil.copytree(Path(VAULTS) / name, root)
    before = files(root)
    adopting.init(root)
    after = files(root)
    assert {one: after[one] for one in before} == before
    assert set(before) <= tracked(root)
    assert set(after) - set(before) <= CONTROL
    assert git(root, "status", "--porcelain") == ""
    assert adopting.init(root).lines == ["Nothing was missing."]


def test_a_repository_that_holds_nothing_yet_takes_the_persons_files_in(folder):
    git(folder, "init", "--quiet", "--initial-branch=main")
    asked = []
    adopting.init(folder, yes=lambda plan: asked.append(plan.commits) or True)

    assert "Ideias.md" in asked[0]
    assert "Ideias.md" in tracked(folder)


def test_the_stub_of_a_repository_is_made_whole(folder):
    (folder / ".git" / "objects").mkdir(parents=True)
    adopting.init(folder)

    assert "Ideias.md" in tracked(folder)


def test_a_repository_that_git_cannot_open_is_left_to_its_person(folder):
    git(folder, "init", "--quiet")
    git(folder, "commit", "--quiet", "--allow-empty", "--message", "Minha")
    (folder / ".git" / "HEAD").write_text("")
    before = everything(folder)
    with pytest.raises(BrainError) as raised:
        adopting.init(folder)

    assert raised.value.code == "not_a_repository"
    assert "git status" in raised.value.next_step
    assert everything(folder) == before
