"""Detectors side by side and by category: Tables 5.2, 5.3, 6.3 to 6.5, 9.2, 10.3 to 10.7, 11.2, 12.3 of the thesis."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from templex_bench import names, published
from templex_bench.experiment import Experiment
from templex_bench.left_out import left_out_of
from templex_bench.names import printable
from templex_bench.prose import counted
from templex_bench.published import Published
from templex_bench.study import Population, Study, f1, loads, precision, recall, runtime
from templex_bench.tables import (
    HERE,
    MISSING,
    PUBLISHED,
    Cell,
    Column,
    Row,
    RowKind,
    Table,
    decimal,
    difference,
    estimated,
    milliseconds,
    out_of,
    ratio,
    text,
    whole,
    with_best,
    with_interval,
    without_empty,
)
from templex_bench.variants import Method, described, first_of_each, looking_for, methods

LESS_THAN_BEST = "F1 less that of the best"
"""The column that tells whether a place is one, or level with the best."""

MEASURED = (
    Column("Recall"),
    Column("Precision"),
    Column("F1"),
    Column("Loads"),
    Column("Runtime, ms"),
    Column("Sites"),
    Column("Key pages"),
)
"""The columns of ``measured``."""

PUBLISHED_COLUMNS = tuple(Column(name, PUBLISHED) for name in ("Recall", "Precision", "F1", "Loads", "Runtime, ms"))
"""The columns of ``as_published``."""

_TITLES = {
    ("template", "nodes"): "Template detectors side by side, DOM nodes",
    ("content", "nodes"): "Main content, DOM nodes",
    ("content", "words"): "Main content, words: our methods and their peers",
    ("menu", "links"): "Main menu, hyperlinks",
}
_SOURCES = {
    ("template", "nodes"): "thesis, Tables 11.1 and 12.3, 45 evaluation sites of TeCo",
    ("content", "nodes"): "thesis, Tables 6.3 and 10.3, 45 evaluation sites of TeCo",
    (
        "content",
        "words",
    ): "thesis, Tables 6.4 and 10.5, 45 evaluation sites of TeCo; WCXB 1.0, 1,497 pages of its development split",
    ("menu", "links"): "thesis, Table 5.2, 45 evaluation sites of TeCo",
}

_SIMILARITY = (
    "The similarity of TemEx and HybEx (weights, threshold, position option) was chosen by hand on the sixteen sites "
    "that this package was developed on: their figures on these flatter them. What a similarity reaches that is chosen "
    "without the site, tune tells, and report --tuning."
)
FITTED = {
    "temex": _SIMILARITY,
    "hybrid": _SIMILARITY,
    "content_words": (
        "The parameters and the list of names of templex content words were chosen on sixteen saved sites and on WCXB: "
        "its figures on these flatter it. How little its four numbers depend on the site that is measured, "
        "bench/scripts/content.py --cross-validate prints; the list of names cannot be cross-validated."
    ),
}
"""What is to be known of our own methods that were fitted to suites, by canonical name."""


def title_of(target: str, unit: str) -> str:
    """What a table of a target and a unit shows."""
    return _TITLES.get((target, unit), f"{target}, {unit}")


def measured(study: Study, rows: Sequence[Experiment], population: Population) -> list[Cell]:
    """Recall, precision, F1, loads, runtime, sites and key pages of one configuration.

    Args:
        study: how means are made.
        rows: the experiments of the configuration.
        population: the sites and key pages that it should rest on.
    """
    mean = study.estimate(rows, f1)
    base = Population(0, 0) if mean is None else Population(mean.sites, mean.pages)
    load, time = study.estimate(rows, loads), study.estimate(rows, runtime)
    return [
        estimated(study.estimate(rows, recall), base),
        estimated(study.estimate(rows, precision), base),
        estimated(mean),
        decimal(None if load is None else load.mean),
        milliseconds(None if time is None else time.mean),
        out_of(base.sites, population.sites),
        out_of(base.pages, population.pages),
    ]


def as_published(figures: Published | None) -> list[Cell]:
    """Recall, precision, F1, loads and runtime as the papers have them."""
    known = figures or Published()
    return [
        ratio(known.recall),
        ratio(known.precision),
        ratio(known.f1),
        decimal(known.loads),
        milliseconds(known.runtime),
    ]


def with_groups(columns: Sequence[Column], group: str) -> tuple[Column, ...]:
    """The columns under a common heading."""
    return tuple(Column(column.title, group, column.numeric) for column in columns)


def detectors_table(study: Study, target: str, unit: str) -> Table | None:
    """Every detector at its standard parameters (Table 12.3 and those of the other chapters); None without rows.

    Template detectors are compared at one size; of the others every size stands here unless there is a series of them.
    """
    found = looking_for(methods(study.rows(target, unit), every_size=target != "template"), target)
    note = "Each detector at the papers' size, votes and selection of candidates, all on equal trees and gold standard."
    notes = (note, *_on_sparing(found, study), *_on_choices(study, found, target, unit))
    return _side_by_side(study, found, (target, unit), (f"{target}-{unit}", title_of(target, unit)), notes)


def _on_sparing(found: Sequence[Method], study: Study) -> Iterator[str]:
    """What it gains in precision to spare the main content."""
    template = {method.name: method for method in found if names.target(method.detector) == "template"}
    if {"hybrid", "temex"} <= template.keys():
        surer = study.difference(template["hybrid"].rows, template["temex"].rows, precision)
        if surer is not None:
            yield f"Precision of HybEx less that of TemEx, paired by key page: {with_interval(surer)}."


def _on_choices(study: Study, found: Sequence[Method], target: str, unit: str) -> Iterator[str]:
    """What the figures are worth on sites that had no part in the choice of readings and parameters."""
    told = []
    for method in ranked(study, found):
        validated = left_out_of(study, method, target, unit)
        if validated is not None and validated.f1 is not None:
            told.append(f"{method.title} {validated.f1.mean:.3f}")
    if told:
        how = "the reading of the paper, and nothing else, chosen for each site on all other sites"
        yield f"F1 with {how}: {', '.join(told)}."
    yield from dict.fromkeys(FITTED[method.name] for method in found if method.name in FITTED)


def others_table(study: Study) -> Table | None:
    """The words of the main content that template detectors leave; None without rows."""
    found = methods(study.rows("content", "words"))
    own = looking_for(found, "content")
    left = [method for method in found if method not in own]
    heading = "content-words-template-detectors", "What template detectors leave: words of the main content"
    note = "The text of the page without the nodes that each detector takes for template."
    return _side_by_side(study, left, ("content", "words"), heading, (note,))


def other_sizes_table(study: Study, target: str, unit: str) -> Table | None:
    """The detectors at other sizes than the one they are compared at; None where there are none.

    Detectors with a series of sizes have a table of their own, see ``sizes_table``.
    """
    rows = study.rows(target, unit)
    equal = {method.detector: method for method in first_of_each(methods(rows))}
    every = looking_for(methods(rows, every_size=True), target)
    others = [method for method in every if method.rows[0].parameters != equal[method.detector].rows[0].parameters]
    if not others:
        return None
    population = study.population()
    lines = [
        Row(
            (
                text(method.title),
                *measured(study, method.rows, population),
                difference(study.difference(method.rows, equal[method.detector].rows)),
            ),
            kind_of(method),
        )
        for method in ranked(study, others)
    ]
    columns = (Column("Detector", numeric=False), *MEASURED, Column("F1 less that at the equal size"))
    notes = ("The difference is paired by key page. Sizes of detectors with a whole series have tables of their own.",)
    name, title = f"other-sizes-{target}-{unit}", f"Other sizes of the complete subdigraph, {unit} of the {target}"
    return Table(name, title, notes, columns, tuple(lines))


def _side_by_side(
    study: Study,
    found: Sequence[Method],
    measured_as: tuple[str, str],
    heading: tuple[str, str],
    remarks: Sequence[str],
) -> Table | None:
    """Some methods, best first, by target and unit; the heading is the table's name and title."""
    if not found:
        return None
    target, unit = measured_as
    found = ranked(study, found)
    population = study.population()
    best = next((method for method in found if method.role != "bound"), None)
    besides = [Column("F1, sites equal", HERE)] if study.weighting == "pages" else []
    wrong = [Column("Errors", HERE)] if any(method.errors for method in found) else []
    rows = []
    for method in found:
        suite, figures = published.of(method.name, target, unit)
        cells = [text(method.title), *measured(study, method.rows, population)]
        other = best is not None and method is not best and method.role != "bound"
        cells.append(difference(study.difference(method.rows, best.rows)) if best and other else Cell())
        cells += [estimated(study.estimate(method.rows, f1, "sites")) for _ in besides]
        cells += [whole(method.errors) for _ in wrong]
        rows.append(Row((*cells, text(suite or MISSING), *as_published(figures)), kind_of(method)))
    notes = [
        "Best first, by F1; the best figure of each column is marked.",
        f"{LESS_THAN_BEST}: paired by key page; where the interval holds 0 the two are level.",
        *remarks,
    ]
    if any(method.role == "bound" for method in found):
        notes.append("Rows in italics are bounds, no detectors: they know the gold standard or do nothing.")
    if besides:
        notes.append(
            "Every key page counts once; “sites equal” is the mean over sites of the mean over their key pages."
        )
    columns = (
        Column("Detector", numeric=False),
        *with_groups(MEASURED, HERE),
        Column(LESS_THAN_BEST, HERE),
        *besides,
        *wrong,
        Column("Suite", PUBLISHED, numeric=False),
        *PUBLISHED_COLUMNS,
    )
    table = without_empty(Table(*heading, tuple(notes), columns, with_best(rows, (1, 2, 3))))
    if all(column.group != PUBLISHED for column in table.columns):
        return table
    return replace(table, notes=(*notes, f"Published: {_SOURCES.get((target, unit), 'none')}."))


