"""The command tune: its file, resuming, tables, and what it refuses."""

from __future__ import annotations

import io
import sqlite3

import numpy as np
import pytest
import suites

from templex_scrapy.detectors.temex import detect_template
from templex_scrapy.similarity import PUBLISHED, TEMPLEX
from templex_scrapy.workbench.candidates import find_subdigraph
from templex_scrapy.workbench.cli import main
from templex_scrapy.workbench.gold import open_suite
from templex_scrapy.workbench.measures import score_sets
from templex_scrapy.workbench.results import Results, ResultsError
from templex_scrapy.workbench.tuning.grid import Grid, weights_of
from templex_scrapy.workbench.tuning.measures import measures_of
from templex_scrapy.workbench.tuning.run import carry_out, run, tasks_for
from templex_scrapy.workbench.tuning.scores import SiteScores
from templex_scrapy.workbench.tuning.store import MEANS, TuningResults
from templex_scrapy.workbench.tuning.tables import NAMES, Tuning

GRID = Grid((weights_of(PUBLISHED), weights_of(TEMPLEX)), thresholds=(6, 7, 9))
SIZES = (1, 2, 3)


@pytest.fixture
def suite(tmp_path):
    return open_suite(suites.selected(tmp_path / "suite", sites=3))


def tune(*arguments: object) -> tuple[int, str, str]:
    """The exit code and what was written."""
    out, err = io.StringIO(), io.StringIO()
    code = main(["tune", *map(str, arguments)], out=out, err=err)
    return code, out.getvalue(), err.getvalue()


def test_scores_are_those_of_the_detector(suite):
    """Counts, sizes and loads are what the detector and the search bring on each key page."""
    site = suite.sites[0]
    for url in site.key_urls:
        key_page = site.key_page(url)
        for row in SiteScores(site, GRID, SIZES).of(url):
            compared = find_subdigraph(key_page.page, site.fetch, size=row.size)
            assert (row.loads, row.voters, row.nodes) == (
                compared.loads,
                len(compared.pages),
                len(key_page.gold.template),
            )
            for index in range(0, len(GRID), 5):
                found = detect_template(key_page.page, compared.pages, row.votes, similarity=GRID.similarity(index))
                score = score_sets(found, key_page.gold.template)
                assert row.counts[2:4, row.outcomes[index]].tolist() == [score.retrieved, score.correct]


def test_file_keeps_scores(suite, tmp_path):
    """What is read is what was stored, and the means are rows that a query finds."""
    path = tmp_path / "tuning.sqlite"
    with TuningResults(path, GRID) as results:
        run(tasks_for([suite], results, SIZES), results, 1, io.StringIO())
    made = {row.key_url: row for row in SiteScores(suite.sites[0], GRID, SIZES).of(suite.sites[0].key_urls[0])}
    with TuningResults(path) as results:
        assert results.grid == GRID
        assert results.settings() == [(1, 1), (2, 1), (2, 2), (3, 1), (3, 2), (3, 3)]
        read = [row for _, row in results.scores(3, 3) if row.key_url in made and row.site == suite.sites[0].name]
        means = measures_of(results.scores(3, 2)).means("f1")
    (last,) = read
    assert (last.counts == made[last.key_url].counts).all()
    assert (last.outcomes == made[last.key_url].outcomes).all()
    rows = sqlite3.connect(path).execute(
        'SELECT f1, threshold, "unique" FROM means JOIN combinations USING (combination) '
        "WHERE size = 3 AND votes = 2 ORDER BY combination"
    )
    found = list(rows)
    assert [f1 for f1, _, _ in found] == means.tolist()
    assert found[GRID.index(TEMPLEX)][1:] == (TEMPLEX.threshold, 1)
    assert set(MEANS) <= {name for _, name, *_ in sqlite3.connect(path).execute("PRAGMA table_info(means)")}


def test_what_is_there_is_not_made_again(suite, tmp_path):
    """A run that was interrupted goes on with the sites that are missing; new sizes or pages make all of them anew."""
    with TuningResults(tmp_path / "tuning.sqlite", GRID) as results:
        first, *others = tasks_for([suite], results, SIZES)
        outcome = carry_out(first)
        results.add(first.suite, first.site.name, first.made_by, outcome.seconds, outcome.rows)
        assert [task.site.name for task in tasks_for([suite], results, SIZES)] == [task.site.name for task in others]
        assert len(tasks_for([suite], results, (1, 2))) == 3
        assert len(tasks_for([suite], results, SIZES, limit=1)) == 3


