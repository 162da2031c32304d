"""One experiment: a detector, with its parameters, on one key page, measured in one unit."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

_ENDED = re.compile(r"not ready after (\S+) s$")


def time_limit_told(seconds: float) -> str:
    """How an error tells that a time limit has ended an experiment."""
    return f"not ready after {seconds:g} s"


def limit_told(error: str) -> float | None:
    """The time limit in seconds that an error tells of (:func:`time_limit_told`); None for any other error."""
    found = _ENDED.search(error)
    return None if found is None else float(found[1])


@dataclass(frozen=True, kw_only=True, slots=True)
class Experiment:
    """A row of the results: an experiment as one unit measures it.

    An experiment is a detector with its parameters on one key page. It has a row for each unit that it is measured in:
    a template detector one for the nodes of the template, and one for the words that it leaves to read.

    Attributes:
        detector: name of the detector or the peer, such as ``"temex"`` or ``"trafilatura"``.
        target: what it looks for: ``"template"``, ``"content"`` or ``"menu"``.
        unit: what is counted: ``"nodes"``, ``"words"`` (of the text for reading) or ``"links"`` (of the menu).
        parameters: what it was given beside the pages: plain data, such as ``{"size": 3, "votes": 2, "candidates":
            "hyperlink analysis"}``.
        suite: name of the suite of sites.
        site: name of the site.
        category: kind of the site, or of the page; empty where the suite tells none.
        key_url: address of the key page.
        nodes: nodes of the key page.
        gold: units in the gold standard; None without a gold standard, and then the measures below are None too.
        retrieved: units that the detector found.
        correct: units that it found and the gold standard has.
        recall: share of the gold standard that was found, in [0, 1].
        precision: share of what was found that the gold standard has, in [0, 1].
        f1: harmonic mean of both, in [0, 1].
        loads: pages loaded in search of the complete subdigraph, the key page, with which it begins, not counted; 0 for
            page-level detectors.
        cs_size: pages of the complete subdigraph that were found; 0 for page-level detectors.
        runtime: seconds of detection, without loading, parsing included.
        error: what went wrong, empty if nothing did.
    """

    detector: str
    target: str
    unit: str
    parameters: Mapping[str, object]
    suite: str
    site: str
    category: str
    key_url: str
    nodes: int
    gold: int | None
    retrieved: int
    correct: int | None
    recall: float | None
    precision: float | None
    f1: float | None
    loads: int
    cs_size: int
    runtime: float
    error: str = ""
