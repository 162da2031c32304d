"""Makes small archives."""

from __future__ import annotations

import gzip
import json
import tracemalloc
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from helpers.made_sites import made_site
from templex_scrapy import Page
from templex_scrapy.archives import Counts, Options, clean_archives
from templex_scrapy.archives.partitions import Grouped

FOOTER = "Footer of the made site"


def pages(count: int = 8, host: str = "site.test") -> list[Page]:
    return made_site(count, host=f"https://{host}")


def response(body: bytes, status: str = "200 OK", **headers: str) -> bytes:
    """A stored HTTP response; the header of ``content_type`` is Content-Type."""
    lines = {"content_type": "text/html", **headers}
    written = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in lines.items() if value)
    return f"HTTP/1.1 {status}\r\n{written}\r\n".encode() + body


def record(url: str, block: bytes, *, length: int | None = None, kind: str = "response") -> bytes:
    """A WARC record, with a wrong length if one is given."""
    length = len(block) if length is None else length
    head = (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {length}"
    )
    return f"{head}\r\n\r\n".encode() + block + b"\r\n\r\n"


def warc(some: Iterable[Page]) -> list[bytes]:
    return [record(page.url, response(page.text.encode())) for page in some]


def packed(records: Iterable[bytes]) -> bytes:
    return b"".join(map(gzip.compress, records))


def json_lines(rows: Iterable[dict[str, Any]]) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def texts(*contents: bytes) -> pa.Array:
    """A column of texts that need not be UTF-8."""
    column = pa.array(contents, pa.binary())
    return pa.Array.from_buffers(pa.string(), len(column), column.buffers())


def clean(
    *inputs: Path,
    out: Path,
    outputs: dict[str, str] | None = None,
    jobs: int = 1,
    report: Any = None,
    **options: Any,
) -> tuple[Grouped, Counts]:
    asked = Options(outputs=outputs or {"html": "html"}, **options)
    return clean_archives(inputs, out, asked, lambda *_: None, jobs=jobs, report=report)


def rows(out: Path) -> list[dict[str, Any]]:
    """The rows of JSON Lines or Parquet, by address."""
    if out.suffix == ".parquet":
        found = pq.read_table(out).to_pylist()
    else:
        found = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    return sorted(found, key=lambda row: str(row.get("url")))


def with_peak(run: Callable[[], Any]) -> tuple[Any, int]:
    """What a function returns, and the most bytes that it takes meanwhile."""
    tracemalloc.start()
    result = run()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return result, peak
