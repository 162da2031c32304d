"""A run: all pages of some inputs are cleaned into one file. A run that was ended is resumed when it is started again.

Its work is in a folder beside the output. The name of the folder is made of the inputs, the options and the version, so
that only the same run finds it. ``resumption`` says what is done. These are the steps, and what a resumed run does with
each:

1. Pages are grouped by site (``grouping``). Inputs that were read to their end are not read again; what was written of
   another one is cut off.
2. What the store has of the sites is copied (``work_folder``). A complete copy is used, although the store may have
   more by now: all rows are to come from the same templates.
3. Large sites are learnt, before all others (``tasks``). One whose templates are in a file is not learnt again.
4. Tasks clean the pages, some thousand each (``tasks``). Their numbers follow from the partitions alone. One with a
   file of counts is done: that file is written last, when its rows and their places in the output are on the disk.
5. The observer is told what was learnt and cleaned (``observers``), from the start, since it may have seen a part.
6. The rows are written in the order of the input (``row_index``), to a file that gets its name when it is complete.
7. The folder is renamed, so that no run finds half of it, and deleted.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from templex_scrapy.archives import resumption, tasks
from templex_scrapy.archives.grouping import Grouped, group
from templex_scrapy.archives.observers import Observer, tell
from templex_scrapy.archives.outputs import Counts
from templex_scrapy.archives.processes import processes
from templex_scrapy.archives.readers import JSON_LINES, PARQUET, files_of, format_of, read
from templex_scrapy.archives.records import ArchiveError, Skip
from templex_scrapy.archives.row_index import make_row_index, rows_in_order
from templex_scrapy.archives.rows import Rows
from templex_scrapy.archives.tasks import Options
from templex_scrapy.archives.whole_files import whole
from templex_scrapy.figures import counted

JSON_ENDINGS = (".jsonl", ".jl", ".ndjson", ".json")

RESUMED = "Resumed:"
"""The step that is told once, with the pages that an earlier run has read, if there is such a run."""


Progress: TypeAlias = Callable[[str, int, int], None]
"""Receives how far a run is: a step in words, its pages so far, and the bytes of their sources."""


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
    folder = resumption.folder_of_run(out, files, {**asdict(options), "is_observed": is_observed})
    with folder.locked():
        resumption.delete_others(folder, out)
        reads = [partial(read, one, options.columns, rows.columns) for one in inputs]
        so_far = resumption.grouped_so_far(folder)
        if so_far.inputs:
            progress(RESUMED, so_far.pages, so_far.nbytes)
        try:
            grouped = group(folder, so_far, reads, rows.pack, partial(progress, "Reading:"))
            _check(grouped, inputs)
        except ArchiveError:
            # with inputs that can be used, it will be another run
            shutil.rmtree(folder.path, ignore_errors=True)
            raise
        work = tasks.Work(folder, options, rows, is_observed)
        if options.store is not None and not resumption.is_store_copied(folder):
            folder.copy_store(options.store, tasks.sites(folder))
        with processes(jobs) as run:
            # first, so that no process waits for what another one learns of the same site
            to_learn = (site for site in tasks.large_sites(folder) if not resumption.is_learnt(folder, site))
            for _ in run(partial(tasks.learn_large_site, work), to_learn):
                progress("Learning large sites:", grouped.pages, grouped.nbytes)
            counts = _clean(work, grouped.pages, run, progress)
        progress("Writing:", counts.pages, counts.nbytes)
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


def _check(grouped: Grouped, inputs: Sequence[Path]) -> None:
    if not grouped.pages:
        passed = ", ".join(f"{n:,} {why}" for why, n in sorted(grouped.skipped.items()))
        others = f" and {counted(len(inputs) - 1, 'other input')}" if len(inputs) > 1 else ""
        raise ArchiveError(f"{inputs[0]}{others}: no page; passed over: {passed or 'nothing'}")
    if not grouped.nbytes and Skip.NO_COLUMN in grouped.places:
        raise ArchiveError(grouped.places[Skip.NO_COLUMN])


def _clean(work: tasks.Work, pages: int, run: Callable[..., Iterator[Any]], progress: Progress) -> Counts:
    make_row_index(work.folder, pages)
    counts = Counts()

    def open_tasks() -> Iterator[tasks.Task]:
        for task in tasks.tasks_of(work.folder):
            done = resumption.counts_of(work.folder, task)
            if done is None:
                yield task
            else:
                counts.add(done)

    for done in run(partial(tasks.do_task, work), open_tasks()):
        counts.add(done)
        progress(f"Cleaning {pages:,} pages:", counts.pages, counts.nbytes)
    return counts
