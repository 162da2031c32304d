"""TemEx by papers and by candidates: chapters 7 and 8 of the thesis, on our sites."""

from __future__ import annotations

from templex_bench.candidates import HYPERLINK_ANALYSIS
from templex_bench.tables import published
from templex_bench.tables.compare import as_published, figures
from templex_bench.tables.model import Table, difference
from templex_bench.tables.study import Study, standard


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
