import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain import language
from brain.note import frontmatter
from brain.note.document import parse
from brain.note.frontmatter import Unreadable, read


def refused(block):
    with pytest.raises(Unreadable) as caught:
        read(block)
    return caught.value


@pytest.mark.parametrize(
    "written", ["no", "010", "1e3", "12:30", "2026-01-02", "1.50", "-0", "+1", "0x1F", "True", "y", ".inf", "<<"]
)
def test_a_plain_value_stays_as_it_is_written(written):
    assert read(f"title: {written}\n") == {"title": written}


def test_booleans_null_and_whole_numbers_are_what_they_seem():
    assert read("a: true\nb: false\nc: null\nd: ~\ne:\nf: 7\ng: -12\nh: 0\ni: 'true'\nj: \"7\"\n") == {
        "a": True, "b": False, "c": None, "d": None, "e": None, "f": 7, "g": -12, "h": 0, "i": "true", "j": "7",
    }  # fmt: skip


def test_a_number_too_long_for_one_stays_text():
    digits = "9" * 5000
    assert read(f"a: {digits}\n") == {"a": digits}


def test_a_key_is_text_whatever_it_looks_like():
    assert read("true: 1\n2: b\n2026-01-02: c\n") == {"true": 1, "2": "b", "2026-01-02": "c"}


def test_an_empty_block_and_comments_alone_are_no_fields_and_no_error():
    assert read("") == read("# nada\n\n") == {}


def test_aliases_are_expanded_and_copies_are_apart():
    found = read("a: &x [1, 2]\nb: *x\n")
    assert found == {"a": [1, 2], "b": [1, 2]}
    assert found["a"] is not found["b"]


def test_duplicate_keys_are_an_error_that_names_the_key_and_the_line():
    error = refused("type: concept\ntitle: x\ntype: rule\n")
    assert "type" in error.message
    assert error.line == 3
    assert parse(b"---\ntype: concept\ntype: rule\n---\n").frontmatter == {}


def test_the_line_of_an_error_counts_from_the_top_of_the_file():
    assert parse(b"---\ntype: concept\n\ttitle: Tab\n---\n\nTexto.\n").error_line == 3


@pytest.mark.parametrize(
    "block",
    [
        "type: [concept\n",
        'title: "sem fim\n',
        "a: b: c\n",
        "- a\n- b\n",
        "só texto\n",
        "a: *nada\n",
        "? [a, b]\n: c\n",
        "x: {{modelo}}\n",
        "a: 1\n--- \nb: 2\n",
        "a: \x00\n",
        "a: \x07\n",
    ],
)
def test_what_is_no_mapping_of_texts_is_an_error(block):
    assert refused(block).message


@pytest.mark.parametrize(
    "tag",
    [
        '!!python/object/apply:os.system ["touch pwn"]',
        "!!python/name:os.system",
        "!x {a: 1}",
        "!!int 3",
        "!!binary aGk=",
    ],
)
def test_a_tag_is_refused(tag, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "!" in refused(f"x: {tag}\n").message or "tag:" in refused(f"x: {tag}\n").message
    assert not (tmp_path / "pwn").exists()


def test_an_alias_bomb_is_stopped_while_it_is_small():
    lines = ["a0: &a0 [x,x,x,x,x,x,x,x,x]"]
    lines += [f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 9)]
    assert str(frontmatter.MAX_NODES)[:2] in refused("\n".join(lines)).message


def test_a_list_that_holds_itself_is_refused():
    assert refused("a: &a [*a]\n").message


def test_a_block_that_is_too_large_is_refused_and_the_body_is_read():
    block = "aliases:\n" + "".join(f"  - apelido {number}\n" for number in range(60_000))
    document = parse(f"---\n{block}---\nTexto do corpo.\n".encode())
    assert document.error
    assert document.body == "Texto do corpo.\n"


@pytest.mark.parametrize(
    "block",
    [
        "a: " + "[" * 100_000,
        "a: " + "{b: " * 50_000,
        "- " * 50_000 + "x",
        "? " * 50_000 + "x",
        "\n".join(" " * depth + "a:" for depth in range(300)),
        "a:\n" + "\n".join("  " * depth + "-" for depth in range(150)),
        "a: " + "[" * 101 + "]" * 101,
    ],
)
def test_deep_nesting_is_refused_before_it_recurses(block):
    assert refused(block).message


def test_nesting_up_to_the_limit_is_read():
    assert read("a: " + "[" * 99 + "]" * 99)["a"]


@given(st.text(alphabet=st.sampled_from("ab:-[]{}&*!|>'\"#%@`,? \n\t~\x85\u2028é"), max_size=60))
def test_reading_never_fails_in_another_way(block):
    document = parse(f"---\n{block}\n---\n".encode())
    assert all(isinstance(key, str) for key in document.frontmatter)
    assert document.error is None or document.frontmatter == {}
    assert document.error_line is None or document.error_line >= 1


@pytest.mark.parametrize(
    "text",
    [
        "a: [1, 2\n",
        "a: b: c\n",
        "a: @b\n",
        "a: 'b\n",
        "a: {b\n",
        "\ta: 1\n",
        'a: "\\q"\n',
        "a: *b\n",
        "a\nb: 1\n",
        "a: 1\n  b: 2\n- c\n",
        "- a\nb: c\n",
    ],
)
def test_what_is_wrong_is_told_in_portuguese_too(text):
    english = ("found", "expected", "mapping", "not allowed", "did not", "could not")
    with language.activate("pt-br"), pytest.raises(frontmatter.Unreadable) as raised:
        frontmatter.read(text)

    assert raised.value.message.startswith("não é YAML válido")
    assert not any(word in raised.value.message for word in english)
