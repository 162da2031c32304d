"""Choose the subtrees to remove.

A node is removable if nothing in the subtree is the page's own. These removable nodes are kept: nodes that belong to
the content (:mod:`templex_scrapy.content.kept_repetitions`), nodes that contain a frame, and nodes that the user's
selectors preserve.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple

from templex_scrapy import cython
from templex_scrapy.content import Head, Kept, KeptParts
from templex_scrapy.page import MEDIA, NodeArrays, count_words, nodes_with, subtree_flags, without
from templex_scrapy.votes.flags import (
    EQUAL,
    LINK,
    MEDIUM,
    MOVED_AWAY,
    REMOVABLE,
    STABLE,
    VARYING,
    WHOLES,
    Mask,
    positions_of,
    where,
    with_ancestors,
)
from templex_scrapy.votes.site_texts import shares_of, with_optional_texts, with_site_texts

_VISIBLE = frozenset({"a", *MEDIA})
_CHOICES = {"button": LINK, "select": LINK}  # a choice goes or stays as a link does


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

    The nodes that the user keeps or removes are masks, empty if there are none.
    """
    shares = shares_of(arrays, flags, site_texts)
    flags = with_site_texts(arrays, flags, shares) if shares else flags
    flags = with_optional_texts(arrays, flags)
    parts = _kept_parts(arrays, flags, keep, head)
    moved = where(flags, MOVED_AWAY)
    quoted = _quoted_content(arrays, flags, moved, parts, head) if 1 in moved else moved
    if 1 in quoted:
        flags = _as_own(arrays, flags, quoted)
        parts = _kept_parts(arrays, flags, keep, head)
    repeated, links = parts.removable, bytearray(len(flags))
    if site_texts and 1 in repeated:
        links = bytearray(repeated)
        add_frame_links(arrays, flags, links, without(parts.beside, keep))
    removable = either(either(repeated, links), remove)
    roots, codes, position = [], parts.codes, removable.find(1)
    while position >= 0:
        end = position + arrays.sizes[position]
        # an element that shows nothing, such as a rule, stays unless the user selects it: it may separate kept parts
        if (
            arrays.texts_before[end] > arrays.texts_before[position]
            or remove.find(1, position, end) >= 0
            or not _VISIBLE.isdisjoint([arrays.start_tag(node).tag for node in range(position, end)])
        ):
            roots.append(position)
            for node in range(position, end):
                codes[node] = _REPEATED if repeated[node] else _LINKED if links[node] else _SELECTED
        position = removable.find(1, end)
    return Removal(tuple(roots), bytes(codes))


def _kept_parts(arrays: NodeArrays, flags: bytes, keep: bytes | bytearray, head: Head) -> KeptParts:
    removable = without(where(flags, REMOVABLE), keep)
    return KeptParts(arrays, removable, where(flags, EQUAL), where(flags, VARYING), head)


def _quoted_content(arrays: NodeArrays, flags: bytes, moved: Mask, parts: KeptParts, head: Head) -> Mask:
    """Return the nodes of moved blocks that are content, such as an article that a few other pages quote.

    A moved block in the content region is content. If the moved blocks have more words than the other content, the
    article itself may be a moved block: then the content region is chosen once more with all moved blocks as own nodes.
    """
    own = without(without(bytearray(b"\1" * len(moved)), parts.beside), where(flags, REMOVABLE))
    own_words = _words(arrays, without(own, moved))
    if _words(arrays, moved) > own_words:
        parts_if_own = _kept_parts(arrays, _as_own(arrays, flags, moved), b"", head)
        in_region = without(moved, parts_if_own.beside)
        if _words(arrays, in_region) > own_words:
            return in_region
    return without(moved, parts.beside)


def _words(arrays: NodeArrays, mask: Mask) -> int:
    texts = (arrays.texts[position] for position in positions_of(mask))
    return sum(count_words(text) for text in texts if text)


def _as_own(arrays: NodeArrays, flags: bytes, mask: Mask) -> bytes:
    """Return the flags with the nodes of a mask made the page's own."""
    changed, positions = bytearray(flags), positions_of(mask)
    for position in positions:
        changed[position] &= ~(EQUAL | MOVED_AWAY)
    for position in with_ancestors(arrays, positions):
        changed[position] &= ~REMOVABLE
    return bytes(changed)


def either(mask: Mask, other: bytes | bytearray) -> Mask:
    """Return the nodes of either mask; an empty mask has none."""
    if not other:
        return mask
    both = int.from_bytes(mask, "big") | int.from_bytes(other, "big")
    return bytearray(both.to_bytes(len(mask), "big"))


def add_frame_links(arrays: NodeArrays, flags: bytes, removable: Mask, outside: Mask) -> None:
    """Make links outside the content removable whose words the site repeats, although each leads elsewhere.

    Examples are "What links here", "Previous", and a choice of countries. Such a link goes with the element around it,
    or not at all: "Read more" behind the words of a teaser stays. Media and links without words stay, and so do choices
    between own texts of the content, or with texts that some pages lack: the sizes of a product.
    """
    # the content of frames is not compared
    may_go = without(outside, _mask(len(flags), with_ancestors(arrays, arrays.frame_parents)))
    repeated = without(where(flags, EQUAL), where(flags, VARYING))
    choices = nodes_with(arrays.of_tags(_CHOICES), arrays.ids)
    repeated = without(repeated, without(subtree_flags(arrays, choices), where(flags, STABLE)))
    is_own = without(without(bytearray(map(bool, arrays.word_counts)), outside), where(flags, EQUAL))
    between = range(is_own.find(1), is_own.rfind(1))
    may_go = without(may_go, _mask(len(flags), [choice for choice in choices if choice in between]))
    is_whole = arrays.of_tags(WHOLES | _CHOICES)
    goes = _going(arrays, is_whole, bytearray(removable), may_go, repeated)
    wholes = [node for node in nodes_with(is_whole, arrays.ids) if not removable[node]]
    stay = [node for node in wholes if not (goes[node] and goes[arrays.parents[node]])]
    removable[:] = either(removable, without(goes, subtree_flags(arrays, stay)))


def _mask(count: int, positions: Iterable[int]) -> Mask:
    mask = bytearray(count)
    for position in positions:
        mask[position] = 1
    return mask


@cython.cfunc
@cython.returns(bytearray)
@cython.locals(
    is_whole=bytes, goes=bytearray, may_go=bytearray, repeated=bytearray, ids="const int[::1]", sizes="const int[::1]",
    texts_before="const int[::1]", texts=tuple, position="Py_ssize_t", child="Py_ssize_t", end="Py_ssize_t",
    whole="int", medium="int",
)  # fmt: skip
def _going(arrays: NodeArrays, is_whole: bytes, goes: Mask, may_go: Mask, repeated: Mask) -> Mask:
    """Add to the nodes that go: repeated texts that may go, and elements that have nothing else."""
    sizes, ids, texts_before, texts = arrays.sizes, arrays.ids, arrays.texts_before, arrays.texts
    medium = MEDIUM  # compiled, this is no object
    for position in range(len(goes) - 1, 0, -1):
        if goes[position] or not may_go[position]:
            continue
        if texts[position] is not None:
            goes[position] = repeated[position]
            continue
        end, whole, child = position + sizes[position], is_whole[ids[position]], position + 1
        if whole == medium or (whole and texts_before[end] == texts_before[position]):
            continue
        while child < end and goes[child]:
            child += sizes[child]
        if child >= end:
            goes[position] = 1
    return goes
