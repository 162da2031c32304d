"""No output of a page within the limits takes long or much memory; `-m slow` climbs to the worst pages."""

from random import Random

import pytest
from helpers.hostile_pages import DEEPEST, MAX_NESTED, Piece, climb, costs

SECONDS, MEGABYTES = 1.0, 200.0
"""What an output of a page may cost, reading and matching included."""

STEPS = 15

FOUND = {
    "tables": (Piece("<table><caption>", "nest", 0.1), Piece("<th>Brand<td>{n}", "row", 1)),
    "headings": (Piece("<h1><div>", "nest", 0.1), Piece("word <br>", "row", 1)),
    "deep inline": (Piece("<span>", "nest", 0.1), Piece("word <br>", "row", 1)),
    "deep marks": (Piece("<b>", "nest", 0.1), Piece("word <br>", "row", 1)),
    "deep blocks": (Piece("<div id=main>", "nest", 0.1), Piece("w{n}x{k} <hr>", "row", 1)),
    "objects": tuple(Piece("{}", "script", 1) for _ in range(4)),
    "quotes": (Piece("<blockquote>" * 10 + "<pre>" + "a\n" * 900_000, "row", 1),),
    "spans": (Piece("<table>", "nest", 0), Piece("<tr><td colspan=20 rowspan=20>x", "row", 1)),
    "code": (Piece("<code></code>", "row", 1), Piece("<sup></sup>", "row", 1)),
}
"""Pages that took longer, or more memory, before."""


def check(recipe, depth):
    used = costs(recipe, depth)
    assert {name: cost for name, cost in used.items() if cost[0] > SECONDS or cost[1] > MEGABYTES} == {}


@pytest.mark.slow
@pytest.mark.parametrize("depth", [MAX_NESTED, DEEPEST])
@pytest.mark.parametrize("name", FOUND)
def test_pages_that_were_found(name, depth):
    check(FOUND[name], depth)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(6))
def test_pages_made_ever_worse(number):
    check(*climb(Random(number), STEPS))
