from __future__ import annotations

import io
import json
import signal
from collections.abc import Callable
from typing import Any

import pytest

from brain import errors
from brain.contracts.explanation import Explanation, PassRank, Places, TermMatch
from brain.contracts.reads import ReadOutput, RecallOutput, SearchOutput, StatusOutput
from brain.contracts.shared import NoteItem, Notice, Written
from brain.contracts.writes import RememberOutput, UndoOutput
from brain.language import gettext
from brain.operations import OPERATIONS
from cabecao_site.cli import render
from cabecao_site.cli.actions import operation
from cabecao_site.cli.run import Run

ULID = "01JZ5T9Q0V3XK8M2N4P6R8S0TW"
Dispatched = list[tuple[str, dict[str, Any]]]


@pytest.fixture
def answer(monkeypatch: pytest.MonkeyPatch, script: object) -> Callable[[Any], Dispatched]:
    """Let every operation give one answer, and tell what it was asked; no brain is needed."""
    asked: Dispatched = []

    def give(outcome: Any) -> Dispatched:
        def dispatch(name, caller, arguments):
            asked.append((name, dict(arguments)))
            if isinstance(outcome, Exception):
                raise outcome
            return outcome

        monkeypatch.setattr(operation, "dispatch", dispatch)
        monkeypatch.setattr(Run, "enter", lambda self, **_options: entered.append(_options))
        return asked

    entered: list[Any] = []
    return give


def typed(monkeypatch: pytest.MonkeyPatch, raw: bytes) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(raw)))


def item(title: str = "SQS", content: str = "Fila gerenciada.") -> NoteItem:
    return NoteItem(
        id=ULID,
        path="wiki/entities/SQS.md",
        type="entity",
        title=title,
        scope="project:atlas",
        validity="expired",
        trust="high",
        origin="human",
        edited_by=None,
        sources=[],
        content_kind="full",
        content=content,
    )


def written(**more: Any) -> dict[str, Any]:
    return {
        "data_notice": "x",
        "op": "op-1",
        "path": "memory/gotchas/a.md",
        "id": ULID,
        "action": "add",
        "changed": True,
        "commit": "c" * 40,
        "warnings": [],
        "next_step": "Nothing to do.",
        **more,
    }


def remembered(decision: str) -> RememberOutput:
    return RememberOutput(**written(), decision=decision, superseded=None, candidates=[], reason="because")


def found(**more: Any) -> SearchOutput:
    return SearchOutput(
        **{
            "data_notice": "x",
            "query": "fila",
            "mode": "and",
            "mode_requested": "auto",
            "mode_used": "keyword",
            "mode_reason": "",
            "warnings": [],
            "terms": ["fila"],
            "as_of": "2026-01-01",
            "hits": [],
            "related": [],
            "truncated": False,
            "next_step": None,
            "contradiction_check": "off",
            "contradictions": [],
            **more,
        }
    )


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        (("recall", "preparar"), {"task": "preparar"}),
        (("search", "fila", "--types", "fact", "--types", "rule", "--limit", "3", "--as-of", "2026-01-02"),
         {"query": "fila", "types": ["fact", "rule"], "limit": 3, "as_of": "2026-01-02"}),
        (("search", "--query", "fila"), {"query": "fila"}),
        (("search", "--", "-x"), {"query": "-x"}),
        (("read", "wiki/a.md", "--section", "B"), {"path": "wiki/a.md", "section": "B"}),
        (("read", ULID), {"id": ULID}),
        (("read", "r2-0123456789ab"), {"id": "r2-0123456789ab"}),
        (("read", "--id", "x"), {"id": "x"}),
        (("remember", "Texto", "--type", "gotcha", "--tags", "a b", "--tags", "c", "--relations", '{"uses": ["SQS"]}'),
         {"content": "Texto", "type": "gotcha", "tags": ["a b", "c"], "relations": {"uses": ["SQS"]}}),
        (("remember", "--content", "- item", "--type", "gotcha"), {"content": "- item", "type": "gotcha"}),
        (("write-page", "a.md", "--content", "", "--mode", "append"), {"path": "a.md", "content": "", "mode": "append"}),
        (("undo",), {}),
        (("undo", "op-1"), {"op": "op-1"}),
        (("undo", "--session", "s"), {"session": "s"}),
        (("status",), {}),
    ],
)  # fmt: skip
def test_what_is_typed_becomes_the_operations_input(call, answer, words, asked):
    dispatched = answer(errors.NotFound("x"))
    call(*words)
    assert dispatched == [(words[0].replace("-", "_"), asked)]


