"""Templates that mature: pages join the voters, pages stand in for a complete subdigraph, old templates retire."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templex_scrapy.crawl.attic import ENTRY_BYTES, Attic, PutAway
from templex_scrapy.crawl.site import MAX_RETIRED, UNUSED_PAGES, SiteLimits, SiteTemplates
from templex_scrapy.crawl.sites import Sites
from templex_scrapy.page import Page
from templex_scrapy.template.growth import PendingPage, PendingPages, grown, next_size, stand_in, votes_of
from templex_scrapy.template.template import Template
from templex_scrapy.template.voters import distinct_in_words

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


def site_with(template: Template, **limits: int) -> SiteTemplates:
    site = SiteTemplates("a.example", SiteLimits(**limits))
    site.begin_search()
    site.learn(template)
    return site


def served(site: SiteTemplates, one: Page, votes: int = 2) -> tuple[Template, Template] | None:
    """Clean a page with the site's templates, and let it join the voters of the one that serves."""
    match = site.fit(one)
    assert match is not None
    assert match.same_kind
    return site.grow(one, votes)


def test_what_three_pages_did_not_show_is_learnt_as_the_crawl_goes_on() -> None:
    site = site_with(learnt(box=BOX))
    before = site.fit(page(99, box=BOX))
    assert before is not None
    assert "by the river" in before.strip()
    for number in range(4, 16):
        served(site, page(number, box=BOX if number % 4 else ""))
    after = site.fit(page(99, box=BOX))
    assert after is not None
    assert "by the river" not in after.strip()
    assert "word99x3" in after.strip()


def test_templates_grow_by_doubling_up_to_the_limit() -> None:
    site = site_with(learnt(), voters=10)
    sizes = [
        len(new.page_urls) for number in range(4, 40) if (grown := served(site, page(number))) for new in [grown[1]]
    ]
    assert sizes == [6, 10]


def test_a_page_joins_once_and_neither_do_copies() -> None:
    site = site_with(learnt(), voters=6)
    for _ in range(5):
        assert served(site, page(1)) is None, "it has voted"
        assert served(site, page(4)) is None, "it waits already"
    assert len(site.templates[0].page_urls) == 3


def test_pages_with_the_same_words_are_one_page() -> None:
    """A wall that stands before several addresses, with a token in it, is no evidence of repetition."""
    walls = [
        Page(page(7).text.replace("</body>", f'<input type="hidden" value="{n}"></body>'), f"http://a.example/{n}")
        for n in range(4)
    ]
    assert stand_in(walls[0], [PendingPage.of(wall) for wall in walls[1:]], 2) is None
    assert distinct_in_words([*walls, page(2)])[0] is walls[0]
    assert len(distinct_in_words([*walls, page(2)])) == 2
    assert len(learnt().joined([*walls, page(0)], 2).page_urls) == 4


@given(st.integers(1, 6), st.integers(0, 4))
def test_joining_in_two_steps_is_joining_at_once(first: int, second: int) -> None:
    pages = [page(number, box=BOX if number % 3 else "") for number in range(1, 1 + first + second)]
    votes = votes_of(len(pages), 2)
    at_once = Template.from_pages(page(0), pages, votes=votes)
    in_steps = Template.from_pages(page(0), pages[:first]).joined(pages[first:], votes)
    assert in_steps.page_urls == at_once.page_urls
    assert in_steps.places == at_once.places
    assert in_steps.to_dict()["same"] == at_once.to_dict()["same"]


@given(st.lists(st.booleans(), min_size=1, max_size=14), st.booleans())
def test_what_goes_is_template(boxes: list[bool], last: bool) -> None:
    pages = [page(number, box=BOX if box else "") for number, box in enumerate([*boxes, last])]
    template = grown(Template.from_pages(pages[0], pages[1:3]), [PendingPage.of(one) for one in pages[3:-1]], 2)
    for one in (pages[0], pages[-1]):
        match = template.match(one)
        assert match.removable <= match.nodes


