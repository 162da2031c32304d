"""Pages of WARC files, compressed or not, and of WACZ files.

A library would be less code. But warcio and fastwarc end a file at the first record of a wrong length, and at a damaged
member of gzip; here the rest of the file is read.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from templex_scrapy.archives.records import MAX_BYTES, ArchiveError, Record, Skip, Skipped
from templex_scrapy.archives.responses import headers_of, page_of

MAX_RATIO = 100
"""Times its size that a WACZ file may unpack to. HTML is compressed to a tenth, and archives in it only once."""

_BLOCK = 65_536  # bytes that are read at once
_INFLATED = 1_000_000  # bytes that a block may become at once
_HEADERS = 65_536  # bytes of the headers of a record, at most
_GZIP = b"\x1f\x8b\x08"
_VERSION = re.compile(rb"WARC/\d\.\d+[ \t]*\r?\n")
_STATUS = re.compile(rb"HTTP/\d(?:\.\d)? +(\d{3})")
_END_OF_HEADERS = re.compile(rb"\r?\n\r?\n")


def read_wacz(file: Path) -> Iterator[Record | Skipped]:
    """Yield the pages of the WARC files in a WACZ file.

    Raises:
        ArchiveError: if it is no ZIP file, or unpacks to too much.
    """
    try:
        packed = zipfile.ZipFile(file)
    except zipfile.BadZipFile as error:
        raise ArchiveError(f"{file}: no WACZ file: {error}") from error
    with packed:
        members = [one for one in packed.infolist() if one.filename.endswith((".warc", ".warc.gz"))]
        if sum(one.file_size for one in members) > MAX_RATIO * file.stat().st_size:
            raise ArchiveError(f"{file}: unpacks to more than {MAX_RATIO} times its size, and is not read")
        for one in members:
            try:
                with packed.open(one) as stream:
                    yield from read_warc(stream, f"{file}:{one.filename}")
            except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError):
                yield Skipped(Skip.DAMAGED, f"{file}:{one.filename}")


def read_warc(stream: IO[bytes], name: str) -> Iterator[Record | Skipped]:
    """Yield the pages of a WARC file; after a damaged record it goes on with the next one that is whole."""
    source = _Source(stream)
    number = damages = 0
    while source.peek():
        line = source.line()
        if not line.strip():
            continue
        number += 1
        found: Record | Skipped | None = Skipped(Skip.DAMAGED, f"{name}, record {number}")
        if _VERSION.fullmatch(line):
            found = _read_record(source, f"{name}, record {number}")
        else:
            source.skip_to_record()
        if found is not None:
            yield found
        # what is damaged in the file mostly damages a record, which is told already
        if source.damages > damages and not (isinstance(found, Skipped) and found.kind is Skip.DAMAGED):
            yield Skipped(Skip.DAMAGED, f"{name}, behind record {number}")
        damages = source.damages
    if source.damages > damages:
        yield Skipped(Skip.DAMAGED, f"the end of {name}")


def _read_record(source: _Source, where: str) -> Record | Skipped | None:
    """Read what follows the first line of a record; None if it is no page, and stands for none."""
    headers = _read_headers(source)
    written = headers.get("content-length", "")
    if not (written.isascii() and written.isdigit() and len(written) < 19):
        source.skip_to_record()
        return Skipped(Skip.DAMAGED, where)
    length = int(written)
    if length > MAX_BYTES:
        # a length that is much too large must not cost the rest of the file
        is_wrong = source.skip_to_record(length) or not source.is_at_record()
        return Skipped(Skip.DAMAGED if is_wrong else Skip.TOO_LARGE, where) if is_wrong or _is_page(headers) else None
    block = source.read(length)
    if len(block) < length or not source.is_at_record():
        # the length is wrong, or something is missing: the next record may be in what was read
        found = _VERSION.search(block)
        if found is not None:
            source.push(block[found.start() :])
        else:
            source.skip_to_record()
        return Skipped(Skip.DAMAGED, where)
    return _page_of(headers, block, where) if _is_page(headers) else None


def _read_headers(source: _Source) -> dict[str, str]:
    lines, size = [], 0
    while (line := source.line()).strip() and size < _HEADERS:
        lines.append(line)
        size += len(line)
    return headers_of(lines)


def _is_page(headers: dict[str, str]) -> bool:
    """Return whether a record may be a page, or stand for one: a response, a resource, or a copy of a response."""
    address = headers.get("warc-target-uri", "").strip("<>").lower()
    is_request = headers.get("warc-type") not in {"response", "resource", "revisit"}
    return not is_request and not address.startswith(("dns:", "whois:", "metadata:", "urn:"))


def _page_of(headers: dict[str, str], block: bytes, where: str) -> Record | Skipped:
    url = headers.get("warc-target-uri", "").strip("<>")  # wget 1.19 writes them
    if headers["warc-type"] == "revisit" or not block:
        return Skipped(Skip.NO_BODY, where)
    if headers["warc-type"] == "resource":
        return page_of(url, None, {"content-type": headers.get("content-type", "")}, block, where)
    status, end = _STATUS.match(block), _END_OF_HEADERS.search(block)
    if status is None:
        return Skipped(Skip.DAMAGED, where)
    if end is None:
        return Skipped(Skip.NO_BODY, where)
    return page_of(url, int(status[1]), headers_of(block[: end.start()].splitlines()), block[end.end() :], where)


class _Source:
    """The content of a file that may consist of members of gzip; what is damaged of them is left out.

    Attributes:
        damages: members so far that are damaged or cut, and gaps between members.
    """

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._blocks = self._inflated()
        self._buffer = b""
        self._start = 0
        self.damages = 0

    def _inflated(self) -> Iterator[bytes]:
        raw = self._stream.read(_BLOCK)
        if not raw.startswith(_GZIP):
            while raw:
                yield raw
                raw = self._stream.read(_BLOCK)
            return
        while True:
            inflater, is_lost = zlib.decompressobj(16 + zlib.MAX_WBITS), False
            try:
                while not inflater.eof:
                    raw = raw or self._stream.read(_BLOCK)
                    if not raw:
                        self.damages += 1
                        return
                    yield inflater.decompress(raw, _INFLATED)
                    raw = inflater.unconsumed_tail or b""
                raw = inflater.unused_data
            except zlib.error:
                is_lost, raw = True, raw[1:]
            while (found := raw.find(_GZIP)) < 0:
                # files are padded with zeros
                is_lost = is_lost or bool(raw.strip(b"\0"))
                more = self._stream.read(_BLOCK)
                if not more:
                    self.damages += is_lost
                    return
                raw = raw[-2:] + more
            self.damages += is_lost or bool(raw[:found].strip(b"\0"))
            raw = raw[found:]

    def _fill(self) -> bool:
        """Add a block to the buffer; False at the end."""
        for block in self._blocks:
            if block:
                self._buffer, self._start = self._buffer[self._start :] + block, 0
                return True
        return False

    def peek(self, size: int = 1) -> bytes:
        """Return the next bytes, without reading them; fewer at the end."""
        while len(self._buffer) - self._start < size and self._fill():
            pass
        return self._buffer[self._start : self._start + size]

    def line(self) -> bytes:
        """Read a line, or as much of it as headers may have."""
        while (end := self._buffer.find(b"\n", self._start) + 1) == 0:
            if len(self._buffer) - self._start > _HEADERS or not self._fill():
                end = len(self._buffer)
                break
        line = self._buffer[self._start : end]
        self._start = end
        return line

    def read(self, size: int) -> bytes:
        """Read some bytes; fewer at the end."""
        parts = []
        while size and self.peek():
            parts.append(self._buffer[self._start : self._start + size])
            self._start += len(parts[-1])
            size -= len(parts[-1])
        return b"".join(parts)

    def push(self, data: bytes) -> None:
        """Put back bytes to be read next."""
        self._buffer, self._start = data + self._buffer[self._start :], 0

    def is_at_record(self) -> bool:
        """Skip the end of a record; return whether it is one, or the next record or the end of the file follows."""
        is_end = self.peek(4) == b"\r\n\r\n"
        while self.peek() in {b"\r", b"\n"}:
            self._start += 1
        return is_end or self.peek(5) in {b"", b"WARC/"}

    def skip_to_record(self, most: int | None = None) -> bool:
        """Skip everything up to the first line of a record, or so many bytes at most; return whether there is one."""
        while self.peek():
            end = len(self._buffer) if most is None else min(len(self._buffer), self._start + most)
            found = _VERSION.search(self._buffer, self._start, end)
            if found is not None:
                self._start = found.start()
                return True
            if most == end - self._start:
                self._start = end
                return False
            # the line may continue in the next block
            step = max(end - self._start - 20, 0)
            self._start += step
            most = None if most is None else most - step
            if not self._fill():
                self._start = len(self._buffer)
        return False
