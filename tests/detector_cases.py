"""What the tests of the detectors share: odd pages, TeCo's labels, and the real sites with their figures."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

import pytest

from templex_scrapy.page import Page

URL = "https://site.test/"
SITES = Path(__file__).resolve().parents[2] / "shared" / "sites"

needs_sites = pytest.mark.skipif(not SITES.is_dir(), reason=f"the real sites are not there: {SITES}")


def page(body: str, url: str = URL) -> Page:
    return Page(f"<!DOCTYPE html><html><head></head><body>{body}</body></html>", url)


def lines_run(work: Callable[[], object]) -> int:
    """How many lines of Python run while something is done: what it costs, on any machine and under any load."""
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


@cache
def figures() -> ModuleType:
    """bench/scripts/detectors.py, which is no package."""
    path = Path(__file__).resolve().parent.parent / "bench" / "scripts" / "detectors.py"
    spec = importlib.util.spec_from_file_location("benchmarks_detectors", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@cache
def site_cases() -> dict[str, list[Any]]:
    cases: dict[str, list[Any]] = figures().load(SITES)
    return cases


def is_closed_below(found: frozenset[int], tested: Page) -> bool:
    """Whether each node comes with all that it holds."""
    arrays = tested.arrays
    return all(set(range(p, p + arrays.sizes[p])) <= found for p in found)
