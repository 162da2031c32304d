"""Runs: experiments by hand, failing and missing peers, resuming, interruption, and the command line."""

from __future__ import annotations

import dataclasses
import io
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from functools import partial
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Never

import pytest
import suites
from templex_bench import pool
from templex_bench.case import Case
from templex_bench.cli import main
from templex_bench.gold import open_suite
from templex_bench.methods import Found, all_methods
from templex_bench.peers import PEERS, Peer
from templex_bench.plan import Trial
from templex_bench.progress import Lines, progress_on
from templex_bench.results import Results
from templex_bench.work import Outcome, Task, carry_out

from templex_scrapy.page import Page

METHODS = all_methods()
SENTENCES = (
    "The weir was rebuilt in spring, and the mill race has run again behind the house since the first of May.",
    "Before that, the water went around the old wheel, and the miller ground his flour with a motor for a year.",
    "He says that it was the longest year of his life, and that he will not go through such a thing again.",
    "The mill race is open to all who want to see it, on every day of the week but not when it is frozen.",
)
EQUAL = {"candidates": "hyperlink analysis", "size": 3, "votes": 2}
ROOT = Path(__file__).resolve().parents[3]


def run(*arguments: object) -> tuple[int, str, str]:
    """The exit code and what was written."""
    out, err = io.StringIO(), io.StringIO()
    code = main([str(argument) for argument in arguments], out=out, err=err)
    return code, out.getvalue(), err.getvalue()


@pytest.fixture
def case(tmp_path):
    site = open_suite(suites.selected(tmp_path / "suite", sites=1)).sites[0]
    return Case("suite", site, site.key_urls[0], time_limit=0.5)


def measured(case: Case, name: str, parameters=None, find=None):
    method = METHODS[name]
    return case.measure(Trial(name, parameters or {}), method, find or method.load())


def test_a_template_detector(case) -> None:
    """On a site of one form all of the template is found, and the story's wrapper, which each page has, beside it."""
    nodes, words = measured(case, "temex", EQUAL)
    assert (nodes.target, nodes.unit, nodes.gold, nodes.retrieved, nodes.correct) == ("template", "nodes", 22, 23, 22)
    assert (nodes.recall, nodes.precision, nodes.f1) == (1.0, 22 / 23, 44 / 45)
    assert (words.target, words.unit, words.recall, words.precision) == ("content", "words", 1.0, 1.0)
    assert (nodes.loads, nodes.cs_size, nodes.nodes) == (4, 3, 27), "index.html, a copy of the key page, is a load"
    assert nodes.runtime > 0


def test_menu_and_content(case) -> None:
    """Menus are measured by links, content by nodes and words, the bound by words alone."""
    (menu,) = measured(case, "menex")
    assert (menu.unit, menu.gold, menu.correct, menu.f1) == ("links", 6, 6, 1.0)
    assert [row.unit for row in measured(case, "page-conex")] == ["nodes", "words"]
    (bound,) = measured(case, "gold-template")
    assert (bound.unit, bound.f1) == ("words", 1.0)


def test_the_ceiling_is_what_the_pages_can_show(case) -> None:
    """All of the gold template here, for each page has it; nothing where the pages have none of it."""
    nodes, _ = measured(case, "ceiling", EQUAL)
    assert (nodes.target, nodes.unit, nodes.recall, nodes.precision) == ("template", "nodes", 1.0, 1.0)
    other = [Page("<html><body><dl><dt>1</dt></dl></body></html>", f"https://x.example/{n}") for n in range(3)]
    ceiling = METHODS["ceiling"].load()
    assert ceiling(case.key.page, other, case.key.gold, votes=2).nodes == frozenset({0})
    assert ceiling(case.key.page, [], case.key.gold, votes=2).nodes == frozenset()


@pytest.mark.parametrize(
    ("find", "told"),
    [
        (lambda *_: 1 / 0, "ZeroDivisionError"),
        (lambda *_: time.sleep(5), "TooLongError: not ready after 0.5 s"),
    ],
)
def test_what_fails_gets_a_row(case, find, told) -> None:
    """An error, or an experiment that takes too long, is a row with a score of 0."""
    (row,) = measured(case, "html_text", find=find)
    assert row.error.startswith(told)
    assert (row.retrieved, row.correct, row.recall, row.precision, row.f1) == (0, 0, 0.0, 0.0, 0.0)
    assert row.gold > 0


