"""Find blocks that several pages have word for word, at any place.

The equal top-down mapping compares nodes at the same place. A submenu that only some pages have, or a box behind a text
of varying shape, moves: tags, targets and words tell that it is the same. Only blocks of some size count, since a date
or a word may recur by chance, and a teaser may be content in two lists.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from templex_scrapy import cython
from templex_scrapy.page import NodeArrays, NodeValues, nodes_with
from templex_scrapy.votes.flags import REMOVABLE, Mask, in_wholes, protect, set_block, where
from templex_scrapy.votes.site_texts import numbers_of_texts

# an element with a date has two nodes, an entry of a list with a link three
MIN_NODES = 5
"""Nodes of a block, at least."""

# a row of empty cells, or five stars, is the same anywhere and tells nothing
MIN_WORDS = 3
"""Words of a block, at least, as :attr:`NodeArrays.word_counts` counts them in all scripts."""

# front page and category of a blog both show the newest post in full, which is all the content of the post's own page
LINKED = 0.5
"""A block with a smaller share of words in links must be on three pages: two lists may show the same article."""

_ALL = 2**64 - 1
_BASE = 0x9E3779B97F4A7C15  # an odd number with bits of all kinds, as for multiplicative hashing (Knuth, TAOCP 6.4)
_Shape = tuple[str, int, int]
"""Start tag, nodes and words, known without reading the subtree. Few subtrees share them by chance."""


class Blocks:
    """Blocks that enough pages have.

    Args:
        pages: for each block, by digest (:meth:`NodeValues.digest`), the number of pages that have it.
        shapes: start tag, nodes and words of each block.
    """

    def __init__(self, pages: dict[str, int] | None = None, shapes: Iterable[_Shape] = ()) -> None:
        self.pages = pages or {}
        self.shapes = frozenset(shapes)
        self._tag_strings = {tag_string for tag_string, _, _ in self.shapes}

    @classmethod
    def common_to(cls, pages: Sequence[NodeValues]) -> Blocks:
        """Return the blocks that at least two of the pages have; O(number of all nodes)."""
        # a digest resolves all links of a subtree: only a fingerprint that enough pages have is worth a digest
        candidates = [page.arrays.computed(_candidates) for page in pages]
        # the number of pages with a fingerprint; twice on a page counts once
        counts = Counter(fingerprint for _, _, fingerprints in candidates for fingerprint in set(fingerprints))
        having = Counter[str]()
        shapes: dict[str, _Shape] = {}
        for page, of_page in zip(pages, candidates, strict=True):
            repeated = (
                position
                for position, pages_needed, fingerprint in zip(*of_page, strict=True)
                if counts[fingerprint] >= pages_needed
            )
            # a relative link has the same fingerprint on all pages, and leads elsewhere: digests differ
            page_shapes = {page.digest(position): _shape(page.arrays, position) for position in repeated}
            shapes |= page_shapes
            having.update(page_shapes.keys())
        common = {digest: count for digest, count in having.items() if count > 1}
        return cls(common, (shapes[digest] for digest in common))

    @classmethod
    def merged(cls, known: Iterable[tuple[Blocks, int]]) -> Blocks:
        """Return the blocks that enough pages of any template have.

        Args:
            known: the blocks of each template, and the pages that a block of the template needs.
        """
        pages: dict[str, int] = {}
        shapes: set[_Shape] = set()
        for blocks, pages_needed in known:
            shapes |= blocks.shapes
            for digest, count in blocks.pages.items():
                if count >= pages_needed:
                    # templates of a site share pages, so their counts must not be added up
                    pages[digest] = max(pages.get(digest, 0), count)
        return cls(pages, shapes)

    def found_in(self, page: NodeValues, left_out: Mask, pages_needed: int) -> Iterator[int]:
        """Yield the positions of the largest subtrees of a page that are blocks of enough pages.

        A block has moved only if the page does not have it at the usual place as well: the front page of a manual has
        the table of contents in the sidebar, as all pages have it, and once more as content.

        Args:
            page: the page.
            left_out: the nodes that are template at their place.
            pages_needed: pages that must have a block.
        """
        arrays, known_tags = page.arrays, self._tag_strings
        has_known_tag = bytes([tag_string in known_tags for tag_string in arrays.distinct])
        large = [at for at in nodes_with(has_known_tag, arrays.ids) if arrays.sizes[at] >= MIN_NODES]
        # where the last block ends: only the largest blocks are told
        end = 1
        # positions of the nodes left out; most pages have all blocks at their place, and need none of this
        left_out_by_shape: defaultdict[_Shape, list[int]] | None = None
        left_out_digests: dict[_Shape, set[str]] = {}
        for position in large:
            if position < end or left_out[position]:
                continue
            shape = _shape(arrays, position)
            if shape not in self.shapes or self.pages.get(digest := page.digest(position), 0) < pages_needed:
                continue
            end = position + arrays.sizes[position]
            if left_out_by_shape is None:
                left_out_by_shape = defaultdict(list)
                for other in large:
                    if left_out[other]:
                        left_out_by_shape[_shape(arrays, other)].append(other)
            if shape not in left_out_digests:
                left_out_digests[shape] = {page.digest(other) for other in left_out_by_shape[shape]}
            if digest not in left_out_digests[shape]:
                yield position


def flag_blocks(page: NodeValues, blocks: Blocks, flags: bytearray, pages_needed: int) -> None:
    """Set the flags of the blocks that enough pages have, at any place of this page."""
    in_whole = page.arrays.computed(in_wholes)
    for position in blocks.found_in(page, where(flags, REMOVABLE), pages_needed):
        if in_whole[position]:
            continue  # a link or a medium is removed as a whole or not at all
        set_block(flags, position, position + page.arrays.sizes[position])
    protect(page.arrays, flags)


def _shape(arrays: NodeArrays, position: int) -> _Shape:
    size = arrays.sizes[position]
    return arrays.tag_strings[position], size, arrays.words(position, position + size)


def _candidates(arrays: NodeArrays) -> tuple[array[int], bytearray, array[int]]:
    """Return the subtrees that are large enough to be blocks: position, pages needed, and fingerprint; O(nodes).

    Equal subtrees have the same fingerprint, a number.
    """
    # the templates of a site indent the same box differently
    texts = array("Q", bytes(8 * len(arrays.texts)))
    for position, number in zip(arrays.text_positions, arrays.computed(numbers_of_texts)[0], strict=True):
        texts[position] = number
    is_link = bytes([tag_string.startswith("<a ") for tag_string in arrays.distinct])
    tags = array("Q", [hash(tag_string) & _ALL for tag_string in arrays.distinct])
    return _read_candidates(texts, tags, is_link, arrays.ids, arrays.sizes, arrays.words_before)


@cython.cfunc
@cython.returns(tuple)
@cython.locals(
    texts="const unsigned long long[::1]", tags="const unsigned long long[::1]", is_link="const unsigned char[::1]",
    ids="const int[::1]", sizes="const int[::1]", words="const int[::1]", nodes="Py_ssize_t", min_nodes="int",
    min_words="int", min_linked="double", hashes="unsigned long long[::1]", powers="unsigned long long[::1]",
    linked_words="int[::1]", mask="unsigned long long", base="unsigned long long",
    running_hash="unsigned long long", power="unsigned long long", node_hash="unsigned long long",
    hash_after="unsigned long long", hash_before="unsigned long long", linked="int", link_end="Py_ssize_t",
    position="Py_ssize_t", end="Py_ssize_t", subtree_words="int",
)  # fmt: skip
def _read_candidates(
    texts: array[int], tags: array[int], is_link: bytes, ids: array[int], sizes: array[int], words: array[int]
) -> tuple[array[int], bytearray, array[int]]:
    # compiled, these are no objects
    nodes, min_nodes, min_words, min_linked, mask, base = len(ids), MIN_NODES, MIN_WORDS, LINKED, _ALL, _BASE
    # before each node: a polynomial of the nodes, so that their order counts, with their sizes; the words in links
    hashes, linked_words = array("Q", bytes(8 * (nodes + 1))), array("i", bytes(4 * (nodes + 1)))
    powers = array("Q", [1]) * (nodes + 1)  # of the base
    running_hash, power = 0, 1
    # the words in links so far, and where the link ends that was entered last
    linked = link_end = 0
    for position in range(nodes):
        # of links in links, which unclosed ones become, the outermost counts
        if is_link[ids[position]] and position >= link_end:
            link_end = position + sizes[position]
        if position < link_end:
            linked += words[position + 1] - words[position]
        node_hash = texts[position] or tags[ids[position]]
        running_hash = ((running_hash + node_hash) * base + sizes[position]) & mask
        power = (power * base) & mask
        hashes[position + 1], powers[position + 1], linked_words[position + 1] = running_hash, power, linked
    positions, pages_needed, fingerprints = array("i"), bytearray(), array("Q")
    for position in range(1, nodes):
        end = position + sizes[position]
        subtree_words = words[end] - words[position]
        if sizes[position] >= min_nodes and subtree_words >= min_words:
            positions.append(position)
            pages_needed.append(2 if linked_words[end] - linked_words[position] >= min_linked * subtree_words else 3)
            # what is left of the polynomial without the nodes before the subtree
            hash_after, hash_before, power = hashes[end], hashes[position], powers[sizes[position]]
            fingerprints.append((hash_after - hash_before * power) & mask)
    return positions, pages_needed, fingerprints
