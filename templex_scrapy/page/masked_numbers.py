"""The words of texts with masked numbers: pages that differ in numbers alone have the same.

A regular expression does the same in three lines, and takes 0.14 ms for a page of 5,200 characters in place of 0.03 ms:
2 % of the time for a page of a known template. Writing UTF-32 and not UTF-8 takes 20 lines less, and twice the time.
"""

from __future__ import annotations

from templex_scrapy import cython

cython.declare(_BLANK="unsigned char", _ZERO="unsigned char", _MOST_BYTES="int")
cython.declare(_SPACE="int", _DIGIT="int", _LETTER="int", _OTHER="int", _KINDS=bytes)
_BLANK, _ZERO = b" 0"
_MOST_BYTES = 4  # of a character in UTF-8
_SPACE, _DIGIT, _LETTER, _OTHER = 0, 1, 2, 3  # kinds of characters


@cython.cfunc
@cython.returns("int")
@cython.locals(character="Py_UCS4")
def _kind(character: str) -> int:
    if character.isspace():
        return _SPACE
    if character.isdecimal():
        return _DIGIT
    return _LETTER if character.isalnum() or character == "_" else _OTHER


_KINDS = bytes([_kind(chr(code)) for code in range(128)])


@cython.ccall
@cython.locals(
    texts=tuple, text=str, size="Py_ssize_t", written="unsigned char*", count="Py_ssize_t", number="Py_ssize_t",
    is_of_word="bint", is_blank="bint", kinds="const unsigned char*", kind="int", character="Py_UCS4",
)  # fmt: skip
def mask_numbers(texts: tuple[str | None, ...]) -> bytes:  # noqa: C901, PLR0912 - calls would double the time
    """Return the words of some texts in UTF-8, one blank between them, each number that is not part of one as 0."""
    size = 0
    for text in texts:
        if text is not None:
            size += _MOST_BYTES * len(text) + 1
    all_written = bytearray(size)
    written = all_written  # compiled, a pointer to the bytes
    count, number = 0, -1  # number: where one begins that is not part of a word so far
    is_of_word = False
    kinds = _KINDS  # compiled, a pointer to the bytes
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


@cython.cfunc
@cython.returns("Py_ssize_t")
@cython.locals(written="unsigned char*", number="Py_ssize_t", count="Py_ssize_t")
def _end_number(written: bytearray, number: int, count: int) -> int:
    """Write 0 for the number that ends here, if one does; return how many bytes are written."""
    if number < 0:
        return count
    written[number] = _ZERO
    return number + 1


@cython.cfunc
@cython.returns("Py_ssize_t")
@cython.locals(written="unsigned char*", count="Py_ssize_t", code="unsigned int")
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