def ranked(study: Study, found: Sequence[Method]) -> list[Method]:
    """The methods by F1, best first; bounds last, and equals in the order in which they come."""

    def order(method: Method) -> tuple[bool, float]:
        mean = study.estimate(method.rows)
        return method.role == "bound", -round(mean.mean, 12) if mean else 0.0

    return sorted(found, key=order)


def kind_of(method: Method) -> RowKind:
    """How the row of a method is set off."""
    return "" if method.role == "ours" else method.role


def category_table(study: Study, detector: str, target: str, unit: str) -> Table | None:
    """One detector by category (Tables 9.2 and 11.2), told by its canonical name; None where no category is told."""
    categories = study.categories
    found = first_of_each(methods(study.rows(target, unit)))
    method = next((one for one in found if one.name == detector and one.rows), None)
    if not categories or method is None:
        return None
    known = published.CATEGORIES.get((method.name, target, unit), {})
    rows = []
    for category in categories:
        own = [row for row in method.rows if row.category == category]
        theirs = None if study.page_types else published.category_of(category)
        cells = [text(category), *measured(study, own, study.population(category))]
        rows.append(Row((*cells, text(theirs if theirs in known else MISSING), *as_published(known.get(theirs or "")))))
    whole = [text("all"), *measured(study, method.rows, study.population()), text("all")]
    rows.append(
        Row((*whole, *as_published(published.DETECTORS.get((method.name, target, unit)))), kind="total"),
    )
    notes = [f"Parameters: {described(method.rows) or 'none'}."]
    if known:
        notes.append(
            "Published: TeCo, nine evaluation sites in each category; the categories are the nearest there are."
        )
    columns = (
        Column(category_word(study).capitalize(), numeric=False),
        *with_groups(MEASURED, HERE),
        Column("Category", PUBLISHED, numeric=False),
        *PUBLISHED_COLUMNS,
    )
    heading = f"{method.title} by {category_word(study)}, {unit} of the {target}"
    name = f"{category_slug(study)}-{target}-{unit}-{method.name}"
    return without_empty(Table(name, heading, tuple(notes), columns, tuple(rows)))


