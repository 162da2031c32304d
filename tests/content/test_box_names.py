"""The words of class names that say what a box is."""

import pytest

from templex_scrapy.content import _boxes
from templex_scrapy.page import StartTag


@pytest.mark.parametrize(
    ("names", "kinds"),
    [
        ("menu", ["named"]),
        ("main-menu_2", ["named"]),
        ("menus", []),
        ("tag-menu category-related", []),
        ("post tag-menu related", ["named"]),
        ("commentlist", ["comments"]),
        ("commentary", []),
        # words and names of any length, remembered or not
        (f"recommend{'x' * (_boxes._LONGEST - 9)}", ["named"]),
        (f"recommend{'x' * (_boxes._LONGEST - 8)}", ["named"]),
        (f"{'x' * (_boxes._FEW - 5)} menu", ["named"]),
        (f"{'x' * (_boxes._FEW - 4)} menu", ["named"]),
    ],
)
def test_words_of_names(names, kinds):
    assert _boxes._kinds(StartTag(f'<div class="{names}">')) == kinds
    if len(names.split()) == 1:
        assert _boxes._kinds(StartTag(f'<div id="{names}">')) == kinds


def test_long_names_are_not_remembered():
    _boxes._known_meaning.cache_clear()
    _boxes._meaning_of_names("x" * _boxes._FEW)
    assert _boxes._known_meaning.cache_info().currsize == 1
    _boxes._meaning_of_names("x" * (_boxes._FEW + 1))
    assert _boxes._known_meaning.cache_info().currsize == 1
