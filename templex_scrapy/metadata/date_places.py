"""Find the place of the publication date, which is the same on all pages of a template."""

from __future__ import annotations

import re
from collections.abc import Sequence

from templex_scrapy.metadata.labelled_fields import surroundings_of
from templex_scrapy.page import NodeArrays
from templex_scrapy.votes import KeyPage

LONGEST_DATE = 52
"""Characters of a text that may be a date: htmldate reads no more."""

_NUMBERS = r"\d\d?([./-] ?)\d\d?\1(?:\d{4}|\d\d)(?!\d)|(?:19|20)\d\d([./-])\d\d?\2\d\d?(?!\d)|\d{4} ?年"
_YEAR = r"(?:19|20)\d\d(?!\d)"
_DATE = re.compile(rf"(?<!\d)(?:{_NUMBERS}|\d\d?\D{{4,20}}{_YEAR})|[^\W\d_]{{3}}\.? \d\d?\D{{1,4}}{_YEAR}")
_CHANGED = re.compile(r"updat|modifi|mis à jour|aktualisiert|geändert|actuali[sz]|aggiornat|обновл", re.IGNORECASE)
_LONGEST_LABEL = 30  # characters: "Last updated on", and no sentence
_MIN_DATES = 2  # at a place: a single date may be that of a change of the site


class DatePlaces:
    """The elements in which the pages of a template have dates that differ.

    Args:
        key: the key page with the votes on it. O(texts and values that voters have).
    """

    def __init__(self, key: KeyPage) -> None:
        dates: dict[tuple[str, ...], set[str]] = {}
        other_texts: dict[tuple[str, ...], int] = {}
        for position in key.arrays.text_positions:
            place = surroundings_of(key.arrays, position)
            for text in {key.values.all_values[position] or "", *key.ballot.other_values.get(position, {})}:
                if may_be_date(" ".join(text.split())):
                    dates.setdefault(place, set()).add(text)
                else:
                    other_texts[place] = other_texts.get(place, 0) + 1
        self._places = {
            place
            for place, texts in dates.items()
            if len(texts) >= _MIN_DATES and len(texts) > other_texts.get(place, 0)
        }

    def positions(self, arrays: NodeArrays, texts: Sequence[int]) -> list[int]:
        """Return the positions of the dates at these places, among the texts of a page at some positions."""
        if not self._places:
            return []
        dates = (at for at in texts if may_be_date(" ".join((arrays.texts[at] or "").split())))
        return [at for at in dates if surroundings_of(arrays, at) in self._places]


def may_be_date(text: str) -> bool:
    """Return whether a text is short, has a day, a month or a word, and a year, and says of no change."""
    return len(text) <= LONGEST_DATE and _DATE.search(text) is not None and not _CHANGED.search(text)


def labels_change(text: str) -> bool:
    """Return whether a text such as "Last updated:" says that the date behind it is that of a change."""
    is_short = len(text) <= _LONGEST_LABEL and not any(map(str.isdigit, text))
    return is_short and _CHANGED.search(text) is not None
