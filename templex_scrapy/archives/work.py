"""The work folder of a run, its processes, and their garbage collection."""

from __future__ import annotations

import gc
import multiprocessing
import os
import shutil
import signal
import sqlite3
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

from templex_scrapy.archives.records import ArchiveError
from templex_scrapy.files import written_whole

_NEW_OBJECTS = 50_000  # between garbage collections, in place of 700: a collection visits what is read of a whole site


@contextmanager
def work_folder(path: Path, run: bytes) -> Iterator[Path]:
    """Keep other runs out of a folder, and delete it at the end; after an error it stays, for the next run.

    Files of another run than ``run`` are deleted.

    Raises:
        ArchiveError: if another run works there, or the folder cannot be written.
    """
    path.mkdir(exist_ok=True)
    with ExitStack() as stack:
        try:
            # a lock file would outlive a killed run; this lock ends with the process
            lock = stack.enter_context(closing(sqlite3.connect(path / "lock", timeout=0)))
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.Error as error:
            is_other = error.sqlite_errorcode == sqlite3.SQLITE_BUSY
            raise ArchiveError(f"{path}: {'another run works here' if is_other else error}") from error
        of_run = path / "run"
        if not of_run.exists() or of_run.read_bytes() != run:
            of_run.unlink(missing_ok=True)  # first, so that no run finds half of the files
            for file in path.iterdir():
                if file.name != "lock":
                    file.unlink()
            with written_whole(of_run) as stream:
                stream.write(run)
        yield path
        of_run.unlink()
        shutil.rmtree(path, ignore_errors=True)


@contextmanager
def processes(jobs: int) -> Iterator[Callable[..., Iterator[Any]]]:
    """Yield a function that runs tasks in so many processes; with 1, in this process.

    The garbage collector runs rarely: pages are freed without it, since nothing of a page refers to itself.

    Raises:
        ArchiveError: if a process was killed.
    """
    if jobs == 1:
        before = gc.get_threshold()
        gc.set_threshold(_NEW_OBJECTS)
        try:
            yield map
        finally:
            gc.set_threshold(*before)
        return
    executor = ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), initializer=_begin)
    try:
        yield executor.map
    except BrokenProcessPool as error:
        raise ArchiveError("a process was killed, perhaps for want of memory; the same command continues") from error
    finally:
        executor.shutdown(cancel_futures=True)


def _begin() -> None:
    """Prepare a process, which ends when the parent ends or is killed; Ctrl-C ends it silently."""
    gc.set_threshold(_NEW_OBJECTS)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    parent = multiprocessing.parent_process()

    def watch() -> None:
        # a killed parent cannot tell the processes of the pool to end: they would wait for ever
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
