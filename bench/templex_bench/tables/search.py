"""Candidates, sizes and votes: Tables 7.4, 7.6, 7.7, 8.4 and 10.1 of the thesis, on our sites."""

from __future__ import annotations

from templex_bench.candidates import HYPERLINK_ANALYSIS
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
        known = published.SIZES.get((name, unit), {})
        for size, own in series if len(series) > 1 else []:
            cells = {"Method": name, "Size": str(size), "Found": mean(study.mean(own, "cs_size"), 2)}
            rows.append({**cells, **figures(study, own), **as_published(known.get(size))})
    notes = (
        "Where no complete subdigraph of the size exists, the largest one found is used; “Found” is the mean of those.",
        "Loads include the key page. Votes as in the thesis, Table 8.4.",
        "Published: thesis, Tables 7.7 and 10.1, training sites of TeCo.",
    )
    return Table.of(f"sizes-{target}-{unit}", f"Size of the complete subdigraph, {unit} of the {target}", rows, *notes)


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
        theirs = published.SIZES["temex", "nodes"].get(size)
        row = {"Size": str(size), **cells, "Best": str(best), "published best": str(VOTES.get(size, MISSING))}
        rows.append({**row, "published F1": share(theirs and theirs.f1)})
    note = "The best number of votes is picked on the sites it is shown for. Published: Table 8.4, 35 training sites."
    return Table.of("votes", "Votes by size of the complete subdigraph: F1 of TemEx, nodes of the template", rows, note)


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
            **as_published(published.CANDIDATES.get(str(name))),
        }
        for name, own in groups.items()
    ]
    note = "The difference is paired by key page. Published: thesis, Table 7.6, 105 training sites of TeCo."
    return Table.of("candidates", "Selection of the candidates: TemEx, nodes of the template", rows, note)


def distances(study: Study) -> Table | None:
    """Show how similar linked pages are by hyperlink distance (Table 7.4)."""
    gold = bool(study.links["recall"].notna().any())
    measure = "recall" if gold else "similarity"
    rows = []
    for distance, own in study.links.dropna(subset=[measure]).groupby("distance"):
        found = estimate(own.groupby(PAGE)[measure].mean())
        known = published.DISTANCES.get(int(str(distance))) if gold else None
        rows.append(
            {
                "Hyperlink distance": f"{int(str(distance)):+d}" if distance else "0",
                "Similarity": mean(found),
                "Sites": str(found.sites if found else 0),
                "Linked pages": str(len(own)),
                "published recall": share(known and known.recall),
                "published sites": share(known and known.sites, 0),
            }
        )
    notes = (
        "Share of the key page's template nodes that a linked page has. Published: Table 7.4, training sites of TeCo."
        if gold
        else "Share of the nodes of both pages that are mapped; without a gold standard not the figures of Table 7.4.",
        "0 is the key page's own directory, positive is below it, negative is above or beside it.",
    )
    return Table.of("distances", "Similarity by hyperlink distance", rows, *notes)
