"""The tuning: all combinations at once against the product one by one, the choice, and the command."""

from __future__ import annotations

from pathlib import Path

import made_suites
import numpy as np
import pytest
import strategies
from detector_cases import URL, page
from hypothesis import given
from templex_bench.cli import main
from templex_bench.tuning.choice import CAREFUL, Rule, choose, cross_validated
from templex_bench.tuning.classes import Sheet, classes_of, mapping_sets
from templex_bench.tuning.grid import NAMED, Grid
from templex_bench.tuning.pairs import PairTables, TooMixedError

from templex_scrapy.mapping import map_pages
from templex_scrapy.page import Page

FEW = Grid(((4, 1, 5, 0), (0, 0, 0, 10), (1, 1, 3, 5), (10, 0, 0, 0), (0, 5, 5, 0)), (3, 6, 8, 10))


@given(strategies.page_pairs)
def test_combinations_of_a_class_have_the_mapping_of_the_product(pages: list[str]) -> None:
    key, other = (Page(html, f"{URL}{number}") for number, html in enumerate(pages))
    sets = mapping_sets(Sheet(key), Sheet(other), PairTables(FEW))
    classes = classes_of(FEW, sorted(sets | {FEW.everything}))
    mappings = [dict(map_pages(key, other, FEW.similarity(index))) for index in range(len(FEW))]
    for number in set(classes.tolist()):
        first, *rest = np.flatnonzero(classes == number)
        assert all(mappings[index] == mappings[first] for index in rest)


def test_the_grid() -> None:
    grid = Grid.of_the_thesis()
    assert len(grid) == 2 * 286 * 10
    assert all(grid.similarity(grid.index(similarity)) == similarity for similarity in NAMED.values())
    assert all(Grid.coarse().index(similarity) >= 0 for similarity in NAMED.values())
    mask = np.zeros(FEW.shape, dtype=np.bool_)
    mask[1, 2, 3] = True
    assert FEW.unpacked([FEW.packed(mask)]).reshape(FEW.shape).astype(bool).tolist() == mask.tolist()


def test_lists_that_would_take_too_long_are_given_up() -> None:
    tables = PairTables(Grid.of_the_thesis())
    tables.work = 10_000
    mixed = [
        page("".join(f'<p class="c{n * k % 17}"{" a=1" * (n % 3)}>' for n in range(40)), URL + str(k)) for k in (1, 5)
    ]
    with pytest.raises(TooMixedError, match="children"):
        mapping_sets(*map(Sheet, mixed), tables)


def made(grid: Grid, sites: int) -> dict[str, np.ndarray]:
    chance = np.random.default_rng(1)
    f1 = np.tile(chance.random(len(grid)), (sites, 1))
    return {"f1": f1, "own_words_kept": np.ones_like(f1), "template_words_gone": f1}


def test_a_choice_is_the_best_that_counts() -> None:
    grid = Grid.coarse()
    measures = made(grid, 5)
    peak = Rule(title="", steady=False)
    best = int(measures["f1"][0].argmax())
    assert choose(grid, measures, peak, range(5)) == best
    assert cross_validated(grid, measures, peak) == [best] * 5
    measures["own_words_kept"][:, best] = 0.5
    assert choose(grid, measures, Rule(title="", steady=False, careful=True), range(5)) != best
    papers = choose(grid, measures, Rule(title="", papers=True), range(5))
    assert not grid.similarity(papers).unique


def test_the_site_has_no_part_in_its_own_choice() -> None:
    grid = Grid.coarse()
    measures = made(grid, 4)
    odd = int(measures["f1"][0].argmin())
    measures["f1"] = measures["f1"].copy()
    measures["f1"][2, odd] = 100.0
    peak = Rule(title="", steady=False)
    chosen = cross_validated(grid, measures, peak)
    assert chosen[2] != odd
    assert chosen[0] == odd


def test_the_command_scores_each_site_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, out = str(made_suites.selected(tmp_path / "suite")), str(tmp_path / "tuning.parquet")
    few = ["--coarse", "--jobs", "1", "--limit", "1"]
    assert main(["tune", folder, "--out", out, *few]) == 0
    first = capsys.readouterr().out
    assert f"| {CAREFUL.title}; one site left out |" in first
    assert all(f"({name})" in first for name in ("tuning", "tuning-choices", "table-5.1"))
    before = Path(out).stat().st_mtime_ns
    assert main(["tune", folder, "--out", out, *few]) == 0
    assert Path(out).stat().st_mtime_ns == before, "nothing is scored again"


def test_wrong_tunings_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, out = str(made_suites.selected(tmp_path / "suite", sites=1)), tmp_path / "tuning.parquet"
    few = ["--coarse", "--jobs", "1", "--limit", "1"]
    assert main(["tune", "--out", str(out)]) == 2
    assert "is not there" in capsys.readouterr().err
    assert main(["tune", folder, "--out", str(out), *few]) == 2
    assert "takes 2 sites" in capsys.readouterr().err
    assert main(["tune", folder, "--out", str(out), *few[1:]]) == 2
    assert "another grid" in capsys.readouterr().err
    out.write_text("text")
    assert main(["tune", "--out", str(out)]) == 2
