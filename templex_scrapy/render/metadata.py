"""What a page says about itself: date, author, language and description, each with where it was found.

It is what the page declares: JSON-LD, meta tags, microdata, microformats. Where no language is declared, the extra
``metadata`` recognizes that of the text (py3langid). Dates are not looked for in the text: of those that htmldate finds
on the rendered zoo where none is declared, nine of ten are the day on which the site was built.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from importlib.util import find_spec
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_PROPERTIES = {
    "date": ("datePublished", "dateCreated", "uploadDate"),
    "author": ("author", "creator"),
    "language": ("inLanguage",),
    "description": ("description",),
}
"""Properties of schema.org, in JSON-LD and in microdata, the better ones first."""

_META = {
    "date": ("article:published_time", "dc.date.issued", "dcterms.date", "dc.date", "pubdate", "date"),
    "author": ("author", "article:author", "dc.creator", "dcterms.creator"),
    "language": ("og:locale", "content-language", "dc.language"),
    "description": ("og:description", "description", "dc.description", "twitter:description"),
}
"""Names of meta tags: OpenGraph, Dublin Core, and those of HTML."""

_AUTHORS = (
    '//*[@rel="author"]',
    '//*[contains(concat(" ", @class, " "), " p-author ")]',
    '//*[contains(concat(" ", @class, " "), " author ")]//*[contains(concat(" ", @class, " "), " fn ")]',
)
"""Links to the author, and the author in h-entry and hAtom."""

_NOT_A_NAME = re.compile(r"https?:|@\w+\.\w")  # article:author is an address, by its definition
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?![A-Za-z])")
_LONGEST_NAME = 100  # characters: more is a sentence on an author
_FEWEST_CHARACTERS, _MOST_CHARACTERS = 40, 4000  # of a text whose language is recognized


class Found(NamedTuple):
    """A value, and where it was found, as :attr:`CleanPage.metadata` names it."""

    value: str
    source: str


class Metadata:
    """What a page says about itself.

    Args:
        root: the root element of the page as it was: the head may be the site's, but what it declares is the page's.
        text: returns the main content as text, for the language.
    """

    def __init__(self, root: Element, text: Callable[[], str]) -> None:
        self._root = root
        self._text = text
        self._objects = sorted(_json_ld(root), key=lambda one: not any(one.get(name) for name in _PROPERTIES["date"]))

    def date(self) -> Found | None:
        """Return the day on which the page was published, as ``2026-01-31``."""
        for value, source in chain(self._declared("date"), self._attribute("time", "datetime", "time")):
            if (day := _day(value)) is not None:
                return Found(day, source)
        return None

    def author(self) -> Found | None:
        """Return the name of the author."""
        named = chain(self._declared("author"), *(self._text_of(path, "microformat") for path in _AUTHORS))
        return next(
            (one for one in named if len(one.value) <= _LONGEST_NAME and not _NOT_A_NAME.search(one.value)), None
        )

    def language(self) -> Found | None:
        """Return the language as a code of ISO 639, such as ``en``."""
        for value, source in chain(self._attribute("html", "lang", "html"), self._declared("language")):
            if (code := _LANGUAGE.match(value)) is not None:
                return Found(code[0].lower(), source)
        if find_spec("py3langid") is None or len(text := self._text()) < _FEWEST_CHARACTERS:
            return None
        import py3langid  # noqa: PLC0415 - an extra

        return Found(str(py3langid.classify(text[:_MOST_CHARACTERS])[0]), "text")

    def description(self) -> Found | None:
        """Return the description that the page gives of itself."""
        return next(self._declared("description"), None)

    def _declared(self, name: str) -> Iterator[Found]:
        for property_name in _PROPERTIES[name]:
            for one in self._objects:
                yield from (Found(value, "json-ld") for value in _names(one.get(property_name)))
        tags = {
            str(tag.get("property") or tag.get("name") or tag.get("http-equiv")).lower(): tag for tag in self._metas()
        }
        for tag in (tags[key] for key in _META[name] if key in tags):
            if value := _line(tag.get("content", "")):
                yield Found(value, "meta")
        for property_name in _PROPERTIES[name]:
            for attribute in ("content", "datetime"):
                path = f'//*[@itemprop="{property_name}"]/@{attribute}'
                yield from (Found(value, "microdata") for value in map(_line, self._xpath(path)) if value)
            named = f'//*[@itemprop="{property_name}"]'
            yield from self._text_of(f'{named}//*[@itemprop="name"] | {named}[not(.//*[@itemprop])]', "microdata")

    def _metas(self) -> Iterator[Element]:
        # the first of several counts
        return iter([*self._root.iter("meta")][::-1])

    def _attribute(self, tag: str, attribute: str, source: str) -> Iterator[Found]:
        values = (element.get(attribute) for element in self._root.iter(tag))
        return (Found(value, source) for value in values if value)

    def _text_of(self, path: str, source: str) -> Iterator[Found]:
        texts = (_line("".join(element.itertext())) for element in self._xpath(path))
        return (Found(text, source) for text in texts if text)

    def _xpath(self, path: str) -> list[Any]:
        found: list[Any] = self._root.xpath(path)
        return found


def _line(text: str) -> str:
    return " ".join(text.split())


def _day(value: str) -> str | None:
    with suppress(ValueError):
        return datetime.fromisoformat(value.strip()).date().isoformat()
    return None


def _json_ld(root: Element) -> Iterator[Mapping[str, Any]]:
    """Yield the objects of JSON-LD that are not within others, or are in a graph; nothing where that is damaged."""
    for script in root.iter("script"):
        if script.get("type", "").strip().lower() == "application/ld+json":
            with suppress(ValueError, RecursionError):
                top = json.loads(script.text or "null", strict=False)
                for one in top if isinstance(top, list) else [top]:
                    if isinstance(one, dict):
                        yield one
                        graph = one.get("@graph")
                        yield from (
                            part for part in (graph if isinstance(graph, list) else ()) if isinstance(part, dict)
                        )


def _names(value: object) -> Iterator[str]:
    """Yield the texts, or the names of the objects, of a property that has one or several of either."""
    several = value if isinstance(value, list) else [value]
    named = [one.get("name") if isinstance(one, dict) else one for one in several]
    texts = [_line(one) for one in named if isinstance(one, str)]
    if joined := ", ".join(filter(None, texts)):
        yield joined
