"""``templex clean`` and ``scrapy templex clean``."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
from helpers.made_sites import made_site
from helpers.running import call

from templex_scrapy.archives import run as runs
from templex_scrapy.commands import program
from templex_scrapy.inspect import archive_report
from templex_scrapy.stores import open_store


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an archive, which is the current one."""
    lines = [json.dumps({"url": page.url, "html": page.text}) for page in made_site(8)]
    (tmp_path / "in.jsonl").write_text("\n".join([*lines, "damaged", '{"url": "https://site.test/none"}']))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_summary_is_that_of_a_crawl(archive: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(["clean", "in.jsonl", "-o", "out.jsonl", "--outputs", "html=html", "content=content_text"]) == 0
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert lines[:-1] == [
        "Pages: 9 of 1 site, of which 8 cleaned, 1 without a page",
        "Templates: 1",
        "Words of the pages that fit a template: 224 before, 56 after (75% removed)",
        "Passed over: 1 damaged",
        "  the first damaged: in.jsonl, line 9",
    ]
    assert lines[-1].startswith("Time: ")
    assert err == ""
    contents = {json.loads(line)["content"] for line in (archive / "out.jsonl").read_text().splitlines()}
    assert contents == {None, *(f"Headline {n}\n\nWords of page {n} alone." for n in range(8))}


@pytest.mark.subprocess
def test_a_dash_is_standard_input_and_output(archive: Path) -> None:
    code = "import sys; from templex_scrapy.commands.program import main; sys.exit(main())"
    command = [sys.executable, "-c", code, "clean", "-", "-o"]
    lines = (archive / "in.jsonl").read_bytes()
    ran = subprocess.run([*command, "-"], input=lines, cwd=archive, capture_output=True, check=True)  # noqa: S603
    assert program.main(["clean", "in.jsonl", "-o", "out.jsonl"]) == 0
    assert ran.stdout == (archive / "out.jsonl").read_bytes()
    assert b"standard input, line 9" in ran.stderr
    subprocess.run([*command, "two.jsonl"], input=lines, cwd=archive, check=True)  # noqa: S603
    assert (archive / "two.jsonl").read_bytes() == ran.stdout


def test_the_command_of_scrapy_is_the_same(archive: Path) -> None:
    assert program.main(["clean", "in.jsonl", "-o", "one.jsonl", "--remove", "h1"]) == 0
    ran = call("clean", "in.jsonl", "-o", "two.jsonl", "--remove", "h1", "--store", "templates", cwd=archive)
    assert ran.code == 0, ran.err
    assert ran.out.startswith("Pages: 9 of 1 site")
    assert (archive / "one.jsonl").read_bytes() == (archive / "two.jsonl").read_bytes()
    assert (archive / "templates").exists()


def test_the_report_is_that_of_a_crawl_and_the_store_is_one_of_crawls(archive: Path) -> None:
    arguments = ["clean", "in.jsonl", "-o", "out.jsonl", "--store", "templates.sqlite3", "--report", "report.html"]
    found = []
    for _ in range(2):
        assert program.main(arguments) == 0
        report = (archive / "report.html").read_text()
        for words in ("Crawl report: out.jsonl", ">8 cleaned<", "Removed texts", "https://site.test/"):
            assert words in report
        found.append("from the store" in report)
    assert found == [False, True]
    with closing(open_store("templates.sqlite3", strict=True)) as store:
        (stored,) = store.load("site.test")
        assert stored.template.key_url.startswith("https://site.test/")


def test_a_resumed_run_says_so_and_its_report_tells_what_was_in_the_store_before(
    archive: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The run of the report begins with the first page, and not when the run is resumed."""
    arguments = ["clean", "in.jsonl", "-o", "out.jsonl", "--store", "templates.sqlite3", "--report", "report.html"]
    with monkeypatch.context() as patched:
        patched.setattr(runs, "_hand_over", lambda *_: 1 / 0)
        patched.setattr("time.time", lambda now=time.time: now() - 100)
        with pytest.raises(ZeroDivisionError):
            program.main(arguments)
    capsys.readouterr()
    assert program.main(arguments) == 0
    assert capsys.readouterr().err == "templex clean: resuming: an earlier run has read 9 pages\n"
    assert "from the store" not in (archive / "report.html").read_text()
    assert "took 0:01:4" in (archive / "report.html").read_text()


@pytest.mark.parametrize("to", [">&-", ">/dev/full"])
def test_a_summary_that_cannot_be_printed_costs_nothing_else(archive: Path, to: str) -> None:
    program = "import sys; from templex_scrapy.commands.program import main; sys.exit(main())"
    command = [sys.executable, "-c", program, "clean", "in.jsonl", "-o", "out.jsonl", "--report", "report.html"]
    shell = ["sh", "-c", f'exec "$@" {to}', "sh", *command]
    ran = subprocess.run(shell, cwd=archive, capture_output=True, text=True, check=False)  # noqa: S603
    assert (ran.returncode, ran.stderr.count("\n")) == (1, 1)
    assert {"out.jsonl", "report.html"}.issubset(file.name for file in archive.iterdir())


def test_what_goes_wrong_with_a_report_costs_nothing_else(
    archive: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A page that cannot be recorded is logged; a report that cannot be written is told behind the summary."""
    (archive / "folder").mkdir()
    assert program.main(["clean", "in.jsonl", "-o", "out.jsonl", "--report", "folder"]) == 1
    told = capsys.readouterr()
    assert "Pages: 9" in told.out
    assert "Is a directory" in told.err
    monkeypatch.setattr(archive_report, "read_texts", lambda *_: 1 / 0)
    assert program.main(["clean", "in.jsonl", "-o", "two.jsonl", "--report", "report.html"]) == 0
    assert (archive / "out.jsonl").read_bytes() == (archive / "two.jsonl").read_bytes()
    assert "8 cleaned" in (archive / "report.html").read_text()


@pytest.mark.parametrize(
    ("arguments", "code", "why"),
    [
        (["in.jsonl"], 2, "-o/--output"),
        (["in.jsonl", "-o", "out.jsonl", "--outputs", "html"], 2, "COLUMN=OUTPUT"),
        (["in.jsonl", "-o", "out.jsonl", "--outputs", "url=html"], 2, "the column of the addresses"),
        (["in.jsonl", "-o", "out.jsonl", "--preserve", "[["], 2, "CSS selectors"),
        (["in.jsonl", "-o", "out.jsonl", "--jobs", "0"], 2, "at least 1"),
        (["in.jsonl", "-o", "out.jsonl", "--report", "gone/report.html"], 2, "its folder does not exist"),
        (["in.jsonl", "-o", "out.jsonl", "--store", "nothing://"], 2, "nothing:// is not a store"),
        (["in.jsonl", "-o", "out.jsonl", "--store", "other"], 1, "cannot be used as a template store"),
        (["in.jsonl", "-o", "in.jsonl"], 2, "--output in.jsonl: another argument names it too"),
        (["in.jsonl", "-o", "out.jsonl", "--report", "out.jsonl"], 2, "another argument names it too"),
        ([".", "-o", "out.jsonl", "--store", "store"], 2, "--store store: it is in a folder of pages"),
        (["in.jsonl", "-o", "out.jl", "--html-column", "page"], 1, "no column 'page'; it has url, html"),
        (["empty", "other.warc", "-o", "out.jl"], 1, "empty and 1 other input: no page; passed over: 1 damaged"),
    ],
)
def test_errors_are_said_in_one_line(
    archive: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, why: str
) -> None:
    (archive / "other").write_text("no store" * 100)
    (archive / "other.warc").write_text("damaged")
    (archive / "empty").mkdir()
    try:
        left = program.main(["clean", *arguments])
    except SystemExit as error:
        left = int(error.code or 0)
    assert left == code
    assert why in capsys.readouterr().err.splitlines()[-1]
    assert {file.name for file in archive.iterdir()} == {"in.jsonl", "other", "other.warc", "empty"}


@pytest.mark.subprocess
def test_it_works_where_scrapy_cannot_be_imported(archive: Path) -> None:
    program = """
import sys
sys.modules["scrapy"] = sys.modules["twisted"] = None
from templex_scrapy.commands.program import main
sys.exit(main(["clean", "in.jsonl", "-o", "out.jsonl"]))
"""
    subprocess.run([sys.executable, "-c", program], cwd=archive, check=True, timeout=60)  # noqa: S603 - our own
