"""The commands that the report prints: what makes the experiments again, and a table of them."""

from __future__ import annotations

import io
import shlex
from pathlib import Path

import pytest

pytest.importorskip("numpy")
pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")

import suites
from templex_bench.cli import main
from templex_bench.provenance import Provenance, provenance_of
from templex_bench.results import Results, RunOf
from templex_bench.version import reached

START = "python -m templex_bench"


def run(*arguments: object) -> tuple[int, str, str]:
    """The exit code and what was written."""
    out, err = io.StringIO(), io.StringIO()
    return main([str(argument) for argument in arguments], out=out, err=err), out.getvalue(), err.getvalue()


def made(path: Path, *runs: RunOf) -> Provenance:
    with Results(path, create=True) as results:
        for one in runs:
            results.add_run(one)
        return provenance_of(results)


def test_without_runs_a_table_comes_from_the_results_file() -> None:
    """Experiments of another origin: the report's own command."""
    assert Provenance(report="report x").again("sites") == "report x"


def test_the_whole_report_comes_again_where_it_was(tmp_path) -> None:
    """A folder of its own is in the command that writes all of it, and in no other."""
    folder, path = tmp_path / "my report", tmp_path / "r.sqlite"
    suites.selected(tmp_path / "suite", sites=1)
    options = ("--detectors", "page-conex", "--peers", "none", "--limit", "1", "--jobs", "1")
    assert run("run", tmp_path / "suite", "--results", path, *options)[0] == 0
    folder.mkdir()
    assert run("report", path, "--folder", folder)[0] == 0
    text = (folder / "report.md").read_text(encoding="utf-8")
    assert f"The whole report again: `{START} report {path} --folder '{folder}'`" in text
    assert text.count("--folder") == 1


def test_suites_that_were_run_alike_are_one_command(tmp_path) -> None:
    """Each suite has the command for its own folder; all together are one."""
    path = tmp_path / "r.sqlite"
    found = made(path, RunOf("one", "a/one", ()), RunOf("two", "b/my two", ()))
    assert found.again("one") == f"{START} run a/one --results {path}"
    assert found.again("two") == f"{START} run 'b/my two' --results {path}"
    assert found.again() == f"{START} run a/one 'b/my two' --results {path}"


def test_runs_with_other_options_follow_each_other(tmp_path) -> None:
    """In the order in which they were made last."""
    path = tmp_path / "r.sqlite"
    runs = (RunOf("one", "one", ("--limit", "1")), RunOf("one", "one", ()), RunOf("one", "one", ("--limit", "1")))
    assert made(path, *runs).again("one") == (
        f"{START} run one --results {path}; {START} run one --results {path} --limit 1"
    )


@pytest.mark.usefixtures("in_process")
def test_the_command_under_a_table_prints_that_table(tmp_path, monkeypatch) -> None:
    """Run as printed in an empty folder, it makes the experiments and prints the same table; else nothing is made."""
    monkeypatch.chdir(tmp_path)
    suites.selected(tmp_path / "my suite", sites=1)
    options = ("--detectors", "menex,sst", "--peers", "none", "--limit", 1, "--jobs", 1)
    assert run("run", "my suite", "--results", "r.sqlite", *options)[0] == 0
    table = run("report", "r.sqlite", "--table", "my-suite-menu-links")[1]
    assert "| MenEx |" in table
    command = table[table.index("`") + 1 : table.rindex("`")]
    words = shlex.split(command)[3:]
    assert words[words.index("--limit") + 1] == "1"
    code, again, err = run(*words)
    assert (code, again) == (0, table)
    assert "\n0 experiments made" in err
    Path("r.sqlite").unlink()
    code, again, err = run(*words, "--jobs", 1)
    assert code == 0
    assert "\n0 experiments made" not in err
    assert without_times(again) == without_times(table)


def without_times(table: str) -> list[list[str]]:
    """The cells of a table but for the runtimes, which are never the same."""
    rows = [line.split(" | ") for line in table.splitlines() if line.startswith("|")]
    places = [place for place, title in enumerate(rows[0]) if "Runtime" not in title]
    return [[row[place] for place in places] for row in rows]


@pytest.mark.usefixtures("in_process")
def test_an_unknown_table_is_told_after_a_run(tmp_path) -> None:
    """A name that some report on the suite could have, but not this one: the experiments are kept, names are listed."""
    suites.selected(tmp_path / "suite", sites=1)
    path = tmp_path / "r.sqlite"
    common = ("run", tmp_path / "suite", "--results", path, "--detectors", "menex", "--peers", "none", "--no-readings")
    code, _, err = run(*common, "--jobs", 1, "--table", "suite-template-nodes")
    assert code == 2
    assert "suite-menu-links" in err
    with Results(path) as results:
        assert results.experiments()


@pytest.mark.usefixtures("in_process")
def test_rows_of_other_code_are_told(tmp_path) -> None:
    """Who reports old rows is warned that they are."""
    suites.selected(tmp_path / "suite", sites=1)
    path = tmp_path / "r.sqlite"
    run("run", tmp_path / "suite", "--results", path, "--detectors", "menex", "--peers", "none", "--jobs", 1)
    arguments = ("report", path, "--table", "suites")
    assert "WARNING" not in run(*arguments)[2]
    with Results(path) as results, results._database as database:
        database.execute("UPDATE experiments SET version = 'old'")
    assert "other versions of the code made rows of menex" in run(*arguments)[2]


def test_a_version_rests_on_what_is_imported() -> None:
    """Directly, through others, and not more: a module that nobody imports leaves results as they are."""
    package = Path(suites.__file__).parents[2] / "templex_scrapy"
    found = {file.relative_to(package).as_posix() for file in reached([package / "detectors" / "temex.py"])}
    assert {"detectors/temex.py", "template.py", "mapping.py", "page.py"} <= found
    assert not found & {"pipeline.py", "detectors/menex.py", "workbench/run.py"}


@pytest.mark.usefixtures("in_process")
def test_the_report_has_a_chapter_on_the_tuning(tmp_path):
    """With the tables that tune prints, and the commands that print them; a file that is not there is told."""
    suite, path, tuned = suites.selected(tmp_path / "suite"), tmp_path / "r.sqlite", tmp_path / "tuning.sqlite"
    run("run", suite, "--results", path, "--detectors", "menex", "--peers", "none", "--no-readings", "--jobs", 1)
    assert run("tune", suite, "--out", tuned, "--coarse", "--sizes", "3", "--jobs", 1)[0] == 0
    code, out, err = run("report", path, "--tuning", tuned)
    assert code == 0, err
    html, markdown = (Path(line).read_text(encoding="utf-8") for line in out.split())
    again = f"{START} tune {suite} --out {tuned} --sizes 3 --coarse --table tuning-weights"
    assert again in html
    assert f"The whole report again: `{START} report {path} --tuning {tuned}`" in markdown
    assert again in markdown
    assert html.index('id="tuning"') > html.index('id="table-suite-menu-links"')
    code, table, _ = run("report", path, "--tuning", tuned, "--table", "tuning-weights")
    assert table.split("\n", 2)[2] in markdown, "alone, but for its number"
    code, _, err = run("report", path, "--tuning", tmp_path / "nothing.sqlite")
    assert code == 2
    assert "the command tune makes it" in err
