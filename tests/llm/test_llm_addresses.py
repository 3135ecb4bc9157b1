"""A provider's address is https, or http on this machine, and never one that only machines in a cloud know."""

from __future__ import annotations

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm import addresses
from llm.addresses import AddressRefused, Fault, is_forbidden, parse


@pytest.mark.parametrize(
    ("text", "shown", "is_local"),
    [("https://api.example.com/v1", "api.example.com", False), ("https://api.example.com:8443/v1/", "api.example.com:8443", False),
     ("http://localhost:11434", "localhost:11434", True), ("http://LOCALHOST:1234/v1", "localhost:1234", True),
     ("http://127.0.0.1:80", "127.0.0.1", True), ("http://[::1]:8080/v1", "[::1]:8080", True), ("https://10.1.2.3/v1", "10.1.2.3", False),
     ("https://127.0.0.1", "127.0.0.1", True), ("HTTPS://example.com", "example.com", False)],
)  # fmt: skip
def test_what_may_be_called(text, shown, is_local):
    found = parse(text)
    assert (found.shown, found.is_local) == (shown, is_local)
    assert not found.text.endswith("/")


@pytest.mark.parametrize(
    ("text", "fault"),
    [("http://example.com", Fault.SCHEME), ("ftp://localhost", Fault.SCHEME), ("file:///etc/passwd", Fault.SCHEME), ("", Fault.SCHEME),
     ("localhost:11434", Fault.SCHEME), ("//example.com", Fault.SCHEME), ("http://127.0.0.2", Fault.SCHEME), ("http://127.1", Fault.SCHEME),
     ("http://localhost.example.com", Fault.SCHEME), ("http://2130706433", Fault.SCHEME), ("http://[::ffff:127.0.0.1]", Fault.SCHEME),
     ("https://", Fault.UNREADABLE), ("https://example.com:0", Fault.UNREADABLE), ("https://example.com:99999", Fault.UNREADABLE),
     ("https://exa mple.com", Fault.UNREADABLE), ("https://example.com\\@evil.example", Fault.UNREADABLE), ("https://[::1", Fault.UNREADABLE),
     ("https://ex\nample.com", Fault.UNREADABLE), ("https://éxample.com", Fault.UNREADABLE), ("https://example.com/" + "a" * 300, Fault.UNREADABLE),
     ("https://ana:x@example.com", Fault.EXTRAS), ("https://example.com@evil.example", Fault.EXTRAS), ("https://@example.com", Fault.EXTRAS),
     ("https://example.com?key=1", Fault.EXTRAS), ("https://example.com/#a", Fault.EXTRAS), ("https://example.com?", Fault.EXTRAS)],
)  # fmt: skip
def test_what_may_not(text, fault):
    with pytest.raises(AddressRefused) as raised:
        parse(text)
    assert raised.value.fault is fault


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize(
    "host",
    ["169.254.169.254", "169.254.1.1", "[fe80::1]", "[fe80::1%25eth0]", "0.0.0.0", "0", "0.0.0.1", "[::]", "2852039166", "0xA9FEA9FE",
     "0251.0376.0251.0376", "169.254.43518", "[::ffff:169.254.169.254]", "[64:ff9b::a9fe:a9fe]", "[2002:a9fe:a9fe::]", "[fd00:ec2::254]",
     "100.100.100.200", "metadata.google.internal", "METADATA.google.internal.", "metadata", "224.0.0.1", "[ff02::1]"],
)  # fmt: skip
def test_link_local_and_metadata_addresses_are_refused_however_they_are_spelled(scheme, host):
    with pytest.raises(AddressRefused) as raised:
        parse(f"{scheme}://{host}/v1")
    assert raised.value.fault is Fault.FORBIDDEN


@given(st.ip_addresses(v=4))
def test_a_number_inside_another_is_judged_as_itself(number):
    inside = (f"::ffff:{number}", f"64:ff9b::{number}")
    assert {is_forbidden(ipaddress.ip_address(one)) for one in inside} == {is_forbidden(number)}


@given(st.text(max_size=40))
def test_any_text_is_taken_or_refused(text):
    for prefix in ("", "https://", "http://localhost"):
        try:
            found = parse(prefix + text)
        except AddressRefused:
            continue
        assert found.scheme == "https" or found.host in addresses.LOCAL_NAMES
