"""Generators of large and hostile pages: each makes the page with a number of a site whose pages link each other."""

from __future__ import annotations

import random
from collections.abc import Callable

PAGES = 6
"""Pages of each site."""

_MENU = "".join(f'<li class="nav{n}"><a href="/p{n}">menu entry {n}</a></li>' for n in range(PAGES))
_LARGE = 1_900_000  # characters, just below the size from which pages are left as they are


def document(body: str, number: int) -> str:
    """A page with a menu, a footer, and words of its own."""
    return (
        f"<!DOCTYPE html><html><head><title>page {number}</title></head><body><ul class=menu>{_MENU}</ul>"
        f"<h1>Headline {number}</h1><p>own{number} words{number} here{number}</p>{body}"
        "<footer class=foot><p>the same footer on all pages</p></footer></body></html>"
    )


def _repeat(piece: str, times: int) -> Callable[[int], str]:
    """The same piece again and again; ``{n}`` is the page's number and ``{k}`` that of the piece."""
    return lambda n: "".join(piece.replace("{n}", str(n)).replace("{k}", str(k)) for k in range(times))


def _fill(piece: str) -> Callable[[int], str]:
    return _repeat(piece, _LARGE // (len(piece) + 2))


def _nested(start: str, inner: str, end: str, depth: int) -> Callable[[int], str]:
    return lambda n: start * depth + inner.replace("{n}", str(n)) + end * depth


def _classes(n: int) -> str:
    chance = random.Random(n)
    names = [" ".join(chance.sample(WORDS, 4)) for _ in range(1_200)]
    return "".join(f'<article class="post-{k} {name}">text {k} of {n}</article>' for k, name in enumerate(names))


def _shuffled(n: int) -> str:
    order = list(range(3_000))
    random.Random(n).shuffle(order)
    return "".join(f'<div id="d{k}" class="c{k % 7}"><b>{k}</b></div>' for k in order)


def _fan(n: int) -> str:
    """A tree in which each level has a list of its own."""
    return "".join(f"<div class='l{k}'><p>a {k}<p>b {n}<i>c</i>" for k in range(900)) + "</div>" * 900


def _tags(n: int) -> str:
    return "".join(f"<x-{k}-{n} a{k}='{n}'>t{k}</x-{k}-{n}>" for k in range(19_900))


WORDS = [f"category-{k}" for k in range(40)] + [f"tag-{k}" for k in range(40)]

BODIES: dict[str, Callable[[int], str]] = {
    # siblings
    "overlapping classes": _classes,
    "shuffled ids": _shuffled,
    "same paragraphs": _repeat("<p>same words</p>", 19_900),
    "other paragraphs": _repeat("<p class='a b'>text {k} of {n}</p>", 19_900),
    "breaks": _repeat("line {k}<br>", 39_900),
    "row of cells": lambda n: f"<table><tr>{'<td>same</td>' * 19_900}<td>{n}</table>",
    "long table": _repeat("<tr><td>{k}<td>value {n}<td>unit</tr>", 15_000),
    "table of 40,000 tags": lambda n: f"<table>{_repeat('<tr><td>{k}<td>v {n}</tr>', 9_900)(n)}</table>",
    "definition list": _repeat("<dt>term {k}<dd>text {n}", 19_900),
    "list of links": _repeat("<li><a href='/a/{k}-{n}'>link {k}</a>", 13_300),
    "headings in a row": _repeat("<h3>same heading</h3>", 19_900),
    "options": lambda n: f"<select>{_repeat('<option value={k}>option {k} {n}', 20_000)(n)}</select>",
    "comments": _repeat("<!-- c{k} -->x{n} ", 39_900),
    "every tag another": _tags,
    "every class another": _repeat("<p class='c{k} d{n}'>x</p>", 15_000),
    # depth
    "deep links": lambda n: "<div>" * 1_900 + _repeat("<a href='/l{k}'>l {k}</a>", 18_000)(n) + "</div>" * 1_900,
    "deep divs": _nested("<div>", "deep {n}", "</div>", 1_950),
    "deeper than the parser": _nested("<div>", "deep {n}", "</div>", 50_000),
    "deep lists": _nested("<ul><li>a", "deep {n}", "</ul>", 900),
    "deep tables": _nested("<table><tr><td>", "deep {n}", "</table>", 500),
    "deep formatting": lambda n: _repeat("<b><i>w{k} ", 450)(n) + "</i></b>" * 450 + f"{n}",
    "unclosed formatting": _repeat("<p><b><i><u>open {k} ", 900),
    "deep svg": _nested("<svg><g>", "<text>t {n}</text>", "</g></svg>", 900),
    "many svg": _repeat("<svg><svg><svg><path d='M{k}'/><text>t</text></svg></svg></svg>", 3_900),
    "deep frames": _nested("<noscript>", "in {n}", "</noscript>", 900),
    "wide and deep": _fan,
    "paragraphs 1,500 deep": lambda n: "<div>" * 1_500 + "<p>same words here</p>" * 18_400 + f"{n}" + "</div>" * 1_500,
    "deep quotes": _nested("<blockquote>q ", "deep {n}", "</blockquote>", 190),
    "deep code": lambda n: "<pre>" * 190 + f"line {n}\n" * 100_000 + "</pre>" * 190,
    "code in deep lists": lambda n: "<ul><li>" * 95 + f"<pre>{'a' + chr(10)}{n}</pre>" * 5_000 + "</ul>" * 95,
    # text
    "one long text": lambda n: f"<p>{'word ' * (_LARGE // 5)}{n}",
    "one long word": lambda n: f"<p>{'x' * _LARGE}{n}",
    "only spaces": lambda n: f"<p>{' ' * _LARGE}{n}",
    "preformatted": lambda n: f"<pre>{_repeat('line {k}   of {n}' + chr(10), 60_000)(n)}</pre>",
    "control references": _repeat("&#1;x{k} ", 50_000),
    "control references in elements": _repeat("<b>&#1;{k}</b> ", 10_000),
    "references": _fill("&lt;&amp;&quot;"),
    "less-than signs": _repeat("a < b > c & d ", 39_900),
    "digits": lambda n: f"<p>{'1 2 3 ' * 200_000}{n}",
    "emphasis signs": _repeat("*_`#[]()\\ ", 40_000),
    "unusual spaces": _repeat("a\u00a0b\u2028c\u200b", 80_000),
    # attributes
    "many attributes": lambda n: "<p " + " ".join(f"a{k}='{n}'" for k in range(20_000)) + ">x",
    "many classes": lambda n: f"<p class='{' '.join(f'c{k}' for k in range(60_000))} d{n}'>x" * 2,
    "long attribute": lambda n: f"<p title='{'t ' * 900_000}{n}'>x",
    "pictures as data": _repeat("<img alt='p{k}' src='data:image/png;base64," + "A" * 3_000 + "'>", 500),
    "long links": _repeat("<a href='/" + "a/" * 150 + "{k}?x={n}'>x</a>", 3_000),
    "links up": _repeat("<a href='" + "../" * 100 + "{k}'>x</a>", 5_000),
    # raw text and frames
    "many scripts": _repeat("<script>if (a < {k}) b('</p>')</script>text {k} ", 20_000),
    "many noscripts": _repeat("<noscript><p>no {k}</p></noscript> ", 9_900),
    "text in noscript": lambda n: f"<noscript>{_repeat('<p>word {k} of {n}</p>', 5_000)(n)}</noscript>",
    "raw text elements": _repeat("<xmp><b>{k}</b></xmp><textarea><p>{n}</textarea>", 5_600),
    "plaintext": lambda n: "<plaintext>" + "<b>raw {k}</b>" * 40_000 + f"{n}",
    "blanks in data": lambda n: f"<script type='application/ld+json'>{{'@type':{' ' * 1_000_000}{n}</script>".replace(
        "'@type'", '"@type"'
    ),
    "rows of headings": lambda n: (
        "<h2>Head</h2>" * 19_900 + "<div>" + "<p><a href='/x'>teaser</a></p>" * 5 + f"</div>{n}"
    ),
    # size
    "300,000 elements": _fill("<b>x</b>"),
    "39,900 texts": _repeat("x<hr>", 39_900),
    "above the limit": lambda n: f"<p>{'word <i>i</i> ' * 300_000}{n}",
    "open tags": lambda n: "<div" * 39_900 + f">{n}",
    "open comment": lambda n: "<!--" * 39_900 + f"{n}",
}


def page(name: str, number: int) -> str:
    """The page with a number of the site with a name."""
    return document(BODIES[name](number), number)
