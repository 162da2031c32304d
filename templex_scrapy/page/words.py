"""What the detectors read off the tree of one page, each in one pass over its nodes."""

from __future__ import annotations

import re
from collections.abc import Iterable

from templex_scrapy.page.nodes import NodeArrays
from templex_scrapy.page.page import Page
from templex_scrapy.page.parse_cache import ParsedPage

LABEL = "TECO_"
"""How the class names begin with which the benchmark suite TeCo marks its gold standard."""

_CLASS = re.compile(r'\sclass="([^"]*)"')
_WRITTEN_CLASS = re.compile(r"""(\sclass\s*=\s*)("[^"]*"|'[^']*'|[^\s>"']+)""", re.IGNORECASE)
# Scripts that put no blanks between words: Thai, Lao, Burmese, Khmer, kana, Han.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)


def unlabelled(page: Page) -> Page:
    """The page without the class names of TeCo's gold standard, which no detector may see.

    Args:
        page: any page; it stays as it is.

    Returns:
        The page itself where it has no such class; else one with the same nodes at the same positions. Its digest is
        that of a source without the names, so that a copy without labels is a copy of it.
    """
    if LABEL not in page.text:
        return page
    old, new = page.arrays, NodeArrays()
    new.tag_strings = [
        _without_label(tag_string) if LABEL in tag_string else tag_string for tag_string in old.tag_strings
    ]
    new.texts, new.sizes, new.parents, new.places = old.texts, old.sizes, old.parents, old.places
    new.holds, new.depth = old.holds, old.depth
    copy = Page(page.text, page.url, aliases=page.aliases)
    copy.__dict__["reading"] = ParsedPage(new, page.reading.base)
    copy.__dict__["digest"] = Page(without_labels(page.text), page.url).digest
    if "root" in page.__dict__:
        copy.__dict__["root"] = page.root
    return copy


def without_labels(source: str) -> str:
    """The source of a page without the class names of TeCo's gold standard, all else as it was written.

    A ``class`` in which nothing else stands goes as a whole. O(length of the source).
    """
    return _WRITTEN_CLASS.sub(_rewritten, source) if LABEL in source else source


def _rewritten(written: re.Match[str]) -> str:
    start, value = written.groups()
    if LABEL not in value:
        return written[0]
    quote = value[0] if value[0] in "\"'" else ""
    names = [name for name in value.strip("\"'").split() if not name.startswith(LABEL)]
    return f"{start}{quote}{' '.join(names)}{quote}" if names else ""


def _without_label(tag_string: str) -> str:
    def rewrite(found: re.Match[str]) -> str:
        names = [name for name in found[1].split() if not name.startswith(LABEL)]
        return f' class="{" ".join(names)}"' if names else ""

    return _CLASS.sub(rewrite, tag_string, count=1)


def is_hyperlink(tag_string: str) -> bool:
    """Whether a start tag is that of a hyperlink node: an ``a`` with a web address (Definition 4.1.3)."""
    return tag_string.startswith("<a ") and ' href="' in tag_string


def is_link_text(arrays: NodeArrays, position: int) -> bool:
    """Whether a text node stands directly in an ``a``."""
    parent = arrays.tag_strings[arrays.parents[position]]
    return parent.startswith(("<a ", "<a>"))


def count_words(text: str) -> int:
    """Number of words; in scripts that put no blanks between words each character counts as one."""
    return len(text.split() if _is_western(text) else _UNSPACED.sub(" x ", text).split())


def _is_western(text: str) -> bool:
    # to try costs less than to look for the scripts in question
    try:
        text.encode("latin-1")
    except UnicodeEncodeError:
        return False
    return True


def sums(arrays: NodeArrays, values: Iterable[int]) -> list[int]:
    """For each node the sum of a value over its subtree, the node itself included; O(number of nodes)."""
    totals = list(values)
    for position in range(len(totals) - 1, 0, -1):
        totals[arrays.parents[position]] += totals[position]
    return totals


def child_counts(arrays: NodeArrays) -> list[int]:
    """Number of children of each node; O(number of nodes)."""
    counts = [0] * len(arrays.tag_strings)
    for parent in arrays.parents[1:]:
        counts[parent] += 1
    return counts


def depths(arrays: NodeArrays) -> list[int]:
    """Number of edges between node 0 and each node; O(number of nodes)."""
    found = [0] * len(arrays.tag_strings)
    for position in range(1, len(found)):
        found[position] = found[arrays.parents[position]] + 1
    return found


def subtrees(arrays: NodeArrays, roots: Iterable[int]) -> frozenset[int]:
    """The positions of some nodes and of all that they hold."""
    return frozenset(position for root in roots for position in range(root, root + arrays.sizes[root]))
