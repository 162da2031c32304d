"""The papers' figures, to be shown beside ours.

Facts only, from Alarte's thesis (Universitat Politècnica de València) on the suite TeCo, and from WCXB 1.0 on its whole
development split. The suites differ from ours, so a difference between a figure here and one of ours is due to the
sites as much as to the methods.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Published(NamedTuple):
    """A row of a published table: shares in [0, 1], loads with the key page, milliseconds, sites; None: not told."""

    recall: float | None = None
    precision: float | None = None
    f1: float | None = None
    loads: float | None = None
    ms: float | None = None
    sites: int | None = None


def _percent(
    recall: float, precision: float, f1: float, loads: float | None = None, ms: float | None = None
) -> Published:
    return Published(round(recall / 100, 4), round(precision / 100, 4), round(f1 / 100, 4), loads, ms)


_ORDER = Published(0.9318, 0.9191, 0.9209)  # mean over CETD's collections (Table 12.4)
_BLOCKS = Published(0.90, 0.83, 0.87)  # CleanEval; accuracy 0.83 (Table 12.5)

DETECTORS: Mapping[tuple[str, str, str], Published] = {
    ("temex", "template", "nodes"): _percent(93.09, 87.75, 87.54, 10.36, 951),
    ("hybrid", "template", "nodes"): _percent(91.20, 90.70, 88.29, 10.36, 1065),
    ("sst", "template", "nodes"): _percent(37.54, 58.03, 41.90, ms=1725),
    ("rtdm-td", "template", "nodes"): _percent(15.94, 98.15, 16.53, ms=2795),
    ("iwptd", "template", "nodes"): _percent(75.80, 65.65, 65.17, ms=601),
    ("rbm-td", "template", "nodes"): _percent(40.68, 100.0, 51.52, ms=1181),
    ("page-conex", "content", "nodes"): _percent(84.95, 89.84, 81.70, ms=133),
    ("page-conex", "content", "words"): _percent(94.58, 93.85, 92.61, ms=133),
    ("site-conex", "content", "nodes"): _percent(91.14, 77.48, 80.43, 11.82, 673),
    ("site-conex", "content", "words"): _percent(95.07, 88.06, 90.41, 11.82, 673),
    ("menex", "menu", "links"): _percent(85.93, 93.03, 86.34, ms=460),
    ("page-conex", "content", "order"): _ORDER,
    ("page-conex", "content", "blocks"): _BLOCKS,
    # WCXB 1.0, mean over the 1,497 pages of the development split
    ("trafilatura", "content", "words"): Published(f1=0.791),
    ("justext", "content", "words"): Published(f1=0.707),
    ("boilerpy3", "content", "words"): Published(f1=0.687),
    ("readability", "content", "words"): Published(f1=0.675),
}
"""By method, target and unit, 45 evaluation sites (Tables 5.2, 6.3, 6.4, 9.1, 10.3 to 10.6, 11.1, 12.3)."""

SIZES: Mapping[tuple[str, str], Mapping[int, Published]] = {
    ("temex", "nodes"): {
        1: _percent(83.69, 82.59, 76.21, 2.00, 1303),
        2: _percent(91.92, 83.69, 84.45, 8.86, 2305),
        3: _percent(91.14, 94.37, 91.33, 12.63, 3378),
        4: _percent(91.67, 93.51, 91.15, 18.11, 4555),
        5: _percent(91.23, 94.13, 91.25, 26.74, 6467),
        6: _percent(91.39, 93.92, 91.22, 28.66, 6998),
        7: _percent(90.57, 94.52, 91.06, 30.11, 7596),
        8: _percent(91.99, 93.06, 91.37, 32.71, 7851),
    },
    ("site-conex", "nodes"): {
        1: _percent(90.02, 74.46, 75.17, 2.00, 303),
        2: _percent(94.54, 78.36, 81.99, 8.86, 654),
        3: _percent(92.80, 84.00, 83.50, 12.63, 874),
        4: _percent(95.33, 82.16, 84.52, 18.11, 1213),
        5: _percent(94.68, 82.50, 84.48, 26.74, 1738),
        6: _percent(94.56, 83.23, 84.50, 28.66, 2545),
        7: _percent(94.56, 83.34, 84.55, 30.11, 2805),
        8: _percent(94.56, 83.34, 84.55, 32.71, 3280),
    },
    ("site-conex", "words"): {
        1: _percent(92.39, 83.28, 84.82, 2.00, 303),
        2: _percent(96.50, 84.53, 88.73, 8.86, 654),
        3: _percent(96.17, 88.52, 89.84, 12.63, 874),
        4: _percent(98.50, 88.32, 91.71, 18.11, 1213),
        5: _percent(97.95, 88.47, 91.53, 26.74, 1738),
        6: _percent(97.86, 88.72, 91.56, 28.66, 2545),
        7: _percent(97.86, 88.76, 91.58, 30.11, 2805),
        8: _percent(97.86, 88.76, 91.58, 32.71, 3280),
    },
}
"""By size of the complete subdigraph: TemEx, 35 training sites (Table 7.7); site-level ConEx, 105 training sites (Table
10.1; its loads leave the key page out, ours do not).
"""

_C_SET = ((0.7447, 0.8315), (0.8322, 0.9260), (0.8575, 0.9459), (0.7930, 0.9088), (0.6641, 0.8056))
_LARGER = ((0.6236, 0.7957), (0.5694, 0.7426), (0.4945, 0.6879))
_MAX_WORDS = ((0.8575, 0.9447), (0.8577, 0.9455), (0.8576, 0.9456), (0.8575, 0.9459), (0.8574, 0.9455))
_MORE_WORDS = ((0.8574, 0.9454), (0.8573, 0.9437), (0.8573, 0.9437), (0.8573, 0.9437))

CONEX: Mapping[str, Mapping[int, tuple[float, float]]] = {
    "candidates": dict(enumerate((*_C_SET, *_LARGER), 1)),
    "max_words": dict(enumerate((*_MAX_WORDS, *_MORE_WORDS))),
}
"""F1 of nodes and words of page-level ConEx by parameter, 15 training sites each (Tables 6.1 and 6.2)."""

CANDIDATES: Mapping[str, Published] = {
    "random links": _percent(87.64, 90.74, 85.31),
    "menu links": _percent(87.04, 87.49, 83.69),
    "non-menu links": _percent(86.10, 88.11, 82.56),
    "hyperlink analysis": _percent(92.16, 90.21, 88.66),
}
"""TemEx by the way in which candidates are selected, 105 training sites (Table 7.6)."""

DISTANCES: Mapping[int, Published] = {
    distance: Published(recall=round(recall / 100, 4), sites=sites)
    for distance, recall, sites in (
        (-7, 0.64, 1),
        (-6, 78.00, 1),
        (-5, 45.40, 2),
        (-4, 74.86, 4),
        (-3, 96.17, 6),
        (-2, 68.45, 21),
        (-1, 82.07, 43),
        (0, 89.17, 65),
        (1, 82.15, 31),
        (2, 86.36, 23),
        (3, 83.81, 16),
        (4, 83.99, 4),
        (5, 86.38, 5),
    )
}
"""Share of the key page's template that a page holds, by hyperlink distance, training sites (Table 7.4)."""