def test_processes_bring_the_same(suite, tmp_path):
    """Two processes score what one does."""
    means = []
    for jobs in (1, 2):
        with TuningResults(tmp_path / f"{jobs}.sqlite", GRID) as results:
            run(tasks_for([suite], results, (2,), limit=1), results, jobs, io.StringIO())
            means.append(measures_of(results.scores(2, 2)).f1)
    assert np.array_equal(*means)


def test_command(tmp_path):
    """The command scores, prints tables as Markdown and keeps them beside the file; a second time nothing is left."""
    folder, path = suites.selected(tmp_path / "suite", sites=2), tmp_path / "tuning.sqlite"
    code, out, err = tune(folder, "--out", path, "--coarse", "--sizes", "3", "--jobs", "1")
    assert code == 0, err
    assert "of 55,680 combinations" in err, "4 key pages, 3 votes, 4,640 combinations"
    assert "present defaults" in out
    assert "With them 3 pages and 2 votes keep 1.0000 of a page's own words" in out
    assert path.with_suffix(".md").read_text(encoding="utf-8").startswith(out)
    for name in NAMES:
        again = f"tune {folder} --out {path} --sizes 3 --coarse --table {name}"
        assert again in out
        code, table, err = tune(*again.split()[1:])
        assert (code, err) == (0, ""), "nothing is left to be done"
        assert table.strip() in out
        assert tune("--out", path, "--table", name)[1] == table, "from the file alone, too"
    with TuningResults(path) as results:
        assert all(f"**{table.title}**" in out for table in Tuning(results, "x").tables()), "the report's are the same"


def test_what_is_no_report_is_not_written_over(tmp_path):
    """The tables beside the file are replaced if they are of the same name's file; anything else stays."""
    folder, path = suites.selected(tmp_path / "suite", sites=2), tmp_path / "tuning.sqlite"
    notes = path.with_suffix(".md")
    notes.write_text("my notes", encoding="utf-8")
    arguments = (folder, "--out", path, "--coarse", "--sizes", "1", "--limit", "1", "--jobs", "1")
    code, _, err = tune(*arguments)
    assert (code, notes.read_text(encoding="utf-8")) == (2, "my notes")
    assert "--force" in err
    assert tune(*arguments, "--force")[0] == 0
    assert tune("--out", path)[0] == 0, "its own tables are replaced"
    assert notes.read_text(encoding="utf-8").startswith("# The similarity")


def test_what_cannot_be_used(tmp_path, suite):
    """A missing file, another file, another grid, an unknown table and a single site are refused with a reason."""
    path = tmp_path / "tuning.sqlite"
    assert tune("--out", path)[::2] == (2, f"error: {path} is not there; the command tune makes it\n")
    with Results(tmp_path / "results.sqlite", create=True):
        pass
    assert "another SQLite file" in tune("--out", tmp_path / "results.sqlite")[2]
    with TuningResults(path, GRID) as results:
        run(tasks_for([suite], results, (3,))[:1], results, 1, io.StringIO())
    assert "fewer than two sites" in tune("--out", path)[2]
    with TuningResults(path, GRID) as results:
        run(tasks_for([suite], results, (3,)), results, 1, io.StringIO())
    assert "no table 'x'" in tune("--out", path, "--table", "x")[2]
    with pytest.raises(ResultsError, match="another grid"):
        TuningResults(path, Grid.of_the_thesis())


def test_a_site_that_cannot_be_read(tmp_path):
    """The other sites are scored; the command says which is missing, and that something is."""
    folder, path = suites.selected(tmp_path / "suite", sites=3), tmp_path / "tuning.sqlite"
    manifest = folder / "site1" / "site.json"
    manifest.write_text(manifest.read_text().replace("div.story", "div..story"))
    code, out, err = tune(folder, "--out", path, "--coarse", "--sizes", "2", "--jobs", "1", "--table", "tuning")
    assert (code, "site1" in err, "present defaults" in out) == (1, True, True)
