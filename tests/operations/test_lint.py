"""lint: each rule finds what it is for, and nothing else."""

from __future__ import annotations

import errno
import json
import os
import subprocess
from datetime import date, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest

from brain import clock
from brain.approval import attestation
from brain.contracts.graph import RuleName
from brain.guard import pii
from brain.services.linting import ageing
from brain.services.linting.table import RULES
from brain.store import files, history
from cabecao_site.cli.actions import operation as command

ULID = "01JZ5T9Q0V3XK8M2N4P6R8S0TW"
CPF = "529.982.247-" + "25"


def days(number: int) -> str:
    return (clock.today() + timedelta(days=number)).isoformat()


@pytest.fixture
def lint(ready, agent):
    """Return the paths that a rule finds."""

    def run(rule: str) -> list[str]:
        answer = agent("lint", rules=[rule])
        assert {one.rule for one in answer.findings} <= {rule}
        assert all(one.message and one.fix for one in answer.findings)
        return [one.path for one in answer.findings]

    return run


def finding(agent, rule):
    (one,) = agent("lint", rules=[rule]).findings
    return one


def test_the_table_has_each_rule_of_the_contract_once():
    assert [rule.name for rule in RULES] == list(RuleName.__args__)


def test_an_empty_brain_has_nothing_to_mend(ready, agent):
    answer = agent("lint")
    assert (answer.total, answer.checked_notes) == (0, 0)
    assert answer.next_step


def test_a_frontmatter_that_cannot_be_read_is_an_error_with_its_line(ready, agent):
    ready.write("wiki/ruim.md", "---\ntype: concept\ntitle: [a\n---\n\nTexto.\n")
    one = finding(agent, "invalid_frontmatter")
    assert (one.severity, one.path) == ("error", "wiki/ruim.md")
    assert one.line in (3, 4)


@pytest.mark.parametrize(
    "line", ["trust: altíssima", "valid_until: 2026-02-31", "type: pensamento", "tags: {a: b}", "ring: 9"]
)
def test_a_field_that_breaks_the_schema_is_named_with_its_line(ready, agent, line):
    ready.write("wiki/campo.md", f"---\ntitle: Campo\n{line}\n---\n\nTexto.\n")
    one = finding(agent, "invalid_frontmatter")
    assert one.line == 3
    assert line.split(":")[0] in one.message


@pytest.mark.parametrize(
    "text",
    [
        b"---\ntype: concept\ntype: rule\n---\nTexto\n",
        b"---\ntype: concept\n---\n\xff\xfe nada\n",
        b"---\nx: !!python/object/apply:os.system [ls]\n---\nTexto\n",
        b"---\ntype: concept\nTexto sem fim\n",
    ],
)
def test_what_is_doubled_foreign_or_no_text_is_an_error(ready, lint, text):
    ready.write("wiki/ruim.md", text)
    assert lint("invalid_frontmatter") == ["wiki/ruim.md"]


def test_a_good_note_and_one_without_frontmatter_are_no_error(ready, lint):
    ready.note("wiki/boa.md", "Texto.", type="concept", tags=["fila"], cssclasses="x")
    ready.write("wiki/simples.md", "Sem nada.\r\n")
    assert lint("invalid_frontmatter") == []


def test_one_bad_note_takes_no_other_out(ready, lint):
    ready.write("wiki/ruim.md", "---\ntype: [concept\n---\n\nVeja [[Nada]].\n")
    ready.note("wiki/boa.md", "Veja [[Nada Disso]].")
    assert lint("broken_link") == ["wiki/boa.md", "wiki/ruim.md"]


def fact(brain, name, subject, value, **more):
    kept = {"type": "fact", "subject": subject, "predicate": "hosted_in", "object": value, **more}
    brain.note(f"memory/facts/{name}.md", f"{subject} fica em {value}.", **kept)


def test_a_file_that_cannot_be_opened_is_named_and_takes_no_other_out(ready, lint, monkeypatch):
    ready.note("wiki/aberta.md", "Texto.", valid_until="ontem")
    ready.note("wiki/fechada.md", "Texto.", valid_until="ontem")
    assert lint("invalid_frontmatter") == ["wiki/aberta.md", "wiki/fechada.md"]
    read = files.read

    def guarded(root, path):
        if path == "wiki/fechada.md":
            raise files.refusal(PermissionError(errno.EACCES, "Permission denied"), path)
        return read(root, path)

    monkeypatch.setattr(files, "read", guarded)
    assert lint("invalid_frontmatter") == ["wiki/aberta.md", "wiki/fechada.md"]


