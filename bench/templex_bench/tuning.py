"""What the thesis trains: the similarity (8.3, 10.2), MenEx (5.1) and ConEx (6.1, 6.2), cross-validated by site.

On each key page all combinations are tried, by the product itself; those that lead to the same result are scored once.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import product
from typing import NamedTuple, TypeVar

import numpy as np
import pandas as pd
from joblib import Parallel, delayed  # type: ignore[import-untyped]
from numpy.typing import NDArray

from templex_bench.candidates import HYPERLINK_ANALYSIS, SIBLINGS, compare
from templex_bench.detectors.menu import Menus, Parameters
from templex_bench.measures.means import estimate
from templex_bench.measures.scores import Score, links_in, score_counts, score_sets, words_of
from templex_bench.measures.texts import of_nodes
from templex_bench.plan import EQUAL_SIZE, VOTES
from templex_bench.suites import KeyPage, Site
from templex_bench.tables import published
from templex_bench.tables.model import Table, difference, mean, share
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

SHOWN = 20
"""Combinations that a table shows, as many as the thesis."""

P = TypeVar("P")
R = TypeVar("R", bound=Hashable)


class Training(NamedTuple):
    """What is trained: combinations of parameters, and the indexes of those that are compared with all others."""

    name: str
    title: str
    combinations: Sequence[Mapping[str, object]]
    named: Mapping[str, int]


@cache
def similarities(*, unique: bool = False) -> tuple[Similarity, ...]:
    """Return the thesis's grid: weights and thresholds in steps of 0.1; of 0.2 with the product's rule ``unique``."""
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
    published_weights = Parameters().weights
    tenths = (range(5), range(4), range(1, 7), range(4), range(3), range(4))
    weights = [tuple(tenth / 10 for tenth in one) for one in product(*tenths) if sum(one) == 10]
    for more, less in product(range(6), repeat=2):
        moved = list(published_weights)
        moved[more], moved[less] = round(moved[more] + 0.05, 2), round(moved[less] - 0.05, 2)
        weights.append(tuple(moved) if more != less else published_weights)
    thresholds = list(product((0.5, 0.6, 0.7, 0.8, 0.9), (0.7, 0.75, 0.8, 0.85, 0.9, 0.95)))
    return tuple(Parameters(one, *pair) for one in dict.fromkeys(weights) for pair in thresholds)


CONEX: Sequence[dict[str, float]] = [
    {"candidates": size, "max_words": words, "least_text": share}
    for size, words, share in product(range(1, 9), range(9), (0, 1 / 3))
]
"""Sizes of the c-SET, thresholds of the post-process (0: none), and shares of the words that a candidate contains."""

CONEX_PRINTED: Mapping[str, float] = {"candidates": 3, "max_words": 3, "least_text": 0}
OF_CONEX = {"table-6.1": "candidates", "table-6.2": "max_words"}
NAMES = ("table-8.5", "unique", "table-5.1", "conex-nodes", "conex-words", "table-10.2", *OF_CONEX)


@cache
def trainings() -> list[Training]:
    """Return all trainings."""
    names = ("amplitude", "links", "text", "UL", "representative", "position")
    menu = [{"menu": p.menu, "root": p.root, **dict(zip(names, p.weights, strict=True))} for p in menus()]
    plain, ours = similarities(), similarities(unique=True)
    grid = ("position", "classes", "children", "attributes", "threshold")
    of_plain, of_ours = ([{name: getattr(one, name) for name in grid} for one in some] for some in (plain, ours))
    quick = {"published weights": plain.index(PUBLISHED), "published weights, quick": plain.index(PUBLISHED_QUICK)}
    of_content, conex = plain.index(PUBLISHED_CONTENT), {"published": CONEX.index(dict(CONEX_PRINTED))}
    defaults = {"present defaults": ours.index(replace(TEMPLEX, words=False))}
    words, nodes = "ConEx: size of the c-SET, and post-process", "nodes of the content"
    return [
        Training("table-8.5", "Similarity, nodes of the template: place and same words, option 4", of_plain, quick),
        Training("unique", "The same with the rule “unique”, fewer weights", of_ours, defaults),
        Training("table-5.1", "Our MenEx: links of the menu", menu, {"published": menus().index(Parameters())}),
        Training("conex-nodes", f"{words}, {nodes}", CONEX, conex),
        Training("conex-words", f"{words}, words of the content", CONEX, conex),
        Training("table-10.2", f"Site-level ConEx, {nodes}", of_plain, {"published weights": of_content}),
    ]


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


Scores = Mapping[str, Mapping[str, Floats]]
"""Training → site → its mean scores: a row for each combination, a column for each measure."""


def tune(sites: Mapping[str, Site], limit: int | None, jobs: int) -> Scores:
    """Score all combinations on sites, in so many processes."""
    found: dict[str, dict[str, Floats]] = {}
    each = Parallel(n_jobs=jobs)(delayed(_scores_of)(site, limit) for site in sites.values())
    for name, of_site in zip(sites, each, strict=True):
        for training, scores in of_site.items():
            found.setdefault(training, {})[name] = scores
    return found


def _scores_of(site: Site, limit: int | None) -> dict[str, Floats]:
    logging.disable(logging.CRITICAL)
    fetch = cache(site.fetch)
    selection = HYPERLINK_ANALYSIS if site.linked else SIBLINGS
    found: dict[str, list[Floats]] = {}
    for url in site.key_urls[:limit]:
        key, sizes = site.key_page(url), (EQUAL_SIZE, CONTENT_SIZE)
        pages = {size: compare(site, key.page, fetch, size=size, selection=selection).pages for size in sizes}
        for name, scores in scored(key, pages):
            found.setdefault(name, []).append(scores)
    logging.disable(logging.NOTSET)  # a single job runs in the caller's process
    return {name: np.mean(of_pages, axis=0) for name, of_pages in found.items()}


def trained(scores: Mapping[str, Floats], training: Training) -> Table | None:
    """Show the best combinations of a training, and one chosen for each site without it."""
    if len(scores) < 2:
        return None
    measures = dict(zip(MEASURES, np.moveaxis(np.array(list(scores.values())), 2, 0), strict=True))
    f1, base_title, base = measures["f1"], *next(iter(training.named.items()))
    # of equals the base, then the first
    order = np.lexsort((np.arange(f1.shape[1]) != base, -f1.mean(axis=0).round(9)))
    without = [(f1.sum(axis=0) - own).round(9) for own in f1]
    chosen = [max(np.flatnonzero(own == own.max()).tolist(), key=lambda at: at == base) for own in without]
    folds = Counter(chosen)
    index = pd.MultiIndex.from_product([list(scores), [""]])

    def row(title: str, picked: Sequence[int], given: Mapping[str, object]) -> dict[str, str]:
        of = {name: pd.Series(values[range(len(scores)), picked], index=index) for name, values in measures.items()}
        cells = {
            name.capitalize(): f"{value:g}" if isinstance(value, float) else str(value) for name, value in given.items()
        }
        means = {
            name.capitalize(): share(float(values.mean()), 4 if "kept" in name else 3) for name, values in of.items()
        }
        less = difference(estimate(of["f1"] - f1[:, base]))
        return {"Rank": title, **cells, **means, "F1": mean(estimate(of["f1"])), f"F1 less that of {base_title}": less}

    rows = [row(title, [at] * len(scores), training.combinations[at]) for title, at in training.named.items()]
    rows.append(row("one site left out", chosen, {}))
    rows += [
        {**row(str(rank), [at] * len(scores), training.combinations[at]), "Folds": str(folds[at])}
        for rank, at in enumerate(map(int, order[:SHOWN]), 1)
    ]
    notes = (
        f"{len(training.combinations):,} combinations on {len(scores)} sites. The ranks are chosen on them.",
        f"Folds: how often of {len(scores)} the combination is chosen where one site is left out.",
    )
    return Table.of(training.title, rows, *notes)


def conex(scores: Scores, parameter: str) -> Table | None:
    """Show ConEx by one parameter, the other as printed (Tables 6.1 and 6.2)."""
    found = {unit: np.mean(list(scores[f"conex-{unit}"].values()), axis=0) for unit in ("nodes", "words")}
    rows = []
    for value in sorted({given[parameter] for given in CONEX}):
        at = CONEX.index({**CONEX_PRINTED, parameter: value})
        of = f"{parameter} {value}"
        row = {parameter: f"{value:g}"}
        for unit, means in found.items():
            row |= {f"{unit}, {name}": share(float(means[at, n])) for n, name in enumerate(MEASURES[:3])}
            row[f"published {unit} F1"] = share(published.figures(f"page-conex content {unit}", of).f1)
        rows.append(row)
    notes = ("Everything else is as printed. Nothing is chosen here.", "max_words 0: without the post-process.")
    return Table.of(f"ConEx by {parameter}", rows, *notes)


def tables(scores: Scores, only: str | None, command: str) -> Iterator[str]:
    """Yield as Markdown the tables that have rows, or only one of them."""
    made = {training.name: training for training in trainings()}
    for name in [only] if only else NAMES:
        if name in OF_CONEX:
            table = conex(scores, OF_CONEX[name]) if "conex-nodes" in scores else None
        else:
            table = trained(scores.get(name, {}), made[name])
        if table is not None:
            yield table.markdown(name, command)
