"""One HTTP request to a provider, streamed: no redirects, a deadline, at most 10 MB, retries where they may help.

The environment chooses a proxy, for the person also certificates, and nothing else: no netrc, no log of TLS keys. An
address on this machine never goes through a proxy. What the other side says in an error is read by nobody.
"""

from __future__ import annotations

import contextlib
import json
import logging
import socket
import ssl
import sys
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from llm import addresses
from llm.addresses import Address, AddressRefused
from llm.attempts import Attempts
from llm.failure import RETRIED, Code, Failure

if TYPE_CHECKING:
    import httpx2

LARGEST_BODY: Final = 10 * 1024 * 1024
CONNECT_SECONDS: Final = 10.0
MOST_CONNECTIONS: Final = 2  # a failed connection gets one more try, the rest of `RETRIED` two
_PAUSES: Final = (0.5, 1.5)
# They tell of headers; each by its name, as a level set on one of them wins over its parent's.
_LOGGERS: Final = ("httpx2", "httpcore2", *(f"httpcore2.{part}" for part in ("connection", "http11", "http2", "proxy")))
_BUNDLES: Final = ("/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem")
_NO_CREDIT: Final = 402
_OF_STATUS: Final[Mapping[int, Code]] = {
    401: Code.UNAUTHORIZED,
    _NO_CREDIT: Code.LIMITED,
    403: Code.UNAUTHORIZED,
    407: Code.PROXY,
    408: Code.SERVER,
    429: Code.LIMITED,
}


@dataclass(frozen=True)
class Call:
    """What is sent: `headers` hold the key, and are shown to nobody."""

    address: Address
    path: str
    body: Mapping[str, Any]
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    trusts_environment: bool = False

    @property
    def url(self) -> str:
        """The whole address."""
        return self.address.text + self.path


class Reply:
    """An answer that is being read."""

    def __init__(self, response: httpx2.Response, attempts: Attempts) -> None:
        self._response = response
        self._attempts = attempts

    @property
    def is_json(self) -> bool:
        """Tell whether the answer is one JSON value and no stream."""
        kind = self._response.headers.get("content-type", "").partition(";")[0].strip().lower()
        return bool(kind == "application/json")

    def lines(self) -> Iterator[str]:
        """Yield the lines as they come; Failure where there are more than 10 MB of them."""
        rest = b""
        for chunk in self._chunks():
            *whole, rest = (rest + chunk).split(b"\n") if b"\n" in chunk else (rest + chunk,)
            for line in whole:
                yield line.decode("utf-8", "replace").rstrip("\r")
        if rest:
            yield rest.decode("utf-8", "replace")

    def events(self) -> Iterator[Any]:
        """Yield the JSON of each server-sent event; Failure where one is none."""
        for line in self.lines():
            data = line[5:].strip() if line.startswith("data:") else ""
            if data == "[DONE]":
                return
            if data:
                yield as_json(data)

    def whole(self) -> Any:
        """Return the answer as one JSON value."""
        return as_json(b"".join(self._chunks()))

    def _chunks(self) -> Iterator[bytes]:
        size = 0
        for chunk in self._response.iter_bytes():
            size += len(chunk)
            if size > LARGEST_BODY:
                raise Failure(Code.TOO_LARGE)
            self._attempts.check()
            yield chunk
        self._attempts.check()  # where the connection's end is the answer's, a cut one looks whole


