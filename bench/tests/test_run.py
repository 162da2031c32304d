"""Runs and their results, by the command line, on miniature suites; and plans."""

import json
import sqlite3

import pandas as pd
import pytest
from helpers import made_suites
from templex_bench import case
from templex_bench.cli import main
from templex_bench.methods import METHODS
from templex_bench.plan import Choice, trials
from templex_bench.results import Results, ResultsError
from templex_bench.run import version_of

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


def planned(name, linked=True, sizes=None):
    return [
        dict(trial.parameters) for trial in trials([METHODS[name]], Choice(sizes=sizes, readings=False), linked=linked)
    ]


def test_plans():
    """All sizes and votes, and all selections at size 3, for TemEx; for others the equal size and that of the paper."""
    temex = planned("temex")
    assert {(trial["size"], trial["votes"]) for trial in temex} == {
        (n, v) for n in range(1, 9) for v in range(1, n + 1)
    }
    assert sum(trial["candidates"] == "random links" for trial in temex) == 5
    assert [trial["size"] for trial in planned("sst")] == [3, 8]
    assert planned("deboiler") == [{"candidates": "siblings", "size": 12}]
    assert [trial["size"] for trial in planned("site-conex")] == list(range(1, 9))
    assert planned("menex") == planned("menex", linked=False) == [{}]
    assert planned("temex", linked=False) == [{"candidates": "siblings", "size": 8, "votes": 2}]
    assert [trial["votes"] for trial in planned("temex", sizes=[2, 3])] == [1, 2, 1, 2, 3]
    readings = {
        name: [t for t in trials([METHODS[name]], Choice(), linked=True) if t.reading] for name in ("sst", "iwptd")
    }
    assert [trial.parameters["size"] for trial in readings["sst"]] == [3] * len(METHODS["sst"].readings)
    printed = [trial.parameters["size"] for trial in readings["iwptd"] if trial.reading == "as printed"]
    assert printed == [8], "five pages must have a segment"


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


MINE = """
def body(key, pages): return [p for p in range(len(key)) if len(pages) == 3]
def upper(html, url): return 'weir'
def story(html, url): return 'weir' if url.startswith('https') else None
def lists(key, pages): return next(node.position for node in key.nodes if node.tag == 'ul')
def fails(html, url): raise ZeroDivisionError(html[:9])
def beyond(key, pages): return {0, len(key)}
def objects(key, pages): return key.nodes
def nothing(key, pages): return None
def leaves(html, url): raise SystemExit('usage')
"""


def test_functions_of_users_are_measured_next_to_the_others(tmp_path, run, monkeypatch, capsys):
    """Of each shape: unit, measure and value, or the beginning of the error."""
    made_suites.write(tmp_path, {"mine.py": MINE})
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    expected = {
        "template=mine:body": ("nodes", "recall", 1, ""),
        "text=mine:upper": ("words", "precision", 1, ""),
        "text=mine:story": ("words", "precision", 1, ""),
        "menu=mine:lists": ("links", "f1", 1, ""),
        "text=mine:fails": ("words", "f1", 0, "ZeroDivisionError"),
        "template=mine:beyond": ("nodes", "f1", 0, "ValueError: mine:beyond returns"),
        "template=mine:objects": ("nodes", "f1", 0, "TypeError: 'Node' object"),
        "template=mine:nothing": ("nodes", "recall", 0, ""),
        "menu=mine:nothing": ("links", "recall", 0, ""),
        "text=mine:leaves": ("words", "f1", 0, "SystemExit: usage"),
    }
    own = [word for name in [*expected, "text=mine:leaves"] for word in ("--detector", name)]
    folder = str(made_suites.selected(tmp_path / "suite"))
    rows = run(folder, "--detectors", "menex", "--peers", "none", "--sizes", "3", "--jobs", "1", *own)
    for name, (unit, measure, value, error) in expected.items():
        made = rows[(rows["method"] == name) & (rows["unit"] == unit)]
        assert (made[measure] == value).all(), name
        assert len(made) == 4, "a function that is named twice is measured once"
        assert made["error"].str.startswith(error).all(), name
        assert bool(error) or (made["error"] == "").all(), name
    assert main(["show", str(tmp_path / "results.sqlite"), "suite-menu-links"]) == 0
    assert "| mine:lists" in capsys.readouterr().out
    before = version_of("text=mine:upper")
    (tmp_path / "mine.py").write_text("def upper(html, url):\n    return ''\n")
    version_of.cache_clear()
    assert version_of("text=mine:upper") != before


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
        (["--detector", "mine"], "there is no detector 'mine'"),
        (["--detector", "x=json:loads"], "there is no detector 'x=json:loads'"),
        (["--detector", "text=json:no"], "json:no cannot be loaded"),
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
