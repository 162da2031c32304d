"""Texts of a page, line by line."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from templex_scrapy import cython
from templex_scrapy.page import NodeArrays

LINE, PARAGRAPH, CODE, CELL = 1, 2, 3, 4  # what elements are; code is a paragraph whose lines are kept
_CLOSING = frozenset(',:;.!?")')


@cython.ccall
@cython.returns(str)
@cython.locals(text=str, words=str, was_space="bint")
def spaced(text: str) -> str:
    """Return a text with one space between words; most texts stay as they are."""
    words = text.strip()
    was_space = False
    for character in words:
        if "!" <= character <= "~":  # most are
            was_space = False
        elif character.isspace():
            if was_space or character != " ":
                return " ".join(words.split())
            was_space = True
        else:
            was_space = False
    return words


class TextWriter:
    """Joins texts with a space, a line end or a blank line; no space stands before closing punctuation."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._before = ""  # the text before
        self._gap = 0  # line ends since then
        self._is_apart = False  # a space is needed whatever follows

    def end(self, kind: int) -> None:
        """End a line or a paragraph; at a cell, or behind a removed element, a space comes before the next text."""
        if kind == CELL:
            self._is_apart = True
        else:
            self._gap = max(self._gap, kind)

    @cython.locals(words=str, before=str)
    def write(self, text: str, continues: bool) -> None:  # noqa: FBT001 - by position it is compiled better
        """Write a text; ``continues`` if no element is between it and the text before."""
        words = spaced(text)
        if not words:
            return
        before = self._before
        if self._gap:
            if before:
                self._pieces.append("\n" if self._gap == LINE else "\n\n")
            self._gap = 0
        # "see (<b>here</b>), <i>there</i>" has no blank behind "(" and before ")" and ","
        elif before and (
            self._is_apart
            or before[-1].isspace()
            or (continues and text[0].isspace())
            or not (continues or words[0] in _CLOSING or before[-1] == "(")
        ):
            self._pieces.append(" ")
        self._pieces.append(words)
        self._before, self._is_apart = text, False

    def write_code(self, code: str) -> None:
        """Write a paragraph as it is."""
        if code:
            if self._before:
                self._pieces.append("\n\n")
            self._pieces.append(code)
            self._before, self._is_apart = code, False
        self._gap = PARAGRAPH

    def text(self) -> str:
        """Return the text."""
        return "".join(self._pieces)


@cython.ccall
@cython.returns(str)
@cython.locals(
    kinds=bytes, part="Py_ssize_t", texts=tuple, sizes="const int[::1]", ids="const int[::1]", continued=frozenset,
    left_out=bytearray, writer=TextWriter, position="Py_ssize_t", end="Py_ssize_t", root="Py_ssize_t", kind="int",
    ends=list, gaps=list,
)  # fmt: skip
def write_nodes(arrays: NodeArrays, kinds: bytes, roots: Iterable[int], part: int, code: Callable[[int], str]) -> str:
    """Return a part of a page without some subtrees as text.

    Args:
        arrays: the page's nodes.
        kinds: of each start tag :data:`LINE`, :data:`PARAGRAPH`, :data:`CODE`, :data:`CELL` or 0.
        roots: positions of the roots of the subtrees that are left out.
        part: position of the part.
        code: returns the text of the code at a position.
    """
    texts, sizes, ids, continued = arrays.texts, arrays.sizes, arrays.ids, arrays.continued
    left_out = bytearray(len(texts))
    for root in roots:
        left_out[root] = 1
    position, end = part, part + sizes[part]
    writer = TextWriter()
    ends, gaps = [end + 1], [0]  # of the elements under way that are no part of a line
    while position < end:
        while position >= ends[-1]:
            ends.pop()
            writer.end(gaps.pop())
        text = texts[position]
        if left_out[position]:
            if text is None:
                writer.end(CELL)  # "12<div>an advertisement</div>.75" is no number
            position += sizes[position]
        elif text is not None:
            writer.write(text, position in continued and not left_out[position - 1])
            position += 1
        else:
            kind = kinds[ids[position]]
            if kind == CODE:
                writer.write_code(code(position))
                position += sizes[position]
                continue
            if kind:
                writer.end(kind)
                ends.append(position + sizes[position])
                gaps.append(kind)
            position += 1
    return writer.text()
