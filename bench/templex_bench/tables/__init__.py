"""The tables of a results file, and the report made of them."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from html import escape

from templex_bench.results import Results, ResultsError
from templex_bench.tables import compare, inventory, search
from templex_bench.tables.model import Table
from templex_bench.tables.study import Study, prepared, slugs

MARK = "made by templex-bench"
"""What a report contains, so that it may be replaced by a newer one."""

TITLE = "Template, content and menu detectors, measured"
METHODS_NOTES = (
    "A mean is the mean over sites of the mean over key pages.",
    "Where the key pages of a site are of several types (WCXB) every key page counts once, as in that benchmark.",
    "The mean F1 is the mean of the F1 of the pages, not the F1 of mean recall and mean precision.",
    "Brackets are 95 % intervals: percentile bootstrap over sites, a site with all its key pages; none below 5 sites.",
    "An experiment that went wrong counts with 0: it found nothing.",
    "Published figures are of other sites: a difference to ours is due to the sites as much as to the methods.",
)

_PAIRS = (("template", "nodes"), ("content", "words"), ("content", "nodes"), ("menu", "links"), ("content", "values"))
_CATEGORIES = (
    ("temex", "template", "nodes"),
    ("hybrid", "template", "nodes"),
    ("page-conex", "content", "words"),
    ("site-conex", "content", "words"),
    ("menex", "menu", "links"),
)
Make = Callable[[Study], Table | None]


def _of_suite() -> Iterator[tuple[str, Make]]:
    for target, unit in _PAIRS:
        yield f"{target}-{unit}", partial(compare.side_by_side, target=target, unit=unit)
    left = partial(compare.side_by_side, target="content", unit="words", seeks="template")
    yield "content-words-template-detectors", left
    yield "against-peers-content-words", partial(compare.against_peers, target="content", unit="words")
    for target, unit in _PAIRS:
        yield f"readings-{target}-{unit}", partial(compare.readings, target=target, unit=unit)
    for target, unit in _PAIRS[:3]:
        yield f"sizes-{target}-{unit}", partial(search.sizes, target=target, unit=unit)
    yield from (("votes", search.votes), ("candidates", search.candidates), ("distances", search.distances))
    for target, unit in _PAIRS[:3]:
        for word in ("category", "page-type"):
            yield f"f1-by-{word}-{target}-{unit}", partial(_by_category, word, target=target, unit=unit)
    for method, target, unit in _CATEGORIES:
        name = f"category-{target}-{unit}-{method}"
        yield name, partial(compare.category, method=method, target=target, unit=unit)
    yield "runtime", inventory.runtimes
    for target, unit in _PAIRS:
        yield f"every-site-{target}-{unit}", partial(compare.every_site, target=target, unit=unit)
    yield "found", inventory.found


def _by_category(word: str, study: Study, target: str, unit: str) -> Table | None:
    return compare.by_category(study, target, unit) if study.category_word.replace(" ", "-") == word else None


class Report:
    """All tables of a results file; each is made when it is wanted."""

    def __init__(self, results: Results) -> None:
        rows, links, self._lost = prepared(results.table("experiments")), results.table("links"), results.table("lost")
        self._path = str(results.path)
        names = slugs(sorted(set(rows["suite"])))
        self.studies = [
            Study(suite, slug, rows[rows["suite"] == suite], links[links["suite"] == suite], self._lost_of(suite))
            for suite, slug in names.items()
        ]
        self.made_by = [again(folder, self._path, options) for _, folder, options in results.runs()]

    def _lost_of(self, suite: str) -> int:
        return int((self._lost["suite"] == suite).sum())

    def tables(self, names: Sequence[str] = (), *, may_be_empty: bool = False) -> Iterator[Table]:
        """Yield the tables with these names, or all that have rows.

        Raises:
            ResultsError: if there is no such table, or it has no rows and ``may_be_empty`` is not set.
        """
        makers = dict(self._makers())
        for name in names or makers:
            if name not in makers:
                raise ResultsError(f"no table {name!r}; there may be: {', '.join(makers)}")
            table = makers[name]()
            if table is not None:
                yield table.named(name, f"templex-bench show {shlex.join([self._path, name])}")
            elif names and not may_be_empty:
                raise ResultsError(f"the table {name!r} would be empty: nothing of it was measured")

    def main_tables(self) -> Iterator[Table]:
        """Yield the tables to look at first: the suites, the methods side by side, and what went wrong."""
        names = [f"{study.slug}-{target}-{unit}" for study in self.studies for target, unit in _PAIRS]
        names += [f"{study.slug}-found" for study in self.studies]
        return self.tables(["suites", *names, "errors", "lost"], may_be_empty=True)

    def _makers(self) -> Iterator[tuple[str, Callable[[], Table | None]]]:
        yield "suites", partial(inventory.suites, self.studies)
        for study in self.studies:
            for name, make in _of_suite():
                yield f"{study.slug}-{name}", partial(make, study)
        yield "errors", partial(inventory.errors, self.studies)
        yield "lost", partial(inventory.lost, self._lost)

    def markdown(self, more: Iterable[Table] = ()) -> str:
        """Return all tables as Markdown."""
        notes = "".join(f"- {note}\n" for note in self._notes())
        tables = "\n".join(table.markdown() for table in (*self.tables(), *more))
        return f"# {TITLE}\n\n{notes}\n{tables}\n<!-- {MARK} -->\n"

    def html(self, more: Iterable[Table] = ()) -> str:
        """Return all tables as one page that needs nothing else."""
        notes = "".join(f"<li>{escape(note)}" for note in self._notes())
        tables = "".join(table.html() for table in (*self.tables(), *more))
        return (
            f'<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>{TITLE}</title><style>{_STYLE}</style>'
            f"<h1>{TITLE}</h1><ul>{notes}</ul>\n{tables}<!-- {MARK} --></html>\n"
        )

    def _notes(self) -> Iterator[str]:
        yield from METHODS_NOTES
        yield from (f"All experiments are made by: {command}" for command in self.made_by)


_STYLE = (
    "body{font:15px/1.5 sans-serif;margin:2em}table{border-collapse:collapse}"
    "th,td{border-bottom:1px solid #ccc;padding:.2em .6em;text-align:left;white-space:nowrap}"
    "tr:hover{background:#f4f4f4}li{max-width:50em}"
)


def again(folder: str, results: str, options: Sequence[str]) -> str:
    """Return the command that makes the experiments of a run."""
    return shlex.join(["templex-bench", "run", folder, "--results", results, *options])
