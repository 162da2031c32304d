"""From a stored HTTP response to a page: status, content type, chunks and compression."""

from __future__ import annotations

import re
import sys
import zlib
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib import import_module
from io import BytesIO
from typing import Any

from w3lib.encoding import http_content_type_encoding

from templex_scrapy.archives.records import MAX_BYTES, Record, Skip

_HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})
_UNKNOWN_TYPES = frozenset({"", "application/octet-stream", "unknown/unknown"})
_LOOKS_LIKE_HTML = re.compile(rb"<(?:!doctype\s+html|html|head|body)[\s>]", re.IGNORECASE)
# servers send pictures, PDF and archives as text/html as well
_BINARY = re.compile(rb"%PDF-|\x89PNG|GIF8|\xff\xd8\xff|PK\x03\x04|\x1f\x8b|\x28\xb5\x2f\xfd|\x00\x00\x00")
_CONTROL = re.compile(rb"[\0-\x08\x0e-\x1a\x1c-\x1f]")  # bytes that no text has; iso-2022-jp has ESC
GZIP = b"\x1f\x8b\x08"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_PIECE = 4096  # bytes that are decompressed at once
_MEDIA_TYPE_END = re.compile(r"[;,\s]")  # some servers write "text/html charset=utf-8"
_HEAD = 4096  # bytes of a body in which the reader looks for a start tag
_CHUNK = re.compile(rb"([0-9a-fA-F]{1,8})[ \t]*(?:;[^\r\n]*)?\r?\n")


def page_of(
    url: str, status: int | None, headers: Mapping[str, str], body: bytes, columns: Mapping[str, Any]
) -> Record | Skip:
    """Return the page of a response, or why it is skipped. The body may be compressed, and in chunks.

    ``status`` is None if it is unknown; names of ``headers`` are in lower case.
    """
    # error pages are templates of their own, with no content at all
    if status not in {None, 200}:
        return Skip.STATUS
    declared = headers.get("content-type", "")
    media_type = _MEDIA_TYPE_END.split(declared.strip(), maxsplit=1)[0].lower()
    if media_type not in _HTML_TYPES | _UNKNOWN_TYPES:
        return Skip.NOT_HTML
    decoded = _decoded(_joined(body) if "chunked" in headers.get("transfer-encoding", "").lower() else body, headers)
    if isinstance(decoded, Skip):
        return decoded
    if not decoded.strip():
        return Skip.NO_BODY
    # a server without a type for pages sends none, or says application/octet-stream
    is_html = media_type in _HTML_TYPES or _LOOKS_LIKE_HTML.search(decoded, 0, _HEAD)
    if not is_html or _BINARY.match(decoded):
        return Skip.NOT_HTML
    of_status = {} if status is None else {"status": status}
    return Record(url, decoded, http_content_type_encoding(declared), {**columns, **of_status})


def headers_of(lines: bytes) -> dict[str, str]:
    """Return headers by name in lower case; of several with the same name, the last counts."""
    pairs = (line.partition(":") for line in lines.decode("utf-8", "replace").split("\n") if ":" in line)
    return {name.strip().lower(): value.strip() for name, _, value in pairs}


def _joined(body: bytes) -> bytes:
    """Join the chunks of a body. Some archives have joined them: such a body is returned unchanged."""
    parts, position = [], 0
    while (size := _CHUNK.match(body, position)) is not None and int(size[1], 16):
        start = size.end()
        position = start + int(size[1], 16)
        parts.append(body[start:position])
        position += 2 if body.startswith(b"\r\n", position) else 1
    return b"".join(parts) if size is not None or parts else body


def _decoded(body: bytes, headers: Mapping[str, str]) -> bytes | Skip:
    """Decompress a body. Some archives have decompressed it: such a body is returned unchanged."""
    # the header lists encodings in the order of compression
    for encoding in reversed(headers.get("content-encoding", "").lower().replace(" ", "").split(",")):
        if encoding in {"", "identity"}:
            continue
        # a MB may be a GB of zeros, so that nothing is decompressed at once
        plain = bytearray()
        try:
            for piece in _DECOMPRESS[encoding](body):
                plain += piece
                if len(plain) > MAX_BYTES:
                    return Skip.TOO_LARGE
        except Exception as error:  # noqa: BLE001 - each library raises other errors
            head = body[:_HEAD]
            is_text = b"<" in head and _CONTROL.search(head) is None
            if not _BINARY.match(head) and (is_text or _LOOKS_LIKE_HTML.search(head)):
                break
            if isinstance(error, KeyError):
                return Skip.ENCODED
            return Skip.NO_LIBRARY if isinstance(error, ImportError) else Skip.DAMAGED
        body = bytes(plain)
    return body if len(body) <= MAX_BYTES else Skip.TOO_LARGE


def _inflated(body: bytes) -> Iterator[bytes]:
    """Decompress gzip, zlib or raw deflate; of gzip all members. Like browsers, ignore bytes behind the last member."""
    # some servers send deflate without a header; that of zlib begins with \x?8
    has_header = body.startswith(GZIP) or (body[:1] or b"\0")[0] & 15 == zlib.DEFLATED
    window = zlib.MAX_WBITS + 32 if has_header else -zlib.MAX_WBITS
    at = 0
    while at == 0 or body.startswith(GZIP, at):
        inflater = zlib.decompressobj(window)
        while not inflater.eof:
            # there may be very many members: each copies a piece of the body
            piece = body[at : at + _PIECE]
            if not piece:
                raise zlib.error("cut")
            yield inflater.decompress(piece)
            at += len(piece) - len(inflater.unused_data)


def _unbrotlied(body: bytes) -> Iterator[bytes]:
    decompressor: Any = import_module("brotli").Decompressor()  # optional; Scrapy uses the same package
    # a compressed byte may stand for millions
    for start in range(0, len(body), 8):
        yield decompressor.process(body[start : start + 8])
    if not decompressor.is_finished():
        raise zlib.error("cut")


def _unzstd(body: bytes) -> Iterator[bytes]:
    """Decompress all frames of a body."""
    if (zstd := zstd_library()) is None:
        raise ImportError("zstd")
    with zstd.ZstdFile(BytesIO(body)) as file:
        yield from iter(partial(file.read, _PIECE), b"")


def zstd_library() -> Any:
    """Return the zstd module that Scrapy uses too; None if it is missing."""
    try:
        return import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")
    except ImportError:
        return None


_DECOMPRESS: dict[str, Callable[[bytes], Iterator[bytes]]] = {
    **dict.fromkeys(("gzip", "x-gzip", "deflate"), _inflated),
    "br": _unbrotlied,
    "zstd": _unzstd,
}
