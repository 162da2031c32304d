"""Runs the command: in this process, and as a shell does."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

from scrapy.cmdline import execute
from scrapy.crawler import Crawler
from scrapy.settings import Settings
from scrapy.spiderloader import get_spider_loader

from templex_scrapy.commands import project_crawl

COMMAND = (sys.executable, "-m", "scrapy", "templex")


class Ran:
    """What a run of the command left behind."""

    def __init__(self, code: int, out: bytes, err: bytes) -> None:
        self.code = code
        self.bytes = out
        self.out = out.decode("utf-8", "replace")
        self.err = err.decode("utf-8", "replace")

    @property
    def problem(self) -> str:
        """The one line that it wrote to standard error."""
        assert "Traceback" not in self.err
        (line,) = self.err.splitlines()
        return line

    @property
    def data(self) -> dict[str, Any]:
        """The JSON that it wrote for a page with a template."""
        assert self.code == 0, self.err
        data: dict[str, Any] = json.loads(self.out)
        return data


class Terminal(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


class LoopProcess:
    """A crawler process on the event loop of the tests, which no crawl stops."""

    def __init__(self, loop: Any, settings: Settings) -> None:
        assert loop is not None, "a process is made where none is needed: it logs what it is made of"
        self._loop = loop
        self._settings = settings
        self.spider_loader = get_spider_loader(settings)

    def create_crawler(self, spider: Any) -> Crawler:
        return Crawler(spider, self._settings, init_reactor=False)

    def crawl(self, crawler: Crawler) -> asyncio.Task[None]:
        self._task = self._loop.create_task(crawler.crawl_async())
        return self._task

    def start(self, **_: Any) -> None:
        self._loop.run_until_complete(asyncio.wait([self._task], timeout=120))


def call(
    *arguments: str | Path,
    cwd: Path,
    loop: asyncio.AbstractEventLoop | None = None,
    project: Mapping[str, Any] | None = None,
    terminal: bool = False,
) -> Ran:
    """Run the command in this process, with a loop for a crawl; ``project``: the settings of a project around it."""
    out = (Terminal if terminal else io.TextIOWrapper)(io.BytesIO(), "utf-8", newline="")
    err = io.TextIOWrapper(io.BytesIO(), "utf-8", newline="")
    settings, code = Settings(dict(project or {})), 0
    with (
        contextlib.chdir(cwd),
        mock.patch("scrapy.cmdline.AsyncCrawlerProcess", partial(LoopProcess, loop)),
        mock.patch.object(project_crawl, "inside_project", return_value=project is not None),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            execute(["scrapy", "templex", *map(str, arguments)], settings)
        except SystemExit as left:
            code = int(left.code or 0)
    for stream in (out, err):
        stream.flush()
    return Ran(code, out.buffer.getvalue(), err.buffer.getvalue())  # type: ignore[attr-defined]


def environment(**more: str) -> dict[str, str]:
    """The environment of a process outside any project, without a browser."""
    left_out = ("SCRAPY", "COV", "DISPLAY", "WAYLAND")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(left_out)}
    path = os.pathsep.join(filter(None, (more.get("PYTHONPATH"), kept.get("PYTHONPATH"))))
    return {**kept, "BROWSER": "false", "PYTHONUTF8": "1", **more, "PYTHONPATH": path}


def start(*arguments: str | Path, cwd: Path, env: Mapping[str, str] | None = None, **options: Any) -> Any:
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL}
    return subprocess.Popen(  # noqa: S603 - the program is this one
        [*COMMAND, *map(str, arguments)], cwd=cwd, env=environment(**(env or {})), **{**pipes, **options}
    )


def run(*arguments: str | Path, cwd: Path, env: Mapping[str, str] | None = None) -> Ran:
    """Run the command in a process of its own, to its end."""
    process = start(*arguments, cwd=cwd, env=env)
    out, err = process.communicate(timeout=120)
    return Ran(process.returncode, out, err)
