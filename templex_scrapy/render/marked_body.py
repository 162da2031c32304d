"""Dates and authors in the body of a page: microdata, microformats, names of classes, and texts at the headline."""

from __future__ import annotations

import html
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain, islice
from typing import NamedTuple

from templex_scrapy.metadata import headline, labels_change, may_be_date
from templex_scrapy.page import HEADINGS, Page, StartTag, head_of, nodes_of
from templex_scrapy.render.dates import can_guess, guessed_day, written_day
from templex_scrapy.render.html import cleaned_html

DATE_PROPERTIES = ("datePublished", "dateCreated", "uploadDate")
AUTHOR_PROPERTIES = ("author", "creator")
"""Properties of schema.org, in JSON-LD and in microdata, the better ones first."""

LONGEST_NAME = 100
"""Characters. A longer text is a sentence on an author."""

_ADDRESS = re.compile(r"https?:|@\w+\.\w|[\w-]{3}\.[a-z]{2,}(?:/|$)")  # the definition of article:author asks for one
# "Written by Ann Lee | 3 May"
_BY = re.compile(
    r"(?:(?:(?:written|posted|published|view all posts|erstellt|geschrieben|verfasst|alles|alle beiträge) )?"
    r"(?:by|von|par|por)[: ]|(?:author|autore?|auteur|text) ?:)\s*",
    re.IGNORECASE,
)
_BEHIND_NAME = re.compile(r"\s*[|•·]\s.*|[,\s]+\d.*")
_NOT_IN_A_LINE = re.compile("[\\x00-\\x1f\\x7f\ud800-\udfff]")  # feeds cannot write lone surrogates
_OF_READERS = re.compile(
    r"(?:^|[\s_-])(?:comments?|commentlist|kommentare?|commentaires?|comentarios?|reviews?|repl(?:y|ies))(?:$|[\s_-])"
)
_NOT_OF_READERS = frozenset({"body", "html", "main", "a", "time"})
_AUTHOR = re.compile(r"(?:^|[\s_-])(?:authors?|autor(?:en)?|byline|auteur|verfasser)(?:$|[\s_-])")
_NO_AUTHOR = re.compile(r"bio|box|avatar|image|img|photo|picture|desc|about")
_AUTHOR_PAGE = re.compile(r"/(?:authors?|autor(?:en)?|auteurs?)/.")
_PUBLISHED = frozenset({"published", "dt-published", "entry-date"})
_MODIFIED = re.compile(r"(?:^|[\s_-])(?:date)?(?:modified|updated?|lastmod)(?:$|[\s_-])")
_POST_DATE = re.compile(r"(?:entry|post|pub)[\w-]*date|published")
_AMERICAN = re.compile(r"en[-_]us", re.IGNORECASE)
_SOURCES = ("microdata", "microformat", "name", "time")  # the better ones first
_BEFORE, _BEHIND = 6, 12  # texts around the headline that may be a date
_DATES = 20  # texts that are read as dates
_CANDIDATES = 10  # elements of a page that may name the author, or the day


class Sourced(NamedTuple):
    """A value and the source, as :attr:`CleanPage.metadata` names it."""

    value: str
    source: str


class _Marks(NamedTuple):
    """What a start tag declares."""

    date: str  # empty if the text of the element is the date
    date_source: str  # empty if the element has no date
    author: str  # the source, if the element contains a name
    is_name: bool
    is_of_readers: bool  # comments or reviews
    is_modified: bool  # the date of the last change


def _marks_of(start_tag: StartTag) -> _Marks:
    attributes = dict(start_tag.attributes)
    properties = set(attributes.get("itemprop", "").split())
    classes, rel = start_tag.classes, set(attributes.get("rel", "").split())
    names = " ".join([start_tag.id, *classes, *properties]).lower()
    is_modified = _MODIFIED.search(names) is not None
    if not properties.isdisjoint(DATE_PROPERTIES):
        date_source = "microdata"
    elif not classes.isdisjoint(_PUBLISHED) or "pubdate" in attributes:
        date_source = "microformat"
    else:
        date_source = "time" if start_tag.tag == "time" and "datetime" in attributes and not is_modified else ""
    is_author_link = start_tag.tag == "a" and _AUTHOR_PAGE.search(attributes.get("href", "")) is not None
    if not properties.isdisjoint(AUTHOR_PROPERTIES):
        author = "microdata"
    elif "author" in rel or not classes.isdisjoint({"p-author", "author"}):
        author = "microformat"
    else:
        author = "name" if is_author_link or (_AUTHOR.search(names) and not _NO_AUTHOR.search(names)) else ""
    return _Marks(
        attributes.get("content") or attributes.get("datetime") or attributes.get("title") or "",
        date_source,
        author,
        "name" in properties or "fn" in classes or "author" in rel or "p-author" in classes or is_author_link,
        start_tag.tag not in _NOT_OF_READERS and _OF_READERS.search(names) is not None,
        not date_source and is_modified and not _POST_DATE.search(names),
    )


