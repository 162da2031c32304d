"""The thesis's grid for the similarity, all of it at once, with cross-validation by site (thesis, chapter 8)."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TextIO

import pandas as pd
from joblib import Parallel, delayed  # type: ignore[import-untyped]
from tqdm import tqdm  # type: ignore[import-untyped]

from templex_bench.run import version_of
from templex_bench.suites import Suite
from templex_bench.suites.model import fingerprint_of
from templex_bench.tables.model import Table
from templex_bench.tuning.file import Tuning, TuningError, kept
from templex_bench.tuning.grid import Grid
from templex_bench.tuning.scores import Row, score_site
from templex_bench.tuning.tables import NAMES, tables

__all__ = ["Tuning", "TuningError", "tune", "tuning_tables"]


def tune(options: argparse.Namespace, suites: Sequence[Suite], stream: TextIO) -> list[str]:
    """Score the sites that are not in the file ``options.out`` yet; it is written after each site.

    Returns:
        The key pages that could not be scored, with the reason.
    """
    if options.table not in {None, *NAMES}:
        raise TuningError(f"no table {options.table!r}; there are: {', '.join(NAMES)}")
    grid = Grid.coarse() if options.coarse else Grid.of_the_thesis()
    conditions = [version_of("temex"), options.limit]
    sites = {
        fingerprint_of([s.name, site.fingerprint(), *conditions]): (s.name, site) for s in suites for site in s.sites
    }
    there = kept(options.out, sites, coarse=options.coarse)
    done = set() if there is None else set(there["made_by"])
    frames, lost = [] if there is None else [there], []
    todo = [made_by for made_by in sites if made_by not in done]

    def scored(made_by: str) -> tuple[str, list[Row], list[str]]:
        suite, site = sites[made_by]
        return made_by, *score_site(suite, site, grid, options.limit)

    parallel = Parallel(n_jobs=options.jobs, return_as="generator_unordered", batch_size=1)
    with tqdm(total=len(todo), unit=" sites", file=stream, disable=not todo) as bar:
        for made_by, rows, reasons in parallel(map(delayed(scored), todo)):
            lost += reasons
            if rows:
                frames.append(pd.DataFrame(rows).assign(made_by=made_by, coarse=options.coarse))
                pd.concat(frames, ignore_index=True).to_parquet(options.out, index=False)
            bar.update()
    return lost


def tuning_tables(tuning: Tuning, only: str | None = None) -> list[Table]:
    """Return the tables of a tuning, or only one of them."""
    return list(tables(tuning, only))
