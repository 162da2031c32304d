"""The experiments on one key page: what they share is worked out once."""

from __future__ import annotations

import signal
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from types import FrameType
from typing import Any

from templex_bench import texts
from templex_bench.candidates import SIBLINGS, Comparison, find_subdigraph
from templex_bench.experiment import Experiment, time_limit_told
from templex_bench.gold import KeyPage, Site
from templex_bench.linked import LinkedPage, linked_pages
from templex_bench.measures import Score, links_in, score_counts, score_sets, words_of
from templex_bench.methods import Find, Found, Method
from templex_bench.plan import Trial
from templex_scrapy.page import Page

_OF_THE_SEARCH = frozenset({"candidates", "size", "seed"})


class TooLongError(BaseException):
    """An experiment took longer than it may. No ``Exception``, lest what is measured catches it."""


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """End what is inside with a :class:`TooLongError` after so many seconds.

    Works in the main thread of a process, on systems that have ``SIGALRM``; elsewhere there is no limit. What runs in
    C comes to its end first.
    """
    if not seconds or not hasattr(signal, "SIGALRM"):
        yield
        return

    def end(_signal: int, _frame: FrameType | None) -> None:
        raise TooLongError(time_limit_told(seconds))

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@dataclass(frozen=True, slots=True)
class Run:
    """What an attempt at an experiment brought.

    Attributes:
        found: what was found; None if it failed.
        seconds: CPU time of the attempt.
        error: why it failed.
    """

    found: Found | None
    seconds: float
    error: str = ""


class Case:
    """A key page with its gold standard and the pages of its site.

    Args:
        suite: name of the suite.
        site: its site.
        url: its address.
        time_limit: seconds that one experiment may take; None: without limit.
    """

    def __init__(self, suite: str, site: Site, url: str, *, time_limit: float | None = None) -> None:
        self.suite = suite
        self.site = site
        self.url = url
        self._limit = time_limit
        self._pages: dict[str, Page | None] = {}
        self._comparisons: dict[tuple[object, ...], Comparison] = {}
        self._words: dict[tuple[str, frozenset[int]], Counter[str]] = {}

    @cached_property
    def key(self) -> KeyPage:
        """The key page."""
        return self.site.key_page(self.url)

    def fetch(self, url: str) -> Page | None:
        """The saved page at an address, parsed once."""
        if url not in self._pages:
            self._pages[url] = self.site.fetch(url)
        return self._pages[url]

    def linked_pages(self) -> list[LinkedPage]:
        """How alike the pages are that the key page links to."""
        if not self.site.linked:
            return []
        return list(linked_pages(self.suite, self.site.name, self.key, self.fetch))

    def comparison(self, parameters: Mapping[str, object]) -> Comparison:
        """The pages that the parameters of a trial ask for; none for page-level methods."""
        if "size" not in parameters:
            return Comparison()
        wanted = tuple(parameters.get(name) for name in ("candidates", "size", "seed"))
        if wanted not in self._comparisons:
            self._comparisons[wanted] = self._compared(*wanted)
        return self._comparisons[wanted]

    def _compared(self, selection: object, size: object, seed: object) -> Comparison:
        assert isinstance(size, int)  # noqa: S101 - the plan makes them
        if selection == SIBLINGS:
            pages = tuple(page for url in self.site.siblings(self.url)[:size] if (page := self.fetch(url)) is not None)
            return Comparison(pages, len(pages))
        chance = seed if isinstance(seed, int) else 0
        return find_subdigraph(self.key.page, self.fetch, size=size, selection=str(selection), seed=chance)

    def measure(self, trial: Trial, method: Method, find: Find) -> list[Experiment]:
        """One experiment: a row for each unit.

        A method that fails gets rows with the error, and a score of 0.
        """
        compared = self.comparison(trial.parameters)
        attempt = self._attempt(trial, compared, find)
        row = Experiment(
            detector=trial.method,
            target=method.target,
            unit="",
            parameters=trial.parameters,
            suite=self.suite,
            site=self.site.name,
            category=self.key.category,
            key_url=self.url,
            nodes=len(self.key.page),
            gold=None,
            retrieved=0,
            correct=None,
            recall=None,
            precision=None,
            f1=None,
            loads=compared.loads,
            cs_size=len(compared.pages),
            runtime=attempt.seconds,
            error=attempt.error,
        )
        scores = self._scores(method, attempt.found)
        return [replace(row, target=target, unit=unit, **_values(score)) for (target, unit), score in scores.items()]

    def _attempt(self, trial: Trial, compared: Comparison, find: Find) -> Run:
        # trees and outlines are lazy and kept: new pages, so that every method pays for its own parsing
        key, pages = _fresh(self.key.page), [_fresh(page) for page in compared.pages]
        parameters = {name: value for name, value in trial.parameters.items() if name not in _OF_THE_SEARCH}
        start = time.process_time()
        try:
            with time_limit(self._limit):
                found = find(key, pages, self.key.gold, **parameters)
        except (Exception, TooLongError) as error:  # noqa: BLE001 - whatever a peer raises, the run goes on
            return Run(None, time.process_time() - start, f"{type(error).__name__}: {error}"[:500])
        return Run(found, time.process_time() - start)

    def _scores(self, method: Method, found: Found | None) -> dict[tuple[str, str], Score]:
        """The scores by target and unit; the words are always those of the main content."""
        gold, page = self.key.gold, self.key.page
        gold_words = None if gold.text is None else words_of(gold.text)
        if method.target == "menu":
            gold_links = None if gold.menu is None else links_in(page, gold.menu)
            if found is None:
                return {("menu", "links"): Score.failed(None if gold_links is None else gold_links.total())}
            return {("menu", "links"): score_counts(links_in(page, min(found.nodes or (), default=None)), gold_links)}
        if method.kind == "bound" and gold.template is None:
            # a bound is made of the gold template: without one it says nothing about the page
            return {("template", "nodes") if method.target == "template" else ("content", "words"): Score(None, 0)}
        gold_nodes = gold.template if method.target == "template" else gold.content
        scores: dict[tuple[str, str], Score] = {}
        if method.kind == "detector" or (found is not None and found.nodes is not None):
            failed = Score.failed(None if gold_nodes is None else len(gold_nodes))
            scores[method.target, "nodes"] = failed if found is None else score_sets(found.nodes or (), gold_nodes)
        failed = Score.failed(None if gold_words is None else gold_words.total())
        scores["content", "words"] = (
            failed if found is None else score_counts(self._words_of(method, found), gold_words)
        )
        return scores

    def _words_of(self, method: Method, found: Found) -> Counter[str]:
        """The words that a user of the method would read."""
        if found.text is not None:
            return words_of(found.text)
        nodes = found.nodes or frozenset()
        # many parameters lead to the same nodes
        if (method.target, nodes) not in self._words:
            read = texts.without if method.target == "template" else texts.of_nodes
            self._words[method.target, nodes] = words_of(read(self.key.page, nodes))
        return self._words[method.target, nodes]


def _fresh(page: Page) -> Page:
    return Page(page.text, page.url, aliases=page.aliases)


def _values(score: Score) -> dict[str, Any]:
    return {name: getattr(score, name) for name in ("gold", "retrieved", "correct", "recall", "precision", "f1")}
