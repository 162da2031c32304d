"""Confidence intervals: what they hold, what makes them narrower, and that they are always the same."""

from __future__ import annotations

from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("numpy")

from templex_bench.bootstrap import Bootstrap, Interval, slope

QUICK = Bootstrap(resamples=1_000)
shares = st.floats(0, 1)


@given(st.lists(shares, min_size=5, max_size=40))
def test_an_interval_holds_the_mean_and_stays_among_the_values(values) -> None:
    """Resampling can neither leave the mean behind nor make values that were not there."""
    interval = QUICK.mean(values)
    assert min(values) - 1e-9 <= interval.low <= fmean(values) + 1e-9
    assert fmean(values) - 1e-9 <= interval.high <= max(values) + 1e-9


def test_the_same_values_give_the_same_interval() -> None:
    """The seed is fixed, and another seed draws other sites."""
    values = [0.1, 0.5, 0.9, 0.7, 0.2, 0.8, 0.65]
    assert QUICK.mean(values) == Bootstrap(resamples=1_000).mean(values)
    assert QUICK.mean(values) != Bootstrap(resamples=1_000, seed=2).mean(values)


def test_more_sites_make_it_narrower() -> None:
    """Four times the sites of the same spread halve the width, about."""
    few, many = QUICK.mean([0.4, 0.5, 0.6, 0.7, 0.8] * 2), QUICK.mean([0.4, 0.5, 0.6, 0.7, 0.8] * 8)
    assert 0.4 < (many.high - many.low) / (few.high - few.low) < 0.6


def test_equal_values_have_no_width() -> None:
    """Where all sites agree there is nothing to be unsure of."""
    interval = QUICK.mean([0.5] * 6)
    assert interval.low == pytest.approx(0.5)
    assert interval.high == pytest.approx(0.5)


def test_too_few_sites_have_no_interval() -> None:
    """Four sites promise nothing; the number is a setting."""
    assert QUICK.mean([0.1, 0.2, 0.3, 0.4]) is None
    assert Bootstrap(resamples=100, fewest_sites=2).mean([0.1, 0.2]) == Interval(0.1, 0.2)
    assert QUICK.slope([[(1, 1), (2, 2)]] * 4) is None


def test_weights_pull_towards_the_heavy_sites() -> None:
    """A site with many pages counts as often as it has pages."""
    values = [0.0, 0.0, 0.0, 0.0, 1.0]
    heavy = QUICK.mean(values, [1, 1, 1, 1, 20])
    assert heavy.high > QUICK.mean(values).high
    assert heavy.high > 0.9


def test_the_coverage_is_about_what_it_says() -> None:
    """Of many samples from a known distribution, the interval holds its mean in most cases."""
    import random  # noqa: PLC0415 - only this test draws

    numbers = random.Random(3)
    held = 0
    for _ in range(200):
        interval = QUICK.mean([numbers.random() for _ in range(30)])
        held += interval.low <= 0.5 <= interval.high
    assert 178 <= held <= 199


def test_a_slope_is_found_again() -> None:
    """Points on a line have its slope and intercept, and an interval without width."""
    sites = [[(x, 3 * x + 1) for x in (site, site + 2)] for site in range(6)]
    assert slope([point for site in sites for point in site]) == pytest.approx((3, 1))
    interval = QUICK.slope(sites)
    assert interval.low == pytest.approx(3)
    assert interval.high == pytest.approx(3)


def test_points_above_each_other_have_no_slope() -> None:
    """Without any spread in x there is no line, and no division by zero."""
    assert slope([(2, 1), (2, 5)]) is None
    assert slope([(0.1, 1), (0.1, 5), (0.1, 3)]) is None
    assert QUICK.slope([[(2, 1), (2, 5)]] * 6) is None


def test_significance_is_an_interval_on_one_side_of_zero() -> None:
    """An interval that touches or holds 0 is no evidence."""
    assert Interval(0.01, 0.1).without_zero
    assert Interval(-0.1, -0.01).without_zero
    assert not Interval(-0.01, 0.1).without_zero
    assert not Interval(0.0, 0.1).without_zero
