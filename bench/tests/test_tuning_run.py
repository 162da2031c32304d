"""The command tune: its file, resuming, tables, and what it refuses."""

from __future__ import annotations

import io
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import suites
from templex_bench.candidates import find_subdigraph
from templex_bench.cli import main
from templex_bench.gold import open_suite
from templex_bench.measures import score_sets
from templex_bench.results import Results, ResultsError
from templex_bench.tuning.grid import Grid, weights_of
from templex_bench.tuning.measures import measures_of
from templex_bench.tuning.run import carry_out, run, tasks_for
from templex_bench.tuning.scores import SiteScores
from templex_bench.tuning.sheets import Sheet
from templex_bench.tuning.siblings import Pair, Siblings, TooMixedError, Work, pair_all
from templex_bench.tuning.store import MEANS, Made, TuningResults
from templex_bench.tuning.tables import NAMES, Tuning

from templex_scrapy.mapping import PUBLISHED, TEMPLEX
from templex_scrapy.page import Page
from templex_scrapy.template.detect import detect_template

GRID = Grid((weights_of(PUBLISHED), weights_of(TEMPLEX)), thresholds=(6, 7, 9))
SIZES = (1, 2, 3)


@pytest.fixture
def suite(tmp_path):
    return open_suite(suites.selected(tmp_path / "suite", sites=3))


PROGRAM = "import sys; from templex_bench.cli import main; sys.exit(main(sys.argv[1:]))"

quick = pytest.mark.usefixtures("in_process")


def start(*arguments: object) -> subprocess.Popen[str]:
    """The command as a process, the first of its group, as a shell starts it."""
    command = [sys.executable, "-c", PROGRAM, "tune", *map(str, arguments)]
    # our own program
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)  # noqa: S603


def sites_in(path: Path) -> int:
    """How many sites are stored; 0 as long as the file is being made."""
    try:
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as database:
            return int(database.execute("SELECT count(*) FROM sites").fetchone()[0])
    except sqlite3.Error:
        return 0


def wait_for_a_site(path: Path) -> None:
    end = time.monotonic() + 120
    while not sites_in(path):
        assert time.monotonic() < end, "no site after two minutes"
        time.sleep(0.02)


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


@quick
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
        results.add(first.suite, first.site.name, Made(first.made_by, outcome.seconds), outcome.rows)
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


@quick
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


@quick
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


@quick
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


@quick
def test_a_site_that_cannot_be_read(tmp_path):
    """The other sites are scored; the command says which is missing, and that something is."""
    folder, path = suites.selected(tmp_path / "suite", sites=3), tmp_path / "tuning.sqlite"
    manifest = folder / "site1" / "site.json"
    manifest.write_text(manifest.read_text().replace("div.story", "div..story"))
    code, out, err = tune(folder, "--out", path, "--coarse", "--sizes", "2", "--jobs", "1", "--table", "tuning")
    assert (code, "site1" in err, "present defaults" in out) == (1, True, True)


@quick
def test_whatever_goes_wrong_on_a_site_is_its_own(tmp_path, monkeypatch):
    """The others are scored; the kind of error is told."""
    folder, path = suites.selected(tmp_path / "suite", sites=3), tmp_path / "tuning.sqlite"
    scored = SiteScores.of

    def of(scores, url):
        if "site1" in url:
            raise RecursionError("too deep")
        return scored(scores, url)

    monkeypatch.setattr(SiteScores, "of", of)
    code, out, err = tune(folder, "--out", path, "--coarse", "--sizes", "2", "--limit", "1", "--table", "tuning")
    assert (code, "present defaults" in out) == (1, True)
    assert "WARNING: not scored: suite, site1: RecursionError: too deep" in err


MIXED = [
    f"<{tag}{title}>{number}</{tag}>" for number, (tag, title) in enumerate(product("pbiu", ("", " title=x", " id")))
]


def mixed(seed: int, times: int = 2) -> list[str]:
    """Children of several kinds, in some order."""
    return random.Random(seed).sample(MIXED * times, len(MIXED) * times)


@quick
def test_a_key_page_that_would_take_too_long_is_left_out(tmp_path, monkeypatch):
    """It is named, by this run and by all that follow, and in the tables; the others are scored."""
    folder, path = suites.selected(tmp_path / "suite", sites=3), tmp_path / "tuning.sqlite"
    for number, page in enumerate(("docs/one.html", "news.html", "shop.html")):
        file = folder / "site1" / "www" / page
        file.write_text(file.read_text().replace('<div class="story">', f'<div class="story">{"".join(mixed(number))}'))
    monkeypatch.setattr("templex_bench.tuning.scores.Work", lambda: Work(1_000_000))
    url = "https://site1.example/docs/one.html"
    arguments = (folder, "--out", path, "--coarse", "--sizes", "3")
    for again in (arguments, arguments, ("--out", path)):
        code, out, err = tune(*again)
        assert code == 1, err
        assert f"WARNING: not scored: suite, site1, {url}: too many ways to pair lists of 2" in err
        assert f"Left out, since their lists of children would take too long: 1 key page: {url}." in out
    with TuningResults(path) as results:
        scored = {(row.site, row.key_url) for _, row in results.scores(3, 2)}
    assert len(scored) == 5
    assert ("site1", url) not in scored


