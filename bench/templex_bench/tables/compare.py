"""Methods side by side, readings of the papers, and TemEx by category, by paper and by candidates (chapters 7 to 9)."""

from __future__ import annotations

import pandas as pd

from templex_bench.candidates import HYPERLINK_ANALYSIS
from templex_bench.measures.means import chance, estimate, holm
from templex_bench.methods import method_named
from templex_bench.tables import published
from templex_bench.tables.model import MISSING, Table, difference, mean, milliseconds, out_of, share
from templex_bench.tables.study import Study, standard, values

CHOSEN_WITHOUT = "reading chosen without the site"


def figures(study: Study, rows: pd.DataFrame) -> dict[str, str]:
    """Return recall, precision, F1, loads, runtime, sites and key pages of a method with its parameters."""
    found = study.mean(rows, interval=True)
    if found is None:
        return {}
    recall, precision, loads, runtime = (
        study.mean(rows, measure) for measure in ("recall", "precision", "loads", "runtime")
    )
    sites, pages = study.population
    return {
        "Recall": mean(recall),
        "Precision": mean(precision),
        "F1": mean(found),
        "Loads": mean(loads, 2),
        "Runtime, ms": milliseconds(runtime.mean if runtime else None),
        "Sites": out_of(found.sites, sites),
        "Key pages": out_of(found.pages, pages),
    }


def as_published(of: str, at: object = "") -> dict[str, str]:
    """Return the published figures of something, where there are any."""
    recall, precision, f1, loads, ms = published.figures(of, at)
    return {
        "published recall": share(recall),
        "published precision": share(precision),
        "published F1": share(f1),
        "published loads": share(loads, 2),
        "published ms": share(ms, 0),
    }


def side_by_side(study: Study, target: str, unit: str) -> Table | None:
    """Compare all methods at their standard parameters (Table 12.3 and those of the other chapters)."""
    groups = study.groups(target, unit)
    chances = holm([chance(values(group.rows, "f1") - values(groups[0].rows, "f1")) for group in groups[1:]])
    rows = []
    for group, p in zip(groups, [float("nan"), *chances], strict=False):
        less = None if group is groups[0] else study.difference(group.rows, groups[0].rows)
        wrong = int((group.rows["error"] != "").sum())
        rows.append(
            {
                "Method": group.title,
                **figures(study, group.rows),
                "F1 less that of the best": difference(less),
                "p": share(p),
                "Errors": str(wrong or MISSING),
                **as_published(f"{group.method.name} {target} {unit}"),
            }
        )
    fitted = [group.method.title for group in groups if study.is_fitted(group.method.name)]
    notes = [
        "Best first. F1 less that of the best is paired by key page; where the interval contains 0 the two are level.",
        "p: Wilcoxon's signed-rank test of these differences by site, with Holm's correction for all rows.",
        *([f"Chosen in part on this suite, so that the figure is too good: {', '.join(fitted)}."] if fitted else []),
        "The papers' detectors are this package's readings; the tables of readings have a row as printed.",
        "Published: thesis, 45 evaluation sites of TeCo; peers: WCXB, its development split. Other sites than here.",
    ]
    return Table.of(f"Methods side by side, {unit} of the {target}", rows, *notes)


def readings(study: Study, target: str, unit: str) -> Table | None:
    """Compare every reading of a paper with the default, at the same votes and, unless it names another, size."""
    with_gold = study.with_gold(target, unit)
    rows = []
    for name in dict.fromkeys(with_gold.loc[with_gold["reading"] != "", "method"]):
        if method_named(name).target != target:
            continue
        own = with_gold[with_gold["method"] == name]
        default = standard(own[own["reading"] == ""])
        for reading, found in [("default", default), *own[own["reading"] != ""].groupby("reading", sort=False)]:
            less = None if reading == "default" else study.difference(found, default)
            rows.append({"Detector": name, "Reading": str(reading), **_short(study, found), _LESS: difference(less)})
            theirs = as_published(f"{name} {target} {unit}", "" if reading == "default" else reading)
            rows[-1].update({"Runtime, ms": milliseconds(found["runtime"].mean()), **theirs})
        pages = chosen_without(study, with_gold, name)
        if pages is not None:
            means = {measure: estimate(pages[measure], by_page=study.by_page) for measure in pages}
            less = estimate((pages["f1"] - values(default, "f1")).dropna(), by_page=study.by_page)
            found = {title: mean(means[measure]) for title, measure in _SHORT.items()}
            rows.append({"Detector": name, "Reading": CHOSEN_WITHOUT, **found, _LESS: difference(less)})
    notes = (
        "Where a reading was decided by measuring it, the default's figures are too good on the sites of the choice.",
        f"“{CHOSEN_WITHOUT}”: each site with the reading that has the best F1 on all other sites.",
        "Differences are paired by key page.",
    )
    return Table.of(f"Readings of the papers, {unit} of the {target}", rows, *notes)


