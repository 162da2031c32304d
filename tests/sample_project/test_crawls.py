"""Whole crawls of the sample project, each in a process of its own as a user starts it."""

import json
import os
import re
import socket
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pyarrow.parquet as pq
import pytest
from parsel import Selector

from sample_project.demo_site import build_site

pytestmark = pytest.mark.subprocess

ROOT = Path(__file__).resolve().parents[2]


def scrapy(output, *arguments: str):
    environment = {**os.environ, "SAMPLE_OUTPUT": str(output), "PYTHONUTF8": "1"}
    command = [sys.executable, "-m", "scrapy", *arguments]
    return subprocess.run(  # noqa: S603  (our own program)
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=180, check=False
    )


def rows_of(folder):
    return [json.loads(line) for line in (folder / "items.jsonl").read_text(encoding="utf-8").splitlines()]


@dataclass
class Demo:
    """The demo's crawl: what it printed, its items, and their texts by path."""

    run: subprocess.CompletedProcess[str]
    folder: Path
    rows: list[dict[str, Any]]

    @property
    def texts(self):
        return {urlsplit(row["url"]).path: " ".join(row["text"].split()) for row in self.rows}


@pytest.fixture(scope="module")
def site():
    return build_site()


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    output = tmp_path_factory.mktemp("demo")
    run = scrapy(output, "crawl", "demo")
    assert run.returncode == 0, run.stderr
    return Demo(run, output / "demo", rows_of(output / "demo"))


class TestDemo:
    def test_one_item_for_each_page(self, demo, site):
        assert sorted(urlsplit(row["url"]).path for row in demo.rows) == sorted(site.pages)
        for row in demo.rows:
            page = site.pages[urlsplit(row["url"]).path]
            assert row["title"].startswith(page.title)
            assert row["lang"] == page.language
            assert row["words_before"] >= row["words_after"] > 0
            assert row["fetched_at"]

    def test_jsonl_parquet_and_sqlite_have_the_same(self, demo):
        assert pq.read_table(demo.folder / "items.parquet").to_pylist() == demo.rows
        with closing(sqlite3.connect(demo.folder / "items.sqlite")) as connection:
            connection.row_factory = sqlite3.Row
            stored = {row["url"]: dict(row) for row in connection.execute("SELECT * FROM pages")}
        assert stored == {row["url"]: row for row in demo.rows}

    def test_the_terminal_shows_the_summary_and_nothing_else(self, demo, site):
        assert demo.run.stderr == ""
        assert f"Items: {len(demo.rows)}, of which " in demo.run.stdout
        shown = re.search(r"A page before and after: .*\n +(\S+)\n(?:.*\n)*?  after  \| (.*)", demo.run.stdout)
        assert shown is not None
        assert shown[2].startswith(site.pages[urlsplit(shown[1]).path].title)
        assert (demo.folder / "report.html").as_uri() in demo.run.stdout

    def test_nothing_is_left_running(self, demo):
        address = urlsplit(demo.rows[0]["url"])
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection((str(address.hostname), address.port or 0), timeout=2)

    def test_headlines_and_prose_are_kept(self, demo, site):
        for path, page in site.pages.items():
            facts = " ".join(" ".join(Selector(page.facts or " ").xpath("//text()").getall()).split())
            cells = (cell.strip() for line in page.prose.splitlines() for cell in line.strip("#->| ").split(" | "))
            assert [text for text in (page.title, facts, *cells) if text not in demo.texts[path]] == [], path

    def test_the_template_is_removed_from_articles_and_products(self, demo, site):
        labels = {
            "en": ("Skip to the content", "Workshop hours", "A letter every other Friday", "4 Mill Lane, Alderweir"),
            "es": ("Saltar al contenido", "Horario del taller", "Una carta cada dos viernes", "Callejón del Molino"),
        }
        left = [
            (path, label)
            for path, page in site.pages.items()
            if page.kind in {"article", "product"} and page.design == "river"
            for label in labels[page.language]
            if label in demo.texts[path]
        ]
        # which pages vote depends on the order of arrival
        assert len(left) <= len(site.pages) // 20, left
        before, after = (sum(row[f"words_{when}"] for row in demo.rows) for when in ("before", "after"))
        assert after < before * 0.75


def test_a_crawl_without_a_url_ends_with_one_line(tmp_path):
    run = scrapy(tmp_path, "crawl", "pages")
    assert run.returncode == 1
    assert run.stderr.splitlines() == [
        "the spider needs a URL to begin with: scrapy crawl pages -a url=https://example.com/"
    ]
