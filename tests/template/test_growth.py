"""Templates of a crawl: further voters, pages that wait to vote, templates without a complete subdigraph."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_sites import SOME

from templex_scrapy import Page, Template
from templex_scrapy.template import (
    PendingPage,
    PendingPages,
    next_size,
    template_from_peers,
    template_from_subdigraph,
    with_voters,
)
from templex_scrapy.template.voters import distinct_texts
from templex_scrapy.template.votes import votes_for

MENU = "".join(f'<li class="entry"><a href="/{name}">{name} things</a></li>' for name in ("new", "used", "rare", "odd"))


def page(number: int, *, box: str = "", look: str = "old", host: str = "http://a.example") -> Page:
    """A page with a menu, perhaps a box beside it, and words of its own."""
    own = " ".join(f"word{number}x{i}" for i in range(12))
    return Page(
        f'<!DOCTYPE html><html><body class="{look}"><div class="{look}-head"><b class="{look}-name">The shop</b></div>'
        f'<ul class="{look}-menu">{MENU}</ul><div class="{look}-main"><h1>Page {number}</h1><p>{own}</p></div>'
        f'<div class="{look}-foot"><p>Open from nine to five</p></div>{box}</body></html>',
        f"{host}/{look}/{number}.html",
    )


def redesigned(number: int) -> Page:
    """The same site in another dress: other elements, and hardly a text of the old template."""
    own = " ".join(f"word{number}x{i}" for i in range(12))
    rows = "".join(f'<tr><td class="cell"><a href="/{name}">{name.upper()}</a></td></tr>' for name in ("a", "b", "c"))
    return Page(
        f'<!DOCTYPE html><html><body><table class="frame"><tbody>{rows}<tr><td class="story"><h2>Page {number}</h2>'
        f'<span>{own}</span></td></tr><tr><td class="end"><i>All rights reserved</i></td></tr></tbody></table></body>',
        f"http://a.example/old/{number}.html",
    )


BOX = '<div class="old-box"><h4>Opening soon</h4><p>Our second shop by the river</p></div>'


def learnt(*, look: str = "old", box: str = "") -> Template:
    return Template.from_pages(page(0, look=look, box=box), [page(n, look=look) for n in (1, 2, 3)])


def pending(*numbers: int, look: str = "old", box: str = "") -> list[PendingPage]:
    return [PendingPage.of(page(number, look=look, box=box)) for number in numbers]


def test_what_three_pages_did_not_show_is_learnt_from_further_ones() -> None:
    template = learnt(box=BOX)
    assert "by the river" in template.match(page(99, box=BOX)).clean.html
    with_box = [PendingPage.of(page(n, box=BOX if n % 4 else "")) for n in range(4, 16)]
    after = with_voters(template, with_box, 2).match(page(99, box=BOX)).clean.html
    assert "by the river" not in after
    assert "word99x3" in after


@SOME
@given(st.integers(1, 6), st.integers(0, 4))
def test_joining_in_two_steps_is_joining_at_once(first: int, second: int) -> None:
    pages = [page(number, box=BOX if number % 3 else "") for number in range(1, 1 + first + second)]
    votes = votes_for(len(pages), 2)
    at_once = Template.from_pages(page(0), pages, votes=votes)
    in_steps = Template.from_pages(page(0), pages[:first]).joined(pages[first:], votes)
    assert in_steps.page_urls == at_once.page_urls
    steps, once = in_steps.to_dict(), at_once.to_dict()
    assert all(steps[part] == once[part] for part in ("present", "equal", "other_values", "digests"))


@SOME
@given(st.lists(st.booleans(), min_size=1, max_size=14), st.booleans())
def test_what_goes_is_template(boxes: list[bool], last: bool) -> None:
    pages = [page(number, box=BOX if box else "") for number, box in enumerate([*boxes, last])]
    template = with_voters(Template.from_pages(pages[0], pages[1:3]), [PendingPage.of(one) for one in pages[3:-1]], 2)
    for one in (pages[0], pages[-1]):
        match = template.match(one)
        assert match.removable <= match.nodes


@pytest.mark.parametrize(
    ("voters", "votes", "needed"), [(1, 2, 2), (3, 2, 2), (6, 2, 3), (12, 2, 6), (12, 5, 6), (3, 1, 1)]
)
def test_votes_grow_with_the_voters(voters: int, votes: int, needed: int) -> None:
    assert votes_for(voters, votes) == needed


def test_next_sizes() -> None:
    assert [next_size(3, 12), next_size(6, 12), next_size(12, 12), next_size(8, 12)] == [6, 12, 12, 12]


# --- copies ---


def article(number: int, token: str, *, counter: str = "") -> Page:
    """An article of a site, with a token that is new each time it is downloaded."""
    own = "".join(f"<p>alpha{number}x{row} beta{number}y{row}</p>" for row in range(4))
    menu = "".join(f'<li><a href="/a{i}">Menu entry {i}</a></li>' for i in range(6))
    head = f'<head><meta name="csrf" content="{token}"></head>'
    body = f"<ul class=nav>{menu}</ul><div><h1>Head{number}</h1>{own}</div>{counter}"
    return Page(f"<!doctype html><html>{head}<body>{body}</body></html>", f"https://site.test/a{number}?{token}")


def test_pages_with_the_same_text_are_one_page() -> None:
    """A wall that stands before several addresses, with a token in it, is no evidence of repetition."""
    walls = [
        Page(page(7).text.replace("</body>", f'<input type="hidden" value="{n}"></body>'), f"http://a.example/{n}")
        for n in range(4)
    ]
    assert template_from_peers(walls[0], [PendingPage.of(wall) for wall in walls[1:]], 2) is None
    assert template_from_subdigraph(walls[0], walls[1:], 2).is_empty
    assert len(distinct_texts([*walls, page(2)])) == 2
    assert len(learnt().joined([*walls, page(0)], 2).page_urls) == 4


@pytest.mark.parametrize("is_stored", [False, True])
def test_a_copy_of_an_earlier_voter_has_no_vote(is_stored: bool) -> None:
    """An article at a third address keeps its words, though two of its copies were there when the template grew."""
    template = Template.from_pages(article(0, "t0"), [article(1, "t1"), article(2, "t2")])
    if is_stored:
        template = Template.from_dict(template.to_dict())
    new = with_voters(template, [PendingPage.of(article(1, "t3")), PendingPage.of(article(3, "t4"))], 2)
    assert "alpha1x0" in new.match(article(1, "t5")).clean.text
    assert len(new.page_urls) == 3


def test_the_votes_of_a_grown_template_are_those_of_its_voters() -> None:
    """Copies that wait raise no bar for the others."""
    template = Template.from_pages(article(0, "t0"), [article(1, "t1"), article(2, "t2")])
    copies = [PendingPage.of(article(3, f"c{number}")) for number in range(9)]
    assert with_voters(template, copies, 2).votes == with_voters(template, copies[:1], 2).votes == 2


def test_figures_in_the_main_heading_tell_pages_apart() -> None:
    """The days of a calendar on which nothing happens say the same but for the date."""
    body = "<ul><li>one<li>two<li>three</ul><h1>Events on March {}</h1><p>There are no events on this day.</p>"
    days = [Page(f"<!doctype html><body>{body.format(day)}", f"https://site.test/{day}") for day in range(3)]
    assert len(distinct_texts(days)) == 3


def test_copies_that_differ_in_a_counter_are_copies() -> None:
    """A counter of visitors or the time does not make two pages of one."""
    pages = [article(1, f"t{i}", counter=f"<p>Visitor {i}, {i}.5 ms</p>") for i in range(3)]
    assert len(distinct_texts(pages)) == 1


# --- pages that wait ---


def test_pending_pages_are_bounded_in_number_and_bytes() -> None:
    some = PendingPages(3, 10_000_000)
    for number in (0, 1, 2, 3, 4, 4):
        some.add(page(number))
    assert [one.url[-6:] for one in some] == ["2.html", "3.html", "4.html"]
    assert next(iter(some)).page.text == page(2).text
    assert some.is_full
    small = PendingPages(100, 2 * PendingPage.of(page(1)).bytes)
    for number in range(10):
        small.add(page(number))
        assert small.bytes <= small.max_bytes
    assert 1 <= len(small) <= 2
    assert small.is_full, "there will never be more"
    small.remove(small)
    assert (len(small), small.bytes) == (0, 0)


def test_peers_are_of_one_page_type_and_no_copies() -> None:
    some = PendingPages(10, 10_000_000)
    for one in (page(1), page(2, look="new"), page(3), Page(page(1).text, "http://a.example/copy")):
        some.add(one)
    assert [one.url for one in some.peers_of(page(1))] == [page(3).url]


# --- templates from peers ---


def test_pages_of_one_type_vote_where_no_complete_subdigraph_is_found() -> None:
    template = template_from_peers(page(3), pending(1, 2), 2)
    assert template is not None
    assert "new things" not in template.match(page(4)).clean.html
    assert "word4x3" in template.match(page(4)).clean.html


@pytest.mark.parametrize(
    "peers",
    [
        pending(2),
        [PendingPage.of(redesigned(2)), PendingPage.of(redesigned(4))],
        [PendingPage.of(Page(page(1).text, f"http://a.example/{n}")) for n in range(5)],
    ],
    ids=["too few", "of other types", "copies"],
)
def test_a_template_needs_two_peers_that_it_fits(peers: list[PendingPage]) -> None:
    assert template_from_peers(page(1), peers, 2) is None


def test_pages_that_share_no_text_have_no_template() -> None:
    """Without classes all pages look of one type, and all have a body."""
    lonely = [Page(f"<!DOCTYPE html><p>Page {n} says {n * 7}.", f"http://a.example/{n}") for n in range(6)]
    assert template_from_peers(lonely[0], [PendingPage.of(each) for each in lonely[1:]], 2) is None
