"""What the tests of the stores share: templates, stores of each kind, a Redis server."""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from made_sites import site
from redis import Redis
from redis.exceptions import RedisError

from templex_scrapy import Template
from templex_scrapy.stores import StoredTemplate

SITE = "site.test"
WHEN = datetime(2026, 3, 1, 12, 0, 0, 123456, tzinfo=UTC)
"""When the templates were learnt."""


def later(seconds: float) -> datetime:
    """So much after ``WHEN``."""
    return WHEN + timedelta(seconds=seconds)


@cache
def template(number: int = 0, voters: int = 2) -> Template:
    """The template of one of some key pages, by so many voters, at most 3."""
    pages = site(lambda page: f"<h1>Kind {number}</h1><p>Words of {page} and {number} ü 😀</p>")
    return Template.from_pages(pages[0], pages[1 : voters + 1])


def stored(number: int = 0, voters: int = 2, learnt: datetime = WHEN, **more: Any) -> StoredTemplate:
    """A template that has just been learnt."""
    return StoredTemplate.of(template(number, voters), learnt, **more)


KEYS = [stored(number).key for number in range(6)]


def plain(one: StoredTemplate) -> dict[str, Any]:
    """All that is stored of a template, comparable."""
    data = {field.name: getattr(one, field.name) for field in fields(one)}
    return {**data, "notes": dict(one.notes), "template": one.template.to_dict()}


def same(found: list[StoredTemplate], *wanted: StoredTemplate) -> bool:
    """Whether these templates were loaded, in whatever order."""
    by_key = {one.key: plain(one) for one in found}
    return len(found) == len(by_key) and by_key == {one.key: plain(one) for one in wanted}


class RedisServer:
    """A Redis server of this test, on a free port of this machine, that keeps nothing on disk.

    Args:
        folder: where it may write.
    """

    def __init__(self, folder: Path) -> None:
        program = shutil.which("redis-server")
        assert program is not None
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self.client = Redis(port=self.port)
        self._command = [program, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", str(folder)]
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it and wait until it answers."""
        command = [*self._command, "--port", str(self.port)]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: S603
        wait_for(self._answers)

    def kill(self) -> None:
        """End it at once."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def pause(self) -> None:
        """Let it live, but not answer."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let it answer again."""
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)

    def _answers(self) -> bool:
        try:
            return bool(self.client.ping())
        except RedisError:
            return False


def wait_for(condition: Callable[[], bool], seconds: float = 20.0) -> None:
    """Wait until something is so; a test fails if it takes too long."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.01)


class Clock:
    """A clock that is set by hand."""

    def __init__(self, now: float = 1000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now
