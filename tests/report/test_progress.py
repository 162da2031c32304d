"""The live line: what it says, and that it is there on terminals only, and gone at the end whatever ends the crawl."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from crawling import MENU, Reply, Site, page
from report_crawls import command, crawl, environment

from templex_scrapy.crawl.progress import Rate, line
from templex_scrapy.crawl.summary import downloaded, extra_loads, in_bytes, share, summary, unchanged

ONE_BY_ONE = {"CONCURRENT_REQUESTS": 1}
HIDE, SHOW = "\x1b[?25l", "\x1b[?25h"
STATS = {
    "response_received_count": 2319,  # nine of them twice, when they were handed over
    "item_scraped_count": 2289,
    "templex/items": 2289,
    "templex/items/cleaned": 2000,
    "templex/items/no_template": 289,
    "templex/searches": 17,
    "templex/searches/learnt": 14,
    "templex/searches/failed": 2,
    "templex/candidates/requested": 12,
    "templex/pages/handed_over": 9,
    "templex/pages/counted_twice": 9,
    "templex/bytes/before": 108_000_000,
    "templex/bytes/after": 66_700_000,
    "templex/words/before": 1_000_000,
    "templex/words/after": 600_000,
}


@pytest.fixture
def site() -> Iterator[Site]:
    """Pages that come slowly enough for a line to be drawn several times, one by one: see ``ONE_BY_ONE``."""
    made = Site()
    for path in MENU:
        made.add(path, Reply(page(path), delay=0.7))
    yield made
    made.close()


@pytest.fixture
def slow_site(site: Site) -> Site:
    """As above, and many more pages."""
    links = "".join(f'<a href="/slow/{number}">{number}</a>' for number in range(99))
    site.add("/", body=links)
    for number in range(99):
        site.add(f"/slow/{number}", Reply(page(f"/slow/{number}"), delay=0.3))
    return site


class Terminal:
    """What a person sees of the output of a crawl on a terminal.

    Attributes:
        raw: all that was written.
        screen: the lines that are left at the end.
        drawn: all live lines that there were.
        code: exit code of the process.
    """

    def __init__(
        self, arguments: list[str], folder: Path, *, interrupts: int = 0, term: str = "xterm", columns: int = 160
    ) -> None:
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
        process = subprocess.Popen(  # noqa: S603 - our own program
            arguments,
            cwd=folder,
            env={**environment(), "TERM": term, "NO_COLOR": "1"},
            stdin=subprocess.DEVNULL,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
        )
        os.close(slave)
        watchdog = threading.Timer(60, process.kill)
        watchdog.start()
        self.raw = ""
        with contextlib.suppress(OSError):  # a terminal that nobody holds any more
            while chunk := os.read(master, 65536):
                self.raw += chunk.decode("utf-8", "replace")
                if interrupts and "saved" in self.raw and "Scraped from" in self.raw:
                    interrupts -= 1
                    process.send_signal(signal.SIGINT)
        self.code = process.wait()
        watchdog.cancel()
        os.close(master)
        self.drawn = re.findall(r"templex  \d[^\r\n\x1b]*", self.raw)
        self.screen = _screen(self.raw)


def _screen(raw: str) -> list[str]:
    """What a terminal makes of line feeds, carriage returns, and of rich's ways to move and erase."""
    lines, row, column = [""], 0, 0
    for part in re.findall(r"\x1b\[[?\d;]*[A-Za-z]|\r|\n|[^\x1b\r\n]+", raw):
        if part == "\r":
            column = 0
        elif part == "\n":
            row += 1
            lines += [""] * (row + 1 - len(lines))
        elif part == "\x1b[1A":
            row -= 1
        elif part == "\x1b[2K":
            lines[row] = ""
        elif not part.startswith("\x1b"):
            lines[row] = lines[row].ljust(column)[:column] + part + lines[row][column + len(part) :]
            column += len(part)
    return lines


def test_what_the_line_says() -> None:
    """Time, pages, items, templates, searches running, what is saved, and the rate."""
    assert line(STATS, 80, 28.94) == (
        "templex  0:01:20  2,310 pages  2,289 items  14 templates  1 search running  41.30 MB saved (38%)  28.9 pages/s"
    )
    assert line({}, 0, 0.0) == "templex  0:00:00  0 pages  0 items  0 templates  0 B saved (0%)  0.0 pages/s"