def test_facts_that_differ_in_object_alone_contradict_each_other(ready, agent):
    fact(ready, "um", "Painel", "Recife")
    fact(ready, "dois", "painel", "Natal")
    one = finding(agent, "fact_contradiction")
    assert (one.severity, one.path, one.related) == ("warning", "memory/facts/dois.md", ["memory/facts/um.md"])
    assert "Recife" in one.message
    assert "Natal" in one.message


def test_a_subject_by_its_alias_is_the_same_subject(ready, lint):
    ready.note("wiki/entities/Painel.md", "P.", type="entity", aliases=["Dashboard"])
    fact(ready, "um", "[[Painel]]", "Recife")
    fact(ready, "dois", "Dashboard", "Natal")
    assert lint("fact_contradiction") == ["memory/facts/dois.md"]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"valid_until": "2026-01-01"}, {"valid_from": "2026-01-01"}),
        ({"valid_from": days(30)}, {}),
        ({"superseded_by": ["[[dois]]"]}, {}),
        ({}, {"supersedes": ["[[um]]"]}),
        ({"expires_at": "2020-01-01"}, {}),
        ({"object": "natal"}, {}),
        ({"predicate": "built_in"}, {}),
        ({"scope": "project:a"}, {"scope": "project:b"}),
    ],
)
def test_facts_of_other_times_values_predicates_or_projects_do_not(ready, lint, first, second):
    fact(ready, "um", "Loja", first.get("object", "Recife"), **{k: v for k, v in first.items() if k != "object"})
    fact(ready, "dois", "Loja", "Natal", **second)
    assert lint("fact_contradiction") == []


def test_a_predicate_declared_many_does_not_contradict_itself(ready, lint):
    fact(ready, "um", "Loja", "Recife")
    fact(ready, "dois", "Loja", "Natal")
    settings = {"schema_version": 1, "predicates": {"hosted-in": {"many": True}}}
    (ready.root / ".cabecao.json").write_text(json.dumps(settings))
    assert lint("fact_contradiction") == []


def test_a_conflict_copy_is_listed_with_its_original_and_nowhere_else(ready, agent):
    ready.note("wiki/Lote.md", "Dez.", type="concept", id=ULID, aliases=["Leva"])
    copy = "wiki/Lote.conflict-maq-20261112-100000.md"
    ready.note(copy, "Vinte.", type="concept", id=ULID, title="Lote")
    ready.note("wiki/Outra.md", "Veja [[Lote]].", type="concept")
    one = finding(agent, "conflict_copy")
    assert (one.severity, one.path, one.related) == ("warning", copy, ["wiki/Lote.md"])
    assert [one.rule for one in agent("lint").findings] == ["conflict_copy"]


def test_a_broken_link_has_the_line_of_the_file(ready, agent):
    ready.note("wiki/Lote.md", "Um.\n\nVeja [[Nada Disso]] e [[Fila]].", type="concept")
    ready.note("wiki/Fila.md", "Texto.", type="concept")
    one = finding(agent, "broken_link")
    assert (one.severity, one.path, one.line) == ("warning", "wiki/Lote.md", 7)


def test_links_of_raw_notes_archived_notes_and_code_are_not_broken(ready, lint):
    ready.note("raw/articles/fora.md", "Veja [[Outra Coisa]].", type="source")
    ready.note("memory/_archive/velha.md", "Veja [[Outra Coisa]].", type="gotcha")
    ready.note("wiki/codigo.md", "`[[Outra Coisa]]` e [[#Local]] e [[]]")
    assert lint("broken_link") == []


def test_a_relation_to_no_note_is_a_broken_link(ready, lint):
    ready.note("wiki/Lote.md", "Um.", type="concept", uses=["[[Nada]]"])
    assert lint("broken_link") == ["wiki/Lote.md"]


def test_notes_whose_paths_differ_in_case_alone_are_twins(ready, agent):
    ready.note("wiki/Fila.md", "Uma.")
    ready.note("wiki/fila.md", "Outra.")
    ready.note("wiki/Filá.md", "Nenhuma.")
    one = finding(agent, "case_twin")
    assert (one.severity, {one.path, *one.related}) == ("warning", {"wiki/Fila.md", "wiki/fila.md"})


