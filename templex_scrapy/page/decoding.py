"""From bytes to text, as Scrapy 2.19 decodes a response; Scrapy is not imported."""

from __future__ import annotations

from charset_normalizer import from_bytes
from w3lib.encoding import html_body_declared_encoding, html_to_unicode, read_bom, resolve_encoding


def decode(body: bytes, charset: str | None = None) -> str:
    """Return the text of a page: by its byte order mark, the charset that it declares, or what the bytes look like.

    Args:
        body: the page.
        charset: the encoding that its Content-Type header names, which counts more than what the page declares.
    """
    declared = read_bom(body)[0] or charset or html_body_declared_encoding(body)
    content_type = None if declared is None else f"charset={declared}"
    try:
        return html_to_unicode(content_type, body, default_encoding="ascii", auto_detect_fun=_detect)[1]
    except (LookupError, UnicodeError):
        # a page can declare any codec of Python as its charset, and not all of them decode to text
        return body.decode("utf-8", "replace")


def _detect(body: bytes) -> str | None:
    # what can be read as UTF-8 is UTF-8: text in another encoding can hardly ever be
    for encoding in ("ascii", "utf-8"):
        try:
            body.decode(encoding)
        except UnicodeError:
            continue
        return resolve_encoding(encoding)
    match = from_bytes(body).best()
    return resolve_encoding(match.encoding) if match else None
