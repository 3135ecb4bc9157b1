"""The notes that `cabecao init --example` copies: sound one by one, and one consistent web together."""

import re
import unicodedata
from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

NOTES = Path(__file__).resolve().parent.parent / "brain" / "example" / "notes"
FOLDERS = {
    "rule": "memory/rules",
    "preference": "memory/preferences",
    "gotcha": "memory/gotchas",
    "decision": "memory/decisions",
    "fact": "memory/facts",
    "procedure": "memory/procedures",
    "handoff": "memory/handoffs",
    "focus": "memory/focus",
    "episode": "memory/episodes",
    "entity": "wiki/entities",
    "concept": "wiki/concepts",
    "source": "wiki/sources",
    "synthesis": "wiki/syntheses",
}
RELATIONS = ("uses", "part_of", "depends_on", "decided_by", "works_on", "related_to")
LINK_LISTS = (*RELATIONS, "supersedes", "superseded_by")
REQUIRED = ("id", "type", "title", "scope", "tags", "created", "updated", "trust", "origin")
BROKEN = "Alarme da DLQ"
TOLD_ON = date(2026, 11, 13)  # the day the story is told on: its last note is a day older
CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
WIKILINK = re.compile(r"\[\[([^\]|#]+)(?:#[^\]|]*)?(?:\|[^\]]*)?\]\]")
ORIGIN = re.compile(r"human|agent:(claude-code|cursor)|ingest:[a-z0-9.-]+\.(example|example\.org)")
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Note:
    path: str
    fields: dict[str, Any]
    body: str

    @property
    def stem(self) -> str:
        return Path(self.path).stem

    def list_of(self, key: str) -> list[str]:
        value = self.fields.get(key, [])
        assert isinstance(value, list), f"{self.path}: {key} is not a list"
        return value

    def links(self) -> list[str]:
        declared = [text for key in (*LINK_LISTS, "sources") for text in self.list_of(key)]
        declared += [self.fields.get(key, "") for key in ("subject", "object")]
        return WIKILINK.findall("\n".join([*declared, CODE.sub("", self.body)]))


def _read(file: Path) -> Note:
    text = file.read_bytes().decode("utf-8")
    _, block, body = text.split("---\n", 2)
    return Note(file.relative_to(NOTES).as_posix(), yaml.load(block, yaml.BaseLoader), body)  # noqa: S506


ALL = tuple(_read(file) for file in sorted(NOTES.rglob("*.md")))
every_note = pytest.mark.parametrize("note", ALL, ids=lambda note: note.path)


def _fold(text: str) -> str:
    plain = "".join(char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char))
    return " ".join(plain.casefold().split())


def _names() -> dict[str, set[str]]:
    names: dict[str, set[str]] = defaultdict(set)
    for note in ALL:
        for name in (note.path.removesuffix(".md"), note.stem, note.fields["title"], *note.list_of("aliases")):
            names[_fold(name)].add(note.path)
    return names


def _targets(note: Note, key: str) -> set[str]:
    names = _names()
    return {path for text in note.list_of(key) for link in WIKILINK.findall(text) for path in names[_fold(link)]}


def _day(note: Note, key: str) -> date | None:
    return date.fromisoformat(note.fields[key]) if key in note.fields else None


def _moment(text: str) -> datetime:
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", text)
    return datetime.fromisoformat(text)


def _ulid_time(identity: str) -> datetime:
    milliseconds = 0
    for char in identity[:10]:
        milliseconds = milliseconds * 32 + CROCKFORD.index(char)
    return datetime.fromtimestamp(milliseconds / 1000, UTC)


def test_there_are_at_least_forty_notes() -> None:
    assert len(ALL) >= 40


def test_every_type_is_shown() -> None:
    assert {note.fields["type"] for note in ALL} == set(FOLDERS)


def test_every_relation_is_shown() -> None:
    assert {key for key in LINK_LISTS for note in ALL if note.list_of(key)} == set(LINK_LISTS)


