"""The date, author, language and description of a page, each with the source.

The head of the page comes first: JSON-LD and meta tags. Frame, comments and reviews of the page do not count.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from functools import cache
from importlib.util import find_spec
from itertools import chain

from templex_scrapy.page import Page, cached_property, head_of
from templex_scrapy.render.dates import day_in_address, day_of
from templex_scrapy.render.languages import LANGUAGES
from templex_scrapy.render.marked_body import (
    AUTHOR_PROPERTIES,
    DATE_PROPERTIES,
    MarkedBody,
    Sourced,
    author_of,
    line_of,
)

_PROPERTIES = {"date": DATE_PROPERTIES, "language": ("inLanguage",), "description": ("description",)}

_META = {
    "date": """
        articlepublishedtime ogarticlepublishedtime citationpublicationdate citationonlinedate citationdate dcdateissued
        dctermsissued dctermsdate dcdatecreated dctermscreated dcdate datepublished datecreated publishdate
        publisheddate publicationdate parselypubdate sailthrudate pubdate date
    """.split(),
    "author": "citationauthor author articleauthor dccreator dctermscreator parselyauthor sailthruauthor byl".split(),
    "language": "oglocale contentlanguage dclanguage citationlanguage".split(),
    "description": "ogdescription description dcdescription twitterdescription".split(),
}
"""Names of meta tags, letters alone: those of OpenGraph, Dublin Core, HTML, scholars and analytics."""

_OF_THE_SITE = frozenset({"Organization", "WebSite", "Person", "BreadcrumbList", "ImageObject", "SearchAction"})
_ARTICLE = re.compile(r"Article|Posting|Report")
_SIGNS = re.compile(r"[^a-z0-9]+")
_LANGUAGE = re.compile(r"\s*([A-Za-z]{2,3})(?:[-_](?!8)[A-Za-z0-9]{2,8})*\s*(?:[,;]|$)")
_FIRST_DAY = "1995-01-01"  # of what no program declares, as for htmldate: "Born 5 May 1921"
_DECLARED = frozenset({"microdata", "microformat"})
_FEWEST_CHARACTERS, _MOST_CHARACTERS = 40, 4000  # of a text whose language is recognized


class PageMetadata:
    """What a page says of itself outside of the removed subtrees; each value is looked for when it is asked for.

    ``dates`` returns the positions of dates where other pages of the site have theirs.
    """

    def __init__(self, page: Page, removed: Sequence[int], dates: Callable[[], Iterable[int]] = tuple) -> None:
        self._url, self._head = page.url, head_of(page)
        self._body = cache(lambda: MarkedBody(page, removed, dates))
        self._metas: dict[str, list[str]] = {}
        for name, contents in self._head.metas.items():
            self._metas.setdefault(_SIGNS.sub("", name), []).extend(map(line_of, contents))
        objects = [data for data in self._head.data.objects if _OF_THE_SITE.isdisjoint(data.get("@type", ()))]
        # an article comes before a picture in it
        self._objects = sorted(
            objects, key=lambda data: (not _is_article(data), not any(key in data for key in DATE_PROPERTIES))
        )

    @cached_property
    def date(self) -> Sourced | None:
        """The day of publication, as ``2026-01-31``."""
        days = ((day_of(text), source) for text, source in self._values("date"))
        declared = next((Sourced(day, source) for day, source in days if day is not None), None)
        today = date.today()  # noqa: DTZ011 - a day more or less is given below
        latest = min(today, date.fromisoformat(declared.value)) if declared else today
        # news of the evening are of the next day in the time of Greenwich, and an event is later than its announcement
        in_address = day_in_address(self._url)
        if in_address and _is_between(in_address, latest):
            return Sourced(in_address, "url")
        if declared is not None:
            return declared
        marked = (Sourced(day, source) for day, source in self._body().days() if day is not None)
        return next((day for day in marked if day.source in _DECLARED or _is_between(day.value, today)), None)

    @cached_property
    def author(self) -> Sourced | None:
        """The author, or several with commas between them."""
        declared = [author_of(data.get(key, ()), "json-ld") for key in AUTHOR_PROPERTIES for data in self._objects]
        declared += (author_of(self._metas.get(key, ()), "meta") for key in _META["author"])
        author = next(filter(None, declared), None) or next(filter(None, self._body().authors()), None)
        objects = self._head.data.objects
        persons = [data.get("name", ()) for data in objects if "Person" in data.get("@type", ())]
        # a single person beside an article, as plug-ins write, unless the page is on this person
        if author is None and len(persons) == 1 and any(map(_is_article, objects)):
            author = author_of((name for name in persons[0] if name not in self._head.title), "json-ld")
        return author

    @cached_property
    def language(self) -> Sourced | None:
        """The language as a code of ISO 639."""
        declared = chain([Sourced(self._head.lang, "html")], self._values("language"))
        codes = ((code[1].lower(), source) for text, source in declared if (code := _LANGUAGE.match(text)))
        return next((Sourced(code, source) for code, source in codes if code in LANGUAGES), None)

    @cached_property
    def description(self) -> Sourced | None:
        """The description."""
        return next(self._values("description"), None)

    def _values(self, name: str) -> Iterator[Sourced]:
        texts = (text for key in _PROPERTIES[name] for data in self._objects for text in data.get(key, ()))
        of_objects = (Sourced(line_of(text), "json-ld") for text in texts)
        of_tags = (Sourced(text, "meta") for key in _META[name] for text in self._metas.get(key, ()) if text)
        # JSON-LD describes pictures and products as well, and has the day on which an article began
        return chain(of_objects, of_tags) if name == "language" else chain(of_tags, of_objects)


def recognized_language(text: str) -> Sourced | None:
    """Return the language of a text as a code of ISO 639; None if it is short, or without the extra ``metadata``."""
    if len(text) < _FEWEST_CHARACTERS or find_spec("py3langid") is None:
        return None
    import py3langid  # noqa: PLC0415 - an extra

    return Sourced(str(py3langid.classify(text[:_MOST_CHARACTERS])[0]), "text")


def _is_between(day: str, latest: date) -> bool:
    return _FIRST_DAY <= day <= (latest + timedelta(1)).isoformat()


def _is_article(data: Mapping[str, Sequence[str]]) -> bool:
    return any(map(_ARTICLE.search, data.get("@type", ())))
