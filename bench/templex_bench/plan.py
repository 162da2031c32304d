"""Which experiments are made on a key page: the plan of a run, and what parts of it are chosen on the command line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from templex_bench.candidates import HYPERLINK_ANALYSIS, RANDOM_LINKS, SELECTIONS, SIBLINGS
from templex_bench.methods import Method
from templex_bench.readings import of_detector

SIZES = tuple(range(1, 9))
"""Sizes of the complete subdigraph in Tables 7.7 and 8.4 of the thesis."""

EQUAL_SIZE = 3
"""The size at which all site-level methods are compared under equal conditions."""

SIBLINGS_SIZE = 8
"""Siblings that a key page is compared with, at most."""

SEEDS = tuple(range(5))
"""Repetitions with random links."""

VOTES: Mapping[int, int] = {1: 1, 2: 2, 3: 2, 4: 2, 5: 3, 6: 3, 7: 4, 8: 4}
"""Votes by size of the complete subdigraph (thesis, Table 8.4)."""

_ALL_SIZES = frozenset({"temex", "site-conex"})
_ALL_VOTES = frozenset({"temex"})
_ALL_SELECTIONS = frozenset({"temex"})
_OWN_SIZE: Mapping[str, int] = {"temex": 3, "hybrid": 3, "site-conex": 4}


@dataclass(frozen=True, slots=True)
class Trial:
    """A method with its parameters, on whatever key page.

    Attributes:
        method: name of the method.
        parameters: plain data: ``candidates``, ``size``, ``votes``, ``seed`` as far as the method knows them.
    """

    method: str
    parameters: Mapping[str, object]

    def key(self, suite: str, site: str, key_url: str) -> str:
        """What tells the experiment from all others of a results file."""
        return json.dumps([suite, site, key_url, self.method, self.parameters], sort_keys=True, ensure_ascii=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What of the plan is asked for. None: the default.

    Attributes:
        sizes: sizes of the complete subdigraph, for every site-level method; default: 3 and the size of the method's
            own paper, or 8 where that compared more pages; all of 1 to 8 for TemEx and site-level ConEx.
        votes: numbers of votes, as far as they are not above the size; default: those of Table 8.4, for TemEx all.
        selections: ways to select candidates, for every site-level method; default: hyperlink analysis, and for TemEx
            at size 3 all of them.
        readings: whether the other readings of the papers are measured, too, at the method's own size, where the pages
            link each other; not where any of the above is given.
    """

    sizes: tuple[int, ...] | None = None
    votes: tuple[int, ...] | None = None
    selections: tuple[str, ...] | None = None
    readings: bool = True

    @property
    def takes_readings(self) -> bool:
        """Whether other readings of the papers are measured, too."""
        return self.readings and self.sizes is None and self.votes is None and self.selections is None


def trials(methods: Iterable[Method], choice: Choice, *, linked: bool) -> tuple[Trial, ...]:
    """The experiments on one key page.

    Args:
        methods: what is measured.
        choice: what is asked for.
        linked: whether the pages of the site link each other; else they are compared with their siblings.
    """
    found: list[Trial] = []
    for method in methods:
        if method.level == "page":
            found.append(Trial(method.name, {}))
        elif not linked:
            found.extend(_with_siblings(method, choice))
        else:
            found.extend(_with_links(method, choice))
        if linked and choice.takes_readings:
            found.extend(_with_readings(method))
    return tuple(found)


def _with_readings(method: Method) -> Iterator[Trial]:
    standard: Mapping[str, object] = {}
    if method.level == "site":
        size = _OWN_SIZE.get(method.name, EQUAL_SIZE)
        standard = _parameters(HYPERLINK_ANALYSIS, size, VOTES[size] if method.votes else None)
    for reading in of_detector(method.name):
        yield Trial(method.name, {**standard, **reading.parameters})


def _with_siblings(method: Method, choice: Choice) -> Iterator[Trial]:
    size = max(choice.sizes) if choice.sizes else SIBLINGS_SIZE
    for votes in (choice.votes or (2,)) if method.votes else (None,):
        yield Trial(method.name, _parameters(SIBLINGS, size, votes))


def _with_links(method: Method, choice: Choice) -> Iterator[Trial]:
    for selection in choice.selections or (HYPERLINK_ANALYSIS,):
        for size in choice.sizes or _sizes(method.name):
            yield from _with_votes(method, choice, selection, size)
    if choice.selections is None and choice.sizes is None and method.name in _ALL_SELECTIONS:
        for selection in SELECTIONS:
            if selection != HYPERLINK_ANALYSIS:
                equal = Choice(votes=choice.votes or (VOTES[EQUAL_SIZE],))
                yield from _with_votes(method, equal, selection, EQUAL_SIZE)


def _sizes(name: str) -> tuple[int, ...]:
    return SIZES if name in _ALL_SIZES else tuple(sorted({EQUAL_SIZE, _OWN_SIZE.get(name, SIZES[-1])}))


def _with_votes(method: Method, choice: Choice, selection: str, size: int) -> Iterator[Trial]:
    for votes in _votes(method, choice, size):
        for seed in SEEDS if selection == RANDOM_LINKS else (None,):
            yield Trial(method.name, _parameters(selection, size, votes, seed))


def _votes(method: Method, choice: Choice, size: int) -> Iterable[int | None]:
    if not method.votes:
        return (None,)
    if choice.votes is not None:
        return tuple(votes for votes in choice.votes if votes <= size)
    return range(1, size + 1) if method.name in _ALL_VOTES else (VOTES.get(size, (size + 1) // 2),)


def _parameters(selection: str, size: int, votes: int | None, seed: int | None = None) -> dict[str, object]:
    given = {"candidates": selection, "size": size, "votes": votes, "seed": seed}
    return {name: value for name, value in given.items() if value is not None}
