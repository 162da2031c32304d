"""Where reports are written, what they are written over, and what they do in a browser."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

pytest.importorskip("numpy")
pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")

from report_cases import experiment
from templex_bench.cli import main
from templex_bench.results import Results, ResultsError, Stamp
from templex_bench.writing import mark_of, write_reports


def make(path: Path) -> Path:
    """A results file with one experiment."""
    with Results(path, create=True) as results:
        results.add([("key", Stamp("pages", "code"), experiment())])
    return path


def write(results: Path, *arguments: object) -> tuple[int, str, str]:
    """The exit code of the command report, and what it said."""
    out, err = io.StringIO(), io.StringIO()
    code = main(["report", str(results), *map(str, arguments)], out=out, err=err)
    return code, out.getvalue(), err.getvalue()


def test_a_report_replaces_its_own_and_nothing_else(tmp_path) -> None:
    """The printed command may be given again; the report of other results, and any other file, is left as it is."""
    path, other = make(tmp_path / "mine.sqlite"), make(tmp_path / "its.sqlite")
    code, out, err = write(path)
    assert (code, out.split()) == (0, [str(tmp_path / "report.html"), str(tmp_path / "report.md")])
    assert (tmp_path / "report.html").as_uri() in err
    assert "replaced" not in err
    assert write(path)[2].count("was there and is replaced") == 2
    first = (tmp_path / "report.html").read_text(encoding="utf-8")
    code, _, err = write(other)
    assert (code, "--force" in err) == (2, True)
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == first
    assert write(other, "--folder", tmp_path / "new" / "folder")[0] == 0
    assert write(other, "--force")[0] == 0
    assert write(path)[0] == 2, "now it is the other's"


def test_all_files_are_written_or_none(tmp_path) -> None:
    """A file in the way of one of them is told before the other is made."""
    (tmp_path / "report.md").write_text("my own notes", encoding="utf-8")
    with pytest.raises(ResultsError, match=r"report\.md is there"):
        write_reports({tmp_path / "report.html": "x", tmp_path / "report.md": "x"}, "x")
    assert not (tmp_path / "report.html").exists()
    (tmp_path / "folder").mkdir()
    with pytest.raises(ResultsError, match="is there"):
        write_reports({tmp_path / "folder": "x"}, "x")
    with pytest.raises(ResultsError, match="cannot be written"):
        write_reports({tmp_path / "report.md" / "report.html": "x"}, "x")


def test_marks_stand_in_html_and_markdown_as_they_are() -> None:
    """Whatever the name of the file."""
    assert mark_of("runs.sqlite") == "templex_bench, from runs.sqlite"
    assert not set(mark_of('a--><b>"&(x)[y]\n.sqlite')) & set('<>()[]"&\n')
