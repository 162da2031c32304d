"""What a worker process does: the experiments on one key page."""

from __future__ import annotations

import logging
import os
import signal
import threading
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from multiprocessing import connection, parent_process

from templex_bench.case import Case
from templex_bench.experiment import Experiment
from templex_bench.gold import Site, SuiteError
from templex_bench.linked import LinkedPage
from templex_bench.methods import Find, Method, all_methods
from templex_bench.plan import Trial


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """The experiments to be made on one key page.

    Attributes:
        suite: name of the suite.
        site: its site.
        url: its address.
        trials: the experiments.
        linked: whether the similarities of the pages that it links to are wanted.
        time_limit: seconds that one experiment may take; None: without limit.
    """

    suite: str
    site: Site
    url: str
    trials: Sequence[Trial]
    linked: bool
    time_limit: float | None

    @property
    def page(self) -> tuple[str, str, str]:
        """What tells the key page from others."""
        return self.suite, self.site.name, self.url


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a task.

    Attributes:
        task: the task.
        rows: for each trial that was made, its rows.
        linked: the similarities; None if they were not wanted, or could not be had.
        error: why the key page could not be measured at all; empty if it could.
    """

    task: Task
    rows: Sequence[tuple[Trial, Sequence[Experiment]]] = field(default_factory=tuple)
    linked: Sequence[LinkedPage] | None = None
    error: str = ""


def carry_out(task: Task) -> Outcome:
    """Make the experiments of a task."""
    case = Case(task.suite, task.site, task.url, time_limit=task.time_limit)
    methods = all_methods()
    try:
        linked = case.linked_pages() if task.linked else None
        rows = [(trial, case.measure(trial, methods[trial.method], find)) for trial, find in _ready(task, methods)]
    except Exception as error:  # noqa: BLE001 - whatever is wrong with one page, the others are measured
        return Outcome(task, error=reason(error))
    return Outcome(task, rows, linked)


def reason(error: Exception) -> str:
    """Why something could not be measured: what the readers of suites say themselves, else with the error's type."""
    return str(error) if isinstance(error, SuiteError) else f"{type(error).__name__}: {error}"


def _ready(task: Task, methods: Mapping[str, Method]) -> list[tuple[Trial, Find]]:
    finds = {name: methods[name].load() for name in sorted({trial.method for trial in task.trials})}
    return [(trial, finds[trial.method]) for trial in task.trials]


def start_worker() -> None:
    """Prepare a process that does nothing but tasks."""
    # Ctrl-C reaches the whole group: what is under way is brought to its end, and the parent says when to stop
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # peers complain about pages they cannot read; that they brought nothing is in the results
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)
