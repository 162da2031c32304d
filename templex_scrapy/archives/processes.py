"""Tasks in several processes, which end with the one that started them."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, as_completed, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any

from templex_scrapy.archives.records import ArchiveError


@contextmanager
def processes(jobs: int) -> Iterator[Callable[..., Iterator[Any]]]:
    """Yield a function that has tasks done by so many processes; with one, by this process itself.

    Raises:
        ArchiveError: if a process was killed.
    """
    if jobs == 1:
        yield map
        return
    executor = ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), initializer=_end_with_parent)

    def run(function: Callable[..., Any], tasks: Iterable[Any]) -> Iterator[Any]:
        # executor.map would take all tasks at once, and each has the positions of its pages
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
        # the pool tells its processes to end, which a parent that was killed cannot do: they would wait for ever
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
