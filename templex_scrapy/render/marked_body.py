"""Dates and authors in the body of a page: microdata, microformats, names of classes, and texts at the headline."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from typing import NamedTuple

from templex_scrapy.metadata import headline, labels_change, may_be_date
from templex_scrapy.page import HEADINGS, Page, StartTag, head_of, nodes_of
from templex_scrapy.render.dates import can_guess, guessed_day, written_day
from templex_scrapy.render.html import cleaned_html
from templex_scrapy.render.sourced import LONGEST_NAME, Sourced, author_of, line_of

DATE_PROPERTIES = ("datePublished", "dateCreated", "uploadDate")
AUTHOR_PROPERTIES = ("author", "creator")
"""Properties of schema.org, in JSON-LD and in microdata, the better ones first."""

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
_CANDIDATES = 10  # elements of a page that may name its author, or its day


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
    if not properties.isdisjoint(DATE_PROPERTIES):
        date_source = "microdata"
    elif not classes.isdisjoint(_PUBLISHED) or "pubdate" in attributes:
        date_source = "microformat"
    elif start_tag.tag == "time" and "datetime" in attributes and not _MODIFIED.search(names):
        date_source = "time"
    is_author_link = start_tag.tag == "a" and _AUTHOR_PAGE.search(attributes.get("href", "")) is not None
    if not properties.isdisjoint(AUTHOR_PROPERTIES):
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


class MarkedBody:
    """Dates and authors outside of the frame, and of comments and reviews.

    Args:
        page: the page.
        removed: positions of the roots of the removed subtrees.
        places: returns the positions of dates where other pages of the site have theirs.
    """

    def __init__(self, page: Page, removed: Iterable[int], places: Callable[[], Iterable[int]]) -> None:
        self._page, self._places = page, places
        arrays = self._arrays = nodes_of(page)
        self._marks = arrays.of_start_tags(_marks_of)
        roots = set(removed)
        headings = sorted(chain.from_iterable(map(arrays.positions, ("h1", "h2", "h3"))))
        self._headline = headline(arrays, headings, page.title)
        if self._headline < 0:
            words, sizes = arrays.words_before, arrays.sizes
            self._headline = next((at for at in arrays.positions("h1") if words[at + sizes[at]] > words[at]), -1)
        self._unread: list[int] = []  # roots of comments, reviews, changes and the frame
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
        # texts around the headline, those behind it first
        place = bisect_left(self._texts, self._headline)
        before, behind = self._texts[max(0, place - _BEFORE) : place], self._texts[place : place + _BEHIND]
        self._around = [*behind, *reversed(before)] if self._headline >= 0 else []

    def _at(self, position: int) -> _Marks:
        return self._marks[self._arrays.ids[position]]

    def days(self) -> Iterator[tuple[str | None, str]]:
        """Yield days with their sources, the better ones first: at the headline, elsewhere, and in the texts."""
        first, last = min(self._around, default=0), max(self._around, default=-1)
        ordered = sorted(
            self._dates, key=lambda at: (not first <= at <= last, _SOURCES.index(self._at(at).date_source))
        )
        near = [at for at in ordered[:_CANDIDATES] if first <= at <= last]
        yield from map(self._marked_day, near)
        if can_guess():
            places = sorted(set(self._places()).intersection(self._texts), key=lambda at: (at < self._headline, at))
            yield from ((day, "place") for day in self._written_at(places))
            yield from ((day, "text") for day in self._written_at(self._around))
        # a list of other articles has dates of its own
        yield from map(self._marked_day, ordered[len(near) : _CANDIDATES])
        if can_guess():
            yield guessed_day(cleaned_html(self._page, self._unread)), "text"
            yield from ((day, "text") for day in self._written_at(self._texts))

    def _marked_day(self, position: int) -> tuple[str | None, str]:
        text = self._at(position).date or self._text(position)
        return written_day(text, is_american=self._is_american), self._at(position).date_source

    def _written_at(self, positions: Iterable[int]) -> Iterator[str | None]:
        texts = (" ".join((self._arrays.texts[at] or "").split()) for at in positions)
        return (written_day(text, is_american=self._is_american) for text in islice(filter(may_be_date, texts), _DATES))

    def authors(self) -> Iterator[Sourced | None]:
        """Yield what elements name as authors, the better ones first."""
        ordered = sorted(self._authors, key=lambda at: _SOURCES.index(self._at(at).author))
        for position in ordered[:_CANDIDATES]:
            marks = self._at(position)
            end = position + self._arrays.sizes[position]
            named = next((at for at in range(position + 1, end) if self._at(at).is_name), None)
            if named is not None:
                yield author_of([self._text(named)], marks.author)
            elif marks.author != "microformat" or marks.is_name:
                content = dict(self._arrays.start_tag(position).attributes).get("content")
                yield author_of([content or self._text(position)], marks.author)

    def _text(self, position: int) -> str:
        """Return the text of an element, cut where it is too long for a name."""
        parts: list[str] = []
        length = 0
        for at in range(position, position + self._arrays.sizes[position]):
            if (text := self._arrays.texts[at]) is not None:
                parts.append(text[: 2 * LONGEST_NAME])
                length += len(parts[-1])
            if length > 2 * LONGEST_NAME:
                break
        return line_of(" ".join(parts))
