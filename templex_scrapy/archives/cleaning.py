"""Clean the pages of a site: of an archive, or of an Arrow table, as in Ray, Spark and datatrove."""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Any

from templex_scrapy.archives.records import Record, storable, text_of
from templex_scrapy.learning import SAMPLE, SiteCleaner
from templex_scrapy.page import Page, is_too_large, site_of
from templex_scrapy.render import CleanPage
from templex_scrapy.template import Match

if TYPE_CHECKING:
    import pyarrow as pa

logger = logging.getLogger(__name__)

SMALL_SITE = 6_000_000
"""Bytes of the pages of a site that stay in memory, with their nodes, from learning to cleaning."""


class Outcome(StrEnum):
    """The outcome of a page, in the words of the summary."""

    CLEANED = "cleaned"
    UNCHANGED = "with nothing to remove"
    NO_TEMPLATE = "that fit no template"
    KEPT_WHOLE = "of which nothing would be left"
    TOO_LARGE = "too large"
    NO_SITE = "without a web address"
    NO_PAGE = "without a page"
    ERROR = "that could not be cleaned"


@dataclass(slots=True)
class Counts:
    """Numbers of sites, of templates, of pages by outcome, and of words of the pages that fit a template."""

    outcomes: Counter[str] = field(default_factory=Counter)
    sites: int = 0
    templates: int = 0
    words_before: int = 0
    words_after: int = 0

    @property
    def pages(self) -> int:
        """Number of pages."""
        return self.outcomes.total()

    def add_page(self, cleaned: Cleaned) -> None:
        """Add a page."""
        self.outcomes[cleaned.outcome] += 1
        if cleaned.page is not None and cleaned.page.fits:
            before, after = cleaned.page.words
            self.words_before += before
            self.words_after += after

    def add(self, counts: Counts) -> None:
        """Add the numbers of a part of the run."""
        self.outcomes.update(counts.outcomes)
        for name in ("sites", "templates", "words_before", "words_after"):
            setattr(self, name, getattr(self, name) + getattr(counts, name))


@dataclass(frozen=True, slots=True)
class Cleaned:
    """The outcome of a page. ``values`` are the outputs by column; ``page`` is None if the page was not cleaned."""

    values: dict[str, str | None]
    outcome: Outcome
    page: CleanPage | None = None


def clean_site(
    read: Callable[[], Iterable[Record]], outputs: Mapping[str, str], cleaner: SiteCleaner | None = None, **options: Any
) -> tuple[SiteCleaner, Iterator[tuple[Record, Cleaned]]]:
    """Learn the templates of a site and clean its pages. Never raises because of a page.

    The ``outputs`` are columns, each with an attribute of ``CleanPage``; ``options`` are those of
    :meth:`SiteCleaner.learn`. ``read`` yields the pages, and is called for each step again if the site is large.
    """
    held = _held(read) if cleaner is None else None
    matches: dict[Page, Match] = {}
    try:
        if held is not None:
            cleaner, matches = SiteCleaner.learn_held([page for _, page in held if page is not None], **options)
        elif cleaner is None:
            sources = ((record.url, record.html) for record in read() if record.html is not None)
            cleaner = SiteCleaner.learn(sources, **options)
    except Exception:
        logger.exception("The templates of a site could not be learnt")
        cleaner = SiteCleaner(**options)

    def match(page: Page) -> Match:
        return matches.pop(page, None) or cleaner.match(page)

    pages = held or ((record, _page(record)) for record in read())
    return cleaner, ((record, _clean(record, page, match, outputs)) for record, page in pages)


def _page(record: Record) -> Page | None:
    """Return the page of a record; None if there is none, or if it is too large to clean."""
    text = None if record.html is None else text_of(record.html)
    return None if text is None or is_too_large(text) else Page(text, record.url)


def _held(read: Callable[[], Iterable[Record]]) -> list[tuple[Record, Page | None]] | None:
    """Read the pages of a site; None if they are too many for the memory."""
    pages: list[tuple[Record, Page | None]] = []
    nbytes = 0
    for record in read():
        nbytes += len(record.html or "")
        if len(pages) >= SAMPLE or nbytes > SMALL_SITE:
            return None
        pages.append((record, _page(record)))
    return pages


def _clean(record: Record, page: Page | None, match: Callable[[Page], Match], outputs: Mapping[str, str]) -> Cleaned:
    outcome = Outcome.NO_PAGE if record.html is None else Outcome.TOO_LARGE
    if page is not None:
        try:
            clean = match(page).clean
            clean.compute(outputs.values())
            return Cleaned({name: _text(clean, output) for name, output in outputs.items()}, _outcome(clean), clean)
        except Exception:  # noqa: BLE001 - counted; no page is lost because of us
            outcome = Outcome.ERROR
    text = None if record.html is None else storable(text_of(record.html))
    return Cleaned({name: text if output == "html" else None for name, output in outputs.items()}, outcome)


def _text(clean: CleanPage, output: str) -> str:
    value = clean.output(output)
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    # for example, only a picture is left of the page
    return storable(text if output != "html" or text.strip() else clean.source)


def _outcome(clean: CleanPage) -> Outcome:
    if site_of(clean.url) is None:
        return Outcome.NO_SITE
    # before "kept whole": without a template nothing could be removed
    if not clean.fits:
        return Outcome.NO_TEMPLATE
    if clean.kept_whole:
        return Outcome.KEPT_WHOLE
    return Outcome.CLEANED if clean.removed else Outcome.UNCHANGED


def clean_table(
    table: pa.Table,
    *,
    url: str = "url",
    html: str = "html",
    outputs: Mapping[str, str] | None = None,
    cleaner: SiteCleaner | None = None,
) -> pa.Table:
    """Clean the pages of a table of one site. If the table has several sites, clean each site by itself.

    Args:
        table: a row for each page.
        url: the column of addresses.
        html: the column of sources, text or bytes. The result has this column only if an output has the same name.
        outputs: column → attribute of :class:`~templex_scrapy.CleanPage`; by default ``html`` in its own column.
        cleaner: templates of the site, if learnt before; by default they are learnt from the table.

    Returns:
        The same rows: the other columns, then the outputs. The outputs are empty if the page is missing or too large;
        ``html`` is then the page as it was.

    Raises:
        KeyError: if a column is missing.
    """
    import pyarrow as pa  # noqa: PLC0415 - an extra

    from templex_scrapy.archives.parquet import value_of  # noqa: PLC0415 - needs pyarrow

    outputs = {html: "html"} if outputs is None else outputs
    sites: dict[str, list[int]] = {}
    for number, address in enumerate(table.column(url)):
        sites.setdefault(site_of(value_of(address) or "") or "", []).append(number)
    addresses, sources = table.column(url), table.column(html)
    # several sites are no error: a user who groups by domain has several hosts in a table
    values: list[dict[str, str | None]] = [{}] * table.num_rows

    # a single page at a time becomes a Python value, since a table may fill the memory
    def read(numbers: list[int]) -> Iterator[Record]:
        return (Record.of_row(value_of(addresses[n]), value_of(sources[n]), n) for n in numbers)

    for numbers in sites.values():
        for record, cleaned in clean_site(partial(read, numbers), outputs, cleaner=cleaner)[1]:
            values[record.columns] = cleaned.values
    kept = table.drop_columns([name for name in table.column_names if name == html or name in outputs])
    for name in outputs:
        kept = kept.append_column(name, pa.array([row[name] for row in values], pa.string()))
    return kept
