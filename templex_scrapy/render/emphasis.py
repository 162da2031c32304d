"""Marks of emphasis that a CommonMark reader reads as such."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

STRONG, STRONG_END, EMPHASIS, EMPHASIS_END = "\x01", "\x02", "\x03", "\x04"
"""Where marks are asked for; HTML has no such characters."""

BREAK = "\v"
"""A line break within a block; HTML has no such character."""

_MARKS = {STRONG: "**", EMPHASIS: "*"}
_END_OF = {STRONG_END: STRONG, EMPHASIS_END: EMPHASIS}
_SPLIT = re.compile(f"([{STRONG}{STRONG_END}{EMPHASIS}{EMPHASIS_END}{BREAK}])")
_MOVABLE = frozenset(".,:;!?")


class _Pair(NamedTuple):
    """A mark, and the places of its start and its end among the signs."""

    mark: str
    start: int
    end: int


def with_marks(line: str) -> str:
    """Return the text of a block with ``*`` and ``**`` where emphasis is asked for and a reader would see it.

    Marks do not reach over line breaks. Spaces, and punctuation that would make a mark a literal asterisk, are put
    outside; where that does not help, the marks are left out. O(length).
    """
    if STRONG not in line and EMPHASIS not in line:
        return line.replace(STRONG_END, "").replace(EMPHASIS_END, "")
    pieces = _SPLIT.split(line)
    texts, signs = _paired(pieces[::2], pieces[1::2])
    marks = dict.fromkeys(range(len(signs)), "")
    filled = [0]
    for text in texts:
        filled.append(filled[-1] + bool(text.strip()))
    waiting: list[tuple[str, int]] = []
    for place, sign in enumerate(signs):
        if sign == BREAK:
            marks[place] = BREAK
        elif sign in _MARKS:
            waiting.append((sign, place))
        else:
            mark, start = waiting.pop()
            if filled[place + 1] > filled[start + 1] and _is_read(texts, start, place):
                marks[start] = marks[place] = _MARKS[mark]
    return "".join(part for place, text in enumerate(texts) for part in (text, marks.get(place, "")))


def _paired(texts: list[str], signs: list[str]) -> tuple[list[str], list[str]]:
    """Return texts and signs where each start has an end on its line; a mark within the same mark is left out."""
    kept_texts, kept = [texts[0]], []
    partner = _partners(signs)
    open_marks: list[str] = []

    def add(sign: str) -> None:
        kept.append(sign)
        kept_texts.append("")

    for place, (sign, text) in enumerate(zip(signs, texts[1:], strict=True)):
        if sign == BREAK:
            for mark in reversed(open_marks):
                add(_end(mark))
            add(BREAK)
            for mark in open_marks:
                add(mark)
        elif place in partner:
            add(sign)
            if sign in _MARKS:
                open_marks.append(sign)
            else:
                open_marks.pop()
        kept_texts[-1] += text
    return kept_texts, kept


def _partners(signs: list[str]) -> set[int]:
    """Return the places of the starts and ends that belong together."""
    found: set[int] = set()
    waiting: list[tuple[str, int]] = []
    inside = dict.fromkeys(_MARKS, 0)
    for place, sign in enumerate(signs):
        if sign in _MARKS:
            waiting.append((sign, place))
            inside[sign] += 1
        elif sign in _END_OF and waiting and waiting[-1][0] == _END_OF[sign]:
            mark, start = waiting.pop()
            inside[mark] -= 1
            if not inside[mark]:
                found |= {start, place}
    return found


def _end(mark: str) -> str:
    return STRONG_END if mark == STRONG else EMPHASIS_END


def _is_read(texts: list[str], start: int, end: int) -> bool:
    """Move what must be outside of a mark there, and return whether both signs are read as marks."""
    first, last = start + 1, end
    while texts[first] and _is_space(texts[first][0]):
        texts[start], texts[first] = texts[start] + texts[first][0], texts[first][1:]
    inside = texts[last].rstrip()
    texts[last], texts[last + 1] = inside, texts[last][len(inside) :] + texts[last + 1]
    if not _may_start(_before(texts, start), _behind(texts, first)):
        return False
    while not _may_end(_before(texts, last), _behind(texts, last + 1)):
        if len(texts[last]) < 2 or texts[last][-1] not in _MOVABLE or texts[last][-2] == "\\":
            return False
        texts[last], texts[last + 1] = texts[last][:-1], texts[last][-1] + texts[last + 1]
    return True


def _before(texts: list[str], place: int) -> str:
    while place >= 0 and not texts[place]:
        place -= 1
    return texts[place][-1] if place >= 0 else " "


def _behind(texts: list[str], place: int) -> str:
    while place < len(texts) and not texts[place]:
        place += 1
    return texts[place][0] if place < len(texts) else " "


def _may_start(before: str, behind: str) -> bool:
    return _is_edge(behind) and (_is_letter(behind) or _is_space(before) or _is_punctuation(before))


def _may_end(before: str, behind: str) -> bool:
    return _is_edge(before) and (_is_letter(before) or _is_space(behind) or _is_punctuation(behind))


def _is_edge(sign: str) -> bool:
    return not _is_space(sign) and sign != "~"  # which GitHub's reader looks past


def _is_space(sign: str) -> bool:
    return sign in " \t\n\r\f\v" or unicodedata.category(sign) == "Zs"


def _is_punctuation(sign: str) -> bool:
    return unicodedata.category(sign)[0] == "P" or (sign.isascii() and not sign.isalnum() and not sign.isspace())


def _is_letter(sign: str) -> bool:
    """Return whether a character is no punctuation to any reader: symbols are to those of CommonMark 0.31."""
    return unicodedata.category(sign)[0] not in "PS"
