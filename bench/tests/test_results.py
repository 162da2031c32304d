"""The results file, and what is made of it."""

from __future__ import annotations

import csv
import dataclasses
import json
import os
import sqlite3

import pyarrow.parquet as pq
import pytest
from report_cases import experiment
from templex_bench.export import export
from templex_bench.linked import LinkedPage
from templex_bench.lost import LostPage, lost_lines
from templex_bench.overview import mean, overview
from templex_bench.results import Results, ResultsError, RunOf, Stamp

STAMP = Stamp("fp", "1")


def linked(**changes) -> LinkedPage:
    return dataclasses.replace(LINKED, **changes)


LINKED = LinkedPage(
    suite="sites",
    site="a",
    key_url="https://a.example/",
    url="https://a.example/b",
    distance=-1,
    similarity=0.1,
    recall=None,
)
ROWS = [
    experiment(2 / 3, recall=1 / 3, key_url="https://a.example/ü?x=1", runtime=0.0123),
    experiment(unit="words", target="content"),
    experiment(None, detector="menex", correct=None, parameters={}),
    experiment(detector="peer", parameters={}, error='ValueError: =1+1, "quoted"\nand on'),
]


@pytest.fixture
def results(tmp_path):
    with Results(tmp_path / "r.sqlite", create=True) as made:
        made.add((f"key {max(number - 1, 0)}", STAMP, row) for number, row in enumerate(ROWS))
        made.add_linked(("sites", "a", "https://a.example/"), STAMP, [linked(), linked(url="u", recall=0.25)])
        yield made


def test_rows_come_back_as_they_went(results) -> None:
    """Every value, None among them, in the order of adding."""
    assert results.experiments() == ROWS
    assert results.linked_pages() == [linked(), linked(url="u", recall=0.25)]


def test_others_can_read_it(results) -> None:
    """A plain SQLite table with the names of the fields, parameters as JSON."""
    with sqlite3.connect(results.path) as database:
        row = database.execute("SELECT detector, json_extract(parameters, '$.votes'), f1 FROM experiments").fetchone()
    database.close()
    assert row == ("temex", 2, 2 / 3)


def test_an_experiment_made_again_replaces_its_rows(results) -> None:
    """With the newest values and stamp, also where it is measured in fewer units than before."""
    results.add([("key 0", Stamp("fp", "2"), experiment(correct=4))])
    rows = results.experiments()
    assert len(rows) == len(ROWS) - 1
    assert [(row.unit, row.correct) for row in rows if row.detector == "temex"] == [("nodes", 4)]
    assert results.versions() == {"menex": ("1",), "peer": ("1",), "temex": ("2",)}


def test_what_is_done_and_what_failed(results) -> None:
    """Keys with what they were made from; those with errors apart."""
    assert results.done() == {"key 0": STAMP, "key 1": STAMP, "key 2": STAMP}
    assert results.failed() == {"key 2"}
    assert results.linked_done() == {("sites", "a", "https://a.example/"): STAMP}


def test_similarities_of_a_key_page_are_replaced_as_a_whole(results) -> None:
    """Those of other key pages stay."""
    other = linked(site="b")
    results.add_linked(("sites", "b", "https://a.example/"), STAMP, [other])
    results.add_linked(("sites", "a", "https://a.example/"), STAMP, [])
    assert results.linked_pages() == [other]


LOST = LostPage("sites", "a", "https://a.example/", "KeyError: '<key>'")


def test_a_lost_page_is_kept_until_it_is_found_again(results) -> None:
    """With the newest reason; other pages stay."""
    other = dataclasses.replace(LOST, site="b")
    for page in (other, dataclasses.replace(LOST, reason="old"), LOST):
        results.add_lost(page, "fp", [], linked=False)
    assert results.lost() == [LOST, other]
    results.found_again(("sites", "a", "https://a.example/"))
    assert results.lost() == [other]