def test_work_is_counted():
    """Two lists take as much each time, and less than that is too little."""

    def pair(work: Work) -> list[Pair]:
        pages = [Page(f"<body>{''.join(mixed(seed, 1))}</body>", "https://site.test/") for seed in (1, 2)]
        siblings = Siblings(*(Sheet(page).siblings(0) for page in pages))
        return pair_all(siblings, GRID, np.ones(GRID.shape, dtype=np.bool_), work)

    first, second = Work(), Work()
    assert pair(first) == pair(second) != []
    assert first == second
    needed = Work().left - first.left
    assert pair(Work(needed)) == pair(first)
    with pytest.raises(TooMixedError, match="lists of 12 and 12 children"):
        pair(Work(needed - 1))


@quick
@pytest.mark.parametrize("without", ["gold template", "second site"])
def test_too_few_sites_are_refused_before_anything_is_scored(tmp_path, without):
    """Sites without a gold template do not count, sites of the file do."""
    folder, path = suites.selected(tmp_path / "suite", sites=2), tmp_path / "tuning.sqlite"
    options = ("--out", path, "--coarse", "--sizes", "1", "--limit", "1", "--table", "tuning")
    if without == "gold template":
        manifest = folder / "site1" / "site.json"
        whole = manifest.read_text()
        manifest.write_text(whole.replace('"not_template": ["div.story"]', '"not_template": null'))
        code, _, err = tune(folder, *options)
        manifest.write_text(whole)
    else:
        code, _, err = tune(folder, *options, "--sites", "site0")
    assert (code, err) == (2, "error: tuning takes 2 sites with a gold template at least; there is 1\n")
    assert not path.exists()
    assert tune(folder, *options)[0] == 0
    assert tune(folder, *options, "--sites", "site0")[0] == 0


def test_an_unknown_table_is_refused_before_anything_is_scored(tmp_path):
    """The message names those that there are; no file is made."""
    folder, path = suites.selected(tmp_path / "suite"), tmp_path / "tuning.sqlite"
    code, out, err = tune(folder, "--out", path, "--coarse", "--table", "nosuch")
    assert (code, out) == (2, "")
    assert err.startswith("error: no table 'nosuch' of the tuning; there are: tuning, tuning-choices")
    assert not path.exists()


SITES = 40


def test_stopped_in_the_middle(tmp_path):
    """Ctrl-C stores the sites that are under way and ends with 130; the same command goes on with the others."""
    folder, path = suites.selected(tmp_path / "suite", sites=SITES), tmp_path / "tuning.sqlite"
    arguments = (folder, "--out", path, "--coarse", "--sizes", "1-4", "--jobs", "2")
    process = start(*arguments)
    try:
        wait_for_a_site(path)
        os.killpg(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130, err
    assert "the same command goes on from here" in err
    assert "Traceback" not in err
    assert 0 < sites_in(path) < SITES
    assert not path.with_suffix(".md").exists()
    with TuningResults(path) as results:
        there = {site for _, site in results.sites()}
        left = tasks_for([open_suite(folder)], results, (1, 2, 3, 4))
    assert len(there) + len(left) == SITES


def test_stopped_twice(tmp_path):
    """A second Ctrl-C does not wait for what is under way, and the command does not hang."""
    folder, path = suites.selected(tmp_path / "suite", sites=SITES), tmp_path / "tuning.sqlite"
    process = start(folder, "--out", path, "--sizes", "1-8", "--jobs", "2")
    try:
        wait_for_a_site(path)
        os.killpg(process.pid, signal.SIGINT)
        time.sleep(0.2)
        os.killpg(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130, err
    assert sites_in(path) < SITES


HANGS = """
import os, signal, sys, time
from templex_bench.pool import Pool, interruptible

with interruptible(Pool(str, str, 1), sys.stderr):
    os.kill(os.getpid(), signal.SIGINT)
    try:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(1)
    finally:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(600)
"""


def test_stopped_twice_while_an_outcome_was_handed_over():
    """An executor that waits for the rest of it for ever does not keep the command."""
    command = [sys.executable, "-c", HANGS]
    # our own program
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, timeout=60, check=False)  # noqa: S603
    assert done.returncode == 130, done.stderr
    assert done.stderr.endswith("Stopped.\n")


def test_an_empty_file_holds_no_tuning(tmp_path):
    """It is told, and left as it is."""
    path = tmp_path / "tuning.sqlite"
    path.touch()
    assert tune("--out", path)[::2] == (2, f"error: {path} is empty; the command tune makes such files\n")
    assert path.read_bytes() == b""


@quick
def test_few_sites_tell_nothing_of_significance(tmp_path):
    """Below five sites there is no interval, so that nothing is called significant, nor not significant."""
    told = {}
    for sites in (2, 5):
        folder, path = suites.selected(tmp_path / str(sites), sites=sites), tmp_path / f"{sites}.sqlite"
        options = ("--coarse", "--sizes", "3", "--limit", "1", "--jobs", "1")
        code, out, err = tune(folder, "--out", path, *options)
        assert code == 0, err
        told[sites] = "significant" in out, "on too few sites for an interval that would tell" in out
    assert told == {2: (False, True), 5: (True, False)}
