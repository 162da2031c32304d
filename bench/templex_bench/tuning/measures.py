"""From counts to measures, and from key pages to sites: every combination of the grid at once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from templex_bench.tuning.grid import Floats
from templex_bench.tuning.scores import COUNTED, Counts, PageScores


@dataclass(frozen=True, slots=True)
class Measures:
    """Means over the key pages of each site: a row for each site, a column for each combination, all in [0, 1].

    Attributes:
        sites: names of the sites, with their suites where there are several.
        recall: of template nodes that say the same on enough pages.
        precision: of the same.
        f1: of the same.
        place_f1: of template nodes by place alone, as the papers vote.
        place_recall: of the same.
        place_precision: of the same.
        own_words_kept: share of the key page's words outside the gold template that a cleaned item keeps.
        content_words_kept: share of the words of the main content that it keeps.
        template_words_gone: share of the words of the gold template that are gone from it.
        ceiling: F1 of template nodes that no mapping of the same pages can exceed; one for each site.
        loads: pages loaded, the key page included; one for each site.
    """

    sites: tuple[str, ...]
    recall: Floats
    precision: Floats
    f1: Floats
    place_recall: Floats
    place_precision: Floats
    place_f1: Floats
    own_words_kept: Floats
    content_words_kept: Floats
    template_words_gone: Floats
    ceiling: Floats
    loads: Floats

    def means(self, name: str) -> Floats:
        """The means of a measure over the sites, one for each combination."""
        values: Floats = getattr(self, name).mean(axis=0)
        return values


_OF_COMBINATIONS = (
    "recall",
    "precision",
    "f1",
    "place_recall",
    "place_precision",
    "place_f1",
    "own_words_kept",
    "content_words_kept",
    "template_words_gone",
)


def measures_of(scores: Iterable[tuple[str, PageScores]]) -> Measures:
    """The means over the key pages of each site.

    Args:
        scores: each with its suite; all of one size and number of votes. At least one.
    """
    pages: dict[tuple[str, str], list[dict[str, Floats]]] = {}
    for suite, one in scores:
        pages.setdefault((suite, one.site), []).append(_of_page(one))
    several = len({suite for suite, _ in pages}) > 1
    means = {
        name: np.array([np.mean([page[name] for page in own], axis=0) for own in pages.values()])
        for name in (*_OF_COMBINATIONS, "ceiling", "loads")
    }
    return Measures(tuple(f"{suite}/{site}" if several else site for suite, site in pages), **means)


def _of_page(one: PageScores) -> dict[str, Floats]:
    counts = dict(zip(COUNTED, one.counts, strict=True))
    recall, precision, f1 = _rates(one.nodes, counts["nodes_found"], counts["nodes_correct"])
    place_recall, place_precision, place_f1 = _rates(one.nodes, counts["places_found"], counts["places_correct"])
    # nothing else is found than what can be: precision is 1
    ceiling = 2 * one.ceiling / (one.ceiling + one.nodes) if one.nodes else 1.0
    found = {
        "recall": recall,
        "precision": precision,
        "f1": f1,
        "place_recall": place_recall,
        "place_precision": place_precision,
        "place_f1": place_f1,
        "own_words_kept": 1 - _share(counts["own_words_gone"], one.own_words),
        "content_words_kept": 1 - _share(counts["content_words_gone"], one.content_words),
        "template_words_gone": _share(counts["template_words_gone"], one.template_words),
    }
    single = {"ceiling": np.array(ceiling), "loads": np.array(one.loads + 1.0)}
    return {name: values[one.outcomes] for name, values in found.items()} | single


def _rates(gold: int, found: Counts, correct: Counts) -> tuple[Floats, Floats, Floats]:
    """Recall, precision and F1, as :meth:`templex_bench.measures.Score.of` has them."""
    if not gold:
        right: Floats = (found == 0).astype(np.float64)
        return right, right, right
    return correct / gold, correct / np.maximum(found, 1), 2 * correct / (gold + found)


def _share(part: Counts, whole: int) -> Floats:
    return part / whole if whole else np.zeros(len(part))
