"""The leaderboard: each system on each suite, for the main content and for the removal of templates."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pandas as pd

from templex_bench.tables.model import MISSING, Table, mean, milliseconds, out_of
from templex_bench.tables.study import Group, Study

REMOVERS = frozenset({"templex", "templex-site", "deboiler", "half-of-pages", "shingles", "html_text"})
"""Methods that remove what pages share, beside the detectors of templates."""

NOTES = """\
- Sites and pages are those that were measured: with `--sample N` in the command, N pages of each suite at most, drawn
  by chance, the same ones for all systems.
- Best first, by the mean over the suites that all systems of a table have. A system that was measured on fewer pages of
  a suite than another one is told so, as 12 of 40, and comes last.
- Brackets are 95% intervals: bootstrap over sites. A mean is one over sites; in the suites wcxb one over pages.
- † Something about the system was chosen on pages of this suite, so that the figure is too good. A system that has † on
  all suites of a table has no rank: it stands below the others. What the systems of other projects were developed on
  is not known here.
- \\* The system compares pages. It gets up to twelve other pages of the site; templex, templex content words and the
  papers' detectors get a complete subdigraph of three to eight pages, or eight other pages where they are not linked.
  In corpora/wcxb there is one page of each site, so that nothing can be compared.
- Where a system ends with an error, it has found nothing.
- The papers' detectors are this package's readings of the papers; as printed: [how it works](how-it-works.md).
"""


def leaderboard(studies: Sequence[Study], commands: Sequence[str]) -> str:
    """Return the page, as Markdown."""
    made = "".join(f"    {command}\n" for command in commands)
    tables = "\n".join(f"## {table.title}\n\n{table.grid()}" for table in _tables(studies))
    return (
        "# Leaderboard\n\nWhat systems find on public collections of pages; `templex-bench leaderboard` makes this "
        f"page.\n\n{NOTES}\n{tables}\nThe experiments were made by\n\n{made}"
    )


def _tables(studies: Sequence[Study]) -> Iterator[Table]:
    suites = [
        {"Suite": study.suite, "Sites": str(study.population[0]), "Pages": str(study.population[1])}
        for study in studies
    ]
    table = Table.of("The suites", suites)
    if table is not None:
        yield table
    makers: Sequence[tuple[str, str, str, Callable[[Group], bool]]] = (
        ("Main content: F1 of words", "words", "f1", lambda group: not _removes(group)),
        ("Labelled values that are kept (swde)", "values", "recall", lambda _: True),
        ("Snippets: share of those that belong to the content and are there", "snippets", "recall", lambda _: True),
        ("Snippets: share of those that do not belong to it and are gone", "snippets", "precision", lambda _: True),
        ("Removal: F1 of words against the main content", "words", "f1", _removes),
        ("Removal: share of the words of the main content that are kept", "words", "recall", _removes),
    )
    for title, unit, measure, wanted in makers:
        table = _table(studies, title, unit, measure, wanted)
        if table is not None:
            yield table


def _removes(group: Group) -> bool:
    return group.method.name in REMOVERS or group.method.target == "template"


def _table(
    studies: Sequence[Study], title: str, unit: str, measure: str, wanted: Callable[[Group], bool]
) -> Table | None:
    cells: dict[str, dict[str, str]] = {}
    means: dict[str, dict[str, float]] = {}
    times: dict[str, list[float]] = {}
    incomplete: set[str] = set()
    fitted: dict[str, bool] = {}
    for study in studies:
        groups = [*study.groups("content", unit), *study.groups("content", unit, seeks="template")]
        measured = [
            (group, found)
            for group in groups
            if wanted(group)
            if (found := study.mean(group.rows, measure, interval=True)) is not None
        ]
        pages = max((found.pages for _, found in measured), default=0)
        for group, found in measured:
            star = r" \*" if group.method.level == "site" else ""
            name = f"{group.method.title}{star}"
            marks = " †" if study.is_fitted(group.method.name) else ""
            fitted[name] = fitted.get(name, True) and bool(marks)
            if found.pages < pages:
                incomplete.add(name)
                marks += f", {out_of(found.pages, pages)}"
            cells.setdefault(name, {})[study.suite] = mean(found) + marks
            means.setdefault(name, {})[study.suite] = found.mean
            times.setdefault(name, []).extend(group.rows["runtime"].dropna())
    everywhere = set.intersection(*(set(of) for of in means.values())) if means else set()

    def rank(name: str) -> tuple[bool, bool, float]:
        return name in incomplete, fitted[name], -sum(means[name][suite] for suite in everywhere)

    rows = [
        {"System": name, **cells[name], "ms a page": milliseconds(float(pd.Series(times[name]).median()))}
        for name in sorted(means, key=rank)
    ]
    order = ["System", *(study.suite for study in studies), "ms a page"]
    return Table.of(title, [{column: row.get(column, MISSING) for column in order} for row in rows])