def test_a_lost_page_is_lost_until_all_is_there_that_was_to_be_made(results) -> None:
    """What another method makes of it in the meantime is not what is missing."""
    page = ("sites", "a", "https://a.example/")
    results.add_lost(LOST, "fp", ["key 1", "key 2"], linked=True)
    results.add_lost(LOST, "fp", ["key 3"], linked=False)
    for made, linked in ((["other"], False), (["key 1", "key 2"], False), ([], True)):
        results.found_again(page, made, linked=linked)
        assert results.lost() == [LOST]
    results.found_again(page, ["key 3"])
    assert results.lost() == []


def test_a_lost_page_loses_what_is_stale(results) -> None:
    """Rows from another state of the site, and those of what was to be made again; no others."""
    elsewhere = experiment(site="b")
    results.add([("key b", STAMP, elsewhere)])
    results.add_lost(LOST, "fp", ["key 1"], linked=False)
    assert results.done().keys() == {"key 0", "key 2", "key b"}
    assert len(results.linked_pages()) == 2
    results.add_lost(LOST, "fp", [], linked=True)
    assert (results.linked_pages(), results.linked_done()) == ([], {})
    results.add_linked(("sites", "a", LOST.key_url), STAMP, [linked()])
    results.add_lost(LOST, "changed", [], linked=False)
    assert [row.key_url for row in results.experiments() if row.site == "a"] == ["https://a.example/ü?x=1"]
    assert elsewhere in results.experiments()
    assert results.linked_pages() == []


def test_a_file_from_before_lost_pages_were_kept(results) -> None:
    """It opens as it is, and a run adds what it lacks."""
    with sqlite3.connect(results.path) as database:
        database.execute("DROP TABLE lost")
    database.close()
    with Results(results.path) as old:
        assert old.lost() == []
        assert old.experiments() == ROWS
    with Results(results.path, create=True) as run:
        run.add_lost(LOST, "fp", [], linked=False)
        assert run.lost() == [LOST]


def test_a_lost_page_is_one_line_of_text() -> None:
    """Nothing in it moves the cursor of a terminal."""
    head, line, _ = lost_lines([dataclasses.replace(LOST, reason="\x1b[2Jgone")])
    assert head == "== lost: 1 key page that could not be measured =="
    assert line == "sites, a, https://a.example/: \N{REPLACEMENT CHARACTER}[2Jgone"
    assert list(lost_lines([])) == []


def test_a_file_of_others_is_left_alone(tmp_path) -> None:
    """Neither another database nor any other file is taken for results."""
    other = sqlite3.connect(tmp_path / "other.sqlite")
    other.execute("CREATE TABLE mine (x)")
    other.close()
    (tmp_path / "text.sqlite").write_text("no database at all, but long enough to be looked at" * 30)
    for name, told in (
        ("other.sqlite", "name a new file"),
        ("text.sqlite", "cannot be used"),
        ("none.sqlite", "not there"),
    ):
        with pytest.raises(ResultsError, match=told):
            Results(tmp_path / name)


def test_export_round_trip(results, tmp_path) -> None:
    """Parquet and CSV hold the same rows as the file."""
    export(results, tmp_path / "out", ["parquet", "csv"])
    wanted = [{**dataclasses.asdict(row), "parameters": json.dumps(row.parameters, sort_keys=True)} for row in ROWS]
    table = pq.read_table(tmp_path / "out" / "experiments.parquet")
    assert table.to_pylist() == wanted
    with (tmp_path / "out" / "experiments.csv").open(encoding="utf-8", newline="") as stream:
        read = list(csv.DictReader(stream))
    assert read == [{name: "" if value is None else str(value) for name, value in row.items()} for row in wanted]
    similarities = pq.read_table(tmp_path / "out" / "similarities.parquet").to_pylist()
    assert similarities == [dataclasses.asdict(row) for row in results.linked_pages()]


