"""The tables of a results file.

The mean F1 is the mean of the F1 of the pages, not the F1 of mean recall and mean precision.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from templex_bench.results import Results, ResultsError
from templex_bench.tables import compare
from templex_bench.tables.model import Table
from templex_bench.tables.study import Study, prepared

_PAIRS = (
    ("template", "nodes"),
    ("content", "words"),
    ("content", "nodes"),
    ("menu", "links"),
    ("content", "values"),
    ("content", "snippets"),
)
_MAIN = [f"{target}-{unit}" for target, unit in _PAIRS]

Make = Callable[[Study], Table | None]


def _of_suite() -> Iterator[tuple[str, Make]]:
    for target, unit in _PAIRS:
        yield f"{target}-{unit}", partial(compare.side_by_side, target=target, unit=unit)
    for target, unit in _PAIRS[:4]:
        yield f"readings-{target}-{unit}", partial(compare.readings, target=target, unit=unit)
    yield "table-9.2", compare.temex_by_category
    yield "table-7.6", compare.candidates
    yield "papers", compare.papers


class Report:
    """All tables of a results file, each made on demand."""

    def __init__(self, results: Results) -> None:
        experiments = prepared(results.table("experiments"))
        self._path = str(results.path)
        self.studies = [Study(str(suite), rows) for suite, rows in experiments.groupby("suite")]
        self._makers = {
            f"{study.suite}-{name}": partial(make, study) for study in self.studies for name, make in _of_suite()
        }

    def tables(self, names: Sequence[str] = (), *, may_be_empty: bool = False) -> Iterator[str]:
        """Yield as Markdown the tables with these names, or all that have rows.

        Raises:
            ResultsError: if there is no such table, or it has no rows and ``may_be_empty`` is not set.
        """
        for name in names or self._makers:
            if name not in self._makers:
                raise ResultsError(f"no table {name!r}; there may be: {', '.join(self._makers)}")
            table = self._makers[name]()
            if table is not None:
                yield table.markdown(name, f"templex-bench show {shlex.join([self._path, name])}")
            elif names and not may_be_empty:
                raise ResultsError(f"the table {name!r} would be empty: nothing of it was measured")

    def main_tables(self) -> Iterator[str]:
        """Yield the tables with the methods side by side."""
        return self.tables([f"{study.suite}-{name}" for study in self.studies for name in _MAIN], may_be_empty=True)
