"""Clean all pages of some inputs into a file. An interrupted run resumes when it is started again.

A run locks a folder beside the output, works there, and deletes the folder at the end. Files tell a resumed run which
steps are done:

1. Write all pages to 64 files, by site (``partitions``). ``grouped`` is the last file of this step: if it is missing,
   the run reads the inputs again.
2. Learn large sites. Each gets a file of templates.
3. Clean the parts: the small sites of a partition, or a thousand pages of a large site. Each gets a file of rows. The
   parts and their order follow from the pages alone.
4. Write the rows of all parts to the output, and tell the observer the notes between the rows.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import struct
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import asdict, dataclass, field
from functools import partial
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias

import msgspec

from templex_scrapy.archives.observers import Observer, note_of_page, note_of_site, tell
from templex_scrapy.archives.outputs import Cleaned, Counts, clean_site
from templex_scrapy.archives.partitions import Grouped, Part, Partitions
from templex_scrapy.archives.readers import JSON_LINES, PARQUET, STREAM, files_of, format_of, read
from templex_scrapy.archives.records import ArchiveError, Columns, Record, Skip
from templex_scrapy.archives.rows import Rows
from templex_scrapy.archives.work import processes, whole, work_folder
from templex_scrapy.figures import counted
from templex_scrapy.learning import SiteCleaner
from templex_scrapy.page import site_of
from templex_scrapy.stores import TemplateStore, open_store

RESUMED = "Resumed:"
"""The step that a resumed run reports first, with the pages that the earlier run has read."""

_SIZES = struct.Struct("<II")  # bytes of a row, and of the note behind it

Progress: TypeAlias = Callable[[str, int, int], None]
"""Receives a step in words, the pages so far, and the bytes of their sources."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """How pages are cleaned.

    Attributes:
        outputs: column → attribute of ``CleanPage``.
        preserve: CSS selectors of elements to keep, with their descendants and ancestors.
        remove: CSS selectors of elements to remove.
        columns: names of columns in tables.
        store: the store to take known templates from.
    """

    outputs: Mapping[str, str]
    preserve: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()
    columns: Columns = field(default_factory=Columns)
    store: str | None = None


def clean_archives(
    inputs: Sequence[Path],
    out: Path,
    options: Options,
    progress: Progress,
    *,
    jobs: int = 1,
    observer: Observer | None = None,
) -> tuple[Grouped, Counts]:
    """Clean all pages of some inputs into a file; resume an interrupted run with the same arguments.

    Args:
        inputs: folders and files; ``-`` is standard input, with JSON Lines.
        out: the file to write, JSON Lines or Parquet by its ending; ``-`` is standard output, for JSON Lines.
        options: how pages are cleaned.
        progress: receives the progress.
        jobs: processes that learn and clean.
        observer: receives templates and cleaned pages.

    Raises:
        ArchiveError: if an input or the output is unusable.
        StoreError: if the store cannot be read.
        OSError: if a disk is full, or fails.
    """
    rows = _rows_for(inputs, out, options)
    with _folder_for(inputs, out, (asdict(options), observer is not None)) as folder:
        work = _Work(Partitions(folder), options, rows, is_observed=observer is not None)
        grouped = _group(work, inputs, progress)
        counts = Counts()
        with processes(jobs) as run:
            # first, so that no process waits while another learns the same site
            for _ in run(work.learn, (site for site in work.partitions.large_sites() if not work.has(site.large))):
                progress("Learning large sites:", grouped.pages, grouped.nbytes)
            done = sum(part.pages for part in work.partitions.parts() if work.has(part.name))
            for pages in run(work.clean, (part for part in work.partitions.parts() if not work.has(part.name))):
                done += pages
                progress(f"Cleaning {grouped.pages:,} pages:", done, grouped.nbytes * done // grouped.pages)
        progress("Writing:", grouped.pages, grouped.nbytes)
        # before the output gets a name: if the observer fails, the next run tells it everything
        with whole(folder / "output") as stream:
            rows.write(stream, _rows(work, counts, observer), grouped.columns)
        _hand_over(folder / "output", out)
    return grouped, counts


def _rows_for(inputs: Sequence[Path], out: Path, options: Options) -> Rows:
    """Check the inputs, and choose how to keep rows: with Arrow's types if known, otherwise as JSON."""
    if out != STREAM and not out.name.endswith((*JSON_LINES, ".json", *PARQUET)):
        known = ", ".join((*JSON_LINES, ".json", *PARQUET))
        raise ArchiveError(f"{out}: unknown format; the output ends with {known}")
    formats = [format_of(source) for source in inputs]
    is_parquet = out.name.endswith(PARQUET)
    if PARQUET not in formats and not is_parquet:
        return Rows(options.outputs)
    from templex_scrapy.archives.parquet import ArrowRows, UntypedRows, schema_of  # noqa: PLC0415 - an extra

    # for JSON Lines too: a missing column ends the run before the work
    tables = [source for source, form in zip(inputs, formats, strict=True) if form is PARQUET]
    schemas = [schema_of(table, options.columns) for table in tables]
    if not is_parquet:
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
        progress(RESUMED, grouped.pages, grouped.nbytes)
        return grouped
    records = (record for source in inputs for record in read(source, work.options.columns, work.rows.columns))
    try:
        grouped = work.partitions.group(records, work.rows.pack, partial(progress, "Reading:"))
        _check(grouped, inputs)
    except ArchiveError:
        # no run resumes this: usable inputs make another run
        shutil.rmtree(work.partitions.folder, ignore_errors=True)
        raise
    with whole(file) as stream:
        # places and columns may have lone surrogates, which only escapes can express
        stream.write(json.dumps(msgspec.to_builtins(grouped)).encode("ascii"))
    return grouped


