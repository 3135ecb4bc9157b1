"""A request that goes wrong: tried again where that may help, three times in all, within its time, to one place alone."""

from __future__ import annotations

import gzip
import ssl
import threading

import pytest
from asking import asked, failed, made_for
from servers import TEXT, Step, closed_port, ollama, openai

from llm import addresses, transport
from llm.attempts import Attempts
from llm.consent import Entry
from llm.failure import Code
from llm.keys import Keys
from llm.providers import made

NOT_NOW = (429, 500, 502, 503, 504, 529)
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy", "NO_PROXY", "no_proxy")


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch):
    for name in PROXIES:
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("status", NOT_NOW)
def test_a_server_that_is_busy_is_asked_three_times_and_no_more(status, serve, key, question, at_once):
    server = serve(Step(status, [b"x"]))
    attempts = Attempts(seconds=20)
    failure = failed(made_for("openai", server.address, key), question, attempts)
    assert failure.code is (Code.LIMITED if status == 429 else Code.SERVER)
    assert failure.status == status
    assert len(server.received) == attempts.used == 3
    assert len({one.body for one in server.received}) == 1


@pytest.mark.parametrize("status", NOT_NOW)
def test_an_answer_at_the_third_request_counts(status, serve, key, question, at_once):
    server = serve(Step(status), Step(status), openai())
    assert asked(made_for("openai", server.address, key), question)[0] == TEXT


@pytest.mark.parametrize(
    ("status", "code"),
    [(400, Code.REJECTED), (401, Code.UNAUTHORIZED), (403, Code.UNAUTHORIZED), (404, Code.REJECTED), (413, Code.REJECTED),
     (402, Code.LIMITED), (204, Code.MALFORMED), (206, Code.MALFORMED)],
)  # fmt: skip
def test_what_another_request_would_not_mend_is_asked_once(status, code, serve, key, question, at_once):
    server = serve(Step(status, framing="length"), openai())
    assert failed(made_for("openai", server.address, key), question).code is code
    assert len(server.received) == 1


def test_the_requests_of_a_question_are_counted_over_all_that_it_asks(serve, key, question, at_once):
    server = serve(Step(500))
    attempts = Attempts(seconds=20)
    failed(made_for("openai", server.address, key), question, attempts)
    assert failed(made_for("openai", server.address, key), question, attempts).code is Code.SPENT
    assert len(server.received) == 3


def test_a_service_that_knows_no_schema_does_not_get_more_requests(serve, key, question, at_once):
    server = serve(Step(503), Step(400), Step(503))
    assert failed(made_for("compatible", server.address, key), question).status == 503
    assert len(server.received) == 3


def test_a_wait_that_the_server_asks_for_is_kept(serve, key, question, monkeypatch):
    waits = []
    monkeypatch.setattr(Attempts, "wait", lambda _self, seconds: waits.append(seconds))
    server = serve(Step(429, headers=(("Retry-After", "7"),)), Step(503, headers=(("Retry-After", "soon"),)), openai())
    assert asked(made_for("openai", server.address, key), question)[0] == TEXT
    assert waits == [7.0, transport._PAUSES[1]]


@pytest.mark.parametrize("wait", ["120", "inf", "99999999999999999999"])
def test_a_wait_that_is_longer_than_the_time_left_is_not_begun(wait, serve, key, question, monkeypatch):
    monkeypatch.setattr(Attempts, "wait", lambda _self, _seconds: pytest.fail("waited"))
    server = serve(Step(429, headers=(("Retry-After", wait),)))
    assert failed(made_for("openai", server.address, key), question).code is Code.LIMITED
    assert len(server.received) == 1


@pytest.mark.parametrize("wait", ["nan", "-5", "", "Wed, 21 Oct 2026 07:28:00 GMT"])
def test_an_odd_wait_does_no_harm(wait, serve, key, question, at_once):
    server = serve(Step(429, headers=(("Retry-After", wait),)), openai())
    assert asked(made_for("openai", server.address, key), question)[0] == TEXT


def test_a_connection_that_breaks_is_tried_once_more(serve, key, question, at_once):
    server = serve(Step(is_silent=True))
    assert failed(made_for("openai", server.address, key), question).code is Code.OFFLINE
    assert len(server.received) == 2


def test_nobody_there_is_tried_once_more(key, question, at_once):
    attempts = Attempts(seconds=20)
    provider = made_for("openai", f"http://127.0.0.1:{closed_port()}", key)
    assert failed(provider, question, attempts).code is Code.OFFLINE
    assert attempts.used == 2


