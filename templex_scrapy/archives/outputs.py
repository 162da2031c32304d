"""What is written of a cleaned page, and what became of it."""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from templex_scrapy.archives.records import storable
from templex_scrapy.learning import SiteCleaner
from templex_scrapy.page import Page, is_too_large, site_of
from templex_scrapy.render import CleanPage
from templex_scrapy.template import Template

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
        words_before: words of the pages that fit a template; ``words_after`` is those of the same pages.
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

    def add_page(self, cleaned: Cleaned, nbytes: int) -> None:
        """Add a page."""
        self.outcomes[cleaned.outcome] += 1
        self.nbytes += nbytes
        if cleaned.page is not None and cleaned.page.fits:
            before, after = cleaned.page.words
            self.words_before += before
            self.words_after += after

    def add(self, other: Counts) -> None:
        """Add what became of other pages."""
        self.outcomes.update(other.outcomes)
        self.nbytes += other.nbytes
        self.sites += other.sites
        self.templates += other.templates
        self.words_before += other.words_before
        self.words_after += other.words_after


def learn(
    pages: Iterable[tuple[str, str | bytes]],
    *,
    preserve: Iterable[str] = (),
    remove: Iterable[str] = (),
    templates: Sequence[Template] = (),
) -> SiteCleaner:
    """Learn the templates of a site, or use those that are known if that fails; never raises."""
    try:
        return SiteCleaner.learn(pages, preserve=preserve, remove=remove, templates=templates)
    except Exception:
        logger.exception("The templates of a site could not be learnt")
        return SiteCleaner(templates, preserve=preserve, remove=remove)


@dataclass(frozen=True, slots=True)
class Cleaned:
    """What is written of a page: column → value, what became of it, and the page if it was cleaned."""

    values: dict[str, str | None]
    outcome: Outcome
    page: CleanPage | None = None


def clean_row(cleaner: SiteCleaner, url: str, html: str | None, outputs: Mapping[str, str]) -> Cleaned:
    """Return what is written of a page. Never raises.

    Args:
        cleaner: has the templates of its site.
        url: its address, which need not be one.
        html: its source, if there is one.
        outputs: column → attribute of ``CleanPage``.
    """
    if html is None:
        return Cleaned(dict.fromkeys(outputs), Outcome.NO_PAGE)
    whole = {column: storable(html) if output == "html" else None for column, output in outputs.items()}
    if is_too_large(html):  # to render such a page would take minutes
        return Cleaned(whole, Outcome.TOO_LARGE)
    try:
        clean = cleaner.match(Page(html, url)).clean
        clean.compute(outputs.values())
        values: dict[str, str | None] = {column: _text(clean, output) for column, output in outputs.items()}
        return Cleaned(values, _outcome(clean), clean)
    except Exception:  # noqa: BLE001 - counted; no page is lost because of us
        return Cleaned(whole, Outcome.ERROR)


def _text(clean: CleanPage, output: str) -> str:
    found = clean.output(output)
    text = found if isinstance(found, str) else json.dumps(found, ensure_ascii=False)
    # such as a page of which a picture is left
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
