"""Experiments made up for the tests of the report: a tiny set to compute by hand, and a realistic one from a seed."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from templex_bench.experiment import Experiment

HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(2)>|`*_[x](javascript:alert(3))$\\frac{'
"""A name that HTML, Markdown and matplotlib would all like to make something of."""

_BLANK = Experiment(
    detector="temex",
    target="template",
    unit="nodes",
    parameters={"size": 3, "votes": 2, "candidates": "hyperlink analysis"},
    suite="sites",
    site="a",
    category="",
    key_url="https://a.example/",
    nodes=100,
    gold=50,
    retrieved=50,
    correct=40,
    recall=0.8,
    precision=0.8,
    f1=0.8,
    loads=3,
    cs_size=3,
    runtime=0.1,
)

_CATEGORIES = ("blog", "company", "docs", "forum", "news", "shop")
_TYPES = ("article", "collection", "documentation", "forum", "product")


@dataclass(frozen=True)
class LinkedPage:
    """A row of the similarities."""

    suite: str
    site: str
    key_url: str
    url: str
    distance: int
    similarity: float
    recall: float | None = None


def experiment(f1: float | None = 0.8, **changes: Any) -> Experiment:
    """An experiment with this F1 and, unless changed, the same recall and precision."""
    measures = {"recall": f1, "precision": f1, "f1": f1, "gold": 50 if f1 is not None else None}
    return replace(_BLANK, **(measures | changes))


def on_site(site: str, page: int = 0, **changes: Any) -> Experiment:
    """An experiment on one of the key pages of a site."""
    return experiment(site=site, key_url=f"https://{site}.example/{page}", **changes)


def realistic(seed: int = 7) -> tuple[list[Experiment], list[LinkedPage]]:
    """Two suites as a full run has them: 16 sites with four key pages, and 40 sites with pages of several types."""
    numbers = random.Random(seed)
    pages = [*_saved_sites(numbers)]
    rows = [*_templates(numbers, pages), *_contents(numbers, pages), *_menus(numbers, pages)]
    rows += _contents(numbers, [*_typed_pages(numbers)])
    rows[5] = replace(rows[5], error="RecursionError: <too deep>", f1=0.0, recall=0.0, precision=0.0, correct=0)
    del rows[4]
    return rows, [*_linked(numbers, pages)]


def _saved_sites(numbers: random.Random) -> Iterator[dict[str, Any]]:
    for site in range(16):
        category = _CATEGORIES[site % len(_CATEGORIES)]
        skill = numbers.gauss(0, 0.06)
        for page in range(4):
            yield {
                "suite": "sites",
                "site": f"{category}-site-{site}",
                "category": category,
                "key_url": f"https://site-{site}.example/pages/{page}",
                "nodes": int(10 ** numbers.uniform(2.2, 3.8)),
                "skill": skill,
            }


def _typed_pages(numbers: random.Random) -> Iterator[dict[str, Any]]:
    for site in range(40):
        skill = numbers.gauss(0, 0.1)
        for page in range(numbers.randint(2, 4)):
            yield {
                "suite": "wcxb",
                "site": f"typed-{site}.example",
                "category": numbers.choice(_TYPES),
                "key_url": f"https://typed-{site}.example/{page}",
                "nodes": int(10 ** numbers.uniform(2.5, 4)),
                "skill": skill,
            }


def _measured(numbers: random.Random, page: Mapping[str, Any], level: float, **changes: Any) -> Experiment:
    """An experiment whose recall and precision lie around a level, better where the site is easy."""
    recall = min(1.0, max(0.02, level + page["skill"] + numbers.gauss(0, 0.05)))
    precision = min(1.0, max(0.02, level + 0.05 + page["skill"] + numbers.gauss(0, 0.04)))
    fixed = {name: value for name, value in page.items() if name != "skill"}
    values = {"recall": recall, "precision": precision, "f1": 2 * recall * precision / (recall + precision)}
    return replace(_BLANK, **(fixed | values | changes))


def _templates(numbers: random.Random, pages: list[dict[str, Any]]) -> Iterator[Experiment]:
    levels = {"temex": 0.84, "hybrid": 0.85, "iwptd": 0.66, "rbm_td": 0.5, "sst": 0.43, "rtdm_td": 0.2, "ceiling": 0.94}
    growth = {"sst": (2e-7, 1.9), "rtdm_td": (1e-7, 2.1), "rbm_td": (3e-6, 1.5)}
    for page in pages:
        for detector, level in levels.items():
            factor, exponent = growth.get(detector, (1e-4, 1.0))
            time = factor * page["nodes"] ** exponent * numbers.lognormvariate(0, 0.2)
            loads = numbers.randint(3, 9)
            yield _measured(numbers, page, level, detector=detector, runtime=time, loads=loads)
        for size in range(1, 9):
            for votes in range(1, size + 1):
                parameters = {"size": size, "votes": votes, "candidates": "hyperlink analysis"}
                level = 0.86 - 0.12 / size - 0.02 * abs(votes - size / 2)
                changes = {"parameters": parameters, "loads": size * 3, "cs_size": min(size, 7)}
                if (size, votes) != (3, 2):
                    yield _measured(numbers, page, level, **changes)
        for way, level in (("random links", 0.8), ("menu links", 0.79), ("non-menu links", 0.77)):
            yield _measured(numbers, page, level, parameters={"size": 3, "votes": 2, "candidates": way})


def _contents(numbers: random.Random, pages: list[dict[str, Any]]) -> Iterator[Experiment]:
    levels = {"templex": 0.92, "site_conex": 0.85, "conex": 0.8, "gold template removed": 0.95, "trafilatura": 0.8}
    levels |= {"resiliparse": 0.74, "readability-lxml": 0.75, "justext": 0.7, "boilerpy3": 0.72, "html-text": 0.77}
    for page in pages:
        for detector, level in levels.items():
            parameters = {"size": 4 if detector == "site_conex" else 3} if detector in {"templex", "site_conex"} else {}
            time = 5e-5 * page["nodes"] * numbers.lognormvariate(0, 0.3)
            changes = {"target": "content", "unit": "words", "parameters": parameters, "runtime": time}
            yield _measured(numbers, page, level, detector=detector, **changes)


def _menus(numbers: random.Random, pages: list[dict[str, Any]]) -> Iterator[Experiment]:
    for page in pages:
        if page["site"] not in {"forum-site-3", "docs-site-2"}:
            yield _measured(numbers, page, 0.75, detector="menex", target="menu", unit="links", parameters={}, loads=0)


def _linked(numbers: random.Random, pages: list[dict[str, Any]]) -> Iterator[LinkedPage]:
    for page in pages:
        for link in range(12):
            distance = numbers.choice([-2, -1, -1, 0, 0, 0, 1, 1, 2])
            similarity = min(1.0, max(0.0, 0.9 - 0.06 * abs(distance) + numbers.gauss(0, 0.08)))
            url = f"{page['key_url']}/{link}"
            yield LinkedPage("sites", page["site"], page["key_url"], url, distance, similarity / 2, similarity)
