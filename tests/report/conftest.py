"""Reports in a headless Chromium, which fails a test for everything that a report must not do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from browsing import Opened


@pytest.fixture
def show(browser, tmp_path: Path) -> Iterator[Callable[..., Opened]]:
    """Writes a report and opens it; at the end of the test it must have done nothing that it must not do."""
    opened: list[Opened] = []

    def show_it(source: str, **options: object) -> Opened:
        file = tmp_path / f"report{len(opened)}.html"
        file.write_text(source, encoding="utf-8")
        opened.append(Opened(browser.new_context(**options).new_page(), file, ready="body", may_load=()))
        return opened[-1]

    yield show_it
    for report in opened:
        report.wait_for_events()
        report.close()
        report.page.context.close()
        assert report.offences == []
