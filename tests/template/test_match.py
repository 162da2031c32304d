"""What of a page is found in a template, and what of it must have equal values to be removed (ALGORITHMS 11)."""

import gc
import weakref

import pytest
from helpers.made_sites import (
    DIRECTORIES,
    HOST,
    KEY,
    MENU,
    NUMBERS,
    SOME,
    STRANGER,
    VOTER,
    drawn_sites,
    learn,
    left,
    own,
    page,
    site,
    stays,
)
from hypothesis import given
from hypothesis import strategies as st

from templex_scrapy import Match, Page, Template
from templex_scrapy.page import nodes_of, release

# --- fit ---


def test_without_a_template_nothing_fits_and_nothing_is_removed():
    one = page("<p>text</p>")
    for match in (Match(one), Template.from_pages(one, []).match(one)):
        assert (match.fits, match.coverage, match.template) == (False, 0.0, None)
        assert (match.nodes, match.removable, match.roots) == (frozenset(), frozenset(), ())
        assert match.clean.html == one.text


def test_texts_in_another_language_stay():
    pages = site(lambda n: f"<h1>Headline {n}</h1>")
    german = Page(pages[STRANGER].text.replace("menu entry", "Eintrag im Menü"), f"{HOST}de/")
    match = learn(pages).match(german)
    assert match.coverage == 1.0, "it has everything at its place"
    assert match.clean.text.count("Eintrag") == 8, "nobody else has said so"


@SOME
@given(drawn_sites(), st.integers(1, 3))
def test_positions_are_consistent_and_come_back_after_a_release(pages, votes):
    template = Template.from_pages(pages[0], pages[1:4], votes)
    assert template.nodes == template.match(pages[0]).nodes
    for each in pages:
        match = template.match(each)
        assert match.removable <= match.nodes <= set(range(len(each)))
        assert all(match.removable.issuperset(nodes_of(each).children(position)) for position in match.removable)
        assert 0 <= match.coverage <= 1
        assert match.fits or not match.removable
        nodes = match.nodes
        again = template.match(each)
        assert again.roots == match.roots
        release(again.page)
        assert again.nodes == nodes


# --- texts ---

UP = [f"{HOST}{'a/' * n}page.html" for n in range(4)]
SCHEMES = [f"{scheme}://site.test/p{n}.html" for n, scheme in enumerate(("https", "http", "http", "https"))]
SAME = '<form action="/find"><input name="q"><button>Search</button></form><svg><path d="M1"></path></svg>'


@pytest.mark.parametrize(
    ("body", "urls"),
    [
        (lambda n: f"<p>All{' ' * (n + 1)}rights\n{' ' * n}reserved</p>", ()),
        (lambda n: f'<p><a href="{"../" * n or "./"}imprint.html">Imprint</a></p>', UP),
        (lambda n: f'<p><a href="{SCHEMES[n][:-7]}imprint">Imprint</a><a href="/x">Other</a></p>', SCHEMES),
        (lambda _: f"<div>{SAME}<p><img src='/logo.png'></p></div>", ()),
    ],
    ids=["white space", "one target", "http and https", "media"],
)
def test_what_is_the_same_is_removed(body, urls):
    assert left(body, urls=urls) == ["", "", ""]


@pytest.mark.parametrize(("target", "urls"), [("next.html", DIRECTORIES), ("?page=2", ())])
def test_a_relative_link_among_much_that_is_the_same_stays(target, urls):
    """The same start tags in the same shape, compared as a whole."""
    inner = f'<ul><li><a href="{target}">Next page</a></li><li>All of</li><li>this is fixed</li></ul>'
    for cleaned in left(lambda _: f'<div class="box">{inner}</div>', urls=urls):
        assert f'<a href="{target}">Next page</a>' in cleaned
        assert "is fixed" not in cleaned


