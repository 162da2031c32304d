"""Runs and their results, by the command line, on miniature suites; and plans."""

import json
import sqlite3

import made_suites
import pandas as pd
import pytest
from templex_bench import case
from templex_bench.cli import main
from templex_bench.methods import METHODS, method_named
from templex_bench.plan import Choice, trials
from templex_bench.results import Results, ResultsError
from templex_bench.run import version_of
from templex_bench.suites import SuiteError

FEW = ("--detectors", "temex,page-conex", "--peers", "html_text", "--sizes", "2", "--no-readings", "--jobs", "1")


@pytest.fixture
def run(tmp_path):
    """Runs a suite and returns the experiments."""

    def experiments(*arguments, code=0):
        file = tmp_path / "results.sqlite"
        assert main(["run", *arguments, "--results", str(file)]) == code
        with Results(file) as results:
            return results.table("experiments")

    return experiments


def planned(name, choice=None, *, linked=True):
    chosen = choice or Choice(readings=False)
    return [dict(trial.parameters) for trial in trials([METHODS[name]], chosen, linked=linked)]


def test_plans():
    """All sizes and votes, and all selections at size 3, for TemEx; for others the equal size and that of the paper."""
    temex = planned("temex")
    assert {(one["size"], one["votes"]) for one in temex} == {(n, v) for n in range(1, 9) for v in range(1, n + 1)}
    assert sum(one["candidates"] == "random links" for one in temex) == 5
    assert [one["size"] for one in planned("sst")] == [3, 8]
    assert planned("deboiler") == [{"candidates": "siblings", "size": 12}]
    assert [one["size"] for one in planned("site-conex")] == list(range(1, 9))
    assert planned("menex") == planned("menex", linked=False) == [{}]
    assert planned("temex", linked=False) == [{"candidates": "siblings", "size": 8, "votes": 2}]
    assert [one["votes"] for one in planned("temex", Choice(sizes=[2, 3], readings=False))] == [1, 2, 1, 2, 3]
    readings = [trial for trial in trials([METHODS["sst"]], Choice(), linked=True) if trial.reading]
    assert len(readings) == len(METHODS["sst"].readings)
    assert all(trial.parameters["size"] == 3 for trial in readings)
    printed = [trial for trial in trials([METHODS["iwptd"]], Choice(), linked=True) if trial.reading == "as printed"]
    assert [trial.parameters["size"] for trial in printed] == [8], "five pages must have a segment"


def test_a_run_measures_each_unit_and_nothing_twice(tmp_path, run, capsys):
    folder = str(made_suites.selected(tmp_path / "suite"))
    rows = run(folder, *FEW)
    assert len(set(rows["trial"])) == 2 * 2 * 4, "two sites, two key pages; temex with one and two votes"
    units = rows.groupby("method").apply(lambda own: set(own["target"] + " " + own["unit"]), include_groups=False)
    assert units["temex"] == {"template nodes", "content words"}
    assert units["html_text"] == {"content words"}
    temex = rows[(rows["method"] == "temex") & (rows["unit"] == "nodes")]
    assert (temex["f1"] > 0.9).all()
    assert json.loads(temex["parameters"].iloc[0]) == {"candidates": "hyperlink analysis", "size": 2, "votes": 1}
    again = run(folder, *FEW)
    assert "0 experiments made, 16 of 16 were there already" in capsys.readouterr().err
    assert again.equals(rows)
    page = tmp_path / "suite" / "site1" / "www" / "about.html"
    page.write_text(page.read_text("utf-8").replace("miller", "fuller"), "utf-8")
    run(folder, *FEW)
    assert "8 experiments made, 8 of 16" in capsys.readouterr().err, "of the site that changed"


