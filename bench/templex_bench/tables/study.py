"""The experiments of a suite, and how tables choose rows among them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from templex_bench.candidates import HYPERLINK_ANALYSIS
from templex_bench.detectors import Method
from templex_bench.measures.means import Estimate, estimate
from templex_bench.methods import PREDICTIONS, method_named
from templex_bench.plan import EQUAL_SIZE, STANDARD_SIZE, VOTES
from templex_bench.tables.fitted import FITTED_ON, collections_of

PAGE = ["site", "key_url"]
_SEARCH = ("candidates", "size", "votes", "seed")


def prepared(experiments: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of a results file, indexed by site and key page, with their parameters as columns."""
    parameters = [json.loads(text) for text in experiments["parameters"]]
    # loads count the key page, as the papers do; a failure tells no time, and texts of a file were extracted elsewhere
    is_timed = (experiments["error"] == "") & ~experiments["method"].str.endswith(PREDICTIONS)
    made = experiments.assign(
        loads=experiments["loads"] + 1,
        runtime=experiments["runtime"].where(is_timed),
        **{name: [given.get(name) for given in parameters] for name in _SEARCH},
    )
    made = made.sort_values(["suite", "method", "parameters", "site", "key_url", "unit"])
    return made.set_index(PAGE, drop=False).rename_axis([None, None])


@dataclass(frozen=True)
class Group:
    """The experiments of a method with the same parameters."""

    method: Method
    title: str
    rows: pd.DataFrame


@dataclass(frozen=True)
class Study:
    """The experiments of a suite.

    Attributes:
        suite: name of the suite.
        rows: its experiments, see :func:`prepared`.
    """

    suite: str
    rows: pd.DataFrame

    @cached_property
    def by_page(self) -> bool:
        """Whether key pages of a site are of several types: then every page counts once in a mean."""
        return bool((self.rows.groupby("site")["category"].nunique() > 1).any())

    @cached_property
    def categories(self) -> list[str]:
        """The categories, sorted."""
        return sorted(set(self.rows["category"]) - {""})

    @cached_property
    def population(self) -> tuple[int, int]:
        """How many sites and key pages there are."""
        return self.rows["site"].nunique(), len(self.rows[PAGE].drop_duplicates())

    @cached_property
    def _collections(self) -> frozenset[str]:
        return collections_of(set(self.rows["key_url"]))

    def is_fitted(self, method: str) -> bool:
        """Return whether something about a method was chosen on any of the key pages."""
        return not FITTED_ON.get(method, frozenset()).isdisjoint(self._collections)

    def with_gold(self, target: str, unit: str) -> pd.DataFrame:
        """Return the rows that have a gold standard."""
        rows = self.rows
        return rows[(rows["target"] == target) & (rows["unit"] == unit) & rows["gold"].notna()]

    def mean(self, rows: pd.DataFrame, measure: str = "f1", *, interval: bool = False) -> Estimate | None:
        """Return the mean of a measure; repetitions on a page, such as other seeds, are averaged first."""
        return estimate(values(rows, measure), by_page=self.by_page, interval=interval)

    def difference(self, ours: pd.DataFrame, theirs: pd.DataFrame) -> Estimate | None:
        """Return the mean F1 of ours minus theirs, paired by key page."""
        return estimate((values(ours, "f1") - values(theirs, "f1")).dropna(), by_page=self.by_page)

    def groups(self, target: str, unit: str, *, seeks: str | None = None) -> list[Group]:
        """Return the methods at their standard parameters, best first.

        A method that failed wherever it was tried is left out. Methods may seek another target than is measured.
        """
        found = []
        for name, rows in self.with_gold(target, unit).groupby("method", sort=False):
            method = method_named(str(name))
            if method.target == (seeks or target) and not (rows["error"] != "").all():
                chosen = standard(rows[rows["reading"] == ""])
                size = chosen["size"].iloc[0] if len(chosen) else None
                title = (
                    method.title if size in {None, EQUAL_SIZE} or pd.isna(size) else f"{method.title}, {size:.0f} pages"
                )
                found.append(Group(method, title, chosen))
        return sorted((group for group in found if len(group.rows)), key=self._rank)

    def _rank(self, group: Group) -> float:
        mean = self.mean(group.rows)
        return -round(mean.mean, 12) if mean else 0.0

    def of_method(self, name: str, target: str, unit: str) -> pd.DataFrame:
        """Return the rows of a method with its default reading."""
        rows = self.with_gold(target, unit)
        return rows[(rows["method"] == name) & (rows["reading"] == "")]


def values(rows: pd.DataFrame, measure: str) -> pd.Series[float]:
    """Return the measure of each key page, indexed by site and address."""
    found = rows[measure]
    # mostly each page has a single row, and to group takes far longer than to look
    return found.sort_index() if found.index.is_unique else found.groupby(level=[0, 1], sort=True).mean()


def standard(rows: pd.DataFrame, *free: str) -> pd.DataFrame:
    """Return the rows of a method at its standard size, votes and selection of candidates, except free parameters."""
    if not len(rows):
        return rows
    size = STANDARD_SIZE.get(str(rows["method"].iloc[0]), EQUAL_SIZE)
    for name, value in (("candidates", HYPERLINK_ANALYSIS), ("size", size)):
        if name not in free:
            rows = _preferring(rows, name, value)
    if "votes" in free or rows["votes"].isna().all():
        return rows
    by_size = [_preferring(own, "votes", VOTES.get(int(own["size"].iloc[0]), 2)) for _, own in rows.groupby("size")]
    return pd.concat(by_size)


def _preferring(rows: pd.DataFrame, column: str, value: object) -> pd.DataFrame:
    """Return the rows with a value in a column; where there are none, those with the most frequent value."""
    known = rows[column].dropna()
    if not len(known):
        return rows
    return rows[rows[column] == (value if (known == value).any() else known.mode().iloc[0])]
