"""Our best method against each peer, paired by page, in total and by category or page type."""

from __future__ import annotations

from collections.abc import Sequence

from templex_bench.experiment import Experiment
from templex_bench.measure_tables import category_word, ranked
from templex_bench.study import Estimate, Population, Study
from templex_bench.tables import Column, Row, Table, difference, estimated, out_of, text
from templex_bench.variants import Method, first_of_each, looking_for, methods


def best_of_ours(study: Study, target: str, unit: str) -> Method | None:
    """Our method with the highest F1; None without any."""
    found = ranked(study, looking_for(methods(study.rows(target, unit), every_size=target != "template"), target))
    return next((method for method in found if method.role == "ours"), None)


def peers_of(study: Study, target: str, unit: str) -> list[Method]:
    """The peers, best first."""
    found = ranked(study, first_of_each(methods(study.rows(target, unit))))
    return [method for method in found if method.role == "peer"]


def differences_table(study: Study, target: str, unit: str) -> Table | None:
    """F1 of our best method less that of each peer; None without a method of ours or without peers."""
    best, peers = best_of_ours(study, target, unit), peers_of(study, target, unit)
    if best is None or not peers:
        return None
    rows = [_row(study, category, best, peers) for category in study.categories if len(study.categories) > 1]
    rows.append(_row(study, None, best, peers))
    columns = (
        Column(category_word(study).capitalize(), numeric=False),
        Column("Sites"),
        Column("Key pages"),
        Column(f"F1 of {best.title}"),
        *(Column(peer.title, "difference to") for peer in peers),
    )
    level = f"{study.bootstrap.level:.0%}".replace("%", " %")
    notes = [
        f"Above 0: {best.title} is better. ▲ and ▼: the {level} interval leaves out 0.",
        "Paired by key page, sites drawn with all their pages; no correction for the number of comparisons.",
        "Our method was picked by its F1 on these pages; a choice among few methods, but a choice.",
    ]
    failed = [f"{method.title} {method.errors} of {len(method.rows)}" for method in (best, *peers) if method.errors]
    if failed:
        notes.append(f"Experiments that went wrong and count as 0: {', '.join(failed)}.")
    return Table(
        f"against-peers-{target}-{unit}",
        f"{best.title} against its peers, {unit} of the {target}: paired differences of F1",
        tuple(notes),
        columns,
        tuple(rows),
    )


def overall_differences(study: Study, target: str, unit: str) -> list[tuple[Method, Estimate]]:
    """The peers with the mean difference of our best method to each, best peer first."""
    best = best_of_ours(study, target, unit)
    if best is None:
        return []
    pairs = [(peer, study.difference(best.rows, peer.rows)) for peer in peers_of(study, target, unit)]
    return [(peer, mean) for peer, mean in pairs if mean is not None]


def in_category(rows: Sequence[Experiment], category: str | None) -> list[Experiment]:
    """The rows of a category; all of them for None."""
    return [row for row in rows if category is None or row.category == category]


def _row(study: Study, category: str | None, best: Method, peers: Sequence[Method]) -> Row:
    population = study.population(category)
    own = in_category(best.rows, category)
    mean = study.estimate(own)
    counted = Population(mean.sites, mean.pages) if mean else Population(0, 0)
    cells = [
        text("all" if category is None else category),
        out_of(counted.sites, population.sites),
        out_of(counted.pages, population.pages),
        estimated(mean),
    ]
    cells += [difference(study.difference(own, in_category(peer.rows, category)), counted) for peer in peers]
    return Row(tuple(cells), "total" if category is None else "")