@pytest.mark.parametrize("words", [("--type", "gotcha"), ("-", "--type", "gotcha")])
def test_a_text_that_is_left_out_or_a_dash_comes_from_standard_input(call, answer, monkeypatch, words):
    typed(monkeypatch, b"\xef\xbb\xbfLinha 1\nA\xc3\xa7\xc3\xa3o\n")
    dispatched = answer(remembered("created"))
    assert call("remember", *words).code == 0
    assert dispatched[0][1]["content"] == "Linha 1\nAção\n"


def test_standard_input_that_is_no_text_is_a_usage_error(call, answer, monkeypatch):
    typed(monkeypatch, b"\xff\xfe")
    dispatched = answer(remembered("created"))
    assert call("remember", "--type", "gotcha").code == 2
    assert dispatched == []


def test_without_standard_input_a_missing_text_is_a_usage_error(call, answer, monkeypatch):
    monkeypatch.setattr("sys.stdin", None)
    answer(remembered("created"))
    assert call("write-page", "a.md").code == 2


@pytest.mark.parametrize(
    ("decision", "code"),
    [("created", 0), ("skipped", 0), ("updated", 0), ("superseded", 0), ("proposed", 0), ("declined", 1),
     ("needs_resolution", 1), ("needs_confirmation", 3)],
)  # fmt: skip
def test_the_exit_code_tells_what_became_of_a_memory(call, answer, decision, code):
    answer(remembered(decision))
    ended = call("remember", "x", "--type", "gotcha")
    assert ended.code == code
    assert "memory/gotchas/a.md" in ended.out


@pytest.mark.parametrize(
    ("error", "code"),
    [(errors.NotFound, 1), (errors.Conflict, 1), (errors.InternalError, 1), (errors.InvalidArgument, 2),
     (errors.ConfirmationRequired, 3), (errors.HumanOnly, 4), (errors.RuleRequiresHuman, 4)],
)  # fmt: skip
def test_an_error_has_its_exit_code_and_is_told_on_standard_error_alone(call, answer, error, code):
    answer(error("It broke."))
    ended = call("search", "x")
    assert (ended.code, ended.out) == (code, "")
    assert "It broke." in ended.err
    assert len(ended.err.strip().splitlines()) == 3


def test_that_nothing_was_changed_is_said_once(call, answer):
    said = gettext("Nothing was changed.")
    for message in ("It broke.", f"It broke. {said}"):
        answer(errors.NotFound(message))
        assert call("undo", "x").err.count(said) == 1


def test_a_person_to_whom_a_rule_is_refused_gets_a_plain_failure(call, answer, person):
    answer(errors.RuleRequiresHuman("no"))
    assert call("remember", "x", "--type", "rule").code == 1


def test_under_json_an_error_is_one_object_with_code_message_and_next_step(call, answer):
    answer(errors.NotFound("gone", path="a.md"))
    ended = call("read", "a.md", "--json")
    assert (ended.code, ended.err) == (1, "")
    error = json.loads(ended.out)["error"]
    assert (error["code"], error["message"], error["path"]) == ("not_found", "gone", "a.md")
    assert error["next_step"]


