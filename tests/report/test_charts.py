"""The charts: lines within the plot area, round labels."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templex_scrapy.report.bounded import Bins
from templex_scrapy.report.charts import BOTTOM, LEFT, RIGHT, TOP, coverage_chart, words_chart


@given(
    st.lists(st.tuples(st.floats(0, 1e6), st.integers(0, 10**9), st.integers(0, 10**9)), min_size=1, max_size=30),
)
def test_lines_are_in_the_plot_area(rows):
    """Whatever the length of the crawl and the number of words."""
    bins = Bins(2)
    for at, before, after in rows:
        bins.add(at, before, min(before, after))
    chart = words_chart(bins, max(at for at, _, _ in rows))
    for line in chart.lines:
        for point in line.points.split():
            x, y = map(float, point.split(","))
            assert LEFT <= x <= RIGHT
            assert TOP <= y <= BOTTOM
    assert 1 <= len(chart.x_ticks) <= 7
    assert 1 <= len(chart.y_ticks) <= 7


@pytest.mark.parametrize(
    ("seconds", "unit", "labels"),
    [
        (0.2, "seconds", ["0", "0.2", "0.4", "0.6", "0.8", "1"]),
        (42, "seconds", ["0", "10", "20", "30", "40"]),
        (300, "minutes", ["0", "1", "2", "3", "4", "5"]),
        (5 * 3600, "hours", ["0", "1", "2", "3", "4", "5"]),
        (10 * 86400, "days", ["0", "2", "4", "6", "8", "10"]),
    ],
)
def test_the_axis_of_time(seconds, unit, labels):
    """The unit suits the length of the crawl."""
    bins = Bins(2)
    bins.add(0, 2000, 1000)
    chart = words_chart(bins, seconds)
    assert (chart.unit, [label for _, label in chart.x_ticks]) == (unit, labels)
    assert [label for _, label in chart.y_ticks] == ["0", "500", "1 k", "1.5 k", "2 k"]


def test_coverage():
    """A line for each template with pages; none without."""
    chart = coverage_chart({"template 1": [(1.0, 0.9), (2.0, 1.0)], "template 2": []}, 2.0, "site.test", 0.7)
    assert [line.name for line in chart.lines] == ["template 1"]
    assert chart.lines[0].end == (RIGHT, TOP)
    assert chart.limit is not None
    assert coverage_chart({"template 2": []}, 2.0, "site.test", 0.7) is None
