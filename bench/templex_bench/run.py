"""A run: methods x key pages x parameters, on all cores, into a results file; stored experiments stay."""

from __future__ import annotations

import importlib.util
import json
import logging
import random
import shutil
import subprocess
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import TextIO

from joblib import Parallel, delayed  # type: ignore[import-untyped]
from tqdm import tqdm  # type: ignore[import-untyped]

import templex_bench
import templex_scrapy
from templex_bench.case import Case, Row
from templex_bench.detectors import Method
from templex_bench.methods import PREDICTIONS, method_named
from templex_bench.peers import PEERS
from templex_bench.plan import Choice, Trial, trials
from templex_bench.results import Results
from templex_bench.suites import Site, Suite, SuiteError
from templex_bench.suites.model import fingerprint_of, fingerprint_of_file
from templex_scrapy.compiled import running

_DECIDE_NO_RESULT = frozenset("tables cli.py results.py run.py crawl stores archives inspect commands".split())
"""Files and folders whose changes repeat no experiment; a new room of the product repeats them until it is listed."""


@dataclass(frozen=True, slots=True)
class Order:
    """Suites, methods and the choice of parameters; ``sample`` limits the key pages of each suite, drawn by chance."""

    suites: Sequence[Suite]
    methods: Sequence[Method]
    choice: Choice
    sample: int | None = None

    def chosen(self, suite: Suite) -> frozenset[tuple[str, str]]:
        """Return the key pages of a suite to measure, the same each time: name of the site, and address."""
        pages = [(site.name, url) for site in suite.sites for url in site.key_urls]
        if self.sample is None or len(pages) <= self.sample:
            return frozenset(pages)
        return frozenset(random.Random(suite.name).sample(pages, self.sample))  # noqa: S311 - not for secrets


@dataclass(frozen=True, slots=True)
class Task:
    """The experiments to make on a key page."""

    suite: str
    site: Site
    url: str
    trials: Sequence[Trial]


@dataclass(slots=True)
class Tally:
    """How many experiments were planned, there already, made, and failed; and the key pages that were lost."""

    planned: int = 0
    there: int = 0
    made: int = 0
    failed: int = 0
    lost: list[str] = field(default_factory=list)


def conditions(order: Order) -> dict[str, str]:
    """Return the conditions of a run: the commit, versions of the peers, and hashes of the suites."""
    git = shutil.which("git")
    command = [git or "", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty"]
    commit = subprocess.run(command, capture_output=True, text=True, check=False).stdout if git else ""  # noqa: S603
    peers = {f"peer {method.name}": str(PEERS[method.name].version) for method in order.methods if method.name in PEERS}
    suites = {f"suite {suite.name}": suite.fingerprint() for suite in order.suites}
    return {"commit": commit.strip() or "not known", "version": running(), **peers, **suites}


def run(order: Order, results: Results, jobs: int, stream: TextIO) -> Tally:
    """Make the experiments that are not there, in so many processes; after Ctrl-C the same call makes the rest."""
    tally = Tally()
    made_by = {(s.name, site.name): site.fingerprint() for s in order.suites for site in s.sites}
    tasks = _tasks(order, results, made_by, tally)
    parallel = Parallel(n_jobs=jobs, return_as="generator_unordered", pre_dispatch="2*n_jobs", batch_size=1)
    total = sum(len(task.trials) for task in tasks)
    interval = 0.5 if stream.isatty() else 15
    with tqdm(total=total, unit=" experiments", file=stream, mininterval=interval, disable=not tasks) as bar:
        for task, rows, error in parallel(map(delayed(carry_out), tasks)):
            where = made_by[task.suite, task.site.name]
            if error:
                tally.lost.append(f"{task.suite}, {task.site.name}, {task.url}: {error}")
            for row in rows:
                row["made_by"] = f"{where} {version_of(str(row['method']))}"
            results.add(rows)
            tally.made += len(task.trials) if not error else 0
            tally.failed += len({row["trial"] for row in rows if row["error"]})
            bar.update(len(task.trials))
    return tally


def _tasks(order: Order, results: Results, made_by: dict[tuple[str, str], str], tally: Tally) -> list[Task]:
    """Return the missing experiments, a task for each key page; sites take turns, so that any part shows all sites."""
    done = results.done()
    each = [(suite, order.chosen(suite)) for suite in order.suites]

    def tasks_of(suite: str, site: Site, chosen: frozenset[tuple[str, str]]) -> Iterator[Task]:
        wanted = trials(order.methods, order.choice, linked=site.linked)
        where = made_by[suite, site.name]
        for url in site.key_urls:
            if (site.name, url) not in chosen:
                continue
            missing = [
                trial
                for trial in wanted
                if done.get(trial.key(suite, site.name, url)) != f"{where} {version_of(trial.method)}"
            ]
            tally.planned += len(wanted)
            tally.there += len(wanted) - len(missing)
            if missing:
                yield Task(suite, site, url, missing)

    turns = zip_longest(*(tasks_of(suite.name, site, pages) for suite, pages in each for site in suite.sites))
    return [task for turn in turns for task in turn if task is not None]


def carry_out(task: Task) -> tuple[Task, list[Row], str]:
    """Make the experiments of a task, in a process of its own; return its rows, and why it failed, if it did."""
    # peers complain about pages they cannot read; that they found nothing is in the results
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            case = Case(task.site, task.url)
            methods = {trial.method: method_named(trial.method) for trial in task.trials}
            finds = {name: method.load() for name, method in methods.items()}
            rows = [
                {**_about(task, trial, case), **row}
                for trial in task.trials
                for row in case.measure(trial, methods[trial.method], finds[trial.method])
            ]
    except Exception as error:  # noqa: BLE001 - an error in one page must not stop the others
        reason = str(error) if isinstance(error, SuiteError) else f"{type(error).__name__}: {error}"
        return task, [], reason
    finally:
        logging.disable(logging.NOTSET)
    return task, rows, ""


def _about(task: Task, trial: Trial, case: Case) -> Row:
    return {
        "suite": task.suite,
        "site": task.site.name,
        "key_url": task.url,
        "trial": trial.key(task.suite, task.site.name, task.url),
        "category": case.key.category,
        "method": trial.method,
        "parameters": json.dumps(trial.parameters, sort_keys=True),
        "reading": trial.reading,
    }


@cache
def version_of(method: str) -> str:
    """Return the version of a method: a hash of the sources that decide on its results, and a peer's own version."""
    roots = [Path(str(package.__file__)).parent for package in (templex_bench, templex_scrapy)]
    if method in PEERS:
        measuring = [roots[0] / "measures", roots[0] / "suites", roots[0] / "peers.py"]
        files = [file for path in measuring for file in (sorted(path.glob("*.py")) if path.is_dir() else [path])]
        return f"{fingerprint_of(map(fingerprint_of_file, files))} {PEERS[method].version}"
    if method.endswith(PREDICTIONS):
        roots.append(Path(method.partition("=")[2]))
    yours = importlib.util.find_spec(method.partition("=")[2].partition(":")[0]) if ":" in method else None
    if yours is not None and yours.origin is not None:
        roots.append(Path(yours.origin))
    files = [file for root in roots for file in ([root] if root.is_file() else _measuring(root))]
    return fingerprint_of(map(fingerprint_of_file, files))


def _measuring(root: Path) -> list[Path]:
    return [file for file in sorted(root.rglob("*.py")) if file.relative_to(root).parts[0] not in _DECIDE_NO_RESULT]
