"""The pages of a run on disk: grouped by site in 64 files, and cleaned in parts; rows as bytes."""

from __future__ import annotations

import hashlib
import json
import struct
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import IO, Any, NamedTuple

import msgspec

from templex_scrapy.archives.http_responses import zstd_library
from templex_scrapy.archives.records import Record, Skip, Skipped, storable, text_of
from templex_scrapy.page import site_of

PARTITIONS = 64  # files of pages; grouping keeps all of them open
PART_PAGES = 1000  # of a large site. A page takes 5 ms, so a killed run loses five seconds
LARGE_SITE = 2 * PART_PAGES  # pages of a site that is cleaned in several parts, which processes share
MOST_COLUMNS = 1_000  # that JSON rows add to a Parquet file: a hostile archive may have a new column in each line

# zstd takes a fifth of zlib's time; the fastest level is enough for a folder that is deleted
_PACKING = zstd_library() or zlib

_BUFFER = 131_072  # bytes that a file keeps back; 64 files take 8 MB
_ENTRY = struct.Struct(">16s8sQI")  # of a page in the index: hash of the site, hash, position in the file, bytes there


@dataclass(slots=True)
class Grouped:
    """The input of a run."""

    pages: int = 0  # and rows without a page
    has_html: bool = False
    skipped: Counter[str] = field(default_factory=Counter)  # reason → number of skipped parts
    places: dict[str, str] = field(default_factory=dict)  # reason → the first skipped part
    columns: list[str] = field(default_factory=list)  # of the JSON rows, at most ``MOST_COLUMNS``, by name

    def skip(self, why: Skip, where: str) -> None:
        """Count a skipped part."""
        self.skipped[why.value] += 1
        self.places.setdefault(why.value, where)


class Part(NamedTuple):
    """Pages that one process cleans, as entries of an index: of small sites, or some of a large ``site``."""

    partition: int
    start: int
    stop: int
    site: tuple[int, int] | None = None

    @property
    def begins_large_site(self) -> bool:
        """Whether the part has the first page of a large site."""
        return self.site is not None and self.start == self.site[0]


class Partitions:
    """Pages in the folder of a run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def group(
        self, records: Iterable[Record | Skipped], pack: Callable[[Record], bytes], progress: Callable[[int], None]
    ) -> Grouped:
        """Write pages to the files; ``progress`` receives the pages so far."""
        grouped, columns = Grouped(), set[str]()
        with ExitStack() as stack:
            files, indexes = (
                [stack.enter_context(self._file(n, kind).open("wb", _BUFFER)) for n in range(PARTITIONS)]
                for kind in ("pages", "index")
            )
            for record in records:
                if isinstance(record, Skipped):
                    grouped.skip(record.why, record.where)
                    continue
                url, html = storable(record.url), record.html
                text = None if html is None else storable(text_of(html, record.charset))
                try:
                    page = msgspec.msgpack.encode((url, text, pack(record)))
                except RecursionError:  # a reader accepts a level more than the writer
                    grouped.skip(Skip.DAMAGED, url)
                    continue
                site, packed = _hash((site_of(url) or "").encode(), 16), _PACKING.compress(page, 1)
                number = site[0] * PARTITIONS // 256
                indexes[number].write(_ENTRY.pack(site, _hash(page, 8), files[number].tell(), len(packed)))
                files[number].write(packed)
                if isinstance(record.columns, dict) and not columns.issuperset(record.columns):
                    # the first by name, so that the order of the input does not matter
                    columns = set(sorted(columns.union(record.columns))[:MOST_COLUMNS])
                grouped.pages += 1
                grouped.has_html |= html is not None
                progress(grouped.pages)
        for number in range(PARTITIONS):
            self._file(number, "index").write_bytes(b"".join(sorted(self._entries(number))))
        grouped.columns = sorted(columns)
        return grouped

    def parts(self) -> Iterator[Part]:
        """Yield the parts in the order of the output; the order of the input does not matter."""
        for number in range(PARTITIONS):
            entries = self._entries(number)
            small = 0
            for start, stop in _sites(entries):
                if stop - start >= LARGE_SITE:
                    if small < start:
                        yield Part(number, small, start)
                    for first in range(start, stop, PART_PAGES):
                        yield Part(number, first, min(first + PART_PAGES, stop), (start, stop))
                    small = stop
            if small < len(entries):
                yield Part(number, small, len(entries))

    def sites(self, part: Part) -> Iterator[tuple[int, int]]:
        """Yield start and stop of the pages of each site in a part."""
        entries = self._entries(part.partition, part.start, part.stop)
        return ((part.start + start, part.start + stop) for start, stop in _sites(entries))

    def read(self, number: int, start: int, stop: int) -> Iterator[Record]:
        """Yield pages of a partition as text, each read on demand; columns stay packed."""
        with self._file(number, "pages").open("rb") as file:
            for _, _, position, size in map(_ENTRY.unpack, self._entries(number, start, stop)):
                file.seek(position)
                url, html, columns = msgspec.msgpack.decode(_PACKING.decompress(file.read(size)))
                yield Record(url, html, columns=columns)

    def _entries(self, number: int, start: int = 0, stop: int | None = None) -> list[bytes]:
        with self._file(number, "index").open("rb") as file:
            file.seek(start * _ENTRY.size)
            index = file.read(-1 if stop is None else (stop - start) * _ENTRY.size)
        return [index[at : at + _ENTRY.size] for at in range(0, len(index), _ENTRY.size)]

    def _file(self, number: int, kind: str) -> Path:
        return self.folder / f"{number:02}.{kind}"


def _sites(entries: Iterable[bytes]) -> Iterator[tuple[int, int]]:
    """Yield start and stop of the entries of each site."""
    stop = 0
    for _, of_site in groupby(entries, lambda entry: entry[:16]):
        start, stop = stop, stop + sum(1 for _ in of_site)
        yield start, stop


def _hash(data: bytes, size: int) -> bytes:
    return hashlib.blake2b(data, digest_size=size).digest()


class Rows:
    """Encodes records and outputs as lines of JSON. The columns of the outputs replace others of their names."""

    columns: Any = None  # the Arrow schema to keep of Parquet files; None: rows become Python values
    json_columns: Iterable[str] = ()  # of the JSON rows; known once all inputs are read

    def __init__(self, outputs: Collection[str]) -> None:
        self.outputs = tuple(outputs)

    def pack(self, record: Record) -> bytes:
        """Return the columns of a record without the page: bytes as base64, NaN and infinity as null, times as text."""
        row = {name: value for name, value in record.columns.items() if name not in self.outputs}
        try:
            text = _dumps(row, allow_nan=False)
        except ValueError:
            # Python writes and reads NaN and infinity as constants
            text = _dumps(json.loads(_dumps(row), parse_constant=lambda _: None))
        # UTF-8 cannot hold a lone surrogate; JSON can escape it
        return text.encode("utf-8", "backslashreplace")[:-1]

    def row(self, packed: bytes, values: Mapping[str, str | None]) -> bytes:
        """Return a row."""
        return packed + (b"," if len(packed) > 1 else b"") + msgspec.json.encode(values)[1:] + b"\n"

    def write(self, file: IO[bytes], rows: Iterable[bytes]) -> None:
        """Write rows to a file."""
        file.writelines(rows)


def _as_text(value: Any) -> Any:
    # msgspec rounds the offset of a time zone to minutes
    return value.isoformat() if hasattr(value, "isoformat") else msgspec.to_builtins(value, enc_hook=str)


_dumps = partial(json.dumps, ensure_ascii=False, separators=(",", ":"), default=_as_text)
