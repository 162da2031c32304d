"""What the votes on a key page mean for its nodes, for all combinations of the grid at once.

The rules are those of ``template.key_page`` and ``template.removal``, told with a set of combinations
where those have a flag.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_

from templex_bench.tuning.sheets import Overlay, Sheet
from templex_scrapy.page import LINKS, MEDIA
from templex_scrapy.template.blocks import MIN_NODES, Blocks, block_key
from templex_scrapy.template.removal import LISTING
from templex_scrapy.template.votes import NEARLY_ALL


@dataclass(frozen=True, slots=True)
class Findings:
    """For each node of the key page the combinations that find it.

    Attributes:
        places: template by the place alone, as the papers vote (``same=False``).
        nodes: template that says the same, as the plug-in votes (``same=True``).
        removed: what goes from the page when it is an item.
    """

    places: list[int]
    nodes: list[int]
    removed: list[int]


class Ballot:
    """The pages that vote on a key page.

    Args:
        key: the key page.
        pages: the pages of the complete subdigraph, without copies.
        overlays: those pages, laid over the key page.
        everything: the set of all combinations.
    """

    def __init__(self, key: Sheet, pages: Sequence[Sheet], overlays: Sequence[Overlay], everything: int) -> None:
        self.key = key
        self.voters = len(pages)
        self._everything = everything
        self._blocks = Blocks.common_to([key.node_values, *(page.node_values for page in pages)])
        self._place = [_at_least(votes) for votes in zip(*(one.place for one in overlays), strict=True)]
        self._same = [_at_least(votes) for votes in zip(*(one.same for one in overlays), strict=True)]

    def findings(self, votes: int) -> Findings:
        """What is found with so many votes.

        Args:
            votes: pages that must have a node, at least 1; where there are fewer, all of them.
        """
        nothing = [0] * len(self.key.said)
        if not self.voters:
            return Findings(nothing, nothing, nothing)
        needed = min(votes, self.voters) - 1
        places = [found[needed] for found in self._place]
        state = _State(self.key, self._everything, places, self._said(places, needed))
        firm = [found[self._nearly_all() - 1] for found in self._place]
        blocks = list(self._known_blocks(max(2, votes) + 1))
        state.find_blocks(blocks)
        nodes = state.repeated(firm)
        if self.voters < 2 or self.key.page.is_cut:
            return Findings(places, nodes, nothing)
        # an item is laid over the template once more
        state.find_blocks(blocks)
        return Findings(places, nodes, state.removed())

    def _nearly_all(self) -> int:
        return next(votes for votes in range(1, self.voters + 1) if votes >= NEARLY_ALL * self.voters)

    def _said(self, places: list[int], needed: int) -> list[int]:
        return [
            place if said is None else place & same[needed]
            for place, same, said in zip(places, self._same, self.key.said, strict=True)
        ]

    def _known_blocks(self, least: int) -> Iterator[int]:
        """Positions of the blocks that stand on enough pages, the key page included; in node order."""
        large = self.key.arrays.large_subtrees(MIN_NODES)
        for position in sorted(position for shape in self._blocks.shapes & large.keys() for position in large[shape]):
            if position and self._blocks.pages.get(block_key(self.key.node_values, position), 0) >= least:
                yield position


def _at_least(votes: Sequence[int], most: int | None = None) -> list[int]:
    """The combinations with at least 1, 2, … of the votes, up to all of them or ``most``."""
    counts = [0] * (len(votes) if most is None else most)
    for number, vote in enumerate(votes):
        for more in range(min(number, len(counts) - 1), 0, -1):
            counts[more] |= counts[more - 1] & vote
        counts[0] |= vote
    return counts


class _State:
    """The three flags of :class:`templex_scrapy.template.node_flags.NodeFlags`."""

    def __init__(self, key: Sheet, everything: int, place: list[int], same: list[int]) -> None:
        self._key = key
        self._arrays = key.arrays
        self._everything = everything
        self._place = list(place)
        self._same = list(same)
        self._gone = self._decided()

    def _decided(self) -> list[int]:
        """With which combinations a node may go, with all that it holds."""
        arrays = self._arrays
        gone, place = list(self._same), list(self._place)
        for position in range(len(gone) - 1, 0, -1):
            media = self._key.node_values.is_media(position)
            if media:
                gone[position] = self._same[position] & place[position]
            parent = arrays.parents[position]
            place[parent] &= place[position]
            gone[parent] &= gone[position]
        # from the top: a link or a medium goes or stays as a whole
        whole: dict[int, int] = {}
        for position in range(len(gone)):
            above = whole.get(arrays.parents[position])
            if above is not None:
                gone[position] = whole[position] = above
            elif arrays.start_tag(position).tag in _WHOLE:
                whole[position] = gone[position]
        return gone

    def find_blocks(self, blocks: Sequence[int]) -> None:
        """Add the blocks that are known, wherever they stand; then keep what may never go."""
        arrays = self._arrays
        for position, some in self._fresh(blocks).items():
            if any(arrays.start_tag(holder).tag in _WHOLE for holder in arrays.ancestors(position)):
                continue
            for below in range(position, position + arrays.sizes[position]):
                self._place[below] |= some
                self._same[below] |= some
                self._gone[below] |= some
        self._spare_listings()
        for position in arrays.frame_parents:
            for kept in (position, *arrays.ancestors(position)):
                self._gone[kept] = 0
        self._gone[0] = 0

    def _spare_listings(self) -> None:
        """Keep the rows of listings, as :func:`templex_scrapy.template.removal.protect` does."""
        arrays, own = self._arrays, self._with_own_words()
        for rows in arrays.repeated_siblings(LISTING):
            listed = _at_least([own[row] for row in rows], LISTING)[-1]
            for row in rows if listed else ():
                kept = ~(listed & own[row])
                for below in range(row, row + arrays.sizes[row]):
                    self._same[below] &= kept
                    self._gone[below] &= kept
            for holder in arrays.ancestors(rows[0]):
                self._gone[holder] &= ~listed

    def _with_own_words(self) -> list[int]:
        """With which combinations a node holds words that are its own."""
        arrays = self._arrays
        own = [0] * len(self._same)
        for position in range(len(own) - 1, 0, -1):
            if arrays.texts[position] is not None:
                own[position] = self._everything & ~self._same[position]
            own[arrays.parents[position]] |= own[position]
        return own

    def _fresh(self, blocks: Sequence[int]) -> dict[int, int]:
        """With which combinations a block is none that may go anyway, and in none that is found."""
        arrays = self._arrays
        found: dict[int, int] = {}
        holders: list[int] = []
        for position in blocks:
            while holders and position >= holders[-1] + arrays.sizes[holders[-1]]:
                holders.pop()
            some = self._everything & ~self._gone[position]
            for holder in holders:
                some &= ~found[holder]
            found[position] = some
            holders.append(position)
        return found

    def repeated(self, firm: Sequence[int]) -> list[int]:
        """The template nodes, as :func:`templex_scrapy.template.node_flags.template_nodes` tells them.

        Args:
            firm: with which combinations a node is found on nearly all pages.
        """
        arrays = self._arrays
        nodes = list(self._same)
        agrees = [0] * len(nodes)  # holds text that says the same
        speaks, holds = bytearray(len(nodes)), bytearray(len(nodes))  # directly holds text; holds text
        for position in range(len(nodes) - 1, 0, -1):
            parent = arrays.parents[position]
            if arrays.texts[position] is not None:
                speaks[parent] = holds[parent] = 1
                agrees[parent] |= self._same[position]
            elif holds[position]:
                holds[parent] = 1
                agrees[parent] |= agrees[position]
                nodes[position] &= agrees[position] if speaks[position] else agrees[position] | firm[position]
        return nodes

    def removed(self) -> list[int]:
        """With which combinations a node goes, by the rules of :mod:`templex_scrapy.template.removal`."""
        arrays, gone = self._arrays, self._gone
        for holder, texts in self._key.passages.items():
            whole = reduce(and_, (gone[text] for text in texts))
            for position in range(holder, holder + arrays.sizes[holder]):
                gone[position] &= whole
        removed = [0] * len(gone)
        for position in range(1, len(gone)):
            parent = arrays.parents[position]
            removed[position] = removed[parent]
            roots = gone[position] & ~gone[parent]
            if roots and self._key.may_be_root(position):
                removed[position] |= roots
        return removed


_WHOLE = LINKS | MEDIA
