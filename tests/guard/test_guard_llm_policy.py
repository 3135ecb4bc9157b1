"""What a brain lets providers have: it only restricts, and what cannot be taken closes."""

from __future__ import annotations

import pytest

from brain.guard import llm_policy
from brain.guard.llm_policy import Allow, InvalidPolicy, LlmPolicy


def excludes(path: str, *patterns: str) -> bool:
    policy = llm_policy.parse({"exclude_paths": list(patterns)})
    return policy.excludes(path=path, type_="fact", trust="high")


def test_without_a_policy_nothing_is_restricted():
    assert llm_policy.parse(None) == llm_policy.parse({}) == LlmPolicy()
    assert llm_policy.parse(None).as_json() == {}


def test_a_policy_is_written_as_it_was_read():
    whole = {"allow": "agent", "exclude_paths": ["a/**"], "exclude_types": ["episode"], "exclude_trust": ["low"]}
    assert llm_policy.parse(whole).as_json() == whole
    assert llm_policy.parse(whole).allow is Allow.AGENT


@pytest.mark.parametrize(
    ("path", "pattern"),
    [
        ("memory/private/a.md", "memory/private/**"),
        ("memory/private/x/y.md", "memory/private/**"),
        ("memory/private/x/y.md", "memory/private"),
        ("memory/private/x/y.md", "/memory/private/"),
        ("wiki/entities/Someone.md", "wiki/entities/Someone.md"),
        ("wiki/entities/someone.md", "WIKI/entities/Someone.md"),
        ("wiki/Ação.md", "wiki/Ac\u0327a\u0303o.md"),
        ("wiki/a1.md", "wiki/a?.md"),
        ("wiki/a.md", "**/a.md"),
        ("a.md", "**/a.md"),
        ("x/y/a.md", "**"),
        ("wiki/a.md", "./wiki/*.md"),
    ],
)
def test_a_path_that_a_pattern_covers_never_leaves(path, pattern):
    assert excludes(path, pattern)


@pytest.mark.parametrize(
    ("path", "pattern"),
    [
        ("memory/privates/a.md", "memory/private"),
        ("wiki/x/a.md", "wiki/*.md"),
        ("wiki/ab.md", "wiki/[ab].md"),
        ("wiki/a+b.md", "wiki/a+.md"),
        ("other/memory/private/a.md", "memory/private/**"),
    ],
)
def test_another_path_is_not_kept_back(path, pattern):
    assert not excludes(path, pattern)


def test_types_and_trust_are_kept_back():
    policy = llm_policy.parse({"exclude_types": ["episode"], "exclude_trust": ["low"]})
    assert policy.excludes(path="a.md", type_="episode", trust="high")
    assert policy.excludes(path="a.md", type_=None, trust="low")
    assert not policy.excludes(path="a.md", type_="fact", trust=None)


@pytest.mark.parametrize(
    ("value", "what"),
    [
        ("any", "llm_policy"),
        ([], "llm_policy"),
        ({"allow": "talvez"}, "allow"),
        ({"allow": ["any"]}, "allow"),
        ({"exclude_paths": "memory/**"}, "exclude_paths"),
        ({"exclude_paths": [""]}, "exclude_paths"),
        ({"exclude_paths": ["/"]}, "exclude_paths"),
        ({"exclude_paths": [7]}, "exclude_paths"),
        ({"exclude_types": ["poema"]}, "exclude_types"),
        ({"exclude_trust": ["none"]}, "exclude_trust"),
        ({"excluir": []}, "excluir"),
    ],
)
def test_what_cannot_be_taken_is_named(value, what):
    with pytest.raises(InvalidPolicy, match=what):
        llm_policy.parse(value)
