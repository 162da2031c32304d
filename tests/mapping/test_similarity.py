"""The similarity of two nodes and its published parameters."""

from dataclasses import replace

import pytest

from templex_scrapy.mapping import PUBLISHED, PUBLISHED_CONTENT, PUBLISHED_QUICK
from templex_scrapy.mapping.similarity import attribute_ratio, class_ratio
from templex_scrapy.page import StartTag


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        (PUBLISHED, (0.1, 0.1, 0.3, 0.5, 0.7)),
        (PUBLISHED_QUICK, (0.4, 0.1, 0.5, 0.0, 0.9)),
        (PUBLISHED_CONTENT, (0.0, 0.1, 0.7, 0.2, 0.9)),
    ],
)
def test_the_published_parameters(parameters, expected):
    p = parameters
    assert (p.position, p.classes, p.children, p.attributes, p.threshold) == expected
    assert not p.unique


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
