"""A run: group the pages of all inputs by site, learn and clean, write the output; resumed where it was ended."""

from __future__ import annotations

import glob
import hashlib
import json
import multiprocessing
import os
import shutil
import signal
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, as_completed, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager
from dataclasses import asdict
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol

from templex_scrapy.archives import cleaning
from templex_scrapy.archives.cleaning import Options
from templex_scrapy.archives.files import whole
from templex_scrapy.archives.grouping import Grouped, group
from templex_scrapy.archives.observing import Observer, tell
from templex_scrapy.archives.outputs import Counts
from templex_scrapy.archives.readers import JSON_LINES, PARQUET, files_of, format_of, read
from templex_scrapy.archives.records import ArchiveError
from templex_scrapy.archives.rows import Rows

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
    folder = _work_folder(inputs, out, options, is_observed=is_observed)
    with _locked(folder):
        reads = [partial(read, one, options.columns, rows.columns) for one in inputs]
        grouped = group(folder, reads, rows.pack, progress.reading)
        work = cleaning.Work(folder, options, rows, is_observed)
        cleaning.copy_store(work)
        with _processes(jobs) as run:
            for _ in run(partial(cleaning.learn_large_site, work), cleaning.large_sites(folder)):
                pass
            counts = _clean(work, grouped.pages, run, progress)
        progress.writing()
        if observer is not None:
            tell(work, observer)
        with whole(out) as stream:
            rows.write(stream, cleaning.rows_in_order(folder))
    # a folder of which half was deleted must not be found by the next run
    shutil.rmtree(folder.replace(folder.with_name(f".{out.name}.done.templex")))
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

    schemas = [
        schema_of(one, options.columns)
        for one, one_format in zip(inputs, formats, strict=True)
        if one_format is PARQUET
    ]
    if not out.name.endswith(PARQUET):
        return Rows(options.columns.url)
    if JSON_LINES in formats:
        return UntypedRows(options.columns.url, options.outputs)
    return ArrowRows(schemas, options.columns.url, options.outputs, has_others=len(schemas) < len(inputs))


def _work_folder(inputs: Sequence[Path], out: Path, options: Options, *, is_observed: bool) -> Path:
    """Return the folder beside the output in which a run with these arguments works; those of others are deleted."""
    if out.is_dir() or not out.absolute().parent.is_dir():
        raise ArchiveError(f"{out}: {'is a folder' if out.is_dir() else 'its folder does not exist'}")
    identity = hashlib.blake2b(digest_size=8)
    identity.update(json.dumps([version("templex-scrapy"), asdict(options), out.suffix, is_observed]).encode())
    for source in inputs:
        for file in files_of(source):
            # a link may lead nowhere
            status = file.stat() if file.exists() else file.lstat()
            identity.update(
                f"{file.absolute()}\n{status.st_size} {status.st_mtime_ns}\n".encode("utf-8", "surrogatepass")
            )
    folder = out.absolute().parent / f".{out.name}.{identity.hexdigest()}.templex"
    for other in folder.parent.glob(f".{glob.escape(out.name)}.*.templex"):
        if other != folder:
            shutil.rmtree(other, ignore_errors=True)
    folder.mkdir(exist_ok=True)
    return folder


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Keep other runs out of a work folder; the lock ends with the process, however that ends."""
    with closing(sqlite3.connect(folder / "lock", timeout=0)) as lock:
        try:
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            raise ArchiveError(f"{folder}: another run works here ({error})") from error
        yield


def _clean(work: cleaning.Work, pages: int, run: Callable[..., Iterator[Any]], progress: Progress) -> Counts:
    cleaning.make_row_index(work.folder, pages)
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


@contextmanager
def _processes(jobs: int) -> Iterator[Callable[..., Iterator[Any]]]:
    """Yield a function that has tasks done by so many processes; with one, by this process itself."""
    if jobs == 1:
        yield map
        return
    executor = ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), initializer=_end_with_parent)

    def run(function: Callable[..., Any], tasks: Iterable[Any]) -> Iterator[Any]:
        running: set[Future[Any]] = set()
        for task in tasks:
            running.add(executor.submit(function, task))
            if len(running) >= 2 * jobs:
                done, running = wait(running, return_when=FIRST_COMPLETED)
                yield from (one.result() for one in done)
        yield from (one.result() for one in as_completed(running))

    try:
        yield run
    except BrokenProcessPool as error:
        raise ArchiveError("a process was killed, perhaps for want of memory; the same command continues") from error
    finally:
        executor.shutdown(cancel_futures=True)


def _end_with_parent() -> None:
    """Let this process end with the one that started it, also where that is killed; Ctrl-C ends it without a word."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
