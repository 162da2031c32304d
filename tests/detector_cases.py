"""What the tests of the detectors share: odd pages, and the real sites with their figures."""

from __future__ import annotations

import importlib
import re
import statistics
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from templex_scrapy.page import Page, unescape
from templex_scrapy.search import SubdigraphSearch

URL = "https://site.test/"
SITES = Path(__file__).resolve().parents[2] / "shared" / "sites"

needs_sites = pytest.mark.skipif(not SITES.is_dir(), reason=f"the real sites are not there: {SITES}")

_HREF = re.compile(r'\shref="([^"]+)"')
Scores = tuple[float, ...]


def page(body: str, url: str = URL) -> Page:
    return Page(f"<!DOCTYPE html><html><head></head><body>{body}</body></html>", url)


def lines_run(work: Callable[[], object]) -> int:
    """Count the lines of Python that run while something is done: its cost, on any machine and under any load."""
    lines = 0

    def count(_frame: FrameType, event: str, _argument: object) -> Callable[..., Any]:
        nonlocal lines
        lines += event == "line"
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        work()
    finally:
        sys.settrace(before)
    return lines


ODD = {
    "empty": "",
    "blank": " \n ",
    "text only": "nothing but text",
    "one element": "<p></p>",
    "body alone": "<html><body></body></html>",
    "head alone": "<html><head><title>t</title></head></html>",
    "frames": '<html><frameset cols="1,2"><frame src="a"><frame src="b"></frameset></html>',
    "frames with text": '<html><frameset><frame src="a"><noframes><p>x <a href="y">y</a></noframes></frameset>',
    "comment": "<!-- nothing -->",
    "only what is left out": "<body><script>x</script><style>y</style></body>",
    "link alone": '<a href="x">x</a>',
    "links alone": '<a href="x">x</a><a href="y">y</a><a>z</a>',
    "void elements": "<br><hr><img><br>",
    "no HTML": "\x00\x01 {} <<< >>> &&& \ud800",
    "svg": "<svg><g><a href='x'>t</a></g></svg>",
    "deep": "<div>" * 5000 + "word" + "</div>" * 5000,
    "deep list": "<ul><li><a href='x'>x</a>" * 3000,
    "all the same": "<p>x</p>" * 500,
}

odd_pages = pytest.mark.parametrize("html", ODD.values(), ids=ODD.keys())


def is_closed_below(found: frozenset[int], tested: Page) -> bool:
    """Tell whether each node comes with all its descendants."""
    arrays = tested._arrays
    return all(set(range(p, p + arrays.sizes[p])) <= found for p in found)


@dataclass
class Case:
    """A key page of a saved site, its gold standard, and its complete subdigraphs by size."""

    key: Page
    gold: Any
    subdigraphs: dict[int, list[Page]]


def tool(name: str) -> Any:
    """A module of the tools beside the saved sites."""
    folder = str(SITES.parent / "tools")
    if folder not in sys.path:
        sys.path.insert(0, folder)
    return importlib.import_module(name)


@cache
def site_cases() -> dict[str, list[Case]]:
    """The cases of each saved site."""
    gold, archive = tool("gold"), tool("site_archive")
    cases: dict[str, list[Case]] = {}
    for manifest in sorted(SITES.glob("*/site.json")):
        site = archive.SavedSite(manifest.parent)
        standard = site.manifest["gold"]
        for path in standard["key_pages"]:
            key = Page(site.read(path), site.url(path))
            subdigraphs = {size: _subdigraph(site, key, size) for size in (3, 4)}
            cases.setdefault(site.name, []).append(Case(key, gold.GoldPage(site.read(path), standard), subdigraphs))
    return cases


def _subdigraph(site: Any, key: Page, size: int) -> list[Page]:
    search = SubdigraphSearch(key, size, 60)
    while wanted := search.wanted():
        path = site.path(wanted[0])
        # under the address that was asked for, as a crawl has it
        search.add(wanted[0], None if path is None else Page(site.read(path), wanted[0]))
    return list(search.pages)


def measure(cases: dict[str, list[Case]], score: Callable[[Case], Scores]) -> tuple[Scores, dict[str, Scores]]:
    """Return the mean over the sites, and that of each site; pages without scores are left out."""
    by_site: dict[str, Scores] = {}
    for site, pages in cases.items():
        rows = [row for page in pages if (row := score(page))]
        if rows:
            by_site[site] = tuple(map(statistics.fmean, zip(*rows, strict=True)))
    return tuple(map(statistics.fmean, zip(*by_site.values(), strict=True))), by_site


def content_scores(case: Case, found: Iterable[int]) -> Scores:
    """Precision, recall and F1 of the main content's nodes, then of its words."""
    nodes = sorted(found)
    text = "\n".join(text for node in nodes if (text := case.key._arrays.texts[node]) is not None)
    return (*tool("gold").scores(nodes, case.gold.content), *tool("gold").word_scores(text, case.gold.content_text))


def template_scores(case: Case, found: Iterable[int]) -> Scores:
    """Precision, recall and F1 of the template's nodes."""
    return tuple(tool("gold").scores(found, case.gold.template))


def menu_scores(case: Case, found: int | None) -> Scores:
    """Precision, recall and F1 of the menu's hyperlinks; nothing for a page without a gold menu."""
    if case.gold.menu_links is None:
        return ()
    arrays = case.key._arrays
    tags = arrays.tag_strings[found : found + arrays.sizes[found]] if found is not None else []
    hrefs = (_HREF.search(tag) for tag in tags if tag.startswith("<a "))
    links = Counter(unescape(href[1]) for href in hrefs if href is not None)
    gold = Counter(case.gold.menu_links)
    hit = (links & gold).total()
    return (hit / max(1, links.total()), hit / gold.total(), 2 * hit / (links.total() + gold.total()))
