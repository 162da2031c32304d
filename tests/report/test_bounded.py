"""Time series and samples of streams of any length, in a fixed amount of memory."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templex_scrapy.report.bounded import Bins, Spread

TIMES = st.lists(st.tuples(st.floats(0, 1e6), st.integers(0, 1000)), max_size=60)


@given(TIMES)
def test_nothing_is_lost_when_bins_are_joined(added):
    """The sums stay what they were, whatever the times, and so does the number of bins."""
    bins = Bins(2, bins=8, width=0.5)
    for at, value in added:
        bins.add(at, value, 1)
    rows = list(bins.rows())
    assert len(rows) <= 8
    assert sum(sums[0] for _, sums in rows) == sum(value for _, value in added)
    assert sum(sums[1] for _, sums in rows) == len(added)


@given(TIMES)
def test_each_value_is_in_the_bin_of_its_time(added):
    """Up to the end of a bin the sums are those of what came before."""
    bins = Bins(1, bins=8, width=0.5)
    for at, value in added:
        bins.add(at, value)
    so_far = 0.0
    for end, (total,) in bins.rows():
        so_far += total
        assert so_far == sum(value for at, value in added if at < end)


def test_bins_grow_twice_as_wide():
    """A bin spans as much time as is needed."""
    bins = Bins(1, bins=4, width=1.0)
    for second in range(5):
        bins.add(second, 1)
    assert list(bins.rows()) == [(2.0, (2.0,)), (4.0, (2.0,)), (6.0, (1.0,))]


def test_a_clock_that_goes_back_costs_nothing():
    """What comes before the start counts in the first bin."""
    bins = Bins(1)
    bins.add(-3.0, 1)
    assert next(bins.rows())[1] == (1.0,)


@given(st.integers(0, 2000), st.integers(1, 20))
def test_a_spread_is_even(number, capacity):
    """What is kept begins with the first, has equal gaps, and fills at least half of the room where it can."""
    spread: Spread[int] = Spread(capacity)
    for thing in range(number):
        spread.offer(lambda thing=thing: thing)
    kept = list(spread)
    assert spread.offered == number
    assert min(capacity, number) // 2 <= len(kept) <= capacity
    assert kept[:1] == [0][:number]
    assert len({later - earlier for earlier, later in pairwise(kept)}) <= 1


@pytest.mark.parametrize(("number", "most"), [(10, 10), (100_000, 120)])
def test_only_what_is_kept_is_made(number, most):
    """Making is for few of many."""
    made = []
    spread: Spread[int] = Spread(8)
    for thing in range(number):
        spread.offer(lambda thing=thing: made.append(thing) or thing)
    assert len(made) <= most
