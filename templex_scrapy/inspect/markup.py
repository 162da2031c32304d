"""Write HTML files that run no script and load nothing; every text in them is escaped."""

from __future__ import annotations

from html import escape
from importlib import resources
from urllib.parse import unquote

from templex_scrapy.figures import one_line

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_VOID = frozenset({"br", "hr", "input", "meta", "wbr"})


class Markup(str):
    """HTML. A string that is not Markup is escaped when it becomes part of an element."""

    __slots__ = ()


def start_tag(tag: str, **attributes: object) -> Markup:
    """Return a start tag; ``class_`` is the attribute ``class``, and an attribute that is None is left out."""
    pairs = ((name.rstrip("_").replace("_", "-"), value) for name, value in attributes.items() if value is not None)
    text = "".join(f' {name}="{escape(str(value))}"' for name, value in pairs)
    return Markup(f"<{tag}{text}>")


def element(tag: str, *content: str, **attributes: object) -> Markup:
    """Return an element with its content: ``element("p", "1 < 2", class_="quiet")``."""
    return Markup(f"{start_tag(tag, **attributes)}{join(*content)}{'' if tag in _VOID else f'</{tag}>'}")


def join(*parts: str) -> Markup:
    """Return the concatenation of some parts; strings that are not Markup are escaped."""
    return Markup("".join(part if isinstance(part, Markup) else escape(part) for part in parts))


def document(title: str, styles: tuple[str, ...], *body: str) -> str:
    """Return a document with style sheets of this package, to be encoded as UTF-8."""
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


def link(url: str) -> Markup:
    """Return a link to a page; a URL that is incomplete, or of another scheme than http and https, is text."""
    decoded = unquote(url)
    # %C3%A9 is é, and %FF, which is no UTF-8, would become U+FFFD
    shown = element("bdi", url if "\ufffd" in decoded else one_line(decoded))
    # javascript: runs in the reader's browser, and a shortened URL leads somewhere else
    if not url.startswith(("http://", "https://")) or url.endswith("…"):
        return shown
    return element("a", shown, href=url, rel="noopener noreferrer nofollow", target="_blank")
