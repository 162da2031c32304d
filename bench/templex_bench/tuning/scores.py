"""How good every combination of the grid is on one key page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from templex_bench.candidates import Comparison, find_subdigraph
from templex_bench.gold import Gold, KeyPage, Site
from templex_bench.measures import words_of
from templex_bench.methods import all_methods
from templex_bench.tuning.ballots import Ballot
from templex_bench.tuning.grid import Grid
from templex_bench.tuning.sheets import Overlay, PairTables, Sheet, map_trees
from templex_bench.tuning.siblings import Work
from templex_scrapy.page import Page
from templex_scrapy.template.voters import distinct

Counts = NDArray[np.int32]
Outcomes = NDArray[np.uint32]

COUNTED = (
    "places_found",
    "places_correct",
    "nodes_found",
    "nodes_correct",
    "own_words_gone",
    "content_words_gone",
    "template_words_gone",
)
"""What is counted for each combination: template nodes by place alone, those that say the same as well, in all and in
the gold standard; and words that are removed from an item: the page's own, those of its main content, the template's.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageScores:
    """The scores of all combinations on one key page, at one size of the complete subdigraph and number of votes.

    Attributes:
        site: name of the site.
        key_url: address of the key page.
        size: wanted size of the complete subdigraph.
        votes: number of votes.
        loads: pages loaded to find it, without the key page.
        voters: pages that voted.
        nodes: template nodes in the gold standard.
        ceiling: those of them that any mapping of the same pages could find.
        own_words: words of the key page outside the gold template.
        content_words: words of the main content.
        template_words: words of the gold template.
        counts: a row for each of :data:`COUNTED`, a column for each outcome that differs.
        outcomes: for each combination the column of ``counts`` that is its own.
    """

    site: str
    key_url: str
    size: int
    votes: int
    loads: int
    voters: int
    nodes: int
    ceiling: int
    own_words: int
    content_words: int
    template_words: int
    counts: Counts
    outcomes: Outcomes


class SiteScores:
    """Scores the key pages of one site; what its pages have in common is worked out once.

    Args:
        site: the site.
        grid: the combinations.
        sizes: sizes of the complete subdigraph.
    """

    def __init__(self, site: Site, grid: Grid, sizes: Sequence[int]) -> None:
        self._site = site
        self._grid = grid
        self._sizes = sizes
        self._tables = PairTables(grid)
        self._pages: dict[str, Page | None] = {}
        self._sheets: dict[bytes, Sheet] = {}
        self._ceiling = all_methods()["ceiling"].load()

    def of(self, url: str) -> Iterator[PageScores]:
        """The scores on a key page, for every size and every number of votes up to it; none without a gold template.

        Raises:
            TooMixedError: if that would take too long.
        """
        key_page = self._site.key_page(url)
        if key_page.gold.template is None:
            return
        self._tables.work = Work()
        key = self._sheet(key_page.page)
        weights = _Weights.of(key_page)
        overlays: dict[bytes, Overlay] = {}
        for size in self._sizes:
            compared = self._compared(key_page.page, size)
            pages = [self._sheet(page) for page in distinct([key_page.page, *compared.pages])[1:]]
            for page in pages:
                if page.page.digest not in overlays:
                    overlays[page.page.digest] = map_trees(key, page, self._tables)
            ballot = Ballot(key, pages, [overlays[page.page.digest] for page in pages], self._grid.everything)
            for votes in range(1, size + 1):
                counts, outcomes = _outcomes(weights.counts(ballot, votes, self._grid))
                yield PageScores(
                    site=self._site.name,
                    key_url=url,
                    size=size,
                    votes=votes,
                    loads=compared.loads,
                    voters=len(pages),
                    nodes=len(key_page.gold.template),
                    ceiling=self._reachable(key_page, compared, votes),
                    own_words=int(weights.own.sum()),
                    content_words=int(weights.content.sum()),
                    template_words=int(weights.template.sum()),
                    counts=counts,
                    outcomes=outcomes,
                )

    def _compared(self, key: Page, size: int) -> Comparison:
        if self._site.linked:
            return find_subdigraph(key, self._fetch, size=size)
        urls = self._site.siblings(key.url)[:size]
        pages = tuple(page for url in urls if (page := self._fetch(url)) is not None)
        return Comparison(pages, len(pages))

    def _fetch(self, url: str) -> Page | None:
        if url not in self._pages:
            self._pages[url] = self._site.fetch(url)
        return self._pages[url]

    def _sheet(self, page: Page) -> Sheet:
        if page.digest not in self._sheets:
            self._sheets[page.digest] = Sheet(page)
        return self._sheets[page.digest]

    def _reachable(self, key_page: KeyPage, compared: Comparison, votes: int) -> int:
        found = self._ceiling(key_page.page, compared.pages, key_page.gold, votes=votes)
        return len(found.nodes or ()) if compared.pages else 0


@dataclass(frozen=True, slots=True)
class _Weights:
    """For each node of the key page what it counts."""

    gold: NDArray[np.float32]
    own: NDArray[np.float32]
    content: NDArray[np.float32]
    template: NDArray[np.float32]

    @classmethod
    def of(cls, key_page: KeyPage) -> _Weights:
        page, gold = key_page.page, key_page.gold
        words = np.array([words_of(text or "").total() for text in page.arrays.texts], dtype=np.float32)
        template = _flags(len(page), gold.template)
        return cls(template, words * (1 - template), words * _flags(len(page), _content(gold)), words * template)

    def counts(self, ballot: Ballot, votes: int, grid: Grid) -> Counts:
        found = ballot.findings(votes)
        nodes = np.vstack([np.ones_like(self.gold), self.gold])
        words = np.vstack([self.own, self.content, self.template])
        parts = [
            _sums(found.places, nodes, grid),
            _sums(found.nodes, nodes, grid),
            _sums(found.removed, words, grid),
        ]
        return np.vstack(parts).astype(np.int32)


def _outcomes(counts: Counts) -> tuple[Counts, Outcomes]:
    """The columns that differ, and for each column which of them it is; few combinations are alone with theirs."""
    columns = np.ascontiguousarray(counts.T)
    whole = columns.view(np.dtype((np.void, columns.itemsize * columns.shape[1]))).reshape(-1)
    _, first, outcomes = np.unique(whole, return_index=True, return_inverse=True)
    return columns[first].T, outcomes.astype(np.uint32)


def _content(gold: Gold) -> frozenset[int]:
    return gold.content or frozenset()


def _flags(nodes: int, positions: Iterable[int] | None) -> NDArray[np.float32]:
    flags = np.zeros(nodes, dtype=np.float32)
    flags[list(positions or ())] = 1
    return flags


def _sums(sets: Sequence[int], weights: NDArray[np.float32], grid: Grid) -> NDArray[np.float32]:
    """For each combination the weights of the nodes that it finds, added up.

    Args:
        sets: for each node the combinations that find it.
        weights: rows of whole numbers, a column for each node; their sums are exact up to 2 ** 24.
        grid: the combinations.
    """
    # whole subtrees are found by the same combinations
    numbers: dict[int, int] = {}
    rows = np.array([numbers.setdefault(some, len(numbers)) for some in sets], dtype=np.intp)
    joint = np.zeros((len(weights), len(numbers)), dtype=np.float32)
    for row, weight in zip(joint, weights, strict=True):
        np.add.at(row, rows, weight)
    sums: NDArray[np.float32] = joint @ grid.unpacked(list(numbers)).astype(np.float32)
    return sums
