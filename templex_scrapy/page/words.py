"""Words, and the tags that words depend on."""

from __future__ import annotations

from array import array

from templex_scrapy import cython

INLINE = frozenset(
    """
    a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q rp rt ruby s samp small span
    strike strong sub sup time tt u var wbr
    """.split()
)
"""Tags of elements that do not separate words: what is before, in and behind them is on one line."""

HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
"""Tags of headings."""

cython.declare(_HAN_OF_A_WORD="int", _LETTERS_OF_A_WORD="int")
_HAN_OF_A_WORD, _LETTERS_OF_A_WORD = 2, 4


@cython.ccall
@cython.returns("int")
@cython.locals(text=str, count="int", han="int", letters="int", in_word="bint", character="Py_UCS4")
def count_words(text: str) -> int:
    """Count words, so that texts of the same meaning count about the same in all scripts.

    In scripts without blanks between words two Han characters count as a word, and so do four letters of other scripts.
    """
    count = han = letters = 0
    in_word = False
    for character in text:
        if "!" <= character <= "~":  # most are, and need no look into a table
            count += not in_word
            in_word = True
        elif character.isspace():
            in_word = False
        elif (  # Han
            "\u3400" <= character <= "\u9fff"
            or "\uf900" <= character <= "\ufaff"
            or "\U00020000" <= character <= "\U0003ffff"
        ):
            han += 1
            in_word = False
        elif (  # Thai and Lao, Burmese, Khmer, kana
            "\u0e00" <= character <= "\u0eff"
            or "\u1000" <= character <= "\u109f"
            or "\u1780" <= character <= "\u17ff"
            or "\u3040" <= character <= "\u30ff"
        ):
            letters += 1
            in_word = False
        else:
            count += not in_word
            in_word = True
    return (
        count + (han + _HAN_OF_A_WORD - 1) // _HAN_OF_A_WORD + (letters + _LETTERS_OF_A_WORD - 1) // _LETTERS_OF_A_WORD
    )


@cython.ccall
@cython.locals(texts=tuple, counts="int[::1]", index="Py_ssize_t")
def count_each(texts: tuple[str | None, ...]) -> array[int]:
    """Count the words of each text; 0 for None."""
    all_counts = counts = array("i", bytes(4 * len(texts)))
    for index in range(len(texts)):
        text = texts[index]
        if text is not None:
            counts[index] = count_words(text)
    return all_counts
