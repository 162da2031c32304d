"""Keep repeated text that belongs to the content of a page: the one rule of removal.

Comparison with other pages finds texts that are repeated. A label beside a value is repeated as a menu is. Their places
tell them apart: **repeated text is kept in the content region only.** The region is that of the main content for
reading (:mod:`templex_scrapy.content.main_content`), with the headline. It is widened until nearly all own texts
outside links are in it. There these are kept, unless they are in a box beside the content:

- *lines*: maximal runs of siblings that consist of nothing but text, its formatting and table cells (a sentence, a
  row, a table, a definition list) and contain words of the page's own outside links;
- *small parts*: few words, without a control, and without a link unless words outside the link are
  beside it: a label, a note. A heading is not kept if what follows it is no content.

*Values* are texts in whose place another page has another text. They are kept anywhere; links of the region
that vary are kept too, whole, but they are no main content by that.

Everything else is a block: larger, or made of links or controls. A link that is alone in its ``dd`` or ``td`` counts as
text: it is a value.

Compiled where there is a compiler (kept_parts.pxd has the types).
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from enum import StrEnum
from itertools import chain

from templex_scrapy.content._boxes import OF_A_SECTION, Boxes, remove_boxes
from templex_scrapy.content._head import NO_HEAD, Head
from templex_scrapy.content._own_words import OF_A_BLOCK, OwnWords
from templex_scrapy.content._root import content_root
from templex_scrapy.content.rules import RULES
from templex_scrapy.page import HEADINGS, NodeArrays, counts_before, integers, subtree_flags, without

_FORMATTING = OF_A_BLOCK | {"svg"}
_LINE = _FORMATTING | frozenset("caption col colgroup dd dl dt table tbody td tfoot th thead tr".split())
_CONTROLS = frozenset(
    "aside audio button canvas dialog embed form frame input meter nav object option progress select textarea"
    " video".split()
)
_BOXES = OF_A_SECTION | {"aside", "form"}
_VALUES = frozenset({"dd", "td"})

# bits of tags
_LINK, _CONTROL, _HEADING, _TABLE, _NO_LINE, _DIV, _DL, _VALUE = (1 << bit for bit in range(8))
_BITS = {
    tag: (tag == "a" and _LINK)
    | (tag in _CONTROLS and _CONTROL)
    | (tag in HEADINGS and _HEADING)
    | (tag == "table" and _TABLE)
    | (tag not in _LINE and _NO_LINE)
    | (tag == "div" and _DIV)
    | (tag == "dl" and _DL)
    | (tag in _VALUES and _VALUE)
    for tag in _LINE | _CONTROLS | HEADINGS | {"div"}
}
_IS_CONTROL, _IS_TABLE = (bytes(byte & bit != 0 for byte in range(256)) for bit in (_CONTROL, _TABLE))


class Kept(StrEnum):
    """Why a repeated node is kept."""

    VALUE = "value"
    """Other pages have another text in its place."""

    FACT_LINE = "line"
    """It is part of a line or a table with words of the page's own."""

    SMALL = "small"
    """It is a small part of the content: a label of a value that is the page's own, a value, a heading, a note."""

    VARYING_LINK = "varying"
    """Other pages have another link in its place in the content; it is no main content by that."""


_REASONS: tuple[Kept | None, ...] = (None, *Kept)
_VALUE_CODE, _LINE_CODE, _SMALL_CODE, _LINK_CODE = map(_REASONS.index, Kept)


