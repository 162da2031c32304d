"""The headline of a page: the heading that the title repeats, and the texts between it and the content."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable
from itertools import pairwise

from templex_scrapy.content.selection import Selection, words_of
from templex_scrapy.content.thresholds import THRESHOLDS
from templex_scrapy.page import HEADINGS

_HEADING_NODES = 50  # at most


def headings(words: Selection, tag: str) -> list[int]:
    """Return the elements of a tag from h1 to h3 that have not been removed and have few nodes."""
    sizes, flags = words.arrays.sizes, words.flags
    return [h for h in words.outline.headings.get(tag, ()) if sizes[h] <= _HEADING_NODES and flags[h]]


def find_headline(words: Selection, title: str) -> int:
    """Return the first heading, of the first of the tags h1 to h3 that has one, whose words are all in the title.

    Of a heading with several texts, such as title and subtitle, it is enough if the first is in it. Without such a
    heading, return -1.
    """
    found = (first_in(words, title, headings(words, tag)) for tag in ("h1", "h2", "h3"))
    return next((heading for heading in found if heading >= 0), -1)


def first_in(words: Selection, title: str, candidates: Iterable[int]) -> int:
    """Return the first of some headings that is in the title; -1 if none is."""
    in_title, known = set(title.split()), dict[int, bool]()

    def is_in(text: int) -> bool:
        if text not in known:
            known[text] = in_title.issuperset(_words_of(words, text).split())
        return known[text]

    for heading in candidates:
        texts = _texts_of(words, heading)
        # most headings are not in it: the first text is compared before all of them
        if texts and is_in(texts[0]):
            first = _words_of(words, texts[0])
            if all(map(is_in, texts)) and any(_words_of(words, text) for text in texts):
                return heading
            if " " in first and f" {first} " in f" {title} ":
                return heading
    return -1


def heading_text(words: Selection, heading: int) -> str:
    """Return all words of a heading, in lower case."""
    return " ".join(filter(None, [_words_of(words, text) for text in _texts_of(words, heading)]))


def _texts_of(words: Selection, heading: int) -> tuple[int, ...]:
    arrays = words.arrays
    return arrays.text_positions[arrays.texts_before[heading] : arrays.texts_before[heading + arrays.sizes[heading]]]


def _words_of(words: Selection, text: int) -> str:
    """Return the words of a text, which is read once: headings may be in headings."""
    if text not in words.read:
        words.read[text] = words_of(words.arrays.texts[text] or "")
    return words.read[text]


def texts_between(words: Selection, headline: int, root: int, kept: Collection[int]) -> list[int]:
    """Return the texts between the headline and the root, such as a subtitle; if they are many, their long blocks.

    Lists of links are left out, but not values, and what follows a label.
    """
    texts, counts, outline = words.arrays.text_positions, words.counts, words.outline
    # a headline has a text, so that one is before the first
    first, end = bisect_left(texts, headline + words.arrays.sizes[headline]), bisect_left(texts, root)
    # <div>Brand</div><a href="/acme">Acme</a> is a fact, <a href="/">Home</a> beside it is not
    values = {text for label, text in pairwise(texts[first - 1 : end]) if text in kept or label in kept}
    unique = [text for text in texts[first:end] if words.flags[text] and counts[text]]
    links = [text for text in unique if outline.linked[text] and text not in values]
    start_tag, blocks = words.arrays.start_tag, {outline.blocks[text] for text in links}
    lines = {block for block in blocks if words.is_line(block) or start_tag(block).tag in HEADINGS}
    in_lists = {text for text in links if outline.blocks[text] not in lines}
    found = [text for text in unique if text not in in_lists]
    if sum(counts[text] for text in found) <= THRESHOLDS.article_words:
        return found
    # two hundred times "Tuesday" are a list; a paragraph among them is the beginning of the text
    return [text for text in found if words.long_words(outline.blocks[text])]
