"""Report what a run has learnt and cleaned, when all of it is done: to the crawl report, and to a store."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from templex_scrapy.archives.grouping import read_pages
from templex_scrapy.archives.records import text_of
from templex_scrapy.archives.tasks import Work, tasks_of, templates_of
from templex_scrapy.archives.work_folder import WorkFolder
from templex_scrapy.page import site_of
from templex_scrapy.template import Template


class Observer(Protocol):
    """Receives what a run has learnt and cleaned."""

    def site_learnt(self, site: str, templates: Sequence[Template], new: Sequence[Template]) -> None:
        """The pages of a site were cleaned with these templates, the most recently used ones first; some are new."""

    def page_cleaned(self, page: ObservedPage) -> None:
        """A page was compared with the templates."""


@dataclass(frozen=True, slots=True)
class ObservedPage:
    """A page that was compared with the templates, as observers see it.

    Attributes:
        at: when it was cleaned, in seconds since 1970.
        template_url: URL of the key page of its template; empty if it fits none.
        words: number of words before and after.
        removed: positions of the roots of the removed subtrees.
        read: reads its source.
    """

    url: str
    at: float
    template_url: str
    coverage: float
    words: tuple[int, int]
    removed: Sequence[int]
    read: Callable[[], str]

    @property
    def fits(self) -> bool:
        """Whether it fits a template."""
        return bool(self.template_url)

    @property
    def source(self) -> str:
        """Its source."""
        return self.read()


def tell(work: Work, observer: Observer) -> None:
    """Tell an observer what the tasks of a run have learnt and cleaned."""
    # at the end, and in this process: a report counts in order, and a store may not be one for several processes
    with work.known_store() as store:
        for task in tasks_of(work.folder):
            with work.folder.observed(task.number).open("rb") as notes:
                for note, *values in map(json.loads, notes):
                    if note == "templates":
                        learnt = [Template.from_dict(one) for one in values]
                        url = learnt[0].key_url
                        known = set() if store is None else {one.identity for one in templates_of(store, url)}
                        new = [one for one in learnt if one.identity not in known]
                        observer.site_learnt(site_of(url) or "", learnt, new)
                    else:
                        position, url, at, template_url, coverage, words, removed = values
                        read = partial(_source, work.folder, task.partition, position)
                        observer.page_cleaned(ObservedPage(url, at, template_url, coverage, words, removed, read))


def _source(folder: WorkFolder, partition: int, position: int) -> str:
    ((_, page),) = read_pages(folder, partition, [position])
    return text_of(page.html, page.charset) or ""
