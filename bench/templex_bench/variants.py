"""Which parameters an experiment ran with, and which experiments belong into one row of a table."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from templex_bench import names, published
from templex_bench.experiment import Experiment
from templex_bench.study import page_of

SIZE, VOTES, CANDIDATES = "size", "votes", "candidates"
HYPERLINK_ANALYSIS = "hyperlink analysis"
REPETITIONS = frozenset({"seed", "fold", "repetition"})
"""Parameters that tell repetitions of the same configuration apart."""

TEMPLATE_SIZE = 3
"""The size of the complete subdigraph that the papers settled on for templates (thesis, section 8.3)."""

FEWEST_OF_A_SERIES = 4
"""From so many sizes on they are a series, which has a table of its own."""

_SIZES: Mapping[str, int] = {"site_conex": 4, "content_words": 8}
"""Sizes of other detectors (thesis, section 10.3; :mod:`templex_scrapy.content.main_content`)."""


@dataclass(frozen=True, slots=True)
class Method:
    """A detector with one set of parameters.

    Attributes:
        detector: its name in the rows.
        title: its name for readers, with the parameters that tell it from its siblings.
        rows: its experiments.
    """

    detector: str
    title: str
    rows: Sequence[Experiment]

    @property
    def name(self) -> str:
        """The canonical name of the detector."""
        return names.canonical(self.detector)

    @property
    def errors(self) -> int:
        """How many of its experiments went wrong."""
        return sum(1 for row in self.rows if row.error)

    @property
    def role(self) -> names.Role:
        """Ours, peer or bound."""
        return names.role(self.detector)


def text_of(value: object) -> str:
    """A parameter's value as text that is equal for equal values."""
    if isinstance(value, str):
        return value
    # most values are small numbers, and reports ask for them a million times
    return str(value) if type(value) is int else json.dumps(value, sort_keys=True, default=str)


def values_of(rows: Iterable[Experiment], parameter: str) -> list[object]:
    """The values of a parameter in some rows, in the order in which they come first."""
    return list(
        {
            text_of(row.parameters[parameter]): row.parameters[parameter] for row in rows if parameter in row.parameters
        }.values()
    )


def having(rows: Iterable[Experiment], parameter: str, value: object) -> list[Experiment]:
    """The rows whose parameter has a value."""
    wanted = text_of(value)
    return [row for row in rows if parameter in row.parameters and text_of(row.parameters[parameter]) == wanted]


def whole_numbers(rows: Iterable[Experiment], parameter: str) -> list[int]:
    """The values of a parameter that are whole numbers, ascending."""
    return sorted(
        value for value in values_of(rows, parameter) if isinstance(value, int) and not isinstance(value, bool)
    )


def preferring(rows: Sequence[Experiment], parameter: str, preferred: object) -> list[Experiment]:
    """The rows with the preferred value of a parameter; where no row has it, those with the value of most key pages."""
    values = values_of(rows, parameter)
    if not values:
        return list(rows)
    if text_of(preferred) not in {text_of(value) for value in values}:
        # max takes the first of equals.
        preferred = max(values, key=lambda value: len({page_of(row) for row in having(rows, parameter, value)}))
    return having(rows, parameter, preferred)


def standard(rows: Sequence[Experiment], without: Collection[str] = ()) -> list[Experiment]:
    """The rows of one detector at the papers' size, votes and selection of candidates.

    Args:
        rows: experiments of one detector.
        without: parameters that are left as they are.
    """
    chosen = list(rows)
    if CANDIDATES not in without:
        chosen = preferring(chosen, CANDIDATES, HYPERLINK_ANALYSIS)
    if SIZE not in without:
        chosen = preferring(chosen, SIZE, size_of(chosen))
    if VOTES not in without:
        chosen = at_published_votes(chosen)
    return chosen


def size_of(rows: Sequence[Experiment]) -> int:
    """The size of the complete subdigraph that a detector is meant for."""
    return _SIZES.get(names.canonical(rows[0].detector), TEMPLATE_SIZE) if rows else TEMPLATE_SIZE


