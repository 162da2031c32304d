"""Sites of this machine, saved sites, and the command as a function."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from helpers.running import Ran, call
from helpers.web import MENU, Site, mirror

from templex_scrapy.crawl import running_crawl
from templex_scrapy.crawl.sites import site_worker, template_search


@pytest.fixture
def site(new_site: Callable[[], Site]) -> Site:
    """A site of pages that all link to each other."""
    made = new_site()
    for path in MENU:
        made.add(path)
    return made


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """A saved page of a site."""
    return mirror(tmp_path / "site") / "news.html"


@pytest.fixture
def templex(
    event_loop_of_reactor: asyncio.AbstractEventLoop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Ran]:
    """The command, run in this process and in a folder of its own."""
    # seconds that a search waits for what the crawl downloads by itself, which is nothing here, and others for pages
    waits = (template_search, "PATIENCE"), (site_worker, "POLL_SECONDS")
    for module, name in waits:
        monkeypatch.setattr(module, name, 0.01)
    # on a busy machine a crawl may take longer than ten seconds
    monkeypatch.setattr(running_crawl, "WAIT_SECONDS", 3600.0)
    return partial(call, cwd=tmp_path, loop=event_loop_of_reactor)
