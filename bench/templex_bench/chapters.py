"""The chapters of the report: which tables and figures it has, each of which can be made without the others."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from templex_bench.candidate_tables import candidates_table, distances_table, sizes_table, votes_table
from templex_bench.difference_tables import differences_table
from templex_bench.listing_tables import (
    errors_table,
    found_table,
    lost_table,
    sites_table,
    suites_table,
)
from templex_bench.lost import LostPage
from templex_bench.measure_tables import (
    category_matrix,
    category_slug,
    category_table,
    detectors_table,
    other_sizes_table,
    others_table,
)
from templex_bench.order import order_remarks, order_table
from templex_bench.plots import (
    Plot,
    f1_by_category,
    precision_against_recall,
    runtime_against_nodes,
    similarity_against_distance,
    size_of_the_subdigraph,
)
from templex_bench.prose import Remarks
from templex_bench.provenance import Provenance
from templex_bench.reading_tables import readings_table
from templex_bench.runtime_tables import runtime_table
from templex_bench.study import Study
from templex_bench.tables import Table

Block = Table | Plot | Remarks
Make = Callable[[], Block | None]


@dataclass(frozen=True, slots=True)
class Entry:
    """A block of the report that is yet to be made.

    Attributes:
        name: the block's, so that it is known before it is made.
        make: makes it; None where the experiments have nothing for it.
    """

    name: str
    make: Make


@dataclass(frozen=True, slots=True)
class Section:
    """A chapter of the report.

    Attributes:
        name: short, for links.
        title: its heading.
        text: what it is about.
        blocks: its tables and figures.
    """

    name: str
    title: str
    text: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Chapter:
    """A chapter that is yet to be made.

    Attributes:
        name: short, for links.
        title: its heading.
        text: what it is about.
        entries: its tables and figures.
        otherwise: what stands there where none of them has anything to show; empty: then there is no chapter.
    """

    name: str
    title: str
    text: str
    entries: tuple[Entry, ...]
    otherwise: str = ""

    def section(self) -> Section | None:
        """The chapter with its blocks; None where there is nothing to show."""
        blocks = tuple(block for entry in self.entries if (block := entry.make()) is not None)
        text = self.text if blocks else self.otherwise
        return Section(self.name, self.title, text, blocks) if blocks or text else None


Part = tuple[str, Callable[[Study], Block | None]]
"""The name of a block without its suite, and what makes it."""


def chapters(studies: Sequence[Study], provenance: Provenance, lost: Sequence[LostPage] = ()) -> list[Chapter]:
    """All that the experiments could fill, in order.

    Args:
        studies: the experiments by suite.
        provenance: how they were made.
        lost: key pages that could not be measured.
    """

    def of_all(make: Callable[[Sequence[Study]], Table | None]) -> Make:
        return lambda: _with_command(make(studies), provenance.again())

    def of_each(parts: Callable[[Study], Iterable[Part]]) -> tuple[Entry, ...]:
        several = len(studies) > 1
        return tuple(_entry(study, part, several=several) for study in studies for part in parts(study))

    return [
        Chapter("suites", "What was measured", "", (Entry("suites", of_all(suites_table)),)),
        Chapter("template", "Template detection", "Which nodes of the key page are template.", of_each(_template)),
        Chapter("candidates", "Candidates", "Which pages the detectors at site level compare.", of_each(_candidates)),
        Chapter("content", "Main content", "What is left to read.", of_each(_content)),
        Chapter("menu", "Main menu", "Measured on the hyperlinks inside the node that was found.", of_each(_menu)),
        Chapter("runtime", "Runtime", "", of_each(_runtime)),
        Chapter("sites", "Every site", "", of_each(_sites)),
        Chapter("found", "Without a gold standard", "", of_each(_found)),
        errors_chapter(studies, provenance, lost),
    ]


def errors_chapter(studies: Sequence[Study], provenance: Provenance, lost: Sequence[LostPage]) -> Chapter:
    """What went wrong: experiments, and key pages that could not be measured at all.

    Args:
        studies: the experiments by suite.
        provenance: how they were made.
        lost: the key pages.
    """
    entries = (
        Entry("errors", lambda: _with_command(errors_table(studies), provenance.again())),
        Entry("lost", lambda: _with_command(lost_table(lost), provenance.again())),
    )
    return Chapter("errors", "Errors", "", entries, "No experiment went wrong.")


def _entry(study: Study, part: Part, *, several: bool) -> Entry:
    """A block of one suite; where there are several, its name and title tell which."""
    name, maker = part

    def make() -> Block | None:
        block = maker(study)
        if block is None:
            return None
        title = f"{block.title}. Suite {study.suite}" if several else block.title
        named = replace(block, name=f"{study.slug}-{name}", title=title)
        return _with_command(named, study.command) if isinstance(named, Table) else named

    return Entry(f"{study.slug}-{name}", make)


def _with_command(table: Table | None, command: str) -> Table | None:
    return table and replace(table, command=f"{command} --table {shlex.quote(table.name)}")


def _template(study: Study) -> Iterator[Part]:
    kind = "template", "nodes"
    yield _detectors(*kind)
    yield _recall(*kind)
    yield "order", order_table
    yield "order-remarks", order_remarks
    yield from _by_category(study, *kind)
    for detector in ("temex", "hybrid"):
        yield _categories(study, detector, *kind)
    yield _readings(*kind)


def _candidates(_study: Study) -> Iterator[Part]:
    yield "candidates", candidates_table
    yield "distances", distances_table
    yield "figure-distances", similarity_against_distance
    yield _sizes("temex", "template", "nodes")
    yield _figure_of_sizes("temex", "template", "nodes")
    yield "votes", votes_table
    yield _sizes("hybrid", "template", "nodes")
    yield "other-sizes-template-nodes", partial(other_sizes_table, target="template", unit="nodes")
    for unit in ("nodes", "words"):
        yield _sizes("site_conex", "content", unit)
    yield _figure_of_sizes("site_conex", "content", "words")


def _content(study: Study) -> Iterator[Part]:
    words, nodes = ("content", "words"), ("content", "nodes")
    yield _detectors(*words)
    yield "content-words-template-detectors", others_table
    yield _recall(*words)
    yield "against-peers-content-words", partial(differences_table, target="content", unit="words")
    yield from _by_category(study, *words)
    yield _detectors(*nodes)
    yield f"f1-by-{category_slug(study)}-content-nodes", partial(category_matrix, target="content", unit="nodes")
    yield _readings(*words)
    yield _readings(*nodes)


def _menu(study: Study) -> Iterator[Part]:
    yield _detectors("menu", "links")
    yield _categories(study, "menex", "menu", "links")
    yield _readings("menu", "links")


def _runtime(_study: Study) -> Iterator[Part]:
    yield "runtime", runtime_table
    for target in ("template", "content"):
        yield f"figure-runtime-{target}", partial(runtime_against_nodes, target=target)


def _sites(_study: Study) -> Iterator[Part]:
    for target, unit in (("template", "nodes"), ("content", "words"), ("menu", "links")):
        yield f"every-site-{target}-{unit}", partial(sites_table, target=target, unit=unit)


def _found(_study: Study) -> Iterator[Part]:
    yield "found", found_table


def _detectors(target: str, unit: str) -> Part:
    return f"{target}-{unit}", partial(detectors_table, target=target, unit=unit)


def _recall(target: str, unit: str) -> Part:
    return f"figure-recall-{target}-{unit}", partial(precision_against_recall, target=target, unit=unit)


def _by_category(study: Study, target: str, unit: str) -> Iterator[Part]:
    yield f"f1-by-{category_slug(study)}-{target}-{unit}", partial(category_matrix, target=target, unit=unit)
    yield f"figure-category-{target}-{unit}", partial(f1_by_category, target=target, unit=unit)


def _categories(study: Study, detector: str, target: str, unit: str) -> Part:
    name = f"{category_slug(study)}-{target}-{unit}-{detector}"
    return name, partial(category_table, detector=detector, target=target, unit=unit)


def _readings(target: str, unit: str) -> Part:
    return f"readings-{target}-{unit}", partial(readings_table, target=target, unit=unit)


def _sizes(detector: str, target: str, unit: str) -> Part:
    return f"sizes-{target}-{unit}-{detector}", partial(sizes_table, detector=detector, target=target, unit=unit)


def _figure_of_sizes(detector: str, target: str, unit: str) -> Part:
    name = f"figure-sizes-{detector}-{target}-{unit}"
    return name, partial(size_of_the_subdigraph, detector=detector, target=target, unit=unit)
