"""Clean all pages of some inputs into a file. An interrupted run resumes when it is started again.

A run locks a folder beside the output, works there, and deletes the folder at the end. Files tell a resumed run which
steps are done:

1. Write all pages to 64 files, by site (``partitions``). ``grouped`` is the last file of this step.
2. Learn large sites. Each gets a file of templates.
3. Clean the parts: small sites of a partition, or a thousand pages of a large site. Each gets a file of rows.
4. Write the rows of all parts to the output, and tell the store and the report the notes between the rows.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import shutil
import struct
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import asdict, dataclass, field
from functools import partial
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

import msgspec

from templex_scrapy.archives.cleaning import Cleaned, Counts, clean_site
from templex_scrapy.archives.partitions import Grouped, Part, Partitions, Rows
from templex_scrapy.archives.readers import JSON_LINES, PARQUET, STREAM, files_of, format_of, read
from templex_scrapy.archives.records import ArchiveError, Columns, Record, Skip, text_of
from templex_scrapy.archives.work import processes, work_folder
from templex_scrapy.figures import counted
from templex_scrapy.files import written_whole
from templex_scrapy.learning import SiteCleaner
from templex_scrapy.page import site_of
from templex_scrapy.stores import RecordError, StoredTemplate, TemplateStore, open_store
from templex_scrapy.template import Template

logger = logging.getLogger(__name__)

RESUMED = "Resumed:"
"""The step that a resumed run reports first, with the pages that the earlier run has read."""

_OBSERVED = ("template_url", "coverage", "words", "removed")  # of a page, for the report
_SIZES = struct.Struct("<II")  # bytes of a row, and of the note behind it

Progress: TypeAlias = Callable[[str, int], None]
"""Receives a step in words, and the pages so far."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """How pages are cleaned. ``outputs`` has columns, each with an attribute of ``CleanPage``."""

    outputs: Mapping[str, str]
    preserve: tuple[str, ...] = ()  # CSS selectors
    remove: tuple[str, ...] = ()
    columns: Columns = field(default_factory=Columns)
    store: str | None = None  # knows templates, and keeps all templates of the run


@dataclass(frozen=True, slots=True)
class ObservedPage:
    """A page that was compared with the templates."""

    url: str
    source: str  # before cleaning
    at: float  # time of cleaning, in seconds since 1970
    template_url: str  # of the template's key page; empty if no template fits
    coverage: float
    words: tuple[int, int]  # before and after
    removed: Sequence[int]  # positions of the roots of the removed subtrees

    @property
    def fits(self) -> bool:
        """Whether a template fits."""
        return bool(self.template_url)


def clean_archives(
    inputs: Sequence[Path],
    out: Path,
    options: Options,
    progress: Progress,
    *,
    jobs: int = 1,
    report: Any = None,
) -> tuple[Grouped, Counts]:
    """Clean all pages of some inputs into a file; resume an interrupted run with the same arguments.

    ``-`` is standard input or standard output, with JSON Lines. At the end, ``templates_learnt`` of the report receives
    the new templates of each site, and ``page_cleaned`` each page as an :class:`ObservedPage`.

    Raises:
        ArchiveError: if an input or the output is unusable.
        StoreError: if the store cannot be used.
        OSError: if a disk is full, or fails.
    """
    rows = _rows_for(inputs, out, options)
    arguments = asdict(options), report is not None
    with _store(options) as store, _folder_for(inputs, out, arguments) as folder:
        work = _Work(Partitions(folder), options, rows, has_report=report is not None)
        grouped = _group(work, inputs, progress)
        parts = list(work.partitions.parts())
        # first, so that no process waits while another learns the same site
        large = [part for part in parts if part.begins_large_site and not work.templates_file(part).exists()]
        waiting = [part for part in parts if not work.rows_file(part).exists()]
        with processes(jobs) as run:
            for _ in run(work.learn, large):
                progress("Learning large sites:", grouped.pages)
            done = grouped.pages - sum(part.stop - part.start for part in waiting)
            for part, _ in zip(waiting, run(work.clean, waiting), strict=True):
                done += part.stop - part.start
                progress(f"Cleaning {grouped.pages:,} pages:", done)
        progress("Writing:", grouped.pages)
        counts, rows.json_columns = Counts(), grouped.columns
        # before the output gets a name: if this fails, the next run tells the report everything
        with written_whole(folder / "output") as stream:
            rows.write(stream, _rows(work, parts, counts, store, report))
        _hand_over(folder / "output", out)
    return grouped, counts


def _store(options: Options) -> AbstractContextManager[TemplateStore | None]:
    """Open the store. An unusable store ends the run before the work."""
    if options.store is None:
        return nullcontext()
    store = open_store(options.store)
    store.version("")
    return closing(store)


def _rows_for(inputs: Sequence[Path], out: Path, options: Options) -> Rows:
    """Check the inputs, and choose how to keep rows: with Arrow's types if known, otherwise as JSON."""
    known = (*JSON_LINES, ".json", *PARQUET)
    if out != STREAM and not out.name.endswith(known):
        raise ArchiveError(f"{out}: unknown format; the output ends with {', '.join(known)}")
    formats = [format_of(source) for source in inputs]
    if PARQUET not in formats and not out.name.endswith(PARQUET):
        return Rows(options.outputs)
    from templex_scrapy.archives.parquet import ArrowRows, UntypedRows, schema_of  # noqa: PLC0415 - an extra

    # for JSON Lines too: a missing column ends the run before the work
    tables = [source for source, form in zip(inputs, formats, strict=True) if form is PARQUET]
    schemas = [schema_of(table, options.columns) for table in tables]
    if not out.name.endswith(PARQUET):
        return Rows(options.outputs)
    # the columns of JSON are known only after the last line
    if JSON_LINES in formats or not schemas:
        return UntypedRows(options.outputs)
    return ArrowRows(options.outputs, schemas, options.columns.url, is_mixed=len(schemas) < len(inputs))


