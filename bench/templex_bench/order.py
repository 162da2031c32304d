"""The order of the template detectors, here and in the thesis (Table 12.3), and a word on each difference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from templex_bench import names, published
from templex_bench.measure_tables import LESS_THAN_BEST, ranked
from templex_bench.measured_readings import DEFAULT, Measured
from templex_bench.prose import Paragraph, Remarks, counted, listed
from templex_bench.reading_tables import nearest_to_published
from templex_bench.study import Estimate, Study, precision, recall
from templex_bench.tables import (
    HERE,
    MISSING,
    PUBLISHED,
    Cell,
    Column,
    Row,
    Table,
    difference,
    estimated,
    ratio,
    signed,
    text,
    whole,
    with_interval,
)
from templex_bench.variants import Method, first_of_each, methods

_KIND = ("template", "nodes")

_WHY: Mapping[str, str] = {
    "hybrid": (
        "HybEx spares what page-level ConEx takes for the main content, so that its place depends on how sure that is."
    ),
    "sst": (
        "The paper of SST makes the tree of 500 pages; of few pages an entropy takes few values, and a node is all "
        "noise or none. As the thesis words it, a node is template when enough pages have it, which is another method "
        "on the same tree."
    ),
    "rtdm_td": (
        "RTDM-TD compares nothing below two nodes that differ, so that all depends on what makes nodes equal: tags, or "
        "whole start tags, with which a body whose class names its page ends the comparison at the root."
    ),
    "iwptd": (
        "IWPTD judges blocks by their text, so that much depends on whether texts are compared at equal paths or, as "
        "the thesis words it, wherever they stand."
    ),
    "rbm_td": (
        "RBM-TD never maps a wrapper that holds anything of a page's own, in no reading. What else it leaves out "
        "depends on what makes nodes and paths equal."
    ),
}
"""What the place of a detector depends on; told only of pairs that stand the other way round."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two detectors, the better one here first.

    Attributes:
        better: the one with the higher F1 here.
        worse: the other one.
        less: the F1 of the better one less that of the other, paired by key page.
        turned: whether the thesis has them the other way round.
    """

    better: Method
    worse: Method
    less: Estimate | None
    turned: bool

    @property
    def level(self) -> bool:
        """Whether the results do not tell which one is better: the interval holds 0, or there are too few sites."""
        return self.less is None or self.less.interval is None or not self.less.interval.without_zero


def placed(study: Study) -> list[Method]:
    """The detectors that the thesis places too, best first here."""
    found = first_of_each(methods(study.rows(*_KIND)))
    return [method for method in ranked(study, found) if (method.name, *_KIND) in published.DETECTORS]


def order_table(study: Study) -> Table | None:
    """The places of the detectors here and in the thesis; None for fewer than two."""
    found = placed(study)
    if len(found) < 2:
        return None
    theirs = _published_places(found)
    pairs = paired(study, found)
    rows = []
    for place, method in enumerate(found, 1):
        known = published.DETECTORS[method.name, *_KIND]
        mean = study.estimate(method.rows)
        nearest = nearest_to_published(study, method.name, *_KIND)
        figures = nearest.figures(study) if nearest else None
        cells = [text(method.title), whole(place), estimated(mean), _gap(method, found[0], pairs)]
        cells += [text(nearest.title if nearest else MISSING), *(map(ratio, figures) if figures else [Cell()] * 3)]
        cells += [whole(theirs[method.name]), ratio(known.recall), ratio(known.precision), ratio(known.f1)]
        rows.append(Row(tuple(cells)))
    near = "reading nearest to the published figures"
    columns = (
        Column("Detector", numeric=False),
        Column("Place", HERE),
        Column("F1", HERE),
        Column(LESS_THAN_BEST, HERE),
        Column("Reading", near, numeric=False),
        *(Column(name, near) for name in ("Recall", "Precision", "F1")),
        *(Column(name, PUBLISHED) for name in ("Place", "Recall", "Precision", "F1")),
    )
    notes = (
        "Places are by mean F1; where the interval of a difference holds 0, they are level.",
        "The nearest reading is the one whose recall, precision and F1 together differ least from the published ones.",
        "Published: thesis, Tables 11.1 and 12.3, 45 evaluation sites of TeCo.",
    )
    return Table("order", "Order of the template detectors, here and in the thesis", notes, columns, tuple(rows))


def _gap(method: Method, best: Method, pairs: Sequence[Pair]) -> Cell:
    """What a detector has less than the best one."""
    less = next((pair.less for pair in pairs if pair.better is best and pair.worse is method), None)
    return difference(less and less.turned_round())


def order_remarks(study: Study) -> Remarks | None:
    """A word on each detector's place here and in the thesis; None for fewer than two detectors."""
    found = placed(study)
    if len(found) < 2:
        return None
    pairs = paired(study, found)
    paragraphs = [Paragraph("The order", _overall(found, pairs))]
    paragraphs += [Paragraph(method.title, _remark(study, method, found, pairs)) for method in found]
    turned = any(pair.turned for pair in pairs)
    title = "Why the order differs from the thesis's" if turned else "The order, as in the thesis"
    return Remarks("order-remarks", title, tuple(paragraphs))


