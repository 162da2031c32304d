"""Days of dates, as programs and, with the extra ``metadata``, as people write them."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import UTC, date, datetime
from functools import lru_cache
from importlib.util import find_spec

from lxml import etree, html

from templex_scrapy.metadata import may_be_date
from templex_scrapy.render.text import writable

MAX_SOURCE = 500_000
"""Characters of a page in which htmldate looks for a date; it takes 0.2 s for a hostile page of that size."""

_MONTHS = {name: number for number, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), 1)}
_MONTH = (
    r"(?P<name>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_FORMS = (
    re.compile(r"(?P<year>\d{4})(?P<sign>[-/.])(?P<month>\d\d?)(?P=sign)(?P<day>\d\d?)(?!\d)"),
    re.compile(r"(?P<year>(?:19|20)\d\d)(?P<month>\d\d)(?P<day>\d\d)(?=\D|$|\d{4}(?:\d\d)?$)"),
    re.compile(r"(?P<day>\d\d?)\.(?P<month>\d\d?)\.(?P<year>\d{4})(?!\d)"),
    re.compile(r"(?P<year>\d{4}) ?年 ?(?P<month>\d\d?) ?月 ?(?P<day>\d\d?) ?日"),
    # RFC 2822, "27 November 2017"; JavaScript, "November 27th, 2017"; asctime
    re.compile(rf"(?:[a-z]{{3,9}}\.?,? )?(?P<day>\d\d?)[ -]{_MONTH}[ -](?P<year>\d{{4}})(?!\d)", re.IGNORECASE),
    re.compile(
        rf"(?:[a-z]{{3,9}}\.?,? )?{_MONTH} (?P<day>\d\d?)(?:st|nd|rd|th)?,? (?P<year>\d{{4}})(?!\d)", re.IGNORECASE
    ),
    re.compile(rf"[a-z]{{3,9}} {_MONTH} +(?P<day>\d\d?) \d\d:\d\d:\d\d (?:[a-z]+ )?(?P<year>\d{{4}})$", re.IGNORECASE),
)
_SECONDS = re.compile(r"(1\d{9}|[1-9]\d{8})(\d{3})?")  # since 1970, from 1973 on; JavaScript's are thousandths
_IN_ADDRESS = re.compile(r"/((?:19|20)\d\d(?:([/-])\d\d?\2\d\d?|\d{4}))(?=/|$)")
_AMERICAN = re.compile(r"(?<!\d)(\d\d?)/(\d\d?)/(\d{4})(?!\d)")
_OF_CHANGES = re.compile("dateModified", re.IGNORECASE)
_NO_DATES = {date(1, 1, 1), date(1970, 1, 1), date(1900, 1, 1)}  # which databases have for none


def day_of(text: str) -> str | None:
    """Return the day of a date as ``2026-01-31``, in the time zone of the date; None if the text is no date.

    Read are the forms of ISO 8601, JavaScript, Rails, RFC 2822, asctime, ``2026/1/31``, ``31.1.2026`` and "31 January
    2026", and seconds since 1970.
    """
    text = " ".join(text.split())
    for form in _FORMS:
        if match := form.match(text):
            parts = match.groupdict()
            month = _MONTHS[parts["name"].lower()[:3]] if "name" in parts else int(parts["month"])
            return _day(int(parts["year"]), month, int(parts["day"]))
    # 202601311200 is a time of 2026
    seconds = _SECONDS.fullmatch(text)
    return datetime.fromtimestamp(int(seconds[1]), UTC).date().isoformat() if seconds else None


def day_in_address(url: str) -> str | None:
    """Return the day that an address has as a folder: ``/2026/01/31/``."""
    folder = _IN_ADDRESS.search(url)
    return None if folder is None else day_of(folder[1])


def can_guess() -> bool:
    """Return whether the extra ``metadata`` is installed."""
    return find_spec("htmldate") is not None


def load_dates() -> None:
    """Load the data of htmldate's date parser, which takes more than 1 s of CPU once in a process."""
    written_day("12 foo 2017")  # a date in no language: all languages are tried


@lru_cache(256)
def written_day(text: str, *, is_american: bool = False) -> str | None:
    """Return the day of a short text such as "31 janvier 2026", in any language that dateparser reads.

    Of "1/31/2026" the month comes first for Americans, and for others where it can be nothing else.
    """
    if is_american and (parts := _AMERICAN.search(text)) and (day := _day(int(parts[3]), int(parts[1]), int(parts[2]))):
        return day
    if (day := day_of(text)) is not None or not (may_be_date(text) and can_guess()):
        return day
    tree = html.document_fromstring('<p class="date"></p>')
    tree[0][0].text = writable(text)
    day = _by_htmldate(tree, extensive=True)
    # of "No. 46 of 2023" htmldate has the first day of the year
    return day if day and re.search(rf"(?<!\d)0?{int(day[8:])}(?!\d)", text) else None


def guessed_day(source: str) -> str | None:
    """Return the day of publication that htmldate guesses from the page without meta tags; None for a long page."""
    # long searches are left out: for 900 texts that are nearly dates they take half a minute
    if len(source) > MAX_SOURCE:
        return None
    content = _OF_CHANGES.sub("", source).encode("utf-8", "replace")
    try:
        tree = html.document_fromstring(content, html.HTMLParser(encoding="utf-8"))
    except etree.LxmlError:  # nothing but white space or comments
        return None
    etree.strip_elements(tree, etree.Comment, "meta", with_tail=False)
    return _by_htmldate(tree, extensive=False)


def _by_htmldate(tree: html.HtmlElement, *, extensive: bool) -> str | None:
    from htmldate import find_date  # noqa: PLC0415 - an extra

    with suppress(Exception):  # the library reads hostile pages
        return find_date(tree, extensive_search=extensive, original_date=True)
    return None


def _day(year: int, month: int, day: int) -> str | None:
    with suppress(ValueError):
        found = date(year, month, day)
        return None if found in _NO_DATES else found.isoformat()
    return None