def test_the_two_notes_of_one_id_are_both_named(ready, agent):
    ready.note("wiki/um.md", "Um.", id=ULID)
    agent("status")
    ready.note("wiki/dois.md", "Dois.", id=ULID)
    ready.note("wiki/tres.md", "Três.", id=ULID[:-1] + "X")
    one = finding(agent, "duplicate_id")
    assert (one.severity, one.path, one.related) == ("warning", "wiki/dois.md", ["wiki/um.md"])


def test_what_expired_and_nobody_superseded_is_listed(ready, lint):
    ready.note("memory/gotchas/vencida.md", "Passou.", type="gotcha", valid_until=days(0))
    ready.note("memory/gotchas/expirada.md", "Passou.", type="gotcha", expires_at=days(-1))
    ready.note("memory/gotchas/hoje.md", "Vale hoje.", type="gotcha", expires_at=days(0))
    ready.note("memory/gotchas/vale.md", "Vale.", type="gotcha", valid_until=days(3), supersedes=["[[antiga]]"])
    ready.note("memory/gotchas/trocada.md", "T.", type="gotcha", valid_until=days(-3), superseded_by=["[[vale]]"])
    ready.note("memory/gotchas/antiga.md", "A.", type="gotcha", valid_until=days(-3))
    ready.note("memory/_archive/arquivada.md", "A.", type="gotcha", valid_until=days(-3))
    assert lint("expired_note") == ["memory/gotchas/expirada.md", "memory/gotchas/vencida.md"]


def test_a_memory_that_nobody_confirmed_for_half_a_year_is_listed(ready, lint):
    ready.note("memory/gotchas/velha.md", "V.", type="gotcha", created=days(-400), updated=days(-180))
    ready.note("memory/gotchas/nova.md", "N.", type="gotcha", created=days(-400), updated=days(-179))
    ready.note("memory/gotchas/certa.md", "C.", type="gotcha", updated=days(-300), confirmed=days(-200))
    ready.note("memory/decisions/decidida.md", "D.", type="decision", updated=days(-300))
    ready.note("memory/gotchas/sem-data.md", "S.", type="gotcha")
    assert lint("unconfirmed_memory") == ["memory/gotchas/velha.md"]


def test_a_memory_without_dates_is_as_old_as_its_file(ready, lint):
    file = ready.note("memory/gotchas/sem-data.md", "S.", type="gotcha")
    os.utime(file, (1_600_000_000, 1_600_000_000))
    assert lint("unconfirmed_memory") == ["memory/gotchas/sem-data.md"]


def test_a_name_without_a_link_is_listed_with_its_line_and_target(ready, agent):
    ready.note("wiki/entities/Projeto Atlas.md", "Faturamento.", type="entity", aliases=["Atlas"])
    ready.note("wiki/Crônica.md", "Um.\nSobre o PROJETO ÁTLAS e o Atlas.", type="concept")
    one = finding(agent, "unlinked_mention")
    assert (one.severity, one.path, one.line) == ("info", "wiki/Crônica.md", 6)
    assert one.related == ["wiki/entities/Projeto Atlas.md"]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("wiki/a.md", "O [[Projeto Atlas]] e de novo o Projeto Atlas."),
        ("wiki/a.md", "O [[atlas|projeto]] e de novo o Projeto Atlas."),
        ("wiki/a.md", "`Projeto Atlas`"),
        ("wiki/a.md", "Projeto Atlasiano"),
        ("raw/articles/a.md", "O Projeto Atlas."),
        ("memory/_archive/a.md", "O Projeto Atlas."),
        ("wiki/entities/Projeto Atlas.md", "O Projeto Atlas é isto."),
    ],
)
def test_what_is_linked_code_or_outside_is_no_mention(ready, lint, path, text):
    ready.note("wiki/entities/Projeto Atlas.md", "Faturamento.", type="entity", aliases=["Atlas"])
    ready.note(path, text, type="concept")
    assert lint("unlinked_mention") == []


