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


HREFS = [
    *"""http://[ http://[::1 http://a:b/ http://x:99999/ http:/// // /// ? # : http: javascript:alert('x') mailto:a@b
    data:text/html,<p> http://xn--/ http://℀/ http://é.test/é?é=é#é //[ \\\\x\\y http://site.test:port/
    http://user:pass@site.test/ /%zz%""".split(),
    *["  /spaced  ", "/a b", "\n/x\n", "http://x y/", f"http://{'a' * 300}.test/", "/\ud800"],
    *["/" + "a/" * 2_000, "../" * 2_000],
]

ODD: dict[str, str | bytes] = {
    "empty": b"",
    "blank": " \n\t",
    "plain text": "Just some words, 3 < 4 & no markup.\nAnother line.",
    "json": '{"title": "a <b>bold</b> title", "items": [1, 2, null]}',
    "xml": '<?xml version="1.0" encoding="iso-8859-1"?><rss><item><title>é</title><link>/a</link></item></rss>',
    "pdf": b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\nstream\nx\x9c\x00\xff\xfe<p>endstream\nendobj\n%%EOF",
    "png": b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(range(256)) * 4,
    "wrong charset": '<meta charset="utf-8"><p>Grüße aus Köln'.encode("latin-1"),
    "utf-16 without mark": "<p>Grüße".encode("utf-16-le"),
    "nul bytes": "<p>a\x00b\x00</p>\x00<a href='\x00x'>y\x00</a><\x00div>",
    "lone surrogates": "<p title='\ud800'>a\udfff b \ud83d</p>\udc00",
    "controls": "<p>a\x01b\x08c\x0bd\x0ce\x1ff\x7f\x80\x9f &#1; &#12; &#x1f; &#x7f; &#99999999999; &nosuch; &lt",
    "wrongly nested": "<b><p>one</b>two</p></div></span><table><p>x</table></body><p>after</html>tail",
    "open tag": "<p>one</p><div class='a",
    "open comment": "<p>one</p><!-- <p>two</p>",
    "only a comment": "<!-- x -->",
    "two bodies": "<html><body class=a><p>1</p></body><body class=b><p>2</p></body></html><html><body>3",
    "no body": "<html><head><title>t</title></head></html>",
    "only what is left out": "<body><script>x</script><style>y</style></body>",
    "void elements": "<br><hr><img><br>",
    "deep": "<div>" * 5000 + "word" + "</div>" * 5000,
    "deep list": "<ul><li><a href='x'>x</a>" * 3000,
    "all the same": "<p>x</p>" * 500,
    "frames": "<frameset><frame src=a.html><noframes><p>none <a href=/x>y</a></noframes></frameset>",
    "xhtml": '<html xmlns="http://www.w3.org/1999/xhtml"><body><a id="m"/><p>x<br/></p><script/></body></html>',
    "svg": '<svg xmlns="http://www.w3.org/2000/svg"><a xlink:href="/x"><text>t</text></a><path d="M0"/></svg>',
    "custom tags": "<my-app :a='1' @b=2 #c [d]=e><x-y.z>text</x-y.z><a:b c:d='e'>f</a:b></my-app>",
    "attributes without end": "<p " + "a" * 10_000 + "=" + "b" * 10_000 + ">x",
    "many attributes": "<p " + " ".join(f"a{n}=b" for n in range(5_000)) + ">x",
    "many classes": f"<p class='{' '.join(f'c{n}' for n in range(20_000))}'>x",
    "raw text": "<textarea><p>x</p></textarea><title>t</title><xmp><b>x</b></xmp><plaintext><p>rest",
    "links that are no addresses": "".join(f'<a href="{href}">x</a>' for href in HREFS),
    "links in links": "<a href=/a>x<a href=/b>y<div><a href=/c>z</a></div></a><a href=>y</a><a href=1 href=2>w</a>",
}
"""Pages that the fuzzer has no pieces for: bytes, whole documents, sizes."""


def odd_examples(make: Callable[[str], tuple[object, ...]]) -> Callable[[Any], Any]:
    """Try a generated test with each of them as well; the function makes the arguments of one."""
    sources = [html for html in ODD.values() if isinstance(html, str)]
    return lambda test: reduce(lambda made, html: example(*make(html))(made), sources, test)


odd_pages = pytest.mark.parametrize("html", ODD.values(), ids=ODD.keys())


def is_closed_below(found: frozenset[int], tested: Page) -> bool:
    """Tell whether each node comes with all its descendants."""
    arrays = nodes_of(tested)
    return all(set(range(p, p + arrays.sizes[p])) <= found for p in found)