@pytest.mark.parametrize("framing", ["chunked", "length"])
def test_an_answer_that_breaks_off_is_a_failure_and_not_asked_again(framing, serve, key, question):
    whole = openai()
    server = serve(Step(pieces=whole.pieces[:4], framing=framing, ending="cut"))
    assert failed(made_for("openai", server.address, key), question).code is Code.OFFLINE
    assert len(server.received) == 1


@pytest.mark.parametrize(
    "step",
    [Step(is_silent=True, ending="hang"), Step(ending="hang"), Step(pieces=openai().pieces[:4], ending="hang"),
     Step(pieces=openai().pieces[:4], framing="length", ending="hang"),
     Step(pieces=openai().pieces[:4], framing="close", ending="hang")],
    ids=["silent", "status", "text", "length", "close"],
)  # fmt: skip
def test_a_server_that_hangs_is_left_when_the_time_is_over(step, serve, key, question):
    server = serve(step)
    failure = failed(made_for("openai", server.address, key), question, Attempts(seconds=0.4))
    assert failure.code is Code.TIMEOUT
    assert len(server.received) == 1
    assert server.log.has_lost_client.wait(20)


@pytest.mark.parametrize(
    "step",
    [Step(is_silent=True, ending="hang"), Step(pieces=openai().pieces[:4], ending="hang"),
     Step(pieces=openai().pieces[:4], framing="close", ending="hang")],
    ids=["silent", "text", "close"],
)  # fmt: skip
def test_cancelling_ends_the_request_that_runs(step, serve, key, question):
    server = serve(step)
    attempts = Attempts(seconds=300)

    def cancel() -> None:
        assert server.log.has_request.wait(60)
        attempts.cancel()

    thread = threading.Thread(target=cancel)
    thread.start()
    assert failed(made_for("openai", server.address, key), question, attempts).code is Code.CANCELLED
    thread.join()
    assert server.log.has_lost_client.wait(20)
    assert failed(made_for("openai", server.address, key), question, attempts).code is Code.CANCELLED
    assert len(server.received) == 1


def test_cancelling_ends_a_pause(serve, key, question):
    server = serve(Step(429, headers=(("Retry-After", "200"),)))
    attempts = Attempts(seconds=300)
    timer = threading.Timer(0.3, attempts.cancel)
    timer.start()
    assert failed(made_for("openai", server.address, key), question, attempts).code is Code.CANCELLED
    timer.join()
    assert len(server.received) == 1


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("name", ["openai", "anthropic", "gemini", "ollama"])
def test_a_redirect_is_never_followed(name, status, serve, key, question):
    other = serve(openai())
    server = serve(Step(status, headers=(("Location", f"{other.address}/v1"),), framing="length"))
    failure = failed(made_for(name, server.address, key), question)
    assert (failure.code, failure.status) == (Code.REDIRECTED, status)
    assert len(server.received) == 1
    assert other.received == []


@pytest.mark.parametrize("piece", [b": " + b"a" * 65_530 + b"\n\n", b"a" * 65_536], ids=["lines", "one line"])
@pytest.mark.parametrize("name", ["openai", "anthropic", "gemini", "ollama"])
def test_more_than_ten_megabytes_are_not_read(name, piece, serve, key, question):
    piece_of_ollama = piece if name != "ollama" else b" " * 65_536
    server = serve(Step(pieces=[piece_of_ollama] * 200, ending="hang"))
    assert failed(made_for(name, server.address, key), question).code is Code.TOO_LARGE
    assert len(server.received) == 1


def test_a_packed_body_counts_by_what_it_holds(serve, key, question):
    packed = gzip.compress(b" " * 30 * 1024 * 1024)
    server = serve(Step(pieces=[packed], headers=(("Content-Encoding", "gzip"),), kind="application/json"))
    assert failed(made_for("openai", server.address, key), question).code is Code.TOO_LARGE
    assert server.received[0].headers["accept-encoding"] == "identity"


def test_a_body_that_cannot_be_unpacked_is_malformed(serve, key, question):
    server = serve(Step(pieces=[b"not packed"], headers=(("Content-Encoding", "gzip"),)))
    assert failed(made_for("openai", server.address, key), question).code is Code.MALFORMED