def category_matrix(study: Study, target: str, unit: str) -> Table | None:
    """F1 of every detector in every category; None where fewer than two categories are told."""
    found = ranked(study, looking_for(first_of_each(methods(study.rows(target, unit))), target))
    if not found or len(study.categories) < 2:
        return None
    rows = []
    for method in found:
        cells = [text(method.title), estimated(study.estimate(method.rows), study.population())]
        for category in study.categories:
            own = [row for row in method.rows if row.category == category]
            cells.append(estimated(study.estimate(own), study.population(category)))
        rows.append(Row(tuple(cells), kind_of(method)))
    columns = [Column("Detector", numeric=False), Column("All", below=_scope(study, None))]
    columns += [Column(printable(category, 60), below=_scope(study, category)) for category in study.categories]
    notes = (
        f"The heading tells how many sites and key pages each {category_word(study)} has.",
        f"Below {study.bootstrap.fewest_sites} sites there is no interval.",
    )
    return Table(
        f"f1-by-{category_slug(study)}-{target}-{unit}",
        f"F1 by {category_word(study)}, {unit} of the {target}",
        notes,
        tuple(columns),
        with_best(rows, range(1, len(columns))),
    )


def category_word(study: Study) -> str:
    """What the categories of a suite are."""
    return "page type" if study.page_types else "category"


def category_slug(study: Study) -> str:
    """The same, as part of the name of a table."""
    return category_word(study).replace(" ", "-")


def _scope(study: Study, category: str | None) -> str:
    population = study.population(category)
    return f"{counted(population.sites, 'site')}, {counted(population.pages, 'page')}"
