"""The leaderboard: each system on each suite, for the main content and for the removal of templates."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from templex_bench.measures.means import Estimate, chance, estimate, holm
from templex_bench.tables.model import MISSING, Table, difference, mean, milliseconds, out_of, share
from templex_bench.tables.study import Group, Study, values

STAR = r" \*"

REMOVERS = frozenset({"templex", "templex-site", "deboiler", "half-of-pages", "shingles", "html_text"})
"""Methods that remove repeated parts of pages, beside the detectors of templates."""

NOTES = """\
- Sites and pages are the measured ones: with `--sample N` in the command, at most N pages of each suite, drawn by
  chance, and the same for all systems.
- The best system comes first, by the mean over the suites that all systems of a table have. A system that was
  measured on fewer pages of a suite says so, as 12 of 40, and comes last.
- Brackets are 95% intervals: bootstrap over sites. A mean is over sites; in the suites wcxb over pages.
- † The figure is too good: something about the system was chosen on pages of this suite, or of some of its themes. A
  system with † on most suites of a table has no rank, and stands below the others. It is not known here on which
  pages other projects developed their systems.
- Differences are against the first system of the table. In a difference each site counts once, in the rank each suite.
- \\* The system compares pages. It gets up to twelve other pages of the site; templex, templex content words and the
  papers' detectors get a complete subdigraph of three to eight pages, or eight other pages if these do not link each
  other. In corpora/wcxb there is one page of each site, so that nothing can be compared.
