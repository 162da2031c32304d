"""`templex clean` of one WARC file: memory on a made web, or CPU on saved sites beside trafilatura and resiliparse.

    python bench/scripts/stored.py site:100000      # a web of made_web.py; or hosts:10000:10
    python bench/scripts/stored.py ../shared/sites

Memory is the peak of the process, which reads, learns, cleans and writes, after page 2,000 of a step and at its end.
"""

from __future__ import annotations

import gzip
import resource
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from made_web import web_of
from scale import SETTLED
from templex_bench.peers import PEERS
from templex_bench.suites import open_suite

from templex_scrapy.archives import Counts, Options, clean_archives

OUTPUTS = {"html": "html"}, {"html": "html", "content": "content_text"}


class Watch:
    """Notes the peak memory, in MB, of each step until page 2,000, and at its end."""

    def __init__(self) -> None:
        self.peaks: dict[str, int] = {}

    def reading(self, pages: int, _: int) -> None:
        """Note the peak."""
        self._note("reading", pages)

    def cleaning(self, done: Counts, _: int) -> None:
        """Note the peak."""
        self._note("cleaning", done.pages)

    def writing(self) -> None:
        """Note nothing."""

    def _note(self, step: str, pages: int) -> None:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        self.peaks[f"{step} until {SETTLED:,}" if pages <= SETTLED else f"{step} to the end"] = peak


def main(asked: str) -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory() as folder:
        archive = Path(folder, "made.warc.gz")
        pages = [] if ":" in asked else list(_saved(Path(asked)))
        with archive.open("wb") as file:
            file.writelines(_record(url, html) for url, html in pages or _made(asked))
        for outputs in OUTPUTS:
            watch, began, real = Watch(), time.process_time(), time.perf_counter()
            _, counts = clean_archives([archive], Path(folder, "out.jsonl"), Options(outputs=outputs), watch)
            cpu, wall = time.process_time() - began, time.perf_counter() - real
            print(
                f"{'+'.join(outputs)}: {counts.pages / cpu:.0f} pages a CPU second, {cpu:.1f} s, {wall:.0f} s", counts
            )
            print(f"MB: {watch.peaks}, after writing {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024}")
            if not pages:
                return
    for name in "trafilatura", "resiliparse":
        extract, began = PEERS[name].load(), time.process_time()
        for url, html in pages:
            extract(html, url)
        cpu = time.process_time() - began
        print(f"{name}: {len(pages) / cpu:.0f} pages a CPU second, {cpu:.1f} s")


def _made(web: str) -> Iterable[tuple[str, str]]:
    made = web_of(web)
    return ((url, made.page(url) or "") for url in made.urls)


def _saved(folder: Path) -> Iterable[tuple[str, str]]:
    for site in open_suite(folder).sites:
        for url in map(site.url, site.paths):
            if (page := site.fetch(url)) is not None:
                yield url, page.text


def _record(url: str, html: str) -> bytes:
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + html.encode("utf-8", "replace")
    head = f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nContent-Length: {len(block)}\r\n\r\n"
    return gzip.compress(head.encode() + block + b"\r\n\r\n", compresslevel=1)


if __name__ == "__main__":
    main(sys.argv[1])
