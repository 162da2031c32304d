"""The tasks of a run, each with the pages of some sites: a process learns from them, then cleans them, page by page."""

from __future__ import annotations

import json
import time
from array import array
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import IO, Any

import msgspec

from templex_scrapy.archives.grouping import PARTITIONS, read_pages, sites_of
from templex_scrapy.archives.outputs import Counts, clean_row, learn
from templex_scrapy.archives.records import Columns, text_of
from templex_scrapy.archives.row_index import write_row_index
from templex_scrapy.archives.rows import Rows
from templex_scrapy.archives.whole_files import whole, write_json
from templex_scrapy.archives.work_folder import WorkFolder
from templex_scrapy.learning import SiteCleaner
from templex_scrapy.page import site_of
from templex_scrapy.stores import TemplateStore
from templex_scrapy.template import Template

TASK_PAGES = 1000
"""Pages of a task, roughly: with 10 ms for a page, ten seconds are lost when a run is killed."""

LARGE_SITE = 2 * TASK_PAGES
"""Pages from which on a site is cleaned by several tasks, so that it may be by several processes."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """What is done with the pages.

    Attributes:
        outputs: column → attribute of ``CleanPage``.
        preserve: CSS selectors of what is kept, with its descendants and ancestors.
        remove: CSS selectors of what is removed.
        columns: names of columns in tables.
        store: where templates are looked up before others are learnt.
    """

    outputs: Mapping[str, str]
    preserve: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()
    columns: Columns = field(default_factory=Columns)
    store: str | None = None


@dataclass(frozen=True, slots=True)
class Work:
    """What all tasks of a run have in common; of one that is observed they note what is learnt and cleaned."""

    folder: WorkFolder
    options: Options
    rows: Rows
    is_observed: bool = False

    def known_store(self) -> AbstractContextManager[TemplateStore | None]:
        """Open what the store had of the sites when the run was begun; None without a store."""
        return self.folder.known_store(self.options.store)


@dataclass(frozen=True, slots=True)
class Task:
    """Pages that are cleaned at once.

    Attributes:
        sites: the positions of the pages of each site.
        large: the file with what was learnt of their site, if it is a large one.
        is_first: whether these are the first pages of their sites.
    """

    number: int
    partition: int
    sites: list[array[int]]
    large: Path | None = None
    is_first: bool = True


def large_sites(folder: WorkFolder) -> Iterator[tuple[int, array[int]]]:
    """Yield partition and positions of the sites that are cleaned by several tasks, and so learnt before."""
    for partition in range(PARTITIONS):
        yield from ((partition, pages) for pages in sites_of(folder, partition) if len(pages) >= LARGE_SITE)


def tasks_of(folder: WorkFolder) -> Iterator[Task]:
    """Yield the tasks of a run, always the same for the same partitions."""
    # a run that is resumed goes by the numbers of its tasks
    number = count()
    for partition in range(PARTITIONS):
        small: list[array[int]] = []
        for pages in sites_of(folder, partition):
            if len(pages) < LARGE_SITE:
                small.append(pages)
                if sum(map(len, small)) >= TASK_PAGES:
                    yield Task(next(number), partition, small)
                    small = []
            else:
                file = folder.templates(partition, pages[0])
                for start in range(0, len(pages), TASK_PAGES):
                    yield Task(next(number), partition, [pages[start : start + TASK_PAGES]], file, is_first=not start)
        # a task has pages of one partition only, so that it opens one file
        if small:
            yield Task(next(number), partition, small)


def sites(folder: WorkFolder) -> Iterator[str]:
    """Yield the sites of the pages; the empty one is that of all pages without a web address."""
    for partition in range(PARTITIONS):
        for pages in sites_of(folder, partition):
            yield site_of(_first_url(folder, partition, pages)) or ""


def _first_url(folder: WorkFolder, partition: int, positions: array[int]) -> str:
    ((_, page),) = read_pages(folder, partition, positions[:1])
    return page.url


def learn_large_site(work: Work, site: tuple[int, array[int]]) -> None:
    """Learn the templates of a large site."""
    partition, positions = site
    with work.known_store() as known:
        learnt = _learn(work, known, partition, positions)
    write_json(work.folder.templates(partition, positions[0]), learnt.to_dict())


def do_task(work: Work, task: Task) -> Counts:
    """Clean the pages of a task; write their rows, and for each page where its row is."""
    counts, rows = Counts(), []
    observed: AbstractContextManager[IO[bytes] | None] = nullcontext()
    if work.is_observed:
        observed = whole(work.folder.observed(task.number))
    with whole(work.folder.rows(task.number)) as stream, observed as notes, work.known_store() as known:
        for positions in task.sites:
            if task.large is not None:
                cleaner = SiteCleaner.from_dict(json.loads(task.large.read_bytes()))
            else:
                cleaner = _learn(work, known, task.partition, positions)
            # the sites and templates of a large site are counted once
            if task.is_first:
                counts.sites += 1
                counts.templates += len(cleaner.templates)
                if notes is not None and cleaner.templates:
                    notes.write(_note("templates", *(one.to_dict() for one in cleaner.templates)))
            read = read_pages(work.folder, task.partition, positions)
            for position, (number, page) in zip(positions, read, strict=True):
                cleaned = clean_row(cleaner, page.url, text_of(page.html, page.charset), work.options.outputs)
                counts.add_page(cleaned, len(page.html or ""))
                row = work.rows.row(page.columns, cleaned.values)
                rows.append((number, stream.tell(), len(row)))
                stream.write(row)
                if notes is not None and (clean := cleaned.page) is not None:
                    judged = clean.template_url, clean.coverage, clean.words, clean.removed
                    notes.write(_note("page", position, page.url, time.time(), *judged))
    write_row_index(work.folder, task.number, rows)
    # the last file: with it, all others of the task are complete
    write_json(work.folder.done(task.number), msgspec.to_builtins(counts))
    return counts


def _note(*values: Any) -> bytes:
    return json.dumps(values).encode("ascii") + b"\n"


def _learn(work: Work, known: TemplateStore | None, partition: int, positions: array[int]) -> SiteCleaner:
    def pages() -> Iterator[tuple[str, str | bytes]]:
        for _, page in read_pages(work.folder, partition, positions):
            if page.html is not None:
                # to guess a charset takes long, so that is left to the sample
                yield page.url, page.html if page.charset is None else text_of(page.html, page.charset) or ""

    templates = [] if known is None else templates_of(known, _first_url(work.folder, partition, positions))
    return learn(pages(), preserve=work.options.preserve, remove=work.options.remove, templates=templates)


def templates_of(store: TemplateStore, url: str) -> list[Template]:
    """Return the templates that a store has of the site of an address."""
    return [one.template for one in store.load(site_of(url) or "")]
