"""The order of the template detectors, here and in the thesis (Table 12.3), and a word on each difference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from templex_scrapy.workbench import names, published
from templex_scrapy.workbench.measure_tables import ranked
from templex_scrapy.workbench.prose import Paragraph, Remarks, counted, listed
from templex_scrapy.workbench.reading_tables import DEFAULT, Measured, nearest_to_published
from templex_scrapy.workbench.study import Study, precision, recall
from templex_scrapy.workbench.tables import (
    HERE,
    MISSING,
    PUBLISHED,
    Cell,
    Column,
    Row,
    Table,
    estimated,
    ratio,
    signed,
    text,
    whole,
)
from templex_scrapy.workbench.variants import Method, first_of_each, methods

_KIND = ("template", "nodes")

_WHY: Mapping[str, str] = {
    "temex": "Our parameters were chosen on the development sites, the published ones on TeCo's training sites.",
    "hybrid": (
        "It spares what page-level ConEx takes for the main content, which makes it surer, and less complete where "
        "that holds menus and fixed labels."
    ),
    "sst": (
        "Its paper makes the tree of 500 pages; here it is made of four, so that an entropy takes few values and a "
        "node is all noise or none. As the thesis words it, a node is template when enough pages have it, which is "
        "another method on the same tree."
    ),
    "rtdm_td": (
        "Nothing is compared below two nodes that differ, so all depends on what makes nodes equal. With tags it maps "
        "nearly what TemEx maps; with whole start tags a body whose class names its page ends the comparison at the "
        "root."
    ),
    "iwptd": (
        "It judges blocks by their text. With texts compared at equal paths it is surer and less complete than with "
        "texts compared wherever they stand, as the thesis words it."
    ),
    "rbm_td": (
        "A wrapper that holds anything of a page's own is never mapped, in no reading: it is precise and incomplete "
        "everywhere. How incomplete depends on what makes nodes and paths equal."
    ),
}
"""What the difference comes from, by what was measured of the readings."""


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
    rows = []
    for place, method in enumerate(found, 1):
        known = published.DETECTORS[method.name, *_KIND]
        mean = study.estimate(method.rows)
        nearest = nearest_to_published(study, method.name, *_KIND)
        figures = nearest.figures(study) if nearest else None
        cells = [text(method.title), whole(place), estimated(mean)]
        cells += [text(nearest.title if nearest else MISSING), *(map(ratio, figures) if figures else [Cell()] * 3)]
        cells += [whole(theirs[method.name]), ratio(known.recall), ratio(known.precision), ratio(known.f1)]
        rows.append(Row(tuple(cells)))
    near = "reading nearest to the published figures"
    columns = (
        Column("Detector", numeric=False),
        Column("Place", HERE),
        Column("F1", HERE),
        Column("Reading", near, numeric=False),
        *(Column(name, near) for name in ("Recall", "Precision", "F1")),
        *(Column(name, PUBLISHED) for name in ("Place", "Recall", "Precision", "F1")),
    )
    notes = (
        "The nearest reading is the one whose recall, precision and F1 together differ least from the published ones.",
        "Published: thesis, Tables 11.1 and 12.3, 45 evaluation sites of TeCo.",
    )
    return Table("order", "Order of the template detectors, here and in the thesis", notes, columns, tuple(rows))


def order_remarks(study: Study) -> Remarks | None:
    """A word on each detector's place here and in the thesis; None for fewer than two detectors."""
    found = placed(study)
    if len(found) < 2:
        return None
    theirs = _published_places(found)
    paragraphs = [Paragraph("The order", _overall(found, theirs))]
    paragraphs += [
        Paragraph(method.title, _remark(study, method, place, theirs[method.name]))
        for place, method in enumerate(found, 1)
    ]
    return Remarks("order-remarks", "Why the order differs from the thesis's", tuple(paragraphs))


def _published_places(found: Sequence[Method]) -> dict[str, int]:
    by_f1 = sorted(found, key=lambda method: -(published.DETECTORS[method.name, *_KIND].f1 or 0.0))
    return {method.name: place for place, method in enumerate(by_f1, 1)}


def _overall(found: Sequence[Method], theirs: Mapping[str, int]) -> str:
    here = [method.title for method in found]
    there = [method.title for method in sorted(found, key=lambda method: theirs[method.name])]
    pairs = list(combinations([theirs[method.name] for method in found], 2))
    turned = sum(1 for better, worse in pairs if better > worse)
    return (
        f"Best first, it is {listed(here)} here, and {listed(there)} in the thesis; "
        f"{turned} of {counted(len(pairs), 'pair')} stand the other way round."
    )


def _remark(study: Study, method: Method, place: int, there: int) -> str:
    known = published.DETECTORS[method.name, *_KIND]
    mean = study.estimate(method.rows)
    if mean is None or known.f1 is None:
        return ""
    places = f"Place {place} here as there" if place == there else f"Place {place} here, {there} in the thesis"
    parts = [f"{places}; F1 {mean.mean:.3f}, published {known.f1:.3f} ({signed(mean.mean - known.f1)})."]
    parts += [_WHY[method.name]] if method.name in _WHY else []
    parts += [_against_temex(study, method)] if method.name == "hybrid" else []
    nearest = nearest_to_published(study, method.name, *_KIND)
    parts += [_nearest(study, nearest)] if nearest else []
    return " ".join(part for part in parts if part)


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
        parts.append(f"Against TemEx it has {signed(surer.mean)} precision and {signed(fuller.mean)} recall.")
    rows = [row for row in study.rows("content", "nodes") if names.canonical(row.detector) == "conex"]
    sure = study.estimate(rows, precision)
    known = published.DETECTORS.get(("conex", "content", "nodes"))
    if sure and known and known.precision:
        parts.append(
            f"Of the nodes that ConEx takes for content {sure.mean:.3f} are content here, {known.precision:.3f} in the "
            "thesis."
        )
    return " ".join(parts)
