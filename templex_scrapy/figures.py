"""Figures and texts as people read them, in logs, reports and commands."""

from __future__ import annotations

from unicodedata import category

_JOINERS = "\u200c\u200d"  # without them, words of Persian and Hindi read otherwise


def counted(count: int, one: str, many: str = "") -> str:
    """Return a number with what it counts: ``1 page``, ``2,000 pages``."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def share(before: int, after: int) -> str:
    """Return the share that was removed."""
    return percent((before - after) / before if before else 0.0)


def percent(part: float) -> str:
    """Return a share in percent."""
    # a share of 0.3% shown as 0% would look as if nothing had been removed
    return "<1%" if 0 < part < 0.005 else f"{part:.0%}"


def one_line(text: str, limit: int | None = None) -> str:
    """Return a text on one line, without characters that are invisible or control a terminal."""
    line = " ".join(text.split())
    if not line.isprintable():
        # "\x1b[2J" would clear the screen; U+202E would show the text behind it from right to left
        line = "".join(
            sign if sign.isprintable() or sign in _JOINERS else "" if category(sign) == "Cf" else "\ufffd"
            for sign in line
        )
    return line if limit is None or len(line) <= limit else line[: limit - 1].rstrip() + "…"
