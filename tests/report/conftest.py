"""Real crawls of a local server, each in a process of its own, and a Chromium to look at their reports."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

# the local server is that of the tests of Scrapy's side
sys.path.append(str(Path(__file__).resolve().parent.parent / "scrapy_side"))

from crawling import MENU, Site
from report_crawls import OpenReport

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@pytest.fixture
def new_site() -> Iterator[Callable[[], Site]]:
    """Makes empty sites."""
    sites: list[Site] = []

    def make() -> Site:
        sites.append(Site())
        return sites[-1]

    yield make
    for site in sites:
        site.close()


@pytest.fixture
def site(new_site) -> Site:
    """A site of menu pages and articles, and a page of another kind that fits nothing."""
    made = new_site()
    articles = "".join(f'<p><a href="/news/{number}.html">Story {number}</a></p>' for number in range(6))
    for path in MENU:
        made.add(path, body=articles if path == "/news/" else "")
    for number in range(6):
        made.add(f"/news/{number}.html")
    return made


@pytest.fixture(scope="module")
def browser() -> Iterator[object]:
    """Chromium as the system has it."""
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright: the extra 'test'")
    if CHROMIUM is None:
        pytest.skip("no Chromium: apt install chromium")
    with playwright.sync_playwright() as started:
        sandbox = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
        launched = started.chromium.launch(executable_path=CHROMIUM, args=sandbox)
        yield launched
        launched.close()


@pytest.fixture
def open_report(browser) -> Iterator[Callable[..., OpenReport]]:
    """Opens reports; at the end they must have kept their promises."""
    opened: list[OpenReport] = []

    def open_it(file: Path, **options: object) -> OpenReport:
        opened.append(OpenReport(browser, file, **options))
        return opened[-1]

    yield open_it
    for report in opened:
        report.close()
        assert report.offences == []
