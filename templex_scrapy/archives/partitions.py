"""The pages of a run on disk: grouped by site in 64 files, and cleaned in parts."""

from __future__ import annotations

import hashlib
import struct
import zlib
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

import msgspec

from templex_scrapy.archives.http_responses import ZSTD_MAGIC, zstd_library
from templex_scrapy.archives.records import Record, Skip, Skipped, storable, text_of
from templex_scrapy.page import site_of

PARTITIONS = 64
"""Files of pages; grouping keeps all of them open."""

PART_PAGES = 1000
"""Pages in a part of a large site. A page takes 5 ms, so a killed run loses five seconds."""

LARGE_SITE = 2 * PART_PAGES
"""A site with so many pages is cleaned in several parts, and processes share them."""

MOST_COLUMNS = 1_000
"""Most columns that JSON rows add to a Parquet file: a hostile archive may have a new column in each line."""

_BUFFER = 131_072  # bytes that a file keeps back; 64 files take 8 MB
_SIZE = struct.Struct("<I")  # bytes of a packed page
_ENTRY = struct.Struct(">16s8sQ")  # hash of the site, hash of the page, position in the file


@dataclass(slots=True)
class Grouped:
    """The input of a run.

    Attributes:
        pages: pages, and rows without a page.
        nbytes: bytes of the sources.
        skipped: reason → number of skipped parts.
        places: reason → place of the first skipped part.
        columns: columns of the JSON rows, at most :data:`MOST_COLUMNS`, by name.
    """

    pages: int = 0
    nbytes: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    places: dict[str, str] = field(default_factory=dict)
    columns: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Part:
    """Pages that one process cleans: the small sites of a partition, or some pages of a large site.

    Attributes:
        name: the file for the rows.
        partition: number of the file with the pages.
        sites: the positions of the pages of each site.
        large: the file for the templates of the large site; empty for small sites.
        is_first: whether the part begins with the first page of a site.
    """

    name: str
    partition: int
    sites: list[array[int]]
    large: str = ""
    is_first: bool = True

    @property
    def pages(self) -> int:
        """Number of pages."""
        return sum(map(len, self.sites))


class Partitions:
    """Pages in the folder of a run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def group(
        self, records: Iterable[Record | Skipped], pack: Callable[[Record], bytes], progress: Callable[[int, int], None]
    ) -> Grouped:
        """Write pages to the files.

        Args:
            records: the pages.
            pack: encodes the columns of a record.
            progress: receives the pages and the bytes of sources so far.
        """
        grouped, columns = Grouped(), set[str]()
        with ExitStack() as stack:
            files, indexes = (
                [stack.enter_context(self._file(n, kind).open("wb", _BUFFER)) for n in range(PARTITIONS)]
                for kind in ("pages", "index")
            )
            for record in records:
                if isinstance(record, Skipped):
                    grouped.skipped[record.why.value] += 1
                    grouped.places.setdefault(record.why.value, record.where)
                    continue
                url, html = storable(record.url), record.html
                text = None if html is None else storable(text_of(html, record.charset))
                try:
                    page = msgspec.msgpack.encode((url, text, pack(record)))
                except RecursionError:  # a reader accepts a level more than the writer
                    grouped.skipped[Skip.DAMAGED.value] += 1
                    continue
                site = _hash((site_of(url) or "").encode(), 16)
                number = site[0] * PARTITIONS // 256
                indexes[number].write(_ENTRY.pack(site, _hash(page, 8), files[number].tell()))
                files[number].write(_SIZE.pack(len(packed := _packed(page))) + packed)
                if isinstance(record.columns, dict) and not columns.issuperset(record.columns):
                    # the first by name, so that the order of the input does not matter
                    columns = set(sorted(columns.union(record.columns))[:MOST_COLUMNS])
                grouped.pages += 1
                grouped.nbytes += len(html or "")
                progress(grouped.pages, grouped.nbytes)
        grouped.columns = sorted(columns)
        return grouped

    def parts(self) -> Iterator[Part]:
        """Yield the parts in the order of the output; the order of the input does not matter."""
        for number in range(PARTITIONS):
            sites = list(self._sites(number))
            if small := [positions for _, positions in sites if len(positions) < LARGE_SITE]:
                yield Part(f"{number:02}.rows", number, small)
            for name, positions in sites:
                for start in range(0, len(positions) if len(positions) >= LARGE_SITE else 0, PART_PAGES):
                    of_part = [positions[start : start + PART_PAGES]]
                    yield Part(f"{name}-{start}.rows", number, of_part, f"{name}.templates", is_first=not start)

    def large_sites(self) -> Iterator[Part]:
        """Yield each large site as a single part."""
        for number in range(PARTITIONS):
            for name, positions in self._sites(number):
                if len(positions) >= LARGE_SITE:
                    yield Part("", number, [positions], f"{name}.templates")

    def _sites(self, number: int) -> Iterator[tuple[str, array[int]]]:
        """Yield the sites of a partition, each with the positions of the pages."""
        index = self._file(number, "index").read_bytes()
        entries = sorted(index[start : start + _ENTRY.size] for start in range(0, len(index), _ENTRY.size))
        for site, of_site in groupby(map(_ENTRY.unpack, entries), lambda entry: entry[0]):
            # positions of eight bytes, since there may be millions
            yield f"{number:02}-{site.hex()}", array("Q", (position for _, _, position in of_site))

    def read(self, number: int, positions: Iterable[int]) -> Iterator[Record]:
        """Yield pages of a partition as text, each read on demand; columns stay packed."""
        with self._file(number, "pages").open("rb") as file:
            for position in positions:
                file.seek(position)
                packed = file.read(_SIZE.unpack(file.read(_SIZE.size))[0])
                url, html, columns = msgspec.msgpack.decode(_unpacked(packed))
                yield Record(url, html, columns=columns)

    def _file(self, number: int, kind: str) -> Path:
        return self.folder / f"{number:02}.{kind}"


def _hash(data: bytes, size: int) -> bytes:
    return hashlib.blake2b(data, digest_size=size).digest()


def _packed(data: bytes) -> bytes:
    # the fastest level, as the folder is temporary; zstd takes a fifth of zlib's time
    zstd = zstd_library()
    return zlib.compress(data, level=1) if zstd is None else bytes(zstd.compress(data, 1))


def _unpacked(packed: bytes) -> bytes:
    return zlib.decompress(packed) if not packed.startswith(ZSTD_MAGIC) else bytes(zstd_library().decompress(packed))
