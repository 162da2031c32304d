"""The whole report: HTML that is safe and complete, Markdown with the same numbers, and nothing to report."""

from __future__ import annotations

import base64
import hashlib
import os
import random
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("numpy")
pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")

from lxml import etree
from lxml.html import HTMLParser, document_fromstring
from report_cases import HOSTILE, LinkedPage, experiment, on_site, realistic
from templex_bench import report as report_module
from templex_bench.bootstrap import Bootstrap
from templex_bench.lost import LostPage
from templex_bench.markdown import escaped
from templex_bench.provenance import Provenance
from templex_bench.report import report

QUICK = Bootstrap(resamples=200)
NUMBER = re.compile(r"[-+\N{MINUS SIGN}]?\d[\d,]*(?:\.\d+)?")
KINDS = (("template", "nodes"), ("content", "words"))
COMMAND = "python -m templex_bench report my.sqlite"
SCRIPT = Path(report_module.__file__).parent / "templates" / "report.js"


@pytest.fixture(scope="module")
def data():
    """The realistic set."""
    return realistic()


@pytest.fixture(scope="module")
def full(data):
    """The report on it."""
    return report(*data, Provenance(report=COMMAND), QUICK)


@pytest.fixture(scope="module")
def tree(full):
    """Its HTML as a browser reads it."""
    return parsed(full.html())


def parsed(html):
    return document_fromstring(html.encode(), parser=HTMLParser(encoding="utf-8"))


@pytest.fixture(scope="module")
def hostile():
    """A report in which every text that comes from outside is hostile."""
    rows = [
        on_site(
            f"{HOSTILE}{number}", detector=detector, category=f"{HOSTILE}{number % 2}", suite=HOSTILE, error=error,
            parameters={"size": size, "votes": 2, HOSTILE: HOSTILE}, target=target, unit=unit, f1=0.5 + number / 100,
        )
        for number in range(6)
        for detector, target, unit, error in (
            (HOSTILE, "template", "nodes", ""),
            ("temex", "template", "nodes", ""),
            ("conex", "content", "words", ""),
            ("trafilatura", "content", "words", ""),
            ("sst", "template", "nodes", HOSTILE),
        )
        for size in (2, 3)
    ]  # fmt: skip
    rows.append(on_site("bad\x00\x1b\ud800\u202ename", category="nul\x00", suite=HOSTILE, detector="\x00\ud800"))
    linked = [LinkedPage(HOSTILE, HOSTILE, HOSTILE, HOSTILE, distance, 0.5) for distance in (0, 1)]
    return report(rows, linked, Provenance(report=f"report {HOSTILE}"), QUICK)


