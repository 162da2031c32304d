"""RBM-TD: the template is what all pages have in the same place, subtree for subtree (Vieira et al., 2009).

A restricted bottom-up mapping pairs nodes of two pages whose subtrees are identical, leaves first, if the paths that
lead to them from the roots are the same as well. What is mapped on every page is the template. A wrapper that holds
anything of a page's own is never mapped, which makes the method precise and incomplete.

K. Vieira, A. L. da Costa Carvalho, K. Berlt, E. S. de Moura, A. S. da Silva, J. Freire: On finding templates on Web
collections, World Wide Web 12 (2009), as the thesis has it (chapter 12.1). The paper goes on to tell apart several
templates of one site; here all pages come from one complete subdigraph, so that there is one.

What is left open, with precision, recall and F1 of template nodes on the 16 development sites (complete subdigraphs of
size 3, mean over sites of the mean over key pages; ``bench/scripts/detectors.py`` prints it again, and so does the
workbench in the table ``sites-readings-template-nodes`` of its report; published, on other sites: 1.000, 0.407, 0.515):

==============  ===========  =====  =====  =====
labels          path         P      R      F1
==============  ===========  =====  =====  =====
``tags``        ``tags``     0.953  0.651  0.742
``tags``        ``indexed``  0.983  0.556  0.666
``start tags``  ``tags``     0.960  0.557  0.667
``start tags``  ``indexed``  0.984  0.464  0.587
==============  ===========  =====  =====  =====

- *Labels*, what makes two elements identical: their tags (default), or all of their start tags, as "exactly equal" in
  the thesis could also mean. A text node is identical to one with the same words.
- *Path*: the tags from the root to the node (default; the thesis's own example), or with them the index among the
  siblings of the same tag (``"indexed"``), as "exactly the same position" could also mean.
- The mapping is one to one: of five equal subtrees at one path, three are template where another page has three; the
  largest subtrees come first, then the first in document order.

The readings were chosen on these very sites, so that the figures of the default flatter it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import reduce
from operator import and_
from typing import Literal, get_args

from templex_scrapy.content.tag_paths import (
    Labels,
    Numbers,
    check_choice,
    child_lists,
    node_labels,
    numbers,
    path_numbers,
    subtree_numbers,
)
from templex_scrapy.page import NodeArrays, Page
from templex_scrapy.template.voters import distinct

PathReading = Literal["tags", "indexed"]


def detect_template_rbm_td(
    key: Page, pages: Iterable[Page], *, labels: Labels = "tags", path: PathReading = "tags"
) -> frozenset[int]:
    """Positions of the template nodes of a key page: of the subtrees that all pages have at the same path.

    Args:
        key: the key page.
        pages: the pages of its complete subdigraph, in any order. Copies of the key page, or of each other, are
            dropped first.
        labels: what makes two elements identical, see the module.
        path: what makes two paths the same, see the module.

    Returns:
        Positions in ``key.nodes``, with each node all that it holds; none if there are no pages.

    Raises:
        ValueError: if there is no such reading.

    Complexity:
        O(n log n) for n nodes in all pages, however many siblings there are.
    """
    check_choice("labels", labels, get_args(Labels))
    check_choice("path", path, get_args(PathReading))
    voters = [page.arrays for page in distinct((key, *pages))]
    if len(voters) == 1:
        return frozenset()
    subtrees, paths = numbers(), numbers()
    indexed = path == "indexed"
    key_marks, *marks = [
        list(zip(_subtrees(page, labels, subtrees), path_numbers(page, "tags", paths, indexed=indexed), strict=True))
        for page in voters
    ]
    return _mapped(voters[0], key_marks, reduce(and_, map(Counter, marks)))


def _subtrees(arrays: NodeArrays, labels: Labels, known: Numbers) -> list[int]:
    return subtree_numbers(node_labels(arrays, labels), child_lists(arrays), known)


def _mapped(arrays: NodeArrays, marks: list[tuple[int, int]], left: Counter[tuple[int, int]]) -> frozenset[int]:
    """The nodes of the key page whose subtree and path are left on every other page."""
    found = bytearray(len(marks))
    for position in sorted(range(len(marks)), key=lambda node: (-arrays.sizes[node], node)):
        if not found[position] and left[marks[position]] > 0:
            end = position + arrays.sizes[position]
            left.subtract(marks[position:end])
            found[position:end] = b"\1" * (end - position)
    return frozenset(position for position, is_found in enumerate(found) if is_found)
