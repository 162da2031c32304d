"""Why a node of a page is template or not: the votes on it, and what follows from them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from templex_scrapy.content import Kept
from templex_scrapy.page import LINKS, MEDIA, TEXT, NodeValues, values_of
from templex_scrapy.template.template import Match
from templex_scrapy.votes import MOVED, Removed


class Fate(StrEnum):
    """The fate of a node when the page is cleaned."""

    REMOVED = "removed"
    """Template, and removed with the subtree."""

    KEPT = "kept"
    """Template, and kept: something of the page's own is in it, or it is part of something that is kept."""

    OWN = "own"
    """The page's own."""


class ValueType(StrEnum):
    """The kind of value that must be equal on other pages (see ``page.node_values``)."""

    NONE = "none"
    TEXT = "text"
    TARGET = "target"
    SOURCE = "source"
    ATTRIBUTES = "attributes"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """Why a node is template or not.

    Attributes:
        fate: what becomes of it.
        value_type: the kind of value.
        voters: pages of the template that can vote, without the page itself.
        needed: votes that the node needs.
        present: voters that have the node.
        equal: voters that have it with the same value; for a node without a value, ``present``.
        removed: why it is removed; None if it is not.
        kept: why it is kept although the whole subtree is repeated; None for other nodes.
        is_moved: whether it is template because of a block that other pages have elsewhere.
    """

    fate: Fate
    value_type: ValueType
    voters: int
    needed: int
    present: int
    equal: int
    removed: Removed | None = None
    kept: Kept | None = None
    is_moved: bool = False


class Explanation:
    """The reasons for all nodes of a page.

    Args:
        match: the page compared with templates, of which the template with the best coverage counts.
    """

    def __init__(self, match: Match) -> None:
        self._match = match
        self._values = values_of(match.page)
        self._alignment = match.alignment
        self._counterparts = {} if match.alignment is None else match.alignment.mapping.positions()

    def reason(self, position: int) -> Reason:
        """Return why the node at a position of the page is what it is.

        Raises:
            IndexError: if the page has no such node.
        """
        if not 0 <= position < len(self._match.page):
            raise IndexError(f"position {position} is not in a page of {len(self._match.page)} nodes")
        value, other = self._values.value(position), self._counterparts.get(position)
        voters = needed = present = equal = 0
        reason, is_moved = self._match.removal.reason(position), False
        # a page that fits no template has no template nodes
        fate = Fate.KEPT if self._match.fits and position in self._match.nodes else Fate.OWN
        if position in self._match.removable:
            fate = Fate.REMOVED
        if self._alignment is not None:
            key, self_vote = self._alignment.template.key_page, self._alignment.self_vote
            is_moved = bool(self._alignment.flags[position] & MOVED)
            # the vote of the page itself is not told
            voters = key.ballot.pages - self_vote
            needed = key.needed(self_vote=self_vote).node - self_vote
            if other is not None:
                present = key.ballot.present[other] - self_vote
                equal = present if value is None else max(key.pages_with(other, value) - self_vote, 0)
        return Reason(
            fate=fate,
            value_type=_value_type(self._values, position, value),
            voters=voters,
            needed=needed,
            present=present,
            equal=equal,
            removed=reason if isinstance(reason, Removed) else None,
            kept=reason if isinstance(reason, Kept) else None,
            is_moved=is_moved and fate is not Fate.OWN,
        )


def _value_type(values: NodeValues, position: int, value: str | None) -> ValueType:
    if value is None:
        return ValueType.NONE
    # the value of a text is the text, whatever it is in: "Home" in a link is no target
    if values.arrays.tag_strings[position] == TEXT:
        return ValueType.TEXT
    tag = values.arrays.start_tag(position).tag
    if tag in LINKS:
        return ValueType.TARGET
    return ValueType.SOURCE if tag in MEDIA else ValueType.ATTRIBUTES
