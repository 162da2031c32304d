"""Which texts of a page are unique to it, counted: each question about a subtree is one subtraction."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from templex_scrapy import cython
from templex_scrapy.content._outline import Outline
from templex_scrapy.page import HEADINGS, NodeArrays, counts_before, integers


class UniqueTexts:
    """The texts of a page, those that are unique to it, and what is around them.

    A text outside links is unique as well if other pages have another one in its place, be it repeated on some: "In
    stock" on ten of twenty products. A link that is alone in its ``dd`` or ``td`` counts as text: it is a value.

    Args:
        arrays: the page's nodes.
        removable: flag 1 for nodes that other pages have with their whole subtrees.
        equal: flag 1 for texts that other pages have, even if they are not removable, such as those of a link.
        varying: flag 1 for texts in whose place another page has another one.

    Attributes:
        flags: flag 1 for unique texts, and for elements.
        outside: positions of the unique texts outside links.
        linked: flag 1 for each link and all nodes in it, but for a link that is alone in its cell.
    """

    def __init__(self, arrays: NodeArrays, removable: bytes, equal: bytes, varying: bytes) -> None:
        self.arrays = arrays
        self._sizes, self._parents, self._texts_before = arrays.sizes, arrays.parents, arrays.texts_before
        self._words_before = arrays.words_before
        self.flags = bytearray(b"\1") * len(equal)
        self.outside: list[int] = []
        outline = arrays.computed(Outline)
        self.linked, self._is_link, self._links = outline.linked, outline.is_link, outline.links
        self._no_text, self._controls, self._tables = outline.no_text, outline.controls, outline.tables
        if outline.lone_links:
            self._leave_out(outline.lone_links)
        self._read_texts(arrays.text_positions, removable, equal, varying)

    @cython.locals(linked=bytearray, is_link=bytearray, link="Py_ssize_t")
    def _leave_out(self, links: list[int]) -> None:
        """Count some links as text."""
        linked, is_link = self.linked, self._is_link = bytearray(self.linked), bytearray(self._is_link)
        for link in links:
            is_link[link] = 0
            if not linked[self._parents[link]]:
                linked[link : link + self._sizes[link]] = bytes(self._sizes[link])
        self._links = counts_before(is_link)

    @cython.locals(
        flags=bytearray, linked=bytearray, all_unique="int[::1]", all_unique_outside="int[::1]",
        all_outside="int[::1]", position="Py_ssize_t", index="Py_ssize_t", unique="int", unique_outside="int",
        outside="int", is_unique="bint",
    )  # fmt: skip
    def _read_texts(self, texts: Sequence[int], removable: bytes, equal: bytes, varying: bytes) -> None:
        flags, linked = self.flags, self.linked
        self._unique, self._unique_outside, self._outside = (integers(len(texts) + 1) for _ in range(3))
        all_unique, all_unique_outside, all_outside = self._unique, self._unique_outside, self._outside
        index = unique = unique_outside = outside = 0
        for position in texts:
            is_unique = not (removable[position] or equal[position]) or (varying[position] and not linked[position])
            if is_unique:
                unique += 1
            else:
                flags[position] = 0
            if not linked[position]:
                outside += 1
                if is_unique:
                    unique_outside += 1
                    self.outside.append(position)
            index += 1  # noqa: SIM113 - compiled, it is no object
            all_unique[index], all_unique_outside[index], all_outside[index] = unique, unique_outside, outside

    def _texts(self, before: array[int], start: int, end: int) -> int:
        return before[self._texts_before[end]] - before[self._texts_before[start]]

    def unique(self, node: int) -> int:
        """Return the number of unique texts in a subtree."""
        return self._texts(self._unique, node, node + self._sizes[node])

    def unique_outside(self, start: int, end: int) -> int:
        """Return the number of unique texts outside links in [start, end)."""
        return self._texts(self._unique_outside, start, end)

    def has_outside(self, node: int) -> bool:
        """Return whether a text outside links is in a subtree."""
        return self._texts(self._outside, node, node + self._sizes[node]) > 0

    def words(self, node: int) -> int:
        """Return the number of words in a subtree."""
        return self._words_before[node + self._sizes[node]] - self._words_before[node]

    def links(self, node: int) -> int:
        """Return the number of links in a subtree."""
        return self._links[node + self._sizes[node]] - self._links[node]

    @cython.locals(
        ids="const int[::1]", sizes="const int[::1]", by_look=dict, start_tags=list, parent="Py_ssize_t",
        child="Py_ssize_t", end="Py_ssize_t", found=list,
    )  # fmt: skip
    def teasers(self, several: int) -> list[int]:
        """Return the roots of teasers, in node order: siblings with links, none with most of their unique texts.

        Five teasers of other articles, each with words of its own, are not the content.

        Args:
            several: how many siblings they are, at least.
        """
        found: list[int] = []
        start_tags, ids, sizes = self.arrays.start_tags, self.arrays.ids, self._sizes
        for parent in self._around_links(several):
            by_look: dict[str, list[int]] = {}
            child, end = parent + 1, parent + sizes[parent]
            while child < end:
                if self.links(child):
                    by_look.setdefault(start_tags[ids[child]].tag_and_classes, []).append(child)
                child += sizes[child]
            for alike in by_look.values():
                if len(alike) >= several:
                    unique = [self.unique(node) for node in alike]
                    if 0 < 2 * max(unique) <= sum(unique):
                        found += alike
        return sorted(found)

    @cython.locals(
        numbers="int[::1]", seen=bytearray, is_link=bytearray, node="Py_ssize_t", link="Py_ssize_t", found=list,
    )  # fmt: skip
    def _around_links(self, children: int) -> list[int]:
        """Return the nodes that have links in at least so many children, and several unique texts."""
        parents, is_link = self._parents, self._is_link
        numbers, seen = integers(len(is_link)), bytearray(len(is_link))
        found = []
        for link in range(len(is_link)):
            node = link if is_link[link] else 0
            while node and not seen[node]:
                seen[node] = 1
                node = parents[node]
                numbers[node] += 1
                if numbers[node] == children and self.unique(node) > 1:
                    found.append(node)
        return found

    def has_controls(self, node: int) -> bool:
        """Return whether a control is in a subtree."""
        return self._controls[node + self._sizes[node]] > self._controls[node]

    def is_text(self, node: int) -> bool:
        """Return whether nothing but text, its formatting and cells of one table is in a subtree."""
        end = node + self._sizes[node]
        # a table in a table is for the layout
        return self._no_text[end] == self._no_text[node] and self._tables[end] - self._tables[node] <= 1

    def is_heading(self, node: int) -> bool:
        """Return whether a node is a heading."""
        return self.arrays.start_tag(node).tag in HEADINGS