@pytest.mark.parametrize(
    ("tag", "others", "voters", "words", "is_removed"),
    [
        ("a", 1, 2, 1, True),
        ("b", 1, 2, 9, False),
        ("b", 1, 5, 9, False),
        ("b", 1, 6, 9, True),
        ("b", 2, 6, 9, False),
        ("b", 1, 12, 8, False),
    ],
    ids=["in a link", "1 of 3 pages", "1 of 6", "1 of 7", "2 of 7", "1 of 13, a short text"],
)
def test_a_text_that_two_pages_share_is_a_value_if_others_say_something_else(tag, others, voters, words, is_removed):
    """Of seven pages 85% tell that a long text is the site's. A value that is linked differs in menus as well."""
    body = f"<p><{tag} href='/x{{}}'>{{}}</{tag}></p>"
    said = [(n < others, " ".join(["Closed" if n < others else "Open"] * words)) for n in range(voters + 2)]
    pages = [page(MENU + body.format(*said[n]) + own(n), f"{HOST}a/p{n}.html") for n in range(voters + 2)]
    match = Template.from_pages(pages[0], pages[1:-1], 2).match(pages[-1])
    assert ("Open" not in match.clean.html) is is_removed


@pytest.mark.parametrize("other", [STRANGER, VOTER])
def test_what_two_pages_say_proves_nothing_for_one_of_them(other):
    """A page has no vote on itself."""
    pages = site(lambda n: f"<p>{'Half price' if n in (KEY, other) else n}</p>")
    for number in (KEY, other):
        assert "Half price" in learn(pages).match(pages[number]).clean.html


# --- links ---

COLOURS = "<option>Red</option><option>Blue</option><option>Green</option>"


@pytest.mark.parametrize(
    "body",
    [
        "<h1>Headline {0}</h1>",
        "<p><b>Author:</b> <i>name {0}</i></p>",
        "<p>In stock: <b>{0}</b></p>",
        "<p>own {0}</p><hr><br><p>and {0}</p>",
        "<p><select><option>all</option><option>item {0}</option></select></p>",
        f"<p><select><option>item {{0}}</option><optgroup>{COLOURS}</optgroup></select></p>",
        '<p><a href="/item{0}">Read more</a></p>',
        '<p><a href="/item{0}"><b>Read <i>more</i></b><img src="/arrow.png"></a></p>',
        '<a href="/item{0}"><div><b>Read</b><b>all of</b><i>this</i></div></a>',
        '<p><a href="/basket">Basket holds <b>{0} things</b></a></p>',
        '<p><a href="?page=2">Next page</a></p>',
    ],
)
def test_labels_beside_values_controls_and_links_with_another_target_or_text_are_kept_whole(body):
    assert left(body.format) == stays(body.format)


# --- media and values ---


@pytest.mark.parametrize(
    "medium",
    [
        '<img src="/photo{}.jpg">',
        "<svg><text>label {}</text></svg>",
        "<select><option>choice {}</option></select>",
        '<iframe src="/map{}"></iframe>',
        "<noscript><p>text {}</p></noscript>",
    ],
)
def test_media_of_the_page_s_own_keep_what_holds_them(medium):
    body = lambda n: f'<div class="box"><div>{medium.format(n)}</div></div>'
    assert left(body) == stays(body)


def test_frames_stay():
    frames = (
        '<frameset><frame src="menu.html"><frame src="content{}.html"><noframes>No frames here</noframes></frameset>'
    )
    pages = [Page(f"<html><head><title>t</title></head>{frames.format(n)}</html>", f"{HOST}{n}") for n in range(4)]
    cleaned = learn(pages).match(pages[STRANGER]).clean.html
    assert f"content{STRANGER}.html" in cleaned


@pytest.mark.parametrize("place", ["<p>{}</p>", "<p title='{}'>x</p>", "<a href='/x#{}'>x</a>", "<a title='{}'>x</a>"])
def test_a_page_that_is_cleaned_twice_loses_nothing_with_one_vote(place):
    """A voter has no vote on its cleaned version."""
    pages = site(lambda n: place.format(f"token{n}"))
    template = learn(pages, votes=1)
    for number in NUMBERS:
        once = template.match(pages[number]).clean.html
        assert f"token{number}" in template.match(Page(once, pages[number].url)).clean.html


def test_a_page_that_is_done_with_leaves_the_memory_at_once():
    pages = site(lambda number: f"<p>Story {number}</p>")
    template = Template.from_pages(pages[0], pages[1:3])
    gc.disable()
    try:
        match = template.match(pages[3])
        match.clean.compute(["html", "text"])
        known = weakref.ref(match)
        del match
        assert known() is None
    finally:
        gc.enable()
