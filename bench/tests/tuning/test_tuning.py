"""Training: combinations are scored as the product does, each choice is made elsewhere, and the tables are printed."""

from __future__ import annotations

import logging
from pathlib import Path

import made_suites
import numpy as np
import pandas as pd
import pytest
from templex_bench.cli import main
from templex_bench.detectors.menu import Parameters
from templex_bench.suites import open_suite
from templex_bench.tuning.tables import Tuning, trained
from templex_bench.tuning.trained import CONEX, MEASURES, Training, grid, menus, scored, similarities, trainings

from templex_scrapy.papers import detect_content, detect_content_site, detect_menu
from templex_scrapy.template import detect_template

F1 = MEASURES.index("f1")


def f1(found: frozenset[int], gold: frozenset[int] | None) -> float:
    assert gold is not None
    return 2 * len(found & gold) / (len(found) + len(gold))


def test_the_grid_is_that_of_the_thesis() -> None:
    assert len(similarities()) == 286 * 10
    assert all(training.named for training in trainings()), "its index is found in the grid"


def test_every_combination_is_scored_as_the_product_does(tmp_path: Path) -> None:
    site = open_suite(made_suites.selected(tmp_path, sites=1)).sites[0]
    key = site.key_page(site.key_urls[0])
    others = [page for url in site.siblings(site.key_urls[0])[:4] if (page := site.fetch(url)) is not None]
    found = dict(scored(key, {3: others[:3], 4: others}))
    assert {name: len(values) for name, values in found.items()} == {
        training.name: len(training.combinations) for training in trainings()
    }
    for at in range(0, len(similarities()), 397):
        one = similarities()[at]
        nodes = detect_template(key.page, others[:3], 2, similarity=one)
        assert found["table-8.5"][at, F1] == pytest.approx(f1(nodes, key.gold.template))
        content = detect_content_site(key.page, others, similarity=one)
        assert found["table-10.2"][at, F1] == pytest.approx(f1(content, key.gold.content))
    for at in range(0, len(CONEX), 13):
        nodes = detect_content(key.page, **CONEX[at])  # type: ignore[arg-type]
        assert found["conex-nodes"][at, F1] == pytest.approx(f1(nodes, key.gold.content))
    assert detect_menu(key.page) == key.gold.menu
    assert found["table-5.1"][menus().index(Parameters()), F1] == 1


def test_the_site_has_no_part_in_its_own_choice(tmp_path: Path) -> None:
    """The first combination is the best of all thanks to one site; that site gets what is best on the others."""
    sites = [(number, at) for number in range(4) for at in range(3)]
    values = [float(at == 0) if number == 0 else 0.3 * (at == 1) for number, at in sites]
    scores = pd.DataFrame({"suite": "s", "site": [f"{n}" for n, _ in sites], "combination": [at for _, at in sites]})
    scores = scores.assign(training="t", grid=grid(), made_by="", **dict.fromkeys(MEASURES, np.nan))
    scores.assign(recall=values, precision=values, f1=values).to_parquet(tmp_path / "t.parquet")
    training = Training("t", "", [{"x": at} for at in range(3)], {"published": 2})
    table = trained(Tuning(tmp_path / "t.parquet"), training)
    assert table is not None
    rows = table.rows
    assert [(row["Rank"], row["F1"]) for row in rows[:3]] == [
        ("published", "0.000"),
        ("one site left out", "0.000"),
        ("1", "0.250"),
    ]
    assert (rows[2]["X"], rows[2]["Folds"]) == ("0", "3")


def test_the_command_scores_each_site_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, out = str(made_suites.selected(tmp_path / "suite")), str(tmp_path / "tuning.parquet")
    few = ["--jobs", "1", "--limit", "1"]
    assert main(["tune", folder, "--out", out, *few, "--table", "table-5.1"]) == 0
    assert logging.root.manager.disable == logging.NOTSET, "what comes after it in this process is logged"
    lines = [line.split(" | ") for line in capsys.readouterr().out.splitlines() if line.startswith("| ")]
    assert [line[0] for line in lines[2:5]] == ["| published weights", "| one site left out", "| 1"]
    assert lines[4][1:9] == ["0.85", "0.9", "0.3", "0.05", "0.1", "0.15", "0.15", "0.25"], "of equals the published one"
    before = Path(out).stat().st_mtime_ns
    assert main(["tune", folder, "--out", out, *few]) == 0
    assert Path(out).stat().st_mtime_ns == before, "nothing is scored again"
    printed = capsys.readouterr().out
    assert all(f"({training.name})" in printed for training in trainings())
    assert main(["tune", "--out", out, "--table", "table-6.2"]) == 0
    lines = [line.split(" | ") for line in capsys.readouterr().out.splitlines() if line.startswith("| ")]
    assert [line[0] for line in lines[2:]] == [f"| {words}" for words in range(9)]
    assert lines[0][-1] == "published words F1 |"
    assert lines[5][-1] == "0.946 |"


def test_wrong_tunings_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, out = str(made_suites.selected(tmp_path / "suite", sites=1)), tmp_path / "tuning.parquet"
    few = ["--jobs", "1", "--limit", "1"]
    assert main(["tune", "--out", str(out)]) == 2
    assert "cannot be read" in capsys.readouterr().err
    assert main(["tune", folder, "--out", str(out), *few]) == 2
    assert "takes 2 sites" in capsys.readouterr().err
    pd.read_parquet(out).assign(grid="of another day").to_parquet(out)
    for arguments in ([folder, *few], ["--table", "table-6.1"]):
        assert main(["tune", "--out", str(out), *arguments]) == 2
        assert "another grid" in capsys.readouterr().err
