"""`templex clean` of one WARC file: memory on a made web, or CPU on saved sites beside trafilatura and resiliparse.

    python bench/scripts/stored.py site:100000      # a web of web.py; or hosts:10000:10
    python bench/scripts/stored.py ../shared/sites

Memory is the peak of the process, which reads, learns, cleans and writes, at page 2,000 of a step and at its end.
"""

from __future__ import annotations

import gzip
import json
import resource
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

import isolated  # noqa: F401 - finds tests/
from helpers.web import web_of
from scale import SETTLED
from speed import WITH, groups
from templex_bench.peers import PEERS
from templex_bench.suites import open_suite

from templex_scrapy.archives import Options, clean_archives

OUTPUTS = {"html": "html"}, {"html": "html", "content": "content_text"}


def run(archive: Path, outputs: dict[str, str]) -> None:
    """Clean an archive with one process, and print what it takes."""
    peaks: dict[str, int] = {}

    def note(step: str, pages: int) -> None:
        name = f"{step.strip(':').split()[0]} {f'until {SETTLED:,}' if pages <= SETTLED else 'to the end'}"
        peaks[name] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024

    began, out = time.process_time(), archive.with_name("out.jsonl")
    _, counts = clean_archives([archive], out, Options(outputs=outputs), note)
    cpu = time.process_time() - began
    print(f"{'+'.join(outputs)}: {counts.pages / cpu:.0f} pages a CPU second, {cpu:.1f} s; {counts}; peaks in MB:")
    print(json.dumps(peaks))


def main(asked: str) -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory() as folder:
        archive = Path(folder, "made.warc.gz")
        web = web_of(asked) if ":" in asked else None
        saved = [] if web else [page for group in groups(open_suite(Path(asked))) for page in group]
        pages: Iterable[tuple[str, str]] = ((web.page(url) or "", url) for url in web.urls) if web else saved
        with archive.open("wb") as file:
            file.writelines(record(url, html) for html, url in pages)
        for outputs in OUTPUTS[: 1 if web else 2]:
            run(archive, outputs)
    for name in [name for name in WITH if saved and PEERS[name].version]:
        extract, began = PEERS[name].load(), time.process_time()
        for html, url in saved:
            extract(html, url)
        cpu = time.process_time() - began
        print(f"{name}: {len(saved) / cpu:.0f} pages a CPU second, {cpu:.1f} s")


def record(url: str, html: str) -> bytes:
    """Return a page as a record of a compressed WARC file."""
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + html.encode("utf-8", "replace")
    head = f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nContent-Length: {len(block)}\r\n\r\n"
    return gzip.compress(head.encode() + block + b"\r\n\r\n", compresslevel=1)


if __name__ == "__main__":
    main(sys.argv[1])
