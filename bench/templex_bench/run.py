"""A run: methods x key pages x parameters, on all cores, into a results file; what is there is not made again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import TextIO

from templex_bench.gold import Site, Suite
from templex_bench.lost import LostPage
from templex_bench.methods import Method
from templex_bench.plan import Choice, trials
from templex_bench.pool import DIED, Pool, interruptible
from templex_bench.progress import progress_on
from templex_bench.results import Results, Stamp
from templex_bench.version import versions_of
from templex_bench.work import Outcome, Task, carry_out

LINKED = "linked pages"
"""What the similarities are called where versions are told by method."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What is to be run.

    Attributes:
        suites: on which sites.
        methods: what is measured.
        choice: with which parameters.
        limit: key pages of each site at most; None: all.
        time_limit: seconds that one experiment may take; None: without limit.
        retry_failed: whether experiments that ended with an error are made again.
    """

    suites: Sequence[Suite]
    methods: Sequence[Method]
    choice: Choice = field(default_factory=Choice)
    limit: int | None = None
    time_limit: float | None = None
    retry_failed: bool = False


@dataclass(slots=True)
class Tally:
    """What became of a run.

    Attributes:
        planned: experiments that the order asks for.
        there: of those, how many were there already.
        made: how many were made.
        rows: rows of those: one for each unit that an experiment is measured in.
        failed: how many of those ended with an error.
        lost: key pages that could not be measured at all, with the reason.
        interrupted: whether the run was stopped before its end.
    """

    planned: int = 0
    there: int = 0
    made: int = 0
    rows: int = 0
    failed: int = 0
    lost: list[str] | None = None
    interrupted: bool = False


class Runner:
    """Carries out an order.

    Args:
        order: what is to be run.
        results: where the rows go, and what is there already.
    """

    def __init__(self, order: Order, results: Results) -> None:
        self.order = order
        self.results = results
        self.tally = Tally(lost=[])
        self._versions = versions_of([*(method.name for method in order.methods), LINKED])
        self._fingerprints: dict[tuple[str, str], str] = {}

    def tasks(self) -> list[Task]:
        """What is not there yet, a task for each key page; the sites take turns, so that any part tells of all.

        What a lower time limit has ended is not there either.
        """
        done, linked = self.results.done(), self.results.linked_done()
        again = self.results.failed() if self.order.retry_failed else self.results.cut_short(self.order.time_limit)
        known = {key: stamp for key, stamp in done.items() if key not in again}
        sites = [
            list(self._tasks_of(suite.name, site, known, linked)) for suite in self.order.suites for site in suite.sites
        ]
        return [task for turn in zip_longest(*sites) for task in turn if task is not None]

    def _tasks_of(
        self, suite: str, site: Site, done: Mapping[str, Stamp], linked: Mapping[tuple[str, str, str], Stamp]
    ) -> Iterator[Task]:
        wanted = trials(self.order.methods, self.order.choice, linked=site.linked)
        self._fingerprints[suite, site.name] = site.fingerprint()
        for url in site.key_urls[: self.order.limit]:
            missing = [
                trial
                for trial in wanted
                if not self._is_there(done.get(trial.key(suite, site.name, url)), suite, site, trial.method)
            ]
            likeness = site.linked and not self._is_there(linked.get((suite, site.name, url)), suite, site, LINKED)
            self.tally.planned += len(wanted)
            self.tally.there += len(wanted) - len(missing)
            if missing or likeness:
                yield Task(
                    suite=suite, site=site, url=url, trials=missing, linked=likeness, time_limit=self.order.time_limit
                )

    def _stamp(self, suite: str, site: str, method: str) -> Stamp:
        return Stamp(self._fingerprints[suite, site], self._versions[method])

    def _is_there(self, stamp: Stamp | None, suite: str, site: Site, method: str) -> bool:
        return stamp == self._stamp(suite, site.name, method)

    def run(self, jobs: int, stream: TextIO) -> Tally:
        """Make what is not there.

        Ctrl-C makes an end as soon as what is under way is done and stored; once more, at once.

        Args:
            jobs: number of processes.
            stream: where the progress is told.
        """
        tasks = self.tasks()
        pool = Pool(carry_out, _died, jobs)
        total = sum(len(task.trials) for task in tasks)
        if tasks:
            with (
                interruptible(pool, stream),
                progress_on(stream, total) as progress,
                closing(pool.outcomes(tasks)) as outcomes,
            ):
                for outcome in outcomes:
                    self._store(outcome)
                    progress.advance(len(outcome.task.trials), outcome.task.site.name)
        self.tally.interrupted = pool.stopping
        return self.tally

    def _store(self, outcome: Outcome) -> None:
        suite, site, url = outcome.task.page
        keys = [trial.key(suite, site, url) for trial in outcome.task.trials]
        if outcome.error:
            assert self.tally.lost is not None  # noqa: S101 - made in the constructor
            self.tally.lost.append(f"{suite}, {site}, {url}: {outcome.error}")
            self.results.add_lost(
                LostPage(suite, site, url, outcome.error),
                self._fingerprints[suite, site],
                keys,
                linked=outcome.task.linked,
            )
            return
        # first, for a run that is ended in between does not come back to a page whose rows are there
        self.results.found_again((suite, site, url), keys, linked=outcome.task.linked)
        self.results.add(
            (trial.key(suite, site, url), self._stamp(suite, site, trial.method), row)
            for trial, rows in outcome.rows
            for row in rows
        )
        if outcome.linked is not None:
            self.results.add_linked((suite, site, url), self._stamp(suite, site, LINKED), outcome.linked)
        self.tally.made += len(outcome.rows)
        self.tally.rows += sum(len(rows) for _, rows in outcome.rows)
        self.tally.failed += sum(any(row.error for row in rows) for _, rows in outcome.rows)


def _died(task: Task) -> Outcome:
    return Outcome(task, error=DIED)
