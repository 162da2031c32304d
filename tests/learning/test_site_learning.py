"""How a site is learnt: who waits, who searches, who votes; in any order, and at a bounded cost."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from templex_scrapy.learning import (
    Budget,
    Judged,
    NeedsSearch,
    NeedsVoters,
    SiteLearning,
    TemplateBroken,
    TemplateDropped,
    TemplateGrown,
    TemplateLearnt,
)
from templex_scrapy.learning.budget import FREE_VOTES, MAX_EMPTY, MAX_FAILURES
from templex_scrapy.learning.site_learning import FIRST_SAMPLE, FURTHER_SAMPLE, MAX_VOTERS
from templex_scrapy.page import Page
from templex_scrapy.template import MAX_TEMPLATES, Template, TemplateSet

KINDS = {"a": "section", "b": "article", "c": "div", "d": "aside"}


def page(kind, number):
    """A page of a kind of its own: other elements, other classes, other words than the pages of other kinds."""
    tag = KINDS[kind]
    fixed = "".join(
        f'<{tag} class="{kind}{i}"><p class="{kind}x{i}">Fixed words {kind} {i}</p></{tag}>' for i in range(5)
    )
    name = "".join(chr(97 + int(digit)) for digit in str(number))  # numbers do not tell texts apart
    own = f'<{tag} class="{kind}own"><h2>Own {kind}{name}</h2></{tag}>'
    return Page(f"<!DOCTYPE html><html><body>{fixed}{own}</body></html>", f"http://a.example/{kind}/{number}")


def pages(kind, count, start=0):
    return [page(kind, number) for number in range(start, start + count)]


def waiting(learning, some):
    """Let pages arrive; those that wait."""
    return [one for one in some if not isinstance(learning.judge(one, wait=True), Judged)]


def judged(learning, one, **options):
    verdict = learning.judge(one, **options)
    assert isinstance(verdict, Judged)
    return verdict.match


def learnt(*some):
    learning = SiteLearning()
    waiting(learning, some)
    learning.voters_arrived()
    return learning


def test_the_first_page_searches_and_the_next_ones_wait_for_voters():
    learning = SiteLearning()
    assert isinstance(learning.judge(page("a", 0), wait=True, search=True), NeedsSearch)
    learning.begin_search()
    assert isinstance(learning.judge(page("a", 1), wait=True, search=True), NeedsVoters)
    assert isinstance(learning.judge(page("a", 0), wait=True), NeedsVoters)


def test_a_search_brings_a_template_for_its_key_page_which_gets_voters():
    learning = SiteLearning()
    learning.begin_search()
    found = learning.end_search(page("a", 0), pages("a", 2, 1), loads=2)
    assert found is not None
    assert found.page_urls == (page("a", 1).url, page("a", 2).url)
    assert learning.take_events() == [TemplateLearnt(found, by_search=True)]
    assert judged(learning, page("a", 0)).template is found
    waiting(learning, pages("a", 6, 3))
    learning.voters_arrived()
    (grown,) = learning.take_events()
    assert isinstance(grown, TemplateGrown)
    assert grown.old is found
    assert len(grown.new.page_urls) == 8
    assert learning.templates == [grown.new]


@pytest.mark.parametrize("linked", [[], [page("a", 1)], [page("a", 0)] * 3])
def test_too_few_pages_and_copies_are_no_template(linked):
    learning = SiteLearning()
    learning.begin_search()
    assert learning.end_search(page("a", 0), linked, loads=3) is None
    assert (learning.budget.searches, learning.budget.failures) == (1, 1)


@pytest.mark.parametrize(("loads", "most"), [(1, MAX_FAILURES), (0, MAX_EMPTY)])
def test_searches_end_that_fail_in_a_row(loads, most):
    """Where nothing could be loaded, that tells nothing of the links: more of them are begun."""
    learning = SiteLearning(budget=Budget(9))
    for count in range(most):
        assert (learning.budget.searches, learning.budget.given_up) == (count, False)
        learning.begin_search()
        learning.end_search(page("a", 0), loads=loads)
    assert learning.budget.given_up
    assert SiteLearning(budget=learning.budget).budget.given_up, "what was spent survives"
    assert not isinstance(learning.judge(page("b", 0), search=True), NeedsSearch)


def test_searches_end_when_they_are_used_up():
    learning = SiteLearning(budget=Budget(1))
    learning.begin_search()
    learning.cancel_search()
    assert not learning.budget.given_up
    learning.begin_search()
    assert learning.budget.given_up


def test_pages_of_one_type_make_one_template():
    learning = learnt(*pages("a", FURTHER_SAMPLE), *pages("b", 5))
    assert sorted(len(template.page_urls) for template in learning.templates) == [4, MAX_VOTERS]
    match = judged(learning, page("a", 99), wait=True)
    assert match.fits
    assert match.clean.text.split() == ["Own", "ajj"]
    assert isinstance(learning.judge(page("b", 99), wait=True), NeedsVoters), "seven more may vote"


@pytest.mark.parametrize(("are_last", "voters"), [(False, [9, MAX_VOTERS]), (True, [*range(5, MAX_VOTERS + 1)])])
def test_a_young_template_grows_when_its_voters_have_doubled_or_no_more_come(are_last, voters):
    learning = learnt(*pages("b", 5))
    sizes = []
    for number in range(5, 20):
        learning.judge(page("b", number), wait=True)
        learning.voters_arrived(are_last=are_last)
        sizes += [len(event.new.page_urls) for event in learning.take_events() if isinstance(event, TemplateGrown)]
    assert sizes == voters


def voters_after(some, rounds):
    """The voters of each template of a crawl whose pages wait to the end, and have voted now and then until there."""
    learning = SiteLearning()
    for number, one in enumerate(some):
        learning.judge(one, wait=True)
        if number in rounds:
            learning.voters_arrived(are_last=False)
    learning.voters_arrived()
    return {template.key_url: template.page_urls for template in learning.templates}


@settings(max_examples=15, deadline=None)
@given(st.data())
def test_pages_that_voted_before_the_last_ones_came_change_nothing(data):
    some = [one for kind in KINDS for one in pages(kind, data.draw(st.integers(3, MAX_VOTERS)))]
    some = data.draw(st.permutations(some))
    rounds = data.draw(st.sets(st.sampled_from(range(len(some))), max_size=3))
    assert voters_after(some, rounds) == voters_after(some, set())


def test_a_page_that_is_alone_gets_a_template_that_serves_no_other():
    strange = Page(page("a", 99).text.replace('class="a', 'class="strange'), "http://a.example/strange")
    learning = learnt(*pages("a", FURTHER_SAMPLE), strange)
    lone = [template for template in learning.templates if template.is_lone]
    assert [template.key_url for template in lone] == [strange.url]
    assert judged(learning, strange).template is lone[0]
    other = Page(strange.text.replace("Own", "More"), "http://a.example/other")
    assert judged(learning, other, learn=False).template is not lone[0]


def test_without_waiting_a_page_that_fits_none_searches_if_hardly_any_other_page_is_known():
    learning = SiteLearning()
    assert isinstance(learning.judge(page("a", 0), search=True), NeedsSearch)
    assert not judged(learning, page("a", 0)).fits
    judged(learning, page("a", 1))
    match = judged(learning, page("a", 2), search=True)
    assert match.fits, "the two others vote for it"
    assert "Fixed" not in match.clean.text


def test_pages_that_could_not_wait_vote_for_their_type_all_the_same():
    """Each of the first ones has a template of its own, and they are no reason for the next ones to have one."""
    learning = SiteLearning()
    for one in pages("a", 9):
        judged(learning, one)
    learning.voters_arrived(are_last=False)
    assert [len(template.page_urls) for template in learning.templates if not template.is_lone] == [8]
    assert judged(learning, page("a", 50)).fits


def test_with_no_search_allowed_nothing_is_learnt():
    learning = SiteLearning(budget=Budget(0))
    for one in pages("a", 20):
        assert not judged(learning, one, wait=True, search=True).fits
    assert not learning.is_due(are_last=True)


def test_stored_templates_serve_at_once_and_do_not_grow():
    stored = Template.from_pages(page("a", 0), pages("a", 2, 1))
    learning = SiteLearning()
    assert learning.add_stored([stored]) == 1
    assert learning.add_stored([Template.from_dict(stored.to_dict())]) == 0, "it is known"
    for one in pages("a", 30, 3):
        assert judged(learning, one, wait=True, search=True).template is stored
    learning.voters_arrived()
    assert learning.take_events() == []


def test_the_least_recently_used_template_is_dropped():
    learning = SiteLearning()
    kept = [Template.from_pages(page("a", n), pages("a", 2, n + 1)) for n in range(MAX_TEMPLATES)]
    learning.add_stored(kept)
    waiting(learning, pages("b", 3))
    learning.voters_arrived()
    new, dropped = learning.take_events()
    assert isinstance(new, TemplateLearnt)
    assert dropped == TemplateDropped(kept[-1])
    assert learning.templates == [new.template, *kept[:-1]]


def test_a_template_that_is_too_large_is_not_kept():
    learning = SiteLearning(max_template_bytes=100)
    waiting(learning, pages("a", 5))
    learning.voters_arrived()
    assert learning.templates == []
    assert not judged(learning, page("a", 6)).fits


def test_the_sample_is_complete_once_and_then_with_fewer_pages():
    learning = SiteLearning()
    waiting(learning, pages("a", FIRST_SAMPLE - 1))
    assert not learning.is_complete
    waiting(learning, pages("b", 1))
    assert learning.is_complete
    learning.voters_arrived()
    assert not learning.is_complete
    waiting(learning, pages("c", FURTHER_SAMPLE))
    assert learning.is_complete


def strange_page(number):
    """A page with classes of its own, and nothing but a few words in common with the others."""
    rows = "".join(f'<p class="n{number}-{i}">Said {number} {i}<b>{"x" * number}</b></p>' for i in range(9))
    return Page(f"<html><body><i>Frame</i>{rows}</body></html>", f"http://a.example/{number}")


@pytest.fixture
def votes(monkeypatch):
    """The number of voters of each template that is made."""
    found, make = [], Template.from_pages

    def counted(key, voters, *args, **options):
        found.append(len(voters))
        return make(key, voters, *args, **options)

    monkeypatch.setattr(Template, "from_pages", counted)
    return found


def test_the_cost_is_bounded_by_the_pages_even_where_each_is_of_a_type_of_its_own(monkeypatch, votes):
    searches, aligned = [], []
    match = TemplateSet.match

    def matched(self, one, **options):
        found = match(self, one, **options)
        aligned.append(len(found.alignments))
        return found

    monkeypatch.setattr(TemplateSet, "match", matched)
    learning, count = SiteLearning(), 150
    for number in range(count):
        one = strange_page(number)
        options = {"wait": True, "search": True}
        while not isinstance(verdict := learning.judge(one, **options), Judged):
            if isinstance(verdict, NeedsSearch):
                searches.append(number)
                learning.begin_search()
                learning.end_search(one, loads=5)
                options["search"] = False
            else:
                options["wait"] = False
        if learning.is_complete:
            learning.voters_arrived()
    assert len(searches) <= MAX_FAILURES
    assert sum(votes) <= count + FREE_VOTES
    assert max(aligned) <= 3
    assert len(learning.templates) <= MAX_TEMPLATES


@st.composite
def made_sites(draw):
    """Pages of up to four types; some are alone, some are copies."""
    found = []
    for kind in KINDS:
        found += pages(kind, draw(st.sampled_from([0, 1, 2, 3, 7, 13, 15])))
    copies = draw(st.lists(st.sampled_from(found), max_size=3)) if found else []
    return found + [Page(one.text, f"{one.url}?copy={index}") for index, one in enumerate(copies)]


def cleaned(some):
    """The pages as a crawl cleans them that downloads all of them while they wait."""
    learning = SiteLearning()
    held = waiting(learning, some)
    learning.voters_arrived()
    return {one.url: judged(learning, one).clean.html for one in held}


@settings(max_examples=15, deadline=None)
@given(made_sites(), st.integers(0, 10))
def test_the_order_of_arrival_does_not_matter(some, seed):
    assert cleaned(some) == cleaned(random.Random(seed).sample(some, len(some)))


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_whatever_happens_every_page_is_judged_and_keeps_its_own_words(data):
    """Arrivals, searches that find or fail, voters that arrive early, templates of others, a crawl that is closed."""
    stored = Template.from_pages(page("a", 50), pages("a", 2, 51))
    learning = SiteLearning(
        votes=data.draw(st.sampled_from([1, 2])), budget=Budget(data.draw(st.sampled_from([0, 1, 40])))
    )
    some = data.draw(made_sites())
    held, ended = [], 0
    for one in [*some, None]:
        event = data.draw(st.sampled_from(["", "", "", "voters", "stored", "closing"]))
        if event == "voters":
            learning.voters_arrived()
        elif event == "stored":
            learning.add_stored([stored])
        is_last = one is None or event == "closing"
        looking = [*held, *([] if one is None else [one])]
        held = []
        for each in looking:
            wait, search = not is_last, True
            while not isinstance(verdict := learning.judge(each, wait=wait, search=search), Judged):
                if isinstance(verdict, NeedsVoters):
                    assert wait
                    held.append(each)
                    break
                assert search
                learning.begin_search()
                found = data.draw(st.lists(st.sampled_from(some), max_size=4))
                learning.end_search(each, found, loads=data.draw(st.integers(0, 3)))
                search = data.draw(st.booleans()) and not learning.budget.given_up
            else:
                ended += 1
                own = each.text.partition("<h2>")[2].partition("</h2>")[0]
                assert own in verdict.match.clean.html
    assert ended == len(some)


def typed_page(kind, number):
    """A page of one of many types in one frame."""
    frame = "".join(f'<p class="frame{i}">Frame words {i}</p>' for i in range(4))
    rows = "".join(f'<div class="k{kind}-{i}"><b class="k{kind}x{i}">Kind {kind} {i}</b></div>' for i in range(6))
    name = "".join(chr(97 + int(digit)) for digit in str(number))
    return Page(
        f"<html><body>{frame}{rows}<h1>Own {kind}{name}</h1></body></html>", f"http://a.example/{kind}/{number}"
    )


def test_a_template_keeps_the_votes_of_pages_that_have_left_the_sample():
    some = [typed_page(0, number) for number in range(8)]
    learning = learnt(*some)
    others = [typed_page(kind, number) for kind in range(1, 16) for number in range(4)]
    for one in [*others, typed_page(0, 8)]:
        learning.judge(one, wait=True)
    learning.voters_arrived()
    assert max(len(one.page_urls) for one in learning.templates if one.key_url in {page.url for page in some}) == 7


def test_there_is_nothing_to_learn_where_all_pages_are_of_mature_types():
    learning = SiteLearning()
    waiting(learning, pages("a", FURTHER_SAMPLE))
    learning.voters_arrived(are_last=False)
    assert not learning.is_due(are_last=True)


@pytest.mark.parametrize(("kinds", "is_each_last"), [(8, True), (20, False), (40, True)])
def test_many_types_cost_no_more_votes_than_promised(votes, kinds, is_each_last):
    """Also where each page is the last one for a while, templates are dropped, and pages leave the sample."""
    learning, count = SiteLearning(), 200
    for number in range(count):
        learning.judge(typed_page(number * 7 % kinds, number), wait=True)
        if is_each_last or learning.is_complete:
            learning.voters_arrived(are_last=is_each_last)
    learning.voters_arrived()
    # each page that is the last one for a while makes the first twelve of its type vote again
    assert sum(votes) <= (7 if is_each_last else 4) * count + FREE_VOTES + count
    identities = [template.identity for template in learning.templates]
    assert len(identities) == len(set(identities)) <= MAX_TEMPLATES
    assert judged(learning, typed_page(1, 1), learn=False).fits


def test_a_better_template_of_the_same_key_page_replaces_a_known_one():
    lone = Template.from_pages(page("a", 0), pages("a", 3, 1), is_lone=True)
    whole = Template.from_pages(page("a", 0), pages("a", 3, 1))
    learning = SiteLearning()
    assert [learning.add_stored([one]) for one in (lone, whole, lone)] == [1, 1, 0]
    assert learning.templates == [whole]


def test_a_template_that_raises_is_set_aside_and_learnt_anew():
    """A store may hold what passes all checks and fails at a match."""
    some = pages("a", 6)
    (broken,), (good,) = learnt(*some).templates, learnt(*pages("b", 6)).templates
    broken.key_page.ballot.varying.add(10**6)
    learning = SiteLearning()
    assert learning.add_stored([broken, good]) == 2
    assert isinstance(learning.judge(some[0], wait=True), NeedsVoters)
    assert (learning.templates, learning.take_events()) == ([good], [TemplateBroken(broken)])
    waiting(learning, some)
    learning.voters_arrived()
    assert all(judged(learning, one).fits for one in some)
    assert [type(event) for event in learning.take_events()] == [TemplateLearnt]


def test_what_raises_without_a_template_is_raised(monkeypatch):
    learning = learnt(*pages("a", 6))
    monkeypatch.setattr(learning, "match", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        learning.judge(page("a", 9))
    assert learning.templates
