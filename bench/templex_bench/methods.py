"""All that is measured side by side: the detectors of the papers, this package's own extraction, bounds, and peers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from templex_bench import texts
from templex_bench.detectors.registry import DETECTORS, Detector
from templex_bench.gold import Gold
from templex_bench.peers import PEERS, Extract, Peer
from templex_bench.readings import arguments
from templex_scrapy.content.tag_paths import numbers, path_numbers
from templex_scrapy.page import Page
from templex_scrapy.template.template import Template
from templex_scrapy.template.voters import distinct

Target = Literal["template", "content", "menu"]


@dataclass(frozen=True, slots=True)
class Found:
    """What a method found: positions of nodes of the key page, or text for reading where it knows no nodes."""

    nodes: frozenset[int] | None = None
    text: str | None = None


Find = Callable[..., Found]
"""Called with the key page, its comparison pages, its gold standard, and parameters by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """Something that is measured.

    Attributes:
        name: what it is called in the results.
        title: what it is called by people.
        kind: ``detector``, ``own`` (of this package), ``bound`` (uses the gold standard), or ``peer``.
        target: what it looks for.
        level: ``site`` if it compares the key page with others.
        votes: whether it takes a number of votes.
        load: makes it ready; ImportError if what it needs is not installed.
    """

    name: str
    title: str
    kind: Literal["detector", "own", "bound", "peer"]
    target: Target
    level: Literal["page", "site"]
    votes: bool
    load: Callable[[], Find]


def _of_detector(detector: Detector) -> Method:
    def find(key: Page, pages: Sequence[Page], _gold: Gold, **parameters: Any) -> Found:
        return Found(nodes=detector.detect(key, pages, **arguments(parameters)))

    return Method(
        name=detector.name,
        title=detector.title,
        kind="detector",
        target=detector.target,
        level=detector.level,
        votes="votes" in detector.parameters,
        load=lambda: find,
    )


def _of_peer(peer: Peer) -> Method:
    return Method(
        name=peer.name,
        title=f"{peer.package} ({peer.title})",
        kind="peer",
        target="content",
        level="page",
        votes=False,
        load=partial(_load_peer, peer),
    )


def _load_peer(peer: Peer) -> Find:
    extract: Extract = peer.load()

    def find(key: Page, _pages: Sequence[Page], _gold: Gold) -> Found:
        return Found(text=extract(key.text, key.url))

    return find


def _templex(key: Page, pages: Sequence[Page], _gold: Gold, votes: int = 2) -> Found:
    """What the items of a crawl get: the text without what may be removed."""
    return Found(text=Template.from_pages(key, pages, votes).match(key).clean.text)


def _gold_template(key: Page, _pages: Sequence[Page], gold: Gold) -> Found:
    if gold.template is None:
        return Found(text="")
    return Found(text=texts.without(key, gold.template))


def _ceiling(key: Page, pages: Sequence[Page], gold: Gold, votes: int = 2) -> Found:
    """The template nodes whose tag path enough of the pages have: no mapping of these pages can find more."""
    known = numbers()
    paths = path_numbers(key.arrays, "tags", known)
    others = distinct([key, *pages])[1:]
    having = Counter(path for page in others for path in set(path_numbers(page.arrays, "tags", known)))
    least = max(1, min(votes, len(others)))
    return Found(nodes=frozenset(node for node in gold.template or () if having[paths[node]] >= least))


_OWN = (
    Method(
        name="templex",
        title="templex_scrapy, text of the cleaned page",
        kind="own",
        target="content",
        level="site",
        votes=True,
        load=lambda: _templex,
    ),
    Method(
        name="gold-template",
        title="bound: exactly the gold template removed",
        kind="bound",
        target="content",
        level="page",
        votes=False,
        load=lambda: _gold_template,
    ),
    Method(
        name="ceiling",
        title="bound: all of the gold template that the pages can show",
        kind="bound",
        target="template",
        level="site",
        votes=True,
        load=lambda: _ceiling,
    ),
)


def all_methods() -> Mapping[str, Method]:
    """All methods by name: detectors, own, bounds, peers."""
    detectors = {name: _of_detector(detector) for name, detector in DETECTORS.items()}
    own = {method.name: method for method in _OWN}
    return {**detectors, **own, **{name: _of_peer(peer) for name, peer in PEERS.items()}}
