"""Templates, menus and main content on the gold key pages of the saved sites: means over the sites."""

from functools import cache

import pandas as pd
import pytest
from helpers.detector_cases import SITES, needs_sites
from templex_bench.candidates import HYPERLINK_ANALYSIS
from templex_bench.case import Case
from templex_bench.methods import METHODS
from templex_bench.plan import Trial
from templex_bench.suites import open_suite

pytestmark = [pytest.mark.shared, needs_sites]

PRINTED = {"least_text": 0, "max_words": 3}


@cache
def cases():
    """The key pages of the saved sites."""
    return [Case(site, url) for site in open_suite(SITES).sites for url in site.key_urls]


@pytest.mark.parametrize(
    ("method", "parameters", "unit", "recall", "f1"),
    [
        ("temex", {"size": 3}, "nodes", 0.75, 0.80),
        ("templex", {"size": 3}, "words", 0.985, 0.905),
        ("page-conex", {}, "nodes", 0.75, 0.72),
        ("page-conex", {}, "words", 0.85, 0.80),
        ("page-conex", PRINTED, "nodes", 0.55, 0.58),
        ("page-conex", PRINTED, "words", 0.65, 0.69),
        ("site-conex", {"size": 4}, "nodes", 0.85, 0.76),
        ("site-conex", {"size": 4}, "words", 0.90, 0.83),
        ("content-words", {"size": 4}, "words", 0.93, 0.93),
        ("menex", {}, "links", 0.90, 0.83),
    ],
)
def test_means_over_the_sites(method, parameters, unit, recall, f1):
    search = {"candidates": HYPERLINK_ANALYSIS} if "size" in parameters else {}
    trial, of = Trial(method, {**search, **parameters}), METHODS[method]
    rows = [{"site": case.site.name, **row} for case in cases() for row in case.measure(trial, of, of.load())]
    found = pd.DataFrame([row for row in rows if row["unit"] == unit and row["gold"] is not None])
    of_sites = found.groupby("site")[["recall", "f1"]].mean().mean()
    assert (of_sites["recall"] >= recall, of_sites["f1"] >= f1) == (True, True), of_sites