def test_ids_are_unique() -> None:
    assert Counter(note.fields["id"] for note in ALL).most_common(1)[0][1] == 1


@every_note
def test_an_id_is_a_ulid_of_the_moment_of_creation(note: Note) -> None:
    identity = note.fields["id"]
    assert re.fullmatch(f"[0-7][{CROCKFORD}]{{25}}", identity)
    assert _ulid_time(identity) == _moment(note.fields["created"])


@every_note
def test_a_note_carries_the_fields_that_all_share(note: Note) -> None:
    assert [key for key in REQUIRED if not note.fields.get(key)] == []
    assert note.fields["trust"] in {"low", "medium", "high"}
    assert ORIGIN.fullmatch(note.fields["origin"])
    assert note.fields["scope"] in {"global", "project:atlas", "project:casa"}
    assert len(note.body.split()) >= 10


@every_note
def test_a_note_lies_in_the_folder_of_its_type(note: Note) -> None:
    folder = Path(note.path).parent.as_posix()
    if note.fields["type"] == "episode":
        assert folder == f"memory/episodes/{note.stem[:4]}/{note.stem[5:7]}"
    elif folder == "raw/articles":
        assert note.fields["type"] == "source"
    else:
        assert folder == FOLDERS[note.fields["type"]]


@every_note
def test_a_file_is_named_by_its_room(note: Note) -> None:
    assert unicodedata.is_normalized("NFC", note.path)
    if note.path.startswith("wiki/"):
        assert note.stem == note.fields["title"]
    else:
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", note.stem)


@every_note
def test_a_text_is_composed_utf8_with_unix_line_ends(note: Note) -> None:
    raw = (NOTES / note.path).read_bytes()
    assert b"\r" not in raw
    assert b"\t" not in raw
    assert raw.endswith(b"\n")
    assert not raw.endswith(b"\n\n")
    assert unicodedata.is_normalized("NFC", raw.decode("utf-8"))


@every_note
def test_dates_are_valid_and_in_order(note: Note) -> None:
    created, updated = _moment(note.fields["created"]), _moment(note.fields["updated"])
    assert created <= updated
    assert updated.date() < TOLD_ON
    if "approved_at" in note.fields:
        assert note.fields["approved_by"] == "user"
        assert created <= _moment(note.fields["approved_at"])
    days = [_day(note, key) for key in ("confirmed", "valid_from", "valid_until", "expires_at")]
    assert days[1] is None or days[2] is None or days[1] < days[2]


def test_no_name_stands_for_two_notes() -> None:
    assert {name: paths for name, paths in _names().items() if len(paths) > 1} == {}


def test_every_link_resolves_but_the_one_left_broken() -> None:
    names = _names()
    missing = [link for note in ALL for link in note.links() if _fold(link) not in names]
    assert missing == [BROKEN]


@every_note
def test_no_note_links_to_itself(note: Note) -> None:
    assert note.path not in {path for link in note.links() for path in _names().get(_fold(link), set())}


def test_embedded_and_linked_headings_exist() -> None:
    by_name = {name: next(note for note in ALL if note.path in paths) for name, paths in _names().items()}
    pairs = [pair for note in ALL for pair in re.findall(r"\[\[([^\]|#]+)#([^\]|]+)", note.body)]
    assert pairs
    for target, heading in pairs:
        assert re.search(rf"^#+ {re.escape(heading)}$", by_name[_fold(target)].body, re.MULTILINE)


def test_supersession_is_mutual_and_meets_on_one_day() -> None:
    forward = {(note.path, old) for note in ALL for old in _targets(note, "supersedes")}
    backward = {(new, note.path) for note in ALL for new in _targets(note, "superseded_by")}
    assert forward == backward
    by_path = {note.path: note for note in ALL}
    for new, old in forward:
        began = _day(by_path[new], "valid_from") or _moment(by_path[new].fields["created"]).date()
        assert _day(by_path[old], "valid_until") == began
        assert by_path[new].fields["type"] == by_path[old].fields["type"]


