"""The tables of a results file, on miniatures and on made rows."""

import json
from dataclasses import replace

import pandas as pd
import pytest
from helpers import made_suites
from templex_bench.cli import main
from templex_bench.suites import open_suite
from templex_bench.tables import compare
from templex_bench.tables.leaderboard import leaderboard
from templex_bench.tables.study import Study, prepared

RUNS = pd.DataFrame({"command": [], "conditions": []})
SITES = [f"site{number}" for number in range(6)]


def row(method, site, f1, **more):
    given: dict[str, object] = {"candidates": "hyperlink analysis", "size": 3, "votes": 2, **more.pop("given", {})}
    made = {
        "suite": "s",
        "site": site,
        "key_url": f"http://{site}/",
        "category": "blog" if site < "site3" else "shop",
        "method": method,
        "parameters": json.dumps(given),
        "reading": "",
        "target": "template",
        "unit": "nodes",
        "nodes": 100 * (1 + int(site[-1])),
        "gold": 10,
        "retrieved": 10,
        "correct": round(10 * f1),
        "recall": f1,
        "precision": f1,
        "f1": f1,
        "loads": 4,
        "cs_size": 3,
        "runtime": 0.01 * (1 + int(site[-1])),
        "error": "",
        **more,
    }
    return {**made, "trial": json.dumps([method, given, site, made["reading"]])}


def study(*rows):
    return Study("s", prepared(pd.DataFrame(rows)))


def cells(table):
    assert table is not None
    return table.rows


def test_side_by_side_is_best_first_with_paired_differences():
    rows = [row("temex", site, 0.9 - 0.01 * number) for number, site in enumerate(SITES)]
    rows += [row("sst", site, 0.8 - 0.01 * number) for number, site in enumerate(SITES)]
    rows += [row("iwptd", site, 0.0, error="ValueError: x") for site in SITES]
    rows += [row("temex", site, 0.1, given={"size": 5, "votes": 3}) for site in SITES]
    table = cells(compare.side_by_side(study(*rows), "template", "nodes"))
    assert [line["Method"] for line in table] == ["TemEx", "SST"]
    assert table[0]["F1"].startswith("0.875 [")
    assert table[1]["F1 less that of the best"] == "\u22120.100 [\u22120.100, \u22120.100] \u25bc"
    assert table[0]["published recall"] == "0.931"
    assert table[0]["Loads"].startswith("5.00"), "the key page is counted"


def test_readings_and_the_one_chosen_without_the_site():
    """The reading is better on five sites and useless on the sixth, for which alone it is chosen."""
    rows = [row("sst", site, 0.5) for site in SITES]
    rows += [row("sst", site, 0.6, reading="tags") for site in SITES[:5]] + [row("sst", "site5", 0.0, reading="tags")]
    table = cells(compare.readings(study(*rows), "template", "nodes"))
    assert [line["Reading"] for line in table] == ["default", "tags", "reading chosen without the site"]
    assert table[1]["F1"].startswith("0.500")
    assert table[2]["F1"].startswith("0.417"), "the default for the five, the reading for the sixth"


def test_candidates_and_categories():
    rows = [row("temex", site, 0.5 + 0.1 * (site < "site3")) for site in SITES]
    rows += [row("temex", site, 0.4, given={"candidates": "menu links"}) for site in SITES]
    candidates = cells(compare.candidates(study(*rows)))
    assert candidates[1]["F1 less that of hyperlink analysis"].startswith("\u22120.150")
    by_category = cells(compare.temex_by_category(study(*rows)))
    assert [(line["Category"], line["F1"][:5], line["Nodes"]) for line in by_category] == [
        ("blog", "0.600", "200.0"),
        ("shop", "0.500", "500.0"),
        ("Average", "0.550", "350.0"),
    ]


def test_pages_of_several_types_count_once_each():
    rows = [row("temex", "site0", f1, key_url=str(f1), category=str(f1)) for f1 in (0.0, 0.2, 0.4)]
    made = study(*rows, row("temex", "site1", 1.0))
    assert made.by_page
    found = made.mean(made.rows)
    assert found is not None
    assert found.mean == pytest.approx(0.4)


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """A results file of a small suite."""
    folder = tmp_path_factory.mktemp("tables")
    made_suites.selected(folder / "gold")
    few = "--detectors temex,menex,page-conex --peers html_text --sizes 1 2 --jobs 1".split()
    file = folder / "results.sqlite"
    assert main(["run", str(folder / "gold"), "--results", str(file), *few]) == 0
    return file


def test_every_table_has_the_command_that_prints_it(results, capsys):
    assert main(["show", str(results), "all"]) == 0
    text = capsys.readouterr().out
    for name in ("gold-template-nodes", "gold-menu-links", "gold-papers", "gold-table-9.2"):
        assert f"`templex-bench show {results} {name}`" in text
    assert main(["show", str(results), "gold-table-7.6"]) == 2
    assert "would be empty" in capsys.readouterr().err


