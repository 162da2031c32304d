"""Candidates and votes: Tables 7.4, 7.6, 7.7, 8.4 and 10.1 of the thesis, on our sites."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

from templex_bench import names, published
from templex_bench.experiment import Experiment
from templex_bench.measure_tables import MEASURED, PUBLISHED_COLUMNS, as_published, measured, with_groups
from templex_bench.published import Published
from templex_bench.study import Estimate, PageKey, Population, Study, found_size
from templex_bench.tables import (
    HERE,
    MINUS,
    PUBLISHED,
    Cell,
    Column,
    Row,
    Table,
    decimal,
    difference,
    estimated,
    out_of,
    ratio,
    text,
    whole,
    with_best,
    without_empty,
)
from templex_bench.variants import (
    CANDIDATES,
    HYPERLINK_ANALYSIS,
    SIZE,
    VOTES,
    at_published_votes,
    described,
    having,
    main_variant,
    standard,
    text_of,
    values_of,
    whole_numbers,
)

_METHODS = ("random links", "menu links", "non-menu links", HYPERLINK_ANALYSIS)


def of_detector(study: Study, detector: str, target: str, unit: str) -> list[Experiment]:
    """The rows of a detector, by its canonical name."""
    return [row for row in study.rows(target, unit) if names.canonical(row.detector) == detector]


def by_size(study: Study, detector: str, target: str, unit: str) -> dict[int, list[Experiment]]:
    """The rows of a detector for each size of the complete subdigraph, at the published numbers of votes."""
    rows = standard(of_detector(study, detector, target, unit), without=(SIZE, VOTES))
    rows = at_published_votes(main_variant(rows, (SIZE, VOTES)))
    return {size: having(rows, SIZE, size) for size in whole_numbers(rows, SIZE)}


def sizes_table(study: Study, detector: str, target: str, unit: str) -> Table | None:
    """Size of the complete subdigraph against recall, precision, F1 and loads (Table 7.7); None for fewer than two."""
    sizes = by_size(study, detector, target, unit)
    if len(sizes) < 2:
        return None
    known = _published_sizes(detector, unit)
    population = study.population()
    voted = [VOTES] if values_of(_all(sizes), VOTES) else []
    rows = []
    for size, own in sizes.items():
        found = study.estimate(own, found_size)
        cells = [whole(size), *(text(", ".join(map(text_of, values_of(own, VOTES)))) for _ in voted)]
        cells += [decimal(found.mean if found else None), *measured(study, own, population)]
        rows.append(Row((*cells, *as_published(known.get(size)))))
    head = (Column("Size"), *(Column("Votes") for _ in voted), Column("Found size"))
    notes = (
        "Where no complete subdigraph of the size exists, the largest one that was found serves.",
        "“Found size” is the mean of what was found. Loads include the key page.",
        *("Votes as in the thesis, Table 8.4." for _ in voted),
        f"Parameters: {described(_all(sizes), (SIZE, VOTES)) or 'none'}.",
        _source_of_sizes(detector),
    )
    table = Table(
        f"sizes-{target}-{unit}-{detector}",
        f"Size of the complete subdigraph: {names.title(detector)}, {unit} of the {target}",
        notes,
        (*head, *with_groups(MEASURED, HERE), *PUBLISHED_COLUMNS),
        with_best(rows, range(len(head), len(head) + 3)),
    )
    return without_empty(table)


def votes_table(study: Study) -> Table | None:
    """F1 of TemEx for every number of votes at every size (Table 8.4); None where only one number was tried at each."""
    rows = standard(of_detector(study, "temex", "template", "nodes"), without=(SIZE, VOTES))
    rows = main_variant(rows, (SIZE, VOTES))
    votes, sizes = whole_numbers(rows, VOTES), whole_numbers(rows, SIZE)
    if len(votes) < 2 or not sizes:
        return None
    base = study.population()
    lines = []
    for size in sizes:
        estimates = {vote: study.estimate(having(having(rows, SIZE, size), VOTES, vote)) for vote in votes}
        lines.append(Row((whole(size), *_votes_cells(estimates, base), *_published_votes(size))))
    columns = (
        Column("Size"),
        *(Column(f"{vote}", "F1 by number of votes") for vote in votes),
        Column("Best"),
        Column("Best", PUBLISHED),
        Column("F1", PUBLISHED),
    )
    notes = (
        "The best number of votes of each size is marked; picked on the sites it is shown for, so slightly too good.",
        f"Parameters: {described(rows, (SIZE, VOTES)) or 'none'}.",
        "Published: thesis, Table 8.4, 35 training sites of TeCo.",
    )
    return Table(
        "votes",
        "Votes by size of the complete subdigraph: F1 of TemEx, nodes of the template",
        notes,
        columns,
        tuple(lines),
    )


def _votes_cells(estimates: Mapping[int, Estimate | None], base: Population) -> list[Cell]:
    """A cell for each number of votes, with the best of the row marked, and the best number."""
    cells = [estimated(estimate, base) for estimate in estimates.values()]
    values = [cell.value for cell in cells if cell.value is not None]
    if len(values) < 2:
        return [*cells, Cell()]
    best = max(values)
    winners = [vote for vote, cell in zip(estimates, cells, strict=True) if cell.value == best]
    marked = [
        Cell(cell.text, cell.interval, cell.note, "best" if cell.value == best else "", cell.value) for cell in cells
    ]
    return [*marked, text(", ".join(map(str, winners)))]


def _published_votes(size: int) -> list[Cell]:
    known = published.SIZES.get(size)
    return [whole(published.VOTES.get(size)), ratio(known.f1 if known else None)]


def candidates_table(study: Study) -> Table | None:
    """Ways of selecting the candidates (Table 7.6), each against hyperlink analysis; None for fewer than two."""
    rows = standard(of_detector(study, "temex", "template", "nodes"), without=(CANDIDATES,))
    rows = main_variant(rows, (CANDIDATES,))
    found = values_of(rows, CANDIDATES)
    if len(found) < 2:
        return None
    order = {method: place for place, method in enumerate(_METHODS)}
    analysis = having(rows, CANDIDATES, HYPERLINK_ANALYSIS)
    population = study.population()
    lines = []
    for method in sorted(map(text_of, found), key=lambda name: (order.get(name, len(order)), name)):
        own = having(rows, CANDIDATES, method)
        against = None if method == HYPERLINK_ANALYSIS else study.difference(own, analysis)
        cells = [text(method), *measured(study, own, population), difference(against)]
        lines.append(Row((*cells, *as_published(published.CANDIDATES.get(method))[:3])))
    columns = (
        Column("Candidates", numeric=False),
        *with_groups(MEASURED, HERE),
        Column("F1 less that of hyperlink analysis", HERE),
        *PUBLISHED_COLUMNS[:3],
    )
    notes = (
        "The difference is paired by key page: on the pages that both have.",
        f"Parameters: {described(rows, (CANDIDATES,)) or 'none'}.",
        "Published: thesis, Table 7.6, 105 training sites of TeCo.",
    )
    return Table(
        "candidates",
        "Selection of the candidates: TemEx, nodes of the template",
        notes,
        columns,
        with_best(lines, (1, 2, 3)),
    )


_OF_THE_TEMPLATE = "Similarity is the share of the key page's template nodes that a page linked from it holds."
_OF_ALL_NODES = (
    "Similarity is the share of the nodes of both pages that are mapped, whatever they are: without a gold standard "
    "nobody knows which are template, so that these are not the figures of Table 7.4."
)


def has_gold(study: Study) -> bool:
    """Whether any linked page could be compared with a gold template, which is what Table 7.4 shows."""
    return any(row.recall is not None for row in study.similarities)


def similarity_by_distance(study: Study) -> dict[int, tuple[Estimate, int]]:
    """For each hyperlink distance the mean similarity, a mean over sites, and the number of linked pages.

    With a gold standard it is the share of the template that is mapped, and pages without one are left out; without
    any it is the share of all nodes, which is another quantity and never averaged with that.
    """
    values: dict[int, dict[PageKey, list[float]]] = {}
    gold = has_gold(study)
    for row in study.similarities:
        value = row.recall if gold else row.similarity
        if value is not None:
            values.setdefault(row.distance, {}).setdefault((row.site, row.key_url), []).append(value)
    found: dict[int, tuple[Estimate, int]] = {}
    for distance in sorted(values):
        pages = values[distance]
        mean = study.mean_of_pages({page: fmean(pages[page]) for page in sorted(pages)}, "sites")
        if mean is not None:
            found[distance] = mean, sum(map(len, pages.values()))
    return found


def distances_table(study: Study) -> Table | None:
    """Similarity by hyperlink distance (Table 7.4); None where nothing was compared."""
    found = similarity_by_distance(study)
    if not found:
        return None
    gold = has_gold(study)
    sites = len({row.site for row in study.similarities if row.recall is not None or not gold})
    rows = []
    for distance, (mean, pages) in found.items():
        known = published.DISTANCES.get(distance, Published()) if gold else Published()
        cells = (
            Cell(distance_text(distance), value=float(distance)),
            estimated(mean),
            out_of(mean.sites, sites),
            whole(pages),
        )
        rows.append(Row((*cells, ratio(known.recall), whole(known.sites))))
    columns = (
        Column("Hyperlink distance"),
        Column("Similarity", HERE),
        Column("Sites", HERE),
        Column("Linked pages", HERE),
        Column("Recall", PUBLISHED),
        Column("Sites", PUBLISHED),
    )
    notes = [
        _OF_THE_TEMPLATE if gold else _OF_ALL_NODES,
        "0 is the key page's own directory, positive is below it, negative is above or beside it.",
        "Few sites have links of every distance: compare rows with care.",
    ]
    if gold:
        notes.append("Published: thesis, Table 7.4, training sites of TeCo.")
    table = Table("distances", "Similarity by hyperlink distance", tuple(notes), columns, tuple(rows))
    return without_empty(table)


def distance_text(distance: int) -> str:
    """A hyperlink distance with its sign."""
    return f"+{distance}" if distance > 0 else str(distance).replace("-", MINUS)


def _published_sizes(detector: str, unit: str) -> Mapping[int, Published]:
    if detector == "temex":
        return published.SIZES
    return published.CONTENT_SIZES.get(unit, {}) if detector == "site_conex" else {}


def _source_of_sizes(detector: str) -> str:
    sources = {"temex": "thesis, Table 7.7, 35 training sites", "site_conex": "thesis, Table 10.1, 105 training sites"}
    return f"Published: {sources[detector]} of TeCo." if detector in sources else "Published: none."


def _all(sizes: Mapping[int, Sequence[Experiment]]) -> list[Experiment]:
    return [row for rows in sizes.values() for row in rows]
