"""What was measured: suites, runtimes, what was found where there is no gold standard, and what went wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pandas as pd
from scipy.stats import spearmanr

from templex_bench.detectors import Method
from templex_bench.methods import method_named
from templex_bench.tables.model import Table, mean, milliseconds, out_of, share
from templex_bench.tables.study import PAGE, Study, standard, values


def suites(studies: Sequence[Study]) -> Table | None:
    """Show the suites: sites, key pages, and for how many sites there is a gold standard."""
    rows = []
    for study in studies:
        sites, pages = study.population
        nodes = study.rows.drop_duplicates(PAGE)["nodes"]
        gold = study.rows[study.rows["gold"].notna()]
        rows.append(
            {
                "Suite": study.suite,
                "Sites": f"{sites:,}",
                "Key pages": f"{pages:,}",
                "Nodes of a key page: median": f"{nodes.median():,.0f}",
                "smallest": f"{nodes.min():,}",
                "largest": f"{nodes.max():,}",
                **{
                    f"Sites with a gold {target}": str(gold.loc[gold["target"] == target, "site"].nunique())
                    for target in ("template", "content", "menu")
                },
                "Experiments": f"{study.rows['trial'].nunique():,}",
                "Errors": f"{study.rows.loc[study.rows['error'] != '', 'trial'].nunique():,}",
                "Not measured": f"{len(study.lost):,}",
                "A mean is over": "key pages" if study.by_page else "sites",
            }
        )
    note = "An experiment is a method with its parameters on one key page; an error is one that went wrong."
    return Table.of("The suites", rows, note)


def timed(study: Study) -> Iterator[tuple[Method, pd.Series[float], pd.Series[float]]]:
    """Yield the methods with nodes and seconds of each key page, at their standard parameters."""
    for name in dict.fromkeys(study.rows["method"]):
        method = method_named(name)
        own = study.rows[(study.rows["method"] == name) & (study.rows["reading"] == "")]
        found = standard(own[own["target"] == method.target])
        seconds = values(found, "runtime").dropna()
        if len(seconds):
            yield method, values(found, "nodes").loc[seconds.index], seconds


def runtimes(study: Study) -> Table | None:
    """Show runtimes and their growth with the nodes of the key page (Figure 12.3), quickest first."""
    rows = []
    for method, nodes, seconds in timed(study):
        row = {
            "Method": method.title,
            "Median, ms": milliseconds(float(seconds.median())),
            "90th percentile": milliseconds(float(seconds.quantile(0.9, interpolation="higher"))),
            "Longest": milliseconds(seconds.max()),
            "Spearman": share(rank_correlation(nodes, seconds), 2),
            "Key pages": out_of(len(seconds), study.population[1]),
        }
        rows.append((float(seconds.median()), row))
    notes = (
        "CPU time of detection, parsing included and loading not, on the machine that ran the experiments.",
        "Spearman: the rank correlation of nodes and time, as Figures 5.5, 6.2, 9.6 and 10.10 show it.",
        "The thesis has linear growth for TemEx and IWPTD and quadratic growth for RBM-TD, SST and RTDM-TD (12.3.3).",
    )
    ordered = [row for _, row in sorted(rows, key=lambda pair: pair[0])]
    return Table.of("Runtime and its growth with the nodes of the key page", ordered, *notes)


def rank_correlation(nodes: pd.Series[float], seconds: pd.Series[float]) -> float | None:
    """Return Spearman's correlation, or None where one side is constant."""
    return float(spearmanr(nodes, seconds).statistic) if min(nodes.nunique(), seconds.nunique()) > 1 else None


def found(study: Study) -> Table | None:
    """Show what was found of what the suite has no gold standard for."""
    rows = []
    for (target, unit, name), own in study.rows.groupby(["target", "unit", "method"], sort=False):
        method = method_named(str(name))
        without = own[own["reading"] == ""]
        if own["gold"].notna().any() or (without["error"] != "").all():
            continue
        chosen = standard(without[without["error"] == ""])
        rows.append(
            {
                "Method": method.title,
                "What": f"{unit} of the {target}" if method.target == target else f"{unit} left",
                "Found": mean(study.mean(chosen, "retrieved"), 1),
                "Nodes of the page": mean(study.mean(chosen, "nodes"), 1),
                "Found nothing, key pages": str(int((values(chosen, "retrieved") == 0).sum())),
                "Pages compared": mean(study.mean(chosen, "cs_size"), 1),
                "Loads": mean(study.mean(chosen, "loads"), 1),
                "Runtime, ms": milliseconds(chosen["runtime"].mean()),
            }
        )
    note = "There is no gold standard for these pages: this is what was found, not how good it is."
    return Table.of("What was found, without a gold standard", rows, note)


def errors(studies: Sequence[Study]) -> Table | None:
    """List the experiments that went wrong, equal errors of a method once."""
    rows = []
    for study in studies:
        wrong = study.rows[study.rows["error"] != ""]
        for (name, error), own in wrong.groupby(["method", "error"]):
            first = own.iloc[0]
            rows.append(
                {
                    "Suite": study.suite,
                    "Method": str(name),
                    "Error": str(error),
                    "Experiments": str(own["trial"].nunique()),
                    "Sites": str(own["site"].nunique()),
                    "First key page": f"{first['site']}: {first['key_url']}",
                }
            )
    note = "An experiment that went wrong found nothing: in the means it counts with 0, and without its time."
    return Table.of("Experiments that went wrong", rows, note)


def lost(pages: pd.DataFrame) -> Table | None:
    """List the key pages that could not be measured."""
    titles = {"suite": "Suite", "site": "Site", "key_url": "Key page", "reason": "Reason"}
    rows = [{titles[str(name)]: str(value) for name, value in row.items()} for row in pages.to_dict("records")]
    return Table.of("Key pages that could not be measured", rows, "What was to be measured there is in no mean.")
