from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from queue import Empty
from typing import Any

import pytest
from kombu import Connection

from brain import config
from brain.jobs import process
from cabecao_site import broker, mailbox
from cabecao_site.mailbox import Mailbox

MESSAGE: dict[str, Any] = {"body": "x", "properties": {}}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "broker.db"


@pytest.fixture
def boxes(file: Path):
    opened: list[Mailbox] = []

    def make() -> Mailbox:
        opened.append(Mailbox(lambda: file))
        return opened[-1]

    yield make
    for box in opened:
        box.close()


def test_messages_come_out_in_the_order_in_which_they_went_in(boxes):
    box = boxes()
    for number in range(3):
        box.put("q", {"body": number})
    assert [box.claim("q")[1]["body"] for _ in range(3)] == [0, 1, 2]


def test_two_consumers_never_get_the_same_message(boxes):
    first, second = boxes(), boxes()
    first.put("q", MESSAGE)
    first.claim("q")
    with pytest.raises(Empty):
        second.claim("q")


def test_a_message_that_was_dealt_with_is_gone(boxes):
    box = boxes()
    box.put("q", MESSAGE)
    box.delete(box.claim("q")[0])
    with pytest.raises(Empty):
        box.claim("q")


def test_a_message_put_back_comes_again_and_says_so(boxes):
    box = boxes()
    box.put("q", MESSAGE)
    number, _, again = box.claim("q")
    box.put_back(number)
    assert not again
    assert boxes().claim("q")[2]


def test_a_message_whose_lease_ran_out_comes_again(boxes, monkeypatch):
    first, second = boxes(), boxes()
    first.put("q", MESSAGE)
    number, _, _ = first.claim("q")
    now = mailbox.monotonic()
    monkeypatch.setattr(mailbox, "monotonic", lambda: now + mailbox.LEASE_SECONDS + 1)
    assert second.claim("q")[0] == number


def test_a_renewed_lease_keeps_its_message(boxes, monkeypatch):
    first, second = boxes(), boxes()
    first.put("q", MESSAGE)
    first.claim("q")
    now = mailbox.monotonic()
    monkeypatch.setattr(mailbox, "monotonic", lambda: now + mailbox.LEASE_SECONDS - 1)
    first.renew()
    monkeypatch.setattr(mailbox, "monotonic", lambda: now + mailbox.LEASE_SECONDS + 1)
    with pytest.raises(Empty):
        second.claim("q")


def test_a_lease_from_before_the_machine_was_restarted_holds_nothing(boxes, monkeypatch):
    first, second = boxes(), boxes()
    first.put("q", MESSAGE)
    first.claim("q")
    monkeypatch.setattr(mailbox, "monotonic", lambda: -1e6)
    assert second.claim("q")[1] == MESSAGE


def test_a_late_acknowledgement_does_not_delete_what_another_holds_by_now(boxes, monkeypatch):
    first, second = boxes(), boxes()
    first.put("q", MESSAGE)
    number, _, _ = first.claim("q")
    now = mailbox.monotonic()
    monkeypatch.setattr(mailbox, "monotonic", lambda: now + mailbox.LEASE_SECONDS + 1)
    second.claim("q")
    first.delete(number)
    second.put_back(number)
    assert second.count("q") == 1


def test_a_dead_process_gives_its_message_back_at_once(boxes, file):
    box = boxes()
    box.put("q", MESSAGE)
    code = (
        "import os, sys; from pathlib import Path; from cabecao_site.mailbox import Mailbox;"
        f"Mailbox(lambda: Path({str(file)!r})).claim('q'); os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", code], check=False, cwd=Path(__file__).parents[2])
    assert box.claim("q")[1:] == (MESSAGE, True)


def test_purging_leaves_what_is_being_worked_on(boxes):
    first, second = boxes(), boxes()
    for _ in range(3):
        first.put("q", MESSAGE)
    first.claim("q")
    assert second.purge("q") == 2
    assert second.count("q") == 0


def test_the_file_is_in_write_ahead_mode_and_waits_for_locks(boxes):
    box = boxes()
    box.put("q", MESSAGE)
    db = box._connection()
    assert db.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
    assert db.execute("PRAGMA busy_timeout").fetchone()[0] == 20_000


def test_a_damaged_file_is_put_aside_and_a_new_one_made(boxes, file):
    file.write_bytes(b"not a database" * 1000)
    box = boxes()
    box.put("q", MESSAGE)
    assert box.claim("q")[1] == MESSAGE
    assert file.with_suffix(".damaged").read_bytes().startswith(b"not a database")


@pytest.mark.parametrize("name", ["broker.db", "a name with spaces.db", "50%.db", "ção#?.db"])
def test_a_url_names_any_file(tmp_path, name):
    file = tmp_path / name
    broker.register()
    with Connection(broker.url(file)) as connection:
        queue = connection.SimpleQueue("q")
        queue.put({"hello": 1})
        message = queue.get(timeout=5)
        assert message.payload == {"hello": 1}
        message.ack()
        assert queue.qsize() == 0
        queue.close()
    assert file.is_file()


def test_closing_a_connection_puts_back_what_it_held(file):
    broker.register()
    with Connection(broker.url(file)) as first:
        queue = first.SimpleQueue("q")
        queue.put({"hello": 1})
        queue.get(timeout=5)
    with Connection(broker.url(file)) as second:
        queue = second.SimpleQueue("q")
        message = queue.get(timeout=5)
        assert message.payload == {"hello": 1}
        assert message.delivery_info["routing_key"] == "q"
        message.reject()
        assert queue.qsize() == 0


def test_a_requeued_message_comes_again(file):
    broker.register()
    with Connection(broker.url(file)) as connection:
        queue = connection.SimpleQueue("q")
        queue.put({"hello": 1})
        queue.get(timeout=5).requeue()
        queue.get(timeout=5).ack()
        assert queue.clear() == 0


def test_without_a_path_the_file_is_the_one_of_the_brain(tmp_path):
    (tmp_path / ".cabecao.json").write_text('{"schema_version": 1}')
    config.enter(tmp_path)
    try:
        broker.register()
        with Connection("cabecaosqlite://") as connection:
            connection.SimpleQueue("q").put({"hello": 1})
    finally:
        config.leave()
    assert (tmp_path / ".cabecao" / "broker.db").is_file()


def test_a_process_is_told_from_a_later_one_with_its_number():
    mine = process.identity()
    assert not process.known_dead(mine)
    assert process.known_dead(mine[:-1] + ("1" if mine[-1] != "1" else "2"))


def test_another_machine_s_process_is_never_known_to_be_dead():
    assert not process.known_dead("elsewhere/1/1")
    assert not process.known_dead("")