def test_a_narrow_terminal_gets_a_shorter_line() -> None:
    """Name and time go first, then words, then what matters least, whole; nothing is cut."""
    whole, fewer = line(STATS, 80, 28.94).split("  "), line(STATS, 80, 28.94, 80).split("  ")
    assert line(STATS, 80, 28.94, 105) == "  ".join(whole[1:])
    assert line(STATS, 80, 28.94, 100) == "  ".join(whole[2:])
    assert fewer == ["2,310 pages", "2,289 items", "14 templates", "1 searching", "41.30 MB saved", "28.9/s"]
    assert line(STATS, 80, 28.94, 70) == "2,310 pages  14 templates  1 searching  41.30 MB saved  28.9/s"
    assert line(STATS, 80, 28.94, 45) == "2,310 pages  14 templates  41.30 MB saved"
    assert line(STATS, 80, 28.94, 5) == "41.30 MB saved"
    for width in range(20, 130):
        shown = line(STATS, 80, 28.94, width)
        assert len(shown) <= width
        assert set(shown.split("  ")) <= {*whole, *fewer}


def test_the_rate_is_that_of_the_last_seconds() -> None:
    """What was long ago does not count."""
    now = [0.0]
    rate = Rate(lambda: now[0])
    for _ in range(20):
        now[0] += 1
        assert rate.of(int(now[0] * 5)) == pytest.approx(5.0)
    for _ in range(11):
        now[0] += 1
        last = rate.of(100)
    assert last == 0.0