def test_a_detector_sees_neither_gold_standard_nor_trees_of_others(case) -> None:
    """Each method gets pages of its own, and comparison pages without the key page."""
    seen = []

    def find(key: Page, pages, _gold, **parameters) -> Found:
        seen.append((key, pages, parameters))
        return Found(nodes=frozenset())

    for _ in range(2):
        measured(case, "temex", EQUAL, find)
    (key, pages, parameters), (other, _, _) = seen
    assert key is not other
    assert key.url not in {page.url for page in pages}
    assert parameters == {"votes": 2}


def test_linked_pages(case) -> None:
    """The pages that the key page links to, with distance, similarity and the share of the template found."""
    rows = case.linked_pages()
    assert {(row.url.rpartition("/")[2], row.distance) for row in rows} == {
        ("news.html", 0),
        ("shop.html", 0),
        ("about.html", 0),
        ("one.html", 1),
        ("two.html", 1),
    }
    assert all(row.similarity == row.recall == 1.0 for row in rows)


@pytest.mark.parametrize("name", PEERS)
def test_peers_find_the_words(name) -> None:
    """Each installed peer returns the story of a page."""
    peer = PEERS[name]
    if peer.version is None:
        pytest.skip(f"{peer.package} is not installed")
    extract = peer.load()
    story = "".join(f"<p>{sentence} {sentence} {sentence}</p>" for sentence in SENTENCES)
    menu = "".join(f'<li><a href="/{name}">{name}</a></li>' for name in ("home", "news", "shop"))
    page = f"<html><head><title>Weir</title></head><body><ul>{menu}</ul><article>{story}</article></body></html>"
    assert "mill race" in extract(page, "http://w.example/")


@pytest.mark.usefixtures("in_process")
def test_a_missing_peer_is_left_out_loudly(tmp_path, monkeypatch) -> None:
    """The run goes on without it, and says how it is installed."""

    def load() -> Never:
        raise ImportError

    monkeypatch.setattr("templex_bench.cli.PEERS", {**PEERS, "justext": Peer("justext", "jusText", "", load)})
    suites.selected(tmp_path / "suite", sites=1)
    arguments = ("run", tmp_path / "suite", "--results", tmp_path / "r.sqlite", "--detectors", "menex")
    code, _, err = run(*arguments, "--peers", "justext,html_text", "--jobs", 1)
    assert code == 0
    assert "justext is left out: pip install jusText" in err
    with Results(tmp_path / "r.sqlite") as results:
        assert {row.detector for row in results.experiments()} == {"menex", "html_text"}


def test_a_run_and_its_resumption(tmp_path) -> None:
    """A second run makes nothing again; one with more detectors makes only theirs."""
    suites.selected(tmp_path / "suite")
    common = ("run", tmp_path / "suite", "--results", tmp_path / "r.sqlite", "--peers", "none", "--jobs", 1)
    arguments = (*common, "--sizes", "2-3", "--detectors")
    code, _, err = run(*arguments, "temex,menex")
    assert code == 0
    assert "24 experiments made, 24 planned" in err
    with Results(tmp_path / "r.sqlite") as results:
        before = results.experiments()
        assert len(before) == 4 * (2 * 5 + 1)
        assert len(results.linked_pages()) == 4 * 5
    assert "0 experiments made, 24 were there already, 24 planned" in run(*arguments, "temex,menex")[2]
    more = run(*arguments, "temex,menex,sst", "--limit", "1")[2]
    assert "4 experiments made, 12 were there already, 16 planned" in more
    with Results(tmp_path / "r.sqlite") as results:
        assert results.experiments()[: len(before)] == before


@pytest.mark.usefixtures("in_process")
def test_a_changed_page_is_measured_again(tmp_path) -> None:
    """Of a site whose pages changed everything is made again, of the others nothing."""
    suites.selected(tmp_path / "suite")
    arguments = (
        "run",
        tmp_path / "suite",
        "--results",
        tmp_path / "r.sqlite",
        "--peers",
        "none",
        "--detectors",
        "menex",
        "--no-readings",
        "--jobs",
        1,
    )
    run(*arguments)
    (tmp_path / "suite" / "site1" / "www" / "news.html").write_text("<html><body>Closed</body></html>")
    assert "2 experiments made, 2 were there already" in run(*arguments)[2]


