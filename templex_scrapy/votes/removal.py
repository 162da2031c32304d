"""Choose the subtrees to remove.

A node is removable if nothing in the subtree is the page's own. These removable nodes are kept: nodes that belong to
the content (:mod:`templex_scrapy.content.kept_repetitions`), nodes that contain a frame, and nodes that the user's
selectors preserve.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple

from templex_scrapy import cython
from templex_scrapy.content import Head, Kept, KeptParts
from templex_scrapy.page import LINKS, MEDIA, NodeArrays, count_words, nodes_with, subtree_flags, without
from templex_scrapy.votes.flags import (
    EQUAL,
    MOVED_AWAY,
    REMOVABLE,
    STABLE,
    VARYING,
    where,
    with_ancestors,
)
from templex_scrapy.votes.site_texts import shares_of, with_optional_texts, with_site_texts

cython.declare(_REPEATED="int", _LINKED="int", _SELECTED="int", _MEDIUM="int")
cython.declare(_KEPT=tuple)

_VISIBLE = frozenset({"a", *MEDIA})
_MEDIUM = 2
_CHOICES = {"button": 1, "select": 1}
_WHOLES = dict.fromkeys(MEDIA, _MEDIUM) | dict.fromkeys(LINKS, 1) | _CHOICES


class Removed(StrEnum):
    """Why a node is removed."""

    REPEATED = "repeated"
    """Enough pages have it with the same value, at the same place or in a block, or half of the site has the text."""

    LINK = "link"
    """It is a link, button or choice outside the content with repeated words, or contains only such."""

    SELECTED = "selected"
    """The user's selectors remove it."""


_KEPT = tuple(Kept)
_REASONS: tuple[Kept | Removed | None, ...] = (None, *_KEPT, *Removed)
_REPEATED, _LINKED, _SELECTED = range(len(_KEPT) + 1, len(_REASONS))  # in the order of Removed


class Removal(NamedTuple):
    """The nodes to remove from a page, and the reason for each node that is removed, or repeated and kept.

    Attributes:
        roots: positions of the roots of the removed subtrees, in node order.
        codes: for each node the number of the reason.
    """

    roots: tuple[int, ...]
    codes: bytes

    def reason(self, position: int) -> Kept | Removed | None:
        """Return why a node is removed, or repeated and kept; None for other nodes."""
        return _REASONS[self.codes[position]]

    def of_texts(self, texts: Sequence[int]) -> tuple[list[int], dict[int, Kept]]:
        """Return the removed texts among some, and the repeated and kept texts with the reasons."""
        codes = self.codes
        kept = {text: _KEPT[codes[text] - 1] for text in texts if 0 < codes[text] < _REPEATED}
        return [text for text in texts if codes[text] >= _REPEATED], kept


def find_removal(
    arrays: NodeArrays,
    flags: bytes,
    head: Head,
    *,
    site_texts: Mapping[int, float] = MappingProxyType({}),
    keep: bytes | bytearray = b"",
    remove: bytes | bytearray = b"",
) -> Removal:
    """Choose the subtrees to remove from a page: repeated nodes that do not belong to the content.

    Args:
        arrays: the page's nodes.
        flags: their flags.
        head: what the page declares.
        site_texts: the texts of the site (:func:`.site_texts_of`).
        keep: flag 1 for the nodes that the user keeps; empty if there are none.
        remove: flag 1 for the nodes that the user removes; empty if there are none.
    """
    shares = shares_of(arrays, flags, site_texts)
    flags = with_site_texts(arrays, flags, shares) if shares else flags
    flags = with_optional_texts(arrays, flags)
    parts = _kept_parts(arrays, flags, keep, head)
    if 1 in (moved := where(flags, MOVED_AWAY)) and 1 in (own := _moved_content(arrays, flags, moved, parts, head)):
        flags = _as_own(arrays, flags, own)
        parts = _kept_parts(arrays, flags, keep, head)
    repeated, links = parts.removable, bytearray()
    if site_texts and 1 in repeated:
        links = bytearray(repeated)
        add_frame_links(arrays, flags, links, without(parts.beside, keep))
    removable = either(either(repeated, links), remove)
    roots = tuple(_largest_subtrees(arrays, removable, remove))
    _number_reasons(parts.codes, roots, arrays.sizes, repeated, links or bytearray(len(repeated)))
    return Removal(roots, bytes(parts.codes))


def _kept_parts(arrays: NodeArrays, flags: bytes, keep: bytes | bytearray, head: Head) -> KeptParts:
    removable = without(where(flags, REMOVABLE), keep)
    return KeptParts(arrays, removable, where(flags, EQUAL), where(flags, VARYING), head)


def _moved_content(arrays: NodeArrays, flags: bytes, moved: bytearray, parts: KeptParts, head: Head) -> bytearray:
    """Return the nodes of moved blocks that belong to the content, since a few pages may quote an article.

    Moved blocks between other content belong to it. If moved blocks have more words than the other content, the
    article itself may be repeated elsewhere: then the content region is read once more, as if no block had moved.
    """
    own = without(without(bytearray(b"\1" * len(moved)), parts.beside), where(flags, REMOVABLE))
    own_words = _words(arrays, without(own, moved))
    if _words(arrays, moved) > own_words:
        unmoved = _kept_parts(arrays, _as_own(arrays, flags, moved), b"", head)
        if _words(arrays, in_region := without(moved, unmoved.beside)) > own_words:
            return in_region
    return without(moved, parts.beside)


def _words(arrays: NodeArrays, nodes: bytearray) -> int:
    texts = (arrays.texts[position] for position, flag in enumerate(nodes) if flag)
    return sum(count_words(text) for text in texts if text)


