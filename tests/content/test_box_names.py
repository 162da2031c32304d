"""The words of class names that say what a box is."""

import pytest

from templex_scrapy.content import _boxes
from templex_scrapy.page import StartTag


@pytest.mark.parametrize(
    ("names", "declared"),
    [
        ("menu", _boxes.NAMED),
        ("main-menu_2", _boxes.NAMED),
        ("menus", 0),
        ("tag-menu category-related", 0),
        ("post tag-menu related", _boxes.NAMED),
        ("commentlist", _boxes.COMMENTS),
        ("commentary", 0),
        # words and names of any length, remembered or not
        (f"recommend{'x' * (_boxes._LONGEST - 9)}", _boxes.NAMED),
        (f"recommend{'x' * (_boxes._LONGEST - 8)}", _boxes.NAMED),
        (f"{'x' * (_boxes._FEW - 9)} menu", _boxes.NAMED),
        (f"{'x' * (_boxes._FEW - 8)} menu", _boxes.NAMED),
    ],
)
def test_words_of_names(names, declared):
    assert _boxes.declared_by(StartTag(f'<div class="{names}">')) == declared
    if len(names.split()) == 1:
        assert _boxes.declared_by(StartTag(f'<div id="{names}">')) == declared


def test_long_names_are_not_remembered():
    def remembered(names: str) -> int:
        _boxes._remembered.cache_clear()
        _boxes.declared_by(StartTag(f'<div class="{names}">'))
        return _boxes._remembered.cache_info().currsize

    assert remembered("x" * (_boxes._FEW - len("div "))) == 1
    assert remembered("x" * (_boxes._FEW - len("div ") + 1)) == 0
