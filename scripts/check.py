"""Every check but the tests, each by its name; exit code 1 when one fails."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
CHECKS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("ruff", (str(BIN / "ruff"), "check", ".")),
    ("format", (str(BIN / "ruff"), "format", "--check", "--quiet", ".")),
    ("mypy --strict", (str(BIN / "mypy"),)),
    ("import contracts", (str(BIN / "lint-imports"), "--no-cache")),
    ("templates", (str(BIN / "djlint"), "brain/web/templates", "--lint", "--quiet")),
    ("migrations", (sys.executable, "manage.py", "makemigrations", "--check", "--dry-run")),
    ("translations", (sys.executable, "scripts/messages.py", "check")),
    ("docs", (sys.executable, "scripts/docs.py", "check")),
)


def main() -> int:
    """Run the checks named on the command line, or all of them."""
    wanted = set(sys.argv[1:])
    failed: list[str] = []
    for name, command in CHECKS:
        if wanted and name not in wanted:
            continue
        started = time.monotonic()
        ran = subprocess.run(command, cwd=ROOT, env=os.environ, capture_output=True, text=True, check=False)
        print(f"{'ok  ' if ran.returncode == 0 else 'FAIL'} {name} ({time.monotonic() - started:.0f} s)", flush=True)
        if ran.returncode != 0:
            failed.append(name)
            print((ran.stdout + ran.stderr).strip()[-6000:])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