def paired(study: Study, found: Sequence[Method]) -> list[Pair]:
    """All pairs of some detectors that the thesis places, which come best first."""
    theirs = _published_places(found)
    return [
        Pair(better, worse, study.difference(better.rows, worse.rows), theirs[better.name] > theirs[worse.name])
        for better, worse in combinations(found, 2)
    ]


def _published_places(found: Sequence[Method]) -> dict[str, int]:
    by_f1 = sorted(found, key=lambda method: -(published.DETECTORS[method.name, *_KIND].f1 or 0.0))
    return {method.name: place for place, method in enumerate(by_f1, 1)}


def _overall(found: Sequence[Method], pairs: Sequence[Pair]) -> str:
    theirs = _published_places(found)
    here = [method.title for method in found]
    there = [method.title for method in sorted(found, key=lambda method: theirs[method.name])]
    turned = [pair for pair in pairs if pair.turned]
    told = (
        f"Best first, it is {listed(here)} here, and {listed(there)} in the thesis; "
        f"{len(turned)} of {counted(len(pairs), 'pair')} stand the other way round."
    )
    if any(pair.less and pair.less.interval for pair in pairs):
        sure = sum(not pair.level for pair in turned)
        return f"{told} In {sure} of those the interval of the difference here leaves out 0; the others are level."
    return f"{told} There are too few sites here for an interval: none of these places is certain."


def _remark(study: Study, method: Method, found: Sequence[Method], pairs: Sequence[Pair]) -> str:
    known = published.DETECTORS[method.name, *_KIND]
    mean = study.estimate(method.rows)
    if mean is None or known.f1 is None:
        return ""
    place, there = found.index(method) + 1, _published_places(found)[method.name]
    own = [pair for pair in pairs if method.name in {pair.better.name, pair.worse.name}]
    turned = [pair for pair in own if pair.turned]
    places = f"Place {place} here as there" if place == there else f"Place {place} here, {there} in the thesis"
    parts = [f"{places}; F1 {mean.mean:.3f}, published {known.f1:.3f} ({signed(mean.mean - known.f1)})."]
    parts += [_level_with(method, own), *(_turned(pair) for pair in turned if pair.better is method)]
    parts += [_WHY[method.name]] if turned and method.name in _WHY else []
    parts += [_against_temex(study, method)] if method.name == "hybrid" else []
    nearest = nearest_to_published(study, method.name, *_KIND)
    parts += [_nearest(study, nearest)] if nearest else []
    return " ".join(part for part in parts if part)


def _level_with(method: Method, own: Sequence[Pair]) -> str:
    """The detectors that cannot be told apart from one, as far as there are intervals."""
    others = [
        (pair.worse if pair.better is method else pair.better).title
        for pair in own
        if pair.level and pair.less is not None and pair.less.interval is not None
    ]
    return f"Level here with {listed(others)}: the intervals of the differences hold 0." if others else ""


def _turned(pair: Pair) -> str:
    if pair.less is None:
        return ""
    return f"Before {pair.worse.title} here, behind it in the thesis: F1 {with_interval(pair.less)}."


def _nearest(study: Study, nearest: Measured) -> str:
    figures = nearest.figures(study)
    known = published.DETECTORS[nearest.detector, *_KIND]
    if figures is None or known.recall is None or known.precision is None:
        return ""
    which = "the default" if nearest.title == DEFAULT else f"“{nearest.title}”"
    return (
        f"Of the readings measured, {which} comes nearest to the published figures: recall {figures[0]:.3f}, "
        f"precision {figures[1]:.3f}, F1 {figures[2]:.3f}; published {known.recall:.3f}, {known.precision:.3f}, "
        f"{known.f1:.3f}."
    )


def _against_temex(study: Study, hybrid: Method) -> str:
    """What sparing the content gains and costs, and how sure page-level ConEx is of the content."""
    parts = []
    temex = next((method for method in placed(study) if method.name == "temex"), None)
    surer = study.difference(hybrid.rows, temex.rows, precision) if temex else None
    fuller = study.difference(hybrid.rows, temex.rows, recall) if temex else None
    if surer and fuller:
        parts.append(f"Its precision less that of TemEx: {with_interval(surer)}; its recall: {with_interval(fuller)}.")
    rows = [row for row in study.rows("content", "nodes") if names.canonical(row.detector) == "conex"]
    sure = study.estimate(rows, precision)
    known = published.DETECTORS.get(("conex", "content", "nodes"))
    if sure and known and known.precision:
        parts.append(
            f"Of the nodes that ConEx takes for content {sure.mean:.3f} are content here, {known.precision:.3f} in the "
            "thesis."
        )
    return " ".join(parts)
