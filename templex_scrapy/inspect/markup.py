"""Write HTML files that run no script and load nothing; every text in them is escaped."""

from __future__ import annotations

import unicodedata
from html import escape
from importlib import resources
from urllib.parse import unquote

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_VOID = frozenset({"br", "hr", "input", "meta", "wbr"})
_JOINERS = "\u200c\u200d"  # without them, words of Persian and Hindi read otherwise


class Markup(str):
    """HTML. A string that is not Markup is escaped when it becomes part of an element."""

    __slots__ = ()


def start_tag(tag: str, **attributes: object) -> Markup:
    """Return a start tag; ``class_`` is the attribute ``class``, and an attribute that is None is left out."""
    pairs = [
        f' {name.rstrip("_").replace("_", "-")}="{escape(str(attributes[name]))}"'
        for name in attributes
        if attributes[name] is not None
    ]
    return Markup(f"<{tag}{''.join(pairs)}>")


def element(tag: str, *content: str, **attributes: object) -> Markup:
    """Return an element with its content: ``element("p", "1 < 2", class_="quiet")``."""
    end = "" if tag in _VOID else f"</{tag}>"
    return Markup(f"{start_tag(tag, **attributes)}{join(*content)}{end}")


def join(*parts: str) -> Markup:
    """Return the concatenation of some parts; strings that are not Markup are escaped."""
    return Markup("".join(part if isinstance(part, Markup) else escape(part) for part in parts))


def document(title: str, styles: tuple[str, ...], *body: str) -> str:
    """Return a document, to be written as UTF-8.

    Args:
        title: the title.
        styles: the style sheets, files of this package.
        body: the content of the body.
    """
    folder = resources.files("templex_scrapy.inspect")
    css = Markup("".join(folder.joinpath(name).read_text(encoding="utf-8") for name in styles))
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="referrer", content="no-referrer"),
        element("title", title),
        element("style", css),
    )
    text = f"<!DOCTYPE html>\n{element('html', head, element('body', *body), lang='en')}\n"
    # lone surrogates, which URLs and broken pages may contain, have no form in UTF-8
    return text.encode("utf-8", "replace").decode("utf-8")


def one_line(text: str, limit: int | None = None) -> str:
    """Return a text on one line without characters that are invisible or change the direction of the text."""
    line = "".join(map(_visible, " ".join(text.split())))
    return line if limit is None or len(line) <= limit else line[: max(limit - 1, 0)].rstrip() + "…"


def _visible(character: str) -> str:
    if character.isprintable() or character in _JOINERS:
        return character
    # U+202E would show the text behind it, and so the selector beside it, from right to left
    return "" if unicodedata.category(character) == "Cf" else "\ufffd"


def link(url: str) -> Markup:
    """Return a link to a page; a URL that is incomplete, or of another scheme than http and https, is text."""
    decoded = unquote(url)
    # %C3%A9 is é, and %FF, which is no UTF-8, would become U+FFFD
    shown = element("bdi", url if "\ufffd" in decoded else one_line(decoded))
    # javascript: runs in the reader's browser, and a shortened URL leads somewhere else
    if not url.startswith(("http://", "https://")) or url.endswith("…"):
        return shown
    return element("a", shown, href=url, rel="noopener noreferrer nofollow", target="_blank")
