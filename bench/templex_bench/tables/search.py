"""Links, candidates, sizes and votes: chapters 7, 8 and 10 of the thesis, on our sites."""

from __future__ import annotations

from templex_bench.candidates import HYPERLINK_ANALYSIS, MOST_LINKED
from templex_bench.measures.means import estimate
from templex_bench.methods import method_named
from templex_bench.plan import VOTES
from templex_bench.tables import published
from templex_bench.tables.compare import as_published, figures
from templex_bench.tables.model import MISSING, Table, difference, mean, share
from templex_bench.tables.study import PAGE, Study, by_value, standard


def sizes(study: Study, target: str, unit: str) -> Table | None:
    """Show each method by size of the complete subdigraph, at the votes of Table 8.4 (Tables 7.7 and 10.1)."""
    rows = []
    with_gold = study.with_gold(target, unit)
    for name in dict.fromkeys(with_gold["method"]):
        if method_named(name).target != target:
            continue
        found = standard(study.of_method(name, target, unit), "size")
        series = list(by_value(found, "size"))
        for size, own in series if len(series) > 1 else []:
            cells = {"Method": name, "Size": str(size), "Found": mean(study.mean(own, "cs_size"), 2)}
            rows.append(
                {
                    **cells,
                    **figures(study, own),
                    **as_published(f"{name} {target} {unit}", f"size {size}"),
                }
            )
    notes = (
        "Where no complete subdigraph of the size exists, the largest one found is used; “Found” is the mean of those.",
        "Loads include the key page. Votes as in the thesis, Table 8.4.",
        "Published: thesis, Tables 7.7 and 10.1, training sites of TeCo.",
    )
    return Table.of(f"Size of the complete subdigraph, {unit} of the {target}", rows, *notes)


def votes(study: Study) -> Table | None:
    """Show F1 of TemEx for every number of votes at every size (Table 8.4)."""
    found = standard(study.of_method("temex", "template", "nodes"), "size", "votes")
    if found["votes"].nunique() < 2:
        return None
    rows = []
    for size, own in by_value(found, "size"):
        means = {number: study.mean(some) for number, some in by_value(own, "votes")}
        best = max(means, key=lambda number: (mean(means[number])[:5], -number))
        cells = {f"{number} votes": mean(found) for number, found in means.items()}
        theirs = published.figures("temex template nodes", f"size {size}")
        row = {"Size": str(size), **cells, "Best": str(best), "published best": str(VOTES.get(size, MISSING))}
        rows.append({**row, "published F1": share(theirs.f1)})
    note = "The best number of votes is picked on the sites it is shown for. Published: Table 8.4, 35 training sites."
    return Table.of("Votes by size of the complete subdigraph: F1 of TemEx, nodes of the template", rows, note)


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
        "PROLE 2014 maps what is left of the key page to one page after the other; its sizes count the key page.",
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


def linked(study: Study) -> Table | None:
    """Show how much of the template pages have that the menu links to, and other linked pages (Figure 7.6)."""
    rows = []
    for value, own in study.links.dropna(subset=["in_menu", "recall"]).groupby("in_menu"):
        found = estimate(own.groupby(PAGE)["recall"].mean())
        rows.append(
            {
                "In the menu": f"{value:.0f}",
                "Template nodes found": mean(found),
                "Sites": str(found.sites if found else 0),
                "Linked pages": str(len(own)),
                "published": share(published.figures("in_menu", f"{value:.0f}").recall),
            }
        )
    notes = (
        f"1: the gold menu has the link; 0: it has not. At most {MOST_LINKED} links of a key page.",
        "The share of the key page's template nodes that a linked page has, by the published parameters (option 4).",
        "Published: section 7.3.1, training sites of TeCo.",
    )
    return Table.of("What linked pages share with the key page, in the menu or not", rows, *notes)
