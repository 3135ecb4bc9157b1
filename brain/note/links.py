"""Links between notes: found in a body, taken apart, and the keys by which names are compared."""

from __future__ import annotations

import posixpath
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import quote, unquote

if TYPE_CHECKING:
    from brain.note.fields import Fields

Span = tuple[int, int]

_MARKS: Final = re.compile("[\u0300-\u036f]+")
_EXTENSION: Final = re.compile(r"(?: ?\.md)+$")
_ALIAS: Final = re.compile(r"\\?\|")
_ANCHOR: Final = re.compile(r"[#^]")
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_NOT_WORD: Final = re.compile(r"\W+")
_LABEL: Final = 500  # no longer label is looked for, so that brackets without end stay cheap
_WIKILINK: Final = re.compile(r"\[\[([^\[\]\r\n]+)\]\]")
_DESTINATION: Final = re.compile(
    r"\]\([ \t]*(?:<([^<>\r\n]*)>|([^\s()<>]*(?:\([^\s()<>]*\)[^\s()<>]*)*))"
    r"(?:[ \t]+(?:\"[^\"\r\n]*\"|'[^'\r\n]*'))?[ \t]*\)"
)
_NO_HEADING: Final = re.compile(r"[\[\]|#^\\]+")  # what a wikilink cannot hold in the name of a heading
_UNFIT_BARE: Final = re.compile(r"[\s()<>#%?\"'\\]")
_UNFIT_ANGLED: Final = re.compile(r"[\r\n<>#%?]")
_DEFINITION: Final = re.compile(r"\n {0,3}\[([^\[\]\n]{1,500})\]:[ \t]*(?:<([^<>\r\n]*)>|([^\s<>]+))")


@dataclass(frozen=True, slots=True)
class Link:
    """A link as it stands in a body; `start` and `end` delimit its text, `line` counts from 1."""

    target: str
    heading: str | None = None
    block: str | None = None
    label: str | None = None
    embed: bool = False
    line: int = 0
    start: int = 0
    end: int = 0
    markdown: bool = False


class Parts(NamedTuple):
    """What stands between the brackets of a wikilink; an empty target is the note itself."""

    target: str
    heading: str | None
    block: str | None
    label: str | None


def parts(inner: str) -> Parts | None:
    """Take apart the inside of a wikilink; None where it names nothing and so is mere text."""
    place, *alias = _ALIAS.split(inner, maxsplit=1)
    label = alias[0].strip() if alias else None
    anchor = _ANCHOR.search(place)
    if anchor is None:
        target = place.strip()
        return Parts(target, None, None, label or None) if target else None
    target, rest = place[: anchor.start()].strip(), place[anchor.start() :].strip()
    block = rest.lstrip("#").strip()
    if block.startswith("^"):
        found = Parts(target, None, block[1:].strip() or None, label or None)
    else:
        found = Parts(target, rest[1:].strip() or None, None, label or None)
    return found if found.target or found.heading or found.block else None


def markdown_parts(destination: str) -> Parts | None:
    """Take apart the destination of a Markdown link; None unless it is a relative address of a note."""
    if _SCHEME.match(destination) or destination.startswith("//"):
        return None
    path, _, fragment = destination.partition("#")
    path = unquote(path)
    if not path.lower().endswith(".md") or "\0" in path:
        return None
    return Parts(path, unquote(fragment).strip() or None, None, None)


def file_parts(destination: str) -> Parts | None:
    """Take apart the destination of a Markdown link; None unless it is a relative address of a file that is no note."""
    path, _, fragment = destination.partition("#")
    path = unquote(path)
    if _SCHEME.match(destination) or not path or path.startswith("/") or "\0" in path or path.lower().endswith(".md"):
        return None
    return Parts(path, unquote(fragment).strip() or None, None, None)


def fold(text: str) -> str:
    """Return a name as it is compared: without accents, case, repeated spaces and the extension `.md`."""
    if text.isascii():
        plain = text.lower()
    else:
        plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
        plain = _MARKS.sub("", plain)
    return _EXTENSION.sub("", " ".join(plain.split())).rstrip()


def target_key(target: str) -> str:
    """Return the key of a link's target, the same that `names` gives to what it can mean."""
    place = target.strip().replace("\\", "/")
    while place.startswith("./"):
        place = place[2:]
    return fold(place.lstrip("/"))


def written_path(link: Link, *, within: str) -> str:
    """Return the target of a link in the note `within`; that of a Markdown link is relative to its folder."""
    if not link.markdown:
        return link.target
    if link.target.startswith("/"):
        return posixpath.normpath(link.target).lstrip("/")
    return posixpath.normpath(posixpath.join(posixpath.dirname(within), link.target))


def names(path: str, fields: Fields) -> list[tuple[str, str]]:
    """Return each key under which a note can be named, with its kind: path, stem, title or alias."""
    stem = posixpath.basename(path)
    found = [(fold(path), "path"), (fold(stem), "stem"), (fold(fields.title), "title")]
    found += [(fold(alias), "alias") for alias in fields.aliases]
    return [(key, kind) for key, kind in dict.fromkeys(found) if key]


def retargeted(source: str, target: str) -> str:
    """Return the text of a wikilink with another target; its heading, label and `\\|` stay as they are."""
    opening = source.index("[[") + 2
    inner = source[opening:-2]
    stop = min((found.start() for found in (_ALIAS.search(inner), _ANCHOR.search(inner)) if found), default=len(inner))
    return source[:opening] + target + inner[stop:] + source[-2:]


