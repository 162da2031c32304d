"""Keep repeated text that belongs to the content of a page: the one rule of removal.

Comparison with other pages finds texts that are repeated. A label beside a value is repeated as a menu is. Their places
tell them apart: **repeated text is kept in the content region only.** The region is that of the main content for
reading (:mod:`templex_scrapy.content.main_content`), with the headline. It is widened until nearly all own texts
outside links are in it. There these are kept, unless they are in a box beside the content:

- *lines*: maximal runs of siblings that consist of nothing but text, its formatting and table cells (a sentence, a
  row, a table, a definition list) and contain words of the page's own outside links;
- *small parts*: few words and a heading, without a control, and without a link unless words outside the link are
  beside it: a label, a note. A heading is not kept if what follows it is no content.

*Values* are kept anywhere: texts outside links in whose place another page has another text.

Everything else is a block: larger, or made of links or controls. A link that is alone in its ``dd`` or ``td`` counts as
text: it is a value.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from itertools import chain, groupby

from templex_scrapy.content._boxes import OF_A_SECTION, Boxes, remove_boxes
from templex_scrapy.content._head import Head
from templex_scrapy.content._own_words import OF_A_BLOCK, OwnWords
from templex_scrapy.content._root import content_root
from templex_scrapy.content.rules import RULES
from templex_scrapy.page import HEADINGS, NodeArrays, cached_property, subtree_flags, tag_of

_FORMATTING = OF_A_BLOCK | {"svg"}
_LINE = _FORMATTING | frozenset("caption col colgroup dd dl dt table tbody td tfoot th thead tr".split())
_CONTROLS = frozenset(
    "aside audio button canvas dialog embed form frame input meter nav object option progress select textarea"
    " video".split()
)
_BOXES = OF_A_SECTION | {"aside", "form"}
_VALUES = frozenset({"dd", "td"})
_TELLING = _CONTROLS | HEADINGS | {"a", "table"}


class Kept(StrEnum):
    """Why a repeated node is kept."""

    VALUE = "value"
    """Other pages have another text in its place."""

    LINE = "line"
    """It is part of a line or a table with words of the page's own."""

    SMALL = "small"
    """It is a small part of the content: a label of a value that is the page's own, a value, a heading, a note."""


_CODES = {reason: code for code, reason in enumerate(Kept, start=1)}
_REASONS = {code: reason for reason, code in _CODES.items()}


