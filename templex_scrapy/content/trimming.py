"""What is no part of a text, though it is inside: boxes with such names, boxes of links, headings at the end."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from operator import itemgetter

from templex_scrapy import cython
from templex_scrapy.content.box_names import last_words
from templex_scrapy.content.selection import Selection
from templex_scrapy.content.thresholds import THRESHOLDS
from templex_scrapy.page import HEADINGS, StartTag

# whatever a part of these is called: <tr class="footer"> has the total
_AROUND_PARTS = ("dl", "figure", "ol", "table", "ul")
_PARTS = HEADINGS | frozenset("caption dd dt header li tbody tfoot th thead tr".split())
# quotations and pictures have their source in one link
_WITH_SOURCE = frozenset({"blockquote", "figcaption", "figure"})
_MAY_BE_BOXES = frozenset("article aside div footer section".split())
_OF_VALUES = ("dl", "ol", "table")
_SECTIONS = frozenset({"article", "section"})
_NUMBER = re.compile(r"\d+")
# <a name="q1"> and <a href="#q1"> lead to no other page
_LEADS_AWAY = re.compile(r'\shref="[^#"]', re.ASCII)
# a question opens its answer, and a download is a part of the text
_OF_PAGE = re.compile(r'\shref="(?!mailto:|tel:|javascript:)[^"#]+(?<!\.pdf)(?<!\.jpg)(?<!\.zip)"', re.IGNORECASE)


@cython.locals(
    words=Selection, root="Py_ssize_t", headline="Py_ssize_t", weight="int", box="Py_ssize_t", behind="Py_ssize_t",
    lead="Py_ssize_t", left=Selection,
)  # fmt: skip
def without_boxes_inside(words: Selection, root: int, headline: int, *, is_alone: bool) -> Selection:
    """Return the selection without boxes that are named so inside a text: the footer of an article, a form, a popup.

    Each has a small part of the words, and so have all of them, or none goes. No part of a list, a table or a figure
    goes. A form has a control, and a teaser is not the lead of the text.

    Args:
        words: the page's unique words.
        root: the root of the text.
        headline: the position of the headline, which is in no box; -1 without one.
        is_alone: no other page is known; then teasers and buttons go as well.
    """
    sizes, outline, weight = words.arrays.sizes, words.outline, words.weight(root)
    boxes, lead = list[int](), max(root, headline)
    for box in _in_no_list(words, root):
        behind, names = box + sizes[box], last_words(words.arrays.start_tag(box))
        if (
            words.weight(box) > THRESHOLDS.small_share * weight
            or box <= headline < behind
            or (not is_alone and box in outline.of_links)
            # <div class="verb-form"> in a grammar
            or ("form" in names and outline.controls[behind] == outline.controls[box])
        ):
            continue
        if names & {"teaser", "teasers"} and (box < lead or not words.long_between(lead, box)):
            lead = max(lead, behind)
            continue
        boxes.append(box)
    left = words.without(boxes)
    return left if left.weight(root) >= THRESHOLDS.large_share * weight else words


def _in_no_list(words: Selection, root: int) -> list[int]:
    """Return the boxes inside a text that are in no list, table or figure of it."""
    sizes, end, found, around, index = words.arrays.sizes, root + words.arrays.sizes[root], list[int](), 0, 0
    wholes = sorted(whole for tag in _AROUND_PARTS for whole in words.arrays.positions(tag) if root <= whole < end)
    for box in words.outline.inside:
        while index < len(wholes) and wholes[index] < box:
            around, index = max(around, wholes[index] + sizes[wholes[index]]), index + 1
        if root < box < end and box >= around:
            found.append(box)
    return found


def without_boxes_of_links(words: Selection, root: int, headline: int, *, is_alone: bool = False) -> Selection:
    """Return the selection without the boxes of links below a node that is mostly prose.

    They have most words in links, and none in long blocks. A heading is no box, and neither is the header around it, a
    row, or an item. A headline is often a link to its page, so that its box is one of links: it is kept. Boxes of one
    link to another page go if the page is alone, a paragraph only between or below long ones, and no part of a
    quotation or a figure; other pages tell which of them are its own.
    """
    if words.long_words(root) < THRESHOLDS.running_share * words.words(root):
        return words
    least = 1 if is_alone else THRESHOLDS.box_links
    return words.without(_boxes_of_links(words, root, headline, THRESHOLDS.large_share, least))


@cython.cfunc
@cython.returns(list)
@cython.locals(
    words=Selection, root="Py_ssize_t", headline="Py_ssize_t", share="double", least="int", sizes="const int[::1]",
    blocks="int[::1]", links="int[::1]", position="Py_ssize_t", end="Py_ssize_t", behind="Py_ssize_t",
    quoted="Py_ssize_t", boxes=list,
)  # fmt: skip
def _boxes_of_links(words: Selection, root: int, headline: int, share: float, least: int) -> list[int]:
    arrays, blocks, links, boxes = words.arrays, words.outline.blocks, words.outline.links, list[int]()
    sizes = arrays.sizes
    position, end, quoted, several = root + 1, root + sizes[root], 0, THRESHOLDS.box_links
    while position < end:
        behind = position + sizes[position]
        if least == 1 and arrays.start_tag(position).tag in _WITH_SOURCE:
            quoted = max(quoted, behind)
        # an element that is not inline is its own block
        if (
            blocks[position] == position
            and links[behind] > links[position]
            and not position <= headline < behind
            and not words.long_words(position)
            and 0 < share * words.words(position) <= words.words_in_links(position)
            and _is_box(words, position, links[behind] - links[position], several if position < quoted else least)
        ):
            if not _is_list_of_text(words, position):
                boxes.append(position)
            position = behind
        else:
            position = behind if words.is_whole(position) else position + 1
    return boxes


@cython.cfunc
@cython.returns("bint")
@cython.locals(words=Selection, node="Py_ssize_t", links="int", least="int", tag=str)
def _is_box(words: Selection, node: int, links: int, least: int) -> bool:
    """Return whether an element is no part of a table, a list or a section, and has links enough."""
    tag = words.arrays.start_tag(node).tag
    if tag == "p" and not words.last_paragraph(words.arrays.parents[node]):
        least = THRESHOLDS.box_links
    if tag in _PARTS or links < least or words.is_line(node):
        return False
    link = words.outline.is_link.find(1, node)
    return links > 1 or _LEADS_AWAY.search(words.arrays.start_tag(link).tag_string) is not None


def _is_list_of_text(words: Selection, node: int) -> bool:
    """Return whether a list is part of a text: a paragraph follows it, or stands above a list without names."""
    tag, last = words.arrays.start_tag(node), words.last_paragraph(words.arrays.parents[node])
    return words.is_whole(node) and (last > node or (last > 0 and tag.tag_and_classes == tag.tag and not tag.id))


def without_teasers(words: Selection, root: int, headline: int) -> Selection:
    """Return the selection without boxes behind a text that lead elsewhere, such as related articles with their leads.

    The text is the element with most words in long blocks of its own, and all that is in it stays. A box behind it, or
    behind an element around it, has links that stand alone: in running text they are parts of sentences. What has a
    heading above it stays, and so does what is of the same kind as the text: the next post, another section.
    """
    least = 3 * THRESHOLDS.article_words  # the introduction of a list is shorter
    if words.long_words(root) < least:
        return words
    arrays, blocks = words.arrays, words.outline.blocks
    texts, before, sizes = arrays.text_positions, arrays.texts_before, arrays.sizes
    long = Counter[int]()
    for text in texts[before[root] : before[root + sizes[root]]]:
        if words.flags[text] and words.is_long(blocks[text]):
            long[arrays.parents[blocks[text]]] += words.counts[text]
    part, most = max(long.items(), key=itemgetter(1), default=(root, 0))
    boxes = list[int]()
    while most >= least and part > root:
        above = arrays.start_tag(part)
        for box in arrays.children(arrays.parents[part]):
            if box <= part or arrays.texts[box] is not None:
                continue
            tag = arrays.start_tag(box)
            if (
                tag.tag in _MAY_BE_BOXES
                and not box <= headline < box + sizes[box]
                and above.tag not in HEADINGS
                and not _are_alike(arrays.start_tag(part), tag)
                and _leads_elsewhere(words, box)
            ):
                boxes.append(box)
            above = tag
        part = arrays.parents[part]
    return words.without(sorted(boxes))


def _leads_elsewhere(words: Selection, box: int) -> bool:
    """Return whether a share of the words of a box is in links that stand alone, and few in lists of values."""
    arrays, behind, kept = words.arrays, box + words.arrays.sizes[box], 0
    for tag in _OF_VALUES:
        nodes = arrays.positions(tag)
        for node in nodes[bisect_left(nodes, box) : bisect_left(nodes, behind)]:
            # titles and leads of news may be a <dl>
            is_news = tag == "dl" and words.words_in_links(node) >= THRESHOLDS.teaser_share * words.words(node)
            kept += words.words(node) if words.is_whole(node) and not is_news else 0
    links = arrays.positions("a")
    alone = [
        words.counts[text]
        for link in links[bisect_left(links, box) : bisect_left(links, behind)]
        if _OF_PAGE.search(arrays.start_tag(link).tag_string)
        for text in arrays.text_positions[arrays.texts_before[link] : arrays.texts_before[link + arrays.sizes[link]]]
        if words.flags[text] and not words.is_long(words.outline.blocks[text])
    ]
    count = words.words(box)
    return 2 * kept <= count and len(alone) >= THRESHOLDS.box_links and sum(alone) >= THRESHOLDS.teaser_share * count


def _are_alike(part: StartTag, other: StartTag) -> bool:
    """Return whether two siblings are of one kind: posts share most classes, but for numbers, sections have none."""
    if part.tag != other.tag:
        return False
    names, others = ({_NUMBER.sub("", name) for name in tag.classes} for tag in (part, other))
    if names and others:
        return 2 * len(names & others) > min(len(names), len(others))
    ids = {_NUMBER.sub("", tag.id or "") for tag in (part, other)}
    return part.tag in _SECTIONS or (not names and not others and len(ids) == 1)


def without_last_headings(words: Selection, roots: Sequence[int], headline: int) -> Selection:
    """Return the selection without headings at the end of some subtrees, which head nothing."""
    arrays, blocks = words.arrays, words.outline.blocks
    texts, before, sizes = arrays.text_positions, arrays.texts_before, arrays.sizes
    first, end = min(roots), max(root + sizes[root] for root in roots)
    last = list[int]()
    for text in reversed(texts[before[first] : before[end]]):
        block = blocks[text]
        if not (words.flags[text] and words.counts[text]) or (last and block == last[-1]):
            continue
        if arrays.start_tag(block).tag not in HEADINGS or block == headline:
            break
        last.append(block)
    return words.without(sorted(last))
