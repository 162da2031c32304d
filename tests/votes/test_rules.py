"""Each number of the rules of fit, on pages at its border: moved by a quarter, it is another number."""

from dataclasses import fields

import pytest
from helpers.borders import borders_in, check_border
from helpers.made_sites import HOST, MENU, own, page

from templex_scrapy import Template
from templex_scrapy.template import PageFeatures, TemplateSet
from templex_scrapy.votes import FIT_RULES, rules, votes_for

pytestmark = pytest.mark.usefixtures("compiled_and_plain")


def parts(numbers, word="fixed"):
    """Elements with a class and a text each."""
    return "".join(f'<p class="part{number}">{word} text {number}</p>' for number in numbers)


def template(body, voters=2, directory=""):
    """Voters that have nothing of their own but a number."""
    pages = [page(f"{body}<b>number {n}</b>", f"{HOST}{directory}{n}") for n in range(voters + 1)]
    return Template.from_pages(pages[0], pages[1:])


def is_of_type(one):
    return TemplateSet([template(parts(range(10)))]).type_of(PageFeatures.of(one)) is not None


def border_of_coverage():
    of_12 = template(parts(range(12)))
    for found, fits in ((9, True), (8, False)):
        match = of_12.match(page(parts(range(found))))
        assert match.fits is fits
        # the body, each element and its text, and the element around the number
        assert match.coverage == pytest.approx((1 + 2 * found) / (1 + 2 * 12), abs=0.03)


def border_of_nearly_all():
    for others, needed in ((20, 17), (19, 17), (18, 16)):
        assert template(MENU, others - 1).key_page.needed(self_vote=0).stable == needed


def border_of_fewest_pages():
    for voters, is_removed in ((2, True), (1, False)):
        assert bool(template(MENU, voters).match(page(MENU + own(7))).removable) is is_removed


def border_of_site_pages():
    def tools(n):
        return f'<main><p>begin of {n}</p>{own(n)}</main><ul class="tools"><li><a href="/edit/{n}">Edit</a></li></ul>'

    pages = [page(MENU + tools(n), f"{HOST}{n}") for n in range(8)]
    for voters, is_removed in ((6, True), (5, False)):
        html = Template.from_pages(pages[0], pages[1 : voters + 1]).match(pages[7]).clean.html
        assert ("Edit" not in html) is is_removed


def border_of_common_names():
    assert is_of_type(page(parts(range(7))))
    assert not is_of_type(page(parts(range(6))))


def border_of_common_texts():
    for known, expected in ((5, True), (4, False)):
        assert is_of_type(page(parts(range(known)) + parts(range(known, 10), "other"))) is expected


def border_of_max_unknown_names():
    for unknown, expected in ((4, True), (5, False)):
        assert is_of_type(page(parts(range(10)) + parts(range(10, 10 + unknown), "own"))) is expected


def border_of_max_aligned():
    templates = [template(parts(range(10)), directory=f"{directory}/") for directory in "abcde"]
    strange = "".join(f'<i class="strange{number}"></i>' for number in range(9))
    match = TemplateSet(templates).match(page(parts(range(10)) + strange))
    assert len(match.alignments) == 3


BORDERS = borders_in(globals())


@pytest.mark.parametrize("name", [field.name for field in fields(FIT_RULES)])
def test_the_border_is_where_the_number_is(name):
    check_border(FIT_RULES, name, BORDERS[name])


def test_half_of_many_voters_must_agree(monkeypatch):
    def check():
        assert [votes_for(voters, 2) for voters in (3, 5, 6, 12)] == [2, 2, 3, 6]

    check()
    for factor in (0.75, 1.25):
        monkeypatch.setattr(rules, "SHARE", factor / 2)
        with pytest.raises(AssertionError):
            check()
