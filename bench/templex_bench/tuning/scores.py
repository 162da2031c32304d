"""How good every combination of the grid is on the key pages of a site.

Each class of combinations that lead to the same mappings is scored once, by the product itself.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence

import numpy as np

from templex_bench.candidates import HYPERLINK_ANALYSIS, SIBLINGS, compare
from templex_bench.detectors.identity import distinct
from templex_bench.measures.scores import score_sets, words_of
from templex_bench.methods import reachable
from templex_bench.plan import EQUAL_SIZE, VOTES
from templex_bench.suites import KeyPage, Site
from templex_bench.tuning.classes import Sheet, classes_of, mapping_sets
from templex_bench.tuning.grid import Grid
from templex_bench.tuning.pairs import MOST_WORK, PairTables, TooMixedError
from templex_bench.tuning.trained import CONTENT_SIZE, trained
from templex_scrapy.mapping import Similarity
from templex_scrapy.page import Page
from templex_scrapy.template import Template

MEASURES = ("recall", "precision", "f1", "own_words_kept", "content_words_kept", "template_words_gone")
"""Template nodes; and of the key page cleaned as an item the share of its own words (outside the gold template), of its
main content and of its template.
"""

MAIN_VOTES = VOTES[EQUAL_SIZE]
Row = dict[str, object]


def score_site(suite: str, site: Site, grid: Grid, limit: int | None) -> tuple[list[Row], list[str]]:
    """Score the key pages of a site that have a gold standard.

    Returns:
        For each key page and training a row for each class of combinations with one result, with their indexes; and the
        key pages that could not be scored, with the reason.
    """
    logging.disable(logging.CRITICAL)
    tables, rows, lost = PairTables(grid), [], []
    pages: dict[str, Page | None] = {}

    def fetch(url: str) -> Page | None:
        if url not in pages:
            pages[url] = site.fetch(url)
        return pages[url]

    for url in site.key_urls[:limit]:
        here = {"suite": suite, "site": site.name, "key_url": url.encode("utf-8", "replace").decode()}
        try:
            key = site.key_page(url)
            selection = HYPERLINK_ANALYSIS if site.linked else SIBLINGS
            found = {n: compare(site, key.page, fetch, size=n, selection=selection) for n in (EQUAL_SIZE, CONTENT_SIZE)}
            if key.gold.template is not None:
                rows += [{**here, **row} for row in PageScores(key, found[EQUAL_SIZE].pages).rows(tables)]
            others = distinct([key.page, *found[CONTENT_SIZE].pages])[1:]
            rows += [{**here, **row} for row in _trained(key, others, tables)]
        except TooMixedError as error:
            lost.append(f"{suite}, {site.name}, {url}: {error}")
        except Exception as error:  # noqa: BLE001 - whatever is wrong with one page, the others are scored
            lost.append(f"{suite}, {site.name}, {url}: {type(error).__name__}: {error}")
    return rows, lost


def _trained(key: KeyPage, others: Sequence[Page], tables: PairTables) -> Iterator[Row]:
    for name, score, which in trained(key, others, tables):
        found = {"recall": score.recall, "precision": score.precision, "f1": score.f1}
        combinations = np.array(which, dtype="<u2").tobytes()
        yield {"name": name, **found, "combinations": combinations}


class PageScores:
    """Scores parameters on one key page."""

    def __init__(self, key: KeyPage, pages: Sequence[Page]) -> None:
        self._key = key
        self._pages = pages
        gold = key.gold.template or frozenset()
        self._words = [words_of(text or "").total() for text in key.page.arrays.texts]
        self._weights = {
            "own_words_kept": frozenset(range(len(key.page))) - gold,
            "content_words_kept": key.gold.content or frozenset(),
            "template_words_gone": gold,
        }

    def rows(self, tables: PairTables) -> Iterator[Row]:
        """Yield the rows of the key page."""
        tables.work = MOST_WORK
        key = Sheet(self._key.page)
        others = [Sheet(page) for page in distinct([self._key.page, *self._pages])[1:]]
        sets = {one for page in others for one in mapping_sets(key, page, tables)}
        classes = classes_of(tables.grid, sorted(sets | {tables.grid.everything}))
        for number in range(int(classes.max()) + 1):
            members = np.flatnonzero(classes == number)
            row = self._scored(tables.grid.similarity(int(members[0])))
            yield {**row, "name": "", "combinations": members.astype("<u2").tobytes()}

    def _scored(self, similarity: Similarity) -> Row:
        page, gold = self._key.page, self._key.gold
        template = Template.from_pages(page, self._pages, MAIN_VOTES, similarity=similarity)
        removed = template.match(page).removable if self._pages else frozenset()
        score = score_sets(template.nodes, gold.template)
        most = score_sets(reachable(page, self._pages, gold, MAIN_VOTES).nodes or (), gold.template)
        gone = {name: self._share(positions, removed) for name, positions in self._weights.items()}
        kept = {name: share if name.endswith("gone") else 1 - share for name, share in gone.items()}
        found = {"recall": score.recall, "precision": score.precision, "f1": score.f1, "ceiling": most.f1}
        return {**found, **kept}

    def _share(self, positions: frozenset[int], removed: frozenset[int]) -> float:
        whole = sum(self._words[position] for position in positions)
        return sum(self._words[position] for position in positions & removed) / whole if whole else 0.0
