"""A headless Chromium that fails a test for everything that a view must not do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from browsing import Opened, Sink


@pytest.fixture(scope="module")
def sink() -> Iterator[Sink]:
    """A server that no view may ever request anything from."""
    server = Sink()
    yield server
    server.close()


@pytest.fixture(scope="module")
def window(browser) -> Any:
    """A window that the views share: opening one takes longer than most tests."""
    return browser.new_context(viewport={"width": 1200, "height": 800}).new_page()


@pytest.fixture
def open_view(browser, window, tmp_path: Path) -> Iterator[Callable[..., Opened]]:
    """Opens a view as a file; at the end of the test it must have done nothing that it must not do.

    Options are those of a browser context; with any, and with a script for it, the view has a window of its own.
    """
    opened: list[Opened] = []
    contexts = []

    def open_it(source: str, init_script: str = "", **options: object) -> Opened:
        file = tmp_path / f"view{len(opened)}.html"
        file.write_text(source, encoding="utf-8")
        used = window
        if options or init_script:
            contexts.append(browser.new_context(**options))
            contexts[-1].add_init_script(init_script)
            used = contexts[-1].new_page()
        opened.append(Opened(used, file))
        return opened[-1]

    yield open_it
    for view in opened:
        view.close()
    for context in contexts:
        context.close()
    assert [view.offences for view in opened if view.offences] == []
