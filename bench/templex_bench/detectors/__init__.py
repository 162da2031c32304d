"""All detectors as data: target, call, and the readings of the paper to measure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from templex_bench.detectors import iwptd, literal, menu, rbm_td, rtdm, sst
from templex_scrapy.content import find_content
from templex_scrapy.mapping import PUBLISHED, PUBLISHED_CONTENT, PUBLISHED_QUICK, TEMPLEX, Similarity
from templex_scrapy.page import Page, nodes_of, subtree_positions
from templex_scrapy.papers import (
    detect_content,
    detect_content_site,
    detect_menu,
    detect_template,
    detect_template_hybrid,
)

Readings = Mapping[str, Mapping[str, object]]
"""Title of a reading → the parameters that differ from the default, as plain data, ``size`` among them."""

SIMILARITIES: Mapping[str, Similarity] = {
    "templex": TEMPLEX,
    "published": PUBLISHED,
    "published, quick": PUBLISHED_QUICK,
    "published, content": PUBLISHED_CONTENT,
}
"""Parameters of the product's mapping (position option 4) by their names in results."""

Target = Literal["template", "content", "menu"]


@dataclass(frozen=True, slots=True)
class Found:
    """The result of a method: positions of nodes of the key page, or text."""

    nodes: frozenset[int] | None = None
    text: str | None = None


Find = Callable[..., Found]
"""Called with the key page, its comparison pages, and parameters by name."""


@dataclass(frozen=True, slots=True)
class Method:
    """A method to measure: its name in the results, its title for readers, and more.

    Attributes:
        kind: ``own`` is templex itself.
        level: ``site`` if it compares the key page with others.
        load: returns the function; ImportError if a package is not installed.
        votes: whether it takes a number of votes.
        readings: other parameters to be measured, by title.
        whole_site: whether it compares the key page with pages from all over the site, instead of a subdigraph.
    """

    name: str
    title: str
    kind: Literal["detector", "own", "peer", "yours"]
    target: Target
    level: Literal["page", "site"]
    load: Callable[[], Find]
    votes: bool = False
    readings: Readings = field(default_factory=dict)
    whole_site: bool = False

    @property
    def finds_nodes(self) -> bool:
        """Whether it returns positions of nodes."""
        return self.kind == "detector" or (self.kind == "yours" and self.level == "site")


def _detector(
    name: str,
    title: str,
    of: tuple[Target, Literal["page", "site"]],
    detect: Callable[..., frozenset[int]],
    readings: Readings,
    *,
    votes: bool = False,
) -> Method:
    def find(key: Page, pages: Sequence[Page], **parameters: Any) -> Found:
        return Found(nodes=detect(key, pages, **parameters))

    return Method(name, title, "detector", *of, lambda: find, votes, readings)


def _temex(
    key: Page, pages: Sequence[Page], votes: int = 2, similarity: str = "templex", by: str = "words", **more: Any
) -> frozenset[int]:
    if more.pop("refined", False):
        return literal.refine_template(key, pages)
    if similarity in literal.PRINTED:
        return literal.detect_template_literally(key, pages, votes, similarity=literal.PRINTED[similarity], **more)
    return detect_template(key, pages, votes, similarity=SIMILARITIES[similarity], same=by == "words", **more)


def _hybex(
    key: Page,
    pages: Sequence[Page],
    votes: int = 2,
    similarity: str = "templex",
    by: str = "words",
    conex: str = "printed",
) -> frozenset[int]:
    content = detect_content(key, **(_PRINTED_CONEX if conex == "printed" else {}))
    if similarity in literal.PRINTED:
        printed = literal.PRINTED[similarity]
        return literal.detect_template_literally(key, pages, votes, similarity=printed, content=content)
    same = by == "words"
    return detect_template_hybrid(key, pages, votes, similarity=SIMILARITIES[similarity], same=same, content=content)


def _site_conex(key: Page, pages: Sequence[Page], similarity: str = "published, content") -> frozenset[int]:
    if similarity in literal.PRINTED:
        return literal.detect_content_literally(key, pages, similarity=literal.PRINTED[similarity])
    return detect_content_site(key, pages, similarity=SIMILARITIES[similarity])


def _conex(key: Page, _pages: Sequence[Page], **parameters: Any) -> frozenset[int]:
    return detect_content(key, **parameters)


def _complement(key: Page, _pages: Sequence[Page]) -> frozenset[int]:
    """Return all nodes outside the content of ConEx: a template without other pages (thesis, chapter 16)."""
    return frozenset(range(len(key))) - detect_content(key)


def _menex(
    key: Page,
    _pages: Sequence[Page],
    text: str = "root",
    names: str = "words",
    judged_by: menu.JudgedBy = "own weight",
    distance: menu.Distance = "none",
) -> frozenset[int]:
    is_default = (text, names, judged_by, distance) == ("root", "words", "own weight", "none")
    menus = None if is_default else menu.Menus(key, text=text, names=names, distance=distance)
    found = detect_menu(key) if menus is None else menus.menu(judged_by=judged_by)
    return frozenset() if found is None else subtree_positions(nodes_of(key), [found])


def _iwptd(key: Page, pages: Sequence[Page], blocks: str = "HTML 5", **parameters: Any) -> frozenset[int]:
    tags = iwptd.BLOCKS if blocks == "HTML 5" else iwptd.HTML4_BLOCKS
    return iwptd.detect_template_iwptd(key, pages, blocks=tags, **parameters)