def test_what_was_taken_out_as_content_stays_content_when_pages_join() -> None:
    key = page(0)
    menu = next(node for node in key.nodes if node.tag == "ul")
    content = frozenset(range(menu.position, menu.position + 13))
    template = Template.from_pages(key, [page(1), page(2)], content=content)
    grown = template.joined([page(3), page(4)], 2)
    assert not grown.nodes & content
    assert "new things" in grown.match(page(9)).strip()


def test_a_grown_template_is_stored_and_read_again() -> None:
    grown = learnt(box=BOX).joined([page(n, box=BOX) for n in (4, 5, 6)], 2)
    read = Template.from_dict(grown.to_dict())
    assert read.to_dict() == grown.to_dict()
    assert read.match(page(9, box=BOX)).strip() == grown.match(page(9, box=BOX)).strip()


def test_pages_of_one_kind_stand_in_where_no_complete_subdigraph_is_found() -> None:
    site = SiteTemplates("a.example")
    assert site.stand_in(page(1), 2) is None
    assert site.stand_in(page(2), 2) is None
    template = site.stand_in(page(3), 2)
    assert template is not None
    assert "new things" not in template.match(page(4)).strip()
    assert "word4x3" in template.match(page(4)).strip()


def test_pages_of_another_kind_do_not_stand_in() -> None:
    site = SiteTemplates("a.example")
    for number, look in enumerate(["old", "new", "odd", "rare"]):
        assert site.stand_in(page(number, look=look), 2) is None


def test_copies_do_not_stand_in() -> None:
    copies = [Page(page(1).text, f"http://a.example/{n}") for n in range(5)]
    site = SiteTemplates("a.example")
    assert [site.stand_in(copy, 2) for copy in copies] == [None] * 5


def test_too_few_pages_stand_in_for_nothing() -> None:
    assert stand_in(page(1), [PendingPage.of(page(2))], 2) is None


def test_pages_that_share_no_text_stand_in_for_nothing() -> None:
    """Without classes all pages look of one kind, and all have a body."""
    lonely = [Page(f"<!DOCTYPE html><p>Page {n} says {n * 7}.", f"http://a.example/{n}") for n in range(6)]
    assert stand_in(lonely[0], [PendingPage.of(each) for each in lonely[1:]], 2) is None


def test_after_a_redesign_the_old_template_is_retired_and_nothing_is_lost() -> None:
    site = site_with(learnt())
    assert site.fit(redesigned(1)) is None
    site.begin_search()
    new = Template.from_pages(redesigned(0), [redesigned(n) for n in (1, 2, 3)])
    site.learn(new, redesigned(0))
    for number in range(UNUSED_PAGES):
        match = site.fit(redesigned(number))
        assert match is not None
        assert f"word{number}x3" in match.strip()
    (retired,) = site.take_retired()
    assert retired.key_url == "http://a.example/old/0.html"
    assert site.templates == (new,)
    assert site.take_retired() == []


def test_a_template_that_serves_again_is_not_retired() -> None:
    site = site_with(learnt())
    site.begin_search()
    site.learn(Template.from_pages(redesigned(0), [redesigned(n) for n in (1, 2, 3)]), redesigned(0))
    for number in range(3 * UNUSED_PAGES):
        assert site.fit(page(number) if number % 10 == 0 else redesigned(number)) is not None
    assert site.take_retired() == []
    assert len(site.templates) == 2


def test_a_retired_template_serves_again_when_its_pages_come_after_all() -> None:
    """A crawl that goes through one section after the other: nothing is searched for again."""
    old = learnt()
    site = site_with(old)
    site.begin_search()
    new = Template.from_pages(redesigned(0), [redesigned(n) for n in (1, 2, 3)])
    site.learn(new, redesigned(0))
    for number in range(UNUSED_PAGES):
        assert site.fit(redesigned(number)) is not None
    assert (site.take_retired(), site.retired, site.templates) == ([old], (old,), (new,))
    assert site.take_revived() == []
    match = site.fit(page(9))
    assert match is not None
    assert match.same_kind
    assert "word9x3" in match.strip()
    assert (site.take_revived(), site.retired, site.templates) == ([old], (), (old, new))
    assert site.take_revived() == []


