"""What is written of a cleaned page, and what became of it."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from templex_scrapy.learning import SiteCleaner
from templex_scrapy.page import Page, is_too_large, site_of
from templex_scrapy.render import CleanPage

logger = logging.getLogger(__name__)


class Outcome(StrEnum):
    """What became of a page, as the summary says it."""

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
    """What became of some pages.

    Attributes:
        outcomes: outcome → number of pages.
        nbytes: bytes of their sources.
        sites: sites that they are of.
        templates: templates of these sites.
        words_before: words of the pages that fit a template.
        words_after: words of the same pages after cleaning.
    """

    outcomes: Counter[str] = field(default_factory=Counter)
    nbytes: int = 0
    sites: int = 0
    templates: int = 0
    words_before: int = 0
    words_after: int = 0

    def __post_init__(self) -> None:
        self.outcomes = Counter(self.outcomes)  # a dict where it was read from a file

    @property
    def pages(self) -> int:
        """Number of pages."""
        return self.outcomes.total()

    def add(self, other: Counts) -> None:
        """Add what became of other pages."""
        self.outcomes.update(other.outcomes)
        self.nbytes += other.nbytes
        self.sites += other.sites
        self.templates += other.templates
        self.words_before += other.words_before
        self.words_after += other.words_after


def learn(
    pages: Iterable[tuple[str, str | bytes]], *, preserve: Iterable[str] = (), remove: Iterable[str] = ()
) -> SiteCleaner:
    """Learn the templates of a site; whatever its pages are, nothing is raised: without templates they stay whole."""
    try:
        return SiteCleaner.learn(pages, preserve=preserve, remove=remove)
    except Exception:
        logger.exception("A site is written as it is: its templates could not be learnt")
        return SiteCleaner(preserve=preserve, remove=remove)


def clean_values(
    cleaner: SiteCleaner, url: str, html: str | None, outputs: Mapping[str, str], counts: Counts
) -> dict[str, str | None]:
    """Return the values of the columns that are written for a page. Whatever the page is, nothing is raised.

    Args:
        cleaner: has the templates of its site.
        url: its address, which need not be one.
        html: its source, if there is one.
        outputs: column → attribute of ``CleanPage``.
        counts: where it is counted.
    """
    if html is None:
        counts.outcomes[Outcome.NO_PAGE] += 1
        return dict.fromkeys(outputs)
    # to render such a page would take minutes
    values = {column: html if output == "html" else None for column, output in outputs.items()}
    outcome = Outcome.TOO_LARGE
    if not is_too_large(html):
        try:
            clean = cleaner.match(Page(html, url)).clean
            clean.compute(outputs.values())
            values = {column: _text(clean, output) for column, output in outputs.items()}
            outcome = _outcome(clean, counts)
        except Exception:  # noqa: BLE001 - counted; no page is lost because of us
            outcome = Outcome.ERROR
    counts.outcomes[outcome] += 1
    return {column: value if value is None else storable(value) for column, value in values.items()}


def _text(clean: CleanPage, output: str) -> str:
    text = str(clean.output(output))
    # such as a page of which a picture is left
    return text if output != "html" or text.strip() else clean.source


def _outcome(clean: CleanPage, counts: Counts) -> Outcome:
    if site_of(clean.url) is None:
        return Outcome.NO_SITE
    if not clean.fits:
        return Outcome.NO_TEMPLATE
    before, after = clean.words
    counts.words_before += before
    counts.words_after += after
    if clean.kept_whole:
        return Outcome.KEPT_WHOLE
    return Outcome.CLEANED if clean.removed else Outcome.UNCHANGED


def storable(text: str) -> str:
    """Return a text without lone surrogates, which have no form in UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text
