"""The words of class names that say what a box is."""

import pytest

from templex_scrapy.content import box_names
from templex_scrapy.page import StartTag

pytestmark = pytest.mark.usefixtures("compiled_and_plain")


@pytest.mark.parametrize(
    ("names", "declared"),
    [
        ("menu", box_names.NAMED | box_names.OF_LINKS),
        ("main-menu_2", box_names.NAMED | box_names.OF_LINKS),
        ("menus", 0),
        ("tag-menu category-related", 0),
        ("post tag-menu related", box_names.NAMED),
        ("commentlist", box_names.COMMENTS),
        ("commentary", 0),
        ("member-signature", 0),
        ("card__footer", box_names.INSIDE),
        ("footer-of-cards", 0),
        ("btn", box_names.INSIDE | box_names.OF_LINKS),
        # words and names of any length, remembered or not
        (f"recommend{'x' * (box_names._LONGEST - 9)}", box_names.NAMED),
        (f"recommend{'x' * (box_names._LONGEST - 8)}", box_names.NAMED),
        (f"{'x' * (box_names._FEW - 9)} menu", box_names.NAMED | box_names.OF_LINKS),
        (f"{'x' * (box_names._FEW - 8)} menu", box_names.NAMED | box_names.OF_LINKS),
    ],
)
def test_words_of_names(names, declared):
    assert box_names.declared_by(StartTag(f'<div class="{names}">')) == declared
    if len(names.split()) == 1:
        assert box_names.declared_by(StartTag(f'<div id="{names}">')) == declared


def test_long_names_are_not_remembered():
    def remembered(names):
        box_names._remembered.cache_clear()
        box_names.declared_by(StartTag(f'<div class="{names}">'))
        return box_names._remembered.cache_info().currsize

    assert remembered("x" * (box_names._FEW - len("div "))) == 1
    assert remembered("x" * (box_names._FEW - len("div ") + 1)) == 0
