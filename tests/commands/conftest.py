"""Real `scrapy templex` processes, in and outside a project, against a local server and saved folders."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

# the local server is that of the tests of Scrapy's side
sys.path.append(str(Path(__file__).resolve().parent.parent / "scrapy_side"))

from crawling import MENU, Site
from running import Project


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
    """A site of pages that all link each other."""
    made = new_site()
    for path in MENU:
        made.add(path)
    return made


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A Scrapy project."""
    return Project(tmp_path / "project")