def test_a_note_without_any_link_is_an_orphan(ready, lint):
    ready.note("wiki/Sozinha.md", "Ninguém. [[Sozinha]]")
    ready.note("wiki/Origem.md", "Veja [[Destino]].")
    ready.note("wiki/Destino.md", "Chegou.")
    ready.note("wiki/Quebrada.md", "Veja [[Nada]].")
    ready.note("wiki/Arquivada é quem aponta.md", "A.")
    ready.note("memory/_archive/velha.md", "[[Arquivada é quem aponta]]")
    assert lint("orphan_note") == ["wiki/Arquivada é quem aponta.md", "wiki/Sozinha.md"]


def approved_commit(brain: object, *paths: str, op: str = ULID) -> None:
    root: Path = brain.root  # type: ignore[attr-defined]
    trailers = f"Cabecao-Op: {op}\nCabecao-Client: claude-code\nCabecao-Kind: agent\nCabecao-Approved: token"
    subprocess.run(["git", "add", "--", *paths], cwd=root, check=True)
    subprocess.run(["git", "commit", "-qm", f"Change\n\n{trailers}"], cwd=root, check=True)


def test_what_an_agent_did_with_the_persons_yes_is_listed_control_files_too(ready, lint):
    ready.note("memory/rules/r.md", "Responda.", type="rule", approved_by="user", approved_at=days(0))
    ready.note("wiki/outra.md", "Texto.")
    ready.commit()
    ready.write("README.md", "Leia.\n")
    ready.write("log.md", "- linha\n")
    approved_commit(ready, "README.md", "log.md")
    assert lint("agent_approved") == ["README.md", "memory/rules/r.md"]


def test_words_like_a_trailer_in_a_persons_commit_are_none(ready, lint):
    ready.write("README.md", "Leia.\n")
    ready.commit("About\n\nCabecao-Approved: token\n\nand more")
    assert lint("agent_approved") == []
    assert list(history.approved(ready.root)) == []


@pytest.mark.parametrize(
    ("created", "retention", "is_due"),
    [(days(-800), "P2Y", True), (days(-400), "P2Y", False), (days(-31), "P1M", True), (days(-8), "P1W", True),
     (days(-8), "P9D", False), (days(-8), "P9000Y", False)],
)  # fmt: skip
def test_a_retention_that_has_passed_is_due(ready, lint, created, retention, is_due):
    ready.note("memory/episodes/e.md", "E.", type="episode", created=created, retention=retention)
    assert lint("retention_due") == (["memory/episodes/e.md"] if is_due else [])


def test_a_month_ends_where_the_shorter_one_does():
    assert ageing._after(date(2026, 1, 31), "P1M") == date(2026, 2, 28)
    assert ageing._after(date(2025, 11, 30), "P1Y3M1D") == date(2027, 3, 1)


def test_a_link_by_a_name_of_two_notes_is_ambiguous(ready, agent):
    ready.note("a/Fila.md", "Uma.")
    ready.note("b/Fila.md", "Outra.")
    ready.note("b/x.md", "Veja [[Fila]] e [[Fila]].")
    one = finding(agent, "ambiguous_link")
    assert (one.path, one.line, one.related) == ("b/x.md", 1, ["b/Fila.md", "a/Fila.md"])


def test_a_path_an_archived_bearer_a_source_or_a_copy_make_no_link_ambiguous(ready, lint):
    ready.note("a/Fila.md", "Uma.")
    ready.note("memory/_archive/Fila.md", "Velha.")
    ready.note("raw/articles/fila.md", "De fora.", type="source", title="Fila")
    ready.note("a/Fila.conflict-maq-20261112-100000.md", "Cópia.", title="Fila")
    ready.note("b/Lote.md", "L.")
    ready.note("c/Lote.md", "L.")
    ready.note("x.md", "Veja [[Fila]], [[b/Lote]] e [[c/Lote.md]].")
    assert lint("ambiguous_link") == []


def test_a_rule_that_is_not_attested_is_named_until_it_is(ready, lint):
    file = ready.note("memory/rules/r.md", "Responda.", type="rule", origin="human")
    ready.note("memory/rules/vencida.md", "Velha.", type="rule", valid_until=days(-1))
    ready.note("memory/preferences/p.md", "Prefiro.", type="preference")
    ready.note("memory/preferences/aprovada.md", "Prefiro.", type="preference", approved_by="user")
    assert lint("unattested_resident") == ["memory/preferences/aprovada.md", "memory/rules/r.md"]
    attestation.attest("memory/rules/r.md", file.read_bytes())
    assert lint("unattested_resident") == ["memory/preferences/aprovada.md"]
    ready.note("memory/rules/r.md", "Obedeça.", type="rule", origin="human")
    assert "memory/rules/r.md" in lint("unattested_resident")


