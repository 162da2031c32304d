"""The complete subdigraph as the report draws it: every link can be seen."""

from __future__ import annotations

import math
from itertools import combinations

import pytest

from templex_scrapy.report.subdigraph import SIZE, Dot, Line, Subdigraph, drawn


def drawing(number: int):
    urls = tuple(f"https://site.test/{place}" for place in range(number))
    return drawn("https://site.test/", Subdigraph(urls, tuple(place % 2 == 0 for place in range(number))))


def distance(line: Line, dot: Dot) -> float:
    """How near a line comes to the centre of a dot."""
    across, down = line.x2 - line.x1, line.y2 - line.y1
    part = ((dot.x - line.x1) * across + (dot.y - line.y1) * down) / (across**2 + down**2)
    part = min(max(part, 0.0), 1.0)
    return math.hypot(line.x1 + part * across - dot.x, line.y1 + part * down - dot.y)


@pytest.mark.parametrize("number", range(1, 9))
def test_no_link_runs_through_another_page(number):
    """Each link begins and ends at two dots and touches no third one; with up to eight pages."""
    made = drawing(number)
    for line in made.lines:
        touched = [dot for dot in made.dots if distance(line, dot) < dot.radius + 4]
        assert len(touched) == 2, (line, touched)
        assert min(distance(line, dot) - dot.radius for dot in touched) > 0


@pytest.mark.parametrize("number", range(1, 21))
def test_every_pair_has_its_link(number):
    """Pages link each other; those that do not link back to the key page have a line of their own kind."""
    made = drawing(number)
    kinds = [line.style for line in made.lines]
    assert kinds.count("mutual") == math.comb(number, 2)
    assert (kinds.count("key"), kinds.count("out")) == (math.ceil(number / 2), number // 2)
    assert [dot.label for dot in made.dots] == ["key", *(str(place + 1) for place in range(number))]
    assert made.dots[0].y == min(dot.y for dot in made.dots), "the key page is at the top"


@pytest.mark.parametrize("number", range(1, 21))
def test_the_drawing_has_room(number):
    """All dots are inside, and none lies on another."""
    made = drawing(number)
    for dot in made.dots:
        for place in (dot.x, dot.y):
            assert dot.radius + 1 <= place <= SIZE - dot.radius - 1
    for one, other in combinations(made.dots, 2):
        assert math.hypot(one.x - other.x, one.y - other.y) > one.radius + other.radius
