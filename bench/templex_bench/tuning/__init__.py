"""Training, cross-validated by site: a Parquet file with the mean scores of each combination on each site."""

from __future__ import annotations

import argparse
import logging
from collections.abc import Sequence
from functools import cache
from typing import TextIO

import numpy as np
import pandas as pd
from joblib import Parallel, delayed  # type: ignore[import-untyped]
from tqdm import tqdm  # type: ignore[import-untyped]

from templex_bench.candidates import HYPERLINK_ANALYSIS, SIBLINGS, compare
from templex_bench.plan import EQUAL_SIZE
from templex_bench.run import version_of
from templex_bench.suites import Site, Suite
from templex_bench.suites.model import fingerprint_of
from templex_bench.tuning.tables import NAMES, Tuning, TuningError, read, tables
from templex_bench.tuning.trained import CONTENT_SIZE, MEASURES, Floats, grid, scored

__all__ = ["NAMES", "Tuning", "TuningError", "tables", "tune"]


def tune(options: argparse.Namespace, suites: Sequence[Suite], stream: TextIO) -> list[str]:
    """Score the sites that are not in the file ``options.out`` yet; it is written after each site.

    Returns:
        The key pages that could not be scored, with the reason.
    """
    conditions = [version_of("temex"), options.limit]
    sites = {
        fingerprint_of([s.name, site.fingerprint(), *conditions]): (s.name, site) for s in suites for site in s.sites
    }
    there = read(options.out) if options.out.exists() else pd.DataFrame({"made_by": []})
    there = there[there["made_by"].isin(list(sites))]
    frames, lost = [there], []
    todo = [made_by for made_by in sites if made_by not in set(there["made_by"])]
    jobs = (delayed(_scores_of)(made_by, sites[made_by][1], options.limit) for made_by in todo)
    parallel = Parallel(n_jobs=options.jobs, return_as="generator_unordered", batch_size=1)
    with tqdm(total=len(todo), unit=" sites", file=stream, disable=not todo) as bar:
        for made_by, found, reasons in parallel(jobs):
            suite, site = sites[made_by]
            lost += [f"{suite}, {site.name}, {reason}" for reason in reasons]
            if len(found):
                frames.append(found.assign(suite=suite, site=site.name, made_by=made_by, grid=grid()))
                pd.concat(frames, ignore_index=True).to_parquet(options.out, index=False)
            bar.update()
    return lost


def _scores_of(made_by: str, site: Site, limit: int | None) -> tuple[str, pd.DataFrame, list[str]]:
    logging.disable(logging.CRITICAL)
    fetch = cache(site.fetch)
    selection = HYPERLINK_ANALYSIS if site.linked else SIBLINGS
    found: dict[str, list[Floats]] = {}
    lost = []
    for url in site.key_urls[:limit]:
        try:
            key = site.key_page(url)
            pages = {
                size: compare(site, key.page, fetch, size=size, selection=selection).pages
                for size in (EQUAL_SIZE, CONTENT_SIZE)
            }
            for name, scores in scored(key, pages):
                found.setdefault(name, []).append(scores)
        except Exception as error:  # noqa: BLE001 - whatever is wrong with one page, the others are scored
            lost.append(f"{url}: {type(error).__name__}: {error}")
    logging.disable(logging.NOTSET)  # a single job runs in the caller's process
    means = [
        pd.DataFrame(np.mean(of_pages, axis=0), columns=list(MEASURES)).rename_axis("combination").assign(training=name)
        for name, of_pages in found.items()
    ]
    return made_by, pd.concat(means).reset_index() if means else pd.DataFrame(), lost
