"""Every address that the router knows: none is written to from elsewhere, and none writes where one only looks."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest
from django.urls import URLPattern, URLResolver, get_resolver

NOTE = "01KPTMDA406MCFZVF48S027CR0"
PATH = "wiki/entities/Bacalhau.md"
# What stands for the parts of an address.
PARTS = {"<str:identity>": NOTE, "<path:file>": PATH, "<str:op>": NOTE, "<str:job>": "1", "<str:kind>": "sync"}
FOREIGN = [
    {"origin": "https://evil.example"},
    {"origin": "null"},
    {"referer": "https://evil.example/x"},
    {"origin": "http://cabecao.localhost:8765", "sec-fetch-site": "cross-site"},
    {"origin": "https://evil.example", "HX-Request": "true"},
]


def addresses() -> Iterator[str]:
    def below(patterns: list[URLPattern | URLResolver], start: str) -> Iterator[str]:
        for one in patterns:
            whole = start + str(one.pattern).removeprefix("^").removesuffix("$")
            if isinstance(one, URLResolver):
                yield from below(one.url_patterns, whole)
            else:
                yield whole

    for found in below(get_resolver("cabecao_site.urls").url_patterns, "/"):
        address = found
        for part, value in PARTS.items():
            address = address.replace(part, value)
        assert "<" not in address, f"no value for a part of {found}"
        yield address


@pytest.fixture
def kept(brain, stranger):
    """Tell what the brain and the machine's records hold, but for what a session itself notes."""
    brain.note(PATH, "Peixe.", type="entity", title="Bacalhau", id=NOTE)
    brain.commit()

    def digest() -> tuple[object, ...]:
        files = {
            str(file): hashlib.sha256(file.read_bytes()).hexdigest()
            for file in sorted(brain.root.rglob("*"))
            if file.is_file() and ".git" not in file.parts and ".cabecao" not in file.parts
        }
        return files, brain.git("rev-parse", "HEAD"), brain.git("status", "--porcelain"), *_records(brain)

    return digest


def _records(brain) -> Iterator[tuple[str, str]]:
    for name in ("state", "audit"):
        with closing(sqlite3.connect(brain.root / ".cabecao" / f"{name}.db")) as connection:
            yield name, hashlib.sha256("\n".join(_lines(connection)).encode()).hexdigest()


def _lines(connection: sqlite3.Connection) -> Iterator[str]:
    tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    for table in sorted(tables):
        if "session" not in table and "launch" not in table:
            yield from (f"{table} {row}" for row in connection.execute(f"SELECT * FROM {table}"))  # noqa: S608


def test_looking_at_an_address_changes_nothing(kept, person):
    person.get("/")  # takes in what is new
    before = kept()
    for address in addresses():
        for method in (person.get, person.head, person.options):
            answer = method(address)
            assert answer.status_code < 500, address
    assert kept() == before


@pytest.mark.parametrize("database", ["index", "state", "audit"])
def test_no_page_waits_for_whoever_writes_to_a_database(kept, brain, person, database):
    addressed = [address for address in addresses() if address != "/enter"]  # a launch link is used up by a write
    free = {address: person.get(address).status_code for address in addressed}
    with closing(sqlite3.connect(brain.root / ".cabecao" / f"{database}.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        brain.note("wiki/Nova.md", "Veio de fora.", type="concept")
        brain.commit()
        for address in addressed:
            assert person.get(address).status_code == free[address], address


@pytest.mark.parametrize("headers", FOREIGN, ids=["origin", "null", "referer", "cross-site", "htmx"])
def test_no_address_takes_a_change_from_elsewhere(kept, person, token, headers):
    before = kept()
    for address in addresses():
        for method in (person.post, person.put, person.patch, person.delete):
            answer = method(address, {"csrfmiddlewaretoken": token}, headers={"X-CSRFToken": token, **headers})
            assert answer.status_code == 403, (address, method)
    assert kept() == before


@pytest.mark.parametrize(
    "path",
    ["..%2f..%2fetc/passwd", "%2e%2e/%2e%2e/etc/passwd", ".git/config", ".cabecao/confirm.key", ".cabecao.json", "raw/articles/a.html"],
)  # fmt: skip
def test_no_file_is_served_that_is_no_note(brain, kept, person, path):
    brain.write("raw/articles/a.html", "<script>alert(1)</script>")
    for start in ("/path/", "/n/", "/static/", "/"):
        answer = person.get(start + path)
        assert answer.status_code in {301, 400, 404}, (start, answer.status_code)
        assert b"alert(1)" not in answer.content
        assert b"[core]" not in answer.content
