"""Templates as bytes: a head that is read at once and a compressed body, both with a digest; and back.

Head: ``tmplx``, a byte with the version of this format, 16 bytes of digest, JSON. Body: zlib's format, around the JSON
of what ``Template.to_dict`` gives; its digest stands in the head. The digests find what went wrong on the way, not what
somebody wrote on purpose, so what is read is checked as well.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, TypeVar

from templex_scrapy.stores.errors import NewerRecordError, RecordError, TemplateTooLargeError
from templex_scrapy.stores.record import Head, Retired, StoredTemplate, key_of
from templex_scrapy.template import codec
from templex_scrapy.template.template import Template

MAGIC = b"tmplx"
FORMAT = 1
"""Version of the format of heads and bodies."""

MAX_INFLATED = 32_000_000
"""Bytes that a body decompresses to, at most; the saved sites' need 7,000 to 122,000."""

MAX_HEAD = 1_000_000
"""Bytes of a head that is read, at most; one that is saved may have half of that, as others may add to it."""

_T = TypeVar("_T")

_DIGEST = 16
_START = len(MAGIC) + 1 + _DIGEST
_LEVEL = 6

MALFORMED = (ValueError, KeyError, TypeError, AttributeError, IndexError, OverflowError, RecursionError)
"""What reading hostile JSON, and looking into it, can raise."""


def encode(site: str, stored_template: StoredTemplate) -> tuple[Head, bytes]:
    """The head and the body of a template of a site; :func:`encode_head` makes the head bytes.

    Raises:
        TemplateTooLargeError: if the body has more than ``MAX_INFLATED`` bytes before compression.
    """
    data = stored_template.template.to_dict()
    plain = _dump(data)
    if len(plain) > MAX_INFLATED:
        message = f"{stored_template.template!r} has {len(plain):,} bytes; kept are {MAX_INFLATED:,} at most"
        raise TemplateTooLargeError(message)
    body = zlib.compress(plain, _LEVEL)
    head = Head(
        site=site,
        key=stored_template.key,
        kind=stored_template.kind,
        learnt=stored_template.learnt,
        updated=stored_template.updated,
        retired=stored_template.retired,
        urls=stored_template.urls,
        notes=dict(stored_template.notes),
        data_format=data["format"],
        digest=_digest(body).hex(),
        size=len(body),
        inflated=len(plain),
    )
    return head, body


def encode_head(head: Head) -> bytes:
    """The head as bytes; equal heads give equal bytes."""
    plain = _dump(
        {
            "site": head.site,
            "key": head.key,
            **about(head),
            "urls": head.urls,
            "data_format": head.data_format,
            "digest": head.digest,
            "size": head.size,
            "inflated": head.inflated,
        }
    )
    return MAGIC + bytes([FORMAT]) + _digest(plain) + plain


def decode_head(raw: bytes, site: str, key: str) -> Head:
    """The head that was stored for a site under a key.

    Raises:
        RecordError: if the bytes are anything else.
        NewerRecordError: if a later version wrote them.
    """
    if not raw.startswith(MAGIC) or len(raw) < _START:
        raise RecordError("no record of a template")
    if len(raw) > MAX_HEAD:
        raise RecordError(f"a head of {len(raw):,} bytes; {MAX_HEAD:,} are allowed")
    if raw[len(MAGIC)] > FORMAT:
        raise NewerRecordError(f"a record of version {raw[len(MAGIC)]}; this version reads {FORMAT}")
    if raw[len(MAGIC)] != FORMAT or _digest(raw[_START:]) != raw[len(MAGIC) + 1 : _START]:
        raise RecordError("its bytes have changed")
    try:
        head = _head(_load(raw[_START:]))
    except MALFORMED as error:
        raise RecordError(f"its head is malformed: {type(error).__name__}") from error
    if (head.site, head.key) != (site, key):
        raise RecordError("it belongs to another site or template")
    if head.data_format > codec.FORMAT:
        raise NewerRecordError(f"a template of format {head.data_format}; this version reads {codec.FORMAT}")
    return head


