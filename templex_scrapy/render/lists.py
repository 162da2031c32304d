"""Write lists, and read the numbers of their items."""

from __future__ import annotations

import re
from itertools import pairwise

# a block right below the first line of an item is in a list: an ordered one only if it begins with 1
_LIST = re.compile(r"[-*] |1[.)] ")
# 9,999 is the highest number that an ordered list starts with: its digits are an indentation
_NUMBER = re.compile(r"\s*0*(\d{1,4})\s*", re.ASCII)


def number_of(value: str, default: int) -> int:
    """Return the number that an attribute gives; the default if it gives none, or if the number is too high."""
    number = _NUMBER.fullmatch(value)
    return default if number is None else int(number[1])


def lists_of(items: list[tuple[int, list[str]]], before: str, *, is_numbered: bool) -> list[str]:
    """Return the blocks of a list: several lists if the numbers of the items are not consecutive.

    Args:
        items: of each item the number and the blocks.
        before: the block before the list. Right behind a list, the signs are others, so that these are two lists.
        is_numbered: whether the numbers are shown.
    """
    lists: list[str] = []
    # a reader counts on
    starts = [at for at in range(len(items)) if not at or (is_numbered and items[at][0] != items[at - 1][0] + 1)]
    for start, end in pairwise([*starts, len(items)]):
        numbers, contents = zip(*items[start:end], strict=True)
        if is_numbered:
            sign = ")" if re.match(r"\d+\. ", before) else "."
            marks = [f"{number}{sign} " for number in numbers]
        else:
            marks = ["* " if before.startswith("- ") else "- "] * len(contents)
        # a list without blank lines is shown with less space; a list of paragraphs needs them
        gap = "\n" if all(_LIST.match(block) for blocks in contents for block in blocks[1:]) else "\n\n"
        written = []
        for mark, blocks in zip(marks, contents, strict=True):
            item = gap.join(blocks).replace("\n", "\n" + " " * len(mark))
            written.append(mark + re.sub(r"\n +(?=\n)", "\n", item))
        before = "\n".join(written)
        lists.append(before)
    return lists
