"""Texts of a page, line by line."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from templex_scrapy import cython
from templex_scrapy.page import NodeArrays

CELL, LINE, PARAGRAPH, CODE = 1, 2, 3, 4
"""Kinds of elements: texts beside a cell are a space apart; code is a paragraph whose lines are kept."""

_CLOSING = frozenset(',:;.!?")')


@cython.ccall
@cython.returns(str)
@cython.locals(
    kinds=bytes, part="Py_ssize_t", texts=tuple, sizes="const int[::1]", ids="const int[::1]", continued=frozenset,
    left_out=bytearray, pieces=list, before=str, text=str, words=str, position="Py_ssize_t", end="Py_ssize_t",
    root="Py_ssize_t", kind="int", gap="int", ends=list, gaps=list, continues="bint",
)  # fmt: skip
def write_nodes(  # noqa: C901 - in one function, the loop over the nodes is C
    arrays: NodeArrays, kinds: bytes, roots: Iterable[int], part: int, code: Callable[[int], str]
) -> str:
    """Return the part at a position, without the subtrees at ``roots``, as text.

    ``kinds`` has the kind of each start tag, or 0; ``code`` returns the text of the code at a position.
    """
    texts, sizes, ids, continued = arrays.texts, arrays.sizes, arrays.ids, arrays.continued
    left_out = bytearray(len(texts))
    for root in roots:
        left_out[root] = 1
    position, end = part, part + sizes[part]
    pieces: list[str] = []
    before, gap = "", 0
    ends, gaps = [end + 1], [0]  # of the elements under way that are no part of a line
    while position < end:
        while position >= ends[-1]:
            ends.pop()
            gap = max(gap, gaps.pop())
        text = texts[position]
        kind = kinds[ids[position]] if text is None else 0
        if left_out[position]:
            if text is None:
                gap = max(gap, CELL)  # "12<div>an advertisement</div>.75" is no number
            position += sizes[position]
            continue
        if kind:
            gap = max(gap, kind)
            ends.append(position + sizes[position])
            gaps.append(kind)
            if kind == CODE:
                text = code(position)
        words = "" if text is None else text if kind == CODE else text.strip()
        if kind != CODE and ("  " in words or not words.isprintable()):  # most are single spaces
            words = " ".join(words.split())
        if text is not None and words:
            continues = position in continued and not left_out[position - 1]  # no element is between the texts
            if before and gap >= LINE:
                pieces.append("\n" if gap == LINE else "\n\n")
            # "see (<b>here</b>), <i>there</i>" has no space behind "(" and before ")" and ","
            elif before and (
                gap
                or before[-1].isspace()
                or (text[0].isspace() if continues else words[0] not in _CLOSING and before[-1] != "(")
            ):
                pieces.append(" ")
            pieces.append(words)
            before, gap = text, 0
        position += sizes[position] if kind == CODE else 1
    return "".join(pieces)