def at_published_votes(rows: Sequence[Experiment]) -> list[Experiment]:
    """For each size the rows with the number of votes of Table 8.4."""
    sizes = whole_numbers(rows, SIZE)
    if not sizes:
        return preferring(rows, VOTES, published.VOTES[TEMPLATE_SIZE])
    chosen: list[Experiment] = []
    for size in sizes:
        chosen += preferring(having(rows, SIZE, size), VOTES, published.VOTES.get(size, (size + 1) // 2))
    return chosen


def variants(rows: Iterable[Experiment], without: Collection[str] = ()) -> list[list[Experiment]]:
    """Rows of one detector grouped by their parameters, first come first.

    Args:
        rows: experiments of one detector.
        without: parameters that may differ within a group; repetitions may anyway.
    """
    groups: dict[tuple[tuple[str, str], ...], list[Experiment]] = {}
    for row in rows:
        groups.setdefault(_fixed(row, without), []).append(row)
    return list(groups.values())


def main_variant(rows: Iterable[Experiment], axis: Collection[str]) -> list[Experiment]:
    """Of the groups that differ in other parameters than the axis, the one with the most points on the axis.

    Ties go to the group with the most key pages, then to the first one.
    """

    def weight(group: list[Experiment]) -> tuple[int, int]:
        points = {tuple(text_of(row.parameters.get(name)) for name in sorted(axis)) for row in group}
        return len(points), len({page_of(row) for row in group})

    return max(variants(rows, axis), key=weight, default=[])


def methods(rows: Iterable[Experiment], *, every_size: bool = False) -> list[Method]:
    """Every detector at its standard parameters, each further set of parameters as a method of its own.

    One that went wrong wherever it was tried is left out: that it found nothing tells nothing of how good it is.

    Args:
        rows: experiments of one target and unit.
        every_size: also other sizes of the complete subdigraph, unless there is a whole series of them.
    """
    detectors: dict[str, list[Experiment]] = {}
    for row in rows:
        detectors.setdefault(row.detector, []).append(row)
    found: list[Method] = []
    for detector, own in detectors.items():
        chosen = standard(own)
        if every_size:
            sizes = standard(own, without=(SIZE,))
            if len(whole_numbers(sizes, SIZE)) < FEWEST_OF_A_SERIES:
                # What is standard comes first.
                there = set(map(id, chosen))
                chosen += [row for row in sizes if id(row) not in there]
        groups = [group for group in variants(chosen) if not all(row.error for row in group)]
        found += [Method(detector, _title(detector, group, groups), group) for group in groups]
    return found


def looking_for(found: Iterable[Method], target: str) -> list[Method]:
    """The methods that look for a target: a template detector is measured by the words that it leaves, too."""
    return [method for method in found if names.target(method.detector) in {target, ""}]


def first_of_each(found: Iterable[Method]) -> list[Method]:
    """One method for each detector: its first variant."""
    firsts: dict[str, Method] = {}
    for method in found:
        firsts.setdefault(method.detector, method)
    return list(firsts.values())


def described(rows: Sequence[Experiment], without: Collection[str] = ()) -> str:
    """The parameters that the rows share, for a caption; empty where there are none."""
    return ", ".join(names.printable(f"{name} {value}") for name, value in _fixed(rows[0], without)) if rows else ""


def _fixed(row: Experiment, without: Collection[str]) -> tuple[tuple[str, str], ...]:
    return tuple(
        (name, text_of(row.parameters[name]))
        for name in sorted(row.parameters)
        if name not in without and name not in REPETITIONS
    )


def _title(detector: str, group: Sequence[Experiment], groups: Sequence[Sequence[Experiment]]) -> str:
    """The detector's title, with what tells this group from the others."""
    title = names.title(detector)
    if len(groups) == 1:
        # a size of its own, which is not the one that the others are compared at, is told
        size = group[0].parameters.get(SIZE) if names.canonical(detector) in _SIZES else None
        return title if size is None else names.printable(f"{title} ({SIZE} {size})")
    shared = set.intersection(*(set(_fixed(other[0], ())) for other in groups))
    own = [
        names.printable(f"{name} {value}", 60) for name, value in _fixed(group[0], ()) if (name, value) not in shared
    ]
    return f"{title} ({', '.join(own) or 'no parameters'})"
