"""The results file, and what is made of it."""

from __future__ import annotations

import csv
import dataclasses
import json
import sqlite3

import pyarrow.parquet as pq
import pytest

from templex_scrapy.workbench.experiment import Experiment
from templex_scrapy.workbench.export import export
from templex_scrapy.workbench.linked import LinkedPage
from templex_scrapy.workbench.overview import mean, overview
from templex_scrapy.workbench.results import Results, ResultsError, Stamp

STAMP = Stamp("fp", "1")


def experiment(**changes) -> Experiment:
    row = Experiment(
        detector="temex",
        target="template",
        unit="nodes",
        parameters={"size": 3, "votes": 2, "candidates": "hyperlink analysis"},
        suite="sites",
        site="a",
        category="blog",
        key_url="https://a.example/ü?x=1",
        nodes=10,
        gold=4,
        retrieved=3,
        correct=2,
        recall=0.5,
        precision=2 / 3,
        f1=4 / 7,
        loads=5,
        cs_size=3,
        runtime=0.0123,
    )
    return dataclasses.replace(row, **changes)


def linked(**changes) -> LinkedPage:
    row = LinkedPage(
        suite="sites",
        site="a",
        key_url="https://a.example/",
        url="https://a.example/b",
        distance=-1,
        similarity=0.1,
        recall=None,
    )
    return dataclasses.replace(row, **changes)


ROWS = [
    experiment(),
    experiment(unit="words", target="content"),
    experiment(detector="menex", gold=None, correct=None, recall=None, precision=None, f1=None, parameters={}),
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
    assert row == ("temex", 2, 4 / 7)


def test_an_experiment_made_again_replaces_its_row(results) -> None:
    """One row for each experiment and unit, with the newest values and stamp."""
    results.add([("key 0", Stamp("fp", "2"), experiment(correct=4))])
    rows = results.experiments()
    assert len(rows) == len(ROWS)
    assert [row.correct for row in rows if row.unit == "nodes" and row.detector == "temex"] == [4]
    assert results.versions() == {"menex": ("1",), "peer": ("1",), "temex": ("1", "2")}


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