def test_what_comes_out_does_not_depend_on_what_is_retired() -> None:
    """The blocks that a retired template knows go from pages of another kind as if it served."""
    outcomes = set()
    for retired in (False, True):
        site = SiteTemplates("a.example")
        one, other = (
            learnt(),
            Template.from_pages(page(50, look="new", box=BOX), [page(n, look="new", box=BOX) for n in (51, 52)]),
        )
        site.adopt(one)
        if retired:
            site.rest(other)
        else:
            site.adopt(other)
        match = site.fit(page(9, box=BOX))
        assert match is not None
        assert site.templates[0] is one
        outcomes.add(match.strip())
    assert len(outcomes) == 1
    assert "by the river" not in outcomes.pop()


def test_stand_ins_of_a_redesign_doubt_the_old_template() -> None:
    site = site_with(learnt())
    spare = [site.stand_in(redesigned(number), 2) for number in range(3)]
    assert spare[-1] is not None
    site.adopt(spare[-1], grows=True, key=redesigned(2))
    for number in range(UNUSED_PAGES):
        assert site.fit(redesigned(number)) is not None
    assert len(site.take_retired()) == 1


def test_a_revived_template_goes_on_growing() -> None:
    old = learnt()
    site = site_with(old)
    assert served(site, page(4)) is None
    site.begin_search()
    site.learn(Template.from_pages(redesigned(0), [redesigned(n) for n in (1, 2, 3)]), redesigned(0))
    for number in range(UNUSED_PAGES):
        site.fit(redesigned(number))
    assert site.retired == (old,)
    assert [served(site, page(number)) is None for number in (5, 6)] == [True, False]


def test_retired_templates_are_bounded_and_counted() -> None:
    site = SiteTemplates("a.example")
    templates = [Template.from_pages(page(n), [page(n + 100), page(n + 200)]) for n in range(MAX_RETIRED + 3)]
    for template in templates:
        site.rest(template)
    assert site.retired == tuple(templates[3:])
    assert site.bytes == sum(template.bytes for template in site.retired)


def test_a_revived_template_of_an_earlier_crawl_makes_the_site_a_known_one() -> None:
    site = SiteTemplates("a.example")
    site.rest(learnt(), is_known=True)
    assert not site.is_known
    assert site.fit(page(9)) is not None
    assert site.is_known


def test_a_template_that_is_revived_into_a_full_site_takes_the_place_of_another() -> None:
    site = SiteTemplates("a.example", SiteLimits(templates=1))
    new = Template.from_pages(redesigned(0), [redesigned(n) for n in (1, 2, 3)])
    site.adopt(new)
    old = learnt()
    site.rest(old)
    assert site.fit(page(9)) is not None
    assert (site.take_revived(), site.templates, site.retired) == ([old], (old,), (new,))
    assert site.fit(redesigned(9)) is not None, "what had to make room rests, and is not lost"
    assert (site.take_revived(), site.templates, site.retired, site.forgotten) == ([], (new,), (old,), 0)


def test_a_template_that_made_room_grows_on_when_it_serves_again() -> None:
    site = SiteTemplates("a.example", SiteLimits(templates=1))
    site.rest(Template.from_pages(redesigned(0), [redesigned(n) for n in (1, 2, 3)]))
    site.adopt(learnt(), grows=True)
    for number in range(4, 30):
        assert site.fit(redesigned(number)) is not None
        served(site, page(number))
    assert len(site.templates[0].page_urls) == 12


