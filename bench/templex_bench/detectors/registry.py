"""All detectors, as data: what each looks for, how it is called, and what was published of it.

Those of the papers, and one of our own that follows from measuring them.

    for detector in DETECTORS.values():
        positions = detector.detect(key, pages)

Nothing registers itself: a detector is here because it is written here.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

from templex_bench.detectors import iwptd, rtdm, sst
from templex_bench.detectors.rbm_td import detect_template_rbm_td
from templex_bench.detectors.rtdm_td import detect_template_rtdm_td
from templex_scrapy.content import main_content
from templex_scrapy.content.conex import LEAST_TEXT, detect_content
from templex_scrapy.content.menex import detect_menu
from templex_scrapy.content.site_conex import detect_content_site
from templex_scrapy.mapping import PUBLISHED_CONTENT, TEMPLEX
from templex_scrapy.page import Page, subtree_positions
from templex_scrapy.template.detect import detect_template, detect_template_hybrid

Target = Literal["template", "content", "menu"]
Level = Literal["page", "site"]
Unit = Literal["nodes", "words", "links"]


@dataclass(frozen=True, slots=True)
class Published:
    """The thesis's figures, means over its 45 evaluation sites, which are other sites than any that come with us.

    Attributes:
        recall: in [0, 1].
        precision: in [0, 1].
        f1: in [0, 1]; the mean of the sites' F1, not that of the means.
    """

    recall: float
    precision: float
    f1: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Detector:
    """A detector.

    Attributes:
        name: what it is called in settings, commands and results.
        title: what the papers call it.
        target: what it looks for.
        level: whether it compares the key page with other pages of the site, or needs none and ignores them.
        detect: called with the key page, the pages of its complete subdigraph and parameters by name; returns positions
            in ``key.nodes``, of a menu those of its node and of all that it holds.
        parameters: the names of the parameters that it takes, with their defaults.
        source: where it is described.
        published: the thesis's figures by what was counted; none of our own.
        crawl: whether a crawl can use it as ``TEMPLEX_METHOD``. A crawl does not ask for the template of one page but
            for a template that serves pages not seen yet: a :class:`Template`, which counts
            votes on places. What can be said as ``Template.from_pages(key, pages, content=…)``, votes with some nodes
            of the key page barred, is a method; what decides by noise, by blocks or on all pages at once has no votes
            to carry over to another page.
    """

    name: str
    title: str
    target: Target
    level: Level
    detect: Callable[..., frozenset[int]]
    parameters: Mapping[str, object]
    source: str
    published: Mapping[Unit, Published]
    crawl: bool = False


def _content(key: Page, _pages: Sequence[Page], **parameters: Any) -> frozenset[int]:
    return detect_content(key, **parameters)


def _menu(key: Page, _pages: Sequence[Page], **parameters: Any) -> frozenset[int]:
    found = detect_menu(key, **parameters)
    return frozenset() if found is None else subtree_positions(key.arrays, [found])


_VOTES: Mapping[str, object] = MappingProxyType({"votes": 2, "similarity": TEMPLEX, "same": True})

_ALL = (
    Detector(
        name="temex",
        title="TemEx",
        target="template",
        level="site",
        detect=detect_template,
        parameters=_VOTES,
        source="thesis, chapter 9",
        published={"nodes": Published(0.9309, 0.8775, 0.8754)},
        crawl=True,
    ),
    Detector(
        name="hybrid",
        title="HybEx",
        target="template",
        level="site",
        detect=detect_template_hybrid,
        parameters=_VOTES,
        source="thesis, chapter 11",
        published={"nodes": Published(0.9120, 0.9070, 0.8829)},
        crawl=True,
    ),
    Detector(
        name="site-conex",
        title="ConEx, site level",
        target="content",
        level="site",
        detect=detect_content_site,
        parameters={"similarity": PUBLISHED_CONTENT},
        source="thesis, chapter 10",
        published={"nodes": Published(0.9114, 0.7748, 0.8043), "words": Published(0.9507, 0.8806, 0.9041)},
    ),
    Detector(
        name="page-conex",
        title="ConEx, page level",
        target="content",
        level="page",
        detect=_content,
        parameters={"centroid": "mean", "least_text": LEAST_TEXT, "max_words": 0},
        source="thesis, chapter 6",
        published={"nodes": Published(0.8495, 0.8984, 0.8170), "words": Published(0.9458, 0.9385, 0.9261)},
    ),
    Detector(
        name="menex",
        title="MenEx",
        target="menu",
        level="page",
        detect=_menu,
        parameters={"text": "root", "names": "words"},
        source="thesis, chapter 5",
        published={"links": Published(0.8593, 0.9303, 0.8634)},
    ),
    Detector(
        name="sst",
        title="SST",
        target="template",
        level="site",
        detect=sst.detect_template_sst,
        parameters={
            "attributes": "display",
            "threshold": sst.THRESHOLD,
            "gamma": sst.GAMMA,
            "pages_with": None,
        },
        source="Yi, Liu, Li, KDD 2003; thesis, chapter 12",
        published={"nodes": Published(0.3754, 0.5803, 0.4190)},
    ),
    Detector(
        name="rtdm-td",
        title="RTDM-TD",
        target="template",
        level="site",
        detect=detect_template_rtdm_td,
        parameters={"labels": "tags", "work": rtdm.WORK},
        source="Vieira et al., CIKM 2006; thesis, chapter 12",
        published={"nodes": Published(0.1594, 0.9815, 0.1653)},
    ),
    Detector(
        name="iwptd",
        title="IWPTD",
        target="template",
        level="site",
        detect=iwptd.detect_template_iwptd,
        parameters={"occurrences": None, "share": iwptd.SHARE, "blocks": iwptd.BLOCKS, "path": "tags"},
        source="Wang et al., WWW 2008; thesis, chapter 12",
        published={"nodes": Published(0.7580, 0.6565, 0.6517)},
    ),
    Detector(
        name="rbm-td",
        title="RBM-TD",
        target="template",
        level="site",
        detect=detect_template_rbm_td,
        parameters={"labels": "tags", "path": "tags"},
        source="Vieira et al., World Wide Web 12, 2009; thesis, chapter 12",
        published={"nodes": Published(0.4068, 1.0, 0.5152)},
    ),
    Detector(
        name="content-words",
        title="templex content words",
        target="content",
        level="site",
        detect=main_content.find_content,
        parameters={
            "most": main_content.MOST,
            "share": main_content.SHARE,
            "linked": main_content.LINKED,
            "listing": main_content.LISTING,
        },
        source="templex_scrapy.content.main_content",
        published={},
    ),
)

DETECTORS: Mapping[str, Detector] = MappingProxyType({detector.name: detector for detector in _ALL})
"""All detectors by name: the thesis's own, then those that it compares them with, the oldest first, then ours."""


def detector_named(name: str) -> Detector:
    """The detector of a name.

    Raises:
        ValueError: if there is none; the message names those that there are.
    """
    if name not in DETECTORS:
        similar = difflib.get_close_matches(name, DETECTORS, n=1)
        hint = f"did you mean {similar[0]!r}? " if similar else ""
        raise ValueError(f"there is no detector {name!r}: {hint}There are {', '.join(DETECTORS)}")
    return DETECTORS[name]
