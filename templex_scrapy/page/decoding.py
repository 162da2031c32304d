"""From bytes to text: as Scrapy 2.19 decodes a response, without Scrapy; or by what the bytes are."""

from __future__ import annotations

import re
from contextlib import suppress

from charset_normalizer import from_bytes
from w3lib.encoding import html_body_declared_encoding, html_to_unicode, read_bom, resolve_encoding

_PRESCAN = 4096  # bytes in which w3lib looks for a declared charset
_LOGICAL = re.compile(rb"\b(iso-8859-8)-[ei]\b", re.IGNORECASE)  # Python knows it without the direction


def decode(body: bytes, charset: str | None = None) -> str:
    """Return the text of a page: by its byte order mark, the charset in the page, or what the bytes look like.

    Args:
        body: the page.
        charset: the encoding in the Content-Type header, which counts more than what the page declares.
    """
    declared = read_bom(body)[0] or charset or html_body_declared_encoding(body)
    content_type = None if declared is None else f"charset={declared}"
    try:
        return html_to_unicode(content_type, body, default_encoding="ascii", auto_detect_fun=_detect)[1]
    except (LookupError, UnicodeError):
        # a page can declare any codec of Python as charset, and not all of them decode to text
        return body.decode("utf-8", "replace")


def decode_stored(body: bytes, charset: str | None = None) -> str:
    """Return the text of a stored page, which may be declared wrongly: whatever is UTF-8 is read as UTF-8.

    Without a declaration one bad byte costs one character. ``utf-16`` in a ``meta`` tag means UTF-8, as the HTML
    standard says. All else is read as by :func:`decode`.
    """
    # UTF-16 of English letters, or ISO-2022-JP, could be UTF-8
    if read_bom(body)[0] is not None or b"\0" in body or b"\x1b" in body:
        return decode(body, charset)
    text = body.decode("utf-8", "replace")
    bad = text.count("\ufffd")
    if not bad or text.encode() == body:
        return text
    if charset is None:
        declared = html_body_declared_encoding(_LOGICAL.sub(rb"\1", body[:_PRESCAN]))
        good = len(text) - len(text.encode("ascii", "ignore")) - bad
        if good > bad if declared is None else declared.startswith(("utf-16", "utf-32")):
            return text
        return decode(body, declared)
    return decode(body, _LOGICAL.sub(rb"\1", charset.encode()).decode())


def _detect(body: bytes) -> str | None:
    # what can be read as UTF-8 is UTF-8: text in another encoding can hardly ever be
    with suppress(UnicodeError):
        body.decode()
        return "utf-8"
    match = from_bytes(body).best()
    return resolve_encoding(match.encoding) if match else None