@pytest.mark.subprocess
@pytest.mark.integration
def test_processes_make_the_same_rows(tmp_path, run):
    folder = str(made_suites.wcxb(tmp_path / "suite"))
    few = ("--detectors", "templex,content-words", "--no-readings", "--peers", "none")
    rows = run(folder, *few, "--jobs", "2").drop(columns="runtime")
    (tmp_path / "results.sqlite").unlink()
    alone = run(folder, *few, "--jobs", "1").drop(columns="runtime")
    one, other = (each.sort_values(["trial", "unit"], ignore_index=True) for each in (rows, alone))
    pd.testing.assert_frame_equal(one, other)


def test_anybodys_functions_are_measured_next_to_the_others(
    tmp_path,
    run,
    monkeypatch,
    capsys,
):
    """Of each shape, with one parameter or two."""
    source = (
        "def body(key, pages):\n    return [p for p in range(len(key)) if len(pages) == 3]\n"
        "def upper(html):\n    return 'weir'\n"
        "def story(html, url):\n    return 'weir' if url.startswith('https') else None\n"
        "def lists(page):\n    return next(node.position for node in page.nodes if node.tag == 'ul')\n"
        "def fails(html):\n    raise ZeroDivisionError(html[:9])\n"
        "def beyond(key, pages):\n    return {0, len(key)}\n"
        "def objects(key, pages):\n    return key.nodes\n"
        "def nothing(key, pages):\n    return None\n"
        "def leaves(html):\n    raise SystemExit('usage')\n"
    )
    made_suites.write(tmp_path, {"mine.py": source})
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    folder = str(made_suites.selected(tmp_path / "suite"))
    names = (
        "template=mine:body text=mine:upper text=mine:story menu=mine:lists text=mine:fails template=mine:beyond "
        "template=mine:objects template=mine:nothing menu=mine:nothing text=mine:leaves text=mine:leaves "
        "content=templex_scrapy:detect_content"
    ).split()
    own = [word for name in names for word in ("--detector", name)]
    rows = run(folder, "--detectors", "menex", "--peers", "none", "--sizes", "3", "--jobs", "1", *own)
    by = {str(name): group.set_index("unit") for name, group in rows.groupby("method")}
    assert (by["template=mine:body"].loc["nodes", "recall"] == 1).all()
    assert (by["text=mine:upper"].loc["words", "precision"] == 1).all()
    assert (by["text=mine:story"].loc["words", "precision"] == 1).all()
    assert (by["menu=mine:lists"].loc["links", "f1"] == 1).all()
    assert (by["content=templex_scrapy:detect_content"].loc["nodes", "error"] == "").all()
    assert (by["text=mine:fails"]["f1"] == 0).all()
    assert by["text=mine:fails"]["error"].str.startswith("ZeroDivisionError").all()
    assert by["template=mine:beyond"]["error"].str.startswith("ValueError: mine:beyond returns").all()
    assert by["template=mine:objects"]["error"].str.startswith("TypeError: mine:objects returns").all()
    assert (by["template=mine:nothing"].loc["nodes", ["error", "recall"]] == ["", 0]).all(axis=None)
    assert (by["menu=mine:nothing"].loc["links", ["error", "recall"]] == ["", 0]).all(axis=None)
    assert (by["text=mine:leaves"]["error"] == "SystemExit: usage").all()
    assert not rows.duplicated(["trial", "target", "unit"]).any(), "what is named twice is measured once"
    assert main(["show", str(tmp_path / "results.sqlite"), "suite-menu-links"]) == 0
    assert "| mine:lists" in capsys.readouterr().out
    before = version_of("text=mine:upper")
    (tmp_path / "mine.py").write_text("def upper(html):\n    return ''\n")
    version_of.cache_clear()
    assert version_of("text=mine:upper") != before
    for name, message in (("mine", "there is no detector 'mine'"), ("shape=mine:upper", "there is no detector")):
        with pytest.raises(SuiteError, match=message):
            method_named(name)
    with pytest.raises(SuiteError, match="cannot be loaded"):
        method_named("text=mine:other").load()