def test_personal_data_is_named_by_kind_and_line_and_never_by_value(ready, agent):
    ready.note("wiki/pessoa.md", f"Um.\nO CPF é {CPF}.", type="entity")
    one = finding(agent, "pii_found")
    assert (one.severity, one.line) == ("info", 6)
    assert "cpf" in one.message
    assert CPF not in one.model_dump_json()


def test_personal_data_that_is_declared_is_not_named(ready, lint):
    ready.note("wiki/pessoa.md", f"O CPF é {CPF}.", type="entity", pii=["cpf"])
    ready.note("wiki/numeros.md", "Versão 1.2.3 de 2026-11-13, 10:30, 192.168.0.1 e 111.111.111-11.")
    assert lint("pii_found") == []


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("fale com ana@example.org.", "email"),
        ("máquina 93.184.216.34 caiu", "ipv4"),
        ("2606:2800:220:1:248:1893:25c8:1946", "ipv6"),
        ("conta DE89 3704 0044 0532 0130 00", "iban"),
        ("ligue +55 11 98765-4321", "phone"),
        ("ligue (11) 98765-4321", "phone"),
        (CPF, "cpf"),
        ("CNPJ 11.222.333/0001-" + "81", "cnpj"),
    ],
)
def test_each_kind_of_personal_data_is_found(text, kind):
    assert [one.kind for one in pii.scan(text)] == [kind]


@pytest.mark.parametrize(
    "text",
    ["a@b", "10.0.0.1", "::1", "12:30:45", "DE00 3704 0044 0532 0130 00", "529.982.247-26", "2026-11-13T10:00:00",
     "01JZ5T9Q0V3XK8M2N4P6R8S0TW", "11.222.333/0001-80", "versão 1.2.3.4.5", ""],
)  # fmt: skip
def test_what_only_looks_like_personal_data_is_not(text):
    assert pii.scan(text) == []


def test_findings_go_from_error_to_info_and_are_counted_before_the_limit(ready, agent):
    ready.write("wiki/ruim.md", "---\ntype: [concept\n---\n\nTexto.\n")
    ready.note("wiki/solta.md", "Veja [[Nada]].")
    ready.note("memory/gotchas/velha.md", "Passou.", type="gotcha", valid_until=days(-30))
    whole, cut = agent("lint"), agent("lint", limit=1)
    order = [("error", "warning", "info").index(one.severity) for one in whole.findings]
    assert order == sorted(order)
    assert set(order) == {0, 1, 2}
    assert (len(cut.findings), cut.total, cut.truncated) == (1, whole.total, True)
    assert cut.counts == whole.counts
    assert sum(whole.by_rule.values()) == whole.total


def test_a_scope_keeps_its_own_notes_and_an_unknown_one_is_explained(ready, agent):
    ready.note("wiki/a.md", "Veja [[Nada]].", scope="project:atlas")
    ready.note("wiki/b.md", "Veja [[Nada]].")
    answer = agent("lint", rules=["broken_link"], scope="project:atlas")
    assert [one.path for one in answer.findings] == ["wiki/a.md"]
    assert answer.checked_notes == 1
    assert "project:atlas" in agent("lint", scope="project:atals").next_step


def test_lint_changes_nothing(ready, agent, unchanged):
    ready.write("wiki/ruim.md", "---\ntype: [concept\n---\n\nTexto.\n")
    ready.commit()
    with unchanged():
        agent("lint")


@pytest.mark.parametrize(
    "arguments", [{"limit": 0}, {"limit": 1001}, {"rules": ["regra_inventada"]}, {"scope": "projeto"}]
)
def test_arguments_outside_their_bounds_are_refused(ready, agent, refuses, arguments):
    refuses("invalid_argument", agent, "lint", **arguments)


@pytest.mark.parametrize(("text", "code"), [("---\ntype: [x\n---\n", 1), ("Veja [[Nada]].\n", 0)])
def test_the_exit_code_is_1_for_an_error_alone(ready, agent, text, code):
    ready.write("wiki/a.md", text)
    assert command._exit_of(agent("lint")) == code
    assert command._exit_of(SimpleNamespace()) == 0  # type: ignore[arg-type]
