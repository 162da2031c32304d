"""Sites of this machine, saved sites, and the command as a function."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from helpers.running import Ran, call
from helpers.web import MENU, Site, mirror


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
    event_loop_of_reactor: asyncio.AbstractEventLoop,
    tmp_path: Path,
    short_waits: None,  # noqa: ARG001
) -> Callable[..., Ran]:
    """The command, run in this process and in a folder of its own."""
    return partial(call, cwd=tmp_path, loop=event_loop_of_reactor)
