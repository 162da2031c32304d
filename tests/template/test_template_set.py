"""The templates of a site: which of them serves a page, and what the others add."""

import gc
import weakref
from contextlib import suppress
from itertools import permutations

import pytest
from helpers.made_sites import HOST, MENU, STRANGER, body_of, learn, own, page, site

from templex_scrapy import Page, SiteCleaner, Template
from templex_scrapy.learning import SiteLearning
from templex_scrapy.template import Fit, PageFeatures, Selectors, TemplateSet, sound_templates
from templex_scrapy.votes import Blocks, KeyPage

BOX = (
    '<nav><ul class="box"><li><a href="/soon">Opening soon</a></li><li><a href="/second">Our second shop</a></li>'
    '<li><a href="/river">by the river</a></li></ul></nav>'
)


def shop(number, look, *, box=""):
    """A page of a site with several looks: each has a header and a menu of its own."""
    head = f'<div class="{look}-head"><b class="{look}-name">The {look} shop</b></div>'
    rows = "".join(f'<p class="{look}-{kind}">{look} {kind}</p>' for kind in ("menu", "foot", "legal", "help"))
    own_words = f'<div class="{look}-main"><h1>Page {number}</h1><p>{look}word{number}</p></div>'
    return page(f"{head}{rows}{own_words}{'<br>' * number}{box}", f"{HOST}{look}/{number}.html")


def shop_template(look, *, box=""):
    return Template.from_pages(shop(0, look, box=box), [shop(number, look, box=box) for number in (1, 2)])


def test_the_template_of_the_own_page_type_serves_the_page():
    templates = [shop_template(look) for look in ("old", "new", "odd")]
    for template, look in zip(templates, ("old", "new", "odd"), strict=True):
        match = TemplateSet(templates).match(shop(9, look))
        assert (match.template, match.fit) == (template, Fit.SAME_TYPE)
        assert match.template_url == template.key_url
        assert match.clean.text.split() == ["Page", "9", f"{look}word9"]


def test_blocks_that_another_template_knows_are_removed():
    """Two page types share a box that only one of them has on all pages."""
    without, with_box = shop_template("old"), shop_template("new", box=BOX)
    one = shop(9, "old", box=BOX)
    assert "by the river" in without.match(one).clean.text
    match = TemplateSet([without, with_box]).match(one)
    assert match.template is without
    assert "by the river" not in match.clean.text
    assert match.removable <= match.nodes
    voter = shop(1, "new", box=BOX)
    assert "by the river" not in TemplateSet([without, with_box]).match(voter).clean.text


def test_what_lists_repeat_of_each_other_stays_on_the_page_of_the_post():
    """Front page, category and tag of a blog have the same posts, in other places."""
    posts = [
        f'<div class="post"><h2><a href="/{n}">Title {n}</a></h2><p>The words of post {n}.</p></div>' for n in "abcd"
    ]
    lists = [
        Page(f'<ul class="list">{MENU}</ul>{"".join(posts[(k + shift) % 4] for k in range(3))}', f"{HOST}list{shift}")
        for shift in range(4)
    ]
    of_lists = Template.from_pages(lists[0], lists[1:])
    assert of_lists.key_page.blocks.pages.keys() - of_lists.key_page.fixed_blocks.pages.keys()
    articles = [Page(f"<section class=a{MENU}</section>{posts[n]}<p>{n}", f"{HOST}{n}") for n in range(4)]
    match = TemplateSet([of_lists, Template.from_pages(articles[0], articles[1:3])]).match(articles[3])
    assert match.fits
    assert "The words of post d." in match.clean.text


def test_the_order_of_the_templates_does_not_matter():
    templates = [shop_template("old"), shop_template("new", box=BOX), learn(site(lambda _: BOX))]
    for probe in (shop(9, "old", box=BOX), shop(8, "new"), page(MENU + own(7))):
        matches = [TemplateSet(some).match(probe) for some in permutations(templates)]
        assert len({(match.clean.html, match.nodes, match.template_url) for match in matches}) == 1


SOLD = "<p><a href='/sold'>Sold</a></p>"


def test_without_a_template_of_its_type_all_that_a_page_fits_are_combined():
    hello = "<p><a href='/hello'>Hello</a></p>"
    english = site(lambda n: hello + (SOLD if n == 2 else "<p><a href='/sale'>For sale</a></p>"))
    german = site(lambda n: f"<p><a href='/{n}'>Hallo {n}</a></p>{SOLD}", urls=[f"{HOST}de/{n}" for n in range(4)])
    strange = "".join(f'<i class="strange{n}"></i>' for n in range(9))
    one = page(f"{MENU}{hello}{SOLD}{own(7)}{strange}", f"{HOST}x")
    templates = [learn(english), learn(german)]
    first, second = (template.match(one) for template in templates)
    both = TemplateSet(templates).match(one)
    assert TemplateSet(templates).type_of(PageFeatures.of(one)) is None
    assert both.template in templates
    assert both.nodes == first.nodes | second.nodes
    assert both.removable == first.removable | second.removable
    assert both.removable not in (first.removable, second.removable)
    assert (both.fit, both.coverage) == (Fit.SHARED, max(first.coverage, second.coverage))


def test_a_page_that_fits_none_stays_as_it_is():
    one = page("<table><tr><td>x<td>y</table><p class=z>All other words</p>")
    empty = Template.from_pages(page(""), [])
    for templates in ([], [empty], [shop_template("old")], [empty, shop_template("old"), shop_template("new")]):
        match = TemplateSet(templates).match(one)
        assert (match.fit, match.template, match.removable) == (Fit.NONE, None, frozenset())
        assert match.clean.html == one.text


def test_an_error_that_no_template_has_made_is_raised_and_keeps_no_page():
    """Archives run with hardly any garbage collection."""
    one = page("words")
    gone = weakref.ref(one)
    gc.disable()
    try:
        with suppress(ZeroDivisionError):
            sound_templates([], one, ZeroDivisionError())
            pytest.fail("nothing was raised")
        del one
        assert gone() is None
    finally:
        gc.enable()


def test_a_template_whose_blocks_raise_takes_no_other_with_it(monkeypatch):
    """The others clean pages without it, in a crawl and from an archive."""
    broken, good = shop_template("new"), shop_template("old")
    blocks = property(lambda key: 1 / 0 if key is broken.key_page else Blocks())
    monkeypatch.setattr(KeyPage, "fixed_blocks", blocks)
    assert sound_templates([broken, good], shop(9, "old"), ZeroDivisionError()) == [good]
    assert "oldword9" in SiteCleaner([broken, good]).match(shop(9, "old")).clean.text.split()
    learning = SiteLearning()
    learning.add_stored([broken, good])
    learning.judge(shop(9, "old"))
    assert learning.templates == [good]
    assert learning.match(shop(9, "old")).template is good


def test_what_is_preserved_is_kept_from_all_templates():
    pages = site(lambda _: '<p class="imprint">Imprint</p><p>All rights</p>')
    kept = TemplateSet([learn(pages), shop_template("old")]).match(pages[STRANGER], selectors=Selectors([".imprint"]))
    assert body_of(kept.clean.html) == f'<p class="imprint">Imprint</p>{own(STRANGER)}'
