"""Which experiments are made on a key page."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from templex_bench.candidates import HYPERLINK_ANALYSIS, RANDOM_LINKS, SELECTIONS, SIBLINGS
from templex_bench.detectors import Method

SIZES = tuple(range(1, 9))
"""Sizes of the complete subdigraph in Tables 7.7 and 8.4 of the thesis."""

EQUAL_SIZE, SIBLINGS_SIZE, SITE_SIZE = 3, 8, 12
"""The size at which all site-level methods are compared; siblings at most; pages from all over the site at most."""

SEEDS = range(5)
"""Repetitions with random links."""

VOTES: Mapping[int, int] = {1: 1, 2: 2, 3: 2, 4: 2, 5: 3, 6: 3, 7: 4, 8: 4}
"""Votes by size of the complete subdigraph (thesis, Table 8.4)."""

STANDARD_SIZE: Mapping[str, int] = {"site-conex": 4, "content-words": 8}
"""Sizes of methods that are not meant for the equal size (thesis, section 10.3)."""

_OWN_SIZES: Mapping[str, Sequence[int]] = {"temex": SIZES, "site-conex": SIZES, "hybrid": (EQUAL_SIZE,)}
"""Sizes that are measured; the papers of all other methods compare more pages."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A method with its parameters, for any key page.

    The parameters are plain data: ``candidates``, ``size``, ``votes``, ``seed`` as far as the method knows them, and
    those of a reading, whose title is empty for the default.
    """

    method: str
    parameters: Mapping[str, object]
    reading: str = ""

    def key(self, suite: str, site: str, key_url: str) -> str:
        """Return the key of the experiment in a results file."""
        return json.dumps([suite, site, key_url, self.method, self.parameters], sort_keys=True, ensure_ascii=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The part of the plan to measure.

    Attributes:
        sizes: sizes of the complete subdigraph; None: 3 and that of the method's paper, or 8 if that compares more
            pages; all of 1 to 8 for TemEx and site-level ConEx, and for TemEx at size 3 all selections of candidates.
        readings: whether to measure other readings, at the method's own size and votes unless they name another.
    """

    sizes: Sequence[int] | None = None
    readings: bool = True


def trials(methods: Iterable[Method], choice: Choice, *, linked: bool) -> list[Trial]:
    """Return the experiments on a key page; a site without links compares its pages with their siblings."""
    return [trial for method in methods for trial in _of_method(method, choice, linked=linked)]


def _of_method(method: Method, choice: Choice, *, linked: bool) -> Iterator[Trial]:
    own: Mapping[str, object] = {}
    if method.level == "page":
        yield Trial(method.name, {})
    elif method.whole_site:
        yield Trial(method.name, _parameters(SIBLINGS, SITE_SIZE, None))
    elif linked:
        yield from _with_links(method, choice)
        size = STANDARD_SIZE.get(method.name, EQUAL_SIZE)
        own = _parameters(HYPERLINK_ANALYSIS, size, VOTES[size] if method.votes else None)
    else:
        size = max(choice.sizes) if choice.sizes else SIBLINGS_SIZE
        own = _parameters(SIBLINGS, size, 2 if method.votes else None)
        yield Trial(method.name, own)
    wanted = choice.sizes is None or not own or own["size"] in choice.sizes
    if choice.readings and wanted and (linked or method.target == "content"):
        for title, parameters in method.readings.items():
            yield Trial(method.name, {**own, **parameters}, title)


def _with_links(method: Method, choice: Choice) -> Iterator[Trial]:
    for size in choice.sizes or _OWN_SIZES.get(method.name, (EQUAL_SIZE, SIZES[-1])):
        all_votes = range(1, size + 1) if method.name == "temex" else (VOTES.get(size, (size + 1) // 2),)
        for votes in all_votes if method.votes else (None,):
            yield Trial(method.name, _parameters(HYPERLINK_ANALYSIS, size, votes))
    if choice.sizes is None and method.name == "temex":
        for selection in SELECTIONS[1:]:
            for seed in SEEDS if selection == RANDOM_LINKS else (None,):
                yield Trial(method.name, _parameters(selection, EQUAL_SIZE, VOTES[EQUAL_SIZE], seed))


def _parameters(selection: str, size: int, votes: int | None, seed: int | None = None) -> dict[str, object]:
    given = {"candidates": selection, "size": size, "votes": votes, "seed": seed}
    return {name: value for name, value in given.items() if value is not None}