def test_pages_too_large_to_wait_join_as_they_come() -> None:
    """The bytes that may wait hold one page: each further one joins the voters with it."""
    site = SiteTemplates("a.example", SiteLimits(kept_bytes=PendingPage.of(page(4)).size * 3 // 2))
    site.adopt(learnt(), grows=True)
    grown = [pair for number in range(4, 40) if (pair := served(site, page(number))) is not None]
    assert grown
    assert len(site.templates[0].page_urls) == 12


def test_pages_of_which_not_one_may_wait_are_not_packed_for_ever() -> None:
    site = SiteTemplates("a.example", SiteLimits(kept_bytes=10))
    site.adopt(learnt(), grows=True)
    assert [served(site, page(number)) for number in range(4, 20)] == [None] * 16
    assert site.templates[0].page_urls == learnt().page_urls
    assert site.bytes == site.templates[0].bytes


def test_the_result_does_not_depend_on_what_was_cleaned_before() -> None:
    """Two templates of the same kind of pages: which serves must not be a matter of which served last."""
    first = Template.from_pages(page(0), [page(1), page(2)])
    second = Template.from_pages(page(10, box=BOX), [page(n, box=BOX) for n in (11, 12)])
    probes = [page(20), page(21, box=BOX), page(22)]
    outcomes = set()
    for order in ((first, second), (second, first)):
        site = SiteTemplates("a.example")
        for template in order:
            site.adopt(template)
        for probe in probes:
            match = site.fit(probe)
            assert match is not None
            outcomes.add((probe.url, match.strip()))
    assert len(outcomes) == len(probes)


def test_what_was_learnt_earlier_does_not_grow() -> None:
    site = SiteTemplates("a.example")
    site.adopt(learnt())
    assert [served(site, page(number)) for number in range(4, 30)] == [None] * 26


@pytest.mark.parametrize(
    ("voters", "votes", "needed"), [(1, 2, 2), (3, 2, 2), (6, 2, 3), (12, 2, 6), (12, 5, 6), (3, 1, 1)]
)
def test_votes_grow_with_the_voters(voters: int, votes: int, needed: int) -> None:
    assert votes_of(voters, votes) == needed


def test_next_sizes() -> None:
    assert [next_size(3, 12), next_size(6, 12), next_size(12, 12), next_size(8, 12)] == [6, 12, 12, 12]


def test_kept_pages_are_bounded_in_number_and_bytes() -> None:
    kept = PendingPages(3, 10_000_000)
    for number in range(5):
        kept.add(page(number))
    assert [one.url[-6:] for one in kept.all()] == ["2.html", "3.html", "4.html"]
    small = PendingPages(100, 2 * PendingPage.of(page(1)).size)
    for number in range(10):
        small.add(page(number))
        assert small.bytes <= small.max_bytes
    assert len(small) == 1 or len(small) == 2
    assert kept.all()[0].page.text == page(2).text
    small.take(small.all())
    assert (len(small), small.bytes) == (0, 0)


def test_sites_are_bounded_in_bytes() -> None:
    size = learnt().bytes
    sites = Sites(1000, SiteLimits(), max_bytes=4 * size)
    for number in range(20):
        sites.use(f"{number}.example").adopt(learnt())
        sites.use(f"{number}.example")
        assert sites.bytes <= 4 * size
    assert 1 <= len(sites) <= 4
    assert sites.forgotten == 20 - len(sites)
    assert "19.example" in sites


def test_a_template_whose_own_page_has_changed_is_retired_when_it_serves_no_more() -> None:
    """On the next crawl of a site that was redesigned, whatever else the new pages share with the old ones."""
    site = SiteTemplates("a.example")
    old = learnt()
    site.adopt(old)
    changed = Page(redesigned(0).text, old.key_url)
    assert site.fit(changed) is None
    site.adopt(Template.from_pages(redesigned(5), [redesigned(n) for n in (6, 7, 8)]))
    for number in range(UNUSED_PAGES):
        assert site.fit(redesigned(number)) is not None
    assert site.take_retired() == [old]


def test_sites_that_were_put_away_come_back_with_what_is_known_of_them() -> None:
    sites = Sites(2, SiteLimits(), attic=Attic(1_000_000))
    for number in range(5):
        site = sites.use(f"{number}.example")
        site.begin_search()
        site.learn(learnt())
    assert (len(sites), sites.forgotten, sites.brought_back) == (2, 3, 0)
    back = sites.use("0.example")
    assert (back.searches, len(back.templates), sites.brought_back) == (1, 1, 1)
    match = back.fit(page(9))
    assert match is not None
    assert "new things" not in match.strip()
    served(back, page(10))
    assert sites.attic is not None
    assert len(sites.attic) == 3, "one came back, another took its place"


def test_a_site_that_was_given_up_stays_given_up_when_it_comes_back() -> None:
    sites = Sites(1, SiteLimits(failures=1), attic=Attic(1_000_000))
    site = sites.use("a.example")
    site.begin_search()
    site.fail()
    sites.use("b.example")
    assert sites.use("a.example").given_up
    assert sites.use("a.example") is not site


def test_the_attic_is_bounded_in_bytes() -> None:
    away = PutAway(searches=1, failures=(0, 0), templates=(learnt(),))
    attic = Attic(10**9)
    attic.put("a.example", away)
    small = Attic(3 * attic.bytes)
    for number in range(10):
        small.put(f"{number}.example", away)
        assert small.bytes <= small.max_bytes
    assert (len(small), small.lost) == (3, 7)
    assert small.take("0.example") is None
    assert small.take("9.example") is not None
    assert small.take("9.example") is None
    none = Attic(0)
    none.put("a.example", away)
    assert (len(none), none.bytes) == (0, 0)


def site_with_spare_pages() -> SiteTemplates:
    site = SiteTemplates("a.example")
    site.begin_search()
    site.fail()
    for number in (1, 2):
        assert site.stand_in(page(number), 2) is None
    return site


def test_pages_that_may_stand_in_come_back_from_the_attic() -> None:
    attic = Attic(1_000_000)
    attic.put("a.example", site_with_spare_pages().put_away())
    away = attic.take("a.example")
    assert away is not None
    back = SiteTemplates("a.example")
    back.bring_back(away)
    assert (back.searches, back.failures) == (1, 1)
    assert back.stand_in(page(3), 2) is not None
    assert (len(attic), attic.bytes) == (0, 0)


def test_pages_that_may_stand_in_make_room_for_sites() -> None:
    away = site_with_spare_pages().put_away()
    assert away.waiting is not None
    attic = Attic(away.waiting.bytes + 6 * ENTRY_BYTES)
    for number in range(5):
        attic.put(f"{number}.example", away)
        assert attic.bytes <= attic.max_bytes
    assert (len(attic), attic.lost) == (5, 0)
    last, first = attic.take("4.example"), attic.take("0.example")
    assert last is not None
    assert first is not None
    assert (last.waiting, first.waiting, first.searches) == (away.waiting, None, 1)


def test_doubts_outlive_that_the_site_was_put_away() -> None:
    """A broad crawl puts sites away between any two pages of theirs."""
    sites = Sites(1, SiteLimits(), attic=Attic(1_000_000))
    site = sites.use("a.example")
    site.begin_search()
    site.learn(learnt())
    site.begin_search()
    site.learn(Template.from_pages(redesigned(0), [redesigned(n) for n in (1, 2, 3)]), redesigned(0))
    for number in range(UNUSED_PAGES):
        sites.use(f"{number}.example")
        site = sites.use("a.example")
        assert site.fit(redesigned(number)) is not None
    assert [len(site.templates), len(site.retired)] == [1, 1]


@pytest.mark.parametrize("stored", [False, True])
def test_templates_grow_on_when_their_site_has_come_back(stored: bool) -> None:
    sites = Sites(1, SiteLimits(), attic=Attic(1_000_000), stored=stored)
    template = learnt()
    for number in range(4, 30):
        site = sites.use("a.example")
        if number == 4:
            site.begin_search()
            site.learn(template)
        elif stored:
            # as the keeper does it, with what the store has
            site.adopt(template)
        grown = served(site, page(number))
        if grown is not None:
            template = grown[1]
        sites.use(f"{number}.example")
    assert len(template.page_urls) == 12


def test_retired_templates_come_back_from_the_attic() -> None:
    site = site_with(learnt())
    site.searches = 1
    site.rest(Template.from_pages(redesigned(0), [redesigned(n) for n in (1, 2, 3)]))
    attic = Attic(1_000_000)
    attic.put("a.example", site.put_away())
    away = attic.take("a.example")
    assert away is not None
    back = SiteTemplates("a.example")
    back.bring_back(away)
    assert back.fit(redesigned(7)) is not None
    assert (len(back.templates), back.retired) == (2, ())


def test_where_a_store_has_the_templates_the_attic_has_the_rest() -> None:
    sites = Sites(1, SiteLimits(), attic=Attic(1_000_000), stored=True)
    site = sites.use("a.example")
    site.begin_search()
    site.learn(learnt())
    sites.use("b.example")
    assert "a.example" in sites
    back = sites.use("a.example")
    assert (back.searches, back.templates) == (1, ())


def article(number: int, token: str, *, counter: str = "") -> Page:
    """An article of a site, with a token that is new each time it is downloaded."""
    own = "".join(f"<p>alpha{number}x{row} beta{number}y{row}</p>" for row in range(4))
    menu = "".join(f'<li><a href="/a{i}">Menu entry {i}</a></li>' for i in range(6))
    head = f'<head><meta name="csrf" content="{token}"></head>'
    body = f"<ul class=nav>{menu}</ul><div><h1>Head{number}</h1>{own}</div>{counter}"
    return Page(f"<!doctype html><html>{head}<body>{body}</body></html>", f"https://site.test/a{number}?{token}")


def test_a_copy_of_an_earlier_voter_has_no_vote() -> None:
    """An article at a third address keeps its words, though two of its copies were there when the template grew."""
    template = Template.from_pages(article(0, "t0"), [article(1, "t1"), article(2, "t2")])
    new = grown(template, [PendingPage.of(article(1, "t3")), PendingPage.of(article(3, "t4"))], 2)
    assert "alpha1x0" in new.match(article(1, "t5")).text()
    assert len(new.page_urls) == 3


def test_a_template_that_was_stored_knows_copies_of_its_voters() -> None:
    """A site that comes back from a store grows on."""
    template = Template.from_pages(article(0, "t0"), [article(1, "t1"), article(2, "t2")])
    stored = Template.from_dict(template.to_dict())
    new = grown(stored, [PendingPage.of(article(1, "t3")), PendingPage.of(article(3, "t4"))], 2)
    assert "alpha1x0" in new.match(article(1, "t5")).text()
    assert new.page_urls == grown(template, [PendingPage.of(article(3, "t4"))], 2).page_urls


def test_the_votes_of_a_grown_template_are_those_of_its_voters() -> None:
    """Copies that wait raise no bar for the others."""
    template = Template.from_pages(article(0, "t0"), [article(1, "t1"), article(2, "t2")])
    copies = [PendingPage.of(article(3, f"c{number}")) for number in range(9)]
    assert grown(template, copies, 2).votes == grown(template, copies[:1], 2).votes == 2


def test_figures_in_the_main_heading_tell_pages_apart() -> None:
    """The days of a calendar on which nothing happens say the same but for the date."""
    body = "<ul><li>one<li>two<li>three</ul><h1>Events on March {}</h1><p>There are no events on this day.</p>"
    days = [Page(f"<!doctype html><body>{body.format(day)}", f"https://site.test/{day}") for day in range(3)]
    assert len(distinct_in_words(days)) == 3


def test_copies_that_differ_in_a_counter_are_copies() -> None:
    """A counter of visitors or the time does not make two pages of one."""
    pages = [article(1, f"t{i}", counter=f"<p>Visitor {i}, {i}.5 ms</p>") for i in range(3)]
    assert len(distinct_in_words(pages)) == 1
