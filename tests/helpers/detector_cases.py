"""What the tests of the detectors share: odd pages, and the real sites with their figures."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import reduce
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from hypothesis import example

from templex_scrapy.page import Page, nodes_of

SITES = Path(__file__).resolve().parents[3] / "shared" / "sites"

needs_sites = pytest.mark.skipif(not SITES.is_dir(), reason=f"the real sites are not there: {SITES}")


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


def odd_examples(make: Callable[[str], tuple[object, ...]]) -> Callable[[Any], Any]:
    """Try a generated test with each of them as well; the function makes the arguments of one."""
    return lambda test: reduce(lambda made, html: example(*make(html))(made), ODD.values(), test)


odd_pages = pytest.mark.parametrize("html", ODD.values(), ids=ODD.keys())


def is_closed_below(found: frozenset[int], tested: Page) -> bool:
    """Tell whether each node comes with all its descendants."""
    arrays = nodes_of(tested)
    return all(set(range(p, p + arrays.sizes[p])) <= found for p in found)