- A system that ends with an error counts as having found nothing.
- The papers' detectors are this package's readings of the papers. How they do
  [as printed](papers.md#as-printed).
"""


def leaderboard(studies: Sequence[Study], runs: pd.DataFrame, more: Iterable[str] = ()) -> str:
    """Return the page, as Markdown, with more tables, and the commands and conditions of the runs."""
    made = "".join(
        f"    {command}\n\n"
        + "".join(f"- {name}: `{value}`\n" for name, value in json.loads(conditions).items())
        + "\n"
        for command, conditions in zip(runs["command"], runs["conditions"], strict=True)
    )
    tables = "\n".join(f"## {table.title}\n\n{table.grid()}" for table in _tables(studies))
    further = "".join(f"\n{table}" for table in more)
    return (
        "# Leaderboard\n\nWhat systems find on public collections of pages; `templex-bench leaderboard` makes this "
        f"page.\n\n{NOTES}\n{tables}{further}\nThe experiments were made by\n\n{made}"
    )


def _tables(studies: Sequence[Study]) -> Iterator[Table]:
    suites = [
        {"Suite": study.suite, "Sites": str(study.population[0]), "Pages": str(study.population[1])}
        for study in studies
    ]
    yield from filter(None, [Table.of("The suites", suites)])
    for title, target, unit, measure, wanted in BOARDS:
        cells = _cells(studies, (target, unit, measure), wanted)
        yield from filter(None, [_table(cells, studies, title)])
        if measure == "f1" and (table := _differences(cells)) is not None:
            yield replace(table, title=f"{title}: differences")
    yield from filter(None, [_by_type(studies)])


def _removes(group: Group) -> bool:
    return group.method.name in REMOVERS or group.method.target == "template"


BOARDS: Sequence[tuple[str, str, str, str, Callable[[Group], bool]]] = (
    ("Main content: F1 of words", "content", "words", "f1", lambda group: not _removes(group)),
    ("Labelled values that are kept (swde)", "content", "values", "recall", lambda _: True),
    ("Snippets: share of those of the content that are there", "content", "snippets", "recall", lambda _: True),
    ("Snippets: share of the others that are gone", "content", "snippets", "precision", lambda _: True),
    ("Removal: F1 of words against the main content", "content", "words", "f1", _removes),
    ("Removal: share of the words of the main content that are kept", "content", "words", "recall", _removes),
    ("Template: F1 of nodes", "template", "nodes", "f1", lambda _: True),
    ("Main menu: F1 of links", "menu", "links", "f1", lambda _: True),
)
"""Title, target, unit and measure of each table, and which methods are in it."""


@dataclass(frozen=True, slots=True)
class Cell:
    """The result of a system on a suite."""

    study: Study
    group: Group
    found: Estimate
    complete: bool

    @property
    def name(self) -> str:
        """The title of the system, with a star if it compares pages."""
        return f"{self.group.method.title}{STAR if self.group.method.level == 'site' else ''}"

    @property
    def is_fitted(self) -> bool:
        """Whether something about the system was chosen on pages of the suite."""
        return self.study.is_fitted(self.group.method.name)


def _groups(study: Study, target: str, unit: str, wanted: Callable[[Group], bool]) -> list[Group]:
    removers = study.groups("content", unit, seeks="template") if target == "content" else []
    return [group for group in [*study.groups(target, unit), *removers] if wanted(group)]


def _cells(studies: Sequence[Study], of: tuple[str, str, str], wanted: Callable[[Group], bool]) -> list[Cell]:
    target, unit, measure = of
    cells = []
    for study in studies:
        groups = _groups(study, target, unit, wanted)
        found = [(group, study.mean(group.rows, measure, interval=True)) for group in groups]
        pages = max((mean.pages for _, mean in found if mean is not None), default=0)
        cells += [Cell(study, group, mean, mean.pages == pages) for group, mean in found if mean is not None]
    return cells


def _by_type(studies: Sequence[Study]) -> Table | None:
    """Show F1 of words of the content by type of page, over the pages of all suites."""
    pages: dict[str, list[pd.DataFrame]] = {}
    for study in studies:
        for group in _groups(study, "content", "words", lambda group: not _removes(group)):
            name = f"{group.method.title}{STAR if group.method.level == 'site' else ''}"
            pages.setdefault(name, []).append(group.rows[["category", "f1"]])
    found = {name: pd.concat(parts).groupby("category")["f1"].agg(["mean", "size"]) for name, parts in pages.items()}
    types = sorted({kind for shares in found.values() for kind in shares.index} - {""})
    rows = [
        {"System": name, **{kind: share(shares["mean"].get(kind)) for kind in types}} for name, shares in found.items()
    ]
    return Table.of("Main content: F1 of words by type of page or site, mean over pages", rows)


def _by_rank(cells: Sequence[Cell]) -> dict[str, dict[str, Cell]]:
    """Return the cells of each system by suite, the best system first.

    Systems that are fitted to most of their suites come after the others, and those that were measured on fewer pages
    than others come last.
    """
    systems: dict[str, dict[str, Cell]] = {}
    for cell in cells:
        systems.setdefault(cell.name, {})[cell.study.suite] = cell
    everywhere = set.intersection(*map(set, systems.values())) if systems else set[str]()

    def rank(name: str) -> tuple[bool, bool, float]:
        own = systems[name]
        incomplete = not all(cell.complete for cell in own.values())
        fitted = 2 * sum(cell.is_fitted for cell in own.values()) > len(own)
        return incomplete, fitted, -sum(own[suite].found.mean for suite in everywhere)

    return {name: systems[name] for name in sorted(systems, key=rank)}


def _differences(cells: Sequence[Cell]) -> Table | None:
    """Compare each system with the first of the table, paired by page, over the sites of all suites."""
    series = {}
    for name, own in _by_rank(cells).items():
        pages = pd.concat({suite: values(cell.group.rows, "f1") for suite, cell in own.items()})
        # two suites may have a site of one name
        sites = pd.MultiIndex.from_tuples([(f"{at}/{site}", url) for at, site, url in pages.index])
        series[name] = pages.set_axis(sites)
    if len(series) < 2:
        return None
    first, *others = series
    less = {name: (series[name] - series[first]).dropna() for name in others}
    chances = holm([chance(less[name]) for name in others])
    rows = [
        {"System": name, f"F1 less that of {first}": difference(estimate(less[name])), "p": share(p)}
        for name, p in zip(others, chances, strict=True)
    ]
    note = "Over the sites that both have, of all suites; p: Wilcoxon's signed-rank test by site, Holm's correction."
    return Table.of("", rows, note)


def _table(cells: Sequence[Cell], studies: Sequence[Study], title: str) -> Table | None:
    def shown(cell: Cell | None) -> str:
        if cell is None:
            return MISSING
        pages = max(other.found.pages for other in cells if other.study is cell.study)
        less = "" if cell.complete else f", {out_of(cell.found.pages, pages)}"
        return f"{mean(cell.found)}{' †' if cell.is_fitted else ''}{less}"

    rows = []
    for name, own in _by_rank(cells).items():
        times = pd.concat([cell.group.rows["runtime"] for cell in own.values()])
        cells_of = {study.suite: shown(own.get(study.suite)) for study in studies}
        rows.append({"System": name, **cells_of, "ms a page": milliseconds(float(times.median()))})
    return Table.of(title, rows)