DOM_DISTANCES: Mapping[int, Published] = {
    distance: Published(recall=round(recall / 100, 4), sites=sites)
    for distance, recall, sites in (
        (2, 63.87, 2),
        (4, 89.09, 11),
        (5, 96.07, 6),
        (6, 96.93, 9),
        (7, 97.57, 6),
        (8, 99.55, 8),
        (9, 81.46, 7),
        (10, 97.10, 11),
        (11, 93.85, 7),
        (12, 88.71, 10),
        (13, 83.80, 6),
        (14, 72.76, 8),
        (15, 89.89, 11),
        (16, 84.72, 7),
        (17, 84.23, 5),
        (18, 95.98, 2),
        (19, 98.00, 1),
        (20, 82.37, 2),
        (21, 83.08, 4),
        (22, 98.00, 1),
        (23, 98.00, 1),
        (27, 100.00, 1),
        (29, 98.00, 1),
        (34, 98.00, 1),
    )
}
"""The same by DOM distance (Table 7.5)."""

MENU_LINKS: Mapping[int, Published] = {1: Published(recall=0.8788), 0: Published(recall=0.8509)}
"""The same of pages that the menu links to, and of others (section 7.3.1; Table 7.3 has it by category)."""

MODULES: Mapping[str, float] = {"ranking": 129, "subdigraph": 4668, "nodes": 0, "temex": 1133}
"""Milliseconds of each module (Table 12.2)."""

