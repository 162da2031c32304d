"""Blocks that several pages have word for word, at whatever position.

The equal top-down mapping finds what is repeated at the same place. A submenu that only some pages have, or a box
behind a text of varying shape, moves; it is found by its tags, targets and words, which are the same. Only blocks of
some size count: a date or a word may recur by chance, and a teaser may be content in two lists.

Compiled where there is a compiler (blocks.pxd has the types).
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from templex_scrapy.page import LINKS, MEDIA, NodeArrays, NodeValues, cached_property
from templex_scrapy.template.votes.node_flags import BLOCK, REMOVABLE, set_flag, where
from templex_scrapy.template.votes.removable_flags import protect

# a date in its element has two nodes, a link with its entry of a list three
MIN_NODES = 5
"""Nodes of a block, at least."""

# a row of empty cells, or five stars, is the same anywhere and tells nothing
MIN_WORDS = 3
"""Words of a block, at least, as :attr:`NodeArrays.word_counts` counts them in all scripts."""

# front page and category of a blog both show the newest post in full: nothing else is its own page's content
LINKED = 0.5
"""A block with a smaller share of its words in links must be on three pages: two lists may show one article."""

_WHOLE = LINKS | MEDIA
_ALL = 2**64 - 1
_BASE = 0x9E3779B97F4A7C15  # an odd number with bits of all kinds, as for multiplicative hashing (Knuth, TAOCP 6.4)
_Shape = tuple[str, int, int]
"""Start tag, nodes and words. All three are known without reading a subtree, and few subtrees share them by chance."""


class Blocks:
    """The blocks that at least two of some pages have.

    Args:
        pages: for each block, by its digest (:meth:`NodeValues.digest`), the number of pages that have it.
        shapes: start tag, nodes and words of each block.
    """

    def __init__(self, pages: dict[str, int] | None = None, shapes: Iterable[_Shape] = ()) -> None:
        self.pages = pages or {}
        self.shapes = frozenset(shapes)

    @classmethod
    def common_to(cls, pages: Sequence[NodeValues]) -> Blocks:
        """Return the blocks that at least two of the pages have; O(number of all nodes)."""
        # a digest resolves all links of its subtree: only what is likely equal gets one
        candidates = [page.arrays.computed(_candidates) for page in pages]
        counts = Counter(likely for _, _, of_page in candidates for likely in set(of_page))
        found: dict[str, int] = {}
        shapes: dict[str, _Shape] = {}
        for page, of_page in zip(pages, candidates, strict=True):
            likely_equal = (
                position for position, least, likely in zip(*of_page, strict=True) if counts[likely] >= least
            )
            of_this_page = {page.digest(position): _shape(page.arrays, position) for position in likely_equal}
            shapes |= of_this_page
            for key in of_this_page:
                found[key] = found.get(key, 0) + 1
        common = {key: count for key, count in found.items() if count > 1}
        return cls(common, (shapes[key] for key in common))

    @classmethod
    def merged(cls, known: Iterable[tuple[Blocks, int]]) -> Blocks:
        """Merge the blocks of several templates.

        Args:
            known: the blocks of each template, and how many of its pages must have one.

        Returns:
            The blocks that enough pages of some template have. Each counts the pages beyond those needed, plus 1:
            ``found_in`` finds all of them with ``least=1``, and with 2 those that would do with one page less.
        """
        pages: dict[str, int] = {}
        shapes: set[_Shape] = set()
        for blocks, least in known:
            shapes |= blocks.shapes
            for key, count in blocks.pages.items():
                if count >= least:
                    # templates of one site share pages, so their counts must not be added up
                    pages[key] = max(pages.get(key, 0), count - least + 1)
        return cls(pages, shapes)

    def found_in(self, page: NodeValues, passed: bytearray, least: int) -> Iterator[int]:
        """Yield the positions of the largest subtrees of a page that are blocks of enough pages.

        A block has moved only if it is not at its usual position as well: the front page of a manual has the table of
        contents in the sidebar, as all pages have it, and once more as its content.

        Args:
            page: the page's nodes and their values.
            passed: flag 1 for subtrees that are left out: for each of their nodes.
            least: pages that must have a block.
        """
        arrays, shapes, end = page.arrays, self.shapes, 1
        known = self._tag_strings
        large = _large(bytes([tag_string in known for tag_string in arrays.distinct]), arrays.ids, arrays.sizes)
        same_shape: defaultdict[_Shape, list[int]] | None = None
        at_position: dict[_Shape, set[str]] = {}
        for position in large:
            if position < end or passed[position]:
                continue
            shape = _shape(arrays, position)
            if shape not in shapes or self.pages.get(digest := page.digest(position), 0) < least:
                continue
            end = position + arrays.sizes[position]
            # most pages have no block that is not at its position already
            if same_shape is None:
                same_shape = defaultdict(list)
                for other in large:
                    if passed[other]:
                        same_shape[_shape(arrays, other)].append(other)
            if shape not in at_position:
                at_position[shape] = {page.digest(other) for other in same_shape[shape]}
            if digest not in at_position[shape]:
                yield position

    @cached_property
    def _tag_strings(self) -> frozenset[str]:
        return frozenset(tag_string for tag_string, _, _ in self.shapes)


def flag_blocks(page: NodeValues, blocks: Blocks, flags: bytearray, least: int) -> None:
    """Set the flags of the blocks that enough pages have, wherever they are in this one.

    Args:
        page: the page's nodes and their values.
        blocks: the blocks.
        flags: the page's flags so far.
        least: pages that must have a block.
    """
    for position in blocks.found_in(page, where(flags, REMOVABLE), least):
        if any(page.arrays.start_tag(ancestor).tag in _WHOLE for ancestor in page.arrays.ancestors(position)):
            continue  # a link or a medium is removed as a whole or not at all
        set_flag(flags, position, position + page.arrays.sizes[position], BLOCK)
    protect(page.arrays, flags)


def _shape(arrays: NodeArrays, position: int) -> _Shape:
    size = arrays.sizes[position]
    return arrays.tag_strings[position], size, arrays.words(position, position + size)


def _large(has_tag: bytes, ids: array[int], sizes: array[int]) -> list[int]:
    """Return the positions of the subtrees of a block's size whose start tags are flagged."""
    least = MIN_NODES
    return [position for position in range(len(ids)) if sizes[position] >= least and has_tag[ids[position]]]


