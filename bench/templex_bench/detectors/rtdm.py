"""RTDM-TD: the template is what stays mapped, node for node, from page to page (Vieira et al., CIKM 2006).

The first page is the initial template. Each further page reduces it to the nodes that the cheapest restricted top-down
mapping pairs with an equal node. Once two nodes differ, nothing below them is template.

K. Vieira, A. S. da Silva, N. Pinto, E. S. de Moura, J. M. B. Cavalcanti, J. Freire: A fast and robust method for Web
page template detection and removal, CIKM 2006; thesis, chapter 12.1. The paper draws the pages at random until the
template settles; here they are those of the complete subdigraph, and the key page is the first.

The mapping (D. de Castro Reis, P. B. Golgher, A. S. da Silva, A. H. F. Laender: Automatic Web news extraction using
tree edit distance, WWW 2004) pairs nodes of two ordered trees one to one and keeps their order. It is *top-down*: the
parents of a pair are paired, and *restricted*: nothing is paired below two nodes with different labels. An unpaired
node is deleted or inserted, a pair with different labels is replaced; each operation costs 1 for each node, and the
mapping is one of the cheapest. Identical subtrees are never entered. The children of two nodes are aligned by dynamic
programming; equal children at both ends of the lists are paired at once, which changes no cost.

Choices that the papers leave open: two elements are equal by their tags (default), or by their start tags, as printed,
since the parts of pages are to be "exactly equal"; text nodes by their words. Of mappings that cost the same, the
mapping that pairs the last children first is taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from templex_bench.detectors.identity import Labels, child_lists, node_labels, numbers, subtree_numbers
from templex_scrapy.page import NodeArrays, Page, distinct, nodes_of
from templex_scrapy.papers import without_nodes

Pairs = list[tuple[int, int]]


def detect_template_rtdm_td(key: Page, pages: Iterable[Page], *, labels: Labels = "tags") -> frozenset[int]:
    """Return the positions of the nodes of a key page that are mapped to an equal node of each page.

    Copies of the key page, or of each other, are dropped first. O(n²) for pages of n nodes.
    """
    template, *others = [nodes_of(page) for page in distinct((key, *pages))]
    positions = list(range(len(template.tag_strings))) if others else []
    for other in others:
        mapped = Mapping(template, other, labels).pairs()
        if not mapped:
            return frozenset()
        template, kept = without_nodes(template, frozenset(range(len(positions))) - mapped.keys())
        positions = [positions[index] for index in kept]
    return frozenset(positions)


class Mapping:
    """Two trees as numbers, and the costs that are known of pairs of their subtrees."""

    def __init__(self, a: NodeArrays, b: NodeArrays, labels: Labels) -> None:
        self.a, self.b = a, b
        names, subtrees = numbers(), numbers()
        self.labels_a, self.labels_b = ([names[label] for label in node_labels(page, labels)] for page in (a, b))
        self.children_a, self.children_b = child_lists(a), child_lists(b)
        self.same_a = subtree_numbers(self.labels_a, self.children_a, subtrees)
        self.same_b = subtree_numbers(self.labels_b, self.children_b, subtrees)
        self.costs: dict[tuple[int, int], int] = {}  # of subtrees with equal roots, by their numbers

    def pairs(self) -> dict[int, int]:
        """The mapped nodes with the same label, which are trees; none if the roots differ. O(nodes of A x of B)."""
        found: dict[int, int] = {}
        waiting = [(0, 0)]
        while waiting:
            i, j = waiting.pop()
            if self.same_a[i] == self.same_b[j]:
                size = self.a.sizes[i]
                found.update(zip(range(i, i + size), range(j, j + size), strict=True))
            elif self.labels_a[i] == self.labels_b[j]:
                found[i] = j
                ends, x, y = self._without_equal_ends(i, j)
                waiting += ends
                waiting += self._cheapest(x, y)
        return found

    def _without_equal_ends(self, i: int, j: int) -> tuple[Pairs, list[int], list[int]]:
        """Return the equal children at both ends of two nodes' lists, and the lists between them."""
        x, y = self.children_a[i], self.children_b[j]
        shorter = min(len(x), len(y))
        first = 0
        while first < shorter and self.same_a[x[first]] == self.same_b[y[first]]:
            first += 1
        last = 0
        while last < shorter - first and self.same_a[x[-1 - last]] == self.same_b[y[-1 - last]]:
            last += 1
        end_x, end_y = len(x) - last, len(y) - last
        ends = [*zip(x[:first], y[:first], strict=True), *zip(x[end_x:], y[end_y:], strict=True)]
        return ends, x[first:end_x], y[first:end_y]

    def _cheapest(self, x: Sequence[int], y: Sequence[int]) -> Pairs:
        """The pairs of the cheapest alignment of two lists, the last pair first; replaced ones among them."""
        self._work_out(x, y)
        table = self._table(x, y)
        i, j = len(x), len(y)
        found = []
        while i and j:
            p, q = x[i - 1], y[j - 1]
            if table[i][j] == table[i - 1][j - 1] + self._cost(p, q):
                found.append((p, q))
                i, j = i - 1, j - 1
            elif table[i][j] == table[i - 1][j] + self.a.sizes[p]:
                i -= 1
            else:
                j -= 1
        return found

    def _work_out(self, x: Sequence[int], y: Sequence[int]) -> None:
        """Make the costs known of all pairs that the alignment of two lists, and of lists below them, looks at."""
        found: dict[tuple[int, int], tuple[int, Sequence[int], Sequence[int]]] = {}
        lists: list[tuple[Sequence[int], Sequence[int]]] = [(x, y)]
        for of_a, of_b in lists:
            for p in of_a:
                label, same = self.labels_a[p], self.same_a[p]
                for q in of_b:
                    pair = same, self.same_b[q]
                    if self.labels_b[q] != label or same == pair[1] or pair in self.costs or pair in found:
                        continue
                    _, below_p, below_q = self._without_equal_ends(p, q)
                    found[pair] = self.a.sizes[p], below_p, below_q
                    lists.append((below_p, below_q))
        # subtrees below are smaller, and their costs come first
        for pair, (_, rest_p, rest_q) in sorted(found.items(), key=lambda item: item[1][0]):
            self.costs[pair] = self._table(rest_p, rest_q)[-1][-1]

    def _table(self, x: Sequence[int], y: Sequence[int]) -> list[list[int]]:
        """The costs of aligning the first i nodes of one list with the first j of the other."""
        row = [0]
        for q in y:
            row.append(row[-1] + self.b.sizes[q])
        rows = [row]
        for p in x:
            deleted = self.a.sizes[p]
            left = row[0] + deleted
            new = [left]
            for column, q in enumerate(y):
                left = min(left + self.b.sizes[q], row[column + 1] + deleted)
                if row[column] < left:
                    left = min(left, row[column] + self._cost(p, q))
                new.append(left)
            rows.append(new)
            row = new
        return rows

    def _cost(self, p: int, q: int) -> int:
        """The cost of a pair with all that its nodes hold."""
        pair = self.same_a[p], self.same_b[q]
        if pair[0] == pair[1]:
            return 0
        if self.labels_a[p] == self.labels_b[q]:
            return self.costs[pair]
        return self.a.sizes[p] + self.b.sizes[q] - 1
