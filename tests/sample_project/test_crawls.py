"""Whole crawls of the sample project, each in a process of its own as a user starts it."""

from __future__ import annotations

import json
import os
import re
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pyarrow.parquet as pq
import pytest

from sample_project.demo_site import DemoServer, DemoSite, build_site
from sample_project.words import visible_text
from templex_scrapy.stores import open_store

ROOT = Path(__file__).resolve().parents[2]
QUICK = ("-s", "AUTOTHROTTLE_ENABLED=0", "-s", "DOWNLOAD_DELAY=0")


def scrapy(output: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "SAMPLE_OUTPUT": str(output), "PYTHONUTF8": "1"}
    command = [sys.executable, "-m", "scrapy", *arguments]
    return subprocess.run(  # noqa: S603  (our own program)
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=180, check=False
    )


def rows_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "items.jsonl").read_text(encoding="utf-8").splitlines()]


@dataclass
class Demo:
    """The demo's crawl: what it printed, and its items by path."""

    run: subprocess.CompletedProcess[str]
    folder: Path
    rows: list[dict[str, Any]]

    def text(self, path: str) -> str:
        return next(row["text"] for row in self.rows if urlsplit(row["url"]).path == path)


@pytest.fixture(scope="module")
def site() -> DemoSite:
    return build_site()


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    output = tmp_path_factory.mktemp("demo")
    run = scrapy(output, "crawl", "demo")
    assert run.returncode == 0, run.stderr
    return Demo(run, output / "demo", rows_of(output / "demo"))


@pytest.fixture
def server(site: DemoSite) -> Iterator[DemoServer]:
    with DemoServer(site, port=0) as running:
        yield running


class TestDemo:
    def test_one_item_for_each_page(self, demo: Demo, site: DemoSite) -> None:
        assert sorted(urlsplit(row["url"]).path for row in demo.rows) == sorted(site.pages)

    def test_items_say_what_page_they_are(self, demo: Demo, site: DemoSite) -> None:
        for row in demo.rows:
            page = site.pages[urlsplit(row["url"]).path]
            assert row["title"].startswith(page.title)
            assert row["lang"] == page.language
            assert row["bytes_before"] == len(page.html.encode())
            assert row["fetched_at"]

    def test_jsonl_parquet_and_sqlite_hold_the_same(self, demo: Demo) -> None:
        assert pq.read_table(demo.folder / "items.parquet").to_pylist() == demo.rows
        connection = sqlite3.connect(demo.folder / "items.sqlite")
        connection.row_factory = sqlite3.Row
        stored = {row["url"]: dict(row) for row in connection.execute("SELECT * FROM pages")}
        connection.close()
        assert stored == {row["url"]: row for row in demo.rows}

    def test_the_terminal_shows_the_summary_and_nothing_else(self, demo: Demo) -> None:
        assert demo.run.stderr == ""
        assert f"Items stored{len(demo.rows):>14}" in demo.run.stdout
        # A search for a template may meet the redirect and the broken link as well.
        assert re.search(r"redirects?, \d pages? answered 404", demo.run.stdout)
        assert "Templates found" in demo.run.stdout
        assert "A page before and after" in demo.run.stdout
        assert "\x1b" not in demo.run.stdout

    def test_terminal_and_report_count_alike(self, demo: Demo) -> None:
        before, after = (
            int(count.replace(",", "")) for count in re.findall(r"Words +([\d,]+) +([\d,]+)", demo.run.stdout)[0]
        )
        report = (demo.folder / "report.html").read_text(encoding="utf-8")
        found = re.search(
            r'Words taken out</span> <span class="value">([\d,]+)</span> <span class="note">\d+% of ([\d,]+)', report
        )
        assert found is not None
        assert [int(count.replace(",", "")) for count in found.groups()] == [before - after, before]
        pages = re.search(r'Pages downloaded</span> <span class="value">(\d+)<', report)
        extra = re.search(r"Extra loads +(\d+)", demo.run.stdout)
        assert pages is not None
        assert extra is not None
        assert int(pages[1]) == len(demo.rows) + int(extra[1])

    def test_the_page_that_is_shown_begins_with_its_headline(self, demo: Demo, site: DemoSite) -> None:
        shown = re.search(r"A page before and after: .*\n +(\S+)\n", demo.run.stdout)
        after = re.search(r"\n  after  \| (.*)", demo.run.stdout)
        assert shown is not None
        assert after is not None
        assert after[1].startswith(site.pages[urlsplit(shown[1]).path].title)

    def test_the_page_in_the_readme_is_what_comes_out(self, demo: Demo, site: DemoSite) -> None:
        readme = (ROOT / "README.md").read_text(encoding="utf-8")
        told = re.findall(r"(?:before|after |      ) \| (.*)", readme.partition("```text\n")[2].partition("```")[0])
        path = "/journal/2003-11-flood.html"
        shown = [visible_text(site.pages[path].html), " ".join(demo.text(path).split())]
        assert " ".join(told) == " ".join(shown)

    def test_nothing_is_left_running(self, demo: Demo) -> None:
        address = urlsplit(demo.rows[0]["url"])
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection((str(address.hostname), address.port or 0), timeout=2)

    def test_headlines_and_prose_are_kept(self, demo: Demo, site: DemoSite) -> None:
        for path, page in site.pages.items():
            text = " ".join(demo.text(path).split())
            assert page.title in text, path
            for line in page.prose.splitlines():
                for cell in line.lstrip("#->| ").rstrip("| ").split(" | "):
                    assert cell.strip() in text, path

    def test_the_template_is_gone_from_articles_and_products(self, demo: Demo, site: DemoSite) -> None:
        labels = {
            "en": ("Skip to the content", "Workshop hours", "A letter every other Friday", "4 Mill Lane, Alderweir"),
            "es": ("Saltar al contenido", "Horario del taller", "Una carta cada dos viernes", "Callejón del Molino"),
        }
        left = [
            (path, label)
            for path, page in site.pages.items()
            if page.kind in {"article", "product"} and page.design == "river"
            for label in labels[page.language]
            if label in demo.text(path)
        ]
        # which pages vote, and so what is known, depends on the order of arrival
        assert len(left) <= len(site.pages) // 20, left

    def test_most_of_the_words_that_go_are_template(self, demo: Demo) -> None:
        before = sum(row["words_before"] for row in demo.rows)
        after = sum(row["words_after"] for row in demo.rows)
        assert after < before * 0.75