def test_the_leaderboard_has_each_system_on_each_suite(tmp_path):
    folder, file = tmp_path / "corpora", tmp_path / "r.sqlite"
    made_suites.wcxb(folder / "one")
    made_suites.wcxb(folder / "two", values={"title": ["alpha"]})
    few = ["--detectors", "templex,content-words", "--peers", "html_text,half-of-pages", "--jobs", "1"]
    assert main(["run", str(folder), "--results", str(file), *few]) == 0
    out = ["--out", str(tmp_path / "page.md")]
    assert main(["leaderboard", str(file), *out]) == 0
    page = (tmp_path / "page.md").read_text("utf-8")
    tables = {part.partition("\n")[0]: part.partition("\n\n")[2] for part in page.split("\n## ")[1:]}
    content, values, kept, gone, removal, *_ = list(tables.values())[1:]
    assert "| one | 2 | 4 |" in page
    assert "| System | one | ms a page |" in content
    assert r"| templex content words \* | 0.963 |" in content
    assert "| System | two | ms a page |" in values
    assert "html-text | 0.250" in values
    assert "html-text | 1.000" in kept
    assert "html-text | 0.000" in gone
    assert removal.index("templex cleaned page") < removal.index("html-text")
    assert f"- suite one: `{open_suite(folder / 'one').fingerprint()}`\n" in page
    (types,) = (table for title, table in tables.items() if "by type of page" in title)
    assert "| System | article | forum |" in types
    assert main(["leaderboard", str(file), *out, "--tables", "one-content-words"]) == 0
    assert "(one-content-words)" in (tmp_path / "page.md").read_text("utf-8")


OF_WORDS = {"target": "content", "unit": "words"}


def test_differences_on_the_leaderboard_are_paired_and_corrected():
    """Three systems on six sites: both others are worse everywhere."""
    found = {"trafilatura": 0.9, "justext": 0.8, "boilerpy3": 0.7}
    rows = [row(name, site, f1, **OF_WORDS) for name, f1 in found.items() for site in SITES]
    page = leaderboard([study(*rows)], RUNS)
    lines = page.partition("F1 of words: differences")[2].splitlines()
    assert lines[4] == "| jusText | \u22120.100 [\u22120.100, \u22120.100] \u25bc | 0.062 |", "twice 1/32"


def test_the_first_of_the_table_is_the_reference_of_the_differences():
    """The second system has the higher mean over the six sites, and the lower one over the two suites."""
    sites = {"one": SITES[:1], "five": SITES[1:]}
    found = {"trafilatura": (0.9, 0.5), "justext": (0.5, 0.6)}
    studies = [
        replace(
            study(*(row(name, site, f1[at], **OF_WORDS) for name, f1 in found.items() for site in own)), suite=suite
        )
        for at, (suite, own) in enumerate(sites.items())
    ]
    _, _, board, differences, *_ = leaderboard(studies, RUNS).split("\n## ")
    assert board.splitlines()[4].startswith("| trafilatura |")
    assert differences.splitlines()[4].startswith("| jusText | +0.017")


@pytest.mark.parametrize(("fitted", "suites", "has_rank"), [(0, 1, True), (1, 1, False), (1, 2, True), (2, 3, False)])
def test_what_is_fitted_to_most_suites_has_no_rank(fitted, suites, has_rank):
    """By the pages, whatever the folder is called: one of the development sites, and a theme with another text."""
    known = ("https://smdiaspt.github.io/", "https://hexo-a4.example/of-another-text/", "https://unknown.test/")
    urls = known[:fitted] + known[-1:] * (suites - fitted)
    found = {"content-words": 0.9, "justext": 0.5}
    studies = [
        replace(study(*(row(name, "site0", f1, **OF_WORDS, key_url=url) for name, f1 in found.items())), suite=str(at))
        for at, url in enumerate(urls)
    ]
    _, _, board, differences, *_ = leaderboard(studies, RUNS).split("\n## ")
    first, second = board.splitlines()[4:6]
    ours, theirs = (first, second) if has_rank else (second, first)
    assert (ours.count("0.900"), ours.count("0.900 \u2020"), theirs.count("\u2020")) == (suites, fitted, 0)
    assert f"less that of {first.split('|')[1].strip()}" in differences


def test_the_leaderboard_tells_who_was_measured_on_fewer_pages():
    rows = [row("justext", site, 0.5, **OF_WORDS) for site in SITES]
    rows += [row("trafilatura", site, 0.9, **OF_WORDS) for site in SITES[:2]]
    page = leaderboard([study(*rows)], RUNS)
    assert "| trafilatura | 0.900, 2 of 6 |" in page
    content = page.partition("## Main content")[2]
    assert content.index("jusText") < content.index("trafilatura")
