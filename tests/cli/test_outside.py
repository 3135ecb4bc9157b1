"""ingest on the command line: the one way by which a file outside of the brain comes in, and for a person alone."""

from __future__ import annotations

import io
import json
import os
import socket
from pathlib import Path
from typing import Any

import pytest

from brain.contracts.sources import IngestOutput, IngestPlan, NoteToUpdate, RegisteredSource
from cabecao_site.cli.actions import operation
from cabecao_site.cli.run import Run


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[dict[str, Any]]:
    """What the operation is given; it answers that nothing was new."""
    found: list[dict[str, Any]] = []

    def dispatch(_name, _caller, arguments):
        found.append(dict(arguments))
        return answer(changed=False)

    (tmp_path / "notas").mkdir()
    monkeypatch.setenv("CABECAO_BRAIN", str(tmp_path / "notas"))
    monkeypatch.setattr(operation, "dispatch", dispatch)
    monkeypatch.setattr(Run, "enter", lambda _self, **_options: None)
    monkeypatch.setattr(Run, "root", tmp_path / "notas")
    return found


def answer(*, changed: bool) -> IngestOutput:
    update = NoteToUpdate(id=None, path="wiki/entities/SQS.md", title="SQS", type="entity", reason="named")
    return IngestOutput(
        data_notice="x",
        source=RegisteredSource(
            path="raw/articles/a.md", title="A", origin="ingest:a", trust="low", chars=3, registered=changed
        ),
        plan=IngestPlan(read="raw/articles/a.md", create=None, update=[update], steps=["Read it.", "Make a note."]),
        op="op-1" if changed else None,
        changed=changed,
        commit=None,
        warnings=[],
        next_step="Follow the steps.",
    )


def test_a_person_brings_a_file_from_anywhere(call, person, asked, tmp_path):
    (tmp_path / "artigo.txt").write_bytes("Configuração".encode("cp1252"))
    ended = call("ingest", str(tmp_path / "artigo.txt"), "--scope", "project:atlas")
    assert ended.code == 0
    assert asked == [{"content": "Configuração", "source": "artigo.txt", "scope": "project:atlas"}]
    assert "Windows-1252" in ended.err


def test_a_file_is_named_from_where_the_person_stands(call, person, asked, tmp_path):
    (tmp_path / "artigo.txt").write_text("Texto")
    call("ingest", "artigo.txt", "--source", "https://jornal.example/a", "--title", "A")
    assert asked == [{"content": "Texto", "source": "https://jornal.example/a", "title": "A"}]


@pytest.mark.parametrize("named", ["notas/ata.txt", "notas/../notas/ata.txt", "notas/pasta/../ata.txt"])
def test_a_file_of_the_brain_is_left_to_the_operation(call, person, asked, tmp_path, named):
    (tmp_path / "notas" / "pasta").mkdir()
    (tmp_path / "notas" / "ata.txt").write_text("Texto")
    call("ingest", named)
    assert asked == [{"path": "ata.txt"}]


def test_a_path_that_leads_nowhere_from_here_is_one_of_the_brain(call, person, asked):
    call("ingest", "raw/articles/ata.md")
    assert asked == [{"path": "raw/articles/ata.md"}]


def test_a_program_brings_no_file_from_outside(call, script, asked, tmp_path):
    (tmp_path / "artigo.txt").write_text("Texto")
    call("ingest", str(tmp_path / "artigo.txt"))
    assert asked == [{"path": str(tmp_path / "artigo.txt")}]


@pytest.mark.parametrize("words", [(), ("-",)])
def test_a_text_may_come_on_standard_input(call, script, asked, monkeypatch, words):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO("Texto é".encode())))
    call("ingest", *words, "--title", "A")
    assert asked == [{"content": "Texto é", "title": "A"}]


def test_what_is_no_text_file_is_said_and_not_taken(call, person, asked, tmp_path):
    (tmp_path / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n\x00")
    os.mkfifo(tmp_path / "cano")
    for name, code in (("a.png", 2), ("cano", 2), (str(tmp_path), 2)):
        ended = call("ingest", name)
        assert ended.code == code
        assert "Nothing was changed." in ended.err
    (tmp_path / "longo.txt").write_bytes(b"a" * 4_000_010)
    assert "characters" in call("ingest", "longo.txt").err
    assert asked == []


def test_a_file_that_cannot_be_read_is_said(call, person, asked):
    with socket.socket(socket.AF_UNIX) as one:
        one.bind("tomada")
        ended = call("ingest", "tomada")
    assert "cannot be read" in ended.err
    assert asked == []


@pytest.mark.parametrize(("changed", "said"), [(True, "Registered: raw"), (False, "In raw/ already: raw")])
def test_the_plan_is_shown_in_order(call, script, asked, monkeypatch, changed, said):
    monkeypatch.setattr(operation, "dispatch", lambda *_given: answer(changed=changed))
    ended = call("ingest", "raw/articles/a.md")
    assert said in ended.out
    assert ended.out.index("SQS") < ended.out.index("1. Read it.") < ended.out.index("2. Make a note.")
    assert "Follow the steps." in ended.err


def test_a_person_registers_a_file_and_a_program_cannot(cli, made_brain, tmp_path):
    file = tmp_path / "artigo.txt"
    file.write_text("# O hidrogênio\n\nO preço caiu.\n")
    refused = cli.run("ingest", str(file), "--json")
    assert refused.code == 1
    assert json.loads(refused.out or refused.err)["error"]["code"] == "unsafe_path"
    ended = cli.run("ingest", str(file), "--json", person=True)
    assert ended.code == 0, ended.err
    done = json.loads(ended.out)
    assert (done["source"]["title"], done["source"]["origin"]) == ("O hidrogênio", "ingest:artigo.txt")
    assert (made_brain / done["source"]["path"]).is_file()
