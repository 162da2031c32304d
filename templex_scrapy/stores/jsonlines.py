"""Stored templates as lines of JSON, to be carried from one store to another."""

from __future__ import annotations

import json
from typing import Any

from templex_scrapy.stores.errors import RecordError
from templex_scrapy.stores.protocol import MAX_COUNT
from templex_scrapy.stores.record import StoredTemplate, key_of
from templex_scrapy.stores.wire import MALFORMED, MAX_INFLATED, about, read_about, read_time
from templex_scrapy.template import Template

VERSION = 1
"""Version of the form of the lines."""

MAX_LINE = 2 * MAX_INFLATED
"""Bytes that a line may have."""


def write_line(site: str, stored: StoredTemplate) -> bytes:
    """A template of a site as one line of JSON, in UTF-8 and with the line end."""
    data = {
        "templex_template": VERSION,
        "site": site,
        "key": stored.key,
        **about(stored),
        "served": stored.served,
        "last_used": stored.last_used and stored.last_used.isoformat(),
        "template": stored.template.to_dict(),
    }
    try:
        return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
    except UnicodeEncodeError:
        # half a surrogate pair can only be escaped
        return json.dumps(data, separators=(",", ":")).encode() + b"\n"


def read_line(line: bytes) -> tuple[str, StoredTemplate]:
    """The site and the template of a line.

    Raises:
        RecordError: if it is not a line that :func:`write_line` wrote, or something in it is not as it should be.
    """
    if len(line) > MAX_LINE:
        raise RecordError(f"the line is longer than {MAX_LINE:,} bytes")
    try:
        data = json.loads(line)
        if not isinstance(data, dict) or data.get("templex_template") != VERSION:
            raise RecordError(f"no template of version {VERSION}")
        return _site(data["site"]), _stored(data)
    except MALFORMED as error:
        reason = str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
        raise RecordError(f"no template can be read from it: {reason}") from error


def _site(site: object) -> str:
    if not isinstance(site, str) or not site:
        raise ValueError("the site is no name")
    return site


def _stored(data: dict[str, Any]) -> StoredTemplate:
    template = Template.from_dict(data["template"])
    if key_of(data["template"]) != data["key"]:
        raise ValueError("the key is that of another template")
    served = data["served"]
    if not isinstance(served, int) or isinstance(served, bool) or not 0 <= served <= MAX_COUNT:
        raise ValueError("served is no number of pages")
    last_used = data["last_used"]
    return StoredTemplate(
        key=data["key"],
        template=template,
        served=served,
        last_used=None if last_used is None else read_time(last_used),
        **read_about(data),
    )
