"""Pages grouped by their sites, on disk.

The pages of a site are to be read one after another, and may be anywhere in the input. So each page is added to one of
:data:`PARTITIONS` files, chosen by a hash of its site, and its place there to the index of the file, with that hash.
"""

from __future__ import annotations

import hashlib
import struct
import zlib
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

import msgspec

from templex_scrapy.archives.records import Record, Skipped
from templex_scrapy.archives.whole_files import write_json
from templex_scrapy.archives.work_folder import WorkFolder
from templex_scrapy.page import site_of

PARTITIONS = 64
"""Files that pages are written to, all open at once."""

_BUFFER = 131_072  # bytes that wait to be written to a file; 64 of them are 8 MB
_HEAD = struct.Struct("<QII")  # number of the page, bytes of its columns, bytes of its source
_ENTRY = struct.Struct("<16sQ")  # hash of the site, position in the file


@dataclass(slots=True)
class Grouped:
    """What has been grouped so far.

    Attributes:
        inputs: inputs that are grouped.
        pages: pages and rows of them.
        nbytes: bytes of their sources.
        skipped: why something was passed over → how often.
        places: why → the first one that was passed over.
        sizes: bytes of each partition, and of its index.
    """

    inputs: int = 0
    pages: int = 0
    nbytes: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    places: dict[str, str] = field(default_factory=dict)
    sizes: list[tuple[int, int]] = field(default_factory=lambda: [(0, 0)] * PARTITIONS)

    def __post_init__(self) -> None:
        self.skipped = Counter(self.skipped)  # a dict where it was read from a file


def group(
    folder: WorkFolder,
    state: Grouped,
    inputs: Iterable[Callable[[], Iterator[Record | Skipped]]],
    pack: Callable[[Record], bytes],
    progress: Callable[[int, int], None],
) -> Grouped:
    """Write the pages of all inputs into the partitions of a folder; inputs that are there already are not read again.

    Args:
        folder: where the partitions are.
        state: what is grouped already.
        inputs: read the inputs, in their order.
        pack: makes bytes of the columns of a record.
        progress: called with the pages and the bytes of their sources so far.
    """
    with ExitStack() as stack:
        files = [stack.enter_context(_at(folder.pages(n), size)) for n, (size, _) in enumerate(state.sizes)]
        indexes = [stack.enter_context(_at(folder.index(n), size)) for n, (_, size) in enumerate(state.sizes)]
        for number, read in enumerate(inputs):
            # an input that was ended halfway is read again: its pages were cut off when the files were opened
            if number < state.inputs:
                continue
            for record in read():
                if isinstance(record, Skipped):
                    state.skipped[record.why.value] += 1
                    state.places.setdefault(record.why.value, record.where)
                    continue
                site = _hash(site_of(record.url) or "")
                partition = site[0] % PARTITIONS
                indexes[partition].write(_ENTRY.pack(site, files[partition].tell()))
                state.nbytes += _write(files[partition], state.pages, record, pack)
                state.pages += 1
                progress(state.pages, state.nbytes)
            # what the state says to be there must be there
            for file in (*files, *indexes):
                file.flush()
            state.inputs += 1
            state.sizes = [(file.tell(), index.tell()) for file, index in zip(files, indexes, strict=True)]
            write_json(folder.grouped, msgspec.to_builtins(state))
    return state


def _at(file: Path, size: int) -> IO[bytes]:
    """Open a file to write from a position on: what is behind it was not finished."""
    file.touch()
    stream = file.open("r+b", buffering=_BUFFER)
    stream.truncate(size)
    stream.seek(size)
    return stream


def _hash(site: str) -> bytes:
    return hashlib.blake2b(site.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _write(file: IO[bytes], number: int, record: Record, pack: Callable[[Record], bytes]) -> int:
    """Write a page; return the bytes of its source."""
    charset, html = record.charset, record.html
    if isinstance(html, str):
        charset, html = "", html.encode("utf-8", "surrogatepass")
    url = record.url.encode("utf-8", "surrogatepass")
    head = msgspec.msgpack.encode((url, charset, html is None, pack(record)))
    # the fastest level: a page is read twice, and the folder deleted
    body = zlib.compress(html or b"", level=1)
    file.write(_HEAD.pack(number, len(head), len(body)) + head)
    file.write(body)
    return len(html or b"")


def sites_of(folder: WorkFolder, partition: int) -> list[array[int]]:
    """Return the positions of the pages of each site of a partition, in the order of the input."""
    # positions of eight bytes, since there may be millions
    found: dict[bytes, array[int]] = {}
    with folder.index(partition).open("rb") as index:
        while entry := index.read(_ENTRY.size):
            site, position = _ENTRY.unpack(entry)
            found.setdefault(site, array("Q")).append(position)
    return list(found.values())


def read_pages(folder: WorkFolder, partition: int, positions: Iterable[int]) -> Iterator[tuple[int, Record]]:
    """Yield pages of a partition with their numbers in the input, one in memory at a time; their columns are packed."""
    with folder.pages(partition).open("rb") as file:
        for position in positions:
            file.seek(position)
            number, head, body = _HEAD.unpack(file.read(_HEAD.size))
            url, charset, is_missing, columns = msgspec.msgpack.decode(file.read(head))
            source: bytes | str | None = None if is_missing else zlib.decompress(file.read(body))
            if isinstance(source, bytes) and charset == "":
                source, charset = source.decode("utf-8", "surrogatepass"), None
            yield number, Record(url.decode("utf-8", "surrogatepass"), source, charset, columns)
