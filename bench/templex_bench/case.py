"""The experiments on a key page. They share the comparison pages and texts."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from functools import cache
from types import FrameType

from templex_bench.candidates import Comparison, compare
from templex_bench.detectors import Find, Found, Method
from templex_bench.measures import scores as measured
from templex_bench.measures import texts
from templex_bench.measures.scores import Score, links_in, score_counts, words_of
from templex_bench.plan import Trial
from templex_bench.suites import Site
from templex_scrapy.page import Page

Row = dict[str, object]
_OF_THE_SEARCH = ("candidates", "size", "seed")

SECONDS = 120.0
"""The longest time of an experiment."""


class TooLongError(BaseException):
    """An experiment took longer than it may. No ``Exception``, so that no method catches it."""


@contextmanager
def time_limit() -> Iterator[None]:
    """End the block with a :class:`TooLongError` after :data:`SECONDS`, on systems that have ``SIGALRM``."""

    def end(_signal: int, _frame: FrameType | None) -> None:
        raise TooLongError(f"not ready after {SECONDS:g} s")

    if hasattr(signal, "SIGALRM"):
        signal.signal(signal.SIGALRM, end)
        signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        yield
    finally:
        if hasattr(signal, "SIGALRM"):
            signal.setitimer(signal.ITIMER_REAL, 0)


class Case:
    """A key page with its gold standard and the pages of its site."""

    def __init__(self, site: Site, url: str) -> None:
        self.site = site
        self.key = site.key_page(url)
        self.fetch = cache(site.fetch)
        self._comparisons: dict[tuple[object, ...], Comparison] = {}
        self._texts: dict[tuple[str, frozenset[int]], str] = {}

    def _compared(self, parameters: Mapping[str, object]) -> Comparison:
        if "size" not in parameters:
            return Comparison()
        wanted = tuple(parameters.get(name, 0) for name in _OF_THE_SEARCH)
        if wanted not in self._comparisons:
            selection, size, seed = wanted
            self._comparisons[wanted] = compare(
                self.site, self.key.page, self.fetch, size=int(str(size)), selection=str(selection), seed=int(str(seed))
            )
        return self._comparisons[wanted]

    def measure(self, trial: Trial, method: Method, find: Find) -> list[Row]:
        """Make an experiment and return a row for each unit; a method that fails gets the error, and a score of 0."""
        compared = self._compared(trial.parameters)
        # trees and node arrays are kept by a page: new pages each time, so that every method pays for its own parsing
        parameters = {name: value for name, value in trial.parameters.items() if name not in _OF_THE_SEARCH}
        error = ""
        runtime = None
        key, *pages = (Page(page.text, page.url, aliases=page.aliases) for page in (self.key.page, *compared.pages))
        try:
            start = time.process_time()
            with time_limit():
                found = find(key, pages, **parameters)
            runtime = time.process_time() - start
            scores = self._scores(method, found)
        except (Exception, SystemExit, TooLongError) as failure:  # noqa: BLE001 - whatever a peer raises or returns, the run goes on
            error = f"{type(failure).__name__}: {failure}"[:500]
            scores = self._scores(method, None)
        row = {"nodes": len(key), "loads": compared.loads, "cs_size": len(pages), "runtime": runtime, "error": error}
        return [{**row, "target": target, "unit": unit, **asdict(score)} for (target, unit), score in scores.items()]

    def _scores(self, method: Method, found: Found | None) -> dict[tuple[str, str], Score]:
        """Score the result of a method by target and unit; words are always those of the main content."""
        gold, page = self.key.gold, self.key.page
        if method.target == "menu":
            gold_links = None if gold.menu is None else links_in(page, gold.menu)
            if found is None:
                return {("menu", "links"): Score.failed(None if gold_links is None else gold_links.total())}
            return {("menu", "links"): score_counts(links_in(page, min(found.nodes or (), default=None)), gold_links)}
        gold_nodes = gold.template if method.target == "template" else gold.content
        gold_words = None if gold.text is None else words_of(gold.text)
        scores: dict[tuple[str, str], Score] = {}
        if method.finds_nodes if found is None else found.nodes is not None:
            nodes = None if found is None else found.nodes
            failed = Score.failed(None if gold_nodes is None else len(gold_nodes))
            scores[method.target, "nodes"] = failed if nodes is None else measured.score_sets(nodes, gold_nodes)
        text = None if found is None else self._text_of(method, found)
        if gold.values:
            scores["content", "values"] = measured.score_values(text or "", gold.values)
            return scores
        if any(gold.snippets):
            scores["content", "snippets"] = measured.score_snippets(text or "", *gold.snippets)
        failed = Score.failed(None if gold_words is None else gold_words.total())
        scores["content", "words"] = failed if text is None else score_counts(words_of(text), gold_words)
        return scores

    def _text_of(self, method: Method, found: Found) -> str:
        """Return the text that a user of the method would read."""
        if found.text is not None:
            return found.text
        nodes = found.nodes or frozenset()
        # many parameters lead to the same nodes
        if (method.target, nodes) not in self._texts:
            read = texts.without if method.target == "template" else texts.of_nodes
            self._texts[method.target, nodes] = read(self.key.page, nodes)
        return self._texts[method.target, nodes]
