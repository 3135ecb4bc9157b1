"""Two machines far apart judge the same notes alike, and give each other nothing to sync."""

from __future__ import annotations

import subprocess
import time

import pytest

from brain.caller import Caller, Kind, Surface
from brain.services.syncing import running

ZONES = ("Etc/GMT-3", "Etc/GMT+7", "Pacific/Kiritimati")
PERSON = Caller(Kind.HUMAN, "cli", Surface.CLI)


@pytest.fixture
def in_zone(monkeypatch):
    """Take the machine to another time zone."""

    def move(zone):
        monkeypatch.setenv("TZ", zone)
        time.tzset()

    yield move
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def filled(ready):
    for number, (start, end) in enumerate((("2026-03-01", "2026-05-01"), ("2026-05-01", None))):
        until = {"valid_until": end} if end else {}
        ready.note(
            f"memory/facts/{number}.md",
            f"O Atlas usa a fila {number}.",
            type="fact",
            title=f"Fila {number}",
            subject="Projeto Atlas",
            predicate="uses_queue",
            object=f"Fila {number}",
            valid_from=start,
            **until,
        )
    ready.commit()
    return ready


@pytest.mark.parametrize("day", ["2026-02-28", "2026-03-01", "2026-04-30", "2026-05-01"])
def test_a_date_means_the_same_everywhere(filled, agent, in_zone, day):
    told = []
    for zone in ZONES:
        in_zone(zone)
        facts = agent("facts", as_of=day).model_dump()
        hits = agent("search", query="fila", as_of=day)
        told.append((facts, [(one.path, one.validity) for one in hits.hits]))
    assert told[0] == told[1] == told[2]


def test_a_sync_in_another_zone_finds_nothing_to_do(filled, in_zone, tmp_path):
    bare = tmp_path / "remoto.git"
    subprocess.run(["git", "init", "-q", "--bare", "--initial-branch=main", str(bare)], check=True)
    filled.git("remote", "add", "origin", str(bare))
    assert running.run(PERSON).status == "ok"
    before = filled.git("rev-parse", "HEAD")
    for zone in ZONES:
        in_zone(zone)
        told = running.run(PERSON)
        assert (told.status, told.committed, told.pulled, told.pushed) == ("ok", 0, 0, 0)
    assert filled.git("rev-parse", "HEAD") == before
    assert not list(filled.root.rglob("*.conflict-*"))
