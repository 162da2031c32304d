"""The chapter of the report on the tuning of the similarity."""

from __future__ import annotations

from functools import partial

from templex_bench.chapters import Chapter, Entry
from templex_bench.prose import Remarks
from templex_bench.tuning.command import again
from templex_bench.tuning.store import TuningResults
from templex_bench.tuning.tables import NAMES, Tuning, checked, paragraphs


def tuning_chapter(results: TuningResults) -> Chapter:
    """What the command ``tune`` has found, with the commands that print its tables again.

    Args:
        results: the file that it has written; open as long as anything of the chapter is yet to be made.

    Raises:
        ResultsError: if it holds fewer than two sites.
    """
    tuning = checked(Tuning(results, again(results)))
    remarks = Entry("tuning-remarks", lambda: Remarks("tuning-remarks", "What it says", tuple(paragraphs(tuning))))
    tables = (Entry(name, partial(tuning.table, name)) for name in NAMES)
    text = "The weights, threshold and option of the similarity, each site measured with what was chosen without it."
    return Chapter("tuning", "Tuning of the similarity", text, (remarks, *tables))
