"""Real crawls with ``TEMPLEX_REPORT``, in processes of their own, and what becomes of the file in all endings."""

from __future__ import annotations

import re
import sys
import textwrap
from pathlib import Path

import pytest
from crawling import MENU, Reply, page
from report_crawls import crawl, interrupted
from scrapy.settings import Settings

from templex_scrapy.crawl.settings import TemplexSettings, TemplexSettingsError

FIGURE = re.compile(
    r'<span class="label">([^<]*)</span> <span class="value">([^<]*)</span> <span class="note">([^<]*)<'
)


def figures(html: str) -> dict[str, tuple[str, str]]:
    """Label → value and note of the totals."""
    return {label: (value, note) for label, value, note in FIGURE.findall(html)}


def test_the_report_of_a_crawl(site, tmp_path: Path) -> None:
    """It is written at the end, the log says where, and its totals are those of the stats."""
    ran = crawl(tmp_path, f"{site.url}/", TEMPLEX_REPORT="made/%(name)s.html")
    assert ran.returncode == 0, ran.stderr
    report = tmp_path / "made" / "reported.html"
    assert f"open me: {report.as_uri()}" in ran.stderr
    assert "Traceback" not in ran.stderr
    told = figures(report.read_text(encoding="utf-8"))
    items = re.search(r"'templex/items': (\d+)", ran.stderr)
    assert items is not None
    assert told["Items"] == (items[1], f"{items[1]} cleaned")
    assert told["Templates"] == ("1", "1 from 1 search")
    assert told["Pages downloaded"][1] == "from 1 site"
    assert [file.name for file in (tmp_path / "made").iterdir()] == ["reported.html"]


def test_the_summary_at_the_end(site, tmp_path: Path) -> None:
    """Without a report too, a few lines at INFO say what was done."""
    ran = crawl(tmp_path, f"{site.url}/")
    said = [
        line.partition("INFO: ")[2] for line in ran.stderr.splitlines() if "[templex_scrapy.crawl.watching]" in line
    ]
    assert len(said) == 3
    assert re.fullmatch(r"Items: 12, of which 12 cleaned; pages downloaded: \d+", said[0])
    assert re.fullmatch(r"Templates: 1 from 1 search, 0 pages loaded for nothing else", said[1])
    assert re.fullmatch(r"Pages that a template fits: HTML .* before, .* after \(\d+% taken out\); words .*", said[2])
    assert "open me" not in ran.stderr
    assert list(tmp_path.iterdir()) == []


def test_pages_downloaded_are_those_that_came(new_site, tmp_path: Path) -> None:
    """Lost pages that a search met first, and that the spider is told of, are no pages less: log and report agree."""
    site = new_site()
    lost = [f"/lost/{number}" for number in range(6)]
    for path in MENU:
        site.add(path, menu=[*lost, *MENU])
    ran = crawl(
        tmp_path, f"{site.url}/", TEMPLEX_REPORT="r.html", CONCURRENT_REQUESTS=1, TEMPLEX_CONCURRENT_CANDIDATES=4
    )
    assert ran.returncode == 0, ran.stderr
    handed_over, twice = (stat_of(ran.stderr, f"templex/pages/{name}") for name in ("handed_over", "counted_twice"))
    assert handed_over > twice, "lost pages have been handed over"
    came = sum(number for path, number in site.fetches().items() if path in MENU)
    assert f"pages downloaded: {came}\n" in ran.stderr
    assert figures((tmp_path / "r.html").read_text(encoding="utf-8"))["Pages downloaded"] == (f"{came}", "from 1 site")


def stat_of(log: str, name: str) -> int:
    """A stat as the log has it at the end; 0 where it is missing."""
    found = re.search(rf"'{name}': (\d+)", log)
    return 0 if found is None else int(found[1])


