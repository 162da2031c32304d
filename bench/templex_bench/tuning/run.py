"""A run of the tuning: a task for each site, on some cores, into a file; what is there is not computed again."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

import templex_scrapy
from templex_bench.gold import Site, Suite
from templex_bench.gold.model import fingerprint_of
from templex_bench.pool import DIED, Pool, interruptible
from templex_bench.progress import progress_on
from templex_bench.tuning.grid import Grid
from templex_bench.tuning.measures import measures_of
from templex_bench.tuning.scores import PageScores, SiteScores
from templex_bench.tuning.siblings import TooMixedError
from templex_bench.tuning.store import MEANS, Made, TuningResults
from templex_bench.version import versions_of
from templex_bench.work import reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A site that is to be scored.

    Attributes:
        suite: name of the suite.
        site: the site.
        urls: its key pages.
        grid: the combinations.
        sizes: sizes of the complete subdigraph.
        made_by: what the scores depend on beside the grid: pages, gold standard, code.
    """

    suite: str
    site: Site
    urls: Sequence[str]
    grid: Grid
    sizes: tuple[int, ...]
    made_by: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a task.

    Attributes:
        task: the task.
        rows: its scores.
        seconds: CPU time that they took.
        error: why the site could not be scored; empty if it could.
        left_out: the key pages that would take too long, each with the reason.
    """

    task: Task
    rows: list[PageScores]
    seconds: float
    error: str = ""
    left_out: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Tally:
    """What became of a run.

    Attributes:
        lost: sites that could not be scored now, each with the reason.
        interrupted: whether the run was stopped before its end.
    """

    lost: list[str] = field(default_factory=list)
    interrupted: bool = False


def carry_out(task: Task) -> Outcome:
    """Score the key pages of a site."""
    start = time.process_time()
    rows: list[PageScores] = []
    left_out: dict[str, str] = {}
    try:
        scores = SiteScores(task.site, task.grid, task.sizes)
        for url in task.urls:
            try:
                rows += list(scores.of(url))
            except TooMixedError as error:
                left_out[url] = str(error)
    except Exception as error:  # noqa: BLE001 - whatever is wrong with one site, the others are scored
        return Outcome(task, [], time.process_time() - start, reason(error))
    return Outcome(task, rows, time.process_time() - start, left_out=left_out)


def tasks_for(
    suites: Sequence[Suite], results: TuningResults, sizes: tuple[int, ...], limit: int | None = None
) -> list[Task]:
    """What is not there yet.

    Args:
        suites: on which sites.
        results: what is there.
        sizes: sizes of the complete subdigraph.
        limit: key pages of each site at most; None: all.
    """
    there = results.sites()
    version = _version()
    found = []
    for suite in suites:
        for site in suite.sites:
            urls = site.key_urls[:limit]
            made_by = fingerprint_of([site.fingerprint(), version, *sizes, *urls])
            if there.get((suite.name, site.name)) != made_by:
                task = Task(suite=suite.name, site=site, urls=urls, grid=results.grid, sizes=sizes, made_by=made_by)
                found.append(task)
    return found


def run(tasks: Sequence[Task], results: TuningResults, jobs: int, stream: TextIO) -> Tally:
    """Score the sites and store them as they come; then the means over all sites that are there.

    Ctrl-C makes an end as soon as the sites under way are scored and stored; once more, at once. The means are then
    left to the next run.

    Args:
        tasks: the sites.
        results: where the scores go.
        jobs: number of processes.
        stream: where the progress is told: combinations on key pages.
    """
    tally = Tally()
    # a site takes long: none is handed out before its turn, so that an end comes soon
    pool = Pool(carry_out, _died, jobs, ahead=1)
    total = sum(_combinations(task) for task in tasks)
    if tasks:
        with (
            interruptible(pool, stream),
            progress_on(stream, total, "combinations") as progress,
            closing(pool.outcomes(tasks)) as outcomes,
        ):
            for outcome in outcomes:
                task = outcome.task
                if outcome.error:
                    tally.lost.append(f"{task.suite}, {task.site.name}: {outcome.error}")
                else:
                    made = Made(task.made_by, outcome.seconds, outcome.left_out)
                    results.add(task.suite, task.site.name, made, outcome.rows)
                progress.advance(_combinations(task), task.site.name)
    tally.interrupted = pool.stopping
    if tally.interrupted:
        return tally
    for size, votes in results.without_means():
        measures = measures_of(results.scores(size, votes))
        results.set_means(size, votes, [measures.means(name).tolist() for name in MEANS])
    return tally


def _died(task: Task) -> Outcome:
    return Outcome(task, [], 0.0, DIED)


def _combinations(task: Task) -> int:
    """How many are scored: each of the grid on every key page, at every size and number of votes."""
    return len(task.urls) * sum(task.sizes) * len(task.grid)


def _version() -> str:
    """The version of all code that decides on the scores."""
    folder = Path(templex_scrapy.__file__).parent / "workbench" / "tuning"
    own = [(folder / name).read_bytes() for name in ("ballots.py", "grid.py", "places.py", "scores.py", "sheets.py")]
    return fingerprint_of([versions_of(["temex"])["temex"], *own, (folder / "siblings.py").read_bytes()])
