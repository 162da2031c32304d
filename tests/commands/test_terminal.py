"""What is written arrives completely; progress is a line on a terminal, and now and then a line elsewhere."""

from __future__ import annotations

import io

from templex_scrapy.commands import terminal
from templex_scrapy.commands.terminal import Progress, write


class Bits(io.RawIOBase):
    """A file that takes three bytes at a time."""

    def __init__(self) -> None:
        self.taken = b""

    def writable(self) -> bool:
        return True

    def write(self, data) -> int:
        self.taken += bytes(data[:3])
        return len(data[:3])


class Terminal(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        return True


def test_what_is_written_is_complete():
    """An unbuffered stream takes bytes in parts; what the charset lacks becomes a question mark."""
    for data in (b"one line and another", "one line and another"):
        file = Bits()
        write(io.TextIOWrapper(file), data)
        assert file.taken == b"one line and another"
    stream = io.TextIOWrapper(io.BytesIO(), "ascii")
    write(stream, "one line \u20ac")
    assert stream.buffer.getvalue() == b"one line ?"


def test_progress(monkeypatch):
    """A line no longer than the terminal is wide, not too often, and erased; a log gets a line every thirty seconds."""
    now = [100.0]
    monkeypatch.setattr(terminal.time, "monotonic", lambda: now[0])
    monkeypatch.setenv("COLUMNS", "24")
    shown = {}
    for stream in (Terminal(), io.StringIO()):
        monkeypatch.setattr("sys.stderr", stream)
        now[0] = 100.0
        with Progress("templex clean") as progress:
            for now[0] in (100.0, 100.05, 129.0, 130.0, 131.0, 160.0):
                progress("Reading:", f"https://site.test/{now[0]}")
        shown[stream.isatty()] = stream.getvalue()
    line = "\r\x1b[KReading: https://site.t"
    assert shown[True] == 5 * line + "\r\x1b[K"
    assert shown[False] == "".join(f"templex clean: Reading: https://site.test/{at}\n" for at in (130.0, 160.0))