def decode_body(head: Head, body: bytes) -> Template:
    """The template whose head is given.

    Raises:
        RecordError: if the bytes are not those that were stored with the head, or make no template.
    """
    if len(body) != head.size or _digest(body).hex() != head.digest:
        raise RecordError("its bytes have changed")
    try:
        data = _load(_inflate(body, head.inflated))
        template = Template.from_dict(data)
        genuine = key_of(data) == head.key and (template.key_url, *template.page_urls) == head.urls
    except (*MALFORMED, zlib.error) as error:
        raise RecordError(f"its template is malformed: {type(error).__name__}") from error
    if not genuine:
        raise RecordError("head and template do not belong together")
    return template


def about(head: Head | StoredTemplate) -> dict[str, Any]:
    """What is known about a template, beside its names and its data, as plain data."""
    return {
        "kind": head.kind,
        "learnt": head.learnt.isoformat(),
        "updated": head.updated.isoformat(),
        "retired": head.retired and [head.retired.at.isoformat(), head.retired.reason],
        "notes": dict(sorted(head.notes.items())),
    }


def read_about(data: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a :class:`StoredTemplate` that :func:`about` wrote.

    Raises:
        ValueError, KeyError, TypeError, AttributeError, OverflowError: if the data is not of that form.
    """
    retired = data["retired"]
    return {
        "kind": _of_type(str, data["kind"]),
        "learnt": read_time(data["learnt"]),
        "updated": read_time(data["updated"]),
        "retired": None if retired is None else Retired(read_time(retired[0]), _of_type(str, retired[1])),
        "notes": {_of_type(str, name): _of_type(str, note) for name, note in data["notes"].items()},
    }


def read_time(text: object) -> datetime:
    """A time that was written in UTC.

    Raises:
        ValueError, TypeError: if it is not of that form.
    """
    time = datetime.fromisoformat(_of_type(str, text))
    if time.tzinfo is None:
        raise ValueError("a time without a zone")
    return time.astimezone(UTC)


def merge(known: Head, other: Head) -> Head:
    """What is right where two have stored a template under the same key.

    The one learnt later wins, then the one updated later, then the one of more pages. It stays retired if either is,
    unless it was learnt after that. The order in which templates are merged, and how often, does not matter.
    """
    winner = max(known, other, key=_rank)
    marks = [head.retired for head in (known, other) if head.retired and head.retired.at >= winner.learnt]
    return _with_retired(winner, max(marks, default=None))


def _rank(head: Head) -> tuple[datetime, datetime, int, bytes]:
    return head.learnt, head.updated, len(head.urls), encode_head(_with_retired(head, None))


def _with_retired(head: Head, retired: Retired | None) -> Head:
    return Head(**{**vars(head), "retired": retired})


def _head(data: dict[str, Any]) -> Head:
    return Head(
        site=_of_type(str, data["site"]),
        key=_of_type(str, data["key"]),
        urls=tuple(_of_type(str, url) for url in _of_type(list, data["urls"])),
        data_format=_of_type(int, data["data_format"]),
        digest=_of_type(str, data["digest"]),
        size=_of_type(int, data["size"]),
        inflated=_of_type(int, data["inflated"]),
        **read_about(data),
    )


def _inflate(body: bytes, size: int) -> bytes:
    if not 0 <= size <= MAX_INFLATED:
        raise ValueError(f"{size} bytes")
    inflater = zlib.decompressobj()
    plain = inflater.decompress(body, size + 1)
    if len(plain) != size or not inflater.eof or inflater.unused_data:
        raise ValueError(f"not {size} bytes")
    return plain


def _digest(raw: bytes) -> bytes:
    return hashlib.blake2b(raw, digest_size=_DIGEST).digest()


def _dump(data: object) -> bytes:
    # texts of pages may hold half a surrogate pair, which has to come back as it was
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def _load(raw: bytes) -> Any:
    return json.loads(raw.decode("utf-8", "surrogatepass"))


def _of_type(kind: type[_T], value: object) -> _T:
    if not isinstance(value, kind) or isinstance(value, bool):
        raise TypeError(f"a {type(value).__name__}")
    return value
