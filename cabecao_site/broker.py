"""The embedded broker: a kombu transport whose queues are the messages of one SQLite file."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from kombu.transport import TRANSPORT_ALIASES, virtual

from brain import config
from cabecao_site import environment
from cabecao_site.mailbox import Mailbox

SCHEME: Final = "cabecaosqlite"
FILE: Final = "broker.db"


def url(file: Path) -> str:
    """Return the broker URL of a file; without one (`cabecaosqlite://`) it is the one of the process's brain."""
    return f"{SCHEME}:///{quote(file.as_posix())}"


class _Held(virtual.QoS):
    """What a channel was given and has not dealt with yet; its end is written to the file at once."""

    channel: Any

    def ack(self, delivery_tag: str) -> None:
        self.channel.mailbox.delete(int(delivery_tag))
        self._quick_ack(delivery_tag)

    def reject(self, delivery_tag: str, requeue: bool = False) -> None:  # noqa: FBT001, FBT002 (kombu's signature)
        end = self.channel.mailbox.put_back if requeue else self.channel.mailbox.delete
        end(int(delivery_tag))
        self._quick_ack(delivery_tag)


class Channel(virtual.Channel):
    """A kombu channel whose queues are rows of the broker file."""

    QoS = _Held

    def __init__(self, connection: Any, **options: Any) -> None:
        kombus: Any = super()
        kombus.__init__(connection, **options)
        named = connection.client.virtual_host
        self.mailbox = Mailbox(lambda: _file_of(named))

    def close(self) -> None:
        """Put back what is held, then close the file."""
        kombus: Any = super()
        kombus.close()
        self.mailbox.close()

    def _put(self, queue: str, message: dict[str, Any], **_options: Any) -> None:
        self.mailbox.put(queue, message)

    def _get(self, queue: str, timeout: float | None = None) -> dict[str, Any]:  # noqa: ARG002 (kombu's signature)
        number, payload, again = self.mailbox.claim(queue)
        payload["properties"]["delivery_tag"] = str(number)
        return {**payload, "redelivered": again}

    def _restore(self, message: Any) -> None:
        self.mailbox.put_back(int(message.delivery_tag))

    def _size(self, queue: str) -> int:
        return self.mailbox.count(queue)

    def _purge(self, queue: str) -> int:
        return self.mailbox.purge(queue)

    def _delete(self, queue: str, *_args: Any, **_options: Any) -> None:
        self.mailbox.purge(queue)


class Transport(virtual.Transport):
    """The embedded broker, for kombu."""

    Channel = Channel
    driver_type = "sqlite"
    driver_name = SCHEME
    polling_interval = 0.5
    connection_errors: tuple[Any, ...] = (*virtual.Transport.connection_errors, sqlite3.OperationalError)
    channel_errors: tuple[Any, ...] = (*virtual.Transport.channel_errors, sqlite3.DatabaseError)

    @property
    def default_connection_params(self) -> dict[str, Any]:
        """Return nothing: a file has no host and no port."""
        return {}

    def drain_events(self, connection: Any, timeout: float | None = None, **_options: Any) -> None:
        """Wait for a message, not longer than half a second: a worker that was told to end looks up only in between."""
        kombus: Any = super()
        kombus.drain_events(connection, timeout=None if timeout is None else min(timeout, self.polling_interval))

    def driver_version(self) -> str:
        """Return SQLite's version."""
        return sqlite3.sqlite_version


def register() -> None:
    """Let kombu know the transport by its URL scheme."""
    TRANSPORT_ALIASES[SCHEME] = f"{__name__}:Transport"


def tidy(live: Collection[str]) -> int:
    """Take messages out that no job waits for any more, and all but one for each that does; return how many.

    A broker of its own, as Redis, needs nobody to look after it.
    """
    file = config.here().machine / FILE
    if environment.text("CABECAO_BROKER_URL") or not file.exists():
        return 0
    box = Mailbox(lambda: file)
    try:
        return box.tidy(live)
    finally:
        box.close()


def _file_of(named: str | None) -> Path:
    """Return the file that a URL's path names, or the one of the process's brain."""
    path = (named or "").strip("/")
    if not path:
        return config.here().machine / FILE
    file = Path(path)
    return file if file.is_absolute() else Path("/") / path