class TestSite:
    def test_the_whole_host_and_nothing_twice(self, tmp_path: Path, site: DemoSite, server: DemoServer) -> None:
        run = scrapy(tmp_path, "crawl", "site", "-a", f"url={server.url}", *QUICK)
        assert run.returncode == 0, run.stderr
        paths = [urlsplit(row["url"]).path for row in rows_of(tmp_path / "site")]
        assert sorted(paths) == sorted(site.pages)

    @pytest.mark.parametrize("pages", [1, 7, 30])
    def test_max_pages_is_exact(self, tmp_path: Path, server: DemoServer, pages: int) -> None:
        # Beginning at the redirect, which is no page of its own.
        arguments = ("-a", f"url={server.url}latest/", "-a", f"max_pages={pages}")
        run = scrapy(tmp_path, "crawl", "site", *arguments, *QUICK)
        rows = rows_of(tmp_path / "site")
        assert len(rows) == len({row["url"] for row in rows}) == pages
        assert f"Items stored{pages:>14}" in run.stdout

    def test_files_are_no_items(self, tmp_path: Path, server: DemoServer) -> None:
        run = scrapy(tmp_path, "crawl", "site", "-a", f"url={server.url}favicon.svg", *QUICK)
        assert rows_of(tmp_path / "site") == []
        assert "Items stored             0" in run.stdout

    def test_an_address_without_an_answer_is_told(self, tmp_path: Path) -> None:
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            url = f"http://127.0.0.1:{unused.getsockname()[1]}/"
            run = scrapy(tmp_path, "crawl", "site", "-a", f"url={url}", "-s", "RETRY_TIMES=0", *QUICK)
        assert f"No page: {url}" in run.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["site"], "The spider needs an address"),
        (["site", "-a", "url="], "The spider needs an address"),
        (["site", "-a", "url=example.com"], "url='example.com' is no address of a web page"),
        (["site", "-a", "url=ftp://example.com/"], "has to begin with https:// or http://"),
        (["site", "-a", "url=https://["], "is no address"),
        (["site", "-a", "url=https://example.com/", "-a", "max_pages=0"], "max_pages='0' is no number of pages"),
        (["site", "-a", "url=https://example.com/", "-a", "max_pages=many"], "it has to be 1 or more"),
        (["site", "-a", "url=https://example.com/", "-a", "maxpages=5"], "'maxpages'"),
        (["demo", "-a", "dress=gown"], "there are: mill, river"),
    ],
)
def test_wrong_arguments_are_told_in_one_line(tmp_path: Path, arguments: list[str], message: str) -> None:
    run = scrapy(tmp_path, "crawl", *arguments)
    assert run.returncode == 2
    assert message in run.stderr.splitlines()[-1]
    assert "Traceback" not in run.stderr
    assert not list(tmp_path.iterdir())


class TestRedesign:
    """The site in a second dress, crawled with the templates that an earlier crawl has left in the store."""

    def test_the_old_templates_are_retired_and_nothing_is_lost(self, tmp_path: Path, site: DemoSite) -> None:
        store = tmp_path / "templates.sqlite3"
        with DemoServer(site, port=0) as server:
            url = server.url
            self._crawl(tmp_path / "before", url, store)
        before = self._templates(store)
        anew = build_site("mill")
        began = time.time()
        with DemoServer(anew, port=urlsplit(url).port):
            run = self._crawl(tmp_path / "after", url, store)
        texts = {urlsplit(row["url"]).path: " ".join(row["text"].split()) for row in rows_of(tmp_path / "after/site")}
        assert sorted(texts) == sorted(anew.pages)
        for path, page in anew.pages.items():
            assert page.title in texts[path]
            for line in page.prose.splitlines():
                for cell in line.lstrip("#->| ").rstrip("| ").split(" | "):
                    assert cell.strip() in texts[path], path
        in_use = self._templates(store, since=began)
        # the journal wears its old clothes on; where it comes last, its template may be retired and learnt again
        still = {key: path for key, path in before.items() if key in in_use and not path.startswith("/journal/")}
        assert len(before) > 1
        assert in_use
        assert not still, run.stderr[-3000:]

    @staticmethod
    def _crawl(folder: Path, url: str, store: Path) -> subprocess.CompletedProcess[str]:
        run = scrapy(folder, "crawl", "site", "-a", f"url={url}", "-s", f"TEMPLEX_STORE={store}", *QUICK)
        assert run.returncode == 0, run.stderr
        return run

    @staticmethod
    def _templates(path: Path, since: float = 0.0) -> dict[str, str]:
        """The templates that were used since a time: path of the key page by key."""
        with closing(open_store(path, strict=True)) as store:
            return {
                one.key: urlsplit(one.template.key_url).path
                for site in store.sites()
                for one in store.load(site)
                if one.used >= since
            }
