"""Marks of emphasis that a CommonMark reader reads as such."""

from __future__ import annotations

import re
import unicodedata
from itertools import accumulate
from string import punctuation

STRONG, STRONG_END, EMPHASIS, EMPHASIS_END = "\x01", "\x02", "\x03", "\x04"
"""Where marks are asked for; HTML has no such characters."""

BREAK = "\v"
"""A line break within a block; HTML has no such character."""

_MARKS = {STRONG: "**", EMPHASIS: "*"}
_END_OF = {STRONG: STRONG_END, EMPHASIS: EMPHASIS_END}
_SPLIT = re.compile(f"([{STRONG}{STRONG_END}{EMPHASIS}{EMPHASIS_END}{BREAK}])")
_MOVABLE = frozenset(".,:;!?")


def with_marks(block: str) -> str:
    """Return the text of a block with ``*`` and ``**`` where emphasis is asked for and a reader would see it.

    Marks do not reach over line breaks. Spaces, and punctuation that would make a mark a literal asterisk, are put
    outside; where that does not help, the marks are left out. O(length).
    """
    first, *pieces = _SPLIT.split(block)
    paired = _paired(pieces[::2])
    texts, signs, open_marks = [first], list[str](), list[str]()  # signs are between texts
    for place, (sign, text) in enumerate(zip(pieces[::2], pieces[1::2], strict=True)):
        if sign == BREAK and open_marks:
            gaps = [""] * (len(open_marks) - 1)
            signs += [*(_END_OF[mark] for mark in reversed(open_marks)), *open_marks]
            texts += [*gaps, BREAK, *gaps, text]
        elif place in paired:
            if sign in _MARKS:
                open_marks.append(sign)
            else:
                open_marks.pop()
            signs.append(sign)
            texts.append(text)
        else:
            texts[-1] += f"{BREAK}{text}" if sign == BREAK else text
    marks = [""] * len(signs)
    filled = [0, *accumulate(bool(text.strip()) for text in texts)]
    waiting: list[int] = []
    for end, sign in enumerate(signs):
        if sign in _MARKS:
            waiting.append(end)
            continue
        start = waiting.pop()
        if filled[end + 1] > filled[start + 1] and _is_read(texts, start, end):
            marks[start] = marks[end] = _MARKS[signs[start]]
    return "".join(part for pair in zip(texts, [*marks, ""], strict=True) for part in pair)


def _paired(signs: list[str]) -> set[int]:
    """Return the places of starts and ends that belong together; a mark within the same mark is left out."""
    paired: set[int] = set()
    waiting: list[int] = []
    inside = dict.fromkeys(_MARKS, 0)
    for place, sign in enumerate(signs):
        if sign in _MARKS:
            waiting.append(place)
            inside[sign] += 1
        elif waiting and sign == _END_OF[mark := signs[waiting[-1]]]:
            start = waiting.pop()
            inside[mark] -= 1
            if not inside[mark]:
                paired |= {start, place}
    return paired


def _is_read(texts: list[str], start: int, end: int) -> bool:
    """Move what must be outside of a mark there, and return whether both signs are read as marks."""
    first, last = start + 1, end
    inside = texts[first]
    spaces = next((at for at, character in enumerate(inside) if not _is_space(character)), len(inside))
    texts[start], texts[first] = texts[start] + inside[:spaces], inside[spaces:]
    inside = texts[last].rstrip()
    texts[last], texts[last + 1] = inside, texts[last][len(inside) :] + texts[last + 1]
    if not _is_mark(_behind(texts, first), _before(texts, start)):
        return False
    while not _is_mark(_before(texts, last), _behind(texts, last + 1)):
        if len(texts[last]) < 2 or texts[last][-1] not in _MOVABLE or texts[last][-2] == "\\":
            return False
        texts[last], texts[last + 1] = texts[last][:-1], texts[last][-1] + texts[last + 1]
    # to GitHub's reader the mark and the word behind it are parts of an address in front of the mark
    word = texts[last].rpartition(" ")[2]
    return not ("://" in word and word[-1] != ">" and _behind(texts, last + 1).isalnum())


def _before(texts: list[str], place: int) -> str:
    return next((texts[at][-1] for at in range(place, -1, -1) if texts[at]), " ")


def _behind(texts: list[str], place: int) -> str:
    return next((texts[at][0] for at in range(place, len(texts)) if texts[at]), " ")


def _is_mark(inside: str, outside: str) -> bool:
    """Return whether a sign between two characters is read as a mark; GitHub's reader looks past a ``~``."""
    if _is_space(inside) or inside == "~":
        return False
    # symbols are punctuation to readers of CommonMark 0.31, and to no others
    is_letter = unicodedata.category(inside)[0] not in "PS"
    return is_letter or _is_space(outside) or unicodedata.category(outside)[0] == "P" or outside in punctuation


def _is_space(character: str) -> bool:
    return character in " \t\n\r\f\v" or unicodedata.category(character) == "Zs"
