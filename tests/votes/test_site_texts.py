"""The texts that half of a site's pages have: no own texts, and no values if they are long."""

import pytest
from made_sites import HOST, MENU, own, page

from templex_scrapy import Template
from templex_scrapy.page import nodes_of
from templex_scrapy.template import text_numbers
from templex_scrapy.votes import EQUAL, site_texts_of, text_number
from templex_scrapy.votes.flags import VARYING
from templex_scrapy.votes.site_texts import with_site_texts

NOTICE = "This program is free of charge and comes without any warranty at all"


def of_site(pages):
    return site_texts_of([text_numbers(nodes_of(page)) for page in pages])


def cleaned(body, number=7, shown=lambda _: True, pages=8):
    """The HTML of a page by three voters alone, and by these and the texts of the site; ``shown`` tells the others."""
    made = [page(MENU + (body(n) if shown(n) else own(n)), f"{HOST}{n}") for n in range(pages)]
    html = []
    for site_texts in ({}, of_site(made)):
        template = Template.from_pages(made[0], made[1:4], site_texts=site_texts)
        html.append(template.match(made[number]).clean.html)
    return html


def test_spacing_makes_no_other_text():
    assert text_number(" a\n b ") == text_number("a b") != text_number("ab")


@pytest.mark.parametrize(("pages", "having", "share"), [(8, 4, 0.5), (8, 3, None), (7, 4, 4 / 7), (6, 6, None)])
def test_half_of_seven_pages_have_a_text_of_the_site(pages, having, share):
    assert site_texts_of([{n < having: 1}.keys() for n in range(pages)]).get(True) == share


@pytest.mark.parametrize(("shown", "goes"), [(lambda n: n > 3, True), (lambda n: n > 4, False)])
def test_a_notice_of_half_of_the_pages_goes_from_the_content(shown, goes):
    """None of the voters has it."""
    by_votes, by_site = cleaned(lambda n: f"{own(n)}<p>{NOTICE}</p>{own(n + 9)}", shown=shown)
    assert NOTICE in by_votes
    assert (NOTICE not in by_site) is goes
    assert "ownwords7" in by_site
    assert "ownwords16" in by_site


def test_a_long_text_of_the_site_is_no_value():
    """The second and the third page have another one there."""
    notice = lambda n: "Another notice of many more words than a label or a price" if n in {1, 2} else NOTICE  # noqa: E731
    by_votes, by_site = cleaned(lambda n: f"{own(n)}<div><b>{notice(n)}</b></div>", pages=9)
    assert NOTICE in by_votes
    assert NOTICE not in by_site


@pytest.mark.parametrize("again", ["<i>In News</i>", "<h2>News</h2>", '<a href="/7">News</a>'])
def test_a_second_copy_outside_a_menu_is_the_pages_own(again):
    """The category of a post, and the headline of a page that is in the menu."""
    menu = "<nav><li>In News</li><li>News</li></nav>"
    _, by_site = cleaned(lambda n: f"{menu}<div class=meta>{again if n == 7 else ''}</div><main>{own(n)}</main>")
    assert again in by_site
    assert menu not in by_site


@pytest.mark.parametrize(("share", "tag", "is_value"), [(0.85, "a", False), (0.84, "a", True), (1, "b", True)])
def test_a_short_link_is_no_value_if_nearly_all_pages_have_its_words(share, tag, is_value):
    arrays = nodes_of(page(f"<{tag} href=/x>Alpha</{tag}>"))
    flags = with_site_texts(arrays, bytes([EQUAL | VARYING] * 3), {text_number("Alpha"): share})
    assert bool(flags[2] & VARYING) is is_value
