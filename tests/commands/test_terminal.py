"""What is written arrives completely, or an error says that it did not; progress is shown on terminals only."""

from __future__ import annotations

import io
import sys

import pytest

from templex_scrapy.commands import terminal
from templex_scrapy.commands.terminal import Progress, write_bytes, write_text


class Bits(io.RawIOBase):
    """A file that takes three bytes at a time."""

    def __init__(self) -> None:
        self.written = b""

    def writable(self) -> bool:
        return True

    def write(self, data) -> int:
        self.written += bytes(data[:3])
        return len(data[:3])


class Terminal(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        return True


def test_what_is_written_is_complete(monkeypatch):
    """An unbuffered stream takes bytes in parts; what the charset lacks becomes a question mark."""
    file = Bits()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(file, write_through=True))
    write_bytes(sys.stdout, b"one line and another")
    write_text(sys.stdout, ", and a last one")
    assert file.written == b"one line and another, and a last one"
    stream = io.TextIOWrapper(io.BytesIO(), "ascii")
    write_text(stream, "one line \u20ac")
    assert stream.buffer.getvalue() == b"one line ?"


@pytest.mark.parametrize("stream", [Terminal(), io.StringIO()])
def test_progress(monkeypatch, stream):
    """One line is shown, no longer than the terminal is wide, not too often, and removed; nothing in a pipe."""
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setenv("COLUMNS", "24")
    with Progress() as progress:
        progress("Fetching", "https://example.com/[a]")
        progress("Searching", "(2 pages)")
        for number in range(3, 1000):
            progress("Searching", f"({number} pages)")
    wanted = "\r\x1b[KFetching https://exampl\r\x1b[KSearching (2 pages)\r\x1b[K"
    assert stream.getvalue() == (wanted if stream.isatty() else "")


def test_a_log_gets_a_line_every_thirty_seconds(monkeypatch):
    """A short run writes none, and a terminal has the one line."""
    now, log = [100.0], io.StringIO()
    monkeypatch.setattr(terminal.time, "monotonic", lambda: now[0])
    monkeypatch.setattr("sys.stderr", log)
    with Progress("templex clean") as progress:
        for now[0] in (129.9, 130.0, 131.0, 159.9, 160.0):
            progress("Reading:", f"at {now[0]}")
    assert log.getvalue() == "templex clean: Reading: at 130.0\ntemplex clean: Reading: at 160.0\n"