def _candidates(arrays: NodeArrays) -> tuple[array[int], bytearray, array[int]]:
    """Find the subtrees that are large enough to be blocks; O(nodes).

    Returns:
        For each its position, how many pages must have it, and a number that is the same for equal subtrees.
    """
    # templates of a site indent one box differently on different pages
    texts = [0 if text is None else hash(" ".join(text.split())) & _ALL for text in arrays.texts]
    is_link = bytes([tag_string.startswith("<a ") for tag_string in arrays.distinct])
    tags = [hash(tag_string) & _ALL for tag_string in arrays.distinct]
    return _read_candidates(texts, tags, is_link, arrays.ids, arrays.sizes, arrays.words_before)


def _read_candidates(
    texts: list[int], tags: list[int], is_link: bytes, ids: array[int], sizes: array[int], words: array[int]
) -> tuple[array[int], bytearray, array[int]]:
    count, least_nodes, least_words, share, bits, base = len(ids), MIN_NODES, MIN_WORDS, LINKED, _ALL, _BASE
    # a polynomial of the nodes before each node, so that their order counts, and the number of nodes of each
    numbers, powers, linked = [0] * (count + 1), [1] * (count + 1), [0] * (count + 1)
    number, power = 0, 1
    in_links = end = 0
    for position in range(count):
        # of links in links, which unclosed ones become, the outermost counts
        if is_link[ids[position]] and position >= end:
            end = position + sizes[position]
        if position < end:
            in_links += words[position + 1] - words[position]
        value = texts[position] or tags[ids[position]]
        number = ((number + value) * base + sizes[position]) & bits
        power = (power * base) & bits
        numbers[position + 1], powers[position + 1], linked[position + 1] = number, power, in_links
    positions, leasts, likely = array("i"), bytearray(), array("Q")
    for position in range(1, count):
        behind = position + sizes[position]
        in_all = words[behind] - words[position]
        if sizes[position] >= least_nodes and in_all >= least_words:
            positions.append(position)
            leasts.append(2 if linked[behind] - linked[position] >= share * in_all else 3)
            number, value, power = numbers[behind], numbers[position], powers[sizes[position]]
            likely.append((number - value * power) & bits)
    return positions, leasts, likely