INSTITUTIONS = "Institutions / Associations"
MEDIA = "Media / Communication"
FORUMS = "Forums / Social"
BLOGS = "Personal websites / Blogs"
SHOPS = "Companies / Shops"

CATEGORIES: Mapping[tuple[str, str, str], Mapping[str, Published]] = {
    ("temex", "template", "nodes"): {
        INSTITUTIONS: _percent(98.97, 93.21, 95.71, 4.67, 229),
        MEDIA: _percent(94.27, 81.64, 85.42, 6.78, 1461),
        FORUMS: _percent(86.76, 76.80, 73.25, 28.00, 1224),
        BLOGS: _percent(86.16, 90.03, 85.18, 5.11, 1038),
        SHOPS: _percent(99.29, 97.07, 98.15, 7.22, 803),
    },
    ("hybrid", "template", "nodes"): {
        INSTITUTIONS: _percent(98.55, 96.74, 97.58, 4.67, 217),
        MEDIA: _percent(93.32, 81.88, 85.12, 6.78, 1854),
        FORUMS: _percent(85.87, 84.21, 78.39, 28.00, 1441),
        BLOGS: _percent(79.69, 92.86, 82.20, 5.11, 3792),
        SHOPS: _percent(98.37, 97.79, 98.05, 7.22, 1128),
    },
    ("page-conex", "content", "words"): {
        INSTITUTIONS: _percent(91.01, 99.37, 93.57, ms=29),
        MEDIA: _percent(93.13, 99.42, 95.75, ms=152),
        FORUMS: _percent(97.53, 87.90, 91.05, ms=322),
        BLOGS: _percent(99.32, 98.83, 99.04, ms=54),
        SHOPS: _percent(91.91, 84.83, 84.28, ms=111),
    },
    ("site-conex", "content", "words"): {
        INSTITUTIONS: _percent(98.44, 87.77, 91.71, 5.89, 357),
        MEDIA: _percent(90.54, 92.31, 89.81, 8.22, 1204),
        FORUMS: _percent(88.89, 74.39, 80.47, 30.33, 486),
        BLOGS: _percent(97.71, 93.63, 95.41, 6.22, 687),
        SHOPS: _percent(99.76, 92.22, 94.66, 8.44, 634),
    },
    ("menex", "menu", "links"): {
        INSTITUTIONS: _percent(79.86, 88.89, 81.29, ms=95),
        MEDIA: _percent(82.12, 100.00, 85.08, ms=807),
        FORUMS: _percent(93.61, 95.96, 93.78, ms=789),
        BLOGS: _percent(88.89, 88.89, 88.89, ms=118),
        SHOPS: _percent(85.19, 91.43, 82.68, ms=490),
    },
}
"""By category, nine evaluation sites each (Tables 5.3, 6.5, 9.2, 10.7, 11.2)."""

_WORDS_OF_CATEGORIES: Mapping[str, str] = {
    "institution": INSTITUTIONS,
    "association": INSTITUTIONS,
    "media": MEDIA,
    "news": MEDIA,
    "communication": MEDIA,
    "forum": FORUMS,
    "social": FORUMS,
    "blog": BLOGS,
    "personal": BLOGS,
    "compan": SHOPS,
    "shop": SHOPS,
}


def category_of(category: str) -> str | None:
    """Return the category of the thesis that a category of ours belongs to, or None."""
    lowered = category.lower()
    return next((published for word, published in _WORDS_OF_CATEGORIES.items() if word in lowered), None)
