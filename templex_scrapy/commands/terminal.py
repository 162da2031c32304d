"""Writing to terminals, pipes and files as users of command lines expect it."""

from __future__ import annotations

import errno
import os
import select
import shutil
import sys
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self, TextIO

BROKEN_PIPE = 141
"""Exit code of a program that wrote into a pipe that nobody reads any more: 128 and the number of SIGPIPE."""

INTERRUPTED = 130
"""Exit code of a program that was stopped by Ctrl-C: 128 and the number of SIGINT."""


def printable(text: str) -> str:
    """A text on one line, without the characters by which a page could take hold of the terminal."""
    return "".join(character if character.isprintable() else "\ufffd" for character in " ".join(text.split()))


class LiveLine:
    """One line on standard error that says what is being done; nothing at all where that is no terminal.

    A context manager: the line is gone at its end.

    Args:
        stream: the terminal; default: standard error.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream if stream is not None else sys.stderr
        self._is_live = self._stream.isatty() and os.environ.get("TERM") != "dumb"
        self._is_shown = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.clear()

    def __call__(self, text: str, *shorter: str) -> None:
        """Show a text in place of the one before.

        Args:
            text: what to show.
            shorter: the same in fewer words, for terminals that are too narrow, from the longest to the shortest.
        """
        if self._is_live:
            width = shutil.get_terminal_size().columns - 1
            lines = [printable(one) for one in (text, *shorter)]
            line = next((one for one in lines if len(one) <= width), lines[-1])
            self._write(f"\r\x1b[K{line if len(line) <= width else line[: width - 1] + '…'}")
            self._is_shown = True

    def clear(self) -> None:
        """Take the line away."""
        if self._is_shown:
            self._write("\r\x1b[K")
            self._is_shown = False

    def _write(self, text: str) -> None:
        write_text(self._stream, text)


def write_text(stream: TextIO, text: str) -> None:
    """Write a text; what the stream's encoding does not have becomes a question mark.

    Raises:
        OSError: if not all of it can be written.
        BrokenPipeError: if nobody reads the stream any more.
    """
    encoding = stream.encoding or "utf-8"
    data = text.encode(encoding, "replace")
    beneath = getattr(stream, "buffer", None)
    if beneath is None:
        stream.write(data.decode(encoding))
        stream.flush()
        return
    # a text stream without a buffer loses what its file does not take at once
    stream.flush()
    _write_all(beneath, data.replace(b"\n", os.linesep.encode()) if os.linesep != "\n" else data)


def write_bytes(data: bytes, file: str) -> None:
    """Write to a file, or to standard output where its name is ``-``.

    Raises:
        OSError: if not all of it can be written.
        BrokenPipeError: if nobody reads standard output any more.
    """
    if file == "-":
        StandardOutput().write(data)
        return
    try:
        Path(file).write_bytes(data)
    except OSError as error:
        raise _naming(error, file) from error


class StandardOutput:
    """Standard output for bytes, of which nothing is lost without an error, whether Python buffers it or not."""

    def write(self, data: bytes) -> int:
        """Write all of it, at once; the number of bytes.

        Raises:
            OSError: if not all of it can be written.
            BrokenPipeError: if nobody reads it any more.
        """
        try:
            sys.stdout.flush()
            _write_all(sys.stdout.buffer, data)
        except OSError as error:
            raise _naming(error, "standard output") from error
        return len(data)


def _write_all(stream: BinaryIO, data: bytes) -> None:
    """Write through a buffer, if there is one: what an error leaves in it would fail again when the program ends."""
    stream.flush()
    file = getattr(stream, "raw", stream)
    left = memoryview(data)
    while left:
        written = file.write(left)
        if written is None:
            # the file is one that does not wait, such as a pipe that another program shares
            select.select([], [file], [])
        else:
            left = left[written:]


def _naming(error: OSError, file: str) -> OSError:
    """The same error, with the name of the file that it is about."""
    return OSError(error.errno, error.strerror, file) if error.filename is None and error.errno is not None else error


def check_place(file: str | None) -> None:
    """See to it that a file can be made where it is to be written, before anything is done for it.

    Args:
        file: its name; ``-`` is standard output, and None no file at all.

    Raises:
        OSError: if its folder is not there, or it is a folder itself.
    """
    if file in {None, "-"}:
        return
    path = Path(str(file))
    problem = errno.EISDIR if path.is_dir() else None if path.absolute().parent.is_dir() else errno.ENOENT
    if problem is not None:
        raise OSError(problem, os.strerror(problem), file)


def forget(*streams: TextIO) -> None:
    """Send what is still to come on streams nowhere, so that leaving the program does not fail on it."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in streams:
        os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
