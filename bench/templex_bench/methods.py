"""All that is measured side by side: the detectors, this package's own extraction, bounds, peers, and yours."""

from __future__ import annotations

import importlib
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

from templex_bench.detectors import DETECTORS, Detector, Readings
from templex_bench.detectors.identity import distinct, numbers, path_numbers
from templex_bench.measures import texts
from templex_bench.peers import PEERS, Peer
from templex_bench.suites import Gold, SuiteError
from templex_scrapy.page import Page
from templex_scrapy.template import Template

Target = Literal["template", "content", "menu"]


@dataclass(frozen=True, slots=True)
class Found:
    """What a method found: positions of nodes of the key page, or text for reading where it knows no nodes."""

    nodes: frozenset[int] | None = None
    text: str | None = None


Find = Callable[..., Found]
"""Called with the key page, its comparison pages, its gold standard, and parameters by name."""


@dataclass(frozen=True, slots=True)
class Method:
    """Something that is measured.

    Attributes:
        name: its name in the results.
        title: its name for readers.
        kind: ``own`` is this package's extraction; a ``bound`` uses the gold standard or does nothing.
        target: what it looks for.
        level: ``site`` if it compares the key page with others.
        load: returns the function; ImportError if what it needs is not installed.
        votes: whether it takes a number of votes.
        readings: other parameters to be measured, by title.
    """

    name: str
    title: str
    kind: Literal["detector", "own", "bound", "peer", "yours"]
    target: Target
    level: Literal["page", "site"]
    load: Callable[[], Find]
    votes: bool = False
    readings: Readings = field(default_factory=dict)


def _of_detector(detector: Detector) -> Method:
    def find(key: Page, pages: Sequence[Page], _gold: Gold, **parameters: Any) -> Found:
        return Found(nodes=detector.detect(key, pages, **parameters))

    one = detector
    return Method(one.name, one.title, "detector", one.target, one.level, lambda: find, one.votes, one.readings)


def _of_peer(peer: Peer) -> Method:
    def load() -> Find:
        extract = peer.load()
        return lambda key, _pages, _gold: Found(text=extract(key.text, key.url))

    return Method(peer.name, peer.package, "peer", "content", "page", load)


def _templex(key: Page, pages: Sequence[Page], _gold: Gold, votes: int = 2) -> Found:
    """Return what the items of a crawl get: the text without what may be removed."""
    return Found(text=Template.from_pages(key, pages, votes).match(key).clean.text)


def _gold_template(key: Page, _pages: Sequence[Page], gold: Gold) -> Found:
    return Found(text="" if gold.template is None else texts.without(key, gold.template))


def reachable(key: Page, pages: Sequence[Page], gold: Gold, votes: int = 2) -> Found:
    """Return the template nodes whose tag path enough of the pages have: no mapping of these pages can find more."""
    known = numbers()
    paths = path_numbers(key.arrays, "tags", known)
    others = distinct([key, *pages])[1:]
    having = Counter(path for page in others for path in set(path_numbers(page.arrays, "tags", known)))
    least = max(1, min(votes, len(others)))
    return Found(nodes=frozenset(node for node in gold.template or () if having[paths[node]] >= least))


_OWN = (
    Method("templex", "templex cleaned page", "own", "content", "site", lambda: _templex, votes=True),
    Method("gold-template", "gold template removed", "bound", "content", "page", lambda: _gold_template),
    Method("ceiling", "all that these pages can show", "bound", "template", "site", lambda: reachable, votes=True),
)

METHODS: Mapping[str, Method] = {
    **{name: _of_detector(detector) for name, detector in DETECTORS.items()},
    **{method.name: method for method in _OWN},
    **{name: _of_peer(peer) for name, peer in PEERS.items()},
}
"""All methods that come with the bench, by name: detectors, own, bounds, peers."""

_SHAPES: Mapping[str, tuple[Target, Literal["page", "site"]]] = {
    "template": ("template", "site"),
    "content": ("content", "site"),
    "menu": ("menu", "site"),
    "text": ("content", "page"),
}
_FORM = f"SHAPE=package.module:function, SHAPE one of {', '.join(_SHAPES)}"


def method_named(name: str) -> Method:
    """Return a method of the bench, or one made of anybody's function: ``SHAPE=package.module:function``.

    A function of the shape ``text`` gets the source of a page and its address and returns text. The others get the key
    page and the pages of its complete subdigraph (:class:`templex_scrapy.Page`) and return positions of nodes.

    Raises:
        SuiteError: if there is no such method, or its name has another form.
    """
    if name in METHODS:
        return METHODS[name]
    shape, separator, path = name.partition("=")
    module, colon, function = path.partition(":")
    if shape not in _SHAPES or not (separator and colon and module and function):
        raise SuiteError(f"there is no detector {name!r}; there are {', '.join(METHODS)}, and yours: {_FORM}")
    target, level = _SHAPES[shape]
    load = partial(_load, shape, module, function)
    return Method(name, function, "yours", target, level, load)


def _load(shape: str, module: str, function: str) -> Find:
    # a script in the working directory, as `python -m` would find it
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        found = getattr(importlib.import_module(module), function)
    except (ImportError, AttributeError) as error:
        raise SuiteError(f"{module}:{function} cannot be loaded: {error}") from error
    if shape == "text":
        return lambda key, _pages, _gold: Found(text=found(key.text, key.url))
    return lambda key, pages, _gold: Found(nodes=frozenset(found(key, pages)))
