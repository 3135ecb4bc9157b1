"""cabecao password: typed by a person at a terminal, and by nobody else."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import pytest

SECRET = "cavalo bateria grampo certo"


def kept(root) -> str:
    with closing(sqlite3.connect(root / ".cabecao" / "state.db")) as connection:
        if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'auth_user'").fetchone():
            return ""
        found = connection.execute("SELECT password FROM auth_user WHERE username = 'person'").fetchone()
    return found[0] if found else ""


def hidden(*texts: str) -> str:
    return "".join(f"\x1e{text}\n" for text in texts)


@pytest.mark.slow
def test_a_person_sets_it_at_the_terminal_and_takes_it_away(cli, made_brain):
    ended = cli.run("password", "--brain", "notas", person=True, typed=hidden(SECRET, SECRET), CABECAO_LANG="en")
    assert (ended.code, SECRET in ended.out + ended.err) == (0, False), ended.err
    assert "The password is set" in ended.out
    assert kept(made_brain).startswith(("scrypt$", "pbkdf2_sha256$"))
    ended = cli.run("password", "--brain", "notas", "--remove", "--json", person=True)
    assert (ended.code, json.loads(ended.out)) == (0, {"password": "removed"}), ended.err
    assert kept(made_brain).startswith("!")
    ended = cli.run("password", "--brain", "notas", "--remove", "--json", person=True)
    assert (ended.code, json.loads(ended.out)["error"]["code"]) == (1, "not_found")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("typed", "said"), [((SECRET, SECRET + "!"), "not the same"), (("curta", "curta"), "at least 10")]
)
def test_what_would_not_do_is_refused(cli, made_brain, typed, said):
    ended = cli.run("password", "--brain", "notas", person=True, typed=hidden(*typed), CABECAO_LANG="en")
    assert ended.code == 2
    assert said in ended.err
    assert kept(made_brain)[:1] in ("", "!")


def test_a_script_and_an_agent_set_none(cli, made_brain):
    for given in ({}, {"CLAUDECODE": "1"}):
        ended = cli.run("password", "--brain", "notas", typed=f"{SECRET}\n{SECRET}\n", **given)
        assert ended.code == 4
    ended = cli.run("password", "--brain", "notas", person=True, typed=hidden(SECRET, SECRET), CLAUDECODE="1")
    assert ended.code == 4


def test_with_no_input_nothing_is_asked(cli, made_brain):
    ended = cli.run("password", "--brain", "notas", "--no-input", person=True, CABECAO_LANG="en")
    assert ended.code == 2
    assert "--no-input" in ended.err
