"""What `scrapy templex` writes arrives whole, or the exit code says that it did not, buffered or not."""

from __future__ import annotations

import io
import os
import resource
from pathlib import Path

import pytest
from crawling import page
from mirrors import NAMES, mirror, write
from running import start

from templex_scrapy.commands.terminal import LiveLine, StandardOutput, write_text

LIMIT = 100_000  # bytes


@pytest.fixture(params=["", "1"], ids=["buffered", "unbuffered"])
def environ(request: pytest.FixtureRequest) -> dict[str, str]:
    """Python's buffer, and none."""
    return {"PYTHONUNBUFFERED": request.param}


@pytest.fixture
def long_page(tmp_path: Path) -> Path:
    """A saved page longer than any pipe takes at once."""
    folder = mirror(tmp_path / "site")
    source = page("/news", menu=[f"{name}.html" for name in NAMES], body="<p>long</p>" * 20_000)
    return write(folder / "news.html", source)


def test_a_reader_that_reads_a_little_and_goes(long_page, environ):
    """The exit code is that of SIGPIPE, and nothing is told."""
    process = start(long_page, "--html", cwd=long_page.parent, env=environ)
    assert len(process.stdout.read(10)) == 10
    process.stdout.close()
    assert (process.wait(60), process.stderr.read()) == (141, b"")
    process.stderr.close()


def test_a_file_that_may_not_grow(long_page, environ):
    """What ends at a limit is told, with exit code 1."""
    with (long_page.parent / "left").open("wb") as left:
        process = start(long_page, "--html", cwd=long_page.parent, env=environ, stdout=left)
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (LIMIT, LIMIT))
        _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert err == b"scrapy templex: standard output: File too large\n"


@pytest.mark.parametrize("options", [("--html",), ()], ids=["output", "result"])
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_disk(long_page, environ, options):
    """Nothing is said to be written that is not."""
    with Path("/dev/full").open("wb") as full:
        process = start(long_page, *options, cwd=long_page.parent, env=environ, stdout=full)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert err.endswith(b"No space left on device\n")
    assert len(err.splitlines()) == 1


def test_a_full_disk_under_a_file(long_page):
    """The message names the file of -o too, wherever the writing fails."""
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full here")
    process = start(long_page, "--html", "-o", "/dev/full", cwd=long_page.parent)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (1, b"scrapy templex: /dev/full: No space left on device\n")


def test_a_pipe_that_does_not_wait(long_page, environ):
    """A pipe that another program has set so that writing never waits gets everything all the same."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    process = start(long_page, "--html", cwd=long_page.parent, env=environ, stdout=writing)
    os.close(writing)
    with os.fdopen(reading, "rb") as stream:
        out = stream.read()
    _, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert out.count(b"<p>long</p>") == 20_000


class Bits(io.RawIOBase):
    """A file that takes three bytes at a time."""

    def __init__(self) -> None:
        self.written = b""

    def writable(self) -> bool:
        return True

    def write(self, data) -> int:
        self.written += bytes(data[:3])
        return len(data[:3])


def test_text_on_an_unbuffered_stream(monkeypatch):
    """Text and bytes are written to the end, however little a file takes at once, and in their order."""
    file = Bits()
    stream = io.TextIOWrapper(file, "ascii", write_through=True)
    write_text(stream, "one line €\n")
    monkeypatch.setattr("sys.stdout", stream)
    assert StandardOutput().write(b"and another") == 11
    assert file.written == f"one line ?{os.linesep}and another".encode()


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("columns", "shown"),
    [
        (60, "Fetching https://a.example.com/a/long/path"),
        (42, "Fetching a.example.com"),
        (12, "Fetching"),
        (6, "Fetc…"),
    ],
)
def test_a_narrow_terminal_gets_fewer_words(monkeypatch, columns, shown):
    """The live line is told in fewer words where it does not fit, and cut only where there are no fewer."""
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("TERM", "xterm")
    terminal = Terminal()
    LiveLine(terminal)("Fetching https://a.example.com/a/long/path", "Fetching a.example.com", "Fetching")
    assert terminal.getvalue() == f"\r\x1b[K{shown}"


def test_text_on_a_stream_without_bytes():
    """A stream that has only text is written to as it is."""
    stream = io.StringIO()
    write_text(stream, "one line €\n")
    assert stream.getvalue() == "one line €\n"
