"""Small sites made for a test: pages of one template, each with something of its own."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

from templex_scrapy import Match, Page, Template
from templex_scrapy.page import nodes_of

SOME = settings(max_examples=max(settings().max_examples // 5, 20))
"""For generated tests of which each example is a whole site."""

HOST = "https://site.test/"
HEAD = "<!DOCTYPE html><html><head><title>t</title></head>"
MENU = "".join(f'<div class="nav{i}"><a href="/n{i}">menu entry {i}</a></div>' for i in range(8))
"""Enough template for any page that has it to fit."""

DIRECTORIES = tuple(f"{HOST}{directory}/page.html" for directory in ("a", "b", "c", "d"))
"""Addresses for four pages, each in a directory of its own."""

KEY, VOTER, STRANGER = NUMBERS = 0, 1, 3
"""Which of four pages: the key page, one of the two that voted, one that the template has not seen."""


def own(number: int) -> str:
    """What no other page says."""
    return f"<p>ownwords{number}</p>"


def page(body: str, url: str = HOST, *, head: str = HEAD) -> Page:
    return Page(f"{head}<body>{body}</body></html>", url)


def site(body: Callable[[int], str], *, urls: Sequence[str] = (), head: str = HEAD) -> list[Page]:
    """Four pages: the menu, a body made from the page's number, and words of the page's own."""
    urls = urls or [f"{HOST}a/p{number}.html" for number in range(4)]
    return [page(MENU + body(number) + own(number), urls[number], head=head) for number in range(4)]


def made_site(
    pages: int = 4, *, host: str = "https://site.test", text: str = "Words of page {number} alone."
) -> list[Page]:
    """Return the pages of a made site: a menu that all have and that links them all, a headline, a text, a footer."""
    menu = "".join(f'<li><a href="/{number}.html">Page {number}</a></li>' for number in range(pages))
    return [
        Page(
            f"<!DOCTYPE html><html><head><title>Page {number}</title></head><body><nav><ul>{menu}</ul></nav>"
            f"<main><h1>Headline {number}</h1><p>{text.format(number=number)}</p></main>"
            "<footer><p>Footer of the made site</p></footer></body></html>",
            f"{host}/{number}.html",
        )
        for number in range(pages)
    ]


def learn(pages: Sequence[Page], votes: int = 2) -> Template:
    """The template of the first page by the votes of the next two."""
    return Template.from_pages(pages[0], pages[1:3], votes)


def matches(body: Callable[[int], str], *, urls: Sequence[str] = (), **selectors: Sequence[str]) -> list[Match]:
    """The matches of a site's key page, of a page that voted and of a stranger."""
    pages = site(body, urls=urls)
    template = learn(pages)
    return [template.match(pages[number], **selectors) for number in (KEY, VOTER, STRANGER)]


def body_of(html: str) -> str:
    """What stands between the body's tags."""
    found = re.search(r"<body[^>]*>(.*)</body>", html, re.DOTALL)
    assert found is not None, html
    return found[1].replace("\n", "")


def left(body: Callable[[int], str], *, urls: Sequence[str] = (), **selectors: Sequence[str]) -> list[str]:
    """What is left of the three pages' bodies, without the words of their own that :func:`site` adds."""
    cleaned = []
    for number, match in zip((KEY, VOTER, STRANGER), matches(body, urls=urls, **selectors), strict=True):
        assert match.fits
        rest = body_of(match.clean.html)
        assert own(number) in rest, "the page's own words stay, whatever else goes"
        cleaned.append(rest.replace(own(number), ""))
    return cleaned


def stays(body: Callable[[int], str]) -> list[str]:
    """What :func:`left` returns where nothing of the body goes."""
    return [body(number) for number in NUMBERS]


def fixed_roots(page_: Page) -> list[int]:
    """The largest subtrees whose texts all are the word "fixed" or "other": what a test of rendering removes."""
    arrays = nodes_of(page_)
    roots: list[int] = []
    for position in range(1, len(page_)):
        texts = [text for text in arrays.texts[position : position + arrays.sizes[position]] if text is not None]
        is_inside = bool(roots) and position < roots[-1] + arrays.sizes[roots[-1]]
        if texts and not is_inside and all(text.strip().lower() in {"fixed", "other"} for text in texts):
            roots.append(position)
    return roots


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


WORDS = ["Menu", "Home", "All rights reserved", "Read more", "Contact"]
INLINE, BLOCKS = ["b", "i", "span", "a"], ["div", "p", "ul", "section", "table"]


@st.composite
def skeletons(draw: st.DrawFn, depth: int = 3) -> Any:
    """A part of a site's template: fixed words, elements, and places (None) for what is a page's own."""
    if depth == 0 or draw(st.integers(0, 2)) == 0:
        return draw(st.sampled_from([None, *WORDS]))
    tag = draw(st.sampled_from(INLINE + BLOCKS))
    attributes = draw(st.sampled_from(["", ' class="a"', ' class="b c"', ' id="d"']))
    return tag, attributes, draw(st.lists(skeletons(depth - 1), max_size=5))


def written(part: Any, number: int, count: list[int], without: int) -> str:
    """A page's version of a part; every so many elements one is left out."""
    if part is None:
        count[0] += 1
        return f" own{number}x{count[0]} "
    if isinstance(part, str):
        return f" {part} "
    tag, attributes, children = part
    count[1] += 1
    if without and count[1] % without == 0:
        return ""
    href = f' href="/{len(children)}"' if tag == "a" else ""
    return f"<{tag}{attributes}{href}>{''.join(written(c, number, count, without) for c in children)}</{tag}>"


@st.composite
def drawn_sites(draw: st.DrawFn) -> list[Page]:
    """Five pages of one template, in which each lacks some elements and has words of its own."""
    parts = draw(st.lists(skeletons(), min_size=1, max_size=6))
    pages = []
    for number in range(5):
        counts = [0, 0]
        body = "".join(written(part, number, counts, draw(st.sampled_from([0, 0, 7, 3]))) for part in parts)
        pages.append(page(f"{body}<p>last{number}</p>", f"{HOST}{number}.html"))
    return pages