def test_csv_runs_nothing_in_a_spreadsheet(results, tmp_path) -> None:
    """A text that a spreadsheet would take for a formula is quoted."""
    results.add([("k", STAMP, experiment(site="=HYPERLINK(1)"))])
    export(results, tmp_path, ["csv"])
    assert "\n" in (tmp_path / "experiments.csv").read_text()
    assert ",'=HYPERLINK(1)," in (tmp_path / "experiments.csv").read_text()


def test_export_into_an_unknown_format(results, tmp_path) -> None:
    """The message tells the formats; nothing is written."""
    with pytest.raises(ResultsError, match="csv, parquet"):
        export(results, tmp_path / "out", ["xlsx"])
    assert not (tmp_path / "out").exists()


def test_means_over_sites_of_means_over_pages() -> None:
    """A site counts once, however many key pages it has; of several categories in a site every page counts once."""
    rows = [experiment(key_url="1", f1=0.0), experiment(key_url="2", f1=1.0), experiment(site="b", f1=1.0)]
    assert mean(rows, "f1") == pytest.approx(0.75)
    rows[0] = dataclasses.replace(rows[0], category="shop")
    assert mean(rows, "f1") == pytest.approx(2 / 3)
    assert mean([experiment(f1=None)], "f1") is None


def test_overview_counts_failures() -> None:
    """Failed experiments are in the mean with what they have, and counted."""
    lines = list(overview([experiment(f1=1.0), experiment(key_url="2", f1=0.0, error="x")]))
    line = next(line for line in lines if line.startswith("temex"))
    assert "0.500" in line
    assert line.endswith("2         1")


def test_overview_shows_equal_conditions_unless_all_is_asked_for() -> None:
    """Other sizes, selections and readings are there with ``everything`` alone."""
    rows = [experiment(parameters={"size": size, "votes": 2, "candidates": "hyperlink analysis"}) for size in (3, 8)]
    rows += [experiment(parameters={"size": 3, "votes": 2, "candidates": "menu links"})]
    rows += [experiment(parameters={**rows[0].parameters, "similarity": "published"})]
    assert [line.split("  ")[0] for line in overview(rows)][2:-1] == ["temex size=3 votes=2"]
    assert len([line for line in overview(rows, everything=True) if line.startswith("temex")]) == 4


def test_overview_without_a_gold_standard_tells_what_was_found() -> None:
    """No columns of dashes, and no bounds."""
    text = "\n".join(overview([experiment(None, retrieved=7), experiment(None, detector="ceiling", retrieved=0)]))
    assert "without a gold standard" in text
    assert "7.0" in text
    assert not any(word in text for word in (" F1 ", " - ", "ceiling"))


def test_an_empty_file_stays_empty(tmp_path) -> None:
    """Who only reads makes no results file of it; a run does."""
    path = tmp_path / "r.sqlite"
    path.touch()
    with pytest.raises(ResultsError, match="is empty; the command run makes results"):
        Results(path)
    assert path.read_bytes() == b""
    with Results(path, create=True) as results:
        assert results.experiments() == []


def read_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing can be written, as far as one asks; the tests may run as a user who may write anywhere."""
    monkeypatch.setattr(os, "access", lambda _, mode: mode != os.W_OK)


def test_results_in_a_place_that_can_only_be_read(tmp_path, monkeypatch) -> None:
    """They can be read, nothing appears beside them, and who wants to write is told."""
    path = tmp_path / "r #1?.sqlite"
    with Results(path, create=True) as results:
        results.add_run(RunOf("sites", "here", ()))
    read_only(monkeypatch)
    with Results(path) as results:
        assert results.runs() == [RunOf("sites", "here", ())]
        assert list(tmp_path.iterdir()) == [path]
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            results.add_run(RunOf("sites", "there", ()))
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(ResultsError, match="cannot be written: name another file"):
        Results(path, create=True)
