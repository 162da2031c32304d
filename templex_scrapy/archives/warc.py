"""Read pages of WARC files, plain or compressed by gzip or zstd, and of WACZ files.

FastWARC and warcio would save code. But they stop at the first record of a wrong length, and at a damaged member of
gzip; this reader continues with the rest of the file.
"""

from __future__ import annotations

import re
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import IO, Any

from templex_scrapy.archives.http_responses import ZSTD_MAGIC, headers_of, page_of, zstd_library
from templex_scrapy.archives.records import MAX_BYTES, ArchiveError, Record, Skip, Skipped

MAX_RATIO = 100
"""Most unpacked bytes for each byte of a WACZ file. HTML shrinks to a tenth, and archives compress it only once."""

WARC = (".warc", ".warc.gz", ".warc.zst")

_BLOCK = 65_536  # bytes that are read at once
_HEADERS = 65_536  # bytes of the headers of a record, at most
_GZIP = b"\x1f\x8b\x08"
_DICTIONARY = b"\x5d\x2a\x4d\x18"  # begins the frame that has the dictionary of all others
_MOST_DICTIONARY = 16_000_000  # bytes; the Archive Team's files have a dictionary
_VERSION = re.compile(rb"WARC/\d\.\d+[ \t]{0,8}\r?\n")
_LONGEST_VERSION = 20  # most bytes of such a line
_BLANK = 64  # most bytes of empty lines behind a record, unless these are two of \r\n
_END_OF_RECORD = re.compile(rb"\s{0,%d}(?:%s|\Z)" % (_BLANK, _VERSION.pattern))
_STATUS = re.compile(rb"HTTP/\d(?:\.\d)? +(\d{3})")
_END_OF_HEADERS = re.compile(rb"\r?\n\r?\n")


def read_wacz(file: Path) -> Iterator[Record | Skipped]:
    """Yield the pages of the WARC files in a WACZ file.

    Raises:
        ArchiveError: if the file is no ZIP file, or unpacks to too much.
    """
    try:
        packed = zipfile.ZipFile(file)
    except zipfile.BadZipFile as error:
        raise ArchiveError(f"{file}: no WACZ file: {error}") from error
    with packed:
        members = [member for member in packed.infolist() if member.filename.endswith(WARC)]
        # before anything is unpacked
        if sum(member.file_size for member in members) > MAX_RATIO * file.stat().st_size:
            raise ArchiveError(f"{file}: unpacks to more than {MAX_RATIO} times its size, and is not read")
        for member in members:
            try:
                with packed.open(member) as stream:
                    yield from read_warc(stream, f"{file}:{member.filename}")
            except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError):
                yield Skipped(Skip.DAMAGED, f"{file}:{member.filename}")


def read_warc_file(file: Path) -> Iterator[Record | Skipped]:
    """Yield the pages of a WARC file; skip damaged records."""
    with file.open("rb") as stream:
        yield from read_warc(stream, str(file))


def read_warc(stream: IO[bytes], name: str) -> Iterator[Record | Skipped]:
    """Yield the pages of a WARC file that is open.

    Raises:
        ArchiveError: if the file is compressed by zstd, and no zstd library is installed.
    """
    source = _Source(stream, name)
    number = damages = 0
    record: Record | Skipped | None = None
    while True:
        line = source.line()
        # writers differ in the number of empty lines behind a record
        if line and not line.strip():
            continue
        # damage in the file mostly damages a record, and this was reported already
        if source.damages > damages and not (isinstance(record, Skipped) and record.why is Skip.DAMAGED):
            yield Skipped(Skip.DAMAGED, f"{name}, behind record {number}")
        damages = source.damages
        if not line:
            return
        number += 1
        if _VERSION.fullmatch(line):
            record = _read_record(source, f"{name}, record {number}")
        else:
            source.skip_to_record()
            record = Skipped(Skip.DAMAGED, f"{name}, record {number}")
        if record is not None:
            yield record