@pytest.mark.usefixtures("in_process")
def test_every_layout_runs(tmp_path) -> None:
    """TeCo's layout, WCXB's and a plain folder in one run; without a gold standard the measures are None."""
    suites.teco(tmp_path / "teco")
    suites.wcxb(tmp_path / "wcxb")
    suites.write(tmp_path / "mine", suites.pages_of("mine"))
    folders = [tmp_path / name for name in ("teco", "wcxb", "mine")]
    options = ("--peers", "html_text", "--limit", 1, "--sizes", 3)
    code, _, err = run("run", *folders, "--results", tmp_path / "r.sqlite", *options)
    assert code == 0, err
    with Results(tmp_path / "r.sqlite") as results:
        rows = results.experiments()
    assert not [row.error for row in rows if row.error]
    assert {row.suite for row in rows} == {"teco", "wcxb", "mine"}
    best = [row for row in rows if row.suite == "teco" and row.detector == "temex" and dict(row.parameters) == EQUAL]
    assert {row.recall for row in best} == {1.0}
    assert min(row.f1 for row in best) >= 44 / 45
    assert {row.category for row in best} == {"Companies", "Personal"}
    assert {row.parameters["candidates"] for row in rows if row.suite == "wcxb" and row.parameters} == {"siblings"}
    assert all(row.gold is None and row.f1 is None for row in rows if row.suite == "mine")
    assert any(row.retrieved for row in rows if row.suite == "mine" and row.unit == "nodes")


EXPERIMENTS = 43  # of TemEx: 36 sizes and votes, 5 seeds, 2 further selections
KEY_PAGES = 10  # two of each site
PROGRAM = "import sys; from templex_bench.cli import main; sys.exit(main(sys.argv[1:]))"


def start(*arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", PROGRAM, *map(str, arguments)]
    # our own program
    return subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True, start_new_session=True)  # noqa: S603


