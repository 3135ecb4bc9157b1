"""A note's Markdown as safe HTML: no script, no style, no form, nothing fetched from elsewhere.

Raw HTML in a note is shown as typed. Headings go one level down, as the page's h1 is the note's title. Images and
embeds become text and links: opening a note asks no other machine, and no cycle of embeds exists. The front end styles
`wikilink`, `missing`, `external`, `embed`, `blocked-image`, `task-list-item`, `scroll`, `visually-hidden`, `align-*`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from typing import Any, Final
from urllib.parse import unquote, urlsplit

import nh3
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.tasklists import tasklists_plugin

from brain.language import gettext as _
from brain.note.links import Link, anchor, markdown_parts, parts

# Block rules recurse once a level: a quotation in a list in a quotation…
_MAX_NESTING: Final = 40
# What the parser takes its time over, each with its weight: with all of the work a page still takes about a second.
_MAX_SIGNS: Final = 1_000_000
_MAX_WORK: Final = 40_000
_WORK: Final = {
    **dict.fromkeys("|>*_`&\\~", 1),
    "\n": 2,
    "<": 3,
    "![": 6,
    **dict.fromkeys(("[ ]", "[x]", "[X]"), 12),  # the list of a task is looked for from the task up
}
_WIKILINK: Final = re.compile(r"!?\[\[([^\[\]\n]+)\]\]")
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_EXTERNAL: Final = ("http", "https", "mailto")
_TAGS: Final = frozenset(
    {
        *(
            "h2",
            "h3",
            "h4",
            "h5",
            "h6",
            "p",
            "br",
            "hr",
            "blockquote",
            "pre",
            "code",
            "div",
            "section",
            "ul",
            "ol",
            "li",
        ),
        *("a", "em", "strong", "s", "span", "sup", "label", "input"),
        *("table", "thead", "tbody", "tr", "th", "td"),
    }
)
_ATTRIBUTES: Final[dict[str, set[str]]] = {
    **{tag: {"id"} for tag in ("h2", "h3", "h4", "h5", "h6")},
    **{tag: {"class"} for tag in ("code", "hr", "ol", "section", "span", "td", "th", "ul")},
    "a": {"href", "class", "rel", "title", "id", "aria-label"},
    "div": {"class", "tabindex", "role", "aria-label"},
    "input": {"class", "checked", "disabled"},
    "li": {"id", "class"},
    "pre": {"tabindex"},
    "sup": {"class"},
}
_CLEANER: Final = nh3.Cleaner(
    tags=_TAGS,
    attributes={**_ATTRIBUTES, "ol": {"class", "start"}},
    tag_attribute_values={"input": {"type": {"checkbox"}}},
    url_schemes=set(_EXTERNAL),
    link_rel=None,
)


@dataclass(frozen=True)
class LinkView:
    """Where a link to a note leads on the page; `title` says what it is, or why it leads nowhere."""

    href: str | None
    title: str
    missing: bool
    label: str | None = None


Resolve = Callable[[Link], LinkView]


def render(body: str, *, resolve: Resolve, table_label: str | None = None, reserved_ids: Iterable[str] = ()) -> str:
    """Return the HTML of a body; `resolve` is asked about each link to a note.

    `table_label` names the scrolling region around a table, `reserved_ids` are those that the page itself uses.
    """
    env: dict[str, Any] = {
        "resolve": resolve,
        "table_label": table_label or _("Table"),
        "ids": dict.fromkeys(reserved_ids, 1),
    }
    if is_too_much(body):
        return as_typed(body)
    try:
        page = _parser().render(body.replace("\0", "\ufffd"), env)
    except RecursionError:
        return as_typed(body)
    return _CLEANER.clean(page)


def is_too_much(body: str) -> bool:
    """Tell whether a body is too much to lay out while somebody waits; it is then shown as it is typed."""
    if len(body) > _MAX_SIGNS:
        return True
    brackets = max(body.count("["), body.count("]"))
    return 2 * brackets + sum(weight * body.count(sign) for sign, weight in _WORK.items()) > _MAX_WORK


def as_typed(body: str) -> str:
    """Return the HTML of a body that shows every sign of it and means none of them."""
    return _CLEANER.clean(f'<pre tabindex="0">{escape(body)}</pre>')


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "linkify": False, "maxNesting": _MAX_NESTING})
    parser.enable(["table", "strikethrough"])
    parser.use(footnote_plugin, inline=False).use(tasklists_plugin, label=True)
    parser.validateLink = _is_allowed  # type: ignore[method-assign, assignment]
    parser.inline.ruler.before("link", "wikilink", _wikilink)
    parser.core.ruler.push("page", _prepare)
    for name, rule in _RULES.items():
        parser.add_render_rule(name, rule)
    return parser


def _is_allowed(address: str) -> bool:
    scheme = _SCHEME.match(address.strip())
    return scheme is None or scheme[0][:-1].lower() in _EXTERNAL


def _wikilink(state: StateInline, silent: bool) -> bool:  # noqa: FBT001
    match = _WIKILINK.match(state.src, state.pos, state.posMax)
    found = parts(match[1]) if match else None
    if match is None or found is None:
        return False
    if not silent:
        embed = match[0].startswith("!")
        token = state.push("wikilink", "", 0)
        token.meta = {"link": Link(*found, embed)}
    state.pos = match.end()
    return True


def _prepare(state: StateCore) -> None:
    """Shift headings and give them ids, and tell links to notes from others."""
    for place, token in enumerate(state.tokens):
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1]) + 1, 6)}"
        if token.type == "heading_open":
            token.attrSet("id", _free_id(anchor(state.tokens[place + 1].content), state.env["ids"]))
        elif token.type in ("td_open", "th_open") and token.attrGet("style"):
            token.attrs = {"class": f"align-{str(token.attrGet('style')).partition(':')[2]}"}
        elif token.children:
            _prepare_links(token.children, state.env)


def _free_id(wanted: str, taken: dict[str, int]) -> str:
    """Return an id that is not taken; how often each was wanted is kept, so that many equal headings stay cheap."""
    name = wanted
    while name in taken:
        taken[wanted] += 1
        name = f"{wanted}-{taken[wanted]}"
    taken[name] = 1
    return name


def _prepare_links(tokens: list[Token], env: Any) -> None:
    for token in tokens:
        if token.type == "link_open":
            _prepare_link(token, env)


def _prepare_link(token: Token, env: Any) -> None:
    href = str(token.attrGet("href") or "")
    title = token.attrGet("title")
    found = markdown_parts(href)
    if found:
        view: LinkView = env["resolve"](Link(*found, markdown=True))
        token.attrs = _link_attributes(view, title=view.title)
        token.meta = {"view": view}
    elif _SCHEME.match(href):
        token.attrs = {"class": "external", "rel": "noreferrer noopener", "href": href}
    else:
        token.attrs = {"href": "#" + anchor(unquote(href[1:]))} if href.startswith("#") else {}
    if title and not found:
        token.attrs["title"] = title


def _link_attributes(view: LinkView, *, embed: bool = False, title: str = "") -> dict[str, str | int | float]:
    names = ["wikilink", *(["missing"] if view.missing else []), *(["embed"] if embed else [])]
    found: dict[str, str | int | float] = {"class": " ".join(names)}
    if view.href is not None:
        found["href"] = view.href
    if title and not view.missing:
        found["title"] = title
    return found


def _render_wikilink(self: RendererHTML, tokens: Sequence[Token], place: int, _options: Any, env: Any) -> str:
    link: Link = tokens[place].meta["link"]
    view: LinkView = env["resolve"](link)
    label = link.label or view.label or _written(link)
    tag = Token("wikilink", "a" if view.href is not None else "span", 0)
    tag.attrs = _link_attributes(view, embed=link.embed, title=view.title if view.title != label else "")
    return f"<{tag.tag}{self.renderAttrs(tag)}>{escape(label)}{_missing_note(view)}</{tag.tag}>"


def _written(link: Link) -> str:
    return " › ".join(part for part in (link.target, link.heading or link.block) if part)


def _missing_note(view: LinkView) -> str:
    return f'<span class="visually-hidden"> ({escape(view.title)})</span>' if view.missing else ""


def _render_link_close(self: RendererHTML, tokens: Sequence[Token], place: int, options: Any, _env: Any) -> str:
    depth = 0
    for token in reversed(tokens[:place]):
        depth += {"link_close": 1, "link_open": -1}.get(token.type, 0)
        if depth < 0:
            view = token.meta.get("view")
            return (_missing_note(view) if view else "") + "</a>"
    return self.renderToken(tokens, place, options, {})


def _render_image(self: RendererHTML, tokens: Sequence[Token], place: int, options: Any, env: Any) -> str:
    """Say that an image is there, and whose it is, without fetching it."""
    token = tokens[place]
    alt = self.renderInlineAsText(token.children or [], options, env).strip()
    source = str(token.attrGet("src") or "")
    host = _host(source)
    text = _("Image from %(host)s, not loaded") % {"host": host} if host else _("Image %(file)s") % {"file": source}
    return f'<span class="blocked-image">{escape(f"{text}: {alt}" if alt else text)}</span>'


def _host(address: str) -> str | None:
    try:
        return urlsplit(address).hostname
    except ValueError:
        return "?"


def _render_table_open(_self: RendererHTML, _tokens: Sequence[Token], _place: int, _options: Any, env: Any) -> str:
    env["tables"] = env.get("tables", 0) + 1
    label = env["table_label"] if env["tables"] == 1 else f"{env['table_label']} {env['tables']}"
    return f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(label)}"><table>\n'


def _render_table_close(*_arguments: Any) -> str:
    return "</table></div>\n"


def _render_fence(_self: RendererHTML, tokens: Sequence[Token], place: int, _options: Any, _env: Any) -> str:
    """Keep a fence as code; its language is a class, by which the page finds diagrams and formulas."""
    token = tokens[place]
    language = token.info.split()[0] if token.info.split() else ""
    name = f' class="language-{escape(language)}"' if language else ""
    return f'<pre tabindex="0"><code{name}>{escape(token.content, quote=False)}</code></pre>\n'


_RULES: Final[dict[str, Callable[..., str]]] = {
    "wikilink": _render_wikilink,
    "link_close": _render_link_close,
    "image": _render_image,
    "table_open": _render_table_open,
    "table_close": _render_table_close,
    "fence": _render_fence,
    "code_block": _render_fence,
}
