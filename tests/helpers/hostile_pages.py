"""Hostile pages, made ever worse: a hill climb to what costs an output the most time.

A recipe is a list of pieces of markup, each repeated or nested. A page fills the limits of a page with its recipe.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import NamedTuple

from templex_scrapy import Match, Page, SiteCleaner, Template
from templex_scrapy.inspect.removed_texts import read_texts
from templex_scrapy.page.size_limits import MAX_PAGE_SIZE, MAX_PAGE_TAGS
from templex_scrapy.render import OUTPUT_NAMES
from templex_scrapy.render.metadata import recognized_language
from templex_scrapy.search import rank_links

PAGES = 4
MAX_NESTED = 1_900  # the parser keeps some more levels
DEEPEST = 190  # of a page that is written as Markdown

TAGS = """
    a article aside b blockquote button canvas code dd div dl dt em footer form h1 h2 h3 i label li main nav object ol p
    pre section span sub sup svg table tbody td th tr ul x-own
    """.split()
ATTRIBUTES = """
    class='card c{k}'|class=nav|class='comment reply'|id=i{k}|id=main|href='/p{k}'|href='l{k}'|href=#top
    |href='../../{k}'    |src=/i{k}.png|title='Word {k}'|colspan=20 rowspan=20|itemprop=author
    |itemprop=datePublished|itemprop=name|style=x|
    """.replace("\n", "").split("|")
LEAVES = (
    """
    word |{n} |w{n}x{k} |Label: value {k} |<br>|<hr>|<td>|<tr>|<li>|<code></code>|<img src=i{k}>|<input>|<h1>|<p>|<wbr>|
    a,|*_`|, |\u4e2d\u6587|<!--c-->|<dt>Brand<dd>Acme {n}|<th>Brand<td>{n}|<b>Brand:</b> {n}<br>|<iframe></iframe>|
    <a href=l{k}>l{k}</a>|<time datetime=2024-01-01>|<meta name=date content=x{k}>|<noscript>a</noscript>|<sub></sub>
    """.replace("\n    ", "")
    .strip()
    .split("|")
)
SCRIPTS = ("{}", "[]", '{"@type":"Article"}', '{"author":"A {k}"}', '{"@graph":[{"author":[{"name":"B"}]}]}', '"a"')


class Piece(NamedTuple):
    """A piece of markup, and how it is repeated: ``row``, ``nest`` (left open), ``pairs`` (closed behind the page)."""

    markup: str
    how: str
    share: float
    end: str = ""


Recipe = tuple[Piece, ...]


def new_piece(chance: Random) -> Piece:
    how, share = chance.choice(["row", "row", "row", "nest", "pairs", "script"]), chance.random() ** 2
    tags = [chance.choice(TAGS) for _ in range(chance.choice([1, 1, 2, 3]))]
    start = "".join(f"<{tag} {chance.choice(ATTRIBUTES)}>" if chance.random() < 0.4 else f"<{tag}>" for tag in tags)
    end = "".join(f"</{tag}>" for tag in reversed(tags))
    if how == "row":
        leaves = "".join(chance.choice(LEAVES) for _ in range(chance.randint(1, 4)))
        return Piece(chance.choice([leaves, start + leaves + end, start + leaves]), how, share)
    return Piece(chance.choice(SCRIPTS), how, share) if how == "script" else Piece(start, how, share, end)


def mutated(recipe: Recipe, chance: Random) -> Recipe:
    pieces, at = list(recipe), chance.randrange(len(recipe))
    change = chance.random()
    if change < 0.3 and len(pieces) < 6:
        pieces.insert(at, new_piece(chance))
    elif change < 0.45 and len(pieces) > 1:
        del pieces[at]
    elif change < 0.6:
        chance.shuffle(pieces)
    elif change < 0.8:
        pieces[at] = pieces[at]._replace(share=chance.random() ** 2)
    else:
        pieces[at] = new_piece(chance)
    return tuple(pieces)


def page_of(recipe: Recipe, number: int, size: float = 1.0, depth: int = MAX_NESTED) -> str:
    """The page with a number: as large as a page may be, or a part of that."""
    tags, room = int(size * (MAX_PAGE_TAGS - 100)), int(size * (MAX_PAGE_SIZE - 2_000))
    total = sum(piece.share for piece in recipe) or 1.0
    body, ends = [], []
    for piece in recipe:
        share = (piece.share + 0.01) / (total + 0.01 * len(recipe))
        markup = piece.markup
        cost = max(1, markup.count("<") + piece.end.count("<") * (piece.how == "pairs"))
        count = int(share * min(tags / cost if "<" in markup else room, room / (len(markup) + len(piece.end) + 8)))
        if piece.how == "script":
            count = min(count, 450_000 // len(markup))
            body.append(f"<script type=application/ld+json>[{','.join([markup] * count)}]</script>")
            continue
        if piece.how != "row":
            levels = max(1, piece.markup.count("<"))
            count = min(count, depth // levels)
            depth -= count * levels
        body.append("".join(markup.replace("{k}", str(k)).replace("{n}", str(number)) for k in range(count)))
        if piece.how == "pairs":
            ends.append(piece.end * count)
    menu = "".join(f"<li><a href='/p{n}'>menu {n}</a></li>" for n in range(PAGES))
    head = f"<title>Page word {number} - Site</title><ul class=nav>{menu}</ul><h1>Page {number}</h1>"
    return head + f"<p>{f'Words of page {number}, all its own. ' * 5}</p>" + "".join(body) + "".join(reversed(ends))


def climb(chance: Random, steps: int) -> tuple[Recipe, int]:
    """Climb to worse pages of a quarter of the full size; return the recipe of the worst page, and its depth."""
    depth = chance.choice([MAX_NESTED, DEEPEST])
    best: Recipe = tuple(new_piece(chance) for _ in range(3))
    worst = 0.0
    for _ in range(steps):
        recipe = mutated(best, chance)
        longest = max(seconds for seconds, _ in costs(recipe, depth, 0.25).values())
        if longest > worst:
            best, worst = recipe, longest
    return best, depth


def cost(work: Callable[[], object]) -> tuple[float, float]:
    """The CPU seconds and megabytes that work takes, in a process of its own."""
    # memory that is free would be used without being counted
    ctypes.CDLL(None).malloc_trim(0)
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        before = int(Path("/proc/self/statm").read_text("ascii").split()[1]) * resource.getpagesize()
        began = time.process_time()
        work()
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        os.write(writing, json.dumps([time.process_time() - began, (peak - before) / 1e6]).encode())
        os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    with os.fdopen(reading, "rb") as pipe:
        used, megabytes = json.loads(pipe.read())
    return used, megabytes


def costs(recipe: Recipe, depth: int, size: float = 1.0) -> dict[str, tuple[float, float]]:
    """The CPU seconds and megabytes of each output of a page, with reading and matching it."""
    recognized_language("A library that recognizes languages loads its model.")
    pages = [(f"https://hostile.test/p{n}", page_of(recipe, n, size, depth)) for n in range(PAGES)]
    key, *voters = (Page(html, url) for url, html in [*pages[1:], pages[0]])
    template = Template.from_pages(key, voters)
    cleaner = SiteCleaner([template])

    def match() -> Match:
        url, html = pages[0]
        return cleaner.match(Page(html, url))

    works: dict[str, Callable[[], object]] = {
        **{name: lambda name=name: getattr(match().clean, name) for name in OUTPUT_NAMES},  # type: ignore[misc]
        "report": lambda: read_texts(match().clean),
        "links": lambda: rank_links(match().page),
        "selectors": template.selectors,
        "removed_texts": template.removed_texts,
    }
    return {name: cost(work) for name, work in works.items()}
