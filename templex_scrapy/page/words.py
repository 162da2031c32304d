"""Words, and the tags that words depend on.

Compiled where there is a compiler (words.pxd has the types).
"""

from __future__ import annotations

import re
from array import array

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
_MOST_BYTES = 4  # of a character in UTF-8
_BLANK, _ZERO = b" 0"
_SPACE, _DIGIT, _LETTER, _OTHER = range(4)  # what a character is to \d, \w and \s
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


def count_each(texts: tuple[str | None, ...]) -> array[int]:
    """Count the words of each of several texts, faster than one by one; 0 for None."""
    return _count_compiled(texts) if IS_COMPILED else array("i", _count_plain(texts))


def _count_plain(texts: tuple[str | None, ...]) -> list[int]:
    # most characters are ASCII: to delete them and search in the rest is faster
    others = "".join(filter(None, texts)).encode("utf-8", "surrogatepass").translate(None, _ASCII)
    if _UNCOMMON.search(others.decode("utf-8", "surrogatepass")):
        return [0 if text is None else count_words(text) for text in texts]
    return [0 if text is None else len(text.split()) if len(text) < _LONG else _count_in_long(text) for text in texts]


def _count_compiled(texts: tuple[str | None, ...]) -> array[int]:
    all_counts = array("i", bytes(4 * len(texts)))
    counts = all_counts  # compiled, this is a view
    for index in range(len(texts)):
        text = texts[index]
        if text is not None:
            counts[index] = _count(text)
    return all_counts


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


def _kind(character: str) -> int:
    if character.isspace():
        return _SPACE
    if character.isdecimal():
        return _DIGIT
    return _LETTER if character.isalnum() or character == "_" else _OTHER


_KINDS = bytes([_kind(chr(code)) for code in range(128)])


def mask_numbers(texts: tuple[str | None, ...]) -> bytes:
    """Return the words of some texts in UTF-8, one blank between them, each number that is not part of one as 0."""
    if IS_COMPILED:
        return _mask_compiled(texts)
    words = " ".join(" ".join(filter(None, texts)).split())
    return _NUMBERS.sub("0", words).encode("utf-8", "surrogatepass")


def _mask_compiled(texts: tuple[str | None, ...]) -> bytes:  # noqa: C901, PLR0912 - calls would double its time
    size = 0
    for text in texts:
        if text is not None:
            size += _MOST_BYTES * len(text) + 1
    all_written = bytearray(size)
    written = all_written  # compiled, a pointer to its bytes
    count, number = 0, -1  # number: where one begins that is not part of a word so far
    is_of_word = False
    kinds = _KINDS  # compiled, a pointer to its bytes
    for text in texts:
        if text is None:
            continue
        is_blank = True  # <td>1</td><td>2</td> are two numbers
        for character in text:
            kind = kinds[ord(character)] if character < "\x80" else _kind(character)
            if kind == _SPACE:
                is_blank = True
                continue
            if is_blank:
                count = _end_number(written, number, count)
                if count:
                    written[count] = _BLANK
                    count += 1
                number, is_blank, is_of_word = -1, False, False
            if kind == _DIGIT:
                if not is_of_word:
                    number = count
                is_of_word = True
            else:
                is_of_word = kind == _LETTER
                if number >= 0:
                    if not is_of_word:
                        count = _end_number(written, number, count)
                    number = -1
            if character < "\x80":
                written[count] = ord(character)
                count += 1
            else:
                count = _write(written, count, ord(character))
    return bytes(all_written[: _end_number(written, number, count)])


def _end_number(written: bytearray, number: int, count: int) -> int:
    """Write 0 for the number that ends here, if one does; return how many bytes are written."""
    if number < 0:
        return count
    written[number] = _ZERO
    return number + 1


def _write(written: bytearray, count: int, code: int) -> int:
    """Write a character beyond ASCII in UTF-8, lone surrogates as well; return how many bytes are written."""
    if code < 0x800:
        written[count] = 0xC0 | code >> 6
    else:
        if code < 0x10000:
            written[count] = 0xE0 | code >> 12
        else:
            written[count] = 0xF0 | code >> 18
            count += 1
            written[count] = 0x80 | code >> 12 & 0x3F
        count += 1
        written[count] = 0x80 | code >> 6 & 0x3F
    written[count + 1] = 0x80 | code & 0x3F
    return count + 2


def _count_in_long(text: str) -> int:
    # words begin where a space is before a mark; none is made a string
    return f" {text}".encode("latin-1", "replace").translate(_MARKS).count(b" x")
