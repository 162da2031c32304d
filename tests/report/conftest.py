"""Reports in a headless Chromium, which fails a test for everything that a report must not do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest


class OpenReport:
    """A report in a browser window.

    Attributes:
        page: the window, as Playwright has it.
        offences: console messages, errors, requests, dialogs and navigations that there were.
    """

    def __init__(self, browser: Any, file: Path, **options: Any) -> None:
        self.offences: list[str] = []
        self._uri = file.as_uri()
        self._context = browser.new_context(**options)
        self._context.on("request", self._requested)
        self.page = self._context.new_page()
        self.page.on("console", lambda message: self.offences.append(f"console {message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.offences.append(f"error: {error}"))
        self.page.on("dialog", lambda dialog: (self.offences.append(f"dialog {dialog.message}"), dialog.dismiss()))
        self.page.on("framenavigated", lambda frame: self._navigated(frame.url))
        self.page.goto(self._uri)

    def _requested(self, request: Any) -> None:
        if request.url != self._uri:
            self.offences.append(f"request {request.url}")

    def _navigated(self, url: str) -> None:
        if url.partition("#")[0] not in {self._uri, "about:blank"}:
            self.offences.append(f"navigation to {url}")

    def close(self) -> None:
        """Close the window, after whatever might still happen."""
        self.page.wait_for_timeout(100)
        self._context.close()


@pytest.fixture
def show(browser, tmp_path: Path) -> Iterator[Callable[..., OpenReport]]:
    """Writes a report and opens it; at the end of the test it must have done nothing that it must not do."""
    opened: list[OpenReport] = []

    def show_it(source: str, **options: object) -> OpenReport:
        file = tmp_path / f"report{len(opened)}.html"
        file.write_text(source, encoding="utf-8")
        opened.append(OpenReport(browser, file, **options))
        return opened[-1]

    yield show_it
    for report in opened:
        report.close()
        assert report.offences == []