def test_a_page_that_cannot_be_measured_is_told_and_tried_again(tmp_path, run, capsys):
    folder = made_suites.wcxb(tmp_path / "suite")
    packed = folder / "pages" / "0000.html.gz"
    whole = packed.read_bytes()
    packed.write_bytes(whole[:-12])
    few = (str(folder), "--detectors", "page-conex", "--no-readings", "--peers", "none", "--jobs", "1")
    assert len(set(run(*few, code=1)["key_url"])) == 3
    assert f"not measured: suite, mill.example, https://mill.example/alpha: {packed} cannot" in capsys.readouterr().err
    packed.write_bytes(whole)
    assert len(set(run(*few)["key_url"])) == 4
    with Results(tmp_path / "results.sqlite") as results:
        assert results.table("lost").empty


def test_an_experiment_that_takes_too_long_ends(tmp_path, run, monkeypatch):
    made_suites.write(tmp_path, {"slow.py": "def waits(html, url):\n    while True:\n        pass\n"})
    monkeypatch.syspath_prepend(str(tmp_path))
    few = ("--detectors", "none", "--peers", "none", "--jobs", "1", "--detector", "text=slow:waits")
    monkeypatch.setattr(case, "SECONDS", 0.05)
    rows = run(str(made_suites.wcxb(tmp_path / "suite")), *few)
    assert set(rows["error"]) == {"TooLongError: not ready after 0.05 s"}


def test_predictions_in_a_file_are_measured(tmp_path, run):
    url = "https://site0.example/"
    told = [{"url": url, "text": "the weir"}, {"url": f"{url}docs/one.html", "text": None}]
    made_suites.write(tmp_path, {"text.jsonl": "\n".join(map(json.dumps, told))})
    folder = str(made_suites.selected(tmp_path / "suite", sites=1))
    few = ("--detectors", "none", "--peers", "none", "--sizes", "3", "--jobs", "1")
    words = run(folder, *few, "--detector", f"text={tmp_path}/text.jsonl").set_index(["key_url", "unit"])
    assert words.loc[(url, "words"), "precision"] == 1
    assert words.loc[(f"{url}docs/one.html", "words"), ["error", "recall"]].tolist() == ["", 0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--detectors", "temeks"], "no detector 'temeks'"),
        (["--peers", "nobody"], "no peer 'nobody'"),
        (["--sites", "nowhere"], "none of these sites"),
        (["--detectors", "none", "--peers", "none"], "nothing to measure"),
        (["--detector", "text=builtins:str"], "<class 'str'> does not tell its parameters"),
        (["--detector", "text=gone.jsonl"], "gone.jsonl is no file of predictions: FileNotFoundError"),
    ],
)
def test_wrong_commands_are_told(tmp_path, arguments, message, capsys):
    folder = str(made_suites.selected(tmp_path / "suite", sites=1))
    assert main(["run", folder, "--results", str(tmp_path / "r.sqlite"), "--jobs", "1", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_a_sample_is_the_same_each_time(tmp_path, run):
    folder = str(made_suites.selected(tmp_path / "suite", sites=3))
    few = ("--detectors", "page-conex", "--peers", "none", "--no-readings", "--jobs", "1", "--sample", "4")
    rows = run(folder, *few)
    assert len(set(rows["key_url"])) == 4
    assert run(folder, *few).equals(rows)


def test_other_files_are_no_results(tmp_path):
    (tmp_path / "text").write_text("no database at all, just some text")
    with sqlite3.connect(tmp_path / "other.sqlite") as database:
        database.execute("CREATE TABLE mine (x)")
    for name, message in (("text", "cannot be used"), ("other.sqlite", "another SQLite file"), ("gone", "not there")):
        with pytest.raises(ResultsError, match=message):
            Results(tmp_path / name)
    with pytest.raises(ResultsError):
        Results(tmp_path / "none" / "r.sqlite", create=True)
