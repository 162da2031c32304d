"""How far a run is: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable
from types import TracebackType
from typing import Protocol, Self, TextIO

EVERY = 15.0
"""Seconds between two plain lines."""


class Progress(Protocol):
    """Told of what is done; used in a ``with`` statement."""

    def __enter__(self) -> Self:
        """Start."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None, /
    ) -> None:
        """End."""

    def advance(self, count: int, what: str) -> None:
        """So many more are done, on what is named."""


class Lines:
    """Plain lines, one now and then, with an estimate of the time that is left.

    Args:
        total: how much is to be done.
        stream: where the lines go.
        clock: tells the time in seconds.
        unit: what is counted, in the plural.
    """

    def __init__(
        self, total: int, stream: TextIO, clock: Callable[[], float] = time.monotonic, unit: str = "experiments"
    ) -> None:
        self._total = total
        self._stream = stream
        self._unit = unit
        self._clock = clock
        self._done = 0
        self._start = self._last = clock()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None, /
    ) -> None:
        self._say()

    def advance(self, count: int, what: str) -> None:  # noqa: ARG002 - a bar shows what
        """Count, and write a line if the last was some time ago."""
        self._done += count
        if self._clock() - self._last >= EVERY:
            self._last = self._clock()
            self._say()

    def _say(self) -> None:
        passed = self._clock() - self._start
        left = passed / self._done * (self._total - self._done) if self._done else None
        about = "" if left is None or not round(left) else f", about {_minutes(left)} left"
        line = f"{self._done:,} of {self._total:,} {self._unit} after {_minutes(passed)}{about}"
        print(line, file=self._stream, flush=True)


class Bar:
    """A progress bar of tqdm.

    Args:
        total: how much is to be done.
        stream: a terminal.
        unit: what is counted, in the plural.
    """

    def __init__(self, total: int, stream: TextIO, unit: str = "experiments") -> None:
        tqdm = importlib.import_module("tqdm").tqdm  # an extra
        self._bar = tqdm(total=total, file=stream, unit=f" {unit}", smoothing=0.05, dynamic_ncols=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None, /
    ) -> None:
        self._bar.close()

    def advance(self, count: int, what: str) -> None:
        """Move on."""
        self._bar.set_postfix_str(what, refresh=False)
        self._bar.update(count)


def progress_on(stream: TextIO, total: int, unit: str = "experiments") -> Progress:
    """A bar where the stream is a terminal and tqdm is installed; else plain lines."""
    if stream.isatty() and importlib.util.find_spec("tqdm") is not None:
        return Bar(total, stream, unit)
    return Lines(total, stream, unit=unit)


def _minutes(seconds: float) -> str:
    hours, rest = divmod(round(seconds), 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"