@pytest.mark.parametrize("status", [400, 401, 500])
def test_the_body_of_an_error_is_not_read(status, serve, key, question, at_once):
    server = serve(Step(status, [b"a" * 1024], ending="hang"))
    assert failed(made_for("openai", server.address, key), question).status == status
    assert server.log.has_lost_client.wait(20)


@pytest.mark.parametrize("is_person", [True, False])
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_an_address_on_this_machine_never_goes_through_a_proxy(host, is_person, serve, question, monkeypatch):
    proxy = serve(Step(500))
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, proxy.address)
    server = serve(ollama())
    provider = made_for("ollama", f"http://{host}:{server.port}", is_person=is_person)
    assert asked(provider, question)[0] == TEXT
    assert len(server.received) == 1
    assert proxy.received == []


def test_an_address_elsewhere_goes_through_the_proxy_which_sees_neither_key_nor_question(
    serve, key, question, monkeypatch
):
    proxy = serve(Step(407, framing="length"))
    monkeypatch.setenv("HTTPS_PROXY", proxy.address)
    assert failed(made_for("openai", "https://provider.example/v1", key), question).code is Code.PROXY
    assert [(one.method, one.path) for one in proxy.received] == [("CONNECT", "provider.example:443")]
    assert key not in proxy.received[0].everything
    assert question.user not in proxy.received[0].everything


def test_a_proxy_of_an_unknown_kind_is_a_failure(key, question, monkeypatch):
    monkeypatch.setenv("HTTPS_PROXY", "socks5://127.0.0.1:9")
    assert failed(made_for("openai", "https://provider.example/v1", key), question).code is Code.PROXY


def test_a_file_of_passwords_is_not_looked_into(serve, question, own_home, monkeypatch):
    netrc = own_home / ".netrc"
    netrc.write_text("machine 127.0.0.1 login ana password segredo\ndefault login ana password segredo\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    server = serve(openai())
    asked(made_for("compatible", server.address, is_person=True), question)
    assert "authorization" not in server.received[0].headers


@pytest.mark.parametrize("address", ["https://169.254.169.254/v1", "https://[fe80::1]/v1", "https://0.0.0.0/v1"])
def test_a_name_that_leads_to_a_forbidden_number_is_not_called(address, serve, key, question, monkeypatch):
    number = addresses.urlsplit(address).hostname
    family = 10 if ":" in number else 2
    monkeypatch.setattr("socket.getaddrinfo", lambda *_a, **_b: [(family, 1, 6, "", (number, 443))])
    assert failed(made_for("compatible", "https://provider.example/v1", key), question).code is Code.ADDRESS


def test_localhost_that_leads_elsewhere_is_not_called(question, monkeypatch):
    monkeypatch.setattr("socket.getaddrinfo", lambda *_a, **_b: [(2, 1, 6, "", ("192.0.2.7", 11434))])
    assert failed(made_for("ollama", "http://localhost:11434"), question).code is Code.ADDRESS


def test_a_name_that_nobody_knows_is_offline(key, question, monkeypatch, at_once):
    def unknown(*_arguments, **_named):
        raise OSError(-2, "Name or service not known")

    monkeypatch.setattr("socket.getaddrinfo", unknown)
    assert failed(made_for("compatible", "https://provider.example/v1", key), question).code is Code.OFFLINE


@pytest.mark.parametrize("is_person", [True, False])
def test_certificates_are_checked_and_no_keys_of_the_connection_are_logged(is_person, tmp_path, monkeypatch):
    monkeypatch.setenv("SSLKEYLOGFILE", str(tmp_path / "keys"))
    transport._certificates.cache_clear()
    context = transport._certificates(is_person)
    assert context.verify_mode is ssl.CERT_REQUIRED
    assert context.check_hostname
    assert not context.keylog_filename
    assert not (tmp_path / "keys").exists()


def test_an_agents_environment_adds_no_certificate(tmp_path, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "none.pem"))
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path))
    transport._certificates.cache_clear()
    assert transport._certificates(True).cert_store_stats()["x509_ca"] == 0
    with_system = transport._certificates(False).cert_store_stats()["x509_ca"]
    monkeypatch.delenv("SSL_CERT_FILE")
    monkeypatch.delenv("SSL_CERT_DIR")
    transport._certificates.cache_clear()
    assert transport._certificates(False).cert_store_stats()["x509_ca"] == with_system


def test_an_address_that_was_changed_behind_the_settings_is_checked_again(question):
    provider = made.provider(Entry("compatible", "m", "http://provider.example/v1"), Keys(None, False, {}))
    assert failed(provider, question).code is Code.ADDRESS
