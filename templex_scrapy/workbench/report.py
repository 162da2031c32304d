"""The report of the workbench: one self-contained HTML file, and the same tables in Markdown."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from templex_scrapy.workbench import markdown
from templex_scrapy.workbench.bootstrap import Bootstrap
from templex_scrapy.workbench.candidate_tables import candidates_table, distances_table, sizes_table, votes_table
from templex_scrapy.workbench.difference_tables import differences_table
from templex_scrapy.workbench.experiment import Experiment
from templex_scrapy.workbench.listing_tables import errors_table, found_table, sites_table, suites_table
from templex_scrapy.workbench.measure_tables import (
    category_matrix,
    category_table,
    detectors_table,
    other_sizes_table,
    others_table,
)
from templex_scrapy.workbench.names import printable
from templex_scrapy.workbench.order import order_remarks, order_table
from templex_scrapy.workbench.peers import PEERS
from templex_scrapy.workbench.plots import (
    Plot,
    f1_by_category,
    precision_against_recall,
    runtime_against_nodes,
    similarity_against_distance,
    size_of_the_subdigraph,
)
from templex_scrapy.workbench.prose import Paragraph, Remarks
from templex_scrapy.workbench.provenance import Provenance
from templex_scrapy.workbench.reading_tables import readings_table
from templex_scrapy.workbench.runtime_tables import runtime_table
from templex_scrapy.workbench.study import PageSimilarity, Study
from templex_scrapy.workbench.summary import KeyFigure, key_figures, paragraphs
from templex_scrapy.workbench.tables import Table
from templex_scrapy.workbench.variants import first_of_each, methods

TITLE = "Template, content and menu detectors, measured"

Block = Table | Plot | Remarks
Maker = Callable[[Study], Iterable[Block | None]]


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
class Report:
    """The report, ready to be written.

    Attributes:
        summary: what was found, in a few paragraphs.
        figures: what stands out.
        sections: tables and figures; none where there are no experiments.
        methods: how the figures are made, sentence by sentence.
        command: what makes this report again from the results file.
    """

    summary: tuple[Paragraph, ...]
    figures: tuple[KeyFigure, ...]
    sections: tuple[Section, ...]
    methods: tuple[str, ...]
    command: str

    @property
    def tables(self) -> tuple[Table, ...]:
        """The tables, in order."""
        return tuple(block for section in self.sections for block in section.blocks if isinstance(block, Table))

    def html(self) -> str:
        """One HTML file that needs nothing else: no network, no script."""
        environment = Environment(
            loader=PackageLoader("templex_scrapy.workbench"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        template = environment.get_template("report.html.j2")
        return template.render(report=self, title=TITLE, groups=_groups, kind=_kind, safe_svg=Markup)

    def markdown(self) -> str:
        """Summary and tables as Markdown; the figures are in the HTML only."""
        lines = [f"# {TITLE}", "", *_spaced(map(_paragraph, self.summary))]
        for section in self.sections:
            lines += [f"## {section.title}", "", *_spaced([markdown.escaped(section.text)] if section.text else [])]
            lines += _spaced(_in_markdown(block) for block in section.blocks if not isinstance(block, Plot))
        lines += ["## How the figures are made", "", *(f"- {markdown.escaped(line)}" for line in self.methods), ""]
        lines.append(f"The whole report again: {markdown.code(self.command)}")
        return "\n".join(lines) + "\n"

    def table(self, name: str) -> str:
        """One table as Markdown.

        Args:
            name: the table's name, as its command has it.

        Raises:
            KeyError: there is no such table; the message names those that there are.
        """
        for table in self.tables:
            if table.name == name:
                return markdown.table_text(table) + "\n"
        known = ", ".join(table.name for table in self.tables) or "none"
        raise KeyError(f"no table {name!r} in this report; there are: {known}")


def report(
    experiments: Sequence[Experiment],
    similarities: Sequence[PageSimilarity] = (),
    provenance: Provenance | None = None,
    bootstrap: Bootstrap | None = None,
    more: Sequence[Section] = (),
) -> Report:
    """Recompute the papers' tables from experiments.

    Args:
        experiments: the rows of the results, in any order.
        similarities: how much of a key page's template is on the pages that it links to.
        provenance: how the experiments were made.
        bootstrap: what makes the confidence intervals.
        more: chapters from elsewhere, such as that on the tuning; they come last. Their tables have their commands.
    """
    made, bootstrap = provenance or Provenance(), bootstrap or Bootstrap()
    studies = _studies(sorted(experiments, key=_place), similarities, bootstrap, made)
    sections = _numbered([*_sections(studies), *more], made) if studies else ()
    empty = Paragraph("Nothing to report", f"There are no experiments. Run some first: {made.made_by}")
    return Report(
        summary=tuple(paragraphs(studies)) if studies else (empty,),
        figures=tuple(key_figures(studies)),
        sections=sections,
        methods=_methods(bootstrap, made),
        command=made.report,
    )


def _studies(
    experiments: Sequence[Experiment],
    similarities: Sequence[PageSimilarity],
    bootstrap: Bootstrap,
    provenance: Provenance,
) -> list[Study]:
    """The experiments by suite."""
    suites = list(dict.fromkeys(row.suite for row in experiments))
    return [
        Study(
            printable(suite, 60),
            slug,
            [row for row in experiments if row.suite == suite],
            [row for row in similarities if row.suite == suite],
            bootstrap,
            provenance.again(suite),
        )
        for suite, slug in zip(suites, _slugs(suites), strict=True)
    ]


def _place(row: Experiment) -> tuple[str, ...]:
    """Where an experiment stands in the report, however many processes made them in whatever order."""
    parameters = json.dumps(row.parameters, sort_keys=True, default=str)
    return row.suite, row.target, row.unit, row.detector, parameters, row.site, row.key_url


def _sections(studies: Sequence[Study]) -> list[Section]:
    """The chapters that have something to show."""
    errors = errors_table(studies)
    made = [
        Section("suites", "What was measured", "", (suites_table(studies),)),
        _section(studies, "template", "Template detection", "Which nodes of the key page are template.", _template),
        _section(studies, "candidates", "Candidates", "Which pages the detectors at site level compare.", _candidates),
        _section(studies, "content", "Main content", "What is left to read.", _content),
        _section(studies, "menu", "Main menu", "Measured on the hyperlinks inside the node that was found.", _menu),
        _section(studies, "runtime", "Runtime", "", _runtime),
        _section(studies, "sites", "Every site", "", _sites),
        _section(studies, "found", "Pages without a gold standard", "", lambda study: [found_table(study)]),
        Section("errors", "Errors", "" if errors else "No experiment went wrong.", (errors,) if errors else ()),
    ]
    return [section for section in made if section.blocks or section.name == "errors"]


def _section(studies: Sequence[Study], name: str, title: str, text: str, maker: Maker) -> Section:
    """A chapter from what a maker has for each suite; names and titles tell the suite."""
    blocks: list[Block] = []
    for study in studies:
        for block in maker(study):
            if block is not None:
                heading = f"{block.title}. Suite {study.suite}" if len(studies) > 1 else block.title
                named = replace(block, name=f"{study.slug}-{block.name}", title=heading)
                blocks.append(_with_command(named, study.command) if isinstance(named, Table) else named)
    return Section(name, title, text, tuple(blocks))


def _template(study: Study) -> Iterator[Block | None]:
    yield detectors_table(study, "template", "nodes")
    yield precision_against_recall(study, "template", "nodes")
    yield order_table(study)
    yield order_remarks(study)
    yield category_matrix(study, "template", "nodes")
    yield f1_by_category(study, "template", "nodes")
    for method in first_of_each(methods(study.rows("template", "nodes"))):
        if method.name in {"temex", "hybrid"}:
            yield category_table(study, method, "template", "nodes")
    yield readings_table(study, "template", "nodes")


def _candidates(study: Study) -> Iterator[Block | None]:
    yield candidates_table(study)
    yield distances_table(study)
    yield similarity_against_distance(study)
    yield sizes_table(study, "temex", "template", "nodes")
    yield size_of_the_subdigraph(study, "temex", "template", "nodes")
    yield votes_table(study)
    yield sizes_table(study, "hybrid", "template", "nodes")
    yield other_sizes_table(study, "template", "nodes")
    for unit in ("nodes", "words"):
        yield sizes_table(study, "site_conex", "content", unit)
    yield size_of_the_subdigraph(study, "site_conex", "content", "words")


def _content(study: Study) -> Iterator[Block | None]:
    yield detectors_table(study, "content", "words")
    yield others_table(study)
    yield precision_against_recall(study, "content", "words")
    yield differences_table(study, "content", "words")
    yield category_matrix(study, "content", "words")
    yield f1_by_category(study, "content", "words")
    yield detectors_table(study, "content", "nodes")
    yield category_matrix(study, "content", "nodes")
    yield readings_table(study, "content", "words")
    yield readings_table(study, "content", "nodes")


def _menu(study: Study) -> Iterator[Block | None]:
    yield detectors_table(study, "menu", "links")
    for method in first_of_each(methods(study.rows("menu", "links"))):
        if method.name == "menex":
            yield category_table(study, method, "menu", "links")
    yield readings_table(study, "menu", "links")


def _runtime(study: Study) -> Iterator[Block | None]:
    yield runtime_table(study)
    for target in ("template", "content"):
        yield runtime_against_nodes(study, target)


def _sites(study: Study) -> Iterator[Block | None]:
    for target, unit in (("template", "nodes"), ("content", "words"), ("menu", "links")):
        yield sites_table(study, target, unit)


def _numbered(sections: Sequence[Section], provenance: Provenance) -> tuple[Section, ...]:
    """The sections with their tables and figures numbered, and each table with its command."""
    tables = plots = 0
    numbered: list[Section] = []
    for section in sections:
        blocks: list[Block] = []
        for block in section.blocks:
            if isinstance(block, Table):
                tables += 1
                complete = block if block.command else _with_command(block, provenance.again())
                blocks.append(replace(complete, number=tables))
            elif isinstance(block, Plot):
                plots += 1
                blocks.append(replace(block, number=plots))
            else:
                blocks.append(block)
        numbered.append(replace(section, blocks=tuple(blocks)))
    return tuple(numbered)


def _with_command(table: Table, command: str) -> Table:
    return replace(table, command=f"{command} --table {shlex.quote(table.name)}")


def _methods(bootstrap: Bootstrap, provenance: Provenance) -> tuple[str, ...]:
    level = f"{100 * bootstrap.level:g} %"
    peers = sorted({version.partition(" ")[2] for name in PEERS for version in provenance.versions.get(name, ())})
    return (
        "A mean is the mean over sites of the mean over key pages: a site counts once however many key pages it has.",
        "Where the key pages of a site are of several types (WCXB), every key page counts once, as in that benchmark.",
        "The mean F1 is the mean of the F1 of the pages, not the F1 of mean recall and mean precision.",
        f"Brackets are {level} confidence intervals: percentile bootstrap over sites, a site with all its key pages.",
        f"They come from {bootstrap.resamples:,} resamples, seed {bootstrap.seed}.",
        f"Below {bootstrap.fewest_sites} sites there is no interval: it would promise too much.",
        "Differences are paired: both methods on the same key pages, the sites drawn for both together.",
        "An experiment that went wrong counts with the measures that it has, 0 as a rule: it found nothing.",
        "Its time does not count. Pages without the gold standard in question take no part.",
        "Every row tells on how many sites and key pages it rests, “13 of 16” where some are missing.",
        "Loads include the key page, as the papers count; detectors at page level load nothing else.",
        *([f"Versions of the peers: {', '.join(peers)}."] if peers else []),
        f"All experiments are made by: {provenance.made_by}",
        "Those that are there already are not made again.",
        "The command under each table makes what is missing of its suite, and prints the table.",
        f"From the results file alone the same tables come with: {provenance.report} --table NAME",
        "Published figures are of other sites (TeCo, or all of WCXB) and stand here for orientation.",
        "A difference between them and ours is one between suites as much as one between methods.",
    )


def _slugs(suites: Sequence[str]) -> list[str]:
    """Short names of suites, fit for links and shells, all different."""
    slugs: list[str] = []
    for suite in suites:
        slug = re.sub(r"[^0-9a-z]+", "-", suite.lower()).strip("-") or "suite"
        number = 2
        unique = slug
        while unique in slugs:
            unique = f"{slug}-{number}"
            number += 1
        slugs.append(unique)
    return slugs


def _groups(table: Table) -> list[tuple[str, int]]:
    """The headings above the columns, with the number of columns each spans; none where there are none."""
    if not any(column.group for column in table.columns):
        return []
    groups: list[tuple[str, int]] = []
    for column in table.columns:
        if groups and groups[-1][0] == column.group:
            groups[-1] = column.group, groups[-1][1] + 1
        else:
            groups.append((column.group, 1))
    return groups


def _kind(block: Block) -> str:
    return {Table: "table", Plot: "plot", Remarks: "remarks"}[type(block)]


def _in_markdown(block: Table | Remarks) -> str:
    if isinstance(block, Table):
        return markdown.table_text(block)
    return "\n\n".join([f"**{markdown.escaped(block.title)}**", *map(_paragraph, block.paragraphs)])


def _spaced(paragraphs: Iterable[str]) -> Iterator[str]:
    for paragraph in paragraphs:
        yield paragraph
        yield ""


def _paragraph(paragraph: Paragraph) -> str:
    return f"**{markdown.escaped(paragraph.label)}.** {markdown.escaped(paragraph.text)}"
