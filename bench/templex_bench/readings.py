"""What the papers leave open, as sets of parameters: the measurements that decided how each detector reads its paper.

The docstrings of the detectors say what each reading means and why the default was taken. Here a reading is plain data,
so that a run makes the experiments, and the results file holds the parameters as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from templex_bench.detectors.iwptd import BLOCKS, HTML4_BLOCKS
from templex_scrapy.mapping import PUBLISHED, PUBLISHED_CONTENT, PUBLISHED_QUICK, TEMPLEX


@dataclass(frozen=True, slots=True)
class Reading:
    """Another way to read what a paper leaves open, or the parameters that it has.

    Attributes:
        detector: name of the detector in the registry.
        title: what is different from the default, for readers.
        parameters: the parameters that differ from the default, as plain data.
    """

    detector: str
    title: str
    parameters: Mapping[str, object]


NAMED: Mapping[str, Mapping[str, object]] = MappingProxyType(
    {
        "similarity": {
            "published": PUBLISHED,
            "published, quick": PUBLISHED_QUICK,
            "published, content": PUBLISHED_CONTENT,
            "templex": TEMPLEX,
        },
        "blocks": {"HTML 4": HTML4_BLOCKS, "HTML 5": BLOCKS},
    }
)
"""Values of parameters that are no plain data, by what they are called in the results."""

_MENU_TEXTS, _MENU_NAMES = ("printed", "share", "root"), ("exact", "classes", "words")
_MENU_DEFAULT = ("root", "words")

READINGS: tuple[Reading, ...] = (
    Reading("temex", "as published: place alone, published similarity", {"similarity": "published", "same": False}),
    Reading("temex", "published similarity", {"similarity": "published"}),
    Reading("temex", "published similarity, the quick one", {"similarity": "published, quick"}),
    Reading("temex", "place alone", {"same": False}),
    Reading("hybrid", "as published: place alone, published similarity", {"similarity": "published", "same": False}),
    Reading("hybrid", "place alone", {"same": False}),
    Reading("sst", "elements told apart by tags", {"attributes": "tags"}),
    Reading("sst", "elements told apart by whole start tags", {"attributes": "start tags"}),
    Reading("sst", "threshold 0.1", {"threshold": 0.1}),
    Reading("sst", "threshold 0.5", {"threshold": 0.5}),
    Reading("sst", "nodes on two pages", {"pages_with": 2}),
    Reading("sst", "nodes on four pages", {"pages_with": 4}),
    Reading("rtdm-td", "always the cheapest mapping", {"work": 10**12}),
    Reading("rtdm-td", "whole start tags as labels", {"labels": "start tags"}),
    Reading("iwptd", "segments on three pages", {"occurrences": 3}),
    Reading("iwptd", "segments on four pages", {"occurrences": 4}),
    Reading("iwptd", "blocks of HTML 4 only", {"blocks": "HTML 4"}),
    Reading("iwptd", "paths of whole start tags", {"path": "start tags"}),
    Reading("iwptd", "no paths", {"path": "none"}),
    Reading("rbm-td", "indexed paths", {"path": "indexed"}),
    Reading("rbm-td", "whole start tags as labels", {"labels": "start tags"}),
    Reading("rbm-td", "whole start tags as labels, indexed paths", {"labels": "start tags", "path": "indexed"}),
    Reading("site-conex", "similarity of this package's templates", {"similarity": "templex"}),
    Reading("site-conex", "published similarity for templates", {"similarity": "published"}),
    Reading("page-conex", "Algorithms 3 to 7 as printed", {"least_text": 0, "max_words": 3}),
    Reading(
        "page-conex",
        "as printed, centroid of the published implementation",
        {"least_text": 0, "max_words": 3, "centroid": "medoid"},
    ),
    Reading("page-conex", "as printed, candidates hold a third of the words", {"max_words": 3}),
    Reading("page-conex", "centroid of the published implementation", {"centroid": "medoid"}),
    *(
        Reading("menex", f"text “{text}”, names “{names}”", {"text": text, "names": names})
        for text in _MENU_TEXTS
        for names in _MENU_NAMES
        if (text, names) != _MENU_DEFAULT
    ),
)
"""The readings, those of a detector together."""

PARAMETERS = frozenset(name for reading in READINGS for name in reading.parameters)
"""The names of the parameters that tell a reading from the default."""


def is_reading(parameters: Iterable[str]) -> bool:
    """Whether these names of parameters are those of an experiment with another reading than the default."""
    return not PARAMETERS.isdisjoint(parameters)


def arguments(parameters: Mapping[str, object]) -> dict[str, object]:
    """The parameters as a detector takes them: names instead of plain data replaced by what they stand for."""
    return {
        name: NAMED[name].get(value, value) if name in NAMED and isinstance(value, str) else value
        for name, value in parameters.items()
    }


def of_detector(name: str) -> tuple[Reading, ...]:
    """The readings of a detector, by its name in the registry."""
    return tuple(reading for reading in READINGS if reading.detector == name)
