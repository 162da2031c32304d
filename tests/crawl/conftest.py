"""Crawls of a real local HTTP server, run in this process on one asyncio reactor."""

import pytest
from helpers.crawling import Late
from helpers.web import MENU

from templex_scrapy import CleanPage


@pytest.fixture
def site(new_site):
    """A site of menu pages, and articles that the menu does not list."""
    site = new_site()
    for path in MENU:
        site.add(
            path, body="".join(f'<p><a href="/news/{i}.html">Story {i}</a></p>' for i in range(6)) * (path == "/news/")
        )
    for i in range(6):
        site.add(f"/news/{i}.html")
    return site


@pytest.fixture
def late():
    """Answers that come when an item is out."""
    return Late()


@pytest.fixture
def computed(monkeypatch):
    """URLs of the pages that are cleaned, one for each cleaning."""
    urls = []
    compute = CleanPage.compute

    def counted(self, names):
        urls.append(self.url)
        compute(self, names)

    monkeypatch.setattr(CleanPage, "compute", counted)
    return urls
