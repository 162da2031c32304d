"""A run: group the pages of all inputs by site, learn and clean, write the output; resumed where it was ended."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from templex_scrapy.archives import cleaning
from templex_scrapy.archives.cleaning import Options
from templex_scrapy.archives.files import whole
from templex_scrapy.archives.grouping import Grouped, group
from templex_scrapy.archives.observing import Observer, tell
from templex_scrapy.archives.outputs import Counts
from templex_scrapy.archives.processes import processes
from templex_scrapy.archives.readers import JSON_LINES, PARQUET, files_of, format_of, read
from templex_scrapy.archives.records import ArchiveError
from templex_scrapy.archives.row_index import make_row_index, rows_in_order
from templex_scrapy.archives.rows import Rows
from templex_scrapy.archives.work_folder import WorkFolder

JSON_ENDINGS = (".jsonl", ".jl", ".ndjson", ".json")


class Progress(Protocol):
    """Receives how far a run is."""

    def reading(self, pages: int, nbytes: int) -> None:
        """Pages were read; these are all so far, and the bytes of their sources."""

    def cleaning(self, done: Counts, pages: int) -> None:
        """Pages were cleaned; ``done`` is about all so far, ``pages`` is how many there are."""

    def writing(self) -> None:
        """The output is written."""


def clean_archives(
    inputs: Sequence[Path],
    out: Path,
    options: Options,
    progress: Progress,
    *,
    jobs: int = 1,
    observer: Observer | None = None,
) -> tuple[Grouped, Counts]:
    """Clean all pages of some inputs into a file; an earlier run with the same arguments that was ended is resumed.

    Args:
        inputs: folders and files.
        out: the file to write, JSON Lines or Parquet by its ending.
        options: what is done.
        progress: receives how far it is.
        jobs: processes that learn and clean.
        observer: receives what was learnt and cleaned.

    Raises:
        ArchiveError: if an input cannot be read, or the output not be written.
        StoreError: if the store cannot be read.
        OSError: if a disk is full, or fails.
    """
    rows = _rows_for(inputs, out, options)
    is_observed = observer is not None
    files = (file for one in inputs for file in files_of(one))
    folder = WorkFolder.beside(out, files, {**asdict(options), "is_observed": is_observed})
    with folder.locked():
        reads = [partial(read, one, options.columns, rows.columns) for one in inputs]
        grouped = group(folder, reads, rows.pack, progress.reading)
        work = cleaning.Work(folder, options, rows, is_observed)
        folder.copy_store(options.store, cleaning.sites(folder))
        with processes(jobs) as run:
            # first, so that no process waits for what another one learns of the same site
            for _ in run(partial(cleaning.learn_large_site, work), cleaning.large_sites(folder)):
                pass
            counts = _clean(work, grouped.pages, run, progress)
        progress.writing()
        # before the output has its name: where this fails, the next run tells everything
        if observer is not None:
            tell(work, observer)
        with whole(out) as stream:
            rows.write(stream, rows_in_order(folder))
    folder.delete()
    return grouped, counts


def _rows_for(inputs: Sequence[Path], out: Path, options: Options) -> Rows:
    """Return how rows are kept: with the types of Arrow where these are known, or else as JSON; check the inputs."""
    if not out.name.endswith((*JSON_ENDINGS, *PARQUET)):
        known = ", ".join((*JSON_ENDINGS, *PARQUET))
        raise ArchiveError(f"{out}: what is it to be? The output ends with {known}")
    formats = [format_of(one) for one in inputs]
    if PARQUET not in formats and not out.name.endswith(PARQUET):
        return Rows(options.columns.url)
    from templex_scrapy.archives.parquet import ArrowRows, UntypedRows, schema_of  # noqa: PLC0415 - an extra

    # read for JSON Lines too: that a column is missing is said before the work
    schemas = [
        schema_of(one, options.columns)
        for one, one_format in zip(inputs, formats, strict=True)
        if one_format is PARQUET
    ]
    if not out.name.endswith(PARQUET):
        return Rows(options.columns.url)
    # a line of JSON may have any columns, and they are not known before all lines are read
    if JSON_LINES in formats:
        return UntypedRows(options.columns.url, options.outputs)
    return ArrowRows(schemas, options.columns.url, options.outputs, has_others=len(schemas) < len(inputs))


def _clean(work: cleaning.Work, pages: int, run: Callable[..., Iterator[Any]], progress: Progress) -> Counts:
    make_row_index(work.folder, pages)
    counts = Counts()

    def open_tasks() -> Iterator[cleaning.Task]:
        for task in cleaning.tasks_of(work.folder):
            done = cleaning.counts_of(work.folder, task)
            if done is None:
                yield task
            else:
                counts.add(done)

    for done in run(partial(cleaning.do_task, work), open_tasks()):
        counts.add(done)
        progress.cleaning(counts, pages)
    return counts
