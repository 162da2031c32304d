"""The pages of a partition, site by site: learn from them, then clean each. What the processes of a run do."""

from __future__ import annotations

import json
import os
import struct
import time
from array import array
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import BinaryIO

import msgspec

from templex_scrapy.archives.files import read_json, whole, write_json
from templex_scrapy.archives.grouping import PARTITIONS, read_pages, sites_of
from templex_scrapy.archives.outputs import Counts, clean_row, learn
from templex_scrapy.archives.records import Columns, text_of
from templex_scrapy.archives.rows import Rows
from templex_scrapy.learning import SiteCleaner
from templex_scrapy.page import site_of
from templex_scrapy.stores import open_store
from templex_scrapy.template import Template

TASK_PAGES = 1000
"""Pages of a task, roughly: with 10 ms for a page, ten seconds are lost when a run is killed."""

LARGE_SITE = 2 * TASK_PAGES
"""Pages from which on a site is cleaned by several tasks, so that it may be by several processes."""

_PLACES = "places"
_PLACE = struct.Struct("<IQI")  # task, position in its file, length


@dataclass(frozen=True, kw_only=True)
class Options:
    """What is done with the pages.

    Attributes:
        outputs: column → attribute of ``CleanPage``.
        preserve: CSS selectors of what is kept, with its descendants and ancestors.
        remove: CSS selectors of what goes.
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
    """What all tasks of a run have in common.

    Attributes:
        folder: the work folder.
        options: what is done.
        rows: makes the rows.
        is_observed: whether it is noted what is learnt and cleaned.
    """

    folder: Path
    options: Options
    rows: Rows
    is_observed: bool = False


@dataclass(frozen=True, slots=True)
class Task:
    """Pages that are cleaned at once.

    Attributes:
        number: its number.
        partition: where they are.
        sites: the positions of the pages of each site.
        large: the file with what was learnt of their site, if it is a large one.
        is_first: whether these are the first pages of their sites.
    """

    number: int
    partition: int
    sites: list[array[int]]
    large: str = ""
    is_first: bool = True


def large_sites(folder: Path) -> Iterator[tuple[int, array[int]]]:
    """Yield partition and positions of the sites that are cleaned by several tasks, and so learnt before."""
    for partition in range(PARTITIONS):
        yield from ((partition, pages) for pages in sites_of(folder, partition) if len(pages) >= LARGE_SITE)


def _templates_file(partition: int, pages: array[int]) -> str:
    return f"{partition:02}-{pages[0]}.templates"


def tasks_of(folder: Path) -> Iterator[Task]:
    """Yield the tasks of a run, always the same for the same partitions."""
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
                file = _templates_file(partition, pages)
                for start in range(0, len(pages), TASK_PAGES):
                    yield Task(next(number), partition, [pages[start : start + TASK_PAGES]], file, is_first=not start)
        if small:
            yield Task(next(number), partition, small)


def learn_large_site(work: Work, site: tuple[int, array[int]]) -> None:
    """Learn the templates of a large site, unless an earlier run has."""
    file = work.folder / _templates_file(*site)
    if not file.exists():
        write_json(file, _learn(work, *site).to_dict())


def counts_of(folder: Path, task: Task) -> Counts | None:
    """Return what became of the pages of a task; None if it is still to be done."""
    written = read_json(folder / f"{task.number}.done")
    return None if written is None else Counts(**written)


def do_task(work: Work, task: Task) -> Counts:
    """Clean the pages of a task; write their rows, and for each page the place of its row."""
    counts, places = Counts(), []
    with whole(work.folder / f"{task.number}.rows") as stream, whole(work.folder / f"{task.number}.observed") as notes:
        for positions in task.sites:
            if task.large:
                cleaner = SiteCleaner.from_dict(json.loads((work.folder / task.large).read_bytes()))
            else:
                cleaner = _learn(work, task.partition, positions)
            counts.sites += task.is_first
            counts.templates += len(cleaner.templates) if task.is_first else 0
            pages = []
            read = read_pages(work.folder, task.partition, positions)
            for position, (number, page) in zip(positions, read, strict=True):
                cleaned = clean_row(cleaner, page.url, text_of(page.html, page.charset), work.options.outputs)
                counts.add_page(cleaned, len(page.html or ""))
                row = work.rows.row(page.columns, cleaned.values)
                places.append((number, stream.tell(), len(row)))
                stream.write(row)
                if work.is_observed and (clean := cleaned.page) is not None:
                    judged = clean.template_url, clean.coverage, clean.words, clean.removed
                    pages.append((position, page.url, time.time(), *judged))
            if work.is_observed:
                templates = [one.to_dict() for one in cleaner.templates] if task.is_first else []
                notes.write(json.dumps([templates, pages]).encode("ascii") + b"\n")
    _write_places(work.folder, task.number, places)
    write_json(work.folder / f"{task.number}.done", msgspec.to_builtins(counts))
    return counts


def _learn(work: Work, partition: int, positions: array[int]) -> SiteCleaner:
    def pages() -> Iterator[tuple[str, str | bytes]]:
        for _, page in read_pages(work.folder, partition, positions):
            if page.html is not None:
                # to guess a charset takes long, so that is left to the sample
                yield page.url, page.html if page.charset is None else text_of(page.html, page.charset) or ""

    ((_, first),) = read_pages(work.folder, partition, positions[:1])
    known = stored_templates(work.options.store, first.url)
    return learn(pages(), preserve=work.options.preserve, remove=work.options.remove, templates=known)


def stored_templates(store: str | None, url: str) -> list[Template]:
    """Return the templates that a store has of the site of an address."""
    site = site_of(url)
    if store is None or site is None:
        return []
    with closing(open_store(store)) as opened:
        return [one.template for one in opened.load(site)]


def make_places(folder: Path, pages: int) -> None:
    """Make the file of the places of rows, which tasks fill in any order."""
    with (folder / _PLACES).open("ab") as stream:
        stream.truncate(pages * _PLACE.size)


def _write_places(folder: Path, task: int, places: list[tuple[int, int, int]]) -> None:
    with (folder / _PLACES).open("r+b") as stream:
        for number, position, length in places:
            stream.seek(number * _PLACE.size)
            stream.write(_PLACE.pack(task, position, length))
        stream.flush()
        os.fsync(stream.fileno())


def rows_in_order(folder: Path) -> Iterator[bytes]:
    """Yield the rows of all pages in the order of the input."""
    opened: dict[int, BinaryIO] = {}
    try:
        with (folder / _PLACES).open("rb") as stream:
            while place := stream.read(_PLACE.size):
                task, position, length = _PLACE.unpack(place)
                file = opened.pop(task, None) or (folder / f"{task}.rows").open("rb")
                opened[task] = file
                if len(opened) > PARTITIONS:
                    opened.pop(next(iter(opened))).close()
                if file.tell() != position:
                    file.seek(position)
                yield file.read(length)
    finally:
        for file in opened.values():
            file.close()
