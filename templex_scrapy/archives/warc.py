"""Read pages of WARC files, plain or compressed by gzip or zstd, and of WACZ files.

FastWARC and warcio would save code. But they stop at the first record of a wrong length, and at a damaged member of
gzip; this reader continues with the rest of the file.
"""

from __future__ import annotations

import os
import re
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import IO, Any, cast

from templex_scrapy.archives.http_responses import GZIP, ZSTD_MAGIC, headers_of, page_of, zstd_library
from templex_scrapy.archives.records import MAX_BYTES, ArchiveError, Record, Skip, Skipped

WARC = (".warc", ".warc.gz", ".warc.zst")

# most unpacked bytes for each byte of a WACZ file: HTML shrinks to a tenth, and archives compress it only once
_MOST_RATIO = 100
_BLOCK = 65_536  # bytes that are read at once
_HEADERS = 65_536  # bytes of the headers of a record, at most
_DICTIONARY = b"\x5d\x2a\x4d\x18"  # begins the frame that has the dictionary of all others
_MOST_DICTIONARY = 16_000_000  # bytes; the Archive Team's files have a dictionary
_GAP = b"\n\n\0lost bytes\0"  # stands where bytes were lost; the empty line ends the headers of a record
_VERSION = rb"WARC/\d\.\d+[ \t]{0,8}\r?\n"
_LONGEST_VERSION = 20  # most bytes of such a line
_HEAD = re.compile(_VERSION + rb"((?:[^\r\n][^\n]*+\n)*+)\r?\n")
_START = re.compile(_VERSION)
_BLANK = 64  # most bytes of empty lines behind a record, unless these are two of \r\n
_END_OF_RECORD = re.compile(rb"\r\n\r\n|\s{0,%d}(?:%s|%s|\Z)" % (_BLANK, _VERSION, _GAP))
_SPACE = re.compile(rb"\s*")
_LENGTH = re.compile(r"[0-9]{1,18}")
_STATUS = re.compile(rb"HTTP/\d(?:\.\d)? +(\d{3})")
_END_OF_HEADERS = re.compile(rb"\r?\n\r?\n")


def read_wacz(stream: IO[bytes], name: str) -> Iterator[Record | Skipped]:
    """Yield the pages of the WARC files in a WACZ file.

    Raises:
        ArchiveError: if the file is no ZIP file, or unpacks to too much.
    """
    try:
        packed = zipfile.ZipFile(stream)
    except (zipfile.BadZipFile, NotImplementedError, UnicodeDecodeError) as error:
        raise ArchiveError(f"{name}: no WACZ file: {error}") from error
    members = [member for member in packed.infolist() if member.filename.endswith(WARC)]
    # before anything is unpacked
    if sum(member.file_size for member in members) > _MOST_RATIO * stream.seek(0, os.SEEK_END):
        raise ArchiveError(f"{name}: unpacks to more than {_MOST_RATIO} times its size, and is not read")
    for member in members:
        try:
            with packed.open(member) as of_member:
                yield from read_warc(of_member, f"{name}:{member.filename}")
        except Exception as error:
            # each kind of compression raises other errors; that of a failing disk, which is no damage, has a number
            if isinstance(error, ArchiveError) or getattr(error, "errno", None) is not None:
                raise
            yield Skipped(Skip.DAMAGED, f"{name}:{member.filename}")


def read_warc(stream: IO[bytes], name: str) -> Iterator[Record | Skipped]:
    """Yield the pages of a WARC file that is open.

    Raises:
        ArchiveError: if the file is compressed by zstd, and no zstd library is installed.
    """
    source = _Source(_decompressed(stream, name))
    number = 0
    while source.skip_blank():
        number += 1
        if (record := _read_record(source)) is not None:
            yield Skipped(record, f"{name}, record {number}") if isinstance(record, Skip) else record


def _read_record(source: _Source) -> Record | Skip | None:
    """Read a record; None if it neither is a page nor stands for a page."""
    head = source.read_head()
    headers = headers_of(head)
    declared = headers.get("content-length", "")
    length = int(declared) if _LENGTH.fullmatch(declared) else -1
    # a response, a resource, or a revisit
    address = headers.get("warc-target-uri", "").strip("<>").lower()
    is_other = address.startswith(("dns:", "whois:", "metadata:", "urn:"))
    is_page = headers.get("warc-type") in {"response", "resource", "revisit"} and not is_other
    if length > MAX_BYTES:
        # a length that is much too large must not cost the rest of the file
        is_wrong = source.skip_to_record(length) or not source.ends_at(0)
        return Skip.DAMAGED if is_wrong else Skip.TOO_LARGE if is_page else None
    if length < 0 or not source.ends_at(length):
        # the length is wrong, or bytes are missing: the next record may begin within this length
        source.skip_to_record()
        return Skip.DAMAGED
    block = source.read(length)
    return _page_of(headers, block) if is_page else None


