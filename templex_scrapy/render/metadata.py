"""The date, author, language and description that a page declares, each with its source.

Sources are the address, JSON-LD, meta tags, microdata and microformats. The frame of the site, comments and reviews
say nothing of the page.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from importlib.util import find_spec
from itertools import chain, islice
from typing import NamedTuple

from templex_scrapy.page import HEADINGS, Head, NodeArrays, Page, StartTag, head_of, nodes_of
from templex_scrapy.render.dates import can_guess, day_in_address, day_of, guessed_day, written_day
from templex_scrapy.render.html import cleaned_html
from templex_scrapy.render.languages import LANGUAGES
from templex_scrapy.template.metadata.date_places import labels_change, may_be_date

_PROPERTIES = {
    "date": ("datePublished", "dateCreated", "uploadDate"),
    "author": ("author", "creator"),
    "language": ("inLanguage",),
    "description": ("description",),
}
"""Properties of schema.org, in JSON-LD and in microdata, the better ones first."""

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
_OF_READERS = re.compile(
    r"(?:^|[\s_-])(?:comments?|commentlist|kommentare?|commentaires?|comentarios?|reviews?|repl(?:y|ies))(?:$|[\s_-])"
)
_SIGNS = re.compile(r"[^a-z0-9]+")
_ADDRESS = re.compile(r"https?:|@\w+\.\w|[\w-]{3}\.[a-z]{2,}(?:/|$)")  # article:author is an address, by its definition
# "Written by Ann Lee | 3 May"
_BY = re.compile(
    r"(?:(?:(?:written|posted|published|view all posts|erstellt|geschrieben|verfasst|alles|alle beiträge) )?"
    r"(?:by|von|par|por)[: ]|(?:author|autore?|auteur|text) ?:)\s*",
    re.IGNORECASE,
)
_BEHIND_NAME = re.compile(r"\s*[|•·]\s.*|[,\s]+\d.*")
_LANGUAGE = re.compile(r"\s*([A-Za-z]{2,3})(?:[-_](?!8)[A-Za-z0-9]{2,8})*\s*(?:[,;]|$)")
_AUTHOR = re.compile(r"(?:^|[\s_-])(?:authors?|autor(?:en)?|byline|auteur|verfasser)(?:$|[\s_-])")
_NO_AUTHOR = re.compile(r"bio|box|avatar|image|img|photo|picture|desc|about")
_AUTHOR_PAGE = re.compile(r"/(?:authors?|autor(?:en)?|auteurs?)/.")
_PUBLISHED = frozenset({"published", "dt-published", "entry-date"})
_MODIFIED = re.compile(r"(?:^|[\s_-])(?:date)?(?:modified|updated?|lastmod)(?:$|[\s_-])")
_POST_DATE = re.compile(r"(?:entry|post|pub)[\w-]*date|published")
_WORD = re.compile(r"\w+")
_BEFORE, _BEHIND, _HEADINGS, _DATES = 6, 12, 30, 20
_NOT_OF_READERS = frozenset({"body", "html", "main", "a", "time"})
_NOT_IN_A_LINE = re.compile("[\\x00-\\x1f\\x7f\ud800-\udfff]")  # feeds cannot write lone surrogates
_FIRST_DAY = "1995-01-01"  # of what no program declares, as for htmldate: "Born 5 May 1921"
_DECLARED = frozenset({"microdata", "microformat"})
_AMERICAN = re.compile(r"en[-_]us", re.IGNORECASE)
_LONGEST_NAME = 100  # characters: more is a sentence on an author
_CANDIDATES = 10  # elements of a page that may name its author
_FEWEST_CHARACTERS, _MOST_CHARACTERS = 40, 4000  # of a text whose language is recognized


class Sourced(NamedTuple):
    """A value and its source, as :attr:`CleanPage.metadata` names it."""

    value: str
    source: str


def read_metadata(page: Page, removed: Sequence[int], dates: Callable[[], Iterable[int]] = tuple) -> dict[str, Sourced]:
    """Return what a page declares of ``date``, ``author``, ``language`` and ``description``; O(size of the page).

    Args:
        page: the page.
        removed: positions of the roots of the removed subtrees, in node order.
        dates: returns the positions of dates where other pages of the site have theirs.
    """
    head = _Declared(head_of(page))
    body = _Body(page, removed, dates)
    declared = {
        "date": _date(page, head, body),
        "author": next(chain(head.authors(), body.authors(), head.person()), None),
        "language": head.language(),
        "description": next(head.values("description"), None),
    }
    return {name: value for name, value in declared.items() if value is not None}


def _date(page: Page, head: _Declared, body: _Body) -> Sourced | None:
    days = ((day_of(text), source) for text, source in head.values("date"))
    declared = next((Sourced(day, source) for day, source in days if day is not None), None)
    today = date.today()  # noqa: DTZ011 - a day more or less is given below
    latest = min(today, date.fromisoformat(declared.value)) if declared else today
    # news of the evening are of the next day in the time of Greenwich, and an event is later than its announcement
    in_address = day_in_address(page.url)
    if in_address and _is_between(in_address, latest):
        return Sourced(in_address, "url")
    found = (Sourced(day, source) for day, source in body.days(page) if day is not None)
    return declared or next((one for one in found if one.source in _DECLARED or _is_between(one.value, today)), None)


def _is_between(day: str, latest: date) -> bool:
    return _FIRST_DAY <= day <= (latest + timedelta(1)).isoformat()


def recognized_language(text: str) -> Sourced | None:
    """Return the language of a text as a code of ISO 639; None if it is short, or without the extra ``metadata``."""
    if len(text) < _FEWEST_CHARACTERS or find_spec("py3langid") is None:
        return None
    import py3langid  # noqa: PLC0415 - an extra

    return Sourced(str(py3langid.classify(text[:_MOST_CHARACTERS])[0]), "text")


class _Declared:
    """What meta tags and JSON-LD declare, wherever they are."""

    def __init__(self, head: Head) -> None:
        self._head = head
        self._metas: dict[str, list[str]] = {}
        for name, contents in head.metas.items():
            self._metas.setdefault(_SIGNS.sub("", name), []).extend(map(_line, contents))
        objects = [one for one in head.data.objects if _OF_THE_SITE.isdisjoint(one.get("@type", ()))]
        # what is said of an article comes before what is said of a picture in it
        self._objects = sorted(objects, key=_rank)

    def values(self, name: str) -> Iterator[Sourced]:
        data = (value for key in _PROPERTIES[name] for one in self._objects for value in one.get(key, ()))
        said = (Sourced(_line(value), "json-ld") for value in data)
        tags = (Sourced(value, "meta") for key in _META[name] for value in self._metas.get(key, ()) if value)
        # JSON-LD describes pictures and products as well, and has the day on which an article was first written
        return chain(said, tags) if name == "language" else chain(tags, said)

    def authors(self) -> Iterator[Sourced]:
        for key in _PROPERTIES["author"]:
            for one in self._objects:
                yield from _joined(one.get(key, ()), "json-ld")
        for key in _META["author"]:
            yield from _joined(self._metas.get(key, ()), "meta")

    def person(self) -> Iterator[Sourced]:
        """Yield the only person of JSON-LD beside an article, as plug-ins write, unless the page is on the person."""
        objects = self._head.data.objects
        persons = [one.get("name", ()) for one in objects if "Person" in one.get("@type", ())]
        if len(persons) == 1 and any(map(_is_article, objects)):
            yield from _joined((name for name in persons[0] if name not in self._head.title), "json-ld")

    def language(self) -> Sourced | None:
        declared = chain([Sourced(self._head.lang, "html")], self.values("language"))
        codes = ((found[1].lower(), source) for text, source in declared if (found := _LANGUAGE.match(text)))
        return next((Sourced(code, source) for code, source in codes if code in LANGUAGES), None)


def _is_article(one: Mapping[str, Sequence[str]]) -> bool:
    return any(_ARTICLE.search(name) for name in one.get("@type", ()))


def _rank(one: Mapping[str, Sequence[str]]) -> int:
    return 0 if _is_article(one) else 1 if any(key in one for key in _PROPERTIES["date"]) else 2


def _joined(names: Iterable[str], source: str) -> Iterator[Sourced]:
    """Yield the names as one value."""
    lines = list(dict.fromkeys(filter(_is_name, (_name(one, has_more=source == "name") for one in names))))
    if lines:
        yield Sourced(", ".join(lines), source)


class _Marks(NamedTuple):
    """What a start tag declares.

    Attributes:
        date: a date, empty if it is the text of the element.
        date_source: the source of the date; empty if the element has none.
        author: the source, if the element contains a name.
        is_name: whether the element is the name within it.
        is_of_readers: whether the element contains comments or reviews.
        is_modified: whether the element has the date of the last change.
    """

    date: str
    date_source: str
    author: str
    is_name: bool
    is_of_readers: bool
    is_modified: bool


def _marks_of(start_tag: StartTag) -> _Marks:
    attributes = dict(start_tag.attributes)
    properties = set(attributes.get("itemprop", "").split())
    classes, rel = start_tag.classes, set(attributes.get("rel", "").split())
    names = " ".join([start_tag.id, *classes, *properties]).lower()
    date = attributes.get("content") or attributes.get("datetime") or attributes.get("title") or ""
    date_source = ""
    if not properties.isdisjoint(_PROPERTIES["date"]):
        date_source = "microdata"
    elif not classes.isdisjoint(_PUBLISHED) or "pubdate" in attributes:
        date_source = "microformat"
    elif start_tag.tag == "time" and "datetime" in attributes and not _MODIFIED.search(names):
        date_source = "time"
    is_author_link = start_tag.tag == "a" and _AUTHOR_PAGE.search(attributes.get("href", "")) is not None
    if not properties.isdisjoint(_PROPERTIES["author"]):
        author = "microdata"
    elif "author" in rel or not classes.isdisjoint({"p-author", "author"}):
        author = "microformat"
    elif is_author_link or (_AUTHOR.search(names) and not _NO_AUTHOR.search(names)):
        author = "name"
    else:
        author = ""
    is_name = "name" in properties or "fn" in classes or "author" in rel or "p-author" in classes or is_author_link
    is_of_readers = start_tag.tag not in _NOT_OF_READERS and _OF_READERS.search(names) is not None
    is_modified = not date_source and _MODIFIED.search(names) is not None and not _POST_DATE.search(names)
    return _Marks(date, date_source, author, is_name, is_of_readers, is_modified)


class _Body:
    """What microdata, microformats and names of classes declare, outside of the frame and of what readers wrote."""

    def __init__(self, page: Page, removed: Iterable[int], places: Callable[[], Iterable[int]] = tuple) -> None:
        arrays = self._arrays = nodes_of(page)
        self._marks = arrays.of_start_tags(_marks_of)
        roots = set(removed)
        self._headline = _headline(arrays, page.title)
        self._unread: list[int] = []  # roots of what says nothing of the day of publication
        self._dates: list[int] = []
        self._authors: list[int] = []
        self._texts: list[int] = []
        self._is_american = _AMERICAN.fullmatch(head_of(page).lang.strip()) is not None
        position = heading_end = 0
        is_change = False  # whether the text before is "Last updated:"
        while position < len(arrays.ids):
            marks = self._at(position)
            end = position + arrays.sizes[position]
            # the date of the latest comment, and the author of a review, are not those of the page
            text = arrays.texts[position]
            is_changed = is_change and (marks.date_source == "time" or may_be_date(" ".join((text or "").split())))
            if (
                position in roots
                or marks.is_modified
                or is_changed
                or (marks.is_of_readers and not position < self._headline < end)
            ):
                self._unread.append(position)
                position = end
                is_change = False
                continue
            if marks.date_source:
                self._dates.append(position)
            if marks.author:
                self._authors.append(position)
            if text is not None:
                self._texts.append(position)
                if text.strip():
                    # a headline such as "Update on the mills" labels no date
                    is_change = position >= heading_end and labels_change(text.strip())
            elif arrays.tags[position] in HEADINGS:
                heading_end = end
            position += 1
        self._places = places
        # what stands around the headline, the texts behind it first
        place = bisect_left(self._texts, self._headline)
        before, behind = self._texts[max(0, place - _BEFORE) : place], self._texts[place : place + _BEHIND]
        self._around = [*behind, *reversed(before)] if self._headline >= 0 else []

    def _at(self, position: int) -> _Marks:
        return self._marks[self._arrays.ids[position]]

    def days(self, page: Page) -> Iterator[tuple[str | None, str]]:
        """Yield days with their sources: at the headline, elsewhere, and what the texts say, the better ones first."""
        order = {source: number for number, source in enumerate(("microdata", "microformat", "time"))}
        near, far = min(self._around, default=0), max(self._around, default=-1)
        ordered = sorted(self._dates, key=lambda at: (not near <= at <= far, order[self._at(at).date_source]))
        marked = [(self._written(at), self._at(at).date_source, near <= at <= far) for at in ordered[:_CANDIDATES]]
        yield from ((day, source) for day, source, is_near in marked if is_near)
        if can_guess():
            places = sorted(set(self._places()).intersection(self._texts), key=lambda at: (at < self._headline, at))
            yield from ((day, "place") for day in self._written_at(places))
            yield from ((day, "text") for day in self._written_at(self._around))
        # a list of other articles has dates of its own
        yield from ((day, source) for day, source, is_near in marked if not is_near)
        if can_guess():
            yield guessed_day(cleaned_html(page, self._unread)), "text"
            yield from ((day, "text") for day in self._written_at(self._texts))

    def _written(self, position: int) -> str | None:
        return written_day(self._at(position).date or self._text(position), is_american=self._is_american)

    def _written_at(self, positions: Iterable[int]) -> Iterator[str | None]:
        texts = (" ".join((self._arrays.texts[at] or "").split()) for at in positions)
        return (written_day(text, is_american=self._is_american) for text in islice(filter(may_be_date, texts), _DATES))

    def authors(self) -> Iterator[Sourced]:
        order = {source: number for number, source in enumerate(("microdata", "microformat", "name"))}
        ordered = sorted(self._authors, key=lambda at: order[self._at(at).author])
        for position in islice(ordered, _CANDIDATES):
            marks = self._at(position)
            end = position + self._arrays.sizes[position]
            named = next((at for at in range(position + 1, end) if self._at(at).is_name), None)
            if named is not None:
                yield from _joined([self._text(named)], marks.author)
            elif marks.author != "microformat" or marks.is_name:
                content = dict(self._arrays.start_tag(position).attributes).get("content")
                yield from _joined([content or self._text(position)], marks.author)

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
        return _line(" ".join(parts))


def _headline(arrays: NodeArrays, title: str) -> int:
    """Return the position of the heading that has most words of the title, or of the first heading; -1 if none has."""
    wanted = set(_WORD.findall(title.lower()))
    best, most = next(iter(arrays.positions("h1")), -1), 1
    for position in islice(sorted(chain.from_iterable(map(arrays.positions, ("h1", "h2", "h3")))), _HEADINGS):
        text = "".join(filter(None, arrays.texts[position : position + min(arrays.sizes[position], _HEADINGS)]))
        words = set(_WORD.findall(text[:1000].replace("\xad", "").lower()))
        if 2 * len(words & wanted) > len(words) and len(words & wanted) > most:
            best, most = position, len(words & wanted)
    return best


def _name(text: str, *, has_more: bool) -> str:
    line = _line(text)
    by = _BY.match(line)
    # "Von Hardesty" is a name, where nothing but a name is expected
    name = line[by.end() :] if by and (has_more or by[0] not in {"Von ", "Par "}) else line
    return (_BEHIND_NAME.sub("", name) if has_more else name).strip(" ,:;|-")


def _is_name(text: str) -> bool:
    return bool(text) and len(text) <= _LONGEST_NAME and not _ADDRESS.search(text)


def _line(text: str) -> str:
    return " ".join(_NOT_IN_A_LINE.sub(" ", html.unescape(text)).split())
