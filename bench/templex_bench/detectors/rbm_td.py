"""RBM-TD: the template is what all pages have in the same place, subtree for subtree (Vieira et al., 2009).

A restricted bottom-up mapping pairs nodes of two pages whose subtrees are identical, leaves first, if their paths from
the roots are the same as well. Nodes that are mapped on every page are the template. A wrapper that contains a page's
own text is never mapped, so the method is precise and incomplete.

K. Vieira, A. L. da Costa Carvalho, K. Berlt, E. S. de Moura, A. S. da Silva, J. Freire: On finding templates on Web
collections, World Wide Web 12 (2009), as the thesis has it (chapter 12.1). The paper goes on to tell apart several
templates of one site; here all pages come from one complete subdigraph.

Choices that the paper leaves open (the table of readings of template nodes measures them):

- *Labels*: two elements are identical by their tags (default), or by their start tags (as printed, like RTDM-TD).
- *Path*: the tags from the root to the node (the thesis's example), or with them the index among the siblings of the
  same tag (``"indexed"``), as "exactly the same position" could also mean.
- The mapping is one to one: of five equal subtrees at one path, three are template if another page has three; the
  largest subtrees come first, then the first in document order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import reduce
from operator import and_
from typing import Literal

from templex_bench.detectors.identity import (
    Labels,
    child_lists,
    node_labels,
    numbers,
    path_numbers,
    subtree_numbers,
)
from templex_scrapy.page import NodeArrays, Page, distinct, nodes_of

PathReading = Literal["tags", "indexed"]


def detect_template_rbm_td(
    key: Page, pages: Iterable[Page], *, labels: Labels = "tags", path: PathReading = "tags"
) -> frozenset[int]:
    """Return the positions of the subtrees of a key page that all pages have at the same path; O(n log n).

    Copies of the key page, or of each other, are dropped first. ``labels`` and ``path`` are described in the module.
    """
    voters = [nodes_of(page) for page in distinct((key, *pages))]
    if len(voters) == 1:
        return frozenset()
    subtrees, paths = numbers(), numbers()
    key_marks, *marks = [
        [
            *zip(
                subtree_numbers(node_labels(page, labels), child_lists(page), subtrees),
                path_numbers(page, "tags", paths, indexed=path == "indexed"),
                strict=True,
            )
        ]
        for page in voters
    ]
    return _mapped(voters[0], key_marks, reduce(and_, map(Counter, marks)))


def _mapped(arrays: NodeArrays, marks: list[tuple[int, int]], left: Counter[tuple[int, int]]) -> frozenset[int]:
    """Return the nodes of the key page whose subtree and path are left on every other page."""
    found = bytearray(len(marks))
    for position in sorted(range(len(marks)), key=lambda node: (-arrays.sizes[node], node)):
        if not found[position] and left[marks[position]] > 0:
            end = position + arrays.sizes[position]
            left.subtract(marks[position:end])
            found[position:end] = b"\1" * (end - position)
    return frozenset(position for position, is_found in enumerate(found) if is_found)