def _check(grouped: Grouped, inputs: Sequence[Path]) -> None:
    if not grouped.pages:
        passed = ", ".join(f"{n:,} {why}" for why, n in sorted(grouped.skipped.items()))
        others = f" and {counted(len(inputs) - 1, 'other input')}" if len(inputs) > 1 else ""
        raise ArchiveError(f"{inputs[0]}{others}: no page; passed over: {passed or 'nothing'}")
    if not grouped.nbytes and Skip.NO_COLUMN in grouped.places:
        raise ArchiveError(grouped.places[Skip.NO_COLUMN])


@dataclass(frozen=True, slots=True)
class _Work:
    """The work of a run, as all processes know it."""

    partitions: Partitions
    options: Options
    rows: Rows
    is_observed: bool

    def has(self, name: str) -> bool:
        """Return whether a file of the run is there."""
        return self._file(name).exists()

    def learn(self, site: Part) -> None:
        """Learn the templates of a large site."""
        with self._store() as store:
            cleaner, _, note = self._site(store, site, site.sites[0])
        with whole(self._file(site.large)) as file:
            file.write(json.dumps((cleaner.to_dict(), note.decode())).encode("ascii"))

    def clean(self, part: Part) -> int:
        """Clean the pages of a part; write rows, counts, and notes for the observer."""
        counts = Counts()
        with whole(self._file(part.name)) as file, self._store() as store:

            def write(row: bytes, note: bytes) -> None:
                file.write(_SIZES.pack(len(row), len(note)) + row)
                file.write(note)

            for positions in part.sites:
                cleaner, cleaned, note = self._site(store, part, positions)
                # a large site counts once
                if part.is_first:
                    counts.sites += 1
                    counts.templates += len(cleaner.templates)
                    write(b"", note)
                for position, (record, page) in zip(positions, cleaned, strict=True):
                    counts.add_page(page)
                    row = self.rows.row(record.columns, page.values)
                    write(row, note_of_page(position, page) if self.is_observed else b"")
            write(b"", msgspec.json.encode(counts))
        return counts.pages

    def rows_of(self, part: Part) -> Iterator[tuple[bytes, bytes]]:
        """Yield the rows and notes of a part that is done."""
        with self._file(part.name).open("rb") as file:
            while sizes := file.read(_SIZES.size):
                row, note = map(file.read, _SIZES.unpack(sizes))
                yield row, note

    def _site(
        self, store: TemplateStore | None, part: Part, positions: Sequence[int]
    ) -> tuple[SiteCleaner, Iterator[tuple[Record, Cleaned]], bytes]:
        """Return the templates of a site, the cleaned pages, and a note on the templates."""
        options, cleaner, known, note = self.options, None, [], b""
        read = partial(self.partitions.read, part.partition, positions)
        if part.large and self.has(part.large):
            learnt, text = json.loads(self._file(part.large).read_bytes())
            cleaner, note = SiteCleaner.from_dict(learnt), text.encode("ascii")
        elif store is not None:
            known = [stored.template for stored in store.load(site_of(next(read()).url) or "")]
        selectors = {"preserve": options.preserve, "remove": options.remove}
        cleaner, cleaned = clean_site(read, options.outputs, cleaner=cleaner, templates=known, **selectors)
        if self.is_observed and not note:
            note = note_of_site(cleaner.templates, known)
        return cleaner, cleaned, note

    def _store(self) -> AbstractContextManager[TemplateStore | None]:
        return nullcontext() if self.options.store is None else closing(open_store(self.options.store))

    def _file(self, name: str) -> Path:
        return self.partitions.folder / name


def _rows(work: _Work, counts: Counts, observer: Observer | None) -> Iterator[bytes]:
    """Yield all rows; add up the counts of the parts, and tell the observer the other notes."""
    for part in work.partitions.parts():
        for row, note in work.rows_of(part):
            if row:
                yield row
            if note.startswith(b"{"):
                counts.add(**json.loads(note))
            elif note and observer is not None:
                tell(note, part, work.partitions, observer)
