from __future__ import annotations

from dataclasses import replace

import pytest

from brain import language
from brain.caller import Caller, Kind, Surface
from brain.guard.control_files import AGENT_FILES, is_agent_file, is_catalogue, is_control
from brain.guard.elevation import Action, Verdict, decide

AGENT = Caller(kind=Kind.AGENT, client="claude-code", surface=Surface.MCP)
PERSON = Caller(kind=Kind.HUMAN, client="web", surface=Surface.WEB)
PLAIN = Action(operation="write_page", path="wiki/concepts/Lote.md", note_type="concept", creates=True)
CHANGE = replace(PLAIN, creates=False, before_type="concept")

ASKS = {
    "a new rule": replace(PLAIN, path="memory/rules/x.md", note_type="rule"),
    "a rule in another folder": replace(PLAIN, note_type="rule"),
    "another type among the rules": replace(PLAIN, path="memory/rules/x.md"),
    "the folder in capitals": replace(PLAIN, path="memory/RULES/x.md"),
    "a folder below the rules": replace(PLAIN, path="memory/rules/casa/x.md"),
    "a rule that becomes a concept": replace(CHANGE, before_type="rule"),
    "a rule remembered": replace(PLAIN, operation="remember", note_type="rule"),
    "a relation of a rule": replace(CHANGE, operation="relate", path="memory/rules/x.md"),
    "the agents' control file": replace(CHANGE, path="AGENTS.md", note_type=None),
    "another client's": replace(CHANGE, path="claude.md", note_type=None),
    "the readme": replace(CHANGE, path="README.md", note_type=None),
    "the log": replace(CHANGE, path="log.md", note_type=None),
    "an older log": replace(CHANGE, path="log/2026-10.md", note_type=None),
    "an instruction file anywhere": replace(PLAIN, path="wiki/concepts/CLAUDE.md"),
    "a skill": replace(PLAIN, path="wiki/concepts/Skill.md"),
    "the settings": replace(CHANGE, path=".cabecao.json", note_type=None),
    "what Git leaves out": replace(CHANGE, path=".gitignore", note_type=None),
    "how Git merges": replace(CHANGE, path=".gitattributes", note_type=None),
    "existing outside material": replace(CHANGE, path="raw/articles/x.md"),
    "outside material in capitals": replace(CHANGE, path="RAW/articles/x.md"),
    "high trust": replace(PLAIN, trust="high"),
    "undoing the person": replace(CHANGE, operation="undo", undoes_person=True),
    "undoing by the start of an id": replace(CHANGE, operation="undo", partial_id=True),
    "archiving": replace(CHANGE, operation="forget"),
}
NEVER = {
    "the catalogue": (replace(CHANGE, path="index.md", note_type=None), "invalid_path"),
    "a conflict copy": (replace(CHANGE, path="wiki/Lote.conflict-maq-20261112-100000.md"), "invalid_path"),
    "what may leave the machine": (replace(CHANGE, path=".cabecao.json", changes_config=True), "human_only"),
    "machine administration": (replace(CHANGE, operation="embeddings"), "human_only"),
    "a preference raised to ring 1": (replace(PLAIN, note_type="preference", ring=1), "human_only"),
}
ALLOWED = {
    "a new note": PLAIN,
    "a change": CHANGE,
    "a new source": replace(PLAIN, operation="ingest", path="raw/articles/x.md"),
    "medium trust": replace(PLAIN, trust="medium"),
    "an undo of its own": replace(CHANGE, operation="undo"),
    "a note about rules": replace(PLAIN, path="wiki/concepts/rules.md"),
    "a lower ring": replace(PLAIN, ring=4),
    "an index in a folder": replace(PLAIN, path="wiki/index.md"),
}


@pytest.mark.parametrize("name", ASKS)
def test_an_agent_is_asked_and_a_person_is_not(name: str) -> None:
    decision = decide(ASKS[name], AGENT)
    assert decision.verdict is Verdict.ASK
    assert decision.error_code == "confirmation_required"
    assert decision.reasons
    assert decide(ASKS[name], PERSON).verdict is Verdict.ALLOWED


@pytest.mark.parametrize("name", NEVER)
def test_an_agent_never_does_this(name: str) -> None:
    action, code = NEVER[name]
    decision = decide(action, AGENT)
    assert (decision.verdict, decision.error_code) == (Verdict.NEVER, code)
    assert decision.reasons


@pytest.mark.parametrize("name", ALLOWED)
def test_an_agent_does_this_alone(name: str) -> None:
    assert decide(ALLOWED[name], AGENT).verdict is Verdict.ALLOWED
    assert decide(ALLOWED[name], AGENT).reasons == ()


def test_a_person_does_all_but_write_the_catalogue() -> None:
    verdicts = {name: decide(action, PERSON).verdict for name, (action, _) in NEVER.items()}
    assert verdicts.pop("the catalogue") is Verdict.NEVER
    assert set(verdicts.values()) == {Verdict.ALLOWED}


def test_what_is_never_done_outweighs_what_may_be_asked_for() -> None:
    action = replace(CHANGE, path=".cabecao.json", changes_config=True, trust="high")
    assert decide(action, AGENT).verdict is Verdict.NEVER


def test_every_reason_is_given() -> None:
    action = replace(PLAIN, path="memory/rules/CLAUDE.md", note_type="rule", trust="high")
    with language.activate("en"):
        reasons = decide(action, AGENT).reasons
    assert len(reasons) == 3
    assert "rule" in reasons[0]


@pytest.mark.parametrize("name", AGENT_FILES)
def test_an_instruction_file_is_known_in_any_folder_and_case(name: str) -> None:
    for path in (name, f"wiki/{name}", f"wiki/{name.upper()}", f"wiki/{name[:2]}\u200b{name[2:]}", f"wiki/{name} "):
        assert is_agent_file(path), path


@pytest.mark.parametrize(
    "path", [".cursor/rules/x.md", "wiki/.claude/commands/y.md", "a/x.instructions.md", "x.MDC", "a/Revisar.prompt.md"]
)
def test_a_folder_or_an_ending_of_a_client_counts_too(path: str) -> None:
    assert is_agent_file(path)


@pytest.mark.parametrize("path", ["wiki/Claude Monet.md", "wiki/agents/x.md", "wiki/Regras.md", "claude/x.md"])
def test_a_note_with_a_similar_name_is_no_instruction_file(path: str) -> None:
    assert not is_agent_file(path)


def test_control_files_are_those_at_the_root() -> None:
    assert is_control("AGENTS.md")
    assert is_control("ｌｏｇ.md")
    assert not is_control("wiki/README.md")
    assert is_catalogue("Index.md")
    assert not is_catalogue("wiki/index.md")
