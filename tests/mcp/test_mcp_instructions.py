import pytest

from brain import operations
from mcpbridge import instructions

NAMED = {tool for tools, _ in instructions._SENTENCES for tool in tools}


def test_the_instructions_name_just_the_tools_that_exist():
    catalogue = {one.name: one.profile for one in operations.OPERATIONS if one.name in NAMED}
    assert catalogue == instructions.PRESENT


@pytest.mark.parametrize("asks", [False, True])
@pytest.mark.parametrize("profile", instructions.PROFILES)
def test_a_tool_is_named_where_its_profile_has_it_and_ask_where_it_is_there(profile, asks):
    text = instructions.text(profile, asks=asks)
    for tool in NAMED:
        shown = instructions.includes(profile, instructions.PRESENT[tool]) and (asks or tool != "ask")
        assert (f"`{tool}`" in text) is shown


def test_the_instructions_say_what_an_agent_must_know():
    text = instructions.text()
    for part in ("`as_of`", "`confirm_token`", "`confirmation_required`", "session_handle", "`raw/`"):
        assert part in text


def test_a_profile_includes_itself_and_the_smaller_ones():
    assert instructions.includes("core", "core")
    assert instructions.includes("full", "core")
    assert not instructions.includes("core", "standard")
    assert not instructions.includes("standard", "full")