class MarkedBody:
    """Dates and authors outside of the removed subtrees, and of comments and reviews.

    ``places`` returns the positions of dates where other pages of the site have theirs.
    """

    def __init__(self, page: Page, removed: Iterable[int], places: Callable[[], Iterable[int]]) -> None:
        self._page, self._places = page, places
        arrays = self._arrays = nodes_of(page)
        marks_of = self._marks = arrays.of_start_tags(_marks_of)
        ids, sizes, texts = arrays.ids, arrays.sizes, arrays.texts
        self._day = partial(written_day, is_american=_AMERICAN.fullmatch(head_of(page).lang.strip()) is not None)
        headings = sorted(chain.from_iterable(map(arrays.positions, ("h1", "h2", "h3"))))
        self._headline = headline(arrays, headings, page.title)
        if self._headline < 0:
            words = arrays.words_before
            self._headline = next((at for at in arrays.positions("h1") if words[at + sizes[at]] > words[at]), -1)
        self._unread: list[int] = []  # roots of comments, reviews, changes and the frame
        self._dates: list[int] = []
        self._authors: list[int] = []
        self._texts: list[int] = []
        roots = set(removed)
        position = heading_end = 0
        is_change = False  # whether the text before is "Last updated:"
        while position < len(ids):
            marks, end = marks_of[ids[position]], position + sizes[position]
            # the date of the latest comment, and the author of a review, are not those of the page
            if (
                position in roots
                or marks.is_modified
                or (is_change and (marks.date_source == "time" or may_be_date(self._words(position))))
                or (marks.is_of_readers and not position < self._headline < end)
            ):
                self._unread.append(position)
                position, is_change = end, False
                continue
            if marks.date_source:
                self._dates.append(position)
            if marks.author:
                self._authors.append(position)
            if (text := texts[position]) is not None:
                self._texts.append(position)
                if text.strip():
                    # a headline such as "Update on the mills" labels no date
                    is_change = position >= heading_end and labels_change(text.strip())
            elif arrays.tags[position] in HEADINGS:
                heading_end = end
            position += 1

    def _at(self, position: int) -> _Marks:
        return self._marks[self._arrays.ids[position]]

    def _words(self, position: int) -> str:
        return " ".join((self._arrays.texts[position] or "").split())

    def days(self) -> Iterator[tuple[str | None, str]]:
        """Yield days with their sources, the better ones first: at the headline, elsewhere, and in the texts."""
        around: list[int] = []
        if self._headline >= 0:
            # texts around the headline, those behind it first
            place = bisect_left(self._texts, self._headline)
            before = self._texts[max(0, place - _BEFORE) : place]
            around = [*self._texts[place : place + _BEHIND], *reversed(before)]
        first, last = min(around, default=0), max(around, default=-1)
        ordered = sorted(
            self._dates, key=lambda at: (not first <= at <= last, _SOURCES.index(self._at(at).date_source))
        )[:_CANDIDATES]
        near = [at for at in ordered if first <= at <= last]
        marked = ((self._day(self._at(at).date or self._text(at)), self._at(at).date_source) for at in ordered)
        yield from islice(marked, len(near))
        if can_guess():
            places = sorted(set(self._places()).intersection(self._texts), key=lambda at: (at < self._headline, at))
            yield from self._written_at(places, "place")
            yield from self._written_at(around, "text")
        # a list of other articles has dates of its own
        yield from marked
        if can_guess():
            yield guessed_day(cleaned_html(self._page, self._unread)), "text"
            yield from self._written_at(self._texts, "text")

    def _written_at(self, positions: Iterable[int], source: str) -> Iterator[tuple[str | None, str]]:
        dates = islice(filter(may_be_date, map(self._words, positions)), _DATES)
        return ((self._day(date), source) for date in dates)

    def authors(self) -> Iterator[Sourced | None]:
        """Yield what elements name as authors, the better ones first."""
        ordered = sorted(self._authors, key=lambda at: _SOURCES.index(self._at(at).author))
        for position in ordered[:_CANDIDATES]:
            marks = self._at(position)
            inside = range(position + 1, position + self._arrays.sizes[position])
            named = next((at for at in inside if self._at(at).is_name), None)
            if named is not None:
                yield author_of([self._text(named)], marks.author)
            elif marks.author != "microformat" or marks.is_name:
                content = dict(self._arrays.start_tag(position).attributes).get("content")
                yield author_of([content or self._text(position)], marks.author)

    def _text(self, position: int) -> str:
        """Return the text of an element, cut where it is too long for a name."""
        parts: list[str] = []
        room = 2 * LONGEST_NAME
        for text in self._arrays.texts[position : position + self._arrays.sizes[position]]:
            if text and room >= 0:
                parts.append(text[: 2 * LONGEST_NAME])
                room -= len(parts[-1])
        return line_of(" ".join(parts))


def author_of(texts: Iterable[str], source: str) -> Sourced | None:
    """Return the names in some texts as a single value; None if there are none."""
    names = []
    for text in texts:
        name = line_of(text)
        by = _BY.match(name)
        # "Von Hardesty" is a name, where nothing but a name is expected
        if by and (source == "name" or by[0] not in {"Von ", "Par "}):
            name = name[by.end() :]
        name = (_BEHIND_NAME.sub("", name) if source == "name" else name).strip(" ,:;|-")
        if name and len(name) <= LONGEST_NAME and not _ADDRESS.search(name):
            names.append(name)
    return Sourced(", ".join(dict.fromkeys(names)), source) if names else None


def line_of(text: str) -> str:
    """Return a text on a line, without references and characters that feeds cannot write."""
    return " ".join(_NOT_IN_A_LINE.sub(" ", html.unescape(text)).split())