def _read_record(source: _Source, where: str) -> Record | Skipped | None:
    """Read a record behind the first line; None if it neither is a page nor stands for a page."""
    headers = _read_headers(source)
    declared = headers.get("content-length", "")
    # int() reads "١٢" and "1_000" as well
    if not (declared.isascii() and declared.isdigit() and len(declared) < 19):
        source.skip_to_record()
        return Skipped(Skip.DAMAGED, where)
    length = int(declared)
    if length > MAX_BYTES:
        # a length that is much too large must not cost the rest of the file
        is_wrong = source.skip_to_record(length) or not source.ends_at(0)
        return Skipped(Skip.DAMAGED if is_wrong else Skip.TOO_LARGE, where) if is_wrong or _is_page(headers) else None
    if not source.ends_at(length):
        # the length is wrong, or bytes are missing: the next record may begin within this length
        source.skip_to_record()
        return Skipped(Skip.DAMAGED, where)
    block = source.read(length)
    return _page_of(headers, block, where) if _is_page(headers) else None


def _read_headers(source: _Source) -> dict[str, str]:
    lines, size = [], 0
    while (line := source.line()).strip() and size < _HEADERS:
        lines.append(line)
        size += len(line)
    return headers_of(lines)


def _is_page(headers: dict[str, str]) -> bool:
    """Return whether a record may be a page, or stand for a page: a response, a resource, or a revisit."""
    address = headers.get("warc-target-uri", "").strip("<>").lower()
    is_request = headers.get("warc-type") not in {"response", "resource", "revisit"}
    return not is_request and not address.startswith(("dns:", "whois:", "metadata:", "urn:"))


def _page_of(headers: dict[str, str], block: bytes, where: str) -> Record | Skipped:
    url = headers.get("warc-target-uri", "").strip("<>")  # wget 1.19 writes <>
    names = (("warc_date", "warc-date"), ("record_id", "warc-record-id"))
    columns = {column: headers[name] for column, name in names if name in headers}
    # a revisit repeats an earlier response, and has headers at most
    if headers["warc-type"] == "revisit" or not block:
        return Skipped(Skip.NO_BODY, where)
    if headers["warc-type"] == "resource":
        return page_of(url, None, {"content-type": headers.get("content-type", "")}, block, where, columns)
    status, end = _STATUS.match(block), _END_OF_HEADERS.search(block)
    # 100 Continue and 103 Early Hints come before the response
    while status and end and status[1].startswith(b"1") and (later := _STATUS.match(block, end.end())):
        status, end = later, _END_OF_HEADERS.search(block, later.end())
    if status is None:
        return Skipped(Skip.DAMAGED, where)
    if end is None:
        return Skipped(Skip.NO_BODY, where)
    of_response = headers_of(block[status.end() : end.start()].splitlines())
    return page_of(url, int(status[1]), of_response, block[end.end() :], where, columns)


