"""What a run of ``templex clean`` shows and keeps: its progress and summary, templates in a store, a report."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from templex_scrapy.archives import Counts, Grouped, ObservedPage, Outcome
from templex_scrapy.commands.terminal import Progress, printable, tell
from templex_scrapy.figures import counted, share
from templex_scrapy.stores import RecordError, StoredTemplate, TemplateStore
from templex_scrapy.template import Template

if TYPE_CHECKING:
    from templex_scrapy.report import ArchiveReport


class RunProgress:
    """Shows on standard error how far a run is, if that is a terminal."""

    def __init__(self, show: Progress) -> None:
        self._show = show
        self._begun = time.monotonic()

    def reading(self, pages: int, nbytes: int) -> None:
        """Show how many pages were read."""
        self._show("Reading:", f"{pages:,} pages, {self._speed(nbytes)}")

    def cleaning(self, done: Counts, pages: int) -> None:
        """Show how many pages were cleaned."""
        how_far = f"{done.pages:,} of {pages:,} pages, {done.sites:,} sites"
        self._show("Cleaning:", f"{how_far}, {self._speed(done.nbytes)}")

    def writing(self) -> None:
        """Show that the output is written."""
        self._show("Writing")

    def _speed(self, nbytes: int) -> str:
        return f"{nbytes / 1e6 / (time.monotonic() - self._begun):.1f} MB/s"


class RunObserver:
    """Keeps the templates of a run in a store, and records the run for a report."""

    def __init__(self, store: TemplateStore | None, report: ArchiveReport | None) -> None:
        self._store = store
        self._report = report

    def site_learnt(self, site: str, templates: Sequence[Template], new: Sequence[Template]) -> None:
        """Keep the templates of a site, and record the new ones."""
        if self._store is not None:
            now = time.time()
            # the store has the most recently used one first
            for template in reversed(templates):
                try:
                    self._store.save(site, StoredTemplate(template, now, now))
                # such as one of pages whose address has no form in UTF-8; they are cleaned all the same
                except RecordError as error:
                    tell(f"a template is not stored: {error}", "templex clean")
        if self._report is not None:
            self._report.templates_learnt(new)

    def page_cleaned(self, page: ObservedPage) -> None:
        """Record a page."""
        if self._report is not None:
            self._report.page_cleaned(page)


def summary(grouped: Grouped, counts: Counts, seconds: float) -> Iterator[str]:
    """Yield what a run has done, line by line, as the summary of a crawl."""
    others = (f"{n:,} {one}" for one in Outcome if one is not Outcome.CLEANED and (n := counts.outcomes[one]))
    cleaned = f"{counts.outcomes[Outcome.CLEANED]:,} {Outcome.CLEANED}"
    yield f"Pages: {counts.pages:,} of {counted(counts.sites, 'site')}, of which {', '.join((cleaned, *others))}"
    yield f"Templates: {counts.templates:,}"
    before, after = counts.words_before, counts.words_after
    if before:
        removed = share(before, after)
        yield f"Words of the pages that fit a template: {before:,} before, {after:,} after ({removed} removed)"
    if grouped.skipped:
        passed = ", ".join(f"{n:,} {why}" for why, n in sorted(grouped.skipped.items()))
        yield f"Passed over: {passed}"
        yield from (f"  the first {why}: {printable(grouped.places[why])}" for why in sorted(grouped.skipped))
    yield f"Time: {seconds:.0f} s, {counts.pages / max(seconds, 0.001):,.0f} pages/s"
