"""Reading a frontmatter block: YAML in bounded time, with plain scalars kept as the person wrote them.

Only `true`, `false`, `null`, `~`, the empty value and canonical whole numbers are anything but text; dates, times, `no`
and `010` stay what they are on the page. What cannot be read is a message and a line, never an exception.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import yaml

from brain.language import gettext as _
from brain.language import gettext_noop as N_

MAX_BYTES: Final = 256 * 1024
MAX_NODES: Final = 20_000
MAX_DEPTH: Final = 100

_INTEGER: Final = re.compile(r"0|-?[1-9]\d{0,17}")
_WORDS: Final[dict[str, bool | None]] = {"true": True, "false": False, "null": None, "~": None, "": None}
_PLAIN: Final = "plain"
_TEXT: Final = "text"
_COLLECTION: Final = "collection"
_KNOWN_TAGS: Final = frozenset({_TEXT, _COLLECTION, *(f"tag:yaml.org,2002:{name}" for name in ("str", "seq", "map"))})
# Beyond either of these a block may nest deeper than the composer, which recurses, should go.
_DEEP_INDENT: Final = re.compile(r"(?m)^[ \t?:-]{40}")
_MANY_BRACKETS: Final = 40

# What libyaml says, and how a person is told of it.
_REASONS: Final = {
    "mapping values are not allowed in this context": N_("a colon stands where no key may begin"),
    "found character that cannot start any token": N_("a value begins with a sign that must stand in quotes"),
    "found a tab character that violates indentation": N_("a tab stands where only spaces may"),
    "did not find expected key": N_("a key is missing, or its line is indented otherwise than the ones above"),
    "did not find expected ',' or ']'": N_("a list in brackets is not closed"),
    "did not find expected ',' or '}'": N_("a group in braces is not closed"),
    "did not find expected node content": N_("a value is missing"),
    "did not find expected '-' indicator": N_("an item of a list does not begin with a dash"),
    "could not find expected ':'": N_("a key has no colon after it"),
    "found unexpected end of stream": N_("a text in quotes is not closed"),
    "found unknown escape character": N_("a backslash in double quotes means nothing there"),
    "found undefined alias": N_("an alias names nothing"),
    "found duplicate anchor": N_("an anchor appears twice"),
    "block sequence entries are not allowed in this context": N_("a list begins where none may"),
    "control characters are not allowed": N_("it holds a control character"),
}


class _Resolver:
    """Leaves every scalar as it is written, and marks those without quotes."""

    def resolve(self, kind: type, _value: Any, implicit: Any) -> str:
        if kind is yaml.ScalarNode:
            return _PLAIN if implicit[0] else _TEXT
        return _COLLECTION

    def descend_resolver(self, _node: Any, _index: Any) -> None:
        """Keep no track of the path to a node."""

    def ascend_resolver(self) -> None:
        """Keep no track of the path to a node."""

    def check_resolver_prefix(self, *_arguments: Any) -> bool:
        """Know no path."""
        return False


if yaml.__with_libyaml__:
    from yaml._yaml import CParser

    class _Loader(_Resolver, CParser):
        """libyaml's parser with the resolver above."""

else:  # pragma: no cover - the wheels of every supported system bring libyaml

    class _Loader(_Resolver, yaml.reader.Reader, yaml.scanner.Scanner, yaml.parser.Parser, yaml.composer.Composer):  # type: ignore[no-redef]
        """The pure Python parser with the resolver above."""

        def __init__(self, stream: str) -> None:
            yaml.reader.Reader.__init__(self, stream)
            yaml.scanner.Scanner.__init__(self)
            yaml.parser.Parser.__init__(self)
            yaml.composer.Composer.__init__(self)


class Unreadable(Exception):
    """A block that is not the frontmatter of a note; `line` counts from 1 within the block."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


@dataclass(slots=True)
class _Builder:
    """Makes plain values of nodes, and counts what aliases expand to."""

    nodes: int = 0
    depth: int = field(default=0)

    def value(self, node: yaml.Node) -> Any:
        self.nodes += 1
        if self.nodes > MAX_NODES:
            raise Unreadable(_("it has more than %(limit)s values") % {"limit": MAX_NODES}, _line_of(node))
        if isinstance(node, yaml.ScalarNode):
            return _scalar(node)
        if node.tag not in _KNOWN_TAGS:
            raise _tagged(node)
        if self.depth >= MAX_DEPTH:
            raise _too_deep(_line_of(node))
        self.depth += 1
        found = self.mapping(node) if isinstance(node, yaml.MappingNode) else [self.value(one) for one in node.value]
        self.depth -= 1
        return found

    def mapping(self, node: yaml.MappingNode) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode) or key.tag not in (_PLAIN, _TEXT):
                raise Unreadable(_("a key must be a plain text"), _line_of(key))
            if key.value in found:
                raise Unreadable(_("the key “%(key)s” appears twice") % {"key": key.value}, _line_of(key))
            found[key.value] = self.value(value)
        return found


def read(text: str) -> dict[str, Any]:
    """Return the mapping that a block (without its fences) holds, as JSON-able values; Unreadable says why not."""
    root = compose(text)
    return _Builder().mapping(root) if root is not None else {}


def compose(text: str) -> yaml.MappingNode | None:
    """Return the block's top-level mapping with the places of its keys; None for a block that is empty."""
    if len(text) > MAX_BYTES or len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise Unreadable(_("it is larger than %(limit)s KB") % {"limit": MAX_BYTES // 1024}, 1)
    try:
        if _DEEP_INDENT.search(text) or text.count("[") + text.count("{") > _MANY_BRACKETS:
            _check_depth(text)
        root = _Loader(text).get_single_node()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise Unreadable(_problem(error.problem), mark.line + 1 if mark else None) from error
    except yaml.YAMLError as error:
        raise Unreadable(_problem(getattr(error, "reason", None))) from error
    if root is None:
        return None
    if not isinstance(root, yaml.MappingNode) or root.tag not in _KNOWN_TAGS:
        raise Unreadable(_("it is not a list of keys with values"), _line_of(root))
    return root


def _check_depth(text: str) -> None:
    depth = 0
    for event in _events(text):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > MAX_DEPTH:
                raise _too_deep(_line_of(event))
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


def _events(text: str) -> Iterator[yaml.Event]:
    loader = _Loader(text)
    while (event := loader.get_event()) is not None:
        yield event


def _scalar(node: yaml.ScalarNode) -> Any:
    text: str = node.value
    if node.tag == _PLAIN:
        if text in _WORDS:
            return _WORDS[text]
        return int(text) if _INTEGER.fullmatch(text) else text
    if node.tag not in _KNOWN_TAGS:
        raise _tagged(node)
    return text


def _line_of(place: yaml.Node | yaml.Event) -> int:
    mark = place.start_mark
    return int(mark.line) + 1 if mark else 1


def _tagged(node: yaml.Node) -> Unreadable:
    return Unreadable(_("the tag “%(tag)s” is not allowed") % {"tag": str(node.tag)[:80]}, _line_of(node))


def _too_deep(line: int) -> Unreadable:
    return Unreadable(_("it is nested deeper than %(limit)s levels") % {"limit": MAX_DEPTH}, line)


def _problem(reason: Any) -> str:
    """Return what is wrong in the reader's language; a reason that is not known is left out rather than foreign."""
    known = _REASONS.get(str(reason or "").strip())
    return _("it is not valid YAML (%(reason)s)") % {"reason": _(known)} if known else _("it is not valid YAML")


def value_of(node: yaml.Node) -> Any:
    """Return the plain value of one node."""
    return _Builder().value(node)
