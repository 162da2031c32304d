"""What a run of ``templex clean`` shows and keeps: its progress and summary, templates in a store, a report."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Self

from templex_scrapy.archives import Counts, Grouped, ObservedPage, Outcome
from templex_scrapy.commands.terminal import printable, tell
from templex_scrapy.stores import RecordError, StoredTemplate, TemplateStore
from templex_scrapy.template import Template

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

    from templex_scrapy.report import ArchiveReport


class ProgressBar:
    """Shows on standard error how far a run is, if that is a terminal; it needs rich."""

    def __init__(self) -> None:
        self._bar: Bar | None = None
        self._begun = time.monotonic()

    def __enter__(self) -> Self:
        if sys.stderr.isatty() and find_spec("rich") is not None:
            from rich.console import Console  # noqa: PLC0415 - an extra
            from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn  # noqa: PLC0415
            from rich.progress import Progress as Bar  # noqa: PLC0415

            columns = BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"), TimeRemainingColumn()
            self._bar = Bar(*columns, console=Console(file=sys.stderr), transient=True)
            self._bar.add_task("reading", total=None)
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def reading(self, pages: int, nbytes: int) -> None:
        """Show how many pages were read."""
        self._show("reading", pages, None, nbytes)

    def cleaning(self, done: Counts, pages: int) -> None:
        """Show how many pages were cleaned."""
        self._show(f"cleaning, {done.sites:,} sites", done.pages, pages, done.nbytes)

    def writing(self) -> None:
        """Show that the output is written."""
        self._show("writing", 0, None, 0)

    def _show(self, what: str, pages: int, all_pages: int | None, nbytes: int) -> None:
        if self._bar is not None:
            speed = f", {nbytes / 1e6 / (time.monotonic() - self._begun):.1f} MB/s" if nbytes else ""
            description = f"pages, {what}{speed}"
            self._bar.update(self._bar.task_ids[0], completed=pages, total=all_pages, description=description)


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
    yield f"Pages: {counts.pages:,} of {counts.sites:,} sites, of which {', '.join((cleaned, *others))}"
    yield f"Templates: {counts.templates:,}"
    before, after = counts.words_before, counts.words_after
    if before:
        share = f"{(before - after) / before:.0%}"
        yield f"Words of the pages that fit a template: {before:,} before, {after:,} after ({share} removed)"
    if grouped.skipped:
        passed = ", ".join(f"{n:,} {why}" for why, n in sorted(grouped.skipped.items()))
        yield f"Passed over: {passed}"
        yield from (f"  the first {why}: {printable(grouped.places[why])}" for why in sorted(grouped.skipped))
    yield f"Time: {seconds:.0f} s, {counts.pages / max(seconds, 0.001):,.0f} pages/s"
