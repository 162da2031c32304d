"""What the report calls the detectors, and which of them are ours, peers or mere bounds."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from templex_bench.detectors.registry import DETECTORS
from templex_bench.peers import PEERS

Role = Literal["ours", "peer", "bound"]

_TITLES: Mapping[str, str] = {
    "ceiling": "all that these pages can show",
    "content_words": "templex content words",
    "gold_template": "gold template removed",
    "html_text": "html-text (all the text)",
    "templex": "templex cleaned page",
}
_TARGETS: Mapping[str, str] = {
    "ceiling": "template",
    "content_words": "content",
    "gold_template": "content",
    "templex": "content",
}
_SAME: Mapping[str, str] = {
    "hybex": "hybrid",
    "page_conex": "conex",
    "readability_lxml": "readability",
    "boilerpy": "boilerpy3",
}

_BOUND = re.compile(r"(^|_)(gold|ceiling|oracle|untouched|bound)(_|$)")


_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff\u202a-\u202e\u2066-\u2069]")


def printable(text: str, most: int = 300) -> str:
    """Text that XML can hold and that turns no other text around, with what is too long cut off."""
    short = text if len(text) <= most else f"{text[: most - 1]}…"
    return _UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", short)


def canonical(detector: str) -> str:
    """One spelling for the names of a detector: lower case, underscores, HybEx as ``hybrid``."""
    name = re.sub(r"[^0-9a-z]+", "_", detector.lower()).strip("_")
    return _SAME.get(name, name)


def title(detector: str) -> str:
    """The name as the papers or its authors write it; a name that is unknown here stands as it is."""
    name = canonical(detector)
    titles = {canonical(known.name): known.title for known in DETECTORS.values()}
    titles |= {canonical(peer.name): peer.package for peer in PEERS.values()}
    titles |= _TITLES
    return titles.get(name) or printable(detector, 60)


def target(detector: str) -> str:
    """What a detector looks for, whatever else it is measured by; empty for a name that is unknown here."""
    name = canonical(detector)
    targets = {canonical(known.name): str(known.target) for known in DETECTORS.values()}
    return targets.get(name) or _TARGETS.get(name) or ("content" if name in map(canonical, PEERS) else "")


def role(detector: str) -> Role:
    """Whether a detector is ours, a peer, or a bound, such as removing exactly the gold template."""
    name = canonical(detector)
    if name in map(canonical, PEERS):
        return "peer"
    return "bound" if _BOUND.search(name) else "ours"
