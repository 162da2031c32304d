"""From a stored HTTP response to a page: status, content type, chunks and compression."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from w3lib.encoding import http_content_type_encoding

from templex_scrapy.archives.records import MAX_BYTES, Record, Skip, Skipped

_HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})
_UNKNOWN_TYPES = frozenset({"", "application/octet-stream", "unknown/unknown"})
_LOOKS_LIKE_HTML = re.compile(rb"<(?:!doctype\s+html|html|head|body)[\s>]", re.IGNORECASE)
# servers send pictures, PDF and archives as text/html as well
_BINARY = re.compile(rb"%PDF-|\x89PNG|GIF8|\xff\xd8\xff|PK\x03\x04|\x1f\x8b|\x00\x00\x00")
_MEDIA_TYPE_END = re.compile(r"[;,\s]")  # some servers write "text/html charset=utf-8"
_HEAD = 4096  # bytes of a body in which a start tag is looked for
_CHUNK = re.compile(rb"([0-9a-fA-F]{1,8})[ \t]*(?:;[^\r\n]*)?\r?\n")


def page_of(url: str, status: int | None, headers: Mapping[str, str], body: bytes, where: str) -> Record | Skipped:
    """Return the page of a response, or why it is none.

    Args:
        url: its address.
        status: its status; None if it is not known.
        headers: its headers, with names in lower case.
        body: its body as it was received.
        where: where it is.
    """
    # error pages are templates of their own, with no content at all
    if status not in {None, 200}:
        return Skipped(Skip.STATUS, where)
    media_type = _MEDIA_TYPE_END.split(headers.get("content-type", "").strip(), maxsplit=1)[0].lower()
    if media_type not in _HTML_TYPES | _UNKNOWN_TYPES:
        return Skipped(Skip.NOT_HTML, where)
    decoded = _decoded(_joined(body) if "chunked" in headers.get("transfer-encoding", "").lower() else body, headers)
    if isinstance(decoded, Skip):
        return Skipped(decoded, where)
    if not decoded.strip():
        return Skipped(Skip.NO_BODY, where)
    # a server without a type for pages sends none, or says application/octet-stream
    is_html = media_type in _HTML_TYPES or _LOOKS_LIKE_HTML.search(decoded, 0, _HEAD)
    if not is_html or _BINARY.match(decoded):
        return Skipped(Skip.NOT_HTML, where)
    return Record(url, decoded, http_content_type_encoding(headers.get("content-type", "")))


def headers_of(lines: list[bytes]) -> dict[str, str]:
    """Return headers by their names in lower case; the last one counts where several have one name."""
    pairs = (line.decode("utf-8", "replace").partition(":") for line in lines if b":" in line)
    return {name.strip().lower(): value.strip() for name, _, value in pairs}


def _joined(body: bytes) -> bytes:
    """Return the content of chunks; the body itself if it is not in chunks, as in archives that have joined them."""
    parts, position = [], 0
    while (size := _CHUNK.match(body, position)) is not None and int(size[1], 16):
        start = size.end()
        position = start + int(size[1], 16)
        parts.append(body[start:position])
        position += 2 if body.startswith(b"\r\n", position) else 1
    return b"".join(parts) if size is not None or parts else body


def _decoded(body: bytes, headers: Mapping[str, str]) -> bytes | Skip:
    """Return a body without its compression; bodies that the archive has decompressed already as they are."""
    # the header names them in the order in which they were applied
    for encoding in reversed(headers.get("content-encoding", "").lower().replace(" ", "").split(",")):
        decompress = _DECOMPRESS.get(encoding)
        # some archives store bodies decompressed and keep the header
        if encoding in {"", "identity"} or _LOOKS_LIKE_HTML.search(body, 0, _HEAD):
            return _bounded(body)
        if decompress is None:
            return Skip.ENCODED
        try:
            body = decompress(body)
        except ImportError:
            return Skip.ENCODED
        except Exception as error:  # noqa: BLE001 - each library has errors of its own
            return Skip.TOO_LARGE if isinstance(error, _TooLargeError) else Skip.DAMAGED
    return _bounded(body)


def _bounded(body: bytes) -> bytes | Skip:
    return body if len(body) <= MAX_BYTES else Skip.TOO_LARGE


class _TooLargeError(Exception):
    """There is more than a page may have."""


def _inflated(body: bytes, window: int) -> bytes:
    inflater = zlib.decompressobj(window)
    plain = inflater.decompress(body, MAX_BYTES + 1)
    # one MB of gzip may be one GB of zeros
    if len(plain) > MAX_BYTES:
        raise _TooLargeError
    if not inflater.eof:
        raise zlib.error("not as long as it was")
    return plain


def _deflated(body: bytes) -> bytes:
    try:
        return _inflated(body, zlib.MAX_WBITS)
    except zlib.error:
        return _inflated(body, -zlib.MAX_WBITS)  # as some servers understand the standard


def _unbrotlied(body: bytes) -> bytes:
    decompressor: Any = import_module("brotli").Decompressor()  # an optional package, the one that Scrapy uses
    plain, count = [], 0
    # a compressed byte may stand for millions
    for start in range(0, len(body), 8):
        plain.append(decompressor.process(body[start : start + 8]))
        count += len(plain[-1])
        if count > MAX_BYTES:
            raise _TooLargeError
    if not decompressor.is_finished():
        raise zlib.error("not as long as it was")
    return b"".join(plain)


_DECOMPRESS: dict[str, Callable[[bytes], bytes]] = {
    **dict.fromkeys(("gzip", "x-gzip"), lambda body: _inflated(body, 16 + zlib.MAX_WBITS)),
    "deflate": _deflated,
    "br": _unbrotlied,
}
