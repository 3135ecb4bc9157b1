"""The wheel is the product: built, installed into an empty environment and used, as a newcomer would."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(ROOT))
    return next(folder.glob("cabecao-*.whl"))


def run(*command: str, cwd: Path | None = None, home: Path | None = None) -> str:
    env = {name: value for name, value in os.environ.items() if not name.startswith(("CABECAO_", "GIT_", "PYTHON"))}
    if home:
        env["HOME"] = str(home)
    done = subprocess.run(
        command, cwd=cwd, env=env, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
    )
    assert done.returncode == 0, (command, done.stdout[-1500:], done.stderr[-1500:])
    return done.stdout


def test_the_wheel_holds_templates_assets_translations_and_the_example(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    for wanted in (
        "brain/web/templates/web/base.html",
        "brain/web/static/cabecao.css",
        "brain/locale/pt_BR/LC_MESSAGES/django.mo",
        "brain/example/notes/wiki/entities/SQS.md",
        "cabecao_site/cli/__main__.py",
    ):
        assert wanted in names
    assert not [name for name in names if name.startswith(("tests/", "benchmarks/", "assets/"))]


def test_an_empty_environment_with_the_wheel_has_a_working_cabecao(wheel: Path, tmp_path: Path) -> None:
    run(sys.executable, "-m", "venv", str(tmp_path / "env"))
    python = tmp_path / "env" / ("Scripts" if os.name == "nt" else "bin") / "python"
    pins = ("--constraint", str(ROOT / "requirements.txt"))
    run(str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *pins, str(wheel))
    command = str(python.with_name("cabecao"))

    run(command, "init", str(tmp_path / "exemplo"), "--example", "--yes", cwd=tmp_path, home=tmp_path)
    found = run(
        command, "--brain", str(tmp_path / "exemplo"), "search", "idempotência", "--json", cwd=tmp_path, home=tmp_path
    )

    assert '"path": "wiki/concepts/Idempotência.md"' in found.replace('":"', '": "')
    assert run(command, "llm", "status", cwd=tmp_path, home=tmp_path)
