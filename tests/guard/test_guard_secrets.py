from __future__ import annotations

import dataclasses
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_up import HARMLESS, OTHERS, TOKENS, mixed, some

from brain.guard.secrets import ALLOWED, Finding, scan

BLOCKED = {**TOKENS, **OTHERS}
SEEDS = range(5)


def _token(seed: int = 1) -> str:
    return TOKENS["github"](random.Random(seed))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("family", BLOCKED)
def test_a_secret_is_found_in_every_setting(family: str, seed: int) -> None:
    secret = BLOCKED[family](random.Random(f"{family}{seed}"))
    quoted = secret.replace("\n", "\n> ")
    for text in (secret, f"Antes.\r\n{secret}\r\nDepois.", f"```\n{secret}\n```", f"> {quoted}", f"- x\n  - {secret}"):
        assert scan(text), text


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("family", HARMLESS)
def test_a_look_alike_passes(family: str, seed: int) -> None:
    text = HARMLESS[family](random.Random(f"{family}{seed}"))
    assert scan(text) == []
    assert scan(f"Nota de hoje: {text}\r\n\r\nmais texto\r\n") == []


@pytest.mark.parametrize("family", TOKENS)
@pytest.mark.parametrize("filler", ["\u200b", "\u00ad", "\u2060", "\ufeff", "\u2028", "\n", "  \r\n> ", "\n    "])
def test_a_token_that_is_broken_up_is_still_found(family: str, filler: str) -> None:
    token = TOKENS[family](random.Random(family))
    middle = len(token) // 2
    assert scan(f"x {token[:middle]}{filler}{token[middle:]}\nmais texto")


@pytest.mark.parametrize("family", TOKENS)
def test_a_token_in_full_width_letters_is_still_found(family: str) -> None:
    token = TOKENS[family](random.Random(family))
    assert scan("".join(chr(ord(sign) + 0xFEE0) for sign in token))


def test_markdown_escapes_do_not_hide_a_token() -> None:
    assert scan(_token().replace("_", "\\_"))


def test_a_full_width_name_and_a_split_name_still_mark_a_password() -> None:
    value = mixed(random.Random(3))
    assert scan(f"ｓｅｎｈａ： {value}")
    assert scan(f"se\u200bnha: {value}")


@pytest.mark.parametrize(
    "before", ["", "uma linha\n", "a\r\nb\r\n", "a\rb\r", "caf\u00e9 \u200b\u200b\n", "a\u2028b\u200b\n"]
)
@pytest.mark.parametrize("lead", ["", "chave ", "\u200bé ", "İ "])
def test_line_and_column_are_those_of_the_original(before: str, lead: str) -> None:
    found = scan(f"{before}{lead}{_token()}\nfim\n")
    line = before.count("\n") + before.replace("\r\n", "").count("\r") + 1
    assert [(one.line, one.column) for one in found] == [(line, len(lead) + 1)]


def test_a_broken_token_is_placed_where_it_begins() -> None:
    token = _token()
    assert scan(f"um\n> {token[:12]}\n> {token[12:]}\n> fim") == [Finding("github-token", 2, 3)]


def test_a_finding_never_holds_the_value() -> None:
    token = _token()
    (found,) = scan(f"token: {token}")
    assert token not in repr(dataclasses.asdict(found))
    assert found.rule == "github-token"


def test_each_secret_is_found_once() -> None:
    tokens = [_token(seed) for seed in range(20)]
    assert [one.line for one in scan("\n".join(f"token = '{token}'" for token in tokens))] == list(range(1, 21))


def test_the_marker_clears_its_line_for_a_person_and_for_nobody_else() -> None:
    text = f"{_token(1)} <!-- {ALLOWED} -->\n{_token(2)}\n"
    assert [one.line for one in scan(text)] == [1, 2]
    assert [one.line for one in scan(text, human=True)] == [2]


def test_what_was_there_before_is_not_found_again_but_anything_new_is() -> None:
    before = f"# Nota\n\n{_token(1)}\n"
    assert scan(f"Nova linha.\n{before}", known=before) == []
    assert [one.line for one in scan(f"{before}{_token(2)}\n", known=before)] == [4]


def test_a_key_put_under_a_line_that_was_there_is_new() -> None:
    key = OTHERS["rsa key"](random.Random(1))
    head = key.splitlines()[0]
    assert scan(key, known=f"{head}\n") != []


def test_a_path_with_a_token_is_found() -> None:
    assert scan(f"wiki/concepts/{_token()}.md")


@given(st.text(max_size=300))
def test_any_text_can_be_scanned_and_every_place_exists(text: str) -> None:
    token = _token()
    for one in scan(f"{text}\n{token}\n{text}"):
        assert one.line >= 1
        assert one.column >= 1
    assert scan(f"{text}\n {token}\n{text}")


@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz áéíóúãõç.,;:!?()-\n", max_size=400))
def test_prose_without_digits_passes(text: str) -> None:
    assert scan(text) == []


@pytest.mark.parametrize(
    "piece", ["gh" + "p_", "sk-" + "ant-", "eyJabcdefghij.", "senha: ", "pass=", "://a:", "\u200ba", "bearer "]
)
def test_a_hostile_text_is_scanned_without_stalling(piece: str) -> None:
    assert scan(piece * (60_000 // len(piece))) == []


def test_recall_over_many_made_up_secrets_is_high() -> None:
    chance = random.Random(99)
    families = [chance.choice(list(BLOCKED)) for _ in range(600)]
    missed = [family for family in families if not scan(f"Anotei {BLOCKED[family](chance)} hoje.")]
    assert len(missed) <= 6, missed


def test_random_words_joined_by_signs_are_no_passwords() -> None:
    chance = random.Random(5)
    for _ in range(200):
        slug = "-".join(some(chance, 5, "abcdefgh") for _ in range(3)) + f"-{chance.randint(1, 99)}"
        assert scan(f"token: {slug}") == []


@pytest.mark.parametrize(
    "text",
    [
        "Authorization: Basic aaaaaaaaaaaaaaaaaaaaa",
        "Authorization: Basic /////////////////////w==",
        "token: AbcdefAccessRefresh2",
        "senha: 12345678",
        "token = getTokenFromStore2(name)",
        "password = form.password1",
    ],
)
def test_what_only_stands_where_a_secret_would_passes(text: str) -> None:
    assert scan(text) == []
