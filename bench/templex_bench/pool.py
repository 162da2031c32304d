"""Tasks on all cores, one process each; a process that dies takes no other task with it."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import Any, Generic, TextIO, TypeVar

from templex_bench.work import start_worker
from templex_scrapy.commands.terminal import INTERRUPTED

DIED = "the process died"

_LATEST = 5.0  # seconds after which a command that is to end at once does

Task = TypeVar("Task")
Outcome = TypeVar("Outcome")


@dataclass(slots=True)
class Pool(Generic[Task, Outcome]):
    """Carries out tasks.

    Attributes:
        carry_out: what is done with a task, in another process.
        died: the outcome of a task whose process died.
        jobs: number of processes.
        ahead: tasks handed out for each process, that under way included. What is handed out may have to be brought to
            its end before all ends: two keep the processes busy with short tasks, one is for long ones.
        stopping: set to make an end: what is under way is brought to its end, nothing else is begun.
    """

    carry_out: Callable[[Task], Outcome]
    died: Callable[[Task], Outcome]
    jobs: int
    ahead: int = 2
    stopping: bool = False
    _running: dict[Future[Outcome], Task] = field(default_factory=dict)

    def outcomes(self, tasks: Iterable[Task]) -> Generator[Outcome, None, None]:
        """The outcomes, as they come. A task whose process died is tried once more alone."""
        waiting = iter(tasks)
        more = True
        while more and not self.stopping:
            suspects: list[Task] = []
            more = yield from self._until_broken(waiting, suspects, self.jobs)
            for task in suspects:
                if not self.stopping:
                    again: list[Task] = []
                    yield from self._until_broken(iter([task]), again, 1)
                    yield from map(self.died, again)

    def _until_broken(self, waiting: Iterator[Task], suspects: list[Task], jobs: int) -> Generator[Outcome, None, bool]:
        """The outcomes until all are there, or a process dies: then the tasks that may have been its are suspects.

        Returns:
            Whether a process died, so that there may be more tasks.
        """
        # started anew, not forked: the same on all systems, and a fork copies locks in any state
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(jobs, mp_context=context, initializer=start_worker) as executor:
            try:
                self._fill(executor, waiting, jobs)
                while self._running:
                    ready, _ = wait(self._running, return_when=FIRST_COMPLETED)
                    for future in ready:
                        if not future.cancelled():
                            yield future.result()
                        del self._running[future]
                    self._fill(executor, waiting, jobs)
            except BrokenProcessPool:
                suspects.extend(self._running.values())
                self._running.clear()
                return True
        return False

    def _fill(self, executor: ProcessPoolExecutor, waiting: Iterator[Task], jobs: int) -> None:
        if self.stopping:
            for future in self._running:
                future.cancel()
        while not self.stopping and len(self._running) < self.ahead * jobs:
            task = next(waiting, None)
            if task is None:
                break
            # this may start a process, which takes over what is blocked: Ctrl-C would end it while it still imports
            with _without_ctrl_c():
                self._running[executor.submit(self.carry_out, task)] = task


@contextmanager
def _without_ctrl_c() -> Iterator[None]:
    """Hold back Ctrl-C for a moment, on systems that can; it is not lost."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def interruptible(pool: Pool[Any, Any], stream: TextIO) -> Iterator[None]:
    """Make Ctrl-C, and a request to terminate, end the tasks of a pool.

    The first one lets what is under way come to its end; once more, and the processes are ended at once.

    Args:
        pool: carries out its tasks inside.
        stream: where the user is told what happens.

    Raises:
        KeyboardInterrupt: at the second one.
    """

    def stop(_signal: int, _frame: FrameType | None) -> None:
        if latest.is_alive():
            return
        if pool.stopping:
            for child in multiprocessing.active_children():
                child.terminate()
            latest.start()
            raise KeyboardInterrupt
        pool.stopping = True
        print(
            "\nStopping: what is under way is finished and stored; Ctrl-C again stops at once.", file=stream, flush=True
        )

    def end() -> None:
        print("Stopped.", file=stream, flush=True)
        os._exit(INTERRUPTED)

    # a process that is ended while it hands over an outcome leaves the executor waiting for the rest of it for ever
    latest = threading.Timer(_LATEST, end)
    latest.daemon = True
    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        latest.cancel()
        for number, handler in before.items():
            signal.signal(number, handler)
