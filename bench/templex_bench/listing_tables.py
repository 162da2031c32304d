"""What was measured: the suites, every site, what was found where there is no gold standard, and what went wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

from templex_bench import names
from templex_bench.experiment import Experiment
from templex_bench.lost import LostPage
from templex_bench.measure_tables import category_word, ranked
from templex_bench.study import (
    PageKey,
    Population,
    Study,
    by_page,
    experiments_in,
    found_size,
    loads,
    page_of,
    runtime,
    without_readings,
)
from templex_bench.tables import (
    MISSING,
    Cell,
    Column,
    Row,
    Table,
    decimal,
    estimated,
    milliseconds,
    out_of,
    ratio,
    text,
    whole,
)
from templex_bench.variants import SIZE, Method, first_of_each, looking_for, methods

MOST_ERRORS = 100
"""Errors that are listed one by one."""

_TARGETS = ("template", "content", "menu")


def suites_table(studies: Sequence[Study]) -> Table:
    """The suites: how many sites and key pages, how large, and for how many sites there is a gold standard."""
    columns = (
        Column("Suite", numeric=False),
        Column("Sites"),
        Column("Key pages"),
        *(Column(which, "nodes of a key page") for which in ("Median", "Smallest", "Largest")),
        *(Column(target.capitalize(), "sites with a gold standard") for target in _TARGETS),
        Column("Experiments"),
        Column("Errors"),
        Column("Rows"),
        Column("A mean is over", numeric=False),
    )
    notes = (
        "An experiment is a method with its parameters on one key page; an error is one that went wrong.",
        "The results file has a row for each experiment and unit (nodes, words, links).",
    )
    return Table("suites", "The suites", notes, columns, tuple(map(_suite_row, studies)))


def _suite_row(study: Study) -> Row:
    population = study.population()
    nodes = sorted({page_of(row): row.nodes for row in study.experiments if not row.error}.values())
    gold = [
        len({row.site for row in study.experiments if row.target == target and row.gold is not None})
        for target in _TARGETS
    ]
    cells = [text(study.suite), whole(population.sites), whole(population.pages)]
    cells += [whole(round(median(nodes))), whole(nodes[0]), whole(nodes[-1])] if nodes else [Cell(), Cell(), Cell()]
    cells += [whole(count) for count in gold]
    cells += map(whole, (*study.counts, len(study.experiments)))
    return Row((*cells, text("sites" if study.weighting == "sites" else "key pages")))


def sites_table(study: Study, target: str, unit: str) -> Table | None:
    """F1 of every detector on every site; None without rows."""
    found = ranked(study, looking_for(first_of_each(methods(study.rows(target, unit))), target))
    if not found:
        return None
    rows = []
    for site in sorted({row.site for row in study.experiments}):
        pages = {page_of(row) for row in study.experiments if row.site == site}
        categories = sorted({row.category for row in study.experiments if row.site == site} - {""})
        cells = [text(site), text(", ".join(categories) or MISSING), whole(len(pages))]
        for method in found:
            own = [row for row in method.rows if row.site == site]
            cells.append(estimated(study.estimate(own), Population(1, len(pages))))
        rows.append(Row(tuple(cells)))
    columns = [Column("Site", numeric=False), Column(category_word(study).capitalize(), numeric=False)]
    columns += [Column("Key pages"), *(Column(method.title, "F1") for method in found)]
    title = f"Every site: F1, {unit} of the {target}"
    return Table(f"every-site-{target}-{unit}", title, (), tuple(columns), tuple(rows))


def found_table(study: Study) -> Table | None:
    """What the detectors found of what the suite has no gold standard for; None where there is nothing of that kind.

    Where some key pages have a gold standard, the other tables tell how many. Bounds are left out: they are made of it.
    """
    known = {(row.target, row.unit) for row in study.experiments if row.gold is not None}
    found = without_readings(row for row in study.experiments if not row.error and (row.target, row.unit) not in known)
    rows = [row for row in found if names.role(row.detector) != "bound"]
    if not rows:
        return None
    whole_pages = {page_of(row): row.retrieved for row in rows if names.canonical(row.detector) == _ALL_THE_TEXT}
    lines = []
    for what, (target, unit, looked_for) in _FOUND.items():
        own = [row for row in rows if (row.target, row.unit) == (target, unit)]
        for method in methods([row for row in own if (names.target(row.detector) in {"", target}) == looked_for]):
            cells = [text(method.title), text(what), *_found_cells(study, method, whole_pages)]
            lines.append(Row(tuple(cells), "" if method.role == "ours" else "peer"))
    columns = (
        Column("Detector", numeric=False),
        Column("What", numeric=False),
        Column("Found"),
        Column("Share of the page"),
        Column("Found nothing, key pages"),
        Column("Pages compared"),
        Column("Loads"),
        Column("Runtime, ms"),
        Column("Sites"),
        Column("Key pages"),
    )
    notes = (
        "There is no gold standard for these pages: this is what was found, not how good it is.",
        "Found is a mean, and so is its share of the page's nodes, or of its words as html-text finds them.",
    )
    return Table("found", "What was found, without a gold standard", notes, columns, tuple(lines))


_ALL_THE_TEXT = "html_text"

_FOUND: Mapping[str, tuple[str, str, bool]] = {
    "template, nodes": ("template", "nodes", True),
    "main content, words": ("content", "words", True),
    "main content, nodes": ("content", "nodes", True),
    "main menu, links": ("menu", "links", True),
    "words left by template detectors": ("content", "words", False),
}
"""What is told to be found: target, unit, and whether by methods that look for it."""


def _found_cells(study: Study, method: Method, whole_pages: Mapping[PageKey, int]) -> list[Cell]:
    rows = method.rows
    population = study.population()
    found = study.estimate(rows, _retrieved)
    share = study.estimate(rows, lambda row: _share(row, whole_pages))
    nothing = sum(1 for value in by_page(rows, _retrieved).values() if value == 0)
    size, load, time = (study.estimate(rows, measure) for measure in (found_size, loads, runtime))
    compared = size.mean if size and any(SIZE in row.parameters for row in rows) else None
    pages = by_page(rows, runtime)
    return [
        decimal(found.mean if found else None, 1),
        ratio(share.mean if share else None),
        whole(nothing),
        decimal(compared, 1),
        decimal(load.mean if load else None, 1),
        milliseconds(time.mean if time else None),
        out_of(len({site for site, _ in pages}), population.sites),
        out_of(len(pages), population.pages),
    ]


def errors_table(studies: Sequence[Study]) -> Table | None:
    """The experiments that went wrong, equal errors of a detector once; None where all went well."""
    wrong: dict[tuple[str, ...], list[Experiment]] = {}
    for study in studies:
        for row in study.experiments:
            if row.error:
                key = (study.suite, names.title(row.detector), row.error)
                wrong.setdefault(key, []).append(row)
    if not wrong:
        return None
    listed = sorted(wrong)[:MOST_ERRORS]
    rows = tuple(Row((*map(text, key), *_where(wrong[key]))) for key in listed)
    columns = (
        *(Column(title, numeric=False) for title in ("Suite", "Detector", "Error")),
        Column("Experiments"),
        Column("Sites"),
        Column("Site", "the first", numeric=False),
        Column("Key page", "the first", numeric=False),
    )
    notes = [
        "An experiment that went wrong found nothing: in the means it counts with 0, and without its time.",
        "A detector that went wrong wherever it was tried stands in no other table.",
    ]
    if len(wrong) > len(listed):
        notes.append(f"The first {len(listed):,} of {len(wrong):,} are listed; the results file has them all.")
    return Table("errors", "Experiments that went wrong", tuple(notes), columns, rows)


def lost_table(pages: Sequence[LostPage]) -> Table | None:
    """The key pages that could not be measured; None where there are none."""
    if not pages:
        return None
    listed = sorted(pages)[:MOST_ERRORS]
    columns = tuple(Column(title, numeric=False) for title in ("Suite", "Site", "Key page", "Reason"))
    rows = tuple(Row(tuple(map(text, (page.suite, page.site, page.key_url, page.reason)))) for page in listed)
    notes = ["What was to be measured on them is in no mean.", "The command tries them again."]
    if len(pages) > len(listed):
        notes.append(f"The first {len(listed):,} of {len(pages):,} are listed; the results file has them all.")
    return Table("lost", "Key pages that could not be measured", tuple(notes), columns, rows)


def _where(rows: Sequence[Experiment]) -> list[Cell]:
    """How many experiments and sites an error met, and where it came first."""
    first = min(rows, key=page_of)
    return [whole(experiments_in(rows)), whole(len({row.site for row in rows})), text(first.site), text(first.key_url)]


def _retrieved(row: Experiment) -> float | None:
    return float(row.retrieved)


def _share(row: Experiment, words: Mapping[PageKey, int]) -> float | None:
    """What was found of all that the page has; None where that is not known."""
    known = {"nodes": row.nodes, "words": words.get(page_of(row))}.get(row.unit)
    return row.retrieved / known if known else None
