"""Files in a headless Chromium, which fails a test for everything that a file must not do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from helpers.browsing import Opened


@pytest.fixture
def show(browser, tmp_path: Path) -> Iterator[Callable[..., Opened]]:
    """Writes a file and opens it; at the end of the test it must have done nothing that it must not do."""
    opened: list[Opened] = []

    def show_it(source: str, **options: object) -> Opened:
        file = tmp_path / f"{len(opened)}.html"
        file.write_text(source, encoding="utf-8")
        opened.append(Opened(browser.new_context(**options).new_page(), file))
        return opened[-1]

    yield show_it
    for one in opened:
        one.wait_for_events()
        one.page.context.close()
        assert one.may_offend or one.offences == []
