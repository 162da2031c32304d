"""Real `scrapy templex` processes, in and outside a project, against a local server and saved folders."""

from __future__ import annotations

from pathlib import Path

import pytest
from crawling import MENU, Site
from running import Project


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
