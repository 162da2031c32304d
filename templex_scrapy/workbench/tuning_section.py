"""The chapter of the report on the tuning of the similarity."""

from __future__ import annotations

from pathlib import Path

from templex_scrapy.workbench.prose import Paragraph, Remarks
from templex_scrapy.workbench.report import Section
from templex_scrapy.workbench.tuning.command import again
from templex_scrapy.workbench.tuning.store import TuningResults
from templex_scrapy.workbench.tuning.tables import Tuning, checked, sentences


def tuning_section(path: Path) -> Section:
    """What the command ``tune`` has found, with the commands that print its tables again.

    Args:
        path: the file that it has written.

    Raises:
        ResultsError: if it is not there, is another file, or holds fewer than two sites.
    """
    with TuningResults(path) as results:
        tuning = checked(Tuning(results, again(path)))
        remarks = Remarks("tuning-remarks", "What it says", (Paragraph("Tuning", " ".join(sentences(tuning))),))
        tables = tuning.tables()
    text = "The weights, threshold and option of the similarity, each site measured with what was chosen without it."
    return Section("tuning", "Tuning of the similarity", text, (remarks, *tables))