PRINTED_TITLE = "as printed"
ADDED_TITLE = "as printed, with equal ids, classes and attributes first, and any roots"
CODE_TITLE = "as published in code"
"""Readings of a detector; its module names the choices that the text leaves open, and the code."""

_PRINTED_CONEX: Mapping[str, Any] = {"least_text": 0, "max_words": 3}
_OF_SIMILARITY: Readings = {
    PRINTED_TITLE: {"similarity": "as printed"},
    "as printed, id and class are attributes": {"similarity": "id and class too"},
    "as printed, names of attributes": {"similarity": "names"},
    "as printed, names of attributes, id and class": {"similarity": "names, id and class too"},
    "as printed, no attributes in the first node count 1": {"similarity": "none is all"},
    "as printed, names of attributes, none in the first node count 1": {"similarity": "names, none is all"},
    "as printed, shares of both nodes": {"similarity": "shares of both"},
    ADDED_TITLE: {"similarity": "rules added"},
    "default, place alone, shares of both nodes": {"by": "place"},
    "default, place alone, shares of the first node": {"similarity": "templex, shares of the first"},
}
_MENU: Readings = {
    PRINTED_TITLE: {"text": "printed", "names": "exact", "judged_by": "children"},
    "as printed, judged by descendants": {"text": "printed", "names": "exact", "judged_by": "descendants"},
    "Euclidean distance to a node with all properties": {"distance": "ideal"},
    "Euclidean distance from the mean node": {"distance": "mean"},
    **{
        f"own weight counts, text “{text}”, names “{names}”": {"text": text, "names": names}
        for text in menu.TEXTS
        for names in menu.NAMED
        if (text, names) != ("root", "words")
    },
}
_TEMEX: Readings = {
    **_OF_SIMILARITY,
    "as printed, copies raise the votes": {"similarity": "as printed", "copies": "raise"},
    CODE_TITLE: {"similarity": "in code", "copies": "raise"},
    **{f"PROLE 2014, {n} other page{'s' * (n > 1)}": {"refined": True, "size": n} for n in range(1, 9)},
    "as printed, option 1": {"similarity": "option 1"},
    "as printed, option 3": {"similarity": "option 3"},
    "default, published similarity, option 4": {"similarity": "published"},
    "default, published similarity, the quick one": {"similarity": "published, quick"},
}
_HYBEX: Readings = {
    **_OF_SIMILARITY,
    "as printed, our ConEx": {"similarity": "as printed", "conex": "ours"},
    "default, our ConEx": {"conex": "ours"},
}
_SITE_CONEX: Readings = {
    PRINTED_TITLE: {"similarity": "content, as printed"},
    ADDED_TITLE: {"similarity": "content, rules added"},
    CODE_TITLE: {"similarity": "content, in code"},
    "similarity of this package's templates": {"similarity": "templex"},
    "published similarity for templates": {"similarity": "published"},
}
_CONEX: Readings = {
    PRINTED_TITLE: _PRINTED_CONEX,
    "as printed, candidates contain a third of the words": {"max_words": 3},
}
_SST: Readings = {
    PRINTED_TITLE: {"attributes": "tags", "pages_with": 2},
    "as printed, groups on all pages": {"attributes": "tags", "pages_with": 4},
    "elements differ by tags": {"attributes": "tags"},
    "elements differ by whole start tags": {"attributes": "start tags"},
    "threshold 0.1": {"threshold": 0.1},
    "threshold 0.5": {"threshold": 0.5},
}
_RTDM: Readings = {PRINTED_TITLE: {"labels": "start tags"}}
_IWPTD: Readings = {
    PRINTED_TITLE: {"size": 8, "occurrences": 5, "blocks": "HTML 4", "path": "none"},
    "segments on three pages": {"occurrences": 3},
    "segments on four pages": {"occurrences": 4},
    "blocks of HTML 4 only": {"blocks": "HTML 4"},
    "paths of whole start tags": {"path": "start tags"},
    "no paths": {"path": "none"},
}
_RBM: Readings = {
    PRINTED_TITLE: {"labels": "start tags"},
    "as printed, indexed paths": {"labels": "start tags", "path": "indexed"},
    "indexed paths": {"path": "indexed"},
}

_ALL = (
    _detector("temex", "TemEx", ("template", "site"), _temex, _TEMEX, votes=True),
    _detector("hybrid", "HybEx", ("template", "site"), _hybex, _HYBEX, votes=True),
    _detector("site-conex", "ConEx, site level", ("content", "site"), _site_conex, _SITE_CONEX),
    _detector("page-conex", "ConEx, page level", ("content", "page"), _conex, _CONEX),
    _detector("complement", "complement of ConEx", ("template", "page"), _complement, {}),
    _detector("menex", "MenEx", ("menu", "page"), _menex, _MENU),
    _detector("sst", "SST", ("template", "site"), sst.detect_template_sst, _SST),
    _detector("rtdm-td", "RTDM-TD", ("template", "site"), rtdm.detect_template_rtdm_td, _RTDM),
    _detector("iwptd", "IWPTD", ("template", "site"), _iwptd, _IWPTD),
    _detector("rbm-td", "RBM-TD", ("template", "site"), rbm_td.detect_template_rbm_td, _RBM),
    _detector("content-words", "templex content words", ("content", "site"), find_content, {}),
)

DETECTORS: Mapping[str, Method] = {detector.name: detector for detector in _ALL}
"""All detectors by name: the thesis's own, then those that it compares them with, the oldest first, then ours."""