class KeptParts:
    """The repeated nodes of a page that are kept because they belong to its content. O(n) for n nodes.

    Args:
        arrays: the page's nodes.
        removable: flag 1 for nodes that are repeated on other pages with their whole subtrees.
        equal: flag 1 for texts that are repeated, even if they are not removable, such as those of a link that is kept.
        varying: flag 1 for texts in whose place another page has another text; without it, no values are found.
        head: what the page declares.
    """

    def __init__(
        self,
        arrays: NodeArrays,
        removable: Sequence[int],
        equal: Sequence[int],
        varying: Sequence[int] = (),
        head: Head = NO_HEAD,
    ) -> None:
        self._arrays = arrays
        self._sizes = arrays.sizes
        self._parents = arrays.parents
        self._left = bytearray(removable)
        self._kept = bytearray(len(self._left))
        self._beside = bytearray(len(self._left))
        if 1 in self._left:
            self._words_before = arrays.words_before
            # what is counted before each node, so that each question about a subtree is one subtraction
            self._read_tags()
            # a text is the page's own if other pages have another one in its place, be it repeated on some:
            # "In stock" on ten of twenty products
            self._varying = bytes(varying or len(self._left))
            self._read_texts(bytes(equal))
            # the region is where the content is: five teasers of other articles, each with words of its own, are not
            self._find_teasers()
            self._find_region(head)
            # <td>In stock</td>: removed, nothing would say whether the product can be had
            self._keep_values()
            # <tr><th>Weight</th><td>1.2 kg</td></tr>: the label is on all pages, and a value without it says nothing
            self._keep_lines()
            # <h3>Ingredients</h3> before a list of the page's own, which is no line with it
            self._keep_small_parts()
            # <a href="/member/2">Ada</a>: the author of a reply, who wrote others too; links vary in menus as well
            self._keep_links()

    @property
    def removable(self) -> bytearray:
        """Flag 1 for the nodes that are still removable."""
        return self._left

    @property
    def beside(self) -> bytearray:
        """Flag 1 for the nodes outside the content, those in boxes included."""
        return self._beside

    @property
    def codes(self) -> bytearray:
        """For each node the number of its reason among those of :class:`Kept`, from 1; 0 without one."""
        return self._kept

    def reason(self, position: int) -> Kept | None:
        """Return why a node is kept; None if it is removable, or was not in the first place."""
        return _REASONS[self._kept[position]]

    def _read_tags(self) -> None:
        """Flag links and headings, and count what makes a difference in each subtree."""
        bits, ids = self._arrays.of_tags(_BITS, _NO_LINE), self._arrays.ids
        parents, sizes = self._parents, self._sizes
        count = len(ids)
        self._tag_bits = tag_bits = bytearray(count)
        links, no_line = bytearray(count), bytearray(count)
        for position in range(count):
            of_tag = tag_bits[position] = bits[ids[position]]
            if of_tag & _LINK:
                links[position] = 1
            # <dl><div><dt>Brand</dt><dd>Acme</dd></div></dl>
            if of_tag & _NO_LINE and not (of_tag & _DIV and position and tag_bits[parents[position]] & _DL):
                no_line[position] = 1
        before = counts_before(links)
        self._linked = linked = bytearray(count)
        for position in range(1, count):
            parent = parents[position]
            # a link that is alone in its cell is a value
            if links[position] and tag_bits[parent] & _VALUE and before[parent + sizes[parent]] - before[parent] == 1:
                links[position] = 0
            if links[position] or linked[parent]:
                linked[position] = 1
        self._links, self._no_line = counts_before(links), counts_before(no_line)
        self._controls, self._tables = (
            counts_before(tag_bits.translate(is_set)) for is_set in (_IS_CONTROL, _IS_TABLE)
        )

    def _read_texts(self, equal: bytes) -> None:
        """Flag and count the texts that are the page's own, and those outside links."""
        left, linked, varying, texts = self._left, self._linked, self._varying, self._arrays.texts
        count = len(left)
        own, own_outside, outside = bytearray(count), bytearray(count), bytearray(count)
        for position in range(count):
            if texts[position] is not None:
                if not linked[position]:
                    outside[position] = 1
                if (not left[position] and not equal[position]) or (varying[position] and not linked[position]):
                    own[position] = 1
                    own_outside[position] = outside[position]
        self._own_flags, self._own_outside_flags = own, own_outside
        self._own, self._own_outside, self._outside_links = map(counts_before, (own, own_outside, outside))

    def _number(self, before: array[int], node: int) -> int:
        """Return how many are in the subtree of a node, of what is counted before each node."""
        return before[node + self._sizes[node]] - before[node]

    def _end(self, position: int) -> int:
        return position + self._sizes[position]

    def _find_teasers(self) -> None:
        """Flag the nodes that are, or are in, teasers: siblings none of which has most of their own texts."""
        parents, links = self._parents, self._links
        seen, numbers = bytearray(len(parents)), integers(len(parents))
        seen[0] = 1
        for position in range(len(parents)):
            if links[position + 1] > links[position]:
                node = position
                while not seen[node]:
                    seen[node] = 1
                    node = parents[node]
                    numbers[node] += 1
        teasers: list[int] = []
        for parent in range(len(parents)):
            if numbers[parent] >= RULES.several:
                teasers += self._teasers_in(parent, seen)
        self._teasers = subtree_flags(self._arrays, teasers)
        self._own_and_no_teaser = counts_before(without(self._own_outside_flags, self._teasers))

    def _teasers_in(self, parent: int, has_link: bytearray) -> list[int]:
        by_look: dict[str, list[int]] = {}
        for child in self._arrays.children(parent):
            if has_link[child]:
                by_look.setdefault(self._arrays.start_tag(child).tag_and_classes, []).append(child)
        teasers: list[int] = []
        for alike in by_look.values():
            own = [self._number(self._own, node) for node in alike]
            if len(alike) >= RULES.several and 2 * max(own) <= sum(own):
                teasers += alike
        return teasers

    def _find_region(self, head: Head) -> None:
        """Find the content region and what is beside the content."""
        arrays, boxes, mine = self._arrays, self._arrays.computed(Boxes), self._own_flags
        own = OwnWords(arrays, boxes.tags, [position for position in arrays.text_positions if not mine[position]])
        remove_boxes(own, boxes, is_forum=head.is_forum)
        root, headline = content_root(own, head), own.headline(head.title)
        # reviews of a product, or the header around a title, have words of the page's own: they may be content
        may_be_own = chain(boxes.named(), (box for box in boxes.declared() if boxes.tags[box] in _BOXES))
        have_own = {box for box in may_be_own if self._number(self._own_outside, box)}
        removed = {box for box in chain(boxes.declared(), boxes.named()) if not own.own[box]}
        self._beside = subtree_flags(arrays, sorted(removed - have_own))
        outside = without(self._own_outside_flags, self._beside)
        texts = counts_before(without(outside, self._teasers))
        if not texts[-1]:
            texts = counts_before(outside)
        least = max(RULES.nearly_all * texts[-1], texts[-1] - RULES.outside)
        start, end = self._range(root, headline)
        while root > 0 and texts[end] - texts[start] < least:
            root = arrays.parents[root]
            start, end = self._range(root, headline)
        # one value alone: its label is beside it
        if self._number(texts, root) <= 1 and arrays.parents[root] > 0:
            start, end = self._range(arrays.parents[root], headline)
        self._beside[:start] = b"\1" * start
        self._beside[end:] = b"\1" * (len(self._beside) - end)

    def _range(self, root: int, headline: int | None) -> tuple[int, int]:
        """Return the first position of a region, and the one behind it."""
        if headline is None:
            return root, self._end(root)
        return min(root, headline), max(self._end(root), self._end(headline))

    def _keep(self, start: int, end: int, code: int) -> None:
        """Keep the removable nodes in [start, end)."""
        for position in range(start, end):
            if self._left[position]:
                self._kept[position] = code
        self._left[start:end] = bytes(end - start)

    def _keep_values(self) -> None:
        own_outside = self._own_outside_flags
        position = own_outside.find(1)
        while position >= 0:
            self._keep_ancestors(position, _VALUE_CODE)
            position = own_outside.find(1, position + 1)

    def _keep_links(self) -> None:
        position = self._varying.find(1)
        while position >= 0:
            if self._left[position] and self._linked[position] and not self._beside[position]:
                node = position
                while self._linked[self._parents[node]] and self._left[self._parents[node]]:
                    node = self._parents[node]
                self._keep(node, self._end(node), _LINK_CODE)  # with its picture
                self._keep_ancestors(self._parents[node], _LINK_CODE)
            position = self._varying.find(1, position + 1)

    def _keep_ancestors(self, node: int, code: int) -> None:
        while node >= 0 and self._left[node]:
            self._keep(node, node + 1, code)
            node = self._parents[node]

    def _roots(self) -> Iterator[int]:
        """Yield the roots of the largest removable subtrees in the region, but for those beside the content."""
        position = self._left.find(1)
        while position >= 0:
            if not self._beside[position]:
                yield position
            position = self._left.find(1, self._end(position))

    def _is_line(self, position: int) -> bool:
        # a table in a table is for the layout
        return (
            not self._beside[position]
            and not self._number(self._no_line, position)
            and self._number(self._tables, position) <= 1
        )

    def _keep_lines(self) -> None:
        parents = self._parents
        blocks, inside = set(), bytearray(len(parents))
        for position in self._roots():
            block = parents[position]
            while block and not self._beside[block] and not inside[block] and self._is_line(block):
                inside[block] = 1
                block = parents[block]
            if not inside[block]:
                blocks.add(block)
        for block in sorted(blocks):
            self._keep_runs(block)

    def _keep_runs(self, block: int) -> None:
        """Keep the maximal runs of children that are lines, and have words of the page's own outside links."""
        child, end = block + 1, self._end(block)
        while child < end:
            start = child
            while child < end and self._is_line(child):
                child += self._sizes[child]
            if self._own_outside[child] > self._own_outside[start]:
                self._keep(start, child, _LINE_CODE)
            if child < end:
                child += self._sizes[child]

    def _words(self, position: int) -> int:
        return self._number(self._words_before, position)

    def _keep_small_parts(self) -> None:
        for parent in sorted({self._parents[position] for position in self._roots()}):
            siblings = [child for child in self._arrays.children(parent) if self._words(child)]
            small = [self._is_small(siblings, index) for index in range(len(siblings))]
            heads_a_block = False  # whether what follows is of the page's own and no content, such as teasers
            for index in range(len(siblings) - 1, -1, -1):
                child = siblings[index]
                is_heading = bool(self._tag_bits[child] & _HEADING)
                if small[index] and not (is_heading and heads_a_block):
                    self._keep(child, self._end(child), _SMALL_CODE)
                if not (is_heading and self._left[child]):  # headings in a row have one block
                    is_repeated = self._left[child] or self._kept[child]
                    heads_a_block = not is_repeated and not self._is_content(child)

    def _is_small(self, siblings: Sequence[int], index: int) -> bool:
        """Return whether a removable sibling is small; a link alone, such as a brand, needs a label before it."""
        child = siblings[index]
        if not self._left[child] or self._beside[child] or self._number(self._controls, child):
            return False
        links = self._number(self._links, child)
        if links > 1 or self._words(child) > RULES.small:
            return False
        if not links or self._number(self._outside_links, child):
            return True
        # not of share links in a row: "Share this", "Mastodon", "Mail"
        return self._is_label(siblings, index - 1) and not self._is_link(siblings, index + 1)

    def _is_link(self, siblings: Sequence[int], index: int) -> bool:
        if index >= len(siblings):
            return False
        return self._number(self._links, siblings[index]) > 0 and not self._number(self._outside_links, siblings[index])

    def _is_label(self, siblings: Sequence[int], index: int) -> bool:
        if index < 0 or not (self._left[siblings[index]] or self._kept[siblings[index]]):
            return False
        child = siblings[index]
        return not self._number(self._links, child) and self._words(child) <= RULES.small

    def _is_content(self, position: int) -> bool:
        if self._beside[position] or self._teasers[position]:
            return False
        if self._number(self._own_and_no_teaser, position):
            return True
        in_links = self._number(self._own, position) > self._number(self._own_outside, position)
        return in_links and self._number(self._links, position) < RULES.several
