"""Words, and the tags that words depend on."""

from __future__ import annotations

import re
from collections.abc import Sequence

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
    # most characters are ASCII: to delete them and search in the rest is faster
    others = "".join(filter(None, texts)).encode("utf-8", "surrogatepass").translate(None, _ASCII)
    if _UNCOMMON.search(others.decode("utf-8", "surrogatepass")):
        return [0 if text is None else count_words(text) for text in texts]
    return [0 if text is None else len(text.split()) if len(text) < _LONG else _count_in_long(text) for text in texts]


def _count_in_long(text: str) -> int:
    # words begin where a space is before a mark; none is made a string
    return f" {text}".encode("latin-1", "replace").translate(_MARKS).count(b" x")
