"""The means of a results file as plain text: a quick look, where the report is the long one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import fmean

from templex_bench import names
from templex_bench.candidates import HYPERLINK_ANALYSIS
from templex_bench.experiment import Experiment
from templex_bench.study import without_readings
from templex_bench.variants import standard

_MEASURES = {"P": "precision", "R": "recall", "F1": "f1"}
_Row = tuple[str, Sequence[Experiment]]


def overview(rows: Iterable[Experiment], *, everything: bool = False, by_category: bool = False) -> Iterator[str]:
    """The means, best F1 first.

    Means are taken over the key pages of a site, then over the sites; where the pages of a site are of several
    categories, over all pages. Experiments that ended with an error count with a score of 0. Where no key page has a
    gold standard, only what was retrieved is told. Bounds are made of the gold standard: without it they are left out.

    Args:
        rows: the experiments.
        everything: every set of parameters; else each method with its default reading at the papers' size, votes and
            selection of candidates.
        by_category: the mean F1 of each category, too.
    """
    groups: dict[tuple[str, str, str], list[Experiment]] = {}
    for row in rows:
        groups.setdefault((row.suite, row.target, row.unit), []).append(row)
    for (suite, target, unit), found in sorted(groups.items()):
        known = any(row.gold is not None for row in found)
        own = [row for row in found if row.gold is not None or names.role(row.detector) != "bound"]
        methods = _methods(own, everything=everything)
        if methods:
            categories = sorted({row.category for row in own} - {""}) if by_category and known else []
            yield f"== {suite}: {unit} of the {target}{'' if known else ', without a gold standard'} =="
            yield from _lines(methods, categories, known=known)
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
    if any(len(found) > 1 for found in categories.values()):
        return fmean(value for pages in by_site for value in pages)
    return fmean(map(fmean, by_site))


def _methods(rows: Sequence[Experiment], *, everything: bool) -> list[_Row]:
    """The methods with their rows, best first."""
    detectors: dict[str, list[Experiment]] = {}
    for row in rows:
        detectors.setdefault(row.detector, []).append(row)
    chosen = detectors.values() if everything else (standard(without_readings(own)) for own in detectors.values())
    found: dict[str, list[Experiment]] = {}
    for row in (row for own in chosen for row in own):
        found.setdefault(_described(row), []).append(row)
    return sorted(found.items(), key=_best_first)


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


def _lines(methods: Sequence[_Row], categories: Sequence[str], *, known: bool) -> Iterator[str]:
    measures = _MEASURES if known else {}
    width = max(len(name) for name, _ in methods) + 2
    head = "".join(f"{name:>10}" for name in (*measures, "retrieved", "loads", "ms", "pages", "errors"))
    yield " " * width + head + "".join(f"{name[:13]:>14}" for name in categories)
    for name, own in methods:
        cells = "".join(_cell(mean(own, measure)) for measure in measures.values())
        cells += "".join(f"{mean(own, measure) or 0:10.1f}" for measure in ("retrieved", "loads"))
        pages, errors = len({(row.site, row.key_url) for row in own}), sum(1 for row in own if row.error)
        cells += f"{1000 * (mean(own, 'runtime') or 0):10.1f}{pages:10}{errors:10}"
        yield f"{name:{width}}{cells}" + "".join(_cell(mean(_only(own, name), "f1"), 14) for name in categories)


def _cell(value: float | None, width: int = 10) -> str:
    return f"{'-':>{width}}" if value is None else f"{value:{width}.3f}"