def test_without_a_report_nothing_of_it_is_imported(site, tmp_path: Path) -> None:
    """A report that is switched off costs nothing."""
    (tmp_path / "look.py").write_text(
        textwrap.dedent("""
        import sys

        class Look:
            @classmethod
            def from_crawler(cls, crawler):
                from scrapy import signals
                look = cls()
                crawler.signals.connect(look.closed, signals.spider_closed)
                return look

            def closed(self):
                loaded = [name for name in sys.modules if name in ("matplotlib", "jinja2", "rich")]
                print("loaded:", loaded, file=sys.stderr)
        """)
    )
    ran = crawl(tmp_path, f"{site.url}/", EXTENSIONS={"look.Look": 1})
    assert "loaded: []" in ran.stderr


def test_searches_that_fail_and_pages_that_fit_nothing(new_site, tmp_path: Path) -> None:
    """They are listed, with the reasons."""
    site = new_site()
    site.add("/", "<!DOCTYPE html><html><body><p>alone</p></body></html>")
    ran = crawl(tmp_path, f"{site.url}/", TEMPLEX_REPORT="report.html")
    assert ran.returncode == 0
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert html.count("the key page links to no other page of its site") == 4
    assert html.count(f'href="{site.url}/"') == 2
    assert "Their items are as the spider made them." in html


def test_a_dry_run_says_so(site, tmp_path: Path) -> None:
    """Nothing is changed, and the report does not claim that it was."""
    crawl(tmp_path, f"{site.url}/", TEMPLEX_REPORT="report.html", TEMPLEX_DRY_RUN=True)
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "dry run: no item was changed" in html
    assert figures(html)["Items"] == ("12", "12 would be cleaned")


def test_closed_early(site, tmp_path: Path) -> None:
    """A crawl that CLOSESPIDER ends has its report, which says so."""
    crawl(tmp_path, f"{site.url}/", TEMPLEX_REPORT="report.html", CLOSESPIDER_ITEMCOUNT=3)
    assert "ended early: closespider_itemcount" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_interrupted(site, tmp_path: Path) -> None:
    """Ctrl-C in the middle of a crawl: the report is written, and tells of what there was."""
    for number in range(60):
        site.add(f"/slow/{number}.html", Reply(page(f"/slow/{number}.html"), delay=0.3))
    links = "".join(f'<a href="/slow/{number}.html">{number}</a>' for number in range(60))
    site.add("/about/", body=links)
    code, log = interrupted(
        tmp_path,
        "Scraped from",
        f"{site.url}/about/",
        TEMPLEX_REPORT="report.html",
        CONCURRENT_REQUESTS=2,
        LOG_LEVEL="DEBUG",
    )
    assert code == 0, log
    assert "ended early: shutdown" in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "open me" in log


def test_the_report_is_written_meanwhile(site, tmp_path: Path) -> None:
    """A crawl that is killed leaves the report of some moments before."""
    (tmp_path / "sitecustomize.py").write_text(
        "import templex_scrapy.report.writer as w\nw.INTERVAL = 0.05\nw.COST = 1000.0\n"
    )
    site.add("/slow", Reply(page("/slow"), delay=3))
    site.add("/", body='<a href="/slow">slow</a>')
    (tmp_path / "kill.py").write_text(
        textwrap.dedent("""
        import os, pathlib, signal
        from scrapy import signals
        from scrapy.utils.asyncio import create_looping_call

        class Kill:
            @classmethod
            def from_crawler(cls, crawler):
                kill = cls()
                kill.loop = create_looping_call(kill.look)
                crawler.signals.connect(kill.opened, signals.spider_opened)
                return kill

            def opened(self):
                self.loop.start(0.05)

            def look(self):
                if pathlib.Path("report.html").exists():
                    os.kill(os.getpid(), signal.SIGKILL)
        """)
    )
    ran = crawl(tmp_path, f"{site.url}/", TEMPLEX_REPORT="report.html", EXTENSIONS={"kill.Kill": 1})
    assert ran.returncode == -9, ran.stderr
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "still running" in html
    assert html.rstrip().endswith("</html>")