class _Source:
    """The content of a file that may consist of members of gzip or frames of zstd; damaged parts are left out.

    Attributes:
        damages: members so far that are damaged or cut, and gaps between members.
    """

    def __init__(self, stream: IO[bytes], name: str) -> None:
        self.damages = 0
        self._blocks = self._decompressed(stream, name)
        self._next = bytearray()  # removing bytes at the start costs nothing

    def _decompressed(self, stream: IO[bytes], name: str) -> Iterator[bytes]:
        raw = stream.read(_BLOCK)
        if raw.startswith(_GZIP):
            yield from self._members(raw, stream, _GZIP, partial(zlib.decompressobj, 16 + zlib.MAX_WBITS), zlib.error)
        elif raw.startswith((ZSTD_MAGIC, _DICTIONARY)):
            raw, new, error = _of_zstd(raw, stream, name)
            yield from self._members(raw, stream, ZSTD_MAGIC, new, error)
        else:
            while raw:
                yield raw
                raw = stream.read(_BLOCK)

    def _members(
        self, raw: bytes, stream: IO[bytes], magic: bytes, new: Callable[[], Any], error: type[Exception]
    ) -> Iterator[bytes]:
        while True:
            decompressor, is_lost = new(), False
            try:
                while not decompressor.eof:
                    # zstd's decompressor keeps unread input, zlib's returns it
                    if getattr(decompressor, "needs_input", True):
                        raw = raw or stream.read(_BLOCK)
                        if not raw:
                            self.damages += 1
                            return
                    yield decompressor.decompress(raw, _BLOCK)
                    raw = getattr(decompressor, "unconsumed_tail", b"")
                raw = decompressor.unused_data
            except error:
                is_lost, raw = True, raw[1:]
            while (start := raw.find(magic)) < 0:
                # files are padded with zeros
                is_lost = is_lost or bool(raw.strip(b"\0"))
                more = stream.read(_BLOCK)
                if not more:
                    self.damages += is_lost
                    return
                raw = raw[1 - len(magic) :] + more
            self.damages += is_lost or bool(raw[:start].strip(b"\0"))
            raw = raw[start:]

    def _more(self) -> bool:
        """Get a block; False at the end."""
        block = next(self._blocks, None)
        self._next += block or b""
        return block is not None

    def _has(self, size: int) -> bool:
        """Get so many bytes; False if there are fewer."""
        while len(self._next) < size and self._more():
            pass
        return len(self._next) >= size

    def line(self) -> bytes:
        """Read a line, cut at the most bytes of headers; empty at the end."""
        while (end := self._next.find(b"\n", 0, _HEADERS) + 1) == 0 and len(self._next) <= _HEADERS and self._more():
            pass
        return self.read(end or min(len(self._next), _HEADERS))

    def read(self, size: int) -> bytes:
        """Take bytes from the buffer."""
        data = bytes(self._next[:size])
        del self._next[:size]
        return data

    def ends_at(self, size: int) -> bool:
        """Return whether a record ends behind so many bytes: with two empty lines, or before a record or the end."""
        # nothing is taken: if the length is wrong, the next record may begin in these bytes
        if self._has(size + 4) and self._next.startswith(b"\r\n\r\n", size):
            return True
        self._has(size + _BLANK + _LONGEST_VERSION)
        return len(self._next) >= size and _END_OF_RECORD.match(self._next, size) is not None

    def skip_to_record(self, most: int = sys.maxsize) -> bool:
        """Skip to the first line of a record, at most so many bytes; return whether there is a record."""
        while most > 0:
            version = _VERSION.search(self._next, 0, most)
            # the line may continue in the next block
            step = version.start() if version else min(most, max(len(self._next) - _LONGEST_VERSION, 0))
            del self._next[:step]
            most -= step
            if version:
                return True
            if most and not self._more():
                del self._next[:most]
                break
        return False


def _of_zstd(raw: bytes, stream: IO[bytes], name: str) -> tuple[bytes, Callable[[], Any], type[Exception]]:
    """Read the dictionary of a file; return the bytes behind it, a maker of decompressors, and their error."""
    if (zstd := zstd_library()) is None:
        raise ArchiveError(f"{name}: zstd needs a library: pip install backports.zstd")
    dictionary = None
    if raw.startswith(_DICTIONARY):
        end = 8 + int.from_bytes(raw[4:8], "little")
        raw += stream.read(max(min(end, _MOST_DICTIONARY) - len(raw), 0))
        content, raw = raw[8:end], raw[end:]
        try:
            if content.startswith(ZSTD_MAGIC):
                content = zstd.ZstdDecompressor().decompress(content, _MOST_DICTIONARY)
            dictionary = zstd.ZstdDict(content)
        except (zstd.ZstdError, ValueError) as error:
            raise ArchiveError(f"{name}: its dictionary is damaged: {error}") from error
    return raw, partial(zstd.ZstdDecompressor, dictionary), zstd.ZstdError