@contextmanager
def _folder_for(inputs: Sequence[Path], out: Path, options: object) -> Iterator[Path]:
    """Yield the folder of the run with these arguments."""
    if out == STREAM:
        with TemporaryDirectory(suffix=".templex") as name:
            yield Path(name)
        return
    if out.is_dir() or not out.absolute().parent.is_dir():
        raise ArchiveError(f"{out}: {'is a folder' if out.is_dir() else 'its folder does not exist'}")
    # another version may learn other templates: the rows must not mix
    run = hashlib.blake2b(json.dumps([version("templex-scrapy"), options]).encode())
    # standard input cannot be read again
    run.update(os.urandom(16) if STREAM in inputs else b"")
    for file in (file for source in inputs if source != STREAM for file in files_of(source)):
        # a link may lead nowhere
        status = file.stat() if file.exists() else file.lstat()
        run.update(f"{file.absolute()}\n{status.st_size} {status.st_mtime_ns}\n".encode("utf-8", "surrogatepass"))
    with work_folder(out.absolute().with_name(f".{out.name}.templex"), run.digest()) as folder:
        yield folder


def _hand_over(file: Path, out: Path) -> None:
    if out != STREAM:
        file.replace(out)
        return
    with file.open("rb") as stream:
        shutil.copyfileobj(stream, sys.stdout.buffer)
    sys.stdout.buffer.flush()


def _group(work: _Work, inputs: Sequence[Path], progress: Progress) -> Grouped:
    """Read the inputs, unless an earlier run has read them."""
    file = work.partitions.folder / "grouped"
    if file.exists():
        grouped = Grouped(**json.loads(file.read_bytes()))
        progress(RESUMED, grouped.pages)
        return grouped
    records = (record for source in inputs for record in read(source, work.options.columns, work.rows.columns))
    try:
        grouped = work.partitions.group(records, work.rows.pack, partial(progress, "Reading:"))
        _check(grouped, inputs)
    except ArchiveError:
        # no run resumes this: usable inputs make another run
        shutil.rmtree(work.partitions.folder, ignore_errors=True)
        raise
    with written_whole(file) as stream:
        stream.write(_json(msgspec.to_builtins(grouped)))
    return grouped


def _check(grouped: Grouped, inputs: Sequence[Path]) -> None:
    if not grouped.pages:
        passed = ", ".join(f"{n:,} {why}" for why, n in sorted(grouped.skipped.items()))
        others = f" and {counted(len(inputs) - 1, 'other input')}" if len(inputs) > 1 else ""
        raise ArchiveError(f"{inputs[0]}{others}: no page; passed over: {passed or 'nothing'}")
    if not grouped.has_html and Skip.NO_COLUMN in grouped.places:
        raise ArchiveError(grouped.places[Skip.NO_COLUMN])


