"""Texts that lxml accepts."""

from __future__ import annotations

import re
from contextlib import suppress

# a page with <p>&#12;</p> or a lone surrogate is read, and "ValueError: All strings must be XML compatible" is raised
# where the text that was read is written into the tree
_UNWRITABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_WRITABLE_BYTES = bytes({*b"\t\n\r", *range(ord(" "), 256)})


def writable(text: str) -> str:
    """Return a text that lxml accepts: characters that XML cannot write become spaces or U+FFFD."""
    with suppress(UnicodeEncodeError):  # most texts are: to ask for that first takes a fifth of the time
        if not (text.encode().translate(None, _WRITABLE_BYTES) or "\ufffe" in text or "\uffff" in text):
            return text
    return _UNWRITABLE.sub(lambda sign: " " if sign[0].isspace() else "\ufffd", text)
