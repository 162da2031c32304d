"""IWPTD: a block is template when most of its text is on other pages too (Wang et al., WWW 2008).

Pages are divided into blocks, and blocks into text segments, which are the text nodes. Two segments are the same if
they say the same at the same path. A segment on enough pages is a template segment, and a block whose text is for the
most part in template segments is template with all that it holds.

Y. Wang, B. Fang, X. Cheng, L. Guo, H. Xu: Incremental Web Page Template Detection, WWW 2008; thesis, chapter 12.1. What
is incremental about it is a table of segments that is kept while pages come in, cut back where it grows too large: a
matter of memory over hundreds of pages, without a part in what is found on a handful.

What is left open, with precision, recall and F1 of template nodes on the 16 development sites (complete subdigraphs of
size 3, mean over sites of the mean over key pages; ``bench/scripts/detectors.py`` prints it again, and so does the
workbench in the table ``sites-readings-template-nodes`` of its report; published, on other sites: 0.656, 0.758, 0.652):

===========================================  =====  =====  =====
reading                                      P      R      F1
===========================================  =====  =====  =====
on half of the pages at least: the default   0.927  0.697  0.752
on three of four pages (``occurrences=3``)   0.983  0.639  0.734
on all pages (``occurrences=4``)             0.987  0.601  0.705
default, blocks ``HTML4_BLOCKS``             0.927  0.661  0.727
default, ``path="start tags"``               0.946  0.587  0.671
default, ``path="none"``                     0.824  0.740  0.730
===========================================  =====  =====  =====

- *Occurrences*: the paper says five, of 400 pages. Of fewer than ten pages the default takes half.
- *Blocks*: the thesis names ``ul``, ``div`` and ``table`` and leaves the rest open: here the containers of HTML 4
  (lists, ``form``) and the sections of HTML 5, which hold on today's pages what a ``div`` held then.
- *Path*: the tags from the root to the text, or the start tags; or none, so that texts are compared wherever they
  stand, as the thesis words it and as its figures look.
- *Length* is that of the text in characters, blanks counted once. A block without text is no template by itself.
- Blocks are whole subtrees, those within a block included, as the thesis has it.

The readings were chosen on these very sites, so that the figures of the default flatter it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from typing import Literal, get_args

from templex_scrapy.content.tag_paths import Numbers, check_choice, numbers, path_numbers
from templex_scrapy.page import NodeArrays, Page, subtree_positions, subtree_sums
from templex_scrapy.template.voters import distinct

OCCURRENCES = 5
"""The published number of pages that make a segment a template segment (thesis, 12.1)."""

SHARE = 0.7
"""A block is template when more than this share of its text is in template segments (thesis, 12.1)."""

HTML4_BLOCKS = frozenset("div dl form ol table ul".split())
"""The tags of blocks, without those that came with HTML 5."""

BLOCKS = HTML4_BLOCKS | frozenset("article aside footer header main nav section".split())
"""The tags of blocks."""

PathReading = Literal["tags", "start tags", "none"]
Segment = tuple[int, str]


def detect_template_iwptd(
    key: Page,
    pages: Iterable[Page],
    *,
    occurrences: int | None = None,
    share: float = SHARE,
    blocks: Collection[str] = BLOCKS,
    path: PathReading = "tags",
) -> frozenset[int]:
    """Positions of the template nodes of a key page: of the blocks whose text is on other pages too.

    Args:
        key: the key page.
        pages: the pages of its complete subdigraph, in any order. Copies of the key page, or of each other, are
            dropped first.
        occurrences: pages that must have a segment for it to be a template segment, the key page among them; from 2,
            and where there are fewer, all of them. None: 5, or half of the pages where that is less.
        share: share of a block's text that template segments must exceed, in [0, 1].
        blocks: tags of the elements that are blocks.
        path: what makes two paths the same, see the module.

    Returns:
        Positions in ``key.nodes``, with each node all that it holds; none if there are no pages.

    Raises:
        ValueError: if an argument is out of range.

    Complexity:
        O(n) for n nodes in all pages, however many siblings there are.
    """
    check_choice("path", path, get_args(PathReading))
    if occurrences is not None and occurrences < 2:
        raise ValueError(f"occurrences is {occurrences!r}: allowed are 2 and more, or None")
    if not 0 <= share <= 1:
        raise ValueError(f"share is {share!r}: allowed is 0 to 1")
    voters = [page.arrays for page in distinct((key, *pages))]
    if len(voters) == 1:
        return frozenset()
    paths = numbers()
    segments = [_segments(arrays, path, paths) for arrays in voters]
    on_pages = Counter(segment for page in segments for segment in set(page.values()))
    needed = min(occurrences, len(voters)) if occurrences else min(OCCURRENCES, max(2, (len(voters) + 1) // 2))
    template = {position for position, segment in segments[0].items() if on_pages[segment] >= needed}
    return subtree_positions(voters[0], _template_blocks(voters[0], template, blocks, share))


def _segments(arrays: NodeArrays, path: PathReading, known: Numbers) -> dict[int, Segment]:
    """The text segments of a page by position: each with its path and what it says."""
    paths = [0] * len(arrays.tag_strings) if path == "none" else path_numbers(arrays, path, known)
    return {
        position: (paths[position], " ".join(text.split()))
        for position, text in enumerate(arrays.texts)
        if text is not None
    }


def _template_blocks(arrays: NodeArrays, template: set[int], blocks: Collection[str], share: float) -> list[int]:
    """The blocks of which more than a share of the text is in template segments."""
    lengths = [0 if text is None else len(" ".join(text.split())) for text in arrays.texts]
    all_of_it = subtree_sums(arrays, lengths)
    repeated = subtree_sums(arrays, (length if at in template else 0 for at, length in enumerate(lengths)))
    return [
        position
        for position, text in enumerate(arrays.texts)
        if text is None
        and repeated[position] > share * all_of_it[position]
        and arrays.start_tag(position).tag in blocks
    ]
