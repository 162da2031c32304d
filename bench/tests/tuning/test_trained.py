"""Trainings beside the similarity: combinations with the same result are one row, and each choice is made elsewhere."""

from __future__ import annotations

from pathlib import Path

import made_suites
import numpy as np
import pytest
from templex_bench.cli import main
from templex_bench.suites import open_suite
from templex_bench.tuning.grid import Grid
from templex_bench.tuning.pairs import PairTables
from templex_bench.tuning.trained import CONEX, menus, trained, trainings

from templex_scrapy.content import detect_content, detect_content_site, detect_menu


def test_every_combination_is_scored_once_and_as_the_product_does(tmp_path: Path) -> None:
    grid = Grid.coarse()
    site = open_suite(made_suites.selected(tmp_path, sites=1)).sites[0]
    key = site.key_page(site.key_urls[0])
    others = [page for url in site.siblings(site.key_urls[0])[:3] if (page := site.fetch(url)) is not None]
    by_name: dict[str, np.ndarray] = {}
    for name, score, which in trained(key, others, PairTables(grid)):
        values = by_name.setdefault(name, np.full(max(len(CONEX), len(menus()), len(grid)), np.nan))
        assert np.isnan(values[list(which)]).all()
        values[list(which)] = score.f1
    made = {training.name: training for training in trainings(grid)}
    assert by_name.keys() == made.keys()
    for name, values in by_name.items():
        assert not np.isnan(values[: len(made[name].combinations)]).any()
        assert np.isnan(values[len(made[name].combinations) :]).all()
    assert detect_menu(key.page) == key.gold.menu
    assert by_name["table-5.1"][made["table-5.1"].published] == 1
    nodes, gold = detect_content(key.page, least_text=0, max_words=3), key.gold.content
    assert gold is not None
    assert by_name["conex-nodes"][made["conex-nodes"].published] == pytest.approx(
        2 * len(nodes & gold) / (len(nodes) + len(gold))
    )
    found = detect_content_site(key.page, others)
    assert by_name["table-10.2"][made["table-10.2"].published] == pytest.approx(
        2 * len(found & gold) / (len(found) + len(gold))
    )


def test_the_tables_are_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, out = str(made_suites.selected(tmp_path / "suite")), str(tmp_path / "tuning.parquet")
    few = ["--coarse", "--jobs", "1", "--limit", "1"]
    assert main(["tune", folder, "--out", out, *few, "--table", "table-5.1"]) == 0
    lines = [line.split(" | ") for line in capsys.readouterr().out.splitlines() if line.startswith("| ")]
    assert [line[0] for line in lines[2:5]] == ["| published", "| one site left out", "| 1"]
    assert lines[4][1:9] == ["0.85", "0.9", "0.3", "0.05", "0.1", "0.15", "0.15", "0.25"], "of equals the published one"
    assert main(["tune", "--out", out]) == 0
    printed = capsys.readouterr().out
    assert all(f"({training.name})" in printed for training in trainings(Grid.coarse()))
    assert main(["tune", "--out", out, "--table", "table-6.2"]) == 0
    lines = [line.split(" | ") for line in capsys.readouterr().out.splitlines() if line.startswith("| ")]
    assert [line[0] for line in lines[2:]] == [f"| {words}" for words in range(9)]
    assert lines[0][-1] == "published words F1 |"
    assert lines[5][-1] == "0.946 |"
