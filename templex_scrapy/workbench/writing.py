"""Writing reports over reports, and over nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

from templex_scrapy.workbench.results import ResultsError


def mark_of(results: str) -> str:
    """What a report carries so that it is known again, fit for HTML as it stands.

    Args:
        results: name of the file that it is made from, without its folder.
    """
    return f"templex_scrapy.workbench, from {quote(results).replace('--', '%2D%2D')}"


def write_reports(texts: Mapping[Path, str], mark: str, *, force: bool = False) -> list[Path]:
    """Write the files of a report.

    The command that makes a report may be given again and again, so that an older report of the same results is
    replaced. Any other file is left alone, and then nothing is written at all.

    Args:
        texts: the files with what goes into them.
        mark: what all of them carry, see :func:`mark_of`.
        force: whether any other file is replaced as well.

    Returns:
        The files that were there before.

    Raises:
        ResultsError: if one of them is there and is no report of the same results, or cannot be written.
    """
    try:
        there = [path for path in texts if path.exists()]
        for path in there:
            if not force and (path.is_dir() or mark not in path.read_text(encoding="utf-8", errors="replace")):
                raise ResultsError(
                    f"{path} is there and is no report of these results: name another folder, or replace it by --force"
                )
        for path, text in texts.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ResultsError(f"the report cannot be written: {error}") from error
    return there