class KeptParts:
    """The repeated nodes of a page that are kept because they belong to its content. O(n) for n nodes.

    Args:
        arrays: the page's nodes.
        removable: flag 1 for nodes that are repeated on other pages with their whole subtrees.
        equal: flag 1 for texts that are repeated, even if they are not removable, such as those of a link that is kept.
        varying: flag 1 for texts in whose place another page has another text; without it, no values are found.
        head: what the page declares; a stored template has no head.
    """

    def __init__(
        self,
        arrays: NodeArrays,
        removable: Sequence[int],
        equal: Sequence[int],
        varying: Sequence[int] = (),
        head: Head | None = None,
    ) -> None:
        self._arrays = arrays
        self._left = bytearray(removable)
        self._kept = bytearray(len(self._left))
        self._beside = bytearray(len(self._left))
        if 1 in self._left:
            self._read(equal, varying, head or Head())
            self._keep_values()
            self._keep_lines()
            self._keep_small_parts()

    @property
    def removable(self) -> bytearray:
        """Flag 1 for the nodes that are still removable."""
        return self._left

    @property
    def beside(self) -> bytearray:
        """Flag 1 for the nodes outside the content, those in boxes included."""
        return self._beside

    def reason(self, position: int) -> Kept | None:
        """Return why a node is kept; None if it is removable, or was not in the first place."""
        return _REASONS.get(self._kept[position])

    def _read(self, equal: Sequence[int], varying: Sequence[int], head: Head) -> None:
        arrays, left = self._arrays, self._left
        known = {tag_string: tag_of(tag_string) for tag_string in set(arrays.tag_strings)}
        self._tags = [known[tag_string] for tag_string in arrays.tag_strings]
        some = {tag_string for tag_string, tag in known.items() if tag in _TELLING}
        self._by_tag: dict[str, list[int]] = {}
        for position in [position for position, tag_string in enumerate(arrays.tag_strings) if tag_string in some]:
            self._by_tag.setdefault(self._tags[position], []).append(position)
        links = self._positions({"a"})
        parents = ((link, arrays.parents[link]) for link in links)
        self._links = [
            link for link, parent in parents if self._tags[parent] not in _VALUES or self._number(links, parent) > 1
        ]
        self._linked = subtree_flags(arrays, self._links)
        # a text is the page's own if other pages have another one in its place, be it repeated on some
        values = varying or bytes(len(left))
        self._own = [
            position
            for position in arrays.text_positions
            if not (left[position] or equal[position]) or (values[position] and not self._linked[position])
        ]
        self._own_outside = [position for position in self._own if not self._linked[position]]
        self._find_region(head)

    def _positions(self, tags: Iterable[str]) -> list[int]:
        """Return the positions of the nodes with some of the telling tags, in node order."""
        return sorted(chain.from_iterable(self._by_tag.get(tag, ()) for tag in tags))

    def _number(self, positions: Sequence[int], node: int) -> int:
        """Return how many of the positions, which are sorted, are in the subtree of a node."""
        return bisect_left(positions, node + self._arrays.sizes[node]) - bisect_left(positions, node)

    def _find_region(self, head: Head) -> None:
        """Find the content region and what is beside the content."""
        arrays, boxes, mine = self._arrays, Boxes(self._arrays), set(self._own)
        own = OwnWords(arrays, boxes.tags, [position for position in arrays.text_positions if position not in mine])
        remove_boxes(own, boxes, is_forum=head.is_forum)
        root, headline = content_root(own, boxes, head), own.headline(head.title)
        # reviews of a product, or the header around a title, have words of the page's own: they may be content
        may_be_own = chain(boxes.named(), (box for box in boxes.declared() if self._tags[box] in _BOXES))
        have_own = {box for box in may_be_own if self._number(self._own_outside, box)}
        removed = {box for box in chain(boxes.declared(), boxes.named()) if not own.own[box]}
        self._beside = subtree_flags(arrays, sorted(removed - have_own))
        texts = [position for position in self._own_outside if not self._beside[position]]
        texts = [position for position in texts if not self._teasers[position]] or texts
        least = max(RULES.nearly_all * len(texts), len(texts) - RULES.outside)
        while root > 0 and not self._reaches(root, headline, texts, least):
            root = arrays.parents[root]
        # one value alone: its label is beside it
        is_alone = self._number(texts, root) <= 1 and arrays.parents[root] > 0
        root = arrays.parents[root] if is_alone else root
        start, end = self._range(root, headline)
        self._beside[:start] = b"\1" * start
        self._beside[end:] = b"\1" * (len(self._beside) - end)

    def _range(self, root: int, headline: int | None) -> tuple[int, int]:
        """Return the first position of a region, and the one behind it."""
        if headline is None:
            return root, self._end(root)
        return min(root, headline), max(self._end(root), self._end(headline))

    def _reaches(self, root: int, headline: int | None, texts: Sequence[int], least: float) -> bool:
        start, end = self._range(root, headline)
        return bisect_left(texts, end) - bisect_left(texts, start) >= least

    @cached_property
    def _outside_links(self) -> list[int]:
        """Texts outside links."""
        return [position for position in self._arrays.text_positions if not self._linked[position]]

    @cached_property
    def _controls(self) -> list[int]:
        return self._positions(_CONTROLS)

    @cached_property
    def _headings(self) -> list[int]:
        return self._positions(HEADINGS)

    @cached_property
    def _no_line(self) -> list[int]:
        """Nodes that cannot be part of a line."""
        tags, parents = self._tags, self._arrays.parents
        others = (position for position, tag in enumerate(tags) if tag not in _LINE)
        # <dl><div><dt>Brand</dt><dd>Acme</dd></div></dl>
        return [position for position in others if tags[position] != "div" or tags[parents[position]] != "dl"]

    def _words(self, position: int) -> int:
        return self._arrays.words(position, self._end(position))

    def _keep(self, start: int, end: int, reason: Kept) -> None:
        """Keep the removable nodes in [start, end)."""
        code = _CODES[reason]
        for position in range(start, end):
            if self._left[position]:
                self._kept[position] = code
        self._left[start:end] = bytes(end - start)

    def _keep_values(self) -> None:
        for position in filter(self._left.__getitem__, self._own_outside):
            for node in chain([position], self._arrays.ancestors(position)):
                if not self._left[node]:
                    break
                self._keep(node, node + 1, Kept.VALUE)

    def _roots(self) -> Iterator[int]:
        """Yield the roots of the largest removable subtrees in the region, but for those beside the content."""
        position = self._left.find(1)
        while position >= 0:
            if not self._beside[position]:
                yield position
            position = self._left.find(1, self._end(position))

    def _is_line(self, position: int) -> bool:
        if self._beside[position] or self._number(self._no_line, position):
            return False
        # a table in a table is for the layout
        return self._number(self._by_tag.get("table", ()), position) <= 1

    def _end(self, position: int) -> int:
        return position + self._arrays.sizes[position]

    def _keep_lines(self) -> None:
        parents = self._arrays.parents
        blocks, inside = set(), set()
        for position in self._roots():
            block = parents[position]
            while block and not self._beside[block] and block not in inside and self._is_line(block):
                inside.add(block)
                block = parents[block]
            if block not in inside:
                blocks.add(block)
        for block in sorted(blocks):
            for run in _runs(self._arrays.children(block), self._is_line):
                if any(self._number(self._own_outside, child) for child in run):
                    self._keep(run[0], self._end(run[-1]), Kept.LINE)

    def _keep_small_parts(self) -> None:
        for parent in sorted({self._arrays.parents[position] for position in self._roots()}):
            siblings = [child for child in self._arrays.children(parent) if self._words(child)]
            small = [self._is_small(siblings, index) for index in range(len(siblings))]
            heads_a_block = False  # whether what follows is of the page's own and no content, such as teasers
            for index in range(len(siblings) - 1, -1, -1):
                child = siblings[index]
                is_heading = self._tags[child] in HEADINGS
                if small[index] and not (is_heading and heads_a_block):
                    self._keep(child, self._end(child), Kept.SMALL)
                if not (is_heading and self._left[child]):  # headings in a row have one block
                    is_repeated = self._left[child] or self._kept[child]
                    heads_a_block = not is_repeated and not self._is_content(child)

    def _is_small(self, siblings: Sequence[int], index: int) -> bool:
        """Return whether a removable sibling is small; a link alone, such as a brand, needs a label before it."""
        child = siblings[index]
        links = self._number(self._links, child)
        if not self._left[child] or self._beside[child] or self._number(self._controls, child):
            return False
        headings = self._headings[bisect_left(self._headings, child) : bisect_left(self._headings, self._end(child))]
        in_headings = sum(map(self._words, headings))
        if links > 1 or max(in_headings, self._words(child) - in_headings) > RULES.small:
            return False
        if not links or self._number(self._outside_links, child):
            return True
        return self._is_label(siblings, index - 1) and not self._is_link(siblings, index + 1)

    def _is_label(self, siblings: Sequence[int], index: int) -> bool:
        if index < 0 or not (self._left[siblings[index]] or self._kept[siblings[index]]):
            return False
        child = siblings[index]
        return not self._number(self._links, child) and self._words(child) <= RULES.small

    def _is_link(self, siblings: Sequence[int], index: int) -> bool:
        if index >= len(siblings):
            return False
        child = siblings[index]
        return self._number(self._links, child) > 0 and not self._number(self._outside_links, child)

    def _is_content(self, position: int) -> bool:
        if self._beside[position] or self._teasers[position]:
            return False
        own = range(bisect_left(self._own_outside, position), bisect_left(self._own_outside, self._end(position)))
        if any(not self._teasers[self._own_outside[index]] for index in own):
            return True
        return self._number(self._own, position) > len(own) and self._number(self._links, position) < RULES.several

    @cached_property
    def _teasers(self) -> bytearray:
        """Flag the nodes that are, or are in, teasers: siblings none of which has most of their own texts."""
        parents = self._arrays.parents
        by_parent: defaultdict[int, list[int]] = defaultdict(list)
        seen = {0}
        for node in self._links:
            while node not in seen:
                seen.add(node)
                by_parent[parents[node]].append(node)
                node = parents[node]  # noqa: PLW2901 - from the link upwards
        teasers: list[int] = []
        for siblings in by_parent.values():
            for alike in self._alike(siblings) if len(siblings) >= RULES.several else ():
                own = [self._number(self._own, node) for node in alike]
                if len(alike) >= RULES.several and 2 * max(own) <= sum(own):
                    teasers.extend(alike)
        return subtree_flags(self._arrays, teasers)

    def _alike(self, siblings: Iterable[int]) -> Iterable[list[int]]:
        """Return the siblings of one tag and class each."""
        found: defaultdict[str, list[int]] = defaultdict(list)
        for node in siblings:
            found[self._arrays.start_tag(node).tag_and_classes].append(node)
        return found.values()


def _runs(siblings: Iterable[int], belongs: Callable[[int], bool]) -> Iterator[list[int]]:
    """Yield the maximal runs of siblings that belong to one."""
    for does_belong, run in groupby(siblings, belongs):
        if does_belong:
            yield list(run)
