import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain import language
from mcpbridge import lines
from mcpbridge.lines import Refused, parse

ODD_IDS = (b"null", b"{}", b"[1]", b"true", b"1.5", b"1.0", b"1e400", b"NaN")


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
        (b'{"jsonrpc":"2.0","id":4,"method":"\\ud800","params":{}}', -32600, 4),
        (b'{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"\\ud800"}}', -32600, 4),
        (b'{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":4,"method":"x","params":{"query":"\\ud800",}}', -32700, 4),
        (b'{"method":"x","jsonrpc":"2.0","id":5,"params":' + b"[" * 20_000 + b"]" * 20_000 + b"}", -32600, 5),
        (b'{"jsonrpc":"2.0","id":6,"method":"x","params":{"limit":1' + b"0" * 5000 + b"}}", -32600, 6),
        (b'{"params":' + b"[" * 20_000 + b',"method":"x","id":7}', -32600, None),
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
        *((b'{"jsonrpc":"2.0","id":%s,"method":"ping"}' % odd, -32600, None) for odd in ODD_IDS),
    ],
)
def test_a_line_that_is_no_message_is_answered_with_the_id_it_meant(line, code, number):
    assert refusal(line) == (code, number)


@pytest.mark.parametrize(
    ("inside", "reason"),
    [
        (b"[" * 3000 + b"]" * 3000, "nested too deeply"),
        (b'"\\ud800",' + b'"b":' + b"[" * 300 + b"]" * 300, "nested too deeply"),
        (b"1" + b"0" * 5000, "too many digits"),
        (b'"\\u12"', "not valid JSON"),
        (b"nope", "not valid JSON"),
    ],
)
def test_the_reason_that_a_line_is_not_taken_for_is_the_true_one(inside, reason):
    with pytest.raises(Refused, match=reason), language.activate("en"):
        parse(b'{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":' + inside + b"}}")


def test_half_of_a_character_pair_in_an_argument_is_left_to_the_tool_to_name():
    line = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":{"query":"\\ud800"}}}'
    assert parse(line).params["arguments"] == {"query": "\ud800"}


def test_a_line_over_the_limit_is_refused(monkeypatch):
    monkeypatch.setattr(lines, "LINE_LIMIT", 50)
    assert refusal(b'{"jsonrpc":"2.0","id":1,"method":"' + b"x" * 50 + b'"}') == (-32600, None)


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=80))
def test_no_line_breaks_the_parser(line):
    assert code_of(line) in {0, -32700, -32600}


def test_text_arrives_as_it_was_sent():
    line = '{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":"Configuração 🚀 日本"}}'
    assert parse(line.encode()).params == {"a": "Configuração 🚀 日本"}