def test_a_report_that_fails_costs_nothing(site, tmp_path: Path) -> None:
    """Whatever goes wrong with the report, the items come out, and the log says what it was."""
    (tmp_path / "sitecustomize.py").write_text(
        "import templex_scrapy.report.document as d\n"
        "def broken(*_):\n    raise RuntimeError('no figure today')\nd.document = broken\n"
    )
    ran = crawl(tmp_path, f"{site.url}/", TEMPLEX_REPORT="report.html")
    assert ran.returncode == 0
    assert "'templex/items/cleaned': 12" in ran.stderr
    assert "'finish_reason': 'finished'" in ran.stderr
    assert "RuntimeError: no figure today" in ran.stderr
    assert "open me" not in ran.stderr


@pytest.mark.parametrize("path", ["file/report.html", ".", "file/deeper/report.html"])
def test_a_place_that_cannot_be_stops_the_start(site, tmp_path: Path, path: str) -> None:
    """A folder, or a place under a file: the crawl does not begin, and the message says why."""
    (tmp_path / "file").write_text("no folder")
    ran = crawl(tmp_path, f"{site.url}/", TEMPLEX_REPORT=path)
    assert f"TemplexSettingsError: TEMPLEX_REPORT = '{path}' cannot be written" in ran.stderr
    assert site.log == []


@pytest.mark.parametrize("value", ["", " ", 7, "folder/", b"report.html", "a\0b"])
def test_what_is_no_path(value) -> None:
    """The message says what is allowed."""
    with pytest.raises(TemplexSettingsError, match=r"TEMPLEX_REPORT.* allowed: None or the path of an HTML file"):
        TemplexSettings.from_crawler_settings(Settings({"TEMPLEX_REPORT": value}))


@pytest.mark.parametrize(
    ("setting", "value", "missing", "extra"),
    [("REPORT", "report.html", "jinja2", "report"), ("PROGRESS", True, "rich", "progress")],
)
def test_a_missing_extra_is_named(monkeypatch, setting, value, missing, extra) -> None:
    """Without its libraries the setting is refused, and the message says what to install."""
    find = sys.modules["importlib.util"].find_spec
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == missing else find(name))
    with pytest.raises(TemplexSettingsError, match=rf'{missing}: pip install "templex-scrapy\[{extra}\]"'):
        TemplexSettings.from_crawler_settings(Settings({f"TEMPLEX_{setting}": value}))


def test_a_look_at_a_page_leaves_the_report(site, tmp_path: Path) -> None:
    """A crawl in which nothing happens, such as that of ``scrapy fetch``, does not overwrite the report of another."""
    crawl(tmp_path, f"{site.url}/", TEMPLEX_REPORT="report.html")
    before = (tmp_path / "report.html").read_bytes()
    ran = crawl(tmp_path, f"{site.url}/missing", TEMPLEX_REPORT="report.html")
    assert "Nothing to report; what was there stays" in ran.stderr
    assert (tmp_path / "report.html").read_bytes() == before
    crawl(tmp_path, f"{site.url}/missing", TEMPLEX_REPORT="other.html")
    assert "No page with items has come in." in (tmp_path / "other.html").read_text(encoding="utf-8")


def test_a_resumed_crawl_has_a_report_of_its_own(site, tmp_path: Path) -> None:
    """With %(time)s in the path, both parts of a crawl with a job directory keep theirs."""
    options = {"JOBDIR": str(tmp_path / "job"), "TEMPLEX_REPORT": "reports/%(time)s.html"}
    crawl(tmp_path, f"{site.url}/", CLOSESPIDER_ITEMCOUNT=2, **options)
    again = crawl(tmp_path, f"{site.url}/", **options)
    assert again.returncode == 0
    first, second = sorted((tmp_path / "reports").iterdir())
    assert "ended early" in first.read_text(encoding="utf-8")
    assert "finished</span>" in second.read_text(encoding="utf-8")
