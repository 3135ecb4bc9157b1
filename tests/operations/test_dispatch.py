"""dispatch: the one door lets in what is of the right form, and lets out an answer or an error of the table."""

from __future__ import annotations

import json
from types import MappingProxyType

import pytest
from calling import SECRETS
from django.db import DatabaseError
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from brain import errors, operations
from brain.caller import Caller, Kind, Surface
from brain.errors import BrainError
from brain.operations import OPERATIONS, dispatch

CALLER = Caller(Kind.AGENT, "teste", Surface.MCP, connection="c")
TABLE = {one.code for one in errors.BrainError.__subclasses__()} | {"internal_error"}
NAMES = [operation.name for operation in OPERATIONS]


def refused(name: str, arguments: object) -> BrainError:
    with pytest.raises(BrainError) as raised:
        dispatch(name, CALLER, arguments)  # type: ignore[arg-type]
    assert raised.value.code in TABLE
    assert raised.value.__cause__ is None or isinstance(raised.value.__cause__, Exception)
    return raised.value


@pytest.mark.parametrize("name", ["", "apagar", "Recall", "recall ", "x" * 10_000, "\0"])
def test_an_unknown_operation_is_an_error_of_the_table(name):
    assert refused(name, {}).code == "invalid_argument"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("arguments", [None, [], "task", 7, {7: 7}, {"": ""}, {"x" * 100_000: 1}])
def test_arguments_of_the_wrong_form_are_refused(ready, name, arguments):
    error = refused(name, arguments)
    assert error.code == "invalid_argument"
    assert len(error.message) < 1000


@pytest.mark.parametrize("name", NAMES)
def test_what_is_no_plain_dictionary_is_taken_like_one(ready, name):
    assert refused(name, MappingProxyType({"nada": 1})).code == "invalid_argument"


@pytest.mark.parametrize(
    "failure",
    [ValueError("chave"), KeyError("chave"), RecursionError(), MemoryError(), OSError(5, "chave"), DatabaseError("chave"),
     UnicodeEncodeError("utf-8", "chave", 0, 1, "x"), AssertionError("chave"), StopIteration("chave"), ExceptionGroup("g", [ValueError("chave")])],
    ids=lambda one: type(one).__name__,
)  # fmt: skip
def test_whatever_fails_inside_is_an_internal_error_without_its_words(monkeypatch, caplog, failure):
    def fail(_caller, _given):
        raise failure

    monkeypatch.setattr(operations, "_service", lambda _module: fail)
    error = refused("status", {})
    assert error.code == "internal_error"
    assert type(failure).__name__ in error.message
    assert "chave" not in str(error.as_dict())
    assert "chave" not in caplog.text


def test_a_service_that_does_not_even_load_is_an_internal_error(monkeypatch):
    def missing(_module):
        raise ImportError("chave")

    monkeypatch.setattr(operations, "_service", missing)
    assert refused("status", {}).code == "internal_error"


@pytest.mark.parametrize("failure", [DatabaseError("x"), OSError("x"), errors.IndexFailed("x")])
def test_a_refusal_that_cannot_be_recorded_is_still_that_refusal(agent, monkeypatch, failure):
    from brain.audit import chain

    def fail(*_given, **_named):
        raise failure

    monkeypatch.setattr(chain, "append", fail)
    with pytest.raises(errors.ConfirmationRequired):
        agent("remember", content="Obedeça.", type="rule")


def test_a_refusal_is_recorded_without_a_word_of_what_was_given(agent):
    from django.db import connections

    with pytest.raises(errors.SecretDetected):
        agent("remember", content=f"chave {SECRETS['aws']}", type="gotcha", session_handle="s1")
    with connections["audit"].cursor() as cursor:
        tables = cursor.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        said = str([cursor.execute(f'SELECT * FROM "{name}"').fetchall() for (name,) in tables])
    assert "secret_detected" in said
    assert "s1" in said
    assert SECRETS["aws"] not in said


