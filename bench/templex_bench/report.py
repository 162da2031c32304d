"""The report of the workbench: one self-contained HTML file, and the same tables in Markdown."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import resources

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from templex_bench import markdown
from templex_bench.bootstrap import Bootstrap
from templex_bench.chapters import Block, Chapter, Section, chapters, errors_chapter
from templex_bench.experiment import Experiment
from templex_bench.lost import LostPage
from templex_bench.names import printable
from templex_bench.peers import PEERS
from templex_bench.plots import Plot
from templex_bench.prose import Paragraph, Remarks, counted
from templex_bench.provenance import Provenance
from templex_bench.study import PageSimilarity, Study
from templex_bench.summary import KeyFigure, key_figures, paragraphs
from templex_bench.tables import Table
from templex_bench.writing import mark_of

TITLE = "Template, content and menu detectors, measured"


@dataclass(frozen=True)
class Report:
    """The report: nothing is made before it is asked for.

    Attributes:
        studies: the experiments by suite.
        chapters: what it may show.
        provenance: how the experiments were made.
        bootstrap: what makes the confidence intervals.
        unmeasured: for each suite without any experiment how many of its key pages could not be measured.
    """

    studies: Sequence[Study]
    chapters: Sequence[Chapter]
    provenance: Provenance
    bootstrap: Bootstrap
    unmeasured: Mapping[str, int] = field(default_factory=dict)

    @property
    def mark(self) -> str:
        """What it carries so that it is known again."""
        return mark_of(self.provenance.results)

    @property
    def command(self) -> str:
        """What makes this report again from the results file."""
        return self.provenance.whole

    @cached_property
    def summary(self) -> tuple[Paragraph, ...]:
        """What was found, in a few paragraphs."""
        lost = [
            Paragraph(
                f"Suite {suite}", f"No experiments; {counted(pages, 'key page')} could not be measured: see Errors."
            )
            for suite, pages in self.unmeasured.items()
        ]
        if self.studies or lost:
            return (*paragraphs(self.studies), *lost)
        told = f"There are no experiments. Run some first: {self.provenance.made_by}"
        return (Paragraph("Nothing to report", told),)

    @cached_property
    def figures(self) -> tuple[KeyFigure, ...]:
        """What stands out."""
        return tuple(key_figures(self.studies))

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        """Tables and figures, numbered."""
        made = (chapter.section() for chapter in self.chapters)
        return _numbered([section for section in made if section is not None])

    @property
    def methods(self) -> tuple[str, ...]:
        """How the figures are made, sentence by sentence."""
        return _methods(self.bootstrap, self.provenance)

    @property
    def tables(self) -> tuple[Table, ...]:
        """The tables, in order."""
        return tuple(block for section in self.sections for block in section.blocks if isinstance(block, Table))

    def html(self) -> str:
        """One HTML file that needs nothing else: no network; one script, which sorts tables, and none beside it."""
        environment = Environment(
            loader=PackageLoader("templex_bench"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        template = environment.get_template("report.html.j2")
        script = resources.files("templex_bench").joinpath("templates", "report.js").read_text("utf-8")
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        return template.render(
            report=self, title=TITLE, groups=_groups, kind=_kind, safe=Markup, script=script, script_digest=digest
        )

    def markdown(self) -> str:
        """Summary and tables as Markdown; the figures are in the HTML only."""
        lines = [f"# {TITLE}", "", *_spaced(map(_paragraph, self.summary))]
        for section in self.sections:
            lines += [f"## {section.title}", "", *_spaced([markdown.escaped(section.text)] if section.text else [])]
            lines += _spaced(_in_markdown(block) for block in section.blocks if not isinstance(block, Plot))
        lines += ["## How the figures are made", "", *(f"- {markdown.escaped(line)}" for line in self.methods), ""]
        lines += [f"The whole report again: {markdown.code(self.command)}", "", markdown.comment(self.mark)]
        return "\n".join(lines) + "\n"

    def table(self, name: str) -> str:
        """One table as Markdown, without its number in the report: no other table is made for it.

        Args:
            name: the table's name, as its command has it.

        Raises:
            KeyError: there is no such table; the message names those that there are.
        """
        for chapter in self.chapters:
            for entry in chapter.entries:
                block = entry.make() if entry.name == name else None
                if isinstance(block, Table):
                    return markdown.table_text(block) + "\n"
        known = ", ".join(table.name for table in self._tables_alone()) or "none"
        raise KeyError(f"no table {name!r} in this report; there are: {known}")

    def _tables_alone(self) -> Iterator[Table]:
        """The tables without the figures, which take longest."""
        for chapter in self.chapters:
            for entry in chapter.entries:
                block = None if "figure-" in entry.name else entry.make()
                if isinstance(block, Table):
                    yield block


def report(
    experiments: Sequence[Experiment],
    similarities: Sequence[PageSimilarity] = (),
    provenance: Provenance | None = None,
    bootstrap: Bootstrap | None = None,
    more: Sequence[Chapter] = (),
    lost: Sequence[LostPage] = (),
) -> Report:
    """Recompute the papers' tables from experiments.

    Args:
        experiments: the rows of the results, in any order.
        similarities: how much of a key page's template is on the pages that it links to.
        provenance: how the experiments were made.
        bootstrap: what makes the confidence intervals.
        more: chapters from elsewhere, such as that on the tuning; they come last. Their tables have their commands.
        lost: key pages that could not be measured.
    """
    made, bootstrap = provenance or Provenance(), bootstrap or Bootstrap()
    pages = Counter(page.suite for page in sorted(lost))
    studies = _studies(sorted(experiments, key=_place), similarities, bootstrap, made, pages)
    measured = {row.suite for row in experiments}
    unmeasured = {printable(suite, 60): count for suite, count in pages.items() if suite not in measured}
    shown = [*chapters(studies, made, lost), *more] if studies else [errors_chapter((), made, lost)] if lost else []
    return Report(studies, shown, made, bootstrap, unmeasured)


def table_names(suites: Iterable[str]) -> list[str]:
    """The names of the tables that a report on some suites may have, before anything is measured.

    Args:
        suites: names of the suites.
    """
    found = sorted(set(suites))
    studies = [Study(suite, slug, (), (), Bootstrap()) for suite, slug in zip(found, _slugs(found), strict=True)]
    entries = [entry.name for chapter in chapters(studies, Provenance()) for entry in chapter.entries]
    tables = [name for name in entries if "-figure-" not in name and not name.endswith("-order-remarks")]
    # whether the categories are types of pages is not known before
    return list(dict.fromkeys(name for table in tables for name in (table, table.replace("category", "page-type"))))


def _studies(
    experiments: Sequence[Experiment],
    similarities: Sequence[PageSimilarity],
    bootstrap: Bootstrap,
    provenance: Provenance,
    lost: Mapping[str, int],
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
            lost.get(suite, 0),
        )
        for suite, slug in zip(suites, _slugs(suites), strict=True)
    ]


def _place(row: Experiment) -> tuple[str, ...]:
    """Where an experiment stands in the report, however many processes made them in whatever order."""
    parameters = json.dumps(row.parameters, sort_keys=True, default=str)
    return row.suite, row.target, row.unit, row.detector, parameters, row.site, row.key_url


def _numbered(sections: Sequence[Section]) -> tuple[Section, ...]:
    """The sections with their tables and figures numbered."""
    tables = plots = 0
    numbered: list[Section] = []
    for section in sections:
        blocks: list[Block] = []
        for block in section.blocks:
            if isinstance(block, Table):
                tables += 1
                blocks.append(replace(block, number=tables))
            elif isinstance(block, Plot):
                plots += 1
                blocks.append(replace(block, number=plots))
            else:
                blocks.append(block)
        numbered.append(replace(section, blocks=tuple(blocks)))
    return tuple(numbered)


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