_LESS = "F1 less that of the default"
_SHORT = {"Recall": "recall", "Precision": "precision", "F1": "f1"}


def _short(study: Study, rows: pd.DataFrame) -> dict[str, str]:
    return {title: mean(study.mean(rows, measure, interval=title == "F1")) for title, measure in _SHORT.items()}


def chosen_without(study: Study, rows: pd.DataFrame, name: str) -> pd.DataFrame | None:
    """Return the measures of each key page with the reading that is best on all other sites.

    Of equals the default is taken, then the first. None for fewer than two readings or sites.
    """
    own = rows[rows["method"] == name]
    default = standard(own[own["reading"] == ""])
    others = [found for _, found in own[own["reading"] != ""].groupby("reading", sort=False)]
    if not others or not len(default):
        return None
    f1 = pd.concat([values(found, "f1") for found in (default, *others)], axis=1, keys=range(len(others) + 1)).dropna()
    if f1.index.get_level_values(0).nunique() < 2:
        return None
    # a site counts once, or each of its pages
    of_site = f1.groupby(level=0).agg("sum" if study.by_page else "mean")
    chosen = (of_site.sum() - of_site).round(9).idxmax(axis="columns")
    parts = [
        pd.concat([values(found, measure) for measure in _SHORT.values()], axis=1, keys=list(_SHORT.values()))
        for found in (default, *others)
    ]
    return pd.concat([parts[index].loc[[site]] for site, index in chosen.items()])


def temex_by_category(study: Study) -> Table | None:
    """Show TemEx by category (Table 9.2); of several key pages the means."""
    found = standard(study.of_method("temex", "template", "nodes"))
    if not len(found) or study.by_page or not study.categories:
        return None
    rows = []
    for name, own in [*found[found["category"] != ""].groupby("category"), ("Average", found)]:
        counts = {count: study.mean(own, count) for count in ("nodes", "gold", "retrieved", "correct")}
        cells = {count.capitalize(): mean(found, 1) for count, found in counts.items()}
        rows.append({"Category": str(name), **cells, **figures(study, own)})
    return Table.of("TemEx by category, nodes of the template", rows)


def papers(study: Study) -> Table | None:
    """Show the papers before the thesis beside TemEx with their sizes and votes."""
    every = study.with_gold("template", "nodes")
    found = standard(study.of_method("temex", "template", "nodes"), "size", "votes")
    rows = []
    for paper, size, number in published.of_papers():
        own = found[(found["size"] == size) & (found["votes"] == number)]
        cells = {"Paper": paper, "Size": str(size), "Votes": str(number)}
        rows.append({**cells, **figures(study, own), **as_published(paper, f"{size} {number}")})
    for reading, own in every[every["reading"].str.startswith("PROLE")].groupby("reading"):
        theirs = as_published("temex template nodes", reading)
        rows.append({"Paper": str(reading), **figures(study, own), **theirs})
    notes = (
        "PROLE 2014 maps the key page to a page, and the mapped nodes to the next; its sizes count the key page.",
        "It takes links in the order of the page and prints no weights: here both are the thesis's.",
        "Published: 20 sites (PROLE 2014), 40 (WWV 2014), 30 (WWW 2015), not those here; loads as told there.",
    )
    return Table.of("The papers before the thesis: TemEx, nodes of the template", rows, *notes)


def candidates(study: Study) -> Table | None:
    """Compare ways of selecting the candidates with hyperlink analysis (Table 7.6)."""
    found = standard(study.of_method("temex", "template", "nodes"), "candidates")
    groups = dict(list(found.groupby("candidates")))
    if len(groups) < 2:
        return None
    analysis = groups.get(HYPERLINK_ANALYSIS, found.iloc[:0])
    rows = [
        {
            "Candidates": str(name),
            **figures(study, own),
            "F1 less that of hyperlink analysis": difference(
                None if name == HYPERLINK_ANALYSIS else study.difference(own, analysis)
            ),
            **as_published("candidates", name),
        }
        for name, own in groups.items()
    ]
    note = "The difference is paired by key page. Published: thesis, Table 7.6, 105 training sites of TeCo."
    return Table.of("Selection of the candidates: TemEx, nodes of the template", rows, note)