@dataclass(frozen=True, slots=True)
class _Work:
    """The work of a run, as all processes know it."""

    partitions: Partitions
    options: Options
    rows: Rows
    has_report: bool

    def templates_file(self, part: Part) -> Path:
        return self.partitions.folder / f"{part.partition:02}-{part.site and part.site[0]}.templates"

    def rows_file(self, part: Part) -> Path:
        return self.partitions.folder / f"{part.partition:02}-{part.start}.rows"

    def learn(self, part: Part) -> None:
        """Learn the templates of a large site from all of its parts."""
        with _store(self.options) as store:
            cleaner, _, templates = self._site(store, part, *(part.site or ()))
        with written_whole(self.templates_file(part)) as file:
            file.write(_json((cleaner.to_dict(), templates)))

    def clean(self, part: Part) -> None:
        """Clean the pages of a part; write rows, each with a note.

        A note is JSON: ``page`` (of an ObservedPage, with the entry in the index), or, without a row, ``templates`` of
        a site, each with whether it is new, or at last ``counts``.
        """
        counts = Counts()
        with written_whole(self.rows_file(part)) as file, _store(self.options) as store:

            def write(row: bytes = b"", **note: object) -> None:
                noted = _json(note) if any(note.values()) else b""
                file.write(_SIZES.pack(len(row), len(noted)) + row + noted)

            for start, stop in self.partitions.sites(part):
                cleaner, cleaned, templates = self._site(store, part, start, stop)
                # a large site counts once
                if part.site is None or part.begins_large_site:
                    counts.sites += 1
                    counts.templates += len(cleaner.templates)
                    write(templates=templates)
                for entry, (record, page) in zip(range(start, stop), cleaned, strict=True):
                    counts.add_page(page)
                    row = self.rows.row(record.columns, page.values)
                    observed = None
                    if self.has_report and page.page is not None:
                        facts = {name: getattr(page.page, name) for name in _OBSERVED}
                        observed = {"entry": entry, "at": time.time(), **facts}
                    write(row, page=observed)
            write(counts=msgspec.to_builtins(counts))

    def _site(
        self, store: TemplateStore | None, part: Part, start: int, stop: int
    ) -> tuple[SiteCleaner, Iterator[tuple[Record, Cleaned]], list[tuple[dict[str, Any], bool]] | None]:
        """Return the cleaner of a site, the cleaned pages, and the templates as data, each with whether it is new.

        The data is for store and report; None if there is neither.
        """
        options, known, templates = self.options, [], None
        cleaner: SiteCleaner | None = None
        read = partial(self.partitions.read, part.partition, start, stop)
        if part.site is not None and self.templates_file(part).exists():
            learnt, templates = json.loads(self.templates_file(part).read_bytes())
            cleaner = SiteCleaner.from_dict(learnt)
        elif store is not None:
            known = [stored.template for stored in store.load(site_of(next(read()).url) or "")]
        selectors = {"preserve": options.preserve, "remove": options.remove}
        cleaner, cleaned = clean_site(read, options.outputs, cleaner=cleaner, templates=known, **selectors)
        if templates is None and (store is not None or self.has_report):
            before = {template.identity for template in known}
            templates = [(template.to_dict(), template.identity not in before) for template in cleaner.templates]
        return cleaner, cleaned, templates


def _json(value: object) -> bytes:
    # not MessagePack, in which lone surrogates have no form
    return json.dumps(value).encode("ascii")


def _rows(
    work: _Work, parts: Iterable[Part], counts: Counts, store: TemplateStore | None, report: Any
) -> Iterator[bytes]:
    """Yield all rows; add up the counts of the parts, and tell the store and the report the other notes."""
    for part in parts:
        with work.rows_file(part).open("rb") as file:
            while sizes := file.read(_SIZES.size):
                row, noted = map(file.read, _SIZES.unpack(sizes))
                if row:
                    yield row
                note = json.loads(noted or b"{}")
                if "counts" in note:
                    counts.add(Counts(**note["counts"]))
                elif "templates" in note:
                    templates = [(Template.from_dict(data), is_new) for data, is_new in note["templates"]]
                    if store is not None:
                        _keep(store, [template for template, _ in templates])
                    if report is not None:
                        report.templates_learnt(template for template, is_new in templates if is_new)
                elif "page" in note:
                    entry = note["page"].pop("entry")
                    (record,) = work.partitions.read(part.partition, entry, entry + 1)
                    report.page_cleaned(ObservedPage(record.url, text_of(record.html or ""), **note["page"]))


def _keep(store: TemplateStore, templates: Sequence[Template]) -> None:
    # the store lists the last saved template first
    for template in reversed(templates):
        now = time.time()
        try:
            store.save(site_of(template.key_url) or "", StoredTemplate(template, now, now))
        # for example, UTF-8 cannot hold an address; the pages are cleaned all the same
        except RecordError as error:
            logger.warning("A template is not stored: %s", error)
