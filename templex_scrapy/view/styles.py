"""The page's own style sheets without anything that makes a browser ask for something.

The content security policy of the view lets nothing out in any case. What it blocks, browsers report as errors, and a
reader of the view should not have to tell ours from the page's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import tinycss2
from tinycss2.ast import AtKeywordToken, FunctionBlock, IdentToken, LiteralToken, Node, StringToken, URLToken

from templex_scrapy.page import Page, join

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

LOST = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' id='templex-picture'/%3E"
"""A picture that shows nothing, in the place of one on the ground of an element: the script of the view knows it."""

MAX_LENGTH = 2_000_000
"""Characters of a style sheet beyond which it is left out: the parser takes seconds for them."""

MAX_WRITTEN = 2 * MAX_LENGTH
"""Characters that may become of a style sheet; it is left out if it grows beyond, as each address in it may."""

_LOADING = frozenset({"url", "src", "image", "image-set", "-webkit-image-set", "cross-fade", "-webkit-cross-fade"})
_STANDING_FOR = frozenset({"var", "attr", "env", "if"})
_GROUNDS = frozenset({"background", "background-image"})
_BLANK = frozenset({"whitespace", "comment"})
_BLOCKS = frozenset({"[] block", "() block", "{} block"})


def harmless_sheet(css: str) -> str:
    """A style sheet, to be written between ``<style>`` and ``</style>``, that loads nothing.

    Images and fonts in ``data:`` URLs and references into the page itself (``url(#shape)``) stay; every other address
    becomes :data:`LOST` where it is that of a background picture, else ``none``. ``@import`` becomes a rule that no
    browser knows.

    Args:
        css: any string.

    Returns:
        Nothing of a sheet that is too long, nests too deep for the parser, or grows too long.
    """
    # the same string to a style sheet, and no end tag to HTML
    return _rewritten(css, _harmless).replace("</", r"<\/")


def harmless_declarations(css: str) -> str:
    """The value of a ``style`` attribute without what loads something, and without ``!important``.

    The view hides and shows nodes by important rules of its own, which an important declaration here would overrule.
    """
    return _rewritten(css, lambda tokens: _without_importance(_harmless(tokens)))


def _rewritten(css: str, change: Callable[[list[Node]], list[Node]]) -> str:
    if len(css) > MAX_LENGTH:
        return ""
    try:
        written = tinycss2.serialize(change(tinycss2.parse_component_value_list(css)))
    except RecursionError:
        return ""
    return written if len(written) <= MAX_WRITTEN else ""


def _harmless(tokens: Iterable[Node]) -> list[Node]:
    return [_harmless_token(token, name) for token, name in _with_properties(tokens)]


def _with_properties(tokens: Iterable[Any]) -> Iterator[tuple[Any, str]]:
    """Tokens with the name of the property that they are in the value of; of what is in none, with any name."""
    name: str | None = None
    for token in tokens:
        if token.type == "{} block" or (token.type == "literal" and token.value == ";"):
            name = None
        elif name is None and token.type == "ident":
            name = token.lower_value
        yield token, name or ""


def _harmless_token(token: Any, name: str) -> Any:
    here = (token.source_line, token.source_column)
    if token.type == "url":
        return token if _is_local(token.value) else _missing(here, name)
    if token.type == "at-keyword" and token.lower_value == "import":
        return AtKeywordToken(*here, "templex-none")
    if token.type == "function":
        if token.lower_name in _LOADING and not all(map(_is_local, _addresses(token))):
            return _missing(here, name)
        token.arguments = _harmless(token.arguments)
    elif token.type in _BLOCKS:
        token.content = _harmless(token.content)
    return token


def _missing(here: tuple[int, int], name: str) -> Node:
    return URLToken(*here, LOST, f'url("{LOST}")') if name in _GROUNDS else IdentToken(*here, "none")


def _is_local(address: str) -> bool:
    written = address.strip().lower()
    return written.startswith(("data:image/", "data:font/", "data:application/", "#"))


def _addresses(function: FunctionBlock) -> Iterator[str]:
    """What a function that loads something names: the strings in it, however deep."""
    waiting = list(function.arguments)
    for token in waiting:
        if isinstance(token, StringToken):
            yield token.value
        elif isinstance(token, FunctionBlock):
            # what these stand for may be any address
            yield from [""] if token.lower_name in _STANDING_FOR else []
            waiting.extend(token.arguments)


def _without_importance(tokens: list[Node]) -> list[Node]:
    dropped: set[int] = set()
    # all that stays but blanks: where a pair goes, what stood before it may be half of the next
    before: list[int] = []
    for index, token in enumerate(tokens):
        if token.type in _BLANK:
            continue
        if before and _is_importance(token) and _is_mark(tokens[before[-1]]):
            dropped |= {before.pop(), index}
        else:
            before.append(index)
    return [token for index, token in enumerate(tokens) if index not in dropped]


def _is_mark(token: Node) -> bool:
    return isinstance(token, LiteralToken) and token.value == "!"


def _is_importance(token: Node) -> bool:
    return isinstance(token, IdentToken) and token.lower_value == "important"


def sheet_address(element: Element, base: str) -> str | None:
    """The absolute address of the style sheet that a ``link`` element brings in; None if it brings in none.

    Args:
        element: an element ``link``.
        base: the address that the page's relative links start from.
    """
    relations = (element.get("rel") or "").lower().split()
    href = element.get("href")
    is_sheet = "stylesheet" in relations and "alternate" not in relations and element.get("disabled") is None
    return join(base, href) if is_sheet and href else None


def stylesheet_urls(page: Page) -> list[str]:
    """Addresses of the style sheets that a page asks for, in the order in which they stand there, each once."""
    base = page.base_url
    found = (sheet_address(element, base) for element in page.root.iter("link"))
    return list(dict.fromkeys(address for address in found if address is not None))
