"""Words, hyperlinks and sums over the nodes of a page, each computed in one pass."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from templex_scrapy.page.nodes import NodeArrays

INLINE = frozenset(
    """
    a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q rp rt ruby s samp small span
    strike strong sub sup time tt u var wbr
    """.split()
)
"""Tags of elements that do not separate words: what is before, in and behind them is on one line."""

HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
"""Tags of headings."""

# Scripts without blanks between words: Thai, Lao, Burmese, Khmer, kana, Han.
_UNSPACED_RANGES = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_UNSPACED = re.compile(f"[{_UNSPACED_RANGES}]")
# and spaces that are not in Latin-1
_UNCOMMON = re.compile(f"[{_UNSPACED_RANGES}\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]")
_ASCII = bytes(range(128))
_LONG = 100
_MARKS = bytes(ord(" " if chr(code).isspace() else "x") for code in range(256))


def count_words(text: str) -> int:
    """Count words; in scripts without blanks between words each character counts as one."""
    return len(text.split() if text.isascii() else _UNSPACED.sub(" x ", text).split())


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


def is_hyperlink(tag_string: str) -> bool:
    """Return whether a start tag is that of a hyperlink node: an ``a`` with ``href`` (Definition 4.1.3)."""
    return tag_string.startswith("<a ") and ' href="' in tag_string


def is_link_text(arrays: NodeArrays, position: int) -> bool:
    """Return whether the parent of a text node is an ``a``."""
    parent = arrays.tag_strings[arrays.parents[position]]
    return parent.startswith(("<a ", "<a>"))


def subtree_sums(arrays: NodeArrays, values: Iterable[int]) -> list[int]:
    """Sum a value of each node over its subtree, the node itself included; O(number of nodes)."""
    totals = list(values)
    for position in range(len(totals) - 1, 0, -1):
        totals[arrays.parents[position]] += totals[position]
    return totals


def depths(arrays: NodeArrays) -> list[int]:
    """Return the number of edges between node 0 and each node; O(number of nodes)."""
    found = [0] * len(arrays.tag_strings)
    for position in range(1, len(found)):
        found[position] = found[arrays.parents[position]] + 1
    return found


def subtree_positions(arrays: NodeArrays, roots: Iterable[int]) -> frozenset[int]:
    """Positions of all nodes of some subtrees, given by their roots."""
    return frozenset(position for root in roots for position in range(root, root + arrays.sizes[root]))


def subtree_flags(arrays: NodeArrays, roots: Iterable[int]) -> bytearray:
    """Flag 1 for all nodes of some subtrees, given by their roots."""
    flags = bytearray(len(arrays.sizes))
    for root in roots:
        flags[root : root + arrays.sizes[root]] = b"\1" * arrays.sizes[root]
    return flags
