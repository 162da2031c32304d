"""The means of a results file as plain text: a quick look, where the report is the long one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import fmean

from templex_scrapy.workbench.candidates import HYPERLINK_ANALYSIS, SIBLINGS
from templex_scrapy.workbench.experiment import Experiment

_MEASURES = ("precision", "recall", "f1")
_Row = tuple[str, Sequence[Experiment]]


def overview(rows: Iterable[Experiment], *, everything: bool = False, by_category: bool = False) -> Iterator[str]:
    """The means, best F1 first.

    Means are taken over the key pages of a site, then over the sites; where the pages of a site are of several
    categories, over all pages. Experiments that ended with an error count with a score of 0; without a gold standard
    only what was retrieved is told.

    Args:
        rows: the experiments.
        everything: every set of parameters; else those with random, menu and non-menu links are left out.
        by_category: the mean F1 of each category, too.
    """
    groups: dict[tuple[str, str, str], dict[str, list[Experiment]]] = {}
    for row in rows:
        if everything or row.parameters.get("candidates") in {None, HYPERLINK_ANALYSIS, SIBLINGS}:
            group = groups.setdefault((row.suite, row.target, row.unit), {})
            group.setdefault(_described(row), []).append(row)
    for (suite, target, unit), methods in sorted(groups.items()):
        categories = sorted({row.category for own in methods.values() for row in own}) if by_category else []
        yield f"== {suite}: {unit} of the {target} =="
        head = "".join(f"{name:>10}" for name in ("P", "R", "F1", "retrieved", "loads", "ms", "pages", "errors"))
        yield f"{'':46}{head}" + "".join(f"{name[:13]:>14}" for name in categories)
        for name, own in sorted(methods.items(), key=_best_first):
            yield _line(name, own) + "".join(_cell(mean(_only(own, category), "f1"), 14) for category in categories)
        yield ""


def mean(rows: Sequence[Experiment], measure: str) -> float | None:
    """The mean of a measure as told in :func:`overview`; None if no row has it."""
    sites: dict[str, dict[str, list[float]]] = {}
    categories: dict[str, set[str]] = {}
    for row in rows:
        value = getattr(row, measure)
        categories.setdefault(row.site, set()).add(row.category)
        if value is not None:
            sites.setdefault(row.site, {}).setdefault(row.key_url, []).append(value)
    if not sites:
        return None
    by_site = [[fmean(values) for values in pages.values()] for pages in sites.values()]
    if any(len(names) > 1 for names in categories.values()):
        return fmean(value for pages in by_site for value in pages)
    return fmean(map(fmean, by_site))


def _described(row: Experiment) -> str:
    shown: Mapping[str, object] = {name: value for name, value in row.parameters.items() if name != "seed"}
    return " ".join(
        [row.detector, *(f"{name}={value}" for name, value in shown.items() if value != HYPERLINK_ANALYSIS)]
    )


def _best_first(method: _Row) -> tuple[float, str]:
    best = mean(method[1], "f1")
    return (0.0 if best is None else -best, method[0])


def _only(rows: Sequence[Experiment], category: str) -> list[Experiment]:
    return [row for row in rows if row.category == category]


def _line(name: str, rows: Sequence[Experiment]) -> str:
    cells = "".join(_cell(mean(rows, measure)) for measure in _MEASURES)
    cells += "".join(f"{mean(rows, measure) or 0:10.1f}" for measure in ("retrieved", "loads"))
    errors = sum(1 for row in rows if row.error)
    return f"{name:46}{cells}{1000 * (mean(rows, 'runtime') or 0):10.1f}{len(rows):10}{errors:10}"


def _cell(value: float | None, width: int = 10) -> str:
    return f"{'-':>{width}}" if value is None else f"{value:{width}.3f}"