def _as_own(arrays: NodeArrays, flags: bytes, nodes: bytearray) -> bytes:
    """Return the flags with some nodes made the page's own."""
    own = bytearray(flags)
    positions = [position for position, flag in enumerate(nodes) if flag]
    for position in positions:
        own[position] &= ~(EQUAL | MOVED_AWAY)
    for position in with_ancestors(arrays, positions):
        own[position] &= ~REMOVABLE
    return bytes(own)


@cython.cfunc
@cython.locals(
    codes="unsigned char[::1]", roots=tuple, sizes="const int[::1]", repeated="unsigned char[::1]",
    links="unsigned char[::1]", root="Py_ssize_t", position="Py_ssize_t",
)  # fmt: skip
def _number_reasons(
    codes: bytearray, roots: tuple[int, ...], sizes: array[int], repeated: bytearray, links: bytearray
) -> None:
    for root in roots:
        for position in range(root, root + sizes[root]):
            codes[position] = _REPEATED if repeated[position] else _LINKED if links[position] else _SELECTED


def either(flags: bytearray, others: bytes | bytearray) -> bytearray:
    """Return the flags that are set in either; empty flags set nothing."""
    if not others:
        return flags
    both = int.from_bytes(flags, "big") | int.from_bytes(others, "big")
    return bytearray(both.to_bytes(len(flags), "big"))


@cython.cfunc
@cython.returns(list)
@cython.locals(
    removable=bytearray, sizes="const int[::1]", texts_before="const int[::1]", roots=list, position="Py_ssize_t",
    end="Py_ssize_t",
)  # fmt: skip
def _largest_subtrees(arrays: NodeArrays, removable: bytearray, selected: bytes | bytearray) -> list[int]:
    """Return the roots of the largest removable subtrees, in node order.

    An element that shows nothing, such as a rule, stays unless the user has selected it: it may separate kept parts.
    """
    sizes, texts_before = arrays.sizes, arrays.texts_before
    roots: list[int] = []
    position = removable.find(1)
    while position >= 0:
        end = position + sizes[position]
        if (
            texts_before[end] > texts_before[position]
            or selected.find(1, position, end) >= 0
            or _is_visible(arrays, position, end)
        ):
            roots.append(position)
        position = removable.find(1, end)
    return roots


@cython.cfunc
@cython.returns("bint")
@cython.locals(start="Py_ssize_t", end="Py_ssize_t", position="Py_ssize_t")
def _is_visible(arrays: NodeArrays, start: int, end: int) -> bool:
    for position in range(start, end):  # noqa: SIM110 - compiled, it is faster
        if arrays.start_tag(position).tag in _VISIBLE:
            return True
    return False


def add_frame_links(arrays: NodeArrays, flags: bytes, removable: bytearray, is_outside: bytearray) -> None:
    """Make links outside the content removable whose words the site repeats, although each leads elsewhere.

    Examples are "What links here", "Previous", and a choice of countries. Such a link goes with the element around it,
    or not at all: "Read more" behind the words of a teaser stays. Media and links without words stay, and so do choices
    between own texts of the content, or with texts that some pages lack: the sizes of a product.

    Args:
        arrays: the page's nodes.
        flags: their flags.
        removable: 1 for the nodes that are removed; changed.
        is_outside: 1 for the nodes that are not content.
    """
    # the content of frames is not compared
    may_go = without(is_outside, _nodes(len(flags), with_ancestors(arrays, arrays.frame_parents)))
    repeated = without(where(flags, EQUAL), where(flags, VARYING))
    choices = nodes_with(arrays.of_tags(_CHOICES), arrays.ids)
    repeated = without(repeated, without(subtree_flags(arrays, choices), where(flags, STABLE)))
    is_own = without(without(bytearray(map(bool, arrays.word_counts)), is_outside), where(flags, EQUAL))
    between = range(is_own.find(1), is_own.rfind(1))
    may_go = without(may_go, _nodes(len(flags), [choice for choice in choices if choice in between]))
    is_whole = arrays.of_tags(_WHOLES)
    goes = _going(arrays, is_whole, bytearray(removable), may_go, repeated)
    wholes = [node for node in nodes_with(is_whole, arrays.ids) if not removable[node]]
    stay = [node for node in wholes if not (goes[node] and goes[arrays.parents[node]])]
    removable[:] = either(removable, without(goes, subtree_flags(arrays, stay)))


def _nodes(count: int, positions: Iterable[int]) -> bytearray:
    nodes = bytearray(count)
    for position in positions:
        nodes[position] = 1
    return nodes


@cython.cfunc
@cython.returns(bytearray)
@cython.locals(
    is_whole=bytes, goes=bytearray, may_go=bytearray, repeated=bytearray, ids="const int[::1]", sizes="const int[::1]",
    texts_before="const int[::1]", texts=tuple, position="Py_ssize_t", child="Py_ssize_t", end="Py_ssize_t",
    whole="int",
)  # fmt: skip
def _going(arrays: NodeArrays, is_whole: bytes, goes: bytearray, may_go: bytearray, repeated: bytearray) -> bytearray:
    """Return the flags of what goes, with the repeated texts that may go and the elements that have nothing else."""
    sizes, ids, texts_before, texts = arrays.sizes, arrays.ids, arrays.texts_before, arrays.texts
    for position in range(len(goes) - 1, 0, -1):
        if goes[position] or not may_go[position]:
            continue
        if texts[position] is not None:
            goes[position] = repeated[position]
            continue
        end, whole, child = position + sizes[position], is_whole[ids[position]], position + 1
        if whole == _MEDIUM or (whole and texts_before[end] == texts_before[position]):
            continue
        while child < end and goes[child]:
            child += sizes[child]
        if child >= end:
            goes[position] = 1
    return goes
