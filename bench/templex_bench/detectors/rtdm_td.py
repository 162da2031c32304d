"""RTDM-TD: the template is what stays mapped, node for node, from page to page (Vieira et al., CIKM 2006).

The first page is the template to begin with. Of it, each further page leaves what the cheapest restricted top-down
mapping pairs with an equal node; see :mod:`templex_bench.detectors.rtdm`. Once two nodes differ, nothing below them is
template, which makes the method depend on what stands near the root.

K. Vieira, A. S. da Silva, N. Pinto, E. S. de Moura, J. M. B. Cavalcanti, J. Freire: A fast and robust method for Web
page template detection and removal, CIKM 2006; thesis, chapter 12.1. The paper draws the pages at random until the
template settles; here they are those of the complete subdigraph, and the key page is the first.

What is left open, with precision, recall and F1 of template nodes on the 16 development sites (complete subdigraphs of
size 3, mean over sites of the mean over key pages; ``bench/scripts/detectors.py`` prints it again, and so does the
workbench in the table ``sites-readings-template-nodes`` of its report; published, on other sites: 0.982, 0.159, 0.165):

=====================================  =====  =====  =====
reading                                P      R      F1
=====================================  =====  =====  =====
``tags``: the default                  0.925  0.751  0.797
the same, always exact (no ``work``)   0.909  0.753  0.793
``start tags``                         0.659  0.364  0.425
=====================================  =====  =====  =====

- *Labels*, what makes two elements equal: their tags (default), or all of their start tags, as "exactly equal" in the
  thesis could also mean. Text nodes are equal where they have the same words. With start tags a ``body`` whose class
  names the page ends the comparison at the root, so that on four of these sites nothing is found at all, and 0.99 of
  what is found elsewhere is right (mean over key pages): the thesis's figures look like this reading.
- *Exact or not*: the default settles for less than the cheapest mapping on pages of many hundred nodes that differ; of
  352 pairs of these pages, 295 are found exactly. The cheapest is not the better template: it pairs the elements of
  tables whose rows have nothing in common.
- *Costs*: 1 for each node deleted, inserted or replaced. Of mappings that cost the same, the one that pairs the last
  children first is taken.

The reading was chosen on these very sites, so that the figures of the default flatter it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import get_args

from templex_bench.detectors.rtdm import WORK, restricted_mapping
from templex_scrapy.content.tag_paths import Labels, check_choice
from templex_scrapy.page import Page
from templex_scrapy.template.detect import without_nodes
from templex_scrapy.template.voters import distinct


def detect_template_rtdm_td(
    key: Page, pages: Iterable[Page], *, labels: Labels = "tags", work: int = WORK
) -> frozenset[int]:
    """Positions of the template nodes of a key page: of those that are mapped to an equal node of each page.

    Args:
        key: the key page.
        pages: the pages of its complete subdigraph; their order may matter where mappings cost the same. Copies of the
            key page, or of each other, are dropped first.
        labels: what makes two elements equal, see the module.
        work: comparisons of nodes that the mapping of a page may take before it settles for less than the cheapest, see
            :func:`~templex_bench.detectors.rtdm.restricted_mapping`; at least 0.

    Returns:
        Positions in ``key.nodes``, with each node the one it is in; none if there are no pages.

    Raises:
        ValueError: if an argument is out of range.

    Complexity:
        O(work + n log n) for each page of n nodes, however many siblings there are.
    """
    check_choice("labels", labels, get_args(Labels))
    if work < 0:
        raise ValueError(f"work is {work!r}: allowed are 0 and more")
    template, *others = [page.arrays for page in distinct((key, *pages))]
    positions = list(range(len(template.tag_strings))) if others else []
    for other in others:
        mapped = restricted_mapping(template, other, labels, work=work)
        if not mapped:
            return frozenset()
        template, kept = without_nodes(template, frozenset(range(len(positions))) - mapped.keys())
        positions = [positions[index] for index in kept]
    return frozenset(positions)