def test_a_crawl_on_a_terminal(site: Site, tmp_path: Path) -> None:
    """The line is drawn, moves on, and is gone at the end; the log is whole, above it; the cursor is back."""
    seen = Terminal(command(f"{site.url}/", TEMPLEX_PROGRESS=True, **ONE_BY_ONE), tmp_path)
    assert seen.code == 0
    assert len(set(seen.drawn)) >= 4
    assert re.search(r"templex  0:00:0\d  \d+ pages?  \d+ items?  .* saved \(\d+%\)  \d+\.\d pages/s", seen.drawn[-1])
    assert not [text for text in seen.screen if "pages/s" in text]
    log = [text for text in seen.screen if re.match(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \[", text)]
    assert any("Spider opened" in text for text in log)
    assert any(text.endswith("Spider closed (finished)") for text in log)
    assert sum("[templex_scrapy.crawl.watching]" in text for text in log) == 3
    assert seen.raw.rindex(SHOW) > seen.raw.rindex(HIDE)


def test_a_narrow_terminal(site: Site, tmp_path: Path) -> None:
    """The line fits, and lines of the log are as long as they are: it is the terminal that wraps them."""
    seen = Terminal(command(f"{site.url}/", TEMPLEX_PROGRESS=True, **ONE_BY_ONE), tmp_path, columns=60)
    assert re.search(r"\d pages?  .*saved \(\d+%\)", seen.raw)
    assert "…" not in seen.raw
    (summed,) = [text for text in seen.screen if "Pages that a template fits" in text]
    assert len(summed) > 120
    assert any(text.endswith("scraped 0 items (at 0 items/min)") for text in seen.screen)


def test_logs_scroll_by_above_the_line(site: Site, tmp_path: Path) -> None:
    """What is logged while the line is there comes out once, each record in lines of its own."""
    seen = Terminal(command(f"{site.url}/", TEMPLEX_PROGRESS=True, LOG_LEVEL="DEBUG"), tmp_path)
    first, last = seen.raw.index("pages/s"), seen.raw.rindex("pages/s")
    assert "Scraped from" in seen.raw[first:last]
    crawled = [text for text in seen.screen if re.match(r"\d{4}-.* DEBUG: Crawled \(200\) <GET ", text)]
    assert len(crawled) == seen.raw.count("DEBUG: Crawled (200) <GET ") >= len(site.log)


@pytest.mark.parametrize("interrupts", [1, 2])
def test_interrupts(slow_site: Site, tmp_path: Path, interrupts: int) -> None:
    """Ctrl-C, once or twice: the line is gone and the cursor is back."""
    arguments = command(f"{slow_site.url}/", TEMPLEX_PROGRESS=True, LOG_LEVEL="DEBUG", CONCURRENT_REQUESTS=1)
    seen = Terminal(arguments, tmp_path, interrupts=interrupts)
    assert "Received SIGINT" in seen.raw
    assert seen.drawn
    assert not [text for text in seen.screen if "pages/s" in text]
    assert seen.raw.rindex(SHOW) > seen.raw.rindex(HIDE)


def test_closed_early(slow_site: Site, tmp_path: Path) -> None:
    """The line is gone as well where CLOSESPIDER ends the crawl."""
    # one page at a time, so that it lasts for some ticks of the line
    arguments = command(f"{slow_site.url}/", TEMPLEX_PROGRESS=True, CLOSESPIDER_ITEMCOUNT=10, CONCURRENT_REQUESTS=1)
    seen = Terminal(arguments, tmp_path)
    assert seen.drawn
    assert not [text for text in seen.screen if "pages/s" in text]
    assert any("closespider_itemcount" in text for text in seen.screen)


def test_silent_in_pipes(site: Site, tmp_path: Path) -> None:
    """Where standard error is no terminal, nothing but the log is written."""
    ran = crawl(tmp_path, f"{site.url}/", TEMPLEX_PROGRESS=True)
    assert ran.returncode == 0
    assert "\x1b" not in ran.stderr + ran.stdout
    assert "pages/s" not in ran.stderr
    assert ran.stdout == ""


@pytest.mark.parametrize(("term", "progress"), [("dumb", True), ("xterm", False)])
def test_silent_where_it_is_not_wanted(site: Site, tmp_path: Path, term: str, progress: bool) -> None:
    """Neither on a terminal that cannot move its cursor, nor without the setting."""
    seen = Terminal(command(f"{site.url}/", TEMPLEX_PROGRESS=progress), tmp_path, term=term)
    assert "\x1b" not in seen.raw
    assert "pages/s" not in seen.raw


@pytest.mark.parametrize("look", [["fetch"], ["shell", "-c", "response.text"]], ids=["fetch", "shell"])
def test_silent_where_a_page_is_looked_at(site: Site, tmp_path: Path, look: list[str]) -> None:
    """The commands that show a page have the terminal to themselves."""
    settings = ("-s", "TEMPLEX_PROGRESS=1", "-s", 'ADDONS={"templex_scrapy.Addon": 500}', "-s", "LOG_LEVEL=WARNING")
    seen = Terminal([sys.executable, "-m", "scrapy", *look, f"{site.url}/", *settings], tmp_path)
    assert "Headline of /" in "".join(seen.screen)
    assert "\x1b[?25" not in seen.raw
    assert not seen.drawn


def test_the_summary() -> None:
    """What became of the items, what was learnt, what was saved."""
    assert summary(STATS) == [
        "Items: 2,289, of which 2,000 cleaned, 289 that no template fits; pages downloaded: 2,310",
        "Templates: 14 from 17 searches, 3 pages loaded for nothing else",
        (
            "Pages that a template fits: HTML 108.00 MB before, 66.70 MB after (38% taken out);"
            " words 1,000,000 before, 600,000 after (40% taken out)"
        ),
    ]


def test_the_summary_of_odd_crawls() -> None:
    """Without items, in a dry run, with a store, with errors."""
    assert summary({}) == [
        "Items: 0, of which 0 cleaned; pages downloaded: 0",
        "Templates: 0 from 0 searches, 0 pages loaded for nothing else",
    ]
    odd = {"templex/errors": 2, "templex/store/loaded": 3, "templex/items/cleaned": 1, "templex/items": 1}
    told = summary(odd, dry_run=True)
    assert told[0] == "Items: 1, of which 1 would be cleaned; pages downloaded: 0"
    assert told[1].startswith("Templates: 3 from the store, 0 pages")
    assert told[-1] == "Errors: 2, see the log"


def test_parts_of_the_summary() -> None:
    """The figures that others use as well."""
    assert extra_loads(STATS) == 3
    assert extra_loads({"templex/pages/handed_over": 3}) == 0
    lost = {
        "response_received_count": 31,
        "downloader/response_status_count/200": 21,
        "robotstxt/response_status_count/200": 1,
        "templex/pages/handed_over": 10,
        "templex/pages/counted_twice": 4,
    }
    assert downloaded(lost) == 16, "six of those handed over were lost pages, which do not count anyway"
    assert unchanged(STATS) == {"that no template fits": 289}
    assert (share(0, 0), share(4, 1), share(1000, 999)) == ("0%", "75%", "<1%")
    assert [in_bytes(size) for size in (0, 999, 1000, 12_345, 9_876_543, 5e9)] == [
        "0 B",
        "999 B",
        "1.0 kB",
        "12.3 kB",
        "9.88 MB",
        "5.00 GB",
    ]
