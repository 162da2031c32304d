"""Words, and the tags that words depend on.

Compiled where there is a compiler (words.pxd has the types).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from templex_scrapy.compiled import IS_COMPILED

INLINE = frozenset(
    """
    a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q rp rt ruby s samp small span
    strike strong sub sup time tt u var wbr
    """.split()
)
"""Tags of elements that do not separate words: what is before, in and behind them is on one line."""

HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
"""Tags of headings."""

# Scripts without blanks between words: Han; and Thai, Lao, Burmese, Khmer and kana.
_HAN_RANGES = "\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_LETTER_RANGES = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff"
_HAN, _LETTERS = re.compile(f"[{_HAN_RANGES}]"), re.compile(f"[{_LETTER_RANGES}]")
_HAN_OF_A_WORD, _LETTERS_OF_A_WORD = 2, 4
# and spaces that are not in Latin-1
_UNCOMMON = re.compile(f"[{_HAN_RANGES}{_LETTER_RANGES}\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]")
_NUMBERS = re.compile(r"\d(?<!\w\d)\d*(?!\w)")  # \b\d+\b in half the time: not those within a word, such as part2b
_ASCII = bytes(range(128))
_LONG = 100
_MARKS = bytes(ord(" " if chr(code).isspace() else "x") for code in range(256))


def count_words(text: str) -> int:
    """Count words, so that texts of the same meaning count about the same in all scripts.

    In scripts without blanks between words two Han characters count as a word, and so do four letters of other scripts.
    """
    if text.isascii():
        return len(text.split())
    text, han = _HAN.subn(" ", text)
    text, letters = _LETTERS.subn(" ", text)
    return len(text.split()) - (-han // _HAN_OF_A_WORD) - (-letters // _LETTERS_OF_A_WORD)


def count_each(texts: Sequence[str | None]) -> list[int]:
    """Count the words of each of several texts, faster than one by one; 0 for None."""
    if IS_COMPILED:
        return [0 if text is None else _count(text) for text in texts]
    # most characters are ASCII: to delete them and search in the rest is faster
    others = "".join(filter(None, texts)).encode("utf-8", "surrogatepass").translate(None, _ASCII)
    if _UNCOMMON.search(others.decode("utf-8", "surrogatepass")):
        return [0 if text is None else count_words(text) for text in texts]
    return [0 if text is None else len(text.split()) if len(text) < _LONG else _count_in_long(text) for text in texts]


def _count(text: str) -> int:
    """Count the words of a text as :func:`count_words` does, compiled."""
    count = han = letters = 0
    in_word = False
    for character in text:
        if "!" <= character <= "~":  # most are, and need no look into a table
            count += not in_word
            in_word = True
        elif character.isspace():
            in_word = False
        elif character >= "\u0e00" and _is_han(character):
            han += 1
            in_word = False
        elif character >= "\u0e00" and _is_letter_without_blanks(character):
            letters += 1
            in_word = False
        else:
            count += not in_word
            in_word = True
    return (
        count + (han + _HAN_OF_A_WORD - 1) // _HAN_OF_A_WORD + (letters + _LETTERS_OF_A_WORD - 1) // _LETTERS_OF_A_WORD
    )


def _is_han(character: str) -> bool:
    return (
        "\u3400" <= character <= "\u9fff"
        or "\uf900" <= character <= "\ufaff"
        or "\U00020000" <= character <= "\U0003ffff"
    )


def _is_letter_without_blanks(character: str) -> bool:
    return (
        "\u0e00" <= character <= "\u0eff"
        or "\u1000" <= character <= "\u109f"
        or "\u1780" <= character <= "\u17ff"
        or "\u3040" <= character <= "\u30ff"
    )


def mask_numbers(text: str) -> str:
    """Write 0 for each number that is not part of a word, and one blank between words."""
    return _masked(text) if IS_COMPILED else _NUMBERS.sub("0", " ".join(text.split()))


def _masked(text: str) -> str:
    """Do so compiled."""
    pieces: list[str] = []
    written = position = 0
    count = len(text)
    while position < count:
        if ":" <= text[position] <= "~":  # most are, and are neither blanks nor numbers
            position += 1
            continue
        start = position
        while position < count and text[position].isspace():
            position += 1
        if position > start:
            # most are one blank, which need not be written anew
            if not start or position == count or position > start + 1 or text[start] != " ":
                pieces.append(text[written:start])
                if start and position < count:
                    pieces.append(" ")
                written = position
            continue
        while position < count and text[position].isdecimal():
            position += 1
        if position == start:
            position += 1
        elif not (start and _is_of_word(text[start - 1])) and not (position < count and _is_of_word(text[position])):
            pieces.append(text[written:start])
            pieces.append("0")
            written = position
    pieces.append(text[written:])
    return "".join(pieces)


def _is_of_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _count_in_long(text: str) -> int:
    # words begin where a space is before a mark; none is made a string
    return f" {text}".encode("latin-1", "replace").translate(_MARKS).count(b" x")
