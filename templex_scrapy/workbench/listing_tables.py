"""What was measured: the suites, every site, what was found where there is no gold standard, and what went wrong."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from templex_scrapy.workbench import names
from templex_scrapy.workbench.experiment import Experiment
from templex_scrapy.workbench.measure_tables import category_word, ranked
from templex_scrapy.workbench.study import (
    Population,
    Study,
    by_page,
    found_size,
    loads,
    page_of,
    runtime,
    without_readings,
)
from templex_scrapy.workbench.tables import (
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
from templex_scrapy.workbench.variants import first_of_each, looking_for, methods

MOST_ERRORS = 100
"""Errors that are listed one by one."""

_TARGETS = ("template", "content", "menu")


def suites_table(studies: Sequence[Study]) -> Table:
    """The suites: how many sites and key pages, how large, and for how many sites there is a gold standard."""
    columns = (
        Column("Suite", numeric=False),
        Column("Sites"),
        Column("Key pages"),
        Column("Nodes of a key page, median"),
        Column("smallest"),
        Column("largest"),
        *(Column(target, "sites with a gold standard") for target in _TARGETS),
        Column("Experiments"),
        Column("Errors"),
        Column("A mean is over", numeric=False),
    )
    return Table("suites", "The suites", (), columns, tuple(map(_suite_row, studies)))


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
    cells += map(whole, study.counts)
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
    """What the detectors found on pages without a gold standard; None where every page has one."""
    rows = without_readings(row for row in study.experiments if row.gold is None and not row.error)
    if not rows:
        return None
    population = study.population()
    lines = []
    for target, unit in sorted({(row.target, row.unit) for row in rows}):
        own = [row for row in rows if (row.target, row.unit) == (target, unit)]
        for method in methods(own):
            cells = [text(method.title), text(f"{unit} of the {target}"), *_found_cells(study, method.rows, unit)]
            pages = by_page(method.rows, runtime)
            cells += [out_of(len({site for site, _ in pages}), population.sites), out_of(len(pages), population.pages)]
            lines.append(Row(tuple(cells), "" if method.role == "ours" else "peer"))
    columns = (
        Column("Detector", numeric=False),
        Column("What", numeric=False),
        Column("Found"),
        Column("Share of the nodes"),
        Column("Found nothing, key pages"),
        Column("Found size"),
        Column("Loads"),
        Column("Runtime, ms"),
        Column("Sites"),
        Column("Key pages"),
    )
    notes = ("There is no gold standard for these pages: this is what was found, not how good it is.",)
    return Table("found", "What was found, without a gold standard", notes, columns, tuple(lines))


def _found_cells(study: Study, rows: Sequence[Experiment], unit: str) -> list[Cell]:
    found = study.estimate(rows, _retrieved)
    share = study.estimate(rows, _share) if unit == "nodes" else None
    nothing = sum(1 for value in by_page(rows, _retrieved).values() if value == 0)
    size, load, time = (study.estimate(rows, measure) for measure in (found_size, loads, runtime))
    return [
        decimal(found.mean if found else None, 1),
        ratio(share.mean if share else None),
        whole(nothing),
        decimal(size.mean if size else None),
        decimal(load.mean if load else None),
        milliseconds(time.mean if time else None),
    ]


def errors_table(studies: Sequence[Study]) -> Table | None:
    """The experiments that went wrong, equal errors of a detector once; None where all went well."""
    wrong: dict[tuple[str, ...], list[Experiment]] = {}
    for study in studies:
        for row in study.experiments:
            if row.error:
                key = (study.suite, names.title(row.detector), row.target, row.error)
                wrong.setdefault(key, []).append(row)
    if not wrong:
        return None
    listed = sorted(wrong)[:MOST_ERRORS]
    rows = tuple(Row((*map(text, key), *_where(wrong[key]))) for key in listed)
    columns = (
        *(Column(title, numeric=False) for title in ("Suite", "Detector", "Target", "Error")),
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


def _where(rows: Sequence[Experiment]) -> list[Cell]:
    """How many experiments and sites an error met, and where it came first."""
    first = min(rows, key=page_of)
    return [whole(len(rows)), whole(len({row.site for row in rows})), text(first.site), text(first.key_url)]


def _retrieved(row: Experiment) -> float | None:
    return float(row.retrieved)


def _share(row: Experiment) -> float | None:
    return row.retrieved / row.nodes if row.nodes else None
