"""The table, the verdict, and the same as JSON."""

from __future__ import annotations

import json
import os
import platform
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any, Final

from benchmarks.measuring import Figure

_HEAD: Final = ("what", "notes", "", "floor", "product", "ratio", "goal", "", "beside")


def table(figures: Sequence[Figure]) -> str:
    """Return one line a figure."""
    rows = [_HEAD, *map(_row, figures)]
    widths = [max(len(row[place]) for row in rows) for place in range(len(_HEAD))]
    return "\n".join("  ".join(_padded(row, widths)).rstrip() for row in rows)


def _padded(row: Sequence[str], widths: Sequence[int]) -> list[str]:
    return [
        cell.rjust(width) if place in {1, 3, 4, 5} else cell.ljust(width)
        for place, (cell, width) in enumerate(zip(row, widths, strict=True))
    ]


def _row(figure: Figure) -> tuple[str, ...]:
    verdict = {None: "void" if figure.void else "", True: "met", False: "MISSED"}[figure.met]
    return (
        figure.measure,
        f"{figure.notes:,}",
        figure.statistic,
        "" if figure.floor is None else _amount(figure.floor, figure.unit),
        _amount(figure.product, figure.unit),
        "" if figure.ratio is None else f"{figure.ratio:.2f} ×",
        _goal(figure),
        verdict,
        figure.against,
    )


def _goal(figure: Figure) -> str:
    if figure.limit is None:
        return ""
    return f"≤ {_amount(figure.limit, figure.unit)}" if figure.absolute else f"≤ {figure.limit:g} ×"


def _amount(value: float, unit: str) -> str:
    return f"{value:,.0f} {unit}" if value >= 100 else f"{value:.2f} {unit}" if value < 10 else f"{value:.1f} {unit}"


def verdict(figures: Sequence[Figure], failed: Mapping[str, str]) -> str:
    """Return how many goals are met, and name what is missed, void or failed."""
    judged = [one for one in figures if one.met is not None]
    lines = [f"{sum(one.met is True for one in judged)} of {len(judged)} goals met"]
    lines += [f"missed: {_name(one)}, {one.statistic}" for one in judged if not one.met]
    lines += dict.fromkeys(f"void: {_name(one)}: {one.void}" for one in figures if one.void)
    lines += [f"failed: {name}: {reason}" for name, reason in failed.items()]
    return "\n".join(lines)


def _name(figure: Figure) -> str:
    beside = f" beside {figure.against}" if figure.against else ""
    return f"{figure.measure}{beside} at {figure.notes:,} notes"


def as_json(figures: Sequence[Figure], failed: Mapping[str, str]) -> str:
    """Return everything, with the machine it was measured on."""
    machine: dict[str, Any] = {
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "cpus": os.cpu_count(),
    }
    value = {"machine": machine, "figures": [one.as_dict() for one in figures], "failed": dict(failed)}
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"
