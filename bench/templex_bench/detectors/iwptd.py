"""IWPTD: a block is template when most of its text is on other pages too (Wang et al., WWW 2008).

Pages are divided into blocks, and blocks into text segments, the text nodes. Two segments are the same if they have the
same words at the same path. A segment on enough pages is a template segment, and a block whose text is for the most
part in template segments is template with all its descendants.

Y. Wang, B. Fang, X. Cheng, L. Guo, H. Xu: Incremental Web Page Template Detection, WWW 2008; thesis, chapter 12.1. The
incremental table of segments saves memory over hundreds of pages, and has no part in the result on a handful.

Choices that the paper leaves open (the table of readings of template nodes measures them):

- *Occurrences*: the paper says five, of 400 pages. Of fewer than ten pages the default takes half.
- *Blocks*: the thesis names ``ul``, ``div`` and ``table``: here the containers of HTML 4 and the sections of HTML 5.
- *Path*: the tags from the root to the text (default), or the start tags, or none.
- *Length* is that of the text in characters, blanks counted once. A block without text is no template by itself.

As printed are five pages, no paths, and the blocks of HTML 4. Since four pages cannot have a segment five times, it
gets a complete subdigraph of eight; of fewer than five pages all must have a segment.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from typing import Literal

from templex_bench.detectors.identity import Numbers, numbers, path_numbers
from templex_scrapy.page import NodeArrays, Page, distinct, nodes_of, subtree_positions, subtree_sums

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
    """Return the positions of the blocks of a key page whose text is on other pages too; O(number of nodes).

    Copies of the key page, or of each other, are dropped first. ``occurrences`` are the pages that must have a template
    segment, the key page included; by default 5, or half of the pages if that is less.
    """
    voters = [nodes_of(page) for page in distinct((key, *pages))]
    if len(voters) == 1:
        return frozenset()
    paths = numbers()
    segments = [_segments(arrays, path, paths) for arrays in voters]
    on_pages = Counter(segment for page in segments for segment in set(page.values()))
    needed = min(occurrences, len(voters)) if occurrences else min(OCCURRENCES, max(2, (len(voters) + 1) // 2))
    template = {position for position, segment in segments[0].items() if on_pages[segment] >= needed}
    return subtree_positions(nodes_of(key), _template_blocks(voters[0], template, blocks, share))


def _segments(arrays: NodeArrays, path: PathReading, known: Numbers) -> dict[int, Segment]:
    """Return the text segments of a page by position: each with its path and its words."""
    paths = [0] * len(arrays.tag_strings) if path == "none" else path_numbers(arrays, path, known)
    return {
        position: (paths[position], " ".join(text.split()))
        for position, text in enumerate(arrays.texts)
        if text is not None
    }


def _template_blocks(arrays: NodeArrays, template: set[int], blocks: Collection[str], share: float) -> list[int]:
    """Return the blocks of which more than a share of the text is in template segments."""
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