def as_json(text: str | bytes) -> Any:
    """Return the JSON in a text; Failure where it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise Failure(Code.MALFORMED) from None


@contextlib.contextmanager
def post(call: Call, attempts: Attempts) -> Iterator[Reply]:
    """Send a call and yield its answer, tried again while it has not begun and that may help; raises Failure alone."""
    with contextlib.ExitStack() as opened:
        yield _first_answer(call, attempts, opened)


def _first_answer(call: Call, attempts: Attempts, opened: contextlib.ExitStack) -> Reply:
    connections = 0
    for pause in (*_PAUSES, 0.0):
        attempts.take()
        try:
            return opened.enter_context(_sent(call, attempts))
        except Failure as failure:
            connections += failure.code is Code.OFFLINE
            is_transient = failure.code in RETRIED and failure.status != _NO_CREDIT
            may_help = is_transient and connections < MOST_CONNECTIONS and attempts.left > 0
            wait = pause if failure.retry_after is None else failure.retry_after
            if not may_help or wait >= attempts.remaining:
                raise
        attempts.wait(wait)
    raise Failure(Code.SPENT)


@contextlib.contextmanager
def _sent(call: Call, attempts: Attempts) -> Iterator[Reply]:
    import httpx2

    wire = _Wire()
    try:
        with attempts.watched(wire.cut), _client(call, attempts) as client:
            extensions = {"trace": wire.follow}
            with client.stream(
                "POST", call.url, json=dict(call.body), headers=dict(call.headers), extensions=extensions
            ) as given:
                _check_status(given)
                yield Reply(given, attempts)
    except AddressRefused:
        raise Failure(Code.ADDRESS) from None
    except (httpx2.HTTPError, httpx2.StreamError, httpx2.InvalidURL, OSError, ValueError) as error:
        raise _failure(error, attempts) from None


def _failure(error: Exception, attempts: Attempts) -> Failure:
    """Return what went wrong, by the kind of error alone: its text may hold what was sent or received."""
    import httpx2

    if attempts.is_cancelled:
        return Failure(Code.CANCELLED)
    if attempts.remaining <= 0 or (
        isinstance(error, httpx2.TimeoutException) and not isinstance(error, httpx2.ConnectTimeout)
    ):
        return Failure(Code.TIMEOUT)
    if isinstance(error, httpx2.ProxyError):
        return Failure(Code.PROXY)
    if isinstance(error, (httpx2.DecodingError, httpx2.InvalidURL, ValueError)):
        return Failure(Code.MALFORMED)
    return Failure(Code.OFFLINE)


def _check_status(response: httpx2.Response) -> None:
    status = response.status_code
    if status == 200:
        return
    if 300 <= status < 400:
        raise Failure(Code.REDIRECTED, status=status)
    code = _OF_STATUS.get(status) or (
        Code.SERVER if status >= 500 else Code.REJECTED if status >= 400 else Code.MALFORMED
    )
    raise Failure(code, status=status, retry_after=_retry_after(response.headers.get("retry-after")))


def _retry_after(text: str | None) -> float | None:
    try:
        return max(0.0, float(text or ""))
    except ValueError:
        return None


class _Wire:
    """The sockets of one request, to be cut from another thread."""

    def __init__(self) -> None:
        self._sockets: list[socket.socket] = []
        self._is_cut = False

    def follow(self, event: str, info: Mapping[str, Any]) -> None:
        """Take note of a connection, as the client's trace tells of it."""
        if not event.endswith(("connect_tcp.complete", "start_tls.complete")):
            return
        found = info["return_value"].get_extra_info("socket")
        if isinstance(found, socket.socket):
            self._sockets.append(found)
            if self._is_cut:
                self.cut()

    def cut(self) -> None:
        """End the connections: whoever waits to read finds them closed."""
        self._is_cut = True
        for one in self._sockets:
            with contextlib.suppress(OSError):
                # Of an encrypted socket its plain one: its own way would change what the other thread reads with.
                socket.socket.shutdown(one, socket.SHUT_RDWR)


def _client(call: Call, attempts: Attempts) -> httpx2.Client:
    import httpx2

    for name in _LOGGERS:
        logging.getLogger(name).setLevel(logging.WARNING)
    proxy = proxy_for(call.address)
    if proxy is None:
        addresses.check_numbers(call.address)
    left = attempts.remaining
    return httpx2.Client(
        trust_env=False,
        follow_redirects=False,
        proxy=proxy,
        verify=_certificates(call.trusts_environment) if call.address.scheme == "https" else False,
        timeout=httpx2.Timeout(left, connect=min(left, CONNECT_SECONDS)),
        headers={"user-agent": "cabecao", "accept-encoding": "identity"},
    )


def proxy_for(address: Address) -> str | None:
    """Return the proxy that the environment names for an address; none for one on this machine."""
    if address.is_local or urllib.request.proxy_bypass(address.host):
        return None
    found = urllib.request.getproxies()
    proxy = found.get(address.scheme) or found.get("all")
    if proxy and not proxy.startswith(("http://", "https://")):
        proxy = f"http://{proxy}" if "://" not in proxy else None
        if proxy is None:
            raise Failure(Code.PROXY)
    return proxy or None


@cache
def _certificates(trusts_environment: bool) -> ssl.SSLContext:  # noqa: FBT001 (the key of the cache)
    """Return a context that verifies; the environment adds certificates for the person alone, never a log of keys."""
    import httpx2

    if not sys.platform.startswith("linux"):
        return httpx2.create_ssl_context(trust_env=trusts_environment)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if trusts_environment:
        context.load_default_certs()
        return context
    built_in = ssl.get_default_verify_paths()
    files = [file for file in (built_in.openssl_cafile, *_BUNDLES) if Path(file).is_file()]
    folder = built_in.openssl_capath if Path(built_in.openssl_capath).is_dir() else None
    if files or folder:
        context.load_verify_locations(cafile=files[0] if files else None, capath=folder)
    return context
