"""Crawls in processes of their own, and their reports in a browser."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
SETTINGS = {
    "ADDONS": {"templex_scrapy.Addon": 500},
    "TELNETCONSOLE_ENABLED": False,
    "REMOTE_CONTROL_ENABLED": False,
    "RETRY_ENABLED": False,
    "DOWNLOAD_DELAY": 0,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
    "LOG_LEVEL": "INFO",
}


def command(*urls: str, **settings: Any) -> list[str]:
    """What starts a crawl of pages and what they link to."""
    given = {**SETTINGS, **settings}
    written = [f"{name}={value if isinstance(value, str) else json.dumps(value)}" for name, value in given.items()]
    pairs = [part for pair in written for part in ("-s", pair.replace("=true", "=1").replace("=false", "=0"))]
    return [
        sys.executable,
        "-m",
        "scrapy",
        "runspider",
        str(HERE / "report_spider.py"),
        *pairs,
        "-a",
        " ".join(["urls=", *urls]),
    ]


def environment() -> dict[str, str]:
    """The environment of a crawl: the package, and the helpers of the tests."""
    path = os.pathsep.join([str(HERE.parent.parent), str(HERE.parent / "crawl"), os.environ.get("PYTHONPATH", "")])
    return {**os.environ, "PYTHONPATH": path, "PYTHONUTF8": "1"}


def crawl(folder: Path, *urls: str, **settings: Any) -> subprocess.CompletedProcess[str]:
    """Crawl to the end."""
    return subprocess.run(  # noqa: S603 - our own program
        command(*urls, **settings),
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def interrupted(folder: Path, sign: str, *urls: str, times: int = 1, **settings: Any) -> tuple[int, str]:
    """Crawl until a line of the log has a sign, then press Ctrl-C; the exit code and the log."""
    process = subprocess.Popen(  # noqa: S603 - our own program
        command(*urls, **settings),
        cwd=folder,
        env=environment(),
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )
    assert process.stderr is not None
    lines = []
    for line in process.stderr:
        lines.append(line)
        if sign in line and times:
            process.send_signal(signal.SIGINT)
            times -= 1
    return process.wait(60), "".join(lines)


class OpenReport:
    """A report in a browser window.

    Attributes:
        page: the window, as Playwright has it.
        offences: console messages, errors, requests to outside, dialogs, windows and navigations that there were.
    """

    def __init__(self, browser: Any, file: Path, *, width: int = 1200, height: int = 800, **options: Any) -> None:
        self.offences: list[str] = []
        self._uri = file.as_uri()
        self._context = browser.new_context(viewport={"width": width, "height": height}, **options)
        self._context.on("request", self._requested)
        self.page = self._context.new_page()
        self.page.on("console", lambda message: self.offences.append(f"console {message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.offences.append(f"error: {error}"))
        self.page.on("dialog", lambda dialog: (self.offences.append(f"dialog {dialog.message}"), dialog.dismiss()))
        self.page.on("popup", lambda popup: self.offences.append(f"window {popup.url}"))
        self.page.on("framenavigated", lambda frame: self._navigated(frame.url))
        self.page.goto(self._uri)

    def _requested(self, request: Any) -> None:
        if request.url != self._uri:
            self.offences.append(f"request {request.url}")

    def _navigated(self, url: str) -> None:
        if url.partition("#")[0] not in {self._uri, "about:blank"}:
            self.offences.append(f"navigation to {url}")

    def text(self, selector: str = "body") -> str:
        """What is seen of an element."""
        return str(self.page.inner_text(selector))

    def close(self) -> None:
        """Close the window, after whatever might still happen."""
        self.page.wait_for_timeout(100)
        self._context.close()