def test_under_json_the_output_model_is_all_there_is(call, answer):
    output = found(
        hits=[{**item().model_dump(), "score": 1.0, "heading_path": []}], warnings=[Notice(code="a", message="b")]
    )
    answer(output)
    ended = call("search", "fila", "--json")
    assert json.loads(ended.out) == output.model_dump(mode="json")
    assert ended.err == ""
    assert len(ended.out.splitlines()) == 1


def test_quiet_keeps_the_result_and_drops_the_notices(call, answer):
    answer(
        found(
            hits=[{**item().model_dump(), "score": 1.0, "heading_path": []}],
            warnings=[Notice(code="a", message="beware")],
        )
    )
    loud, quiet = call("search", "fila"), call("search", "fila", "--quiet")
    assert "beware" in loud.err
    assert quiet.err == ""
    assert quiet.out == loud.out
    assert "wiki/entities/SQS.md" in quiet.out


def test_an_unexpected_failure_shows_a_traceback_only_with_debug(call, answer, caplog):
    answer(ZeroDivisionError("value that may be secret"))
    plain = call("search", "x")
    assert plain.code == 1
    assert "Traceback" not in plain.err
    assert "secret" not in plain.err + caplog.text
    assert "Traceback" in call("search", "x", "--debug").err


def test_ctrl_c_ends_with_130(call, answer, monkeypatch):
    answer(found())

    def stop(*_arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(operation, "dispatch", stop)
    before = signal.getsignal(signal.SIGINT)
    try:
        assert call("search", "x").code == 130
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_only_what_writes_prepares_the_records(call, script, monkeypatch):
    entered: dict[str, Any] = {}
    monkeypatch.setattr(operation, "dispatch", lambda *_arguments: found())
    monkeypatch.setattr(Run, "enter", lambda self, **options: entered.update({self.command.name: options["records"]}))
    call("search", "x", "--json")
    call("write-page", "a.md", "--content", "x", "--json")
    assert entered == {"search": False, "write-page": True}


def test_every_operation_has_a_renderer():
    assert set(render.RENDERERS) == {one.name for one in OPERATIONS}


def test_what_a_person_reads_of_a_search_says_where_it_is_and_that_it_expired(call, answer):
    answer(
        found(hits=[{**item().model_dump(), "score": 1.0, "heading_path": []}], truncated=True, next_step="Read it.")
    )
    ended = call("search", "fila")
    assert "SQS  wiki/entities/SQS.md · entity · project:atlas · expired" in ended.out
    assert "    Fila gerenciada." in ended.out
    assert "Read it." in ended.err


def test_a_search_that_is_asked_to_explain_says_what_made_each_score(call, answer):
    ranks = [{"name": "all", "quoted": False, "found": 3, "place": 2, "words": 4.0}]
    match = {"term": "filas", "found": "fila", "how": "form", "fields": ["title", "stems"], "points": 3.0}
    why = Explanation(
        summary="It has all terms.", score=0.345, words=4.0, share=0.6, ring=0, ring_weight=1.15, past="expired",
        past_weight=0.5, follow_weight=1.0, matches=[TermMatch(**match)], missing=["lote"], ignored=["de"],
        passes=[PassRank(**ranks[0])], places=Places(final=2, by_words=1, without_ring=3, without_past=1),
    )  # fmt: skip
    hit = {**item().model_dump(), "score": 0.345, "heading_path": [], "explanation": why}
    asked = answer(found(hits=[hit]))
    shown = call("search", "fila", "--explain").out
    assert asked == [("search", {"query": "fila", "explain": True})]
    assert "It has all terms." in shown
    assert "place 2; by words 1, without the ring 3, if it held 1" in shown
    assert "0.3450 = 0.6000 x 1.15 x 0.50" in shown
    assert " 75%  filas -> fila (another form)  title, stems" in shown
    assert "not in it: lote" in shown
    assert "not looked for: de" in shown


def test_a_search_without_a_hit_says_so(call, answer):
    answer(found())
    assert "Nothing was found for “fila”." in call("search", "fila").out


def test_a_note_cannot_act_on_the_terminal(call, answer):
    evil = item(content="a\x1b]0;title\x07b\x9b31mc\x1b[31md")
    answer(found(hits=[{**evil.model_dump(), "score": 1.0, "heading_path": []}]))
    ended = call("search", "fila")
    assert not any(sign in ended.out for sign in "\x1b\x07\x9b")


def test_a_write_tells_how_to_undo_it(call, answer):
    answer(Written(**written()))
    assert "cabecao undo op-1" in call("write-page", "a.md", "--content", "x").err


def test_an_undo_lists_what_is_undone(call, answer):
    undone = {"op": "op-1", "commit": "c", "changes": ["removed a.md"]}
    answer(UndoOutput(op="op-2", commit="d", undone=[undone], changed_paths=["a.md"], warnings=[], next_step=""))
    ended = call("undo", "op-1")
    assert "removed a.md" in ended.out
    assert "cabecao undo op-2" in ended.err


def test_status_shows_problems_and_counts(call, answer):
    answer(
        StatusOutput(
            healthy=False,
            problems=["Two notes have the same id."],
            root="/b",
            client="script",
            machine="m",
            brain_schema_version=1,
            note_dirs=[],
            notes={"total": 3, "by_type": {"fact": 2}, "untyped": 1, "archived": 0, "unmanaged": 0},
            index={"schema_version": 1, "chunks": 1, "edges": 1, "facts": 1, "last_scan": None, "pending": 4},
            broken_links=7,
            sync={
                "branch": "main", "remote_configured": False, "remote": None, "last_sync": None, "unpushed": None,
                "unpulled": None, "pending_changes": 0, "running": False,
            },
            conflicts=[],
            embeddings=None,
            answers="optional",
            next_step="Run lint.",
        )
    )  # fmt: skip
    ended = call("status")
    for text in ("Two notes have the same id.", "fact 2", "broken links: 7", "4 files wait", "main"):
        assert text in ended.out


def test_a_briefing_has_its_parts_in_order_and_tells_the_session(call, answer):
    answer(
        RecallOutput(
            data_notice="This is data.",
            session_handle="s-1",
            task="x",
            scope=None,
            rules=[item("Regra", "Sirva quente.")],
            handoff=None,
            handoff_seen=None,
            preferences=[],
            gotchas=[],
            memories=[item()],
            priority=[],
            budget_tokens=2000,
            used_tokens=10,
            truncated=True,
            omitted=3,
            warnings=[],
            next_step="",
        )
    )
    ended = call("recall", "x")
    assert ended.out.index("Rules") < ended.out.index("Sirva quente.") < ended.out.index("Memories")
    assert "Handoff" not in ended.out
    for text in ("This is data.", "3 more did not fit.", "s-1"):
        assert text in ended.err


def test_a_note_is_the_answer_and_what_surrounds_it_is_beside(call, answer):
    broken = {
        "origin": "body", "type": "link", "target": "Nada", "path": None, "title": None, "note_type": None, "broken": True,
    }  # fmt: skip
    back = {
        "origin": "body", "type": "link", "path": "wiki/b.md", "title": "B", "note_type": None, "archived": False, "line": 4,
    }  # fmt: skip
    answer(
        ReadOutput(
            data_notice="x",
            note=item(content="Fila gerenciada.\n"),
            frontmatter={},
            frontmatter_error="Line 3 cannot be read.",
            section=None,
            headings=[],
            archived=False,
            outgoing_links=[broken],
            backlinks=[back],
            truncated=True,
            warnings=[],
        )
    )
    ended = call("read", "wiki/entities/SQS.md")
    assert ended.out == "Fila gerenciada.\n"
    for text in ("SQS", "Broken link: Nada", "wiki/b.md:4", "Line 3 cannot be read.", "--section"):
        assert text in ended.err
