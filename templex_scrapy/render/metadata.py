"""What a page declares about itself: date, author, language and description, each with where it was found.

Sources are JSON-LD, meta tags, microdata and microformats. What stands in the frame of the site, in a comment or in a
review is not of the page. Dates are not looked for in the text: of those that htmldate finds on the rendered zoo where
none is declared, nine of ten are the day on which the site was built.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from importlib.util import find_spec
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, NamedTuple

from templex_scrapy.page import NodeArrays, Page, StartTag, declaring_elements, nodes_of, root_of

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

_OF_THE_SITE = frozenset({"Organization", "WebSite", "Person", "BreadcrumbList", "ImageObject", "SearchAction"})
_OF_READERS = frozenset({"comment", "review", "reviews"})
_NOT_A_NAME = re.compile(r"https?:|@\w+\.\w")  # article:author is an address, by its definition
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?![A-Za-z])")
_NOT_IN_A_LINE = re.compile("[\\x00-\\x1f\\x7f\ud800-\udfff]")  # feeds cannot write lone surrogates
_LONGEST_NAME = 100  # characters: more is a sentence on an author
_LONGEST_DATA = 500_000  # characters of a script with JSON-LD
_MOST_OBJECTS = 1_000  # of JSON-LD: a list of products has some hundred
_CANDIDATES = 10  # elements of a page that may name its author
_FEWEST_CHARACTERS, _MOST_CHARACTERS = 40, 4000  # of a text whose language is recognized


class Found(NamedTuple):
    """A value, and where it was found, as :attr:`CleanPage.metadata` names it."""

    value: str
    source: str


def read_metadata(page: Page, removed: Sequence[int]) -> dict[str, Found]:
    """Return what a page declares of ``date``, ``author``, ``language`` and ``description``; O(size of the page).

    Args:
        page: the page.
        removed: positions of the roots of the removed subtrees, in node order.
    """
    head = _Head(page)
    body = _Body(nodes_of(page), removed)
    dates = chain(head.values("date"), body.dates())
    days = (Found(day, source) for value, source in dates if (day := _day(value)) is not None)
    # <meta name="author" content="https://site.test/authors/jane"> is passed over for the name in the byline
    authors = (one for one in chain(head.values("author"), body.authors()) if _is_name(one.value))
    codes = (Found(code[0].lower(), source) for value, source in head.languages() if (code := _LANGUAGE.match(value)))
    found = {
        "date": next(days, None),
        "author": next(authors, None),
        "language": next(codes, None),
        "description": next(head.values("description"), None),
    }
    return {name: one for name, one in found.items() if one is not None}


def recognized_language(text: str) -> Found | None:
    """Return the language of a text as a code of ISO 639; None if it is short, or without the extra ``metadata``."""
    if len(text) < _FEWEST_CHARACTERS or find_spec("py3langid") is None:
        return None
    import py3langid  # noqa: PLC0415 - an extra

    return Found(str(py3langid.classify(text[:_MOST_CHARACTERS])[0]), "text")


class _Head:
    """What meta tags and JSON-LD declare, wherever they are."""

    def __init__(self, page: Page) -> None:
        root = root_of(page)
        self._lang = root.get("lang") or root.get("xml:lang") or ""
        self._metas: dict[str, str] = {}
        for tag in declaring_elements(page, "meta"):
            name = tag.get("property") or tag.get("name") or tag.get("http-equiv")
            content = _line(tag.get("content", ""))
            if name and content:
                self._metas.setdefault(name.lower(), content)
        objects = list(islice(_json_ld(declaring_elements(page, "script")), _MOST_OBJECTS))
        # what is said of an article comes before what is said of a picture in it
        objects.sort(key=lambda one: not any(one.get(name) for name in _PROPERTIES["date"]))
        self._objects = [
            {name: values for name in chain(*_PROPERTIES.values()) if (values := _names(one.get(name)))}
            for one in objects
        ]

    def values(self, name: str) -> Iterator[Found]:
        data = [values for key in _PROPERTIES[name] for one in self._objects if (values := one.get(key))]
        joined = map(", ".join, data) if name == "author" else chain(*data)
        said = [Found(value, "json-ld") for value in joined]
        tags = [Found(self._metas[key], "meta") for key in _META[name] if key in self._metas]
        # JSON-LD describes pictures and products as well
        return iter([*tags, *said] if name == "description" else [*said, *tags])

    def languages(self) -> Iterator[Found]:
        return chain([Found(self._lang, "html")], self.values("language"))


class _Marks(NamedTuple):
    """What a start tag declares.

    Attributes:
        date: a date, and its source.
        author: the source, if the element contains a name.
        is_name: whether the element is the name within it.
        is_of_readers: whether the element is a comment or a review.
    """

    date: Found | None
    author: str
    is_name: bool
    is_of_readers: bool


def _marks_of(start_tag: StartTag) -> _Marks:
    attributes = dict(start_tag.attributes)
    properties = set(attributes.get("itemprop", "").split())
    classes, rel = start_tag.classes, set(attributes.get("rel", "").split())
    written = attributes.get("content") or attributes.get("datetime") or ""
    date = None
    if written and not properties.isdisjoint(_PROPERTIES["date"]):
        date = Found(written, "microdata")
    elif start_tag.tag == "time" and written:
        date = Found(written, "time")
    is_microdata = not properties.isdisjoint(_PROPERTIES["author"])
    is_microformat = "author" in rel or not classes.isdisjoint({"p-author", "author"})
    author = "microdata" if is_microdata else "microformat" if is_microformat else ""
    is_name = "name" in properties or "fn" in classes or "author" in rel or "p-author" in classes
    return _Marks(date, author, is_name, not properties.isdisjoint(_OF_READERS))


class _Body:
    """What microdata and microformats declare, outside of what is removed and of what readers wrote."""

    def __init__(self, arrays: NodeArrays, removed: Iterable[int]) -> None:
        self._arrays = arrays
        self._marks = arrays.of_start_tags(_marks_of)
        roots = set(removed)
        self._dates: list[Found] = []
        self._authors: list[int] = []
        position = 0
        while position < len(arrays.ids):
            marks = self._marks[arrays.ids[position]]
            # the date of the latest comment, and the author of a review, are not those of the page
            if position in roots or marks.is_of_readers:
                position += arrays.sizes[position]
                continue
            if marks.date is not None:
                self._dates.append(marks.date)
            if marks.author:
                self._authors.append(position)
            position += 1

    def dates(self) -> Iterator[Found]:
        return iter(sorted(self._dates, key=lambda one: one.source == "time"))

    def authors(self) -> Iterator[Found]:
        marked = [(self._marks[self._arrays.ids[at]], at) for at in self._authors]
        marked.sort(key=lambda one: one[0].author)  # microdata first
        for marks, position in islice(marked, _CANDIDATES):
            end = position + self._arrays.sizes[position]
            inside = range(position + 1, end)
            named = next((at for at in inside if self._marks[self._arrays.ids[at]].is_name), None)
            if named is not None:
                yield Found(self._text(named), marks.author)
            elif marks.author == "microdata" or marks.is_name:
                content = dict(self._arrays.start_tag(position).attributes).get("content")
                yield Found(_line(content or "") or self._text(position), marks.author)

    def _text(self, position: int) -> str:
        """Return the text of an element, no longer than tells that it is no name."""
        parts: list[str] = []
        length = 0
        for at in range(position, position + self._arrays.sizes[position]):
            if (text := self._arrays.texts[at]) is not None:
                parts.append(text[: 2 * _LONGEST_NAME])
                length += len(parts[-1])
            if length > 2 * _LONGEST_NAME:
                break
        return _line("".join(parts))


def _is_name(text: str) -> bool:
    return bool(text) and all(len(one) <= _LONGEST_NAME for one in text.split(", ")) and not _NOT_A_NAME.search(text)


def _line(text: str) -> str:
    return " ".join(_NOT_IN_A_LINE.sub(" ", text).split())


def _day(value: str) -> str | None:
    with suppress(ValueError):
        day = datetime.fromisoformat(value.strip()).date()
        return day.isoformat() if day.year > 1 else None  # what databases have for no date
    return None


def _json_ld(scripts: Iterable[Element]) -> Iterator[Mapping[str, Any]]:
    """Yield the objects of JSON-LD that are not within others, or are in a graph; nothing where that is damaged."""
    for script in scripts:
        text = script.text or ""
        if script.get("type", "").strip().lower() == "application/ld+json" and len(text) <= _LONGEST_DATA:
            with suppress(ValueError, RecursionError):
                top = json.loads(text or "null", strict=False)
                for one in top if isinstance(top, list) else [top]:
                    graph = one.get("@graph") if isinstance(one, dict) else None
                    for part in (one, *(graph if isinstance(graph, list) else ())):
                        if isinstance(part, dict) and not _is_of_the_site(part.get("@type")):
                            yield part


def _is_of_the_site(types: object) -> bool:
    several = types if isinstance(types, list) else [types]
    return any(isinstance(one, str) and one in _OF_THE_SITE for one in several)


def _names(value: object) -> list[str]:
    """Return the texts, or the names of the objects, of a property that has one or several of either."""
    several = value if isinstance(value, list) else [value]
    named = (one.get("name") if isinstance(one, dict) else one for one in several)
    return [line for one in named if isinstance(one, str) and (line := _line(one))]