def test_rabbitmq_gave_way_to_sqs_on_the_third_of_may() -> None:
    facts = {note.stem: note for note in ALL if note.fields["type"] == "fact"}
    old, new = facts["fato-atlas-usa-rabbitmq"], facts["fato-atlas-usa-sqs"]
    assert (old.fields["valid_from"], old.fields["valid_until"]) == ("2026-01-14", "2026-05-03")
    assert new.fields["valid_from"] == "2026-05-03"
    assert "valid_until" not in new.fields
    assert old.fields["object"] == "[[RabbitMQ]]"
    assert new.fields["object"] == "[[SQS]]"


def test_facts_are_complete_and_current_ones_do_not_contradict_each_other() -> None:
    facts = [note for note in ALL if note.fields["type"] == "fact"]
    for fact in facts:
        assert all(fact.fields.get(key) for key in ("subject", "predicate", "object", "valid_from"))
        assert not any(fact.list_of(key) for key in RELATIONS)
    current = Counter((f.fields["subject"], f.fields["predicate"]) for f in facts if "valid_until" not in f.fields)
    assert set(current.values()) == {1}


def test_one_note_has_expired_without_a_successor() -> None:
    ended = [note for note in ALL if (until := _day(note, "valid_until")) is not None and until <= TOLD_ON]
    assert [n.stem for n in ended if "superseded_by" not in n.fields] == ["plantao-duplo-na-migracao"]


def test_one_note_is_not_valid_before_2027() -> None:
    later = [note for note in ALL if (begin := _day(note, "valid_from")) is not None and begin > TOLD_ON]
    assert [(note.stem, note.fields["valid_from"][:4]) for note in later] == [("conciliacao-em-fila-fifo", "2027")]


def test_one_handoff_is_current_and_an_older_one_is_superseded() -> None:
    old, new = (note for note in ALL if note.fields["type"] == "handoff")
    assert new.path == "memory/handoffs/2026-11-10-atlas-consumidores.md"
    assert new.fields["title"] == "Atlas, consumidores em lote"
    assert new.fields["expires_at"].startswith("2027")
    assert _targets(old, "superseded_by") == {new.path}


def test_one_note_is_private() -> None:
    private = [note for note in ALL if note.fields.get("private") == "true"]
    assert [note.fields["scope"] for note in private] == ["project:casa"]


def test_rules_were_written_or_approved_by_the_user() -> None:
    rules = [note for note in ALL if note.fields["type"] == "rule"]
    assert {"Nunca commitar segredos", "Sempre em português"} <= {note.fields["title"] for note in rules}
    assert all(note.fields["origin"] == "human" or note.fields["approved_by"] == "user" for note in rules)


def test_raw_sources_are_untrusted_and_each_has_its_summary() -> None:
    raw = [note for note in ALL if note.path.startswith("raw/")]
    summed_up = {path for note in ALL if note.path.startswith("wiki/sources/") for path in _targets(note, "sources")}
    assert raw
    assert {note.path for note in raw} == summed_up
    assert all(note.fields["trust"] == "low" and note.fields["origin"].startswith("ingest:") for note in raw)


@pytest.mark.parametrize("pattern", [r"^\|[ :|-]+\|$", r"^- \[ \] ", r"^```\w+$", r"^## ", r"^!\[\[", r"(?<!\S)#\w"])
def test_the_markdown_that_a_page_must_render_is_shown(pattern: str) -> None:
    assert any(re.search(pattern, note.body, re.MULTILINE) for note in ALL)


def test_one_person_is_mentioned_without_a_link() -> None:
    note = next(note for note in ALL if note.stem == "2026-08-19-ceps-na-dlq")
    assert "Caio Nakamura" in note.body
    assert "Caio Nakamura" not in note.links()
