"""Who comes nearer to a partner as pairs are made, against counting anew after each pair."""

from __future__ import annotations

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st
from literal.mapping import position_value

from templex_scrapy.mapping import crossings
from templex_scrapy.mapping.crossings import Chance, Crossings


@pytest.fixture(autouse=True, scope="module")
def _short_runs():
    """Lists of a few children are several runs, and far partners are a few steps away."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(crossings, "_RUN", 3)
        patch.setattr(crossings, "_NEAR", (1, 3))
        yield


class Lists:
    """Two lists of free children; those of B are of three kinds, of which one is worth more than the next."""

    def __init__(self, n_a: int, n_b: int) -> None:
        self.a = list(range(n_a))
        self.b = list(range(n_b))

    def chances(self, i: int, kind: int) -> list[Chance]:
        """All partners of one kind of a child of A, worth the less the more steps they are away."""
        less, place = min(len(self.a), len(self.b)), self.a.index(i)
        chances = []
        for at, j in enumerate(self.b):
            if j % 3 == kind:
                steps = round(less * (1 - position_value(place, at, len(self.a), len(self.b))))
                chances.append((-steps if at < place else steps, -float(steps + kind), j))
        return chances

    def nearest(self, i: int) -> list[Chance]:
        """The nearest of each kind on each side."""
        nearest = []
        for kind in range(3):
            below = [chance for chance in self.chances(i, kind) if chance[0] < 0]
            above = [chance for chance in self.chances(i, kind) if chance[0] >= 0]
            nearest += [*below[-1:], *above[:1]]
        return nearest

    def worth(self, i: int) -> float:
        return max((value for _, value, _ in self.nearest(i)), default=-inf)


sizes = st.integers(1, 14)


@given(sizes, sizes, st.randoms(use_true_random=False))
def test_who_is_worth_more_than_when_looked_at_is_told(n_a, n_b, random):
    lists = Lists(n_a, n_b)
    waiting = Crossings(n_a, -100.0)
    known = {}
    for i in lists.a:
        waiting.put(i, lists.nearest(i))
        known[i] = lists.worth(i)
    for i, j in zip(random.sample(lists.a, n_a), random.sample(lists.b, n_b), strict=False):
        lists.a.remove(i)
        lists.b.remove(j)
        waiting.drop(i)
        told = waiting.cross(i, j, 1.0)
        assert all(waiting.bound(run) > -inf for run in told)
        for k in lists.a:
            if lists.worth(k) > known[k]:
                assert waiting.bound(k // 3) >= lists.worth(k)
        for run in told if random.random() < 0.5 else []:
            k = waiting.pop(run)
            assert k // 3 == run
            assert k in lists.a
            waiting.put(k, lists.nearest(k))
            known[k] = lists.worth(k)


@given(st.integers(2, 14), st.sampled_from([-1, 1]))
def test_pairs_before_both_or_behind_both_bring_nobody_nearer(count, side):
    waiting = Crossings(count, -100.0)
    for i in range(1, count):
        waiting.put(i, [(side, -1.0, i + side)])
    assert waiting.cross(0, -1, 1.0) == set()
    assert waiting.cross(count - 1, count + 1, 1.0) == set()


def test_only_who_may_be_worth_enough_is_told():
    """Child 0 has a partner two steps above its place, and pairs behind the child and before the partner."""
    waiting = Crossings(4, 0.0)
    waiting.put(0, [(2, -2.0, 3)])
    assert waiting.cross(1, 1, 1.0) == set()
    assert waiting.bound(0) == -inf
    assert waiting.cross(2, 2, 1.0) == {0}
    assert waiting.bound(0) == pytest.approx(0.0, abs=1e-6)
    assert waiting.pop(0) == 0
    assert waiting.bound(0) == -inf
