"""Real crawls of a local server, each in a process of its own, and a Chromium to look at their reports."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from crawling import MENU, Site
from report_crawls import OpenReport


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