def test_the_html_needs_nothing_else(full, tree) -> None:
    """No link to other resources, no request by style sheets, and no script but the one that is allowed by its hash."""
    (script,) = tree.xpath("//script")
    assert not script.attrib
    digest = base64.b64encode(hashlib.sha256(script.text.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}';" in tree.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")[0]
    assert not tree.xpath("//link | //iframe | //img | //object | //embed | //base")
    assert not [value for value in tree.xpath("//@src | //@href") if not value.startswith("#")]
    assert not re.search(r"@import|url\(\s*['\"]?(?!#)", full.html())
    assert "default-src 'none'" in full.html()


def test_links_and_references_lead_somewhere(tree) -> None:
    """Ids are unique in spite of several figures, and every reference has its target."""
    ids = tree.xpath("//@id")
    assert len(ids) == len(set(ids))
    wanted = {value[1:] for value in tree.xpath("//@href")}
    wanted |= {name for value in tree.xpath("//@aria-labelledby") for name in value.split()}
    wanted |= {name for value in tree.xpath("//@clip-path") for name in re.findall(r"url\(#([^)]+)\)", value)}
    assert wanted <= set(ids)


def test_all_tables_of_the_papers_are_there(full) -> None:
    """What the issue asks for, for each suite that has the rows."""
    names = {table.name for table in full.tables}
    assert names >= {
        "suites",
        "sites-template-nodes",
        "sites-category-template-nodes-temex",
        "sites-category-template-nodes-hybrid",
        "sites-f1-by-category-template-nodes",
        "sites-candidates",
        "sites-distances",
        "sites-sizes-template-nodes-temex",
        "sites-votes",
        "sites-content-words",
        "sites-against-peers-content-words",
        "sites-menu-links",
        "sites-runtime",
        "wcxb-content-words",
        "wcxb-against-peers-content-words",
        "wcxb-f1-by-page-type-content-words",
        "errors",
    }
    assert len(names) == len(full.tables)


def test_all_figures_are_there_and_can_be_read_without_seeing(tree) -> None:
    """Each drawing has a title and a description, and is well-formed on its own."""
    drawings = tree.xpath("//figure[@class='plot']/svg")
    ids = [drawing.getparent().get("id") for drawing in drawings]
    for part in ("recall-template-nodes", "category-template-nodes", "sizes-temex", "distances", "runtime-template"):
        assert any(part in name for name in ids), part
    assert all(drawing.get("role") == "img" for drawing in drawings)
    assert all(drawing.xpath("./title[text()] and ./desc[text()]") for drawing in drawings)
    assert not tree.xpath("//svg//style | //svg//metadata")


def test_figures_take_their_colours_from_the_page(full) -> None:
    """Light, dark and print have colours of their own; none is fixed in a drawing."""
    drawings = re.findall(r"<svg.*?</svg>", full.html(), re.DOTALL)
    assert drawings
    for drawing in drawings:
        etree.fromstring(drawing)
        assert not re.search(r"#[0-9a-f]{6}\b", re.sub(r'"#[^"]*"|url\(#[^)]*\)', "", drawing))
    assert "prefers-color-scheme: dark" in full.html()
    assert "@media print" in full.html()


def test_markdown_has_the_same_numbers(full, tree) -> None:
    """Cell by cell: the same numbers in the same order, of every table."""
    markdown = [chunk for chunk in full.markdown().split("\n\n") if chunk.startswith("| ")]
    tables = tree.xpath("//figure[@class='table']//table")
    assert len(markdown) == len(tables) == len(full.tables)
    for text, table in zip(markdown, tables, strict=True):
        rows = text.split("\n")[2:]
        html_rows = table.xpath("./tbody/tr")
        assert len(rows) == len(html_rows)
        for row, html_row in zip(rows, html_rows, strict=True):
            cells = re.split(r"(?<!\\)\|", row)[1:-1]
            html_cells = [" ".join(cell.xpath(".//text()")) for cell in html_row.xpath("./th | ./td")]
            assert [NUMBER.findall(cell) for cell in cells] == [NUMBER.findall(cell) for cell in html_cells]


def test_every_table_names_the_command_that_prints_it(full) -> None:
    """The command ends with the table's name, and that name prints the table."""
    for table in full.tables:
        assert table.command == f"{COMMAND} --table {table.name}"
        assert table.command in full.html()
        title, rest = full.table(table.name).split("\n", 1)
        assert title == f"**{escaped(table.title)}**"
        assert f"**Table {table.number}. {title[2:]}\n{rest}" in full.markdown()


def test_each_block_can_be_made_alone(full) -> None:
    """Under the name that is known before it is made; and a table without any of the others."""
    known = [entry.name for chapter in full.chapters for entry in chapter.entries]
    made = [block.name for section in full.sections for block in section.blocks]
    assert made == [name for name in known if name in made]

    def never() -> None:
        raise AssertionError("not asked for")

    chapters = [
        replace(
            chapter, entries=tuple(e if e.name == "sites-votes" else replace(e, make=never) for e in chapter.entries)
        )
        for chapter in full.chapters
    ]
    assert replace(full, chapters=chapters).table("sites-votes") == full.table("sites-votes")


def test_an_unknown_table_is_an_error_that_names_the_known(full) -> None:
    """Nobody has to guess names."""
    with pytest.raises(KeyError, match="sites-votes"):
        full.table("no-such-table")


def test_the_summary_tells_the_figures_of_the_tables(full) -> None:
    """Key figures come from the same data as the tables."""
    label, value = full.figures[0].label, full.figures[0].value
    rows = {row.cells[0].text: row for row in full.tables[1].rows}
    detector = label.split(":")[0]
    assert rows[detector].cells[3].text == value
    assert rows[detector].cells[3].mark == "best"
    told = " ".join(paragraph.text for paragraph in full.summary)
    assert f"{detector} (F1 {value}" in told
    assert "1 experiment went wrong" in told


def test_an_experiment_counts_once_whatever_it_was_measured_in() -> None:
    """A detector's nodes and what it leaves to read are two rows of one experiment."""
    rows = [on_site(site, target=target, unit=unit) for site in "ab" for target, unit in KINDS]
    made = report(rows, bootstrap=QUICK)
    assert made.summary[0].text.startswith("2 experiments with 1 method ")
    assert "| 2 | 0 | 4 |" in made.table("suites"), "experiments, errors, rows"


def test_fewer_sites_are_told_where_the_figure_stands(full) -> None:
    """Two sites have no gold menu, one page of a detector is missing, and one experiment went wrong."""
    assert "14 of 16" in full.table("sites-menu-links")
    assert "14 of 16 sites" in next(figure.basis for figure in full.figures if "menu" in figure.label)
    assert "63 of 64" in full.table("sites-template-nodes")
    assert "RecursionError" in full.table("errors")


def test_the_rules_of_the_figures_are_stated(full) -> None:
    """Intervals, seed, weights and the other suites are explained in both forms."""
    for text in (full.html(), full.markdown()):
        assert "bootstrap over sites" in text
        assert "200 resamples, seed 1" in text
        assert "one between suites" in text


def test_hostile_names_stay_text(hostile) -> None:
    """No element, attribute or address comes from the data; the names are there to be read."""
    tree = parsed(hostile.html())
    assert [script.text for script in tree.xpath("//script")] == [SCRIPT.read_text(encoding="utf-8")]
    assert not tree.xpath("//img | //iframe")
    assert not [name for element in tree.iter(etree.Element) for name in element.attrib if name.startswith("on")]
    assert not [value for value in tree.xpath("//@href | //@src") if not value.startswith("#")]
    assert tree.xpath("//th[contains(., '<script>alert(1)</script>')]")
    assert tree.xpath("//td[contains(., 'onerror=alert(2)')]")


def test_hostile_names_do_not_leave_their_cell_in_markdown(hostile) -> None:
    """No HTML, no link, no code, and every row has as many cells as its head."""
    text = re.sub(r"(?<!\\)(`+)[^\n]*\1", "", hostile.markdown())
    assert "<" not in text
    assert not re.search(r"(?<!\\)\]\(", text)
    for chunk in text.split("\n\n"):
        if chunk.startswith("| "):
            assert len({len(re.split(r"(?<!\\)\|", row)) for row in chunk.split("\n")}) == 1


def test_what_xml_and_utf8_cannot_hold_is_replaced(hostile) -> None:
    """Null characters, lone surrogates and changes of direction are taken out of names."""
    for text in (hostile.html(), hostile.markdown()):
        text.encode()
        assert not re.search("[\x00\x1b\u202e]", text)
    etree.fromstring(re.search(r"<svg.*?</svg>", hostile.html(), re.DOTALL)[0])


def test_commands_are_quoted_for_the_shell(hostile) -> None:
    """A suite's name never gets into a command as it stands."""
    names = [table.name for table in hostile.tables]
    assert all(re.fullmatch(r"[a-z0-9-_]+", name) for name in names)


def test_suites_of_similar_names_are_kept_apart() -> None:
    """Names that make the same short name get a number."""
    made = report([experiment(suite="My sites"), experiment(suite="my-sites"), experiment(suite="!")], bootstrap=QUICK)
    names = {table.name for table in made.tables}
    assert {"my-sites-template-nodes", "my-sites-2-template-nodes", "suite-template-nodes"} <= names


def test_lost_key_pages_are_told() -> None:
    """In the opening line of their suite, and one by one among the errors; what they say stays text."""
    lost = [
        LostPage("sites", HOSTILE, "https://x.example/", f"KeyError: {HOSTILE}"),
        LostPage("other", "b", "u", "why"),
    ]
    made = report([experiment()], bootstrap=QUICK, lost=lost)
    told = {paragraph.label: paragraph.text for paragraph in made.summary}
    assert told["Suite sites"].endswith("none went wrong. 1 key page could not be measured: see Errors.")
    assert told["Suite other"] == "No experiments; 1 key page could not be measured: see Errors."
    page = parsed(made.html())
    assert [cell.text_content() for cell in page.xpath('//section[@id="errors"]//tbody/tr/*')] == [
        *("other", "b", "u", "why"),
        *("sites", HOSTILE, "https://x.example/", f"KeyError: {HOSTILE}"),
    ]
    assert len(page.xpath("//script")) == 1
    assert "No experiment went wrong." not in page.text_content()
    assert "| other | b | u | why |" in made.table("lost")


def test_where_all_key_pages_are_lost_there_is_a_report() -> None:
    """It tells nothing else."""
    made = report([], bootstrap=QUICK, lost=[LostPage("sites", "a", "u", "why"), LostPage("sites", "a", "v", "why")])
    assert "No experiments; 2 key pages could not be measured: see Errors." in made.markdown()
    assert "| sites | a | v | why |" in made.markdown()
    assert [section.name for section in made.sections] == ["errors"]
    assert 'href="#errors"' in made.html()


@pytest.mark.parametrize("form", ["html", "markdown"])
def test_no_results_are_a_message(form) -> None:
    """Nothing measured yet: it says what to do instead of failing."""
    text = getattr(report([], bootstrap=QUICK), form)()
    assert "There are no experiments." in text
    assert "templex_bench run" in text


@pytest.mark.parametrize(
    "rows",
    [
        [experiment(error="Boom", f1=None)],
        [experiment(None, correct=None)],
        [experiment(0.0)],
        [experiment(recall=None, precision=None)],
        [experiment(parameters={})],
        [experiment(parameters={"size": True, "votes": "many", "candidates": None})],
        [experiment(nodes=0, runtime=0.0)],
        [experiment(target="other", unit="things")],
        [on_site("a", category="x"), on_site("b")],
    ],
)
def test_odd_results_are_reported_all_the_same(rows) -> None:
    """Only errors, no gold standard, nothing found, unknown targets: a report, not a crash."""
    made = report(rows, bootstrap=QUICK)
    assert "The suites" in made.html()
    assert made.markdown().startswith("# ")


DIGEST = """
import hashlib
from report_cases import realistic
from templex_bench.bootstrap import Bootstrap
from templex_bench.report import report
rows, linked = realistic()
rows = [row for row in rows if row.site < "c" and row.key_url[-1] in "01"]
made = report(rows, linked[:99], bootstrap=Bootstrap(resamples=50))
digest = hashlib.sha256((made.html() + made.markdown()).encode()).hexdigest()
"""


def test_the_same_results_give_the_same_bytes() -> None:
    """Whatever the hash seed: no date, no random id, no order of sets."""
    here: dict[str, str] = {}
    exec(DIGEST, here)  # noqa: S102 - our own script
    other = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    there = subprocess.run(  # noqa: S603 - our own interpreter and script
        [
            sys.executable,
            "-c",
            f"import sys; sys.path.insert(0, sys.argv[1])\n{DIGEST}print(digest)",
            str(Path(__file__).parent),
        ],
        env=os.environ | {"PYTHONHASHSEED": other},
        capture_output=True,
        text=True,
        check=True,
    )
    assert there.stdout.strip() == here["digest"]


def test_the_order_of_the_rows_does_not_matter() -> None:
    """A run on several cores stores its rows in an order of its own."""
    rows, linked = realistic()
    rows = [row for row in rows if row.site < "c" and row.key_url[-1] in "01"]
    mixed = random.Random(5).sample(rows, len(rows))
    assert report(mixed, linked[::-1], bootstrap=QUICK).html() == report(rows, linked, bootstrap=QUICK).html()


def test_inputs_are_not_changed(data, full) -> None:
    """The rows are the caller's."""
    assert full.html()
    assert data == realistic()
