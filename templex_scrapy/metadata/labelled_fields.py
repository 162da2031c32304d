"""Values of a page under the labels that the pages of the site share: "Brand: Acme", "Weight: 2 kg". Experimental.

No list of words is needed. Labels are texts that several pages have, in elements in which most texts are of that kind,
such as ``dt`` or ``span class=label``; what stands beside them differs from page to page.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import takewhile

from templex_scrapy.page import INLINE, NodeArrays, count_words
from templex_scrapy.votes import KeyPage

# "Maximum weight with full load" is a label; "Orders before noon are sent on the same day" has nine words
LONGEST_LABEL = 8
"""Words. A longer text that pages share is a sentence of the site."""

# the second colon is that of Chinese and Japanese
COLONS = ":\uff1a"
_LABEL_AND_VALUE = re.compile(r"^([^:\uff1a]*)(:\s+|\uff1a\s*)(.*\S)", re.DOTALL)
_NO_VALUES = INLINE | {"br", "img", "svg", "input", "wbr"}  # what may be empty between a label and its value
_ROWS = 2  # of labels and of values
_Surroundings = tuple[str, ...]


class Labels:
    """The labels that the pages of a template have.

    Args:
        key: the key page with the votes on it. O(nodes and values that voters have).

    Attributes:
        starts: labels with which texts of several pages begin, up to a colon.
    """

    def __init__(self, key: KeyPage) -> None:
        pages: dict[_Surroundings, Counter[str]] = {}
        starts = Counter[str]()
        for position in key.arrays.text_positions:
            if key.arrays.start_tag(key.arrays.parents[position]).tag == "a":
                continue  # a category, say: the label is in front of it
            # the value of the key page, and what other pages have in its place: "Acme", "Bolt", "Acme"
            seen = Counter(key.ballot.other_values.get(position, {}))
            seen[key.values.all_values[position] or ""] += key.ballot.equal[position]
            pages.setdefault(surroundings_of(key.arrays, position), Counter()).update(seen)
            for text, number in seen.items():
                for label, _ in divided(text):
                    starts[label] += number
        # "Brand" is on many pages, "Acme" on some, and most other names of brands on one
        self._texts = {
            around: frozenset(text for text, number in texts.items() if number > 1)
            for around, texts in pages.items()
            if 2 * sum(number > 1 for number in texts.values()) > len(texts)
        }
        self.starts = frozenset(label for label, number in starts.items() if number > 1)

    def has(self, surroundings: _Surroundings, text: str) -> bool:
        """Return whether a text is a label among such elements."""
        return text in self._texts.get(surroundings, ()) and _is_label(text)


def surroundings_of(arrays: NodeArrays, position: int) -> _Surroundings:
    """Return the tags and classes of the two elements around a text."""
    parent = arrays.parents[position]
    above = (parent, arrays.parents[parent])
    return tuple(arrays.start_tag(at).tag_and_classes for at in above if at >= 0)


def divided(text: str) -> Iterator[tuple[str, str]]:
    """Yield the label and the value of a text such as "Weight: 2 kg"; an address and "9:00" have none."""
    label, _, value = next(iter(_LABEL_AND_VALUE.findall(text)), ("", "", ""))
    if _is_label(label):
        yield label.strip(), value.strip()


class Fields:
    """The labels of a page and their values. Each text is read a few times, whatever the page is like.

    Args:
        left: positions of the texts that are not removed, in node order.
        labels: the labels of the template.

    Attributes:
        labels: positions of the texts that are labels.
    """

    def __init__(self, arrays: NodeArrays, left: Sequence[int], labels: Labels) -> None:
        self._arrays = arrays
        self._known = labels
        self._left = left
        self._texts = {position: " ".join((arrays.texts[position] or "").split()) for position in left}
        self.labels = {at for at, text in self._texts.items() if labels.has(surroundings_of(arrays, at), text)}

    def found(self) -> dict[str, str]:
        """Return the value of each label. A label with several values belongs to a list, and is left out."""
        # "Price" above each of ten products in a list is no field of the page
        values: dict[str, set[str]] = {}
        for position, text in self._texts.items():
            if position not in self.labels:
                for label, value in divided(text):
                    if label in self._known.starts:
                        values.setdefault(label, set()).add(value)
            elif beside := self._beside(position):
                values.setdefault(label_of(text), set()).add(beside)
        for label, value in self._columns():
            values.setdefault(label, set()).add(value)
        return {label: value for label, (value, *others) in values.items() if not others}

    def _columns(self) -> Iterator[tuple[str, str]]:
        """Yield label and value of each column of the tables with a row of labels and a row of values."""
        arrays, sizes = self._arrays, self._arrays.sizes
        rows = arrays.positions("tr")
        bounds = ((bisect_left(rows, at), bisect_left(rows, at + sizes[at])) for at in arrays.positions("table"))
        # a table may be in a table with the same rows
        for first, end in {pair for pair in bounds if pair[1] - pair[0] == _ROWS}:
            cells = [cell for row in rows[first:end] for cell in arrays.children(row)]
            # a cell over two columns would shift all values behind it
            if cells and not any("colspan" in arrays.tag_strings[cell] for cell in cells):
                for label, cell in zip(*map(arrays.children, rows[first:end]), strict=False):
                    at, value = self._first(label), self._value(cell, cell + sizes[cell])
                    if at in self.labels and value:
                        yield label_of(self._texts[at]), value

    def _beside(self, label: int) -> str:
        """Return the value of a label, behind or in front of it; empty if there is none."""
        parents, sizes = self._arrays.parents, self._arrays.sizes
        part, row = label, parents[label]  # the largest element without other texts, and the element around it
        while row >= 0 and self._count(row, sizes[row]) == 1:
            part, row = row, parents[row]
        behind = self._behind(part, row)
        if behind is not None:
            return behind
        # what is in front has to be a single element: <b>12</b> <span>comments</span>
        is_single = self._count(row + 1, sizes[row + 1]) == self._count(row, part - row)
        return self._value(row, part) if is_single else ""

    def _behind(self, part: int, row: int) -> str | None:
        """Return the value behind a part of a row; None if the row ends with the part.

        The value of ``dt`` is the ``dd`` behind it, and that of ``b`` the text up to ``br``.
        """
        tags, sizes = self._arrays.tags, self._arrays.sizes
        start = stop = part + sizes[part]
        end, value_tag = row + sizes[row], ""  # the tag is empty before the value
        while stop < end and self._first(stop) not in self.labels:
            tag, has_text = tags[stop], self._count(stop, sizes[stop]) > 0
            if value_tag and (tag == "br" or (tag != value_tag and has_text)):
                break
            if not value_tag and (has_text or tag not in _NO_VALUES):
                value_tag = tag  # also of an element without text: the value is empty
            stop += sizes[stop]
        return self._value(start, stop) if value_tag or stop != end else None

    def _value(self, start: int, end: int) -> str:
        """Return the texts of [start, end) up to the next label."""
        inside = self._left[self._index(start) : self._index(end)]
        texts = takewhile(lambda at: at not in self.labels, inside)
        return " ".join(self._texts[at] for at in texts).lstrip(COLONS).strip()

    def _first(self, root: int) -> int:
        """Return the first text of a subtree; -1 if it has none."""
        return self._left[self._index(root)] if self._count(root, self._arrays.sizes[root]) else -1

    def _count(self, start: int, size: int) -> int:
        return self._index(start + size) - self._index(start)

    def _index(self, position: int) -> int:
        return bisect_left(self._left, position)


def label_of(text: str) -> str:
    """Return a text as a label: on one line, without the colon."""
    return " ".join(text.split()).rstrip(COLONS).rstrip()


def _is_label(text: str) -> bool:
    return 0 < count_words(text) <= LONGEST_LABEL and any(character.isalpha() for character in text)
