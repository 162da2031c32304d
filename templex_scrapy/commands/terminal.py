"""Run commands to their exit codes; write to terminals, pipes and files."""

from __future__ import annotations

import errno
import os
import shutil
import sys
import time
from collections.abc import Callable
from typing import Self, TextIO

from templex_scrapy.archives import ArchiveError
from templex_scrapy.figures import one_line
from templex_scrapy.stores import StoreError

BROKEN_PIPE, INTERRUPTED = 141, 130
"""Exit codes after a write into a closed pipe, and after Ctrl-C: 128 and the number of SIGPIPE, SIGINT."""

_CLEAR = "\r\x1b[K"  # go to the start of the line, and erase the line
_SECONDS, _SECONDS_OF_LOG = 0.1, 30.0  # between two progress lines, on a terminal and without a terminal


class UnusableError(Exception):
    """There is no usable page; the message names the page and the reason."""


class Progress:
    """Shows the current step in a line on a terminal, and erases it; without a terminal, prints a line now and then."""

    def __init__(self, command: str) -> None:
        self._command = command
        self._next = 0.0 if sys.stderr.isatty() else time.monotonic() + _SECONDS_OF_LOG

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if sys.stderr.isatty():
            write(sys.stderr, _CLEAR)

    def __call__(self, step: str, detail: str) -> None:
        """Show a step, and how far the step has got."""
        now, text = time.monotonic(), one_line(f"{step} {detail}")
        if now < self._next:
            return
        if sys.stderr.isatty():
            self._next = now + _SECONDS
            write(sys.stderr, f"{_CLEAR}{text[: shutil.get_terminal_size().columns - 1]}")
        else:
            self._next = now + _SECONDS_OF_LOG
            tell(text, self._command)


def tell(text: str, command: str) -> None:
    """Replace the progress line on standard error by a message of the command."""
    write(sys.stderr, f"{_CLEAR if sys.stderr.isatty() else ''}{command}: {one_line(text)}\n")


def write(stream: TextIO | None, data: str | bytes) -> None:
    """Write bytes, or a text; characters that the stream's encoding lacks become question marks.

    Raises:
        OSError: if a disk is full; BrokenPipeError if the reader has closed the stream.
    """
    if stream is None:  # the user has closed it: >&-
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    try:
        if isinstance(data, str):
            if not hasattr(stream, "buffer"):  # of a notebook
                stream.write(data)
                return
            data = data.replace("\n", os.linesep).encode(stream.encoding or "utf-8", "replace")
        left = memoryview(data)
        stream.flush()
        while left:  # with PYTHONUNBUFFERED a closed pipe or a full disk takes a part without an error
            left = left[stream.buffer.write(left) :]
        stream.flush()
    except OSError:
        # Python would write the rest at exit, and fail with a traceback
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        raise


def exit_code(command: str, run: Callable[[], int]) -> int:
    """Run a command and return the exit code; tell an error in one line."""
    try:
        return run()
    except BrokenPipeError:
        return BROKEN_PIPE
    except KeyboardInterrupt:
        tell("interrupted", command)
        return INTERRUPTED
    except (ArchiveError, ImportError, OSError, StoreError, UnusableError) as error:
        tell(str(error), command)
        return 1
