"""What of the template is removed. What belongs to the content: test_kept_repetitions."""

import pytest
from helpers.made_sites import HOST, MENU, left, own, page

from templex_scrapy import Template
from templex_scrapy.page import nodes_of
from templex_scrapy.template import text_numbers
from templex_scrapy.votes import site_texts_of

pytestmark = pytest.mark.usefixtures("compiled_and_plain")


@pytest.mark.parametrize("tag", ["iframe", "noscript"])
def test_what_is_no_node_stays_even_where_all_around_it_goes(tag):
    """Nobody has compared what it holds."""
    held = f'<{tag} src="/same">same</{tag}>'
    for cleaned in left(lambda _: f"<div><div>Fixed words {held} and others</div></div>"):
        assert cleaned == f"<div><div>{held}</div></div>"


def texts_of(pages):
    return site_texts_of([text_numbers(nodes_of(page)) for page in pages])


LINK = '<a href="/{0}/edit">Edit this page</a>'


@pytest.mark.parametrize(
    ("outside", "inside", "is_removed"),
    [
        (f"<ul class=tools><li>{LINK}</li></ul>", "", True),
        ("", f"<ul class=tools><li>{LINK}</li></ul>", False),
        (f"<div class=teaser><b>Story {{0}}</b>{LINK}</div>", "", False),
        ('<ul class=tools><li><a href="/{0}"><img src="/i.png"></a></li></ul>', "", False),
        ('<ul class=tools><li><a href="/{0}">Edit page {0}</a></li></ul>', "", False),
        (f'<div class=video>{LINK}<iframe src="/film/{{0}}"></iframe></div>', "", False),
        ('<div class=video><a href="/{0}">Watch<noscript>{0}</noscript></a></div>', "", False),
        ("<form class=tools><button value=/{0}>Edit</button></form>", "", True),
        ("<p class=tools><select id=s{0}><option>One<option>Two</select></p>", "", True),
        ('<div><object data="/{0}">Watch it in another browser</object></div>', "", False),
    ],
    ids=[
        "outside",
        "in the content",
        "beside words",
        "without words",
        "with words of its own",
        "beside a frame",
        "frame",
        "button",
        "choice",
        "film",
    ],
)
def test_a_link_of_the_frame_goes_whatever_its_target(outside, inside, is_removed):
    make = lambda n: page(f"{MENU}<main><p>{n} begins</p>{inside}{own(n)}</main>{outside}".format(n), f"{HOST}{n}")
    pages = [make(n) for n in range(9)]
    match = Template.from_pages(pages[0], pages[1:8]).match(pages[8])
    tags = {"a", "button", "select", "object"}
    link = next(node for node in pages[8].nodes if node.tag in tags and "8" in "".join(node.element.values()))
    assert (link.position in match.removable) is is_removed
    assert not is_removed or "tools" not in match.clean.html, "with the elements around it"
    kept = Template.from_pages(pages[0], pages[1:8]).match(pages[8], preserve=["a[href^='/8'], button, select, object"])
    assert link.position not in kept.removable


@pytest.mark.parametrize(
    ("choice", "lacking", "goes"),
    [
        ("<button value={0}>Size L</button>", {8}, True),
        ("<button value={0}>Size L</button>", {7, 8}, False),
        ("<select id=s{0}><option>Size L</select>", {8}, True),
        ("<select id=s{0}><option>Size L</select>", {7, 8}, False),
        ("<a href=/{0}>Size L</a>", {7, 8}, True),
    ],
    ids=["button", "rare button", "select", "rare select", "link"],
)
def test_a_choice_beside_the_content_stays_if_not_nearly_all_pages_have_it(choice, lacking, goes):
    """Of twelve pages, eleven are nearly all: the sizes of a product are not on all pages, the countries are."""
    make = lambda n: f"<main>{own(n)}</main><div class=buy>{'' if n in lacking else choice.format(n)}</div>"
    pages = [page(MENU + make(n), f"{HOST}{n}") for n in range(13)]
    html = Template.from_pages(pages[0], pages[1:12], site_texts=texts_of(pages)).match(pages[12]).clean.html
    assert ("Size L" not in html) is goes


@pytest.mark.parametrize(
    ("inside", "goes"),
    [
        ("{1}<h1>Shirt {0}</h1>", True),
        ("<h1>Shirt {0}</h1>{1}<p>{0}</p>", False),
        ("<h1>Shirt {0}</h1><p>About {0}</p>{1}<p>Free delivery</p>", True),
    ],
    ids=["before", "between", "behind"],
)
def test_a_choice_between_own_texts_stays(inside, goes):
    make = lambda n: f"<main>{inside}</main>".format(n, f"<form><button value={n}>Size L</button></form>")
    pages = [page(MENU + make(n), f"{HOST}{n}") for n in range(13)]
    html = Template.from_pages(pages[0], pages[1:12], site_texts=texts_of(pages)).match(pages[12]).clean.html
    assert ("Size L" not in html) is goes


def test_a_value_in_a_link_of_the_frame_stays():
    """Half of the products are sold out, and each has the notice link to itself."""
    stock = lambda n: "Sold out" if n % 2 else "In stock"
    make = lambda n: f'<main>{own(n)}</main><div class=stock><b>Status</b><a href="/p{n}">{stock(n)}</a></div>'
    pages = [page(MENU + make(n), f"{HOST}{n}") for n in range(14)]
    template = Template.from_pages(pages[0], pages[1:12])
    assert all(stock(n) in template.match(pages[n]).clean.html for n in (0, 1, 12, 13))


@pytest.mark.parametrize(
    ("text", "every", "stays"),
    [
        ("<p>Tell me when it is back</p>", 2, True),
        ("<p>Tell me when it is back</p>", 1, False),
        ("<select><option>Tell me when it is back</select>", 2, False),
        ("<p><a href=/in>Tell me when it is back</a></p>", 2, False),
    ],
    ids=["some pages", "all pages", "choice", "link"],
)
def test_a_text_in_a_form_that_some_pages_lack_is_a_value(text, every, stays):
    """The products that have the form are sold out."""
    form = f"<form class=alert>{text}<input name=mail></form>"
    pages = [page(f"{MENU}<main>{own(n)}{form if n % every == 0 else ''}{own(n + 99)}</main>") for n in range(9)]
    html = Template.from_pages(pages[0], pages[1:8]).match(pages[8]).clean.html
    assert ("Tell me" in html) is stays


@pytest.mark.parametrize(("words", "stays"), [(8, False), (9, True)])
def test_a_form_with_half_of_the_words_is_around_the_page(words, stays):
    """The form has eight words, and so has the rest of the page or one more."""
    promotion = "<p>Summer sale of all that we sell now</p>"
    pages = [
        page(f"<form>{promotion if n % 2 == 0 else ''}</form><main>{'word ' * (words - 1)}{own(n)}</main>")
        for n in range(9)
    ]
    html = Template.from_pages(pages[0], pages[1:8]).match(pages[8]).clean.html
    assert ("Summer" in html) is stays
