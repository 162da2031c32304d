"""Write to terminals, pipes and files."""

from __future__ import annotations

import errno
import os
import shutil
import sys
import time
from typing import Self, TextIO

BROKEN_PIPE = 141
"""Exit code of a program that wrote into a closed pipe: 128 and the number of SIGPIPE."""

INTERRUPTED = 130
"""Exit code of a program that was stopped by Ctrl-C: 128 and the number of SIGINT."""

_CLEAR = "\r\x1b[K"  # go to the start of the line, and erase the line
_INTERVAL = 0.1  # seconds between two lines about the same step
_LOG_INTERVAL = 30.0  # seconds between two lines without a terminal


def printable(text: str) -> str:
    """Return a text as a single line, without characters that control the terminal."""
    # a title with "\x1b[2J" would clear the screen
    return "".join(character if character.isprintable() else "\ufffd" for character in " ".join(text.split()))


class Progress:
    """Shows the current step in a line on standard error, and erases the line at the end.

    Args:
        command: the command in the line that is printed every thirty seconds without a terminal; "" for no lines.
    """

    def __init__(self, command: str = "") -> None:
        self._command = command
        self._shown = ("", 0.0)
        self._logged = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if sys.stderr.isatty():
            write_text(sys.stderr, _CLEAR)

    def __call__(self, step: str, detail: str = "") -> None:
        """Show a step, and how far it has got."""
        now, text = time.monotonic(), f"{step} {detail}"
        if not sys.stderr.isatty():
            if self._command and now - self._logged >= _LOG_INTERVAL:
                self._logged = now
                tell(text, self._command)
        # an archive may have thousands of pages a second, and nobody reads more than ten lines
        elif self._shown[0] != step or now - self._shown[1] >= _INTERVAL:
            self._shown = step, now
            write_text(sys.stderr, f"{_CLEAR}{printable(text)[: shutil.get_terminal_size().columns - 1]}")


def tell(text: str, command: str = "scrapy templex") -> None:
    """Replace the progress line on standard error by a message of the command."""
    line = _CLEAR if sys.stderr.isatty() else ""
    write_text(sys.stderr, f"{line}{command}: {printable(text)}\n")


def write_text(stream: TextIO | None, text: str) -> None:
    """Write a text; characters that the stream's encoding lacks become question marks.

    Raises:
        OSError: if a part of the text is lost; BrokenPipeError if the reader has closed the stream.
    """
    if stream is None:  # the user has closed it: >&-
        raise OSError(errno.EBADF, os.strerror(errno.EBADF), "standard output")
    # Markdown of a Japanese page in a terminal of Latin-1 is no reason to fail
    encoding = stream.encoding or "utf-8"
    if hasattr(stream, "buffer"):
        write_bytes(stream, text.replace("\n", os.linesep).encode(encoding, "replace"))
    else:
        stream.write(text.encode(encoding, "replace").decode(encoding))


def write_bytes(stream: TextIO, data: bytes) -> None:
    """Write bytes; raises as :func:`write_text` does."""
    left = memoryview(data)
    try:
        stream.flush()
        while left:
            # with PYTHONUNBUFFERED, as in many containers, a full disk takes a part without an error
            left = left[stream.buffer.write(left) :]
        stream.buffer.flush()
    except OSError as error:
        if stream is not sys.stdout:
            raise
        # Python would write the rest at exit, and fail with a traceback
        discard_output()
        raise OSError(error.errno, error.strerror, "standard output") from error


def discard_output() -> None:
    """Discard the rest of standard output: a closed pipe or a full disk would fail again when the program ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