def _page_of(headers: Mapping[str, str], block: bytes) -> Record | Skip:
    url = headers.get("warc-target-uri", "").strip("<>")  # wget 1.19 writes <>
    names = (("warc_date", "warc-date"), ("record_id", "warc-record-id"))
    columns = {column: headers[name] for column, name in names if name in headers}
    # a revisit repeats an earlier response, and has headers at most
    if headers["warc-type"] == "revisit" or not block:
        return Skip.NO_BODY
    if headers["warc-type"] == "resource":
        return page_of(url, None, {"content-type": headers.get("content-type", "")}, block, columns)
    status, end = _STATUS.match(block), _END_OF_HEADERS.search(block)
    # 100 Continue and 103 Early Hints come before the response
    while status and end and status[1].startswith(b"1") and (later := _STATUS.match(block, end.end())):
        status, end = later, _END_OF_HEADERS.search(block, later.end())
    if status is None:
        return Skip.DAMAGED
    if end is None:
        return Skip.NO_BODY
    return page_of(url, int(status[1]), headers_of(block[status.end() : end.start()]), block[end.end() :], columns)


class _Source:
    """The content of a file, a part of which is in memory."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks = blocks
        self._next = bytearray()  # removing bytes at the start costs nothing

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

    def read(self, size: int) -> bytes:
        """Take bytes that are in memory."""
        data = bytes(self._next[:size])
        del self._next[:size]
        return data

    def skip_blank(self) -> bool:
        """Skip the empty lines before a record, whose number differs; False at the end."""
        while self._has(1):
            del self._next[: _SPACE.match(self._next).end()]  # type: ignore[union-attr]
            if self._next:
                return True
        return False

    def read_head(self) -> bytes:
        """Take the headers of a record; without the first line of a record, take a byte and return nothing."""
        self._has(_HEADERS)
        head = _HEAD.match(self._next, 0, _HEADERS)
        # the next search must not find the same line
        taken = self.read(1 if head is None else head.end())
        return b"" if head is None else taken

    def ends_at(self, size: int) -> bool:
        """Return whether a record ends behind so many bytes: with two empty lines, or before a record or the end."""
        # nothing is taken: if the length is wrong, the next record may begin in these bytes
        self._has(size + _BLANK + _LONGEST_VERSION)
        if len(self._next) < size or _END_OF_RECORD.match(self._next, size) is None:
            return False
        # of a gap within the record, the headers may have taken the empty line; looked for last, as it takes long
        return self._next.find(_GAP[2:], 0, size + len(_GAP) - 1) < 0

    def skip_to_record(self, most: int = sys.maxsize) -> bool:
        """Skip to the first line of a record, or so many bytes; return whether a record or the end comes before."""
        while not (version := _START.search(self._next, 0, most)) and len(self._next) < most:
            # the line may continue in the next block
            step = max(len(self._next) - _LONGEST_VERSION, 0)
            del self._next[:step]
            most -= step
            if not self._more():
                self._next.clear()
                return True
        del self._next[: version.start() if version else most]
        return version is not None


def _decompressed(stream: IO[bytes], name: str) -> Iterator[bytes]:
    """Yield the content of a file in blocks; ``_GAP`` where a member of gzip or a frame of zstd is damaged or cut."""
    raw = stream.read(_BLOCK)
    new: Callable[[], Any] = partial(zlib.decompressobj, 16 + zlib.MAX_WBITS)
    magic, error = GZIP, cast("type[Exception]", zlib.error)
    if raw.startswith((ZSTD_MAGIC, _DICTIONARY)):
        magic = ZSTD_MAGIC
        raw, new, error = _of_zstd(raw, stream, name)
    elif not raw.startswith(GZIP):
        yield raw
        yield from iter(partial(stream.read, _BLOCK), b"")
        return
    while True:
        decompressor, is_lost = new(), False
        try:
            while not decompressor.eof:
                # zstd's decompressor keeps unread input, zlib's returns it
                if getattr(decompressor, "needs_input", True) and not (raw := raw or stream.read(_BLOCK)):
                    yield _GAP
                    return
                yield decompressor.decompress(raw, _BLOCK)
                raw = getattr(decompressor, "unconsumed_tail", b"")
            raw = decompressor.unused_data
        except error:
            is_lost, raw = True, raw[1:]
        while (start := raw.find(magic)) < 0 and (more := stream.read(_BLOCK)):
            # files are padded with zeros
            is_lost = is_lost or bool(raw.strip(b"\0"))
            raw = raw[1 - len(magic) :] + more
        if is_lost or raw[: start if start >= 0 else None].strip(b"\0"):
            yield _GAP
        if start < 0:
            return
        raw = raw[start:]


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
