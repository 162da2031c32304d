"""Writing reports over reports, and over nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from urllib.parse import quote

from templex_bench.results import ResultsError


def mark_of(results: str) -> str:
    """What a report carries so that it is known again, fit for HTML as it stands.

    Args:
        results: name of the file that it is made from, without its folder.
    """
    return f"templex_bench, from {quote(results).replace('--', '%2D%2D')}"


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

    def is_ours(path: Path) -> bool:
        return mark in path.read_text(encoding="utf-8", errors="replace")

    try:
        there = checked(texts, is_ours, "report of these results", force=force)
        for path, text in texts.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ResultsError(f"the report cannot be written: {error}") from error
    return there


def checked(paths: Iterable[Path], is_ours: Callable[[Path], bool], what: str, *, force: bool) -> list[Path]:
    """Refuse to write over what is not ours.

    Args:
        paths: the files that are to be written.
        is_ours: whether a file that is there may be replaced.
        what: what it would be then, for the message.
        force: whether any file is replaced; a folder never is.

    Returns:
        Those of them that are there.

    Raises:
        ResultsError: if one of them is there and may not be replaced.
        OSError: if one cannot be read.
    """
    there = [path for path in paths if path.exists()]
    for path in there:
        if path.is_dir() or not (force or is_ours(path)):
            raise ResultsError(f"{path} is there and is no {what}: name another folder, or replace it by --force")
    return there
