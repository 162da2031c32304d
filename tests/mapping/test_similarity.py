"""The similarity of two nodes and its published parameters."""

from dataclasses import replace

import pytest
from helpers.made_sites import page

from templex_scrapy.mapping import PUBLISHED, PUBLISHED_CONTENT, map_pages
from templex_scrapy.mapping.similarity import attribute_ratio, class_ratio
from templex_scrapy.page import StartTag

pytestmark = pytest.mark.usefixtures("compiled_and_plain")


@pytest.mark.parametrize("wrong", [{"position": 0.5}, {"position": -0.1, "classes": 0.3}, {"threshold": 2}])
def test_parameters_out_of_range_are_refused(wrong):
    with pytest.raises(ValueError, match=r"allowed|sum"):
        replace(PUBLISHED, **wrong)


@pytest.mark.parametrize(
    ("a", "b", "classes", "attributes"),
    [
        ("<i>", "<i>", 1, 0.75),
        ('<i class="a">', "<i>", 0, 0.75),
        ("<i>", '<i title="x">', 1, 0),
        ('<i class=" ">', '<i id="m">', 1, 0.75),
        ('<i title="x">', '<i title="y">', 1, 0),
        ('<i class="a b" title="x" lang="en">', '<i class=" c  b" title="x" lang="de">', 1 / 3, 1 / 3),
    ],
)
def test_ratios_of_classes_and_attributes(a, b, classes, attributes):
    assert class_ratio(StartTag(a), StartTag(b)) == classes
    assert attribute_ratio(StartTag(a), StartTag(b)) == attributes


@pytest.mark.parametrize(("threshold", "is_pair"), [(0.9, True), (0.9 + 1e-9, False)])
def test_what_is_exactly_the_threshold_reaches_it(threshold, is_pair):
    """0.1 + 0.7 + 0.2 x 0.5 is 0.9, and its sum in floats 0.8999999999999999."""
    similarity = replace(PUBLISHED_CONTENT, threshold=threshold)
    assert similarity.value(0, 1, 1, 0.5) < 0.9
    one, other = (
        page(f'<i lang="a" dir="b"{more}></i>', url) for more, url in (("", "/1"), (' title="c" accesskey="d"', "/2"))
    )
    assert (len(map_pages(one, other, similarity)) == 2) is is_pair
    lists = [
        page('<b></b><u lang="c"></u>' + each * 2, f"/{n}")
        for n, each in enumerate(('<i lang="a" dir="b"></i>', '<i lang="a" dir="b" title="c" accesskey="d"></i>'))
    ]
    assert (len(map_pages(*lists, similarity)) == 5) is is_pair
