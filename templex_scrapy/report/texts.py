"""Texts of pages as the report shows them: on one line, of limited length, without invisible characters."""

from __future__ import annotations

import unicodedata

_MAX_URL = 300  # characters: some shops write the whole state of their filters into it
_JOINERS = "\u200c\u200d"  # without them words of Persian and Hindi read otherwise


def one_line(text: str, limit: int | None = None) -> str:
    """Return a text on one line without characters that are invisible or change the direction of what follows."""
    line = "".join(map(_visible, " ".join(text.split())))
    return line if limit is None or len(line) <= limit else line[: max(limit - 1, 0)].rstrip() + "…"


def _visible(character: str) -> str:
    if character.isprintable() or character in _JOINERS:
        return character
    # U+202E would show the text behind it, and so the selector beside it, from right to left
    return "" if unicodedata.category(character) == "Cf" else "\ufffd"


def shown_url(url: str) -> str:
    """Return a URL as text."""
    return one_line(url, _MAX_URL)
