"""Typed readers of the environment, each with its default."""

from __future__ import annotations

import os


def text(name: str, default: str = "") -> str:
    """Return a variable as it is."""
    return os.environ.get(name, default)


def flag(name: str, *, default: bool = False) -> bool:
    """Return a variable as yes or no; 1, true, yes and on count as yes."""
    value = os.environ.get(name)
    return default if value is None else value.strip().lower() in {"1", "true", "yes", "on"}
