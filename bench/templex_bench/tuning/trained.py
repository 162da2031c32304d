"""Parameters that the thesis trains beside the similarity: those of MenEx (Table 5.1) and of ConEx (6.1, 6.2 and 10.2).

On each key page all combinations are tried; those with the same result are one row of the file.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import TypeVar

import numpy as np

from templex_bench.detectors.menu import Menus, Parameters
from templex_bench.measures.scores import Score, links_in, score_counts, score_sets, words_of
from templex_bench.measures.texts import of_nodes
from templex_bench.suites import KeyPage
from templex_bench.tuning.classes import Sheet, classes_of, mapping_sets
from templex_bench.tuning.grid import Grid
from templex_bench.tuning.pairs import MOST_WORK, PairTables
from templex_scrapy.content import detect_content, detect_content_site
from templex_scrapy.mapping import PUBLISHED_CONTENT
from templex_scrapy.page import Page

Combination = Mapping[str, object]
Scored = Iterator[tuple[str, Score, Sequence[int]]]
"""Name of a training, a score, and the indexes of the combinations that have it."""

P = TypeVar("P")
R = TypeVar("R")

CONTENT_SIZE = 4
"""Pages that site-level ConEx compares (thesis, Table 10.1)."""


@dataclass(frozen=True, slots=True)
class Training:
    """What is trained.

    Attributes:
        name: its name in the file of scores.
        title: of its table.
        combinations: parameters by name, for each combination.
        published: index of the published one.
    """

    name: str
    title: str
    combinations: Sequence[Combination]
    published: int


@cache
def menus() -> tuple[Parameters, ...]:
    """Return weights in steps of 0.1, and those a step of 0.05 away from the published ones, with all thresholds."""
    published = Parameters()
    tenths = (range(5), range(4), range(1, 7), range(4), range(3), range(4))
    weights = [tuple(tenth / 10 for tenth in one) for one in product(*tenths) if sum(one) == 10]
    for more, less in product(range(6), repeat=2):
        moved = list(published.weights)
        moved[more], moved[less] = round(moved[more] + 0.05, 2), round(moved[less] - 0.05, 2)
        weights.append(tuple(moved) if more != less else published.weights)
    thresholds = list(product((0.5, 0.6, 0.7, 0.8, 0.9), (0.7, 0.75, 0.8, 0.85, 0.9, 0.95)))
    return tuple(Parameters(one, *pair) for one in dict.fromkeys(weights) for pair in thresholds)


CONEX: Sequence[dict[str, float]] = [
    {"candidates": size, "max_words": words, "least_text": share}
    for size, words, share in product(range(1, 9), range(9), (0, 1 / 3))
]
"""Sizes of the c-SET, thresholds of the post-process (0: none), and shares of the words that a candidate contains."""

CONEX_PRINTED: Mapping[str, float] = {"candidates": 3, "max_words": 3, "least_text": 0}


def trainings(grid: Grid) -> list[Training]:
    """Return all trainings; that of site-level ConEx has the combinations of the grid."""
    names = ("amplitude", "links", "text", "UL", "representative", "position")
    menu = [{"menu": p.menu, "root": p.root, **dict(zip(names, p.weights, strict=True))} for p in menus()]
    published = CONEX.index(dict(CONEX_PRINTED))
    words, nodes = "ConEx: size of the c-SET, and post-process", "nodes of the content"
    return [
        Training("table-5.1", "MenEx: weights and thresholds, links of the menu", menu, menus().index(Parameters())),
        Training("conex-nodes", f"{words}, {nodes}", CONEX, published),
        Training("conex-words", f"{words}, words of the content", CONEX, published),
        Training("table-10.2", f"Site-level ConEx: similarity, {nodes}", grid.described, grid.index(PUBLISHED_CONTENT)),
    ]


def trained(key: KeyPage, others: Sequence[Page], tables: PairTables) -> Scored:
    """Yield the scores of all combinations of all trainings on a key page."""
    page, gold = key.page, key.gold
    if gold.menu is not None:
        found, wanted = Menus(page, text="root", names="words"), links_in(page, gold.menu)
        for menu, which in _alike(menus(), lambda given: found.menu(given, judged_by="own weight")):
            yield "table-5.1", score_counts(links_in(page, menu), wanted), which
    if gold.content is None:
        return
    words = words_of(gold.text or "")
    for nodes, which in _alike(CONEX, lambda given: detect_content(page, **given)):  # type: ignore[arg-type]
        yield "conex-nodes", score_sets(nodes, gold.content), which
        yield "conex-words", score_counts(words_of(of_nodes(page, nodes)), words), which
    if others:
        tables.work = MOST_WORK
        sheet = Sheet(page)
        sets = {one for other in others for one in mapping_sets(sheet, Sheet(other), tables)}
        classes = classes_of(tables.grid, sorted(sets | {tables.grid.everything}))
        firsts = np.unique(classes, return_index=True)[1]
        similarities = [tables.grid.similarity(int(first)) for first in firsts]
        for nodes, which in _alike(similarities, lambda one: detect_content_site(page, others, similarity=one)):
            yield "table-10.2", score_sets(nodes, gold.content), np.flatnonzero(np.isin(classes, which)).tolist()


def _alike(given: Sequence[P], find: Callable[[P], R]) -> list[tuple[R, list[int]]]:
    """Return each result with the indexes of the parameters that lead to it."""
    found: dict[R, list[int]] = defaultdict(list)
    for index, parameters in enumerate(given):
        found[find(parameters)].append(index)
    return list(found.items())
