"""What the thesis trains: the similarity (8.3, 10.2), MenEx (5.1) and ConEx (6.1, 6.2).

On each key page all combinations are tried, by the product itself; those that lead to the same result are scored once.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import product
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from templex_bench.detectors.menu import Menus, Parameters
from templex_bench.measures.scores import Score, links_in, score_counts, score_sets, words_of
from templex_bench.measures.texts import of_nodes
from templex_bench.plan import EQUAL_SIZE, VOTES
from templex_bench.suites import KeyPage
from templex_bench.suites.model import fingerprint_of
from templex_scrapy.mapping import PUBLISHED, PUBLISHED_CONTENT, PUBLISHED_QUICK, TEMPLEX, Similarity, map_pages
from templex_scrapy.page import Page, distinct
from templex_scrapy.papers import detect_content, detect_content_site
from templex_scrapy.template import Template

Floats = NDArray[np.float64]
Measures = tuple[float, float, float, float]
MEASURES = ("recall", "precision", "f1", "own words kept")
"""The last one is that of templates: the share of the words outside the gold template that the cleaned page keeps."""

CONTENT_SIZE = 4
"""Pages that site-level ConEx compares (thesis, Table 10.1)."""

P = TypeVar("P")
R = TypeVar("R", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Training:
    """What is trained.

    Attributes:
        name: its name in the file of scores.
        title: of its table.
        combinations: parameters by name, for each combination.
        named: indexes of combinations that are shown in any case; the others are compared with the first.
    """

    name: str
    title: str
    combinations: Sequence[Mapping[str, object]]
    named: Mapping[str, int]


@cache
def similarities(*, unique: bool = False) -> tuple[Similarity, ...]:
    """Return the thesis's grid: weights and thresholds in steps of 0.1.

    With the product's rule ``unique`` weights are in steps of 0.2, beside those of the named parameters.
    """
    tenths = range(0, 11, 2 if unique else 1)
    weights = {(p, c, k, 10 - p - c - k) for p, c, k in product(tenths, repeat=3) if p + c + k <= 10}
    weights |= {(1, 1, 3, 5), (4, 1, 5, 0), (0, 1, 7, 2)}
    return tuple(
        Similarity(position=p / 10, classes=c / 10, children=k / 10, attributes=a / 10, threshold=t / 10, unique=unique)
        for (p, c, k, a), t in product(sorted(weights), range(1, 11))
    )


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


def trainings() -> list[Training]:
    """Return all trainings."""
    names = ("amplitude", "links", "text", "UL", "representative", "position")
    menu = [{"menu": p.menu, "root": p.root, **dict(zip(names, p.weights, strict=True))} for p in menus()]
    plain, ours = similarities(), similarities(unique=True)
    names_of_grid = ("position", "classes", "children", "attributes", "threshold")
    of_plain, of_ours = (
        [{name: getattr(one, name) for name in names_of_grid} for one in some] for some in (plain, ours)
    )
    published = {
        "published weights": plain.index(PUBLISHED),
        "published weights, quick": plain.index(PUBLISHED_QUICK),
    }
    of_content, conex = plain.index(PUBLISHED_CONTENT), {"published": CONEX.index(dict(CONEX_PRINTED))}
    defaults = {"present defaults": ours.index(replace(TEMPLEX, words=False))}
    words, nodes = "ConEx: size of the c-SET, and post-process", "nodes of the content"
    return [
        Training("table-8.5", "Similarity, nodes of the template", of_plain, published),
        Training("unique", "The same with the rule “unique”, fewer weights", of_ours, defaults),
        Training("table-5.1", "MenEx: links of the menu", menu, {"published weights": menus().index(Parameters())}),
        Training("conex-nodes", f"{words}, {nodes}", CONEX, conex),
        Training("conex-words", f"{words}, words of the content", CONEX, conex),
        Training("table-10.2", f"Site-level ConEx, {nodes}", of_plain, {"published weights": of_content}),
    ]


@cache
def grid() -> str:
    """Return a hash of all combinations, to which scores refer by index."""
    return fingerprint_of((training.name, training.combinations) for training in trainings())


def scored(key: KeyPage, pages: Mapping[int, Sequence[Page]]) -> Iterator[tuple[str, Floats]]:
    """Score all combinations of the trainings on a key page, as far as it has a gold standard.

    Args:
        key: the key page.
        pages: the pages of its complete subdigraph by its size: that of templates and :data:`CONTENT_SIZE`.

    Yields:
        Name of a training, and its scores: a row for each combination, a column for each of :data:`MEASURES`.
    """
    page, gold = key.page, key.gold
    plain = similarities()

    @cache
    def mapped(other: Page, similarity: Similarity) -> int:
        return hash(tuple(map_pages(page, other, similarity).items()))

    def mappings(others: Iterable[Page]) -> Callable[[Similarity], tuple[int, ...]]:
        others = distinct([page, *others])[1:]
        return lambda similarity: tuple(mapped(other, similarity) for other in others)

    if gold.template is not None:
        words = [words_of(text or "").total() for text in page.arrays.texts]
        own = frozenset(range(len(page))) - gold.template

        def template(_: object, similarity: Similarity) -> Measures:
            found = Template.from_pages(page, pages[EQUAL_SIZE], VOTES[EQUAL_SIZE], similarity=similarity)
            lost = sum(words[at] for at in own & found.match(page).removable if pages[EQUAL_SIZE])
            whole = sum(words[at] for at in own)
            return _measures(score_sets(found.nodes, gold.template), 1 - lost / whole if whole else 1.0)

        yield "table-8.5", _each(plain, mappings(pages[EQUAL_SIZE]), template)
        yield "unique", _each(similarities(unique=True), mappings(pages[EQUAL_SIZE]), template)
    if gold.menu is not None:
        found, wanted = Menus(page, text="root", names="words"), links_in(page, gold.menu)
        judged = partial(found.menu, judged_by="own weight")
        yield "table-5.1", _each(menus(), judged, lambda menu, _: _measures(score_counts(links_in(page, menu), wanted)))
    others = distinct([page, *pages[CONTENT_SIZE]])[1:]
    if gold.content is not None:
        text = words_of(gold.text or "")
        nodes = [detect_content(page, **given) for given in CONEX]  # type: ignore[arg-type]
        yield "conex-nodes", _each(nodes, frozenset, lambda one, _: _measures(score_sets(one, gold.content)))

        def in_words(found: frozenset[int], _: object) -> Measures:
            return _measures(score_counts(words_of(of_nodes(page, found)), text))

        yield "conex-words", _each(nodes, frozenset, in_words)
    if gold.content is not None and others:

        def content(_: object, similarity: Similarity) -> Measures:
            return _measures(score_sets(detect_content_site(page, others, similarity=similarity), gold.content))

        yield "table-10.2", _each(plain, mappings(others), content)


def _measures(score: Score, kept: float = float("nan")) -> Measures:
    return score.recall or 0.0, score.precision or 0.0, score.f1 or 0.0, kept


def _each(given: Iterable[P], find: Callable[[P], R], score: Callable[[R, P], Measures]) -> Floats:
    known: dict[R, Measures] = {}
    rows = []
    for one in given:
        result = find(one)
        if result not in known:
            known[result] = score(result, one)
        rows.append(known[result])
    return np.array(rows)
