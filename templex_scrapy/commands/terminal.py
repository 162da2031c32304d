"""Writing to terminals, pipes and files as users of command lines expect it."""

from __future__ import annotations

import errno
import os
import shutil
import sys
import time
from pathlib import Path
from typing import BinaryIO, Self, TextIO

BROKEN_PIPE = 141
"""Exit code of a program that wrote into a closed pipe: 128 and the number of SIGPIPE."""

INTERRUPTED = 130
"""Exit code of a program that was stopped by Ctrl-C: 128 and the number of SIGINT."""

_CLEAR = "\r\x1b[K"  # to the start of the line, which is erased
_INTERVAL = 0.1  # seconds between two lines about one step
_LOG_INTERVAL = 30.0  # seconds between two lines where there is no terminal


def printable(text: str) -> str:
    """Return a text on one line, without the characters by which a page could control the terminal."""
    # a title with "\x1b[2J" would clear the screen
    return "".join(character if character.isprintable() else "\ufffd" for character in " ".join(text.split()))


class Progress:
    """Shows on standard error what is being done: one line that is gone at the end.

    Args:
        command: what writes a line every thirty seconds if standard error is no terminal; without it, nothing does.
    """

    def __init__(self, command: str = "") -> None:
        self._command = command
        self._shown = ("", 0.0)
        self._logged = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def __call__(self, step: str, detail: str = "") -> None:
        """Show a step, and how far it has got."""
        if not sys.stderr.isatty():
            if self._command and time.monotonic() - self._logged >= _LOG_INTERVAL:
                self._logged = time.monotonic()
                tell(f"{step} {detail}", self._command)
            return
        # of an archive thousands of pages are read in a second, and nobody reads more than some ten lines
        if self._shown[0] == step and time.monotonic() - self._shown[1] < _INTERVAL:
            return
        self._shown = step, time.monotonic()
        self._write(printable(f"{step} {detail}")[: shutil.get_terminal_size().columns - 1])

    def stop(self) -> None:
        """Remove the line."""
        self._write("")

    def _write(self, line: str) -> None:
        if sys.stderr.isatty():
            write_text(sys.stderr, f"{_CLEAR}{line}")


def tell(text: str, command: str = "scrapy templex") -> None:
    """Write one line about a command itself to standard error, in place of the progress line."""
    Progress().stop()
    write_text(sys.stderr, f"{command}: {printable(text)}\n")


def write_text(stream: TextIO, text: str) -> None:
    """Write a text; characters that the stream's encoding lacks become question marks.

    Raises:
        OSError: if not all of it can be written; BrokenPipeError if the stream was closed by its reader.
    """
    # Markdown of a Japanese page in a terminal of Latin-1 is no reason to fail
    encoding = stream.encoding or "utf-8"
    binary = getattr(stream, "buffer", None)
    if binary is None:
        stream.write(text.encode(encoding, "replace").decode(encoding))
        return
    # what was printed before, by whatever means, comes before
    stream.flush()
    _write_all(binary, text.replace("\n", os.linesep).encode(encoding, "replace"))


def write_bytes(data: bytes, file: str) -> str:
    """Write a file, or to standard output if its name is ``-``; return the name.

    Raises:
        OSError: if not all of it can be written, with the name of the file; BrokenPipeError if the reader of standard
            output has closed it.
    """
    try:
        if file == "-":
            sys.stdout.flush()
            _write_all(sys.stdout.buffer, data)
        else:
            Path(file).write_bytes(data)
    except OSError as error:
        # Python would write the rest when it ends, and fail with a traceback
        if file == "-":
            discard_output()
        raise OSError(error.errno, error.strerror, "standard output" if file == "-" else file) from error
    return file


def _write_all(stream: BinaryIO, data: bytes) -> None:
    left = memoryview(data)
    while left:
        # with PYTHONUNBUFFERED, as in many containers, a full disk takes a part and raises nothing
        left = left[stream.write(left) :]
    stream.flush()


def check_output_file(file: str | None) -> None:
    """Check that a file (``-`` is standard output, None no file) can be created, before any work is done for it.

    Raises:
        OSError: if its folder does not exist, or it is a folder itself.
    """
    if file in {None, "-"}:
        return
    path = Path(str(file))
    problem = errno.EISDIR if path.is_dir() else None if path.absolute().parent.is_dir() else errno.ENOENT
    if problem is not None:
        raise OSError(problem, os.strerror(problem), file)


def discard_output() -> None:
    """Send the rest of standard output nowhere: a closed pipe or a full disk would fail again when the program ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
