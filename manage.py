#!/usr/bin/env python
"""Django's own commands, for development; CABECAO_BRAIN names the brain whose databases they use."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from django.core.management import execute_from_command_line

from cabecao_site import bootstrap, environment


def main() -> None:
    """Run one of Django's commands."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "cabecao_site.settings")
    if environment.text("CABECAO_BRAIN"):
        bootstrap.start(Path(environment.text("CABECAO_BRAIN")), lean=False)
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
