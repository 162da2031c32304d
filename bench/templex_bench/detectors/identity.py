"""When two nodes of different pages are the same: by name, by all that they contain, by the path that leads to them.

The older detectors ask for identity where TemEx asks for similarity. Equal things get equal numbers, so that to compare
two subtrees, or two paths, is to compare two numbers.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from itertools import count
from typing import Literal

from templex_scrapy.page import TEXT, NodeArrays

Labels = Literal["tags", "start tags"]
"""Two elements are equal by their tags, or by their start tags with all attributes."""

Numbers = defaultdict[Hashable, int]
"""The numbers given so far, shared by all pages that are compared."""


def numbers() -> Numbers:
    """Return a dictionary that numbers its keys from 0, in the order of their first look-up."""
    return defaultdict(count().__next__)


def node_labels(arrays: NodeArrays, reading: Labels) -> list[str]:
    """Return the label of each node; that of a text node is its words."""
    tags = {tag_string: arrays.start_tag(position).tag for position, tag_string in enumerate(arrays.tag_strings)}
    return [
        (tags[tag_string] if reading == "tags" else tag_string) if text is None else f"{TEXT} {' '.join(text.split())}"
        for tag_string, text in zip(arrays.tag_strings, arrays.texts, strict=True)
    ]


def child_lists(arrays: NodeArrays) -> list[list[int]]:
    """Return the children of each node, in document order; O(number of nodes)."""
    children: list[list[int]] = [[] for _ in arrays.parents]
    for position in range(1, len(children)):
        children[arrays.parents[position]].append(position)
    return children


def subtree_numbers(labels: Sequence[Hashable], children: Sequence[Sequence[int]], known: Numbers) -> list[int]:
    """Return a number for the subtree of each node: equal ones have equal labels in the same shape and order.

    O(number of nodes); new numbers are added to ``known``.
    """
    found = [0] * len(labels)
    for position in range(len(labels) - 1, -1, -1):
        found[position] = known[labels[position], tuple([found[child] for child in children[position]])]
    return found


def path_numbers(arrays: NodeArrays, reading: Labels, known: Numbers, *, indexed: bool = False) -> list[int]:
    """Return a number for the path from the root to each node; O(number of nodes). Text nodes are always equal.

    New numbers are added to ``known``. ``indexed``: each step of a path has the index among its equal siblings.
    """
    everywhere = range(len(arrays.tag_strings))
    labels = arrays.tag_strings if reading == "start tags" else [arrays.start_tag(at).tag for at in everywhere]
    found = [known["root"]] * len(labels)
    seen: Counter[tuple[int, str]] = Counter()
    for position in range(1, len(labels)):
        parent, label = arrays.parents[position], labels[position]
        found[position] = known[found[parent], label, seen[parent, label]]
        if indexed:
            seen[parent, label] += 1
    return found