def with_heading(source: str, heading: str) -> str:
    """Return the text of a wikilink that names another heading; its target and label stay as they are."""
    opening = source.index("[[") + 2
    inner = source[opening:-2]
    alias = _ALIAS.search(inner)
    stop = alias.start() if alias else len(inner)
    anchor_sign = _ANCHOR.search(inner, 0, stop)
    place = inner[: anchor_sign.start()] if anchor_sign else inner[:stop]
    return f"{source[:opening]}{place}#{_NO_HEADING.sub(' ', heading).strip()}{inner[stop:]}{source[-2:]}"


def with_destination(source: str, path: str, heading: str | None) -> str:
    """Return the text of a Markdown link, or of a definition of one, that leads to another path and heading."""
    found = _destination_of(source)
    if found is None:
        return source
    angled = found[0] > 0 and source[found[0] - 1] == "<"
    unfit = _UNFIT_ANGLED if angled else _UNFIT_BARE
    text = unfit.sub(lambda sign: quote(sign[0], safe=""), path)
    text += "#" + unfit.sub(lambda sign: quote(sign[0], safe=""), heading) if heading else ""
    return source[: found[0]] + text + source[found[1] :]


def _destination_of(source: str) -> Span | None:
    """Return where the destination stands in the text of one Markdown link or definition."""
    inline = [found for found in _DESTINATION.finditer(source) if found.end() == len(source)]
    match = inline[-1] if inline else _DEFINITION.match("\n" + source)
    if match is None:
        return None
    group = next(number for number in ((1, 2) if inline else (2, 3)) if match[number] is not None)
    shift = 0 if inline else 1
    return match.start(group) - shift, match.end(group) - shift


def anchor(text: str) -> str:
    """Return the id of a heading on a page: its words without accents, joined by hyphens."""
    return _NOT_WORD.sub("-", unicodedata.normalize("NFC", fold(text))).strip("-") or "section"


def find_all(body: str, code: Sequence[Span]) -> list[Link]:
    """Return the links to notes outside code, in order."""
    found = list(_wikilinks(body, code)) if "[[" in body else []
    if "](" in body:
        found.extend(_markdown_links(body, code))
    if "]:" in body:
        found.extend(_definitions(body, code))
    found.sort(key=lambda link: link.start)
    return _numbered(body, found) if found else found


def find_files(body: str, code: Sequence[Span]) -> list[Link]:
    """Return the links and pictures outside code that lead to files which are no notes, relative to the note."""
    found = [*_markdown_links(body, code, file_parts), *_definitions(body, code, file_parts)]
    return sorted(found, key=lambda link: link.start)


def _numbered(body: str, found: list[Link]) -> list[Link]:
    line, seen = 1, 0
    numbered = []
    for one in found:
        line, seen = line + body.count("\n", seen, one.start), one.start
        numbered.append(
            Link(one.target, one.heading, one.block, one.label, one.embed, line, one.start, one.end, one.markdown)
        )
    return numbered


def _wikilinks(body: str, code: Sequence[Span]) -> Iterator[Link]:
    for match in _WIKILINK.finditer(body):
        start, end = match.span()
        if _is_in(code, start) or is_escaped(body, start):
            continue
        found = parts(match[1])
        if found is not None:
            embed = body[start - 1 : start] == "!" and not is_escaped(body, start - 1)
            yield Link(*found, embed, 0, start - embed, end)


def _markdown_links(
    body: str, code: Sequence[Span], take_apart: Callable[[str], Parts | None] = markdown_parts
) -> Iterator[Link]:
    done = 0
    for match in _DESTINATION.finditer(body):
        floor, done = done, match.end()
        found = take_apart(match[2] if match[1] is None else match[1])
        if found is None or _is_in(code, match.start()):
            continue
        start = _label_start(body, floor, match.start())
        if start is None or is_escaped(body, start):
            continue
        label = body[start + 1 : match.start()].strip()
        embed = body[start - 1 : start] == "!" and not is_escaped(body, start - 1)
        yield Link(found.target, found.heading, found.block, label or None, embed, 0, start - embed, match.end(), True)  # noqa: FBT003


def _definitions(
    body: str, code: Sequence[Span], take_apart: Callable[[str], Parts | None] = markdown_parts
) -> Iterator[Link]:
    """Yield the addresses that links by reference lead to, each once, where it is defined."""
    for match in _DEFINITION.finditer("\n" + body):
        label, *places = match.groups()
        found = take_apart(next(place for place in places if place is not None))
        start = match.start() + match[0].index("[") - 1
        if found is not None and not label.startswith("^") and not _is_in(code, start):
            yield Link(found.target, found.heading, None, label.strip(), False, 0, start, match.end() - 1, True)  # noqa: FBT003


def _label_start(body: str, floor: int, stop: int) -> int | None:
    """Return where the bracket opens that closes at `stop`, inside the same paragraph."""
    depth, position = 1, stop
    floor = max(floor, stop - _LABEL)
    while depth:
        opening, closing = body.rfind("[", floor, position), body.rfind("]", floor, position)
        if opening < 0:
            return None
        depth += 1 if closing > opening else -1
        position = max(opening, closing)
    return position if "\n\n" not in body[position:stop] else None


def _is_in(spans: Sequence[Span], offset: int) -> bool:
    number = bisect_right(spans, offset, key=itemgetter(0)) if spans else 0
    return number > 0 and spans[number - 1][1] > offset


def is_escaped(body: str, position: int) -> bool:
    """Tell whether an odd number of backslashes stands before a place."""
    if position <= 0 or body[position - 1] != "\\":
        return False
    first = position
    while first > 0 and body[first - 1] == "\\":
        first -= 1
    return (position - first) % 2 == 1
