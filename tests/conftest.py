"""What tests of several folders share: web sites on this machine, a browser, and how long generated tests run."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import helpers.profiles  # noqa: F401 - loads one
import pytest
from helpers import variants

if TYPE_CHECKING:
    from helpers.web import Site

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

# In the background of a shell Ctrl-C is ignored, and programs inherit that; some tests send it to programs they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_configure() -> None:
    """Choose the reactor before a test imports another one."""
    from scrapy.utils.reactor import install_reactor  # noqa: PLC0415 - not for whoever imports this module

    install_reactor("twisted.internet.asyncioreactor.AsyncioSelectorReactor")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what starts browsers and processes as integration, since that takes long; begin with files that have such.

    Else a process would work on one of them when the others are done.
    """
    for item in items:
        if item.get_closest_marker("browser") or item.get_closest_marker("subprocess"):
            item.add_marker(pytest.mark.integration)
    slow = {item.path for item in items if item.get_closest_marker("integration")}
    items.sort(key=lambda item: item.path not in slow)


@pytest.fixture(scope="module", params=variants.VARIANTS)
def compiled_and_plain(request: pytest.FixtureRequest) -> Iterator[None]:
    """Runs the tests of a module twice: what it imports from the package is compiled, then plain Python."""
    with variants.imported(request.module, request.param):
        yield


@pytest.fixture
def new_site() -> Iterator[Callable[[], Site]]:
    """Makes empty sites."""
    from helpers.web import Site  # noqa: PLC0415 - it imports Scrapy, which most tests do without

    sites: list[Site] = []

    def make() -> Site:
        sites.append(Site())
        return sites[-1]

    yield make
    for site in sites:
        site.close()


@pytest.fixture
def own_redis_server(tmp_path: Path) -> Iterator[Any]:
    """A Redis server that a test may stop."""
    from helpers.redis_server import running  # noqa: PLC0415 - it needs an extra

    yield from running(tmp_path)


@pytest.fixture(scope="session")
def event_loop_of_reactor() -> Iterator[asyncio.AbstractEventLoop]:
    """The event loop of the one reactor of this process, started without ever blocking in it."""
    from twisted.internet import reactor  # noqa: PLC0415 - to import it is to choose it

    loop = reactor._asyncioEventloop
    asyncio.set_event_loop(loop)
    reactor.startRunning(installSignalHandlers=False)
    yield loop
    reactor.fireSystemEvent("shutdown")


@pytest.fixture
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets crawls of a few pages wait for no second; a page that waits for nothing fails the test."""
    room = "templex_scrapy.crawl"
    monkeypatch.setattr(f"{room}.sites.site_worker.POLL_SECONDS", 0.03)
    monkeypatch.setattr(f"{room}.sites.template_search.PATIENCE", 0.15)
    # on a busy machine a crawl may take longer than ten seconds
    monkeypatch.setattr(f"{room}.running_crawl.WAIT_SECONDS", 3600.0)


@pytest.fixture
def crawl(event_loop_of_reactor: asyncio.AbstractEventLoop, short_waits: None) -> Callable[..., Any]:  # noqa: ARG001
    """Runs a spider to its end."""
    from helpers import crawling  # noqa: PLC0415 - it imports Scrapy

    return partial(crawling.crawl, event_loop_of_reactor)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium as the system has it; for one module at a time, since its event loop would get in the way of others."""
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright: the extra 'test'")
    if CHROMIUM is None:
        pytest.skip("no Chromium: apt install chromium")
    with playwright.sync_playwright() as started:
        sandbox = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
        launched = started.chromium.launch(executable_path=CHROMIUM, args=sandbox)
        yield launched
        launched.close()
