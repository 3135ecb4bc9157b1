import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcpbridge import wire
from mcpbridge.wire import Refused, parse


def code_of(line):
    try:
        parse(line)
    except Refused as refused:
        return json.loads(refused.reply.model_dump_json(by_alias=True))["error"]["code"]
    return 0


def refusal(line):
    with pytest.raises(Refused) as raised:
        parse(line)
    reply = raised.value.reply
    return reply.error.code, reply.id


@pytest.mark.parametrize(
    ("line", "code", "number"),
    [
        (b"hello", -32700, None),
        (b'{"jsonrpc":"2.0","id":90001,"method":"ping"', -32700, 90001),
        (b'{"jsonrpc":"2.0","id":"a","method":"ping"', -32700, "a"),
        (b'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"\xff\xfe"}}', -32700, 2),
        (b'{"params":{"name":"\xe7"},"method":"ping","id":3}', -32700, 3),
        (b'{"jsonrpc":"2.0","id":4,"method":"x","params":{"query":"\\ud800"}}', -32700, 4),
        (b'{"method":"x","jsonrpc":"2.0","id":5,"params":' + b"[" * 20_000 + b"]" * 20_000 + b"}", -32700, 5),
        (b'{"jsonrpc":"2.0","id":6,"method":"x","params":{"limit":1' + b"0" * 5000 + b"}}", -32700, 6),
        (b'{"params":' + b"[" * 20_000 + b',"method":"x","id":7}', -32700, None),
        (b"null", -32600, None),
        (b"42", -32600, None),
        (b"[]", -32600, None),
        (b'[{"jsonrpc":"2.0","id":8,"method":"ping"}]', -32600, None),
        (b'{"id":9,"method":"ping"}', -32600, 9),
        (b'{"jsonrpc":"1.0","id":10,"method":"ping"}', -32600, 10),
        (b'{"jsonrpc":"2.0","id":11}', -32600, None),
        (b'{"jsonrpc":"2.0","id":12,"result":7}', -32600, None),
        (b'{"jsonrpc":"2.0","id":13,"method":5}', -32600, 13),
        (b'{"jsonrpc":"2.0","id":14,"method":"ping","params":[1]}', -32600, 14),
        (b'{"jsonrpc":"2.0","id":true,"method":"x","params":7}', -32600, None),
        (b'{"jsonrpc":"1.0","id":1.5,"method":"x"}', -32600, None),
    ],
)
def test_a_line_that_is_no_message_is_answered_with_the_id_it_meant(line, code, number):
    assert refusal(line) == (code, number)


def test_a_line_over_the_limit_is_refused(monkeypatch):
    monkeypatch.setattr(wire, "LINE_LIMIT", 50)
    assert refusal(b'{"jsonrpc":"2.0","id":1,"method":"' + b"x" * 50 + b'"}') == (-32600, None)


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=80))
def test_no_line_breaks_the_parser(line):
    assert code_of(line) in {0, -32700, -32600}


def test_text_arrives_as_it_was_sent():
    line = '{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":"Configuração 🚀 日本"}}'
    assert parse(line.encode()).params == {"a": "Configuração 🚀 日本"}