def wait_for_rows(path: Path) -> None:
    """Wait until some rows are stored, a minute at most."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if path.is_file() and path.stat().st_size:
            try:
                with Results(path) as results:
                    if results.done():
                        return
            except Exception:  # noqa: BLE001, S110 - it is being made
                pass
        time.sleep(0.02)
    raise AssertionError("no rows after a minute")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGKILL, -signal.SIGKILL)])
def test_a_run_that_is_stopped_in_the_middle(tmp_path, number, code) -> None:
    """Ctrl-C ends with 130, a kill at once; either way the same command goes on, and all is as if nothing happened."""
    suites.selected(tmp_path / "suite", sites=5)
    path = tmp_path / "r.sqlite"
    arguments = (
        "run",
        tmp_path / "suite",
        "--results",
        path,
        "--peers",
        "none",
        "--detectors",
        "temex",
        "--no-readings",
    )
    process = start(*arguments, "--jobs", 1)
    try:
        wait_for_rows(path)
        os.kill(process.pid, number)
        _, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == code, err
    with Results(path) as results:
        there = len(results.done())
    assert 0 < there < KEY_PAGES * EXPERIMENTS
    code, _, err = run(*arguments, "--jobs", 1)
    assert code == 0
    assert f"{KEY_PAGES * EXPERIMENTS - there:,} experiments made, {there:,} were there already" in err
    with Results(path) as results:
        rows = results.experiments()
    assert len(rows) == 2 * KEY_PAGES * EXPERIMENTS
    assert all(row.f1 is not None for row in rows)


def die_or_not(task: Task) -> Outcome:
    """A task that takes its process with it, if its address says so."""
    if "die" in task.url:
        os._exit(1)
    return Outcome(task)


def died(task: Task) -> Outcome:
    return Outcome(task, error=pool.DIED)


def holds_back_ctrl_c(_: object) -> bool:
    """Whether a process began with Ctrl-C held back: while it imports nothing else keeps it alive."""
    return signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ())


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="this system cannot hold back signals")
def test_processes_start_with_ctrl_c_held_back() -> None:
    """Those that still import would end with a traceback each; here it is as it was afterwards."""
    assert list(pool.Pool(holds_back_ctrl_c, holds_back_ctrl_c, 2).outcomes(range(3))) == [True] * 3
    assert not holds_back_ctrl_c(None)


def test_a_process_that_dies_takes_no_other_task_with_it(tmp_path) -> None:
    """Its own task is told as lost; all others are carried out."""
    site = open_suite(suites.selected(tmp_path, sites=1)).sites[0]
    blank = Task(suite="s", site=site, url="", trials=(), linked=False, time_limit=None)
    tasks = [dataclasses.replace(blank, url=url) for url in ("1", "die", "2")]
    outcomes = list(pool.Pool(die_or_not, died, 2).outcomes(tasks))
    assert {outcome.task.url: outcome.error for outcome in outcomes} == {
        task.url: "the process died" if task.url == "die" else "" for task in tasks
    }
    assert len(outcomes) == len(tasks)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["{}/nothing"], "is not there"),
        (["{}"], "has no suite in it"),
        (["{}/suite", "--detectors", "temx"], "no detector 'temx'; allowed are: temex"),
        (["{}/suite", "--peers", "goose"], "no peer 'goose'; allowed are: trafilatura"),
        (["{}/suite", "--candidates", "all"], "allowed are: hyperlink analysis"),
        (["{}/suite", "--sites", "x"], "its sites are: site0"),
        (["{}/suite", "--detectors", "none", "--peers", "none"], "nothing to measure"),
        (["{}/suite", "{}/suite"], "would both be the suite 'suite'"),
        (["{}/suite", "--detectors", "temex", "--peers", "none", "--votes", "9", "--sizes", "3"], "nothing to measure"),
        (
            ["{}/suite", "--table", "suite-nosuch"],
            "no table 'suite-nosuch'; there may be: suites, suite-template-nodes",
        ),
    ],
)
def test_wrong_command_lines(tmp_path, arguments, told) -> None:
    """What is wrong is named, with what is allowed; the exit code is 2."""
    suites.selected(tmp_path / "suite", sites=1)
    if told == "has no suite in it":
        (tmp_path / "suite").rename(tmp_path.parent / f"{tmp_path.name}-aside")
    code, _, err = run("run", *(word.format(tmp_path) for word in arguments), "--results", tmp_path / "r.sqlite")
    assert code == 2
    assert told in err
    assert not (tmp_path / "r.sqlite").exists(), "nothing was begun"


@pytest.mark.parametrize("command", ["run", "tune"])
def test_a_folder_that_is_not_there(tmp_path, command) -> None:
    """It is named, and nothing is begun."""
    suites.selected(tmp_path / "suite")
    path = tmp_path / "nowhere" / "r.sqlite"
    option = "--results" if command == "run" else "--out"
    code, _, err = run(command, tmp_path / "suite", option, path)
    assert code == 2
    assert f"error: {path.parent} is not there" in err
    assert not path.parent.exists()


@pytest.mark.usefixtures("in_process")
def test_a_damaged_page_is_told_and_the_others_are_measured(tmp_path) -> None:
    """Only what needs the page is lost."""
    suites.wcxb(tmp_path / "wcxb")
    packed = tmp_path / "wcxb" / "pages" / "0003.html.gz"
    packed.write_bytes(packed.read_bytes()[:20] + b"\xff" * 20)
    options = ("--detectors", "page-conex", "--peers", "none")
    code, _, err = run("run", tmp_path / "wcxb", "--results", tmp_path / "r.sqlite", *options)
    assert code == 1
    assert (
        "WARNING: not measured: wcxb, alone.example, https://alone.example/delta: the page 0003 cannot be read" in err
    )
    with Results(tmp_path / "r.sqlite") as results:
        assert {row.site for row in results.experiments()} == {"mill.example"}


@pytest.mark.usefixtures("in_process")
def test_a_lost_page_is_in_the_results_until_it_is_measured(tmp_path) -> None:
    """What an earlier run found on it is gone, the report and ``show`` tell that it is missing, then it comes back."""
    suites.wcxb(tmp_path / "wcxb")
    path, packed = tmp_path / "r.sqlite", tmp_path / "wcxb" / "pages" / "0003.html.gz"
    whole = packed.read_bytes()
    command = ("run", tmp_path / "wcxb", "--results", path, "--detectors", "page-conex", "--peers", "none")
    sites = {"mill.example", "alone.example"}
    for content, measured, code in ((whole, sites, 0), (b"no page", {"mill.example"}, 1), (whole, sites, 0)):
        packed.write_bytes(content)
        assert run(*command)[0] == code
        with Results(path) as results:
            assert {row.site for row in results.experiments()} == measured
            assert [page.key_url for page in results.lost()] == ["https://alone.example/delta"] * code
        told = "wcxb, alone.example, https://alone.example/delta: the page 0003 cannot be read"
        assert (told in run("show", path)[1]) == bool(code)
        if find_spec("jinja2") and find_spec("matplotlib") and find_spec("numpy"):
            assert run("report", path)[0] == 0
            text = (tmp_path / "report.md").read_text(encoding="utf-8")
            assert ("1 key page could not be measured: see Errors." in text) == bool(code)
            assert ("No experiment went wrong." in text) != bool(code)


def test_whatever_goes_wrong_with_a_key_page_is_its_own(tmp_path) -> None:
    """Its outcome tells the kind of error; no exception leaves the process."""
    site = open_suite(suites.selected(tmp_path, sites=1)).sites[0]
    task = Task(suite="s", site=site, url="http://[", trials=(Trial("menex", {}),), linked=True, time_limit=None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(site), "key_page", lambda *_: {}["key"])
        assert carry_out(task).error == "KeyError: 'key'"


@pytest.mark.usefixtures("in_process")
def test_names_that_are_no_utf_8(tmp_path) -> None:
    """Pages that are named in another encoding are listed, run and told."""
    files = suites.pages_of("mill")
    files[os.fsdecode(b"caf\xe9.html")] = files.pop("news.html")
    folder = suites.write(tmp_path / "mill.example", files)
    path = tmp_path / "r.sqlite"
    options = ("--results", path, "--detectors", "menex", "--peers", "none")
    for command in (["list", folder], ["run", folder, *options], ["show", path], ["report", path]):
        code, _, err = run(*command)
        assert code == 0, err
    with Results(path) as results:
        assert any(row.key_url.endswith("/caf%E9.html") for row in results.experiments())


def console(*arguments: object, out: int, **variables: str) -> subprocess.CompletedProcess[bytes]:
    """The command as a process of its own, with a given standard output."""
    command = [sys.executable, "-m", "templex_bench", *map(str, arguments)]
    environment = {**os.environ, **variables}
    # our own program
    return subprocess.run(command, cwd=ROOT, stdout=out, stderr=subprocess.PIPE, env=environment, check=False)  # noqa: S603


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_nobody_reads_on(unbuffered) -> None:
    """As behind ``| head``: it ends without a word, and with the code that shells have for it."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        ended = console("list", out=writing, PYTHONUNBUFFERED=unbuffered)
    finally:
        os.close(writing)
    assert (ended.returncode, ended.stderr) == (141, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_what_cannot_be_printed() -> None:
    """One line tells why."""
    with Path("/dev/full").open("wb") as full:
        ended = console("list", out=full.fileno())
    assert ended.returncode == 2
    assert ended.stderr.startswith(b"error: ")
    assert ended.stderr.count(b"\n") == 1


def test_a_console_of_few_letters(tmp_path) -> None:
    """What its encoding does not have comes with a backslash."""
    with (tmp_path / "out").open("wb") as file:
        ended = console("list", out=file.fileno(), PYTHONIOENCODING="latin-1")
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert b"site \\u2192 list" in (tmp_path / "out").read_bytes()


@pytest.mark.parametrize(("command", "goes_on"), [("show", False), ("report", False), ("run", True), ("tune", True)])
def test_what_is_told_of_an_interruption(command, goes_on, monkeypatch, tmp_path) -> None:
    """Only what stores something goes on where it was."""

    def interrupted(*_: object) -> Never:
        raise KeyboardInterrupt

    monkeypatch.setattr(f"templex_bench.cli._{command}", interrupted)
    needed = {"run": [tmp_path, "--results", "r"], "tune": [tmp_path, "--out", "r"]}.get(command, ["r"])
    code, _, err = run(command, *needed)
    assert code == 130
    assert err.startswith("Stopped.")
    assert ("goes on from there" in err) == goes_on


@pytest.mark.usefixtures("in_process")
def test_tables_of_a_run(tmp_path) -> None:
    """A table of this run's suite, or of one that is in the file already, is printed at the end."""
    for name in ("one", "two"):
        suites.selected(tmp_path / name, sites=1)
    path = tmp_path / "r.sqlite"
    options = ("--results", path, "--peers", "none", "--detectors", "menex", "--limit", 1, "--table")
    for suite, table in (
        ("one", "one-menu-links"),
        ("two", "one-menu-links"),
        ("two", "two-category-menu-links-menex"),
    ):
        code, out, err = run("run", tmp_path / suite, *options, table)
        assert (code, "MenEx" in out) == (0, True), err


@pytest.mark.usefixtures("in_process")
def test_peers_by_the_names_of_their_packages(tmp_path) -> None:
    """As they are written where one reads of them, too."""
    suites.selected(tmp_path / "suite", sites=1)
    path = tmp_path / "r.sqlite"
    options = ("--detectors", "none", "--peers", "html-text,html_text,jusText,readability-lxml", "--limit", 1)
    assert run("run", tmp_path / "suite", "--results", path, *options)[0] == 0
    # those that are not installed are left out
    installed = {name for name in ("html_text", "justext", "readability") if find_spec(name) is not None}
    with Results(path) as results:
        assert {row.detector for row in results.experiments()} == installed


@pytest.mark.parametrize(
    ("option", "told"),
    [
        ("--sizes=0", "allowed are 1 to 20"),
        ("--sizes=1-99999999999", "allowed are 1 to 20"),
        ("--sizes=a", "expected numbers"),
        ("--votes=3-1", "the range 3-1 is upside down"),
        ("--limit=0", "expected a number from 1 on"),
        ("--jobs=x", "expected a number from 1 on"),
        ("--detectors=", "expected names"),
        ("--peers=,", "expected names"),
    ],
)
def test_wrong_values(tmp_path, option, told, capsys) -> None:
    """Argparse tells what was expected; no names are not all names."""
    with pytest.raises(SystemExit) as raised:
        main(["run", str(tmp_path), "--results", "r.sqlite", option])
    assert raised.value.code == 2
    said = capsys.readouterr().err
    assert option.partition("=")[0] in said
    assert told in said


@pytest.mark.parametrize("limit", ["-5", "0", "nan", "inf", "soon"])
def test_wrong_time_limits(tmp_path, limit, capsys) -> None:
    """Only seconds above 0 are a limit, or the word that means none."""
    with pytest.raises(SystemExit) as raised:
        main(["run", str(tmp_path), "--results", "r.sqlite", f"--time-limit={limit}"])
    assert raised.value.code == 2
    assert "expected seconds above 0, or none" in capsys.readouterr().err


@pytest.mark.usefixtures("in_process")
def test_no_time_limit(tmp_path) -> None:
    """Asked for by a word, which the command under a table repeats."""
    suites.selected(tmp_path / "suite", sites=1)
    path = tmp_path / "r.sqlite"
    options = ("--peers", "none", "--detectors", "menex", "--limit", 1, "--time-limit", "none")
    assert run("run", tmp_path / "suite", "--results", path, *options)[0] == 0
    with Results(path) as results:
        assert ("--time-limit", "none") in pairwise(results.runs()[0].options)


@pytest.mark.usefixtures("in_process")
def test_what_a_lower_time_limit_ended_is_made_again(tmp_path, monkeypatch) -> None:
    """By a higher limit or by none, not by the same one; other errors stay as they are."""
    found = {name: dataclasses.replace(METHODS[name], load=partial(FINDS.get, name)) for name in FINDS}
    monkeypatch.setattr("templex_bench.work.all_methods", lambda: found)
    suites.selected(tmp_path / "suite", sites=1)
    options = ("--detectors", "menex,page-conex", "--peers", "none", "--limit", 1, "--no-readings", "--time-limit")
    for limit, made in (("0.2", 2), ("0.2", 0), ("0.1", 0), ("0.3", 1), ("none", 1), ("0.1", 0)):
        err = run("run", tmp_path / "suite", "--results", tmp_path / "r.sqlite", *options, limit)[2]
        assert f"\n{made} experiment{'' if made == 1 else 's'} made" in err


def takes_long(*_: object, **__: object) -> Found:
    time.sleep(0.4)
    return Found(nodes=frozenset())


def fails(*_: object, **__: object) -> Never:
    raise ValueError("no")


FINDS = {"menex": takes_long, "page-conex": fails}


@pytest.mark.usefixtures("in_process")
def test_an_export_replaces_exports_and_nothing_else(tmp_path) -> None:
    """A stranger's file stays, and then nothing is written; an earlier export is replaced, and so is all by force."""
    suites.selected(tmp_path / "suite", sites=1)
    path, folder = tmp_path / "r.sqlite", tmp_path / "out"
    run("run", tmp_path / "suite", "--results", path, "--peers", "none", "--detectors", "menex", "--limit", 1)
    for name in ("experiments.csv", "similarities.parquet"):
        folder.mkdir()
        (folder / name).write_text("mine, not yours", encoding="utf-8")
        code, out, err = run("export", path, folder)
        assert (code, out) == (2, "")
        refusal = "is there and is no export of results: name another folder, or replace it by --force"
        assert err == f"error: {folder / name} {refusal}\n"
        assert [file.name for file in folder.iterdir()] == [name]
        assert run("export", path, folder, "--force")[0] == 0
        assert run("export", path, folder)[0] == 0, "its own files are replaced"
        assert "mine" not in (folder / name).read_text(encoding="utf-8", errors="replace")
        shutil.rmtree(folder)


@pytest.mark.usefixtures("in_process")
def test_an_export_that_cannot_be_written(tmp_path) -> None:
    """One line tells why."""
    suites.selected(tmp_path / "suite", sites=1)
    path = tmp_path / "r.sqlite"
    run("run", tmp_path / "suite", "--results", path, "--peers", "none", "--detectors", "menex", "--limit", 1)
    code, out, err = run("export", path, path / "below a file")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("error: the export cannot be written: ")


@pytest.mark.usefixtures("in_process")
def test_list_show_export_and_report(tmp_path) -> None:
    """The other commands work on what a run made, and say what is missing."""
    suites.selected(tmp_path / "suite")
    path = tmp_path / "r.sqlite"
    assert run("show", path)[0] == 2
    options = ("--peers", "html_text", "--detectors", "temex,menex", "--no-readings", "--limit", 1, "--jobs", 1)
    run("run", tmp_path / "suite", "--results", path, *options)
    listed = run("list", tmp_path / "suite")[1]
    assert all(word in listed for word in ("temex", "rbm-td", "trafilatura", "content-words", "site1: 2 key pages"))
    assert "temex size=3 votes=2" in run("show", path)[1]
    code, out, _ = run("export", path, tmp_path / "out")
    assert code == 0
    assert sorted(Path(line).name for line in out.split()) == [
        "experiments.csv",
        "experiments.parquet",
        "similarities.csv",
        "similarities.parquet",
    ]
    code, out, err = run("report", path, "--folder", tmp_path / "out")
    assert code == 0, err
    assert "TemEx" in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    code, _, err = run("report", path, "--table", "nonsense")
    assert code == 2
    assert "nonsense" in err


def test_plain_lines_estimate_what_is_left() -> None:
    """A line now and then with the time that is left, and one at the end."""
    times = iter([0.0, 5.0, 20.0, 20.0, 20.0, 61.0])
    stream = io.StringIO()
    with Lines(100, stream, clock=lambda: next(times)) as lines:
        lines.advance(10, "a")
        lines.advance(10, "b")
        lines._done = 100
    assert stream.getvalue().splitlines() == [
        "20 of 100 experiments after 0:20, about 1:20 left",
        "100 of 100 experiments after 1:01",
    ]


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_a_terminal_has_a_bar_with_an_estimate() -> None:
    """How much is done of how much, on which site, and the time that is left."""
    pytest.importorskip("tqdm")
    stream = Terminal()
    with progress_on(stream, 4) as progress:
        for _ in range(4):
            time.sleep(0.11)
            progress.advance(1, "mill.example")
    assert re.search(r"75%.* 3/4 \[\d\d:\d\d<\d\d:\d\d.*mill\.example", stream.getvalue())
