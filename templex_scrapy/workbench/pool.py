"""Tasks on all cores, one process each; a process that dies takes no other task with it."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field

from templex_scrapy.workbench.work import Outcome, Task, start_worker

_AHEAD = 2  # tasks that wait for each process


@dataclass(slots=True)
class Pool:
    """Carries out tasks.

    Attributes:
        carry_out: what is done with a task, in another process.
        jobs: number of processes.
        stopping: set to make an end: what is under way is brought to its end, nothing else is begun.
    """

    carry_out: Callable[[Task], Outcome]
    jobs: int
    stopping: bool = False
    _running: dict[Future[Outcome], Task] = field(default_factory=dict)

    def outcomes(self, tasks: Iterable[Task]) -> Iterator[Outcome]:
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
                    yield from (Outcome(died, error="the process died") for died in again)

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
        while not self.stopping and len(self._running) < _AHEAD * jobs:
            task = next(waiting, None)
            if task is None:
                break
            self._running[executor.submit(self.carry_out, task)] = task
