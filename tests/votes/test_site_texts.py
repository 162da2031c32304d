"""The texts that half of a site's pages have: no own texts, and no values if they are long."""

import pytest
from helpers.made_sites import HOST, MENU, own, page

from templex_scrapy import Match, Template
from templex_scrapy.page import nodes_of
from templex_scrapy.template import text_numbers
from templex_scrapy.votes import EQUAL, numbers_of_texts, site_texts_of
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


def numbered(text, start="<div><p>"):
    arrays = nodes_of(page(f"{start}{text}"))
    return numbers_of_texts(arrays)[-1]


def test_spacing_makes_no_other_text():
    assert numbered("<b> a\n b ") == numbered("<b>a b") != numbered("<b>ab")


@pytest.mark.parametrize("start", ["<div><p class=x>", "<div class=x><p>", "<div><b>", "<ul><p>"])
def test_a_text_in_other_elements_is_another(start):
    assert numbered("a", start) != numbered("a") == numbered("a", "<nav><div><p id=x>")


@pytest.mark.parametrize(("pages", "having", "share"), [(8, 4, 0.5), (8, 3, None), (7, 4, 4 / 7), (6, 6, None)])
def test_half_of_seven_pages_have_a_text_of_the_site(pages, having, share):
    assert site_texts_of([{n < having: 1}.keys() for n in range(pages)]).get(True) == share


@pytest.mark.parametrize(("shown", "goes"), [(lambda n: n > 0, True), (lambda n: n > 1, False)])
def test_a_notice_of_nearly_all_pages_goes_from_the_content(shown, goes):
    """Seven of eight have it, and at most three of the voters."""
    by_votes, by_site = cleaned(lambda n: f"{own(n)}<p>{NOTICE}</p>{own(n + 9)}", shown=shown)
    assert NOTICE in by_votes
    assert (NOTICE not in by_site) is goes
    assert "ownwords7" in by_site
    assert "ownwords16" in by_site


def test_a_long_text_of_the_site_is_no_value():
    """The second and the third page have another one there: of 14 pages nearly all have it, of 13 less."""
    notice = lambda n: "Another notice of many more words than a label or a price" if n in {1, 2} else NOTICE
    body = lambda n: f"{own(n)}<div><b>{notice(n)}</b></div>"
    assert NOTICE in cleaned(body, pages=13)[1]
    by_votes, by_site = cleaned(body, pages=14)
    assert NOTICE in by_votes
    assert NOTICE not in by_site


@pytest.mark.parametrize("others", [{1, 4, 6}, {2}])
@pytest.mark.parametrize(
    "row", ["<tr><th>{}</th><td>{}</td></tr>", "<div><b>{}</b><i>{}</i></div>"], ids=["table", "div"]
)
def test_values_of_most_of_the_site_keep_their_labels(row, others):
    """They stand behind the text; other pages have other values, which the voters have seen."""
    tag = "table" if "tr" in row else "div"
    values = lambda n: (f"{n} May", "Cafe" if n in others else "Hall", "Paid" if n + 1 in others else "Free")
    rows = lambda n: "".join(map(row.format, ("When", "Venue", "Entry"), values(n)))
    text = lambda n: "".join(f"<p>Part{k} of {n} tells{n} how{k} the band{n}x{k} plays its music</p>" for k in range(8))
    body = lambda n: f"<main><div><h1>Evening {n}</h1>{text(n)}</div><{tag}>{rows(n)}</{tag}></main>"
    _, by_site = cleaned(body)
    assert [word in by_site for word in ("When", "7 May", "Venue", "Hall", "Entry", "Free")] == [True] * 6


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
    flags = with_site_texts(arrays, bytes([EQUAL | VARYING] * 3), {2: share})
    assert bool(flags[2] & VARYING) is is_value


def test_a_second_copy_may_have_other_spaces():
    again = "<div><p>In  News</p></div>"
    _, by_site = cleaned(lambda n: f"<div><p>In News</p></div><main>{own(n)}</main>{again if n == 7 else ''}")
    assert "In  News" in by_site


@pytest.mark.parametrize("is_first", [True, False])
def test_of_several_templates_the_best_one_tells_the_texts_of_the_site(is_first):
    """However many the others have."""
    body = lambda n: f"{own(n)}<p>{NOTICE}</p>{own(n + 9)}" if n else own(n)
    made = [page(MENU + body(n), f"{HOST}{n}") for n in range(8)]
    many = of_site(made) | dict.fromkeys(range(99), 1.0)
    templates = [Template.from_pages(made[0], made[1:4], site_texts=texts) for texts in (many, {5: 1.0})]
    aligned = tuple(template.align(made[7]) for template in (templates if is_first else templates[::-1]))
    assert (NOTICE not in Match(made[7], aligned).clean.html) is is_first


def test_the_children_of_an_element_are_read_once():
    """If each text read those of its parent, 50,000 would take minutes."""
    arrays = nodes_of(page("<div>" + "<i>Alpha</i>" * 20 + "".join(f"a{n}<br>" for n in range(50))))
    read = []
    arrays.children = lambda at: read.append(at) or type(arrays).children(arrays, at)
    shares = dict.fromkeys(arrays.text_positions, 1.0)
    flags = with_site_texts(arrays, bytes([EQUAL]) + bytes(len(arrays.texts) - 1), shares)
    assert flags.count(0) < len(flags)
    assert len(read) == len(set(read)) > 50
