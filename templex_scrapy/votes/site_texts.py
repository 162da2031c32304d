"""The texts that half of the pages of a site have, at any place among the same elements.

A template has twelve voters, and a node needs votes at its own place. A notice behind a text of varying shape, or the
current entry of a menu, which is no link, has too few. All pages of the sample together tell that it is the site's.
"""

from __future__ import annotations

import zlib
from array import array
from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from templex_scrapy import cython
from templex_scrapy.content import THRESHOLDS
from templex_scrapy.page import LINKS, NodeArrays, nodes_with, subtree_flags
from templex_scrapy.votes.flags import EQUAL, PRESENT, REMOVABLE, STABLE, VARYING, in_wholes, protect, with_ancestors
from templex_scrapy.votes.rules import FIT_RULES, SHARE

_LENGTH = 20  # bits: two texts share a number only if they are as long, too


@cython.ccall
@cython.locals(
    ids="const int[::1]", parents="const int[::1]", texts=tuple, text_positions=tuple, start_tags=list, around=dict,
    length_bits="int", of_words="unsigned long long[::1]", of_texts="unsigned long long[::1]", index="Py_ssize_t",
    parent="Py_ssize_t", above="Py_ssize_t", pair="long long", words=bytes, names=bytes, crc="unsigned long long",
    size="unsigned long long",
)  # fmt: skip
def numbers_of_texts(arrays: NodeArrays) -> tuple[array[int], array[int]]:
    """Return two numbers of 52 bits for each text of a page, in node order. Texts are compared and never shown.

    The first stands for the words of the text, whatever their spacing. The second stands for the words with tag and
    classes of the two elements around them: a teaser is another thing than the page's own text.
    """
    ids, parents, texts, start_tags = arrays.ids, arrays.parents, arrays.texts, arrays.start_tags
    text_positions, length_bits = arrays.text_positions, _LENGTH  # compiled, this is no object
    all_words = of_words = array("Q", bytes(8 * len(text_positions)))
    all_texts = of_texts = array("Q", bytes(8 * len(text_positions)))
    around: dict[int, bytes] = {}
    for index in range(len(text_positions)):
        words = " ".join((texts[text_positions[index]] or "").split()).encode("utf-8", "surrogatepass")
        crc, size = zlib.crc32(words), len(words)
        of_words[index] = (crc << length_bits) + size % (1 << length_bits)
        parent = parents[text_positions[index]]
        above = parents[parent]
        # a page has few pairs of start tags
        pair = ids[parent] * (len(start_tags) + 1) + (ids[above] + 1 if above >= 0 else 0)
        if pair not in around:
            both = [ids[parent], ids[above]] if above >= 0 else [ids[parent]]
            lines = "".join([f"\n{start_tags[number].tag_and_classes}" for number in both])
            around[pair] = lines.encode("utf-8", "surrogatepass")
        names = around[pair]
        crc, size = zlib.crc32(names, crc), size + len(names)
        of_texts[index] = (crc << length_bits) + size % (1 << length_bits)
    return all_words, all_texts


def site_texts_of(pages: Sequence[Collection[int]]) -> dict[int, float]:
    """Return the numbers of the texts that half of the pages have, with the share of pages; none of few pages."""
    if len(pages) < FIT_RULES.site_pages:
        return {}
    counts = Counter(number for numbers in pages for number in numbers)
    shares = {number: count / len(pages) for number, count in counts.items()}
    return {number: share for number, share in shares.items() if share >= SHARE}


def shares_of(arrays: NodeArrays, flags: bytes, site_texts: Mapping[int, float]) -> dict[int, float]:
    """Return the share of pages that have each text of the site in a page, by position.

    Repeated texts that are no values are left out: the votes have decided them.
    """
    if not site_texts:
        return {}
    numbers = zip(arrays.text_positions, arrays.computed(numbers_of_texts)[1], strict=True)
    asked = {at: number for at, number in numbers if flags[at] & (EQUAL | VARYING) != EQUAL}
    return {at: site_texts[number] for at, number in asked.items() if number in site_texts}


def with_site_texts(arrays: NodeArrays, flags: bytes, shares: Mapping[int, float]) -> bytes:
    """Return the flags of a page's nodes, where the texts of the site are equal; long ones need nearly all pages.

    A text of nearly all pages is no value if it is long, or a link. A text that the page has twice is not taken for the
    site's: beside the menu, "News" is the category of a post, or the headline.
    """
    words, changed = arrays.computed(numbers_of_texts)[0], bytearray(flags)
    times = Counter(words)
    in_whole = arrays.computed(in_wholes)
    in_link = subtree_flags(arrays, nodes_with(arrays.of_tags(dict.fromkeys(LINKS, 1)), arrays.ids))
    marked = []
    for at, share in shares.items():
        is_long = arrays.word_counts[at] > THRESHOLDS.label_words
        # a warning of half of the leaflets tells these from the others
        if times[words[arrays.texts_before[at]]] > 1 or (is_long and share < FIT_RULES.nearly_all):
            continue
        # links change places in a menu without the current entry; "Sold out" is on half of the pages
        if share >= FIT_RULES.nearly_all and (is_long or in_link[at]):
            changed[at] &= ~VARYING
        if not changed[at] & EQUAL:
            changed[at] |= PRESENT | EQUAL
            if not in_whole[at]:
                marked.append(at)
    # descendants before their ancestors: an equal element goes if nothing else is left of it
    for node in sorted(with_ancestors(arrays, marked), reverse=True):
        if changed[node] & EQUAL and all(changed[child] & REMOVABLE for child in arrays.children(node)):
            changed[node] |= REMOVABLE
    protect(arrays, changed)
    return bytes(changed)


def with_optional_texts(arrays: NodeArrays, flags: bytes) -> bytes:
    """Return the flags of a page's nodes, where repeated texts of forms that some pages of the type lack are values.

    "Tell me when it is back" is on the pages of the products that are sold out. A form with half of the page's words
    is around the page, and says nothing of a promotion.
    """
    forms = nodes_with(arrays.of_tags({"form": 1}), arrays.ids)
    if not forms:
        return flags
    changed, sizes, words = bytearray(flags), arrays.sizes, arrays.words_before[-1]
    in_whole = arrays.computed(in_wholes)
    in_form = subtree_flags(arrays, [at for at in forms if 2 * arrays.words(at, at + sizes[at]) < words])
    for at in arrays.text_positions:
        is_optional = in_form[at] and flags[at] & (PRESENT | STABLE | EQUAL) == PRESENT | EQUAL
        if is_optional and not in_whole[at]:
            changed[at] |= VARYING
    return bytes(changed)
