"""Templates as bytes: compressed MessagePack, checked as a whole when it is read.

A record is ``zlib(MessagePack([version, learnt, Template.to_dict()]))``. It is data, never code. zlib's checksum finds
accidents; types are checked here and by ``Template.from_dict``.
"""

from __future__ import annotations

import logging
import zlib
from collections.abc import Iterable
from contextlib import suppress
from typing import Annotated, Any

import msgspec

from templex_scrapy.stores.protocol import VERSION, RecordError, StoredTemplate
from templex_scrapy.template import Template

logger = logging.getLogger(__name__)

MAX_BYTES = 16_000_000
"""Bytes of a record before compression, at most. The templates of the saved sites need 7,000 to 122,000."""

LATEST = 99_999_999_999.0
"""The latest time that is accepted, in the year 5138: later ones are no dates in Python."""


# an array: the names of the fields would be in each record
class _Record(msgspec.Struct, array_like=True, frozen=True):
    version: int
    learnt: Annotated[float, msgspec.Meta(ge=0, le=LATEST)]
    template: dict[str, Any]


_decoder = msgspec.msgpack.Decoder(_Record)


def encode(template: Template, learnt: float) -> bytes:
    """Make a record of a template.

    Raises:
        RecordError: if the template is too large, or a text in it cannot be encoded (a lone surrogate).
    """
    try:
        plain = msgspec.msgpack.encode(_Record(VERSION, learnt, template.to_dict()))
    except (ValueError, TypeError, OverflowError) as error:
        # JSON that a spider reads may contain "\ud800", which is no character: no encoding has bytes for it
        raise RecordError(f"{template!a} cannot be encoded: {error}") from error
    if len(plain) > MAX_BYTES:
        raise RecordError(f"{template!a} has {len(plain):,} bytes; stored are {MAX_BYTES:,} at most")
    return zlib.compress(plain)


def decode(record: bytes) -> tuple[Template, float]:
    """Return a stored template, and when it was learnt.

    Raises:
        RecordError: if the record is damaged, too large, or of another version.
    """
    try:
        # not zlib.decompress(): 16 kB made to do harm inflate to 16 MB, and 16 MB to 16 GB
        plain = zlib.decompressobj().decompress(record, MAX_BYTES + 1)
        if len(plain) > MAX_BYTES:
            raise RecordError(f"a record of more than {MAX_BYTES:,} bytes")
        data = _decoder.decode(plain)
        if data.version != VERSION:
            raise RecordError(f"a record of version {data.version}; this is version {VERSION}")
        template = Template.from_dict(data.template)
    except (ValueError, RecursionError, zlib.error) as error:
        raise RecordError(f"a damaged record: {error}") from error
    return template, data.learnt


def merge(stored: bytes | None, new: StoredTemplate) -> bytes | None:
    """Return the record of a template; None if the stored template of the same key tells as much, and is kept.

    Raises:
        RecordError: if the new template cannot be encoded.
    """
    learnt = new.learnt
    if stored is not None:
        with suppress(RecordError):  # the new template is better than a damaged record
            template, earlier = decode(stored)
            if not new.template.tells_more_than(template):
                return None
            # a template that grows in this crawl was learnt in an earlier crawl, and counts as loaded from the store
            learnt = min(earlier, learnt)
    return encode(new.template, learnt)


class RecordReader:
    """Reads the records of a store; ``skipped`` counts damaged records, of which the first is logged as a warning."""

    def __init__(self) -> None:
        self.skipped = 0

    def read(self, site: str, records: Iterable[tuple[float, bytes]]) -> list[StoredTemplate]:
        """Decode records, given with the times when they were last used."""
        templates = []
        for used, record in records:
            try:
                template, learnt = decode(record)
            except RecordError as error:
                self.skipped += 1
                # a disk that fails may damage thousands of records
                level = logging.WARNING if self.skipped == 1 else logging.DEBUG
                logger.log(level, "The template store skips a template of %s: %s", site, error)
            else:
                templates.append(StoredTemplate(template, learnt, min(max(used, 0.0), LATEST)))
        return templates