@pytest.mark.parametrize("kind", sorted(SECRETS))
def test_no_error_repeats_a_secret_that_was_given(agent, kind):
    secret = SECRETS[kind]
    attempts = [
        (secret, {}),
        ("recall", {secret: 1}),
        ("recall", {"task": 1, secret: 1}),
        ("search", {"query": "a", "types": [secret]}),
        ("search", {"query": "a", "scope": f"project {secret}"}),
        ("search", {"query": "a", "as_of": secret}),
        ("read", {"path": secret}),
        ("read", {"path": f"{secret}.md"}),
        ("read", {"path": f"../{secret}"}),
        ("read", {"id": secret}),
        ("write_page", {"path": f"{secret}.md", "content": "x", "mode": "append"}),
        ("write_page", {"path": secret, "content": "x"}),
        ("write_page", {"path": f"../{secret}.md", "content": "x"}),
        ("write_page", {"path": "a.md", "content": "x", "frontmatter": {"type": "concept", "trust": secret}}),
        ("write_page", {"path": "a.md", "content": "x", "frontmatter": {"type": secret}}),
        ("remember", {"content": "x", "type": secret}),
        ("remember", {"content": "x", "type": "gotcha", "relations": {secret: ["a"]}}),
        ("remember", {"content": "x", "type": "gotcha", "resolution": secret}),
        ("undo", {"op": secret}),
        ("undo", {"session": secret}),
    ]
    for name, arguments in attempts:
        error = refused(name, arguments)
        assert secret not in json.dumps(error.as_dict(), ensure_ascii=False), (name, arguments)
        assert error.next_step


def test_an_error_without_a_secret_keeps_its_words(agent):
    error = refused("read", {"path": "wiki/Outra.md"})
    assert "wiki/Outra.md" in error.message
    assert "search" in error.next_step


@pytest.mark.parametrize("name", NAMES)
def test_half_of_a_character_pair_is_refused_before_anything_is_done(ready, name):
    assert refused(name, {"query": "a\ud800"}).code == "invalid_argument"
    assert refused(name, {"frontmatter": {"a": ["\udfff"]}}).code == "invalid_argument"


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
    max_leaves=6,
)


def _arguments() -> st.SearchStrategy[tuple[str, dict[str, object]]]:
    def of(operation):
        properties = list(operation.input.model_json_schema().get("properties", {}))
        known = st.fixed_dictionaries({}, optional=dict.fromkeys(properties, VALUES))
        return st.tuples(st.just(operation.name), known)

    return st.one_of([of(operation) for operation in OPERATIONS])


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(_arguments())
def test_nothing_but_an_answer_or_an_error_of_the_table_comes_out(ready, call):
    name, arguments = call
    try:
        answer = dispatch(name, CALLER, arguments)
    except BrainError as error:
        code = error.code
    else:
        code = None
        assert answer.model_dump_json()
    assert code != "internal_error", (name, arguments)
    assert code is None or code in TABLE


TEXTS = st.text(max_size=60)


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=TEXTS, path=TEXTS, kind=st.sampled_from(["search", "recall", "read", "create", "remember", "undo"]))
def test_any_text_in_the_right_place_gives_an_answer_or_an_error_of_the_table(ready, text, path, kind):
    arguments = {
        "search": ("search", {"query": text}),
        "recall": ("recall", {"task": text}),
        "read": ("read", {"path": path, "section": text}),
        "create": (
            "write_page",
            {"path": f"{path}.md", "content": text, "frontmatter": {"type": "concept", "x": path}},
        ),
        "remember": ("remember", {"content": text, "type": "gotcha", "title": path, "tags": [text]}),
        "undo": ("undo", {"op": text}),
    }[kind]
    try:
        answer = dispatch(arguments[0], CALLER, arguments[1])
    except BrainError as error:
        code = error.code
    else:
        code = None
        assert json.loads(answer.model_dump_json())
    assert code != "internal_error", arguments


def test_a_full_disk_is_said_whatever_met_it(monkeypatch):
    def fail(_caller, _given):
        raise ValueError("chave") from OSError(28, "chave")

    monkeypatch.setattr(operations, "_service", lambda _module: fail)
    error = refused("status", {})
    assert error.code == "disk_full"
    assert "chave" not in str(error.as_dict())
