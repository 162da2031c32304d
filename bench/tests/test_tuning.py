"""Training: combinations are scored as the product does, each choice is made elsewhere, and the tables are printed."""

from __future__ import annotations

import logging
from pathlib import Path

import made_suites
import numpy as np
import pytest
from templex_bench.cli import main
from templex_bench.detectors.menu import Parameters
from templex_bench.suites import open_suite
from templex_bench.tuning import CONEX, MEASURES, Training, menus, scored, similarities, trained, trainings

from templex_scrapy.papers import detect_content, detect_content_site, detect_menu
from templex_scrapy.template import detect_template

F1 = MEASURES.index("f1")


def f1(found: frozenset[int], gold: frozenset[int] | None) -> float:
    assert gold is not None
    return 2 * len(found & gold) / (len(found) + len(gold))


def test_every_combination_of_the_thesis_is_scored_as_the_product_does(tmp_path: Path) -> None:
    assert len(similarities()) == 286 * 10
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


def test_the_site_has_no_part_in_its_own_choice() -> None:
    """The first combination is the best of all thanks to one site; that site gets what is best on the others."""
    values = [[1.0, 0.0, 0.0], *[[0.0, 0.3, 0.0]] * 3]
    table = trained(
        {f"{n}": np.array([[one] * len(MEASURES) for one in own]) for n, own in enumerate(values)},
        Training("t", "", [{"x": at} for at in range(3)], {"published": 2}),
    )
    assert table is not None
    rows = table.rows
    shown = [(row["Rank"], row["F1"]) for row in rows[:3]]
    assert shown == [("published", "0.000"), ("one site left out", "0.000"), ("1", "0.250")]
    assert (rows[2]["X"], rows[2]["Folds"]) == ("0", "3")


def test_the_command_prints_the_tables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    few = ["tune", str(made_suites.selected(tmp_path / "suite")), "--jobs", "1", "--limit", "1"]
    assert main(few) == 0
    assert logging.root.manager.disable == logging.NOTSET, "what comes after it in this process is logged"
    printed = capsys.readouterr().out
    assert all(f"({training.name})" in printed for training in trainings())
    assert main([*few, "--table", "table-6.2"]) == 0
    lines = [line.split(" | ") for line in capsys.readouterr().out.splitlines() if line.startswith("| ")]
    assert [line[0] for line in lines[2:]] == [f"| {words}" for words in range(9)]
    assert lines[0][-1] == "published words F1 |"
    assert lines[5][-1] == "0.946 |"
