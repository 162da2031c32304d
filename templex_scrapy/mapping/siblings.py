"""Read the children of a node, for the pairing of children."""

from __future__ import annotations

from templex_scrapy import cython
from templex_scrapy.page import NodeArrays, StartTag


class Tree:
    """The arrays of a page that the mapping reads.

    Compiled, the arrays are views. Making a view takes longer than reading ten nodes, so all lists of children of a
    page share a tree.
    """

    __slots__ = ("child_counts", "ids", "sizes", "start_tags", "text_positions", "text_sums", "texts_before")

    def __init__(self, arrays: NodeArrays) -> None:
        self.start_tags = arrays.start_tags
        self.ids = arrays.ids
        self.sizes = arrays.sizes
        self.child_counts = arrays.child_counts
        self.text_positions = arrays.text_positions
        self.texts_before = arrays.texts_before
        self.text_sums = arrays.text_sums

    def text_sum(self, position: int) -> int:
        """Return a number for the words of a subtree; 0 without any."""
        # a sum ignores the order of texts: "2 kg", "Weight" is the same as "Weight", "2 kg"
        return self.text_sums[position + self.sizes[position]] - self.text_sums[position]

    @cython.locals(index="int", text="Py_ssize_t")
    def first_text(self, position: int) -> int:
        """Return a number for the first text of a subtree; 0 without any."""
        index = self.texts_before[position]
        if index == self.texts_before[position + self.sizes[position]]:
            return 0
        text = self.text_positions[index]
        return self.text_sums[text + 1] - self.text_sums[text]


class Siblings:
    """The children of a node: their positions, start tags and numbers of children, and flag 1 for those in pairs."""

    __slots__ = ("child_counts", "count", "has_ids", "positions", "start_tags", "taken", "tree")

    @cython.locals(tree=Tree, child="Py_ssize_t", end="Py_ssize_t", start_tag=StartTag)
    def __init__(self, tree: Tree, parent: int) -> None:
        self.tree = tree
        self.positions: list[int] = []
        self.start_tags: list[StartTag] = []
        self.child_counts: list[int] = []
        self.has_ids = False
        child, end = parent + 1, parent + tree.sizes[parent]
        while child < end:
            start_tag = tree.start_tags[tree.ids[child]]
            # most lists have no ids, and skip the search for equal ids
            if start_tag.id:
                self.has_ids = True
            self.positions.append(child)
            self.start_tags.append(start_tag)
            self.child_counts.append(tree.child_counts[child])
            child += tree.sizes[child]
        self.count = len(self.positions)
        self.taken = bytearray(self.count)
