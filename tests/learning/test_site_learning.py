"""How a site is learnt: who waits, who searches, who votes; in any order, and at a bounded cost."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from templex_scrapy.learning import (
    Budget,
    Judged,
    Patience,
    SiteLearning,
    TemplateBroken,
    TemplateDropped,
    TemplateGrown,
    TemplateLearnt,
    TemplateTooLarge,
)
from templex_scrapy.learning.budget import FREE_VOTES, MAX_EMPTY, MAX_FAILURES, MAX_LONE_VOTERS
from templex_scrapy.learning.site_learning import FIRST_SAMPLE, FURTHER_SAMPLE, MAX_ARRIVED, Phase
from templex_scrapy.page import Page
from templex_scrapy.template import MAX_TEMPLATES, PageFeatures, Template, TemplateSet

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


def strange_page(number):
    """A page with classes of its own, and nothing but a few words in common with the others."""
    rows = "".join(f'<p class="n{number}-{i}">Said {number} {i}<b>{"x" * number}</b></p>' for i in range(9))
    return Page(f"<html><body><i>Frame</i>{rows}</body></html>", f"http://a.example/{number}")


class Crawl:
    """A crawl whose pages wait until the sample is complete, or to its end."""

    def __init__(self, learning=None, searches=0):
        self.learning = learning or SiteLearning()
        self.searches = searches
        self.waiting, self.html = [], {}

    def arrive(self, one, links=()):
        """Let a page arrive, with the addresses that its callback requests."""
        self.judge([one], Patience.VOTERS)
        if not self.learning.is_settled:
            self.learning.plan.answer(one.url, links, size=len(one.text))
        if self.learning.is_complete:
            self.release(Patience.VOTERS)
        return self

    def release(self, patience):
        self.learning.learn()
        released, self.waiting = self.waiting, []
        self.judge(released, patience)

    def end(self, *some):
        """Let pages arrive, and be the last ones."""
        for one in some:
            self.arrive(one)
        self.release(Patience.SEARCH)
        return self

    def judge(self, some, patience):
        for one in some:
            verdict = self.learning.judge(one, patience=patience)
            if verdict is Patience.SEARCH:
                self.searches += 1
                self.learning.begin_search()
                self.learning.end_search(one, loads=5)
                verdict = self.learning.judge(one)
            if isinstance(verdict, Judged):
                self.html[one.url] = verdict.match.clean.html
            else:
                self.waiting.append(one)


def judged(learning, one, **options):
    verdict = learning.judge(one, **options)
    assert isinstance(verdict, Judged)
    return verdict.match


def learnt(*some):
    return Crawl().end(*some).learning


def verdicts(learning, one):
    found = (learning.judge(one, patience=patience) for patience in reversed(Patience))
    return [Judged if isinstance(verdict, Judged) else verdict for verdict in found]


def test_what_a_page_needs_before_the_site_is_learnt():
    """The table of the class: a page that may not wait gets what there is."""
    learning = SiteLearning()
    assert verdicts(learning, page("a", 0)) == [Patience.VOTERS, Patience.SEARCH, Judged]
    assert not judged(learning, page("a", 0)).fits
    learning.judge(page("a", 1), patience=Patience.VOTERS)
    assert verdicts(learning, page("a", 2)) == [Patience.VOTERS, Judged, Judged], "two others are known"
    match = judged(learning, page("a", 2))
    assert match.fits
    assert match.template.is_lone
    assert match.clean.text.split() == ["Own", "ac"]
    assert learning.judge(page("a", 2), patience=Patience.VOTERS) is Patience.VOTERS


def test_what_a_page_needs_once_the_site_is_learnt():
    crawl = Crawl(SiteLearning(max_pages=5))
    for one in pages("a", 5):
        crawl.arrive(one)
    learning = crawl.learning
    assert verdicts(learning, page("a", 9)) == [Judged] * 3
    assert judged(learning, page("a", 9)).clean.text.split() == ["Own", "aj"]
    assert verdicts(learning, page("b", 9))[0] is Patience.VOTERS, "of no known type"


def test_nothing_is_learnt_where_nothing_may_be():
    for learning, options in ((SiteLearning(budget=Budget(0)), {}), (SiteLearning(), {"learn": False})):
        for one in pages("a", 20):
            assert not judged(learning, one, patience=Patience.VOTERS, **options).fits
        assert not learning.is_due


def test_a_search_brings_a_template_that_gives_way_to_that_of_the_sample():
    learning = SiteLearning()
    learning.begin_search()
    found = learning.end_search(page("a", 0), pages("a", 2, 1), loads=2)
    assert learning.take_events() == [TemplateLearnt(found, by_search=True)]
    assert judged(learning, page("a", 0)).template is found, "for a page that may not wait"
    Crawl(learning).end(*pages("a", 8))
    (grown,) = learning.take_events()
    assert (type(grown), grown.old, learning.templates) == (TemplateGrown, found, [grown.new])
    assert len(grown.new.page_urls) == 7
    assert {page("a", 0).url, *found.page_urls} <= {grown.new.key_url, *grown.new.page_urls}, "they stay voters"


def test_a_search_that_ends_after_the_sample_has_voted_changes_no_page():
    """The store would give the template of the search to the next crawl, in which it would serve pages of the type."""
    learning = learnt(*pages("a", 6))
    learning.take_events()
    before = list(learning.templates)
    assert not learning.is_settled
    assert learning.end_search(page("a", 0), pages("a", 2, 1), loads=2) is not None
    assert (learning.templates, learning.take_events(), learning.budget.failures) == (before, [], 0)
    of_new_type = learning.end_search(page("b", 0), pages("b", 2, 1), loads=2)
    assert of_new_type.is_lone
    assert learning.take_events() == [TemplateLearnt(of_new_type, by_search=True)]


def test_the_template_of_a_page_that_could_not_wait_gives_way():
    learning = SiteLearning()
    for one in pages("a", 9):
        judged(learning, one)
    before = list(learning.templates)
    assert all(template.is_lone for template in before)
    learning.take_events()
    learning.learn()
    (template,) = learning.templates
    assert (template.is_lone, len(template.page_urls)) == (False, 8)
    events = learning.take_events()
    gone = [event.old if isinstance(event, TemplateGrown) else event.template for event in events]
    assert len(gone) == len(before)
    assert set(gone) == set(before)


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
    again = SiteLearning(budget=learning.budget)
    assert isinstance(again.judge(page("b", 0), patience=Patience.SEARCH), Judged), "what was spent survives"


def test_searches_end_when_they_are_used_up():
    learning = SiteLearning(budget=Budget(1))
    assert not learning.budget.given_up
    learning.begin_search()
    assert learning.budget.given_up


def test_the_sample_is_complete_with_the_plan_or_when_too_many_others_have_come():
    crawl = Crawl()
    for one in pages("a", FIRST_SAMPLE - 1):
        assert not crawl.arrive(one).learning.is_settled
    assert crawl.arrive(page("a", FIRST_SAMPLE)).learning.is_settled
    learning = SiteLearning()
    learning.plan.expect("http://a.example/never")
    for one in pages("a", MAX_ARRIVED):
        assert not learning.is_complete
        learning.judge(one, patience=Patience.VOTERS)
        learning.plan.answer(one.url, size=9)
    assert learning.is_complete


@pytest.mark.parametrize("count", [3, FURTHER_SAMPLE])
def test_a_later_type_changes_nothing_for_pages_of_known_types(count):
    known = [*pages("a", 25), *pages("b", FIRST_SAMPLE - 25)]
    crawl = Crawl()
    for one in known:
        crawl.arrive(one)
    before = dict(crawl.html)
    templates = list(crawl.learning.templates)
    crawl.end(*pages("c", count), strange_page(1))
    assert crawl.learning.match(page("c", 99)).clean.text.split() == ["Own", "cjj"]
    assert set(templates) < set(crawl.learning.templates)
    assert {one.url: judged(crawl.learning, one).clean.html for one in known} == before


def test_a_page_that_is_alone_gets_a_template_that_serves_no_other():
    strange = Page(page("a", 99).text.replace('class="a', 'class="strange'), "http://a.example/strange")
    learning = learnt(*pages("a", 12), strange)
    lone = [template for template in learning.templates if template.is_lone]
    assert [template.key_url for template in lone] == [strange.url]
    assert judged(learning, strange).template is lone[0]
    other = Page(strange.text.replace("Own", "More"), "http://a.example/other")
    assert judged(learning, other, learn=False).template is not lone[0]


def test_pages_that_link_each_other_vote_first():
    linked = [page("a", number) for number in (50, 51, 52)]
    crawl = Crawl()
    crawl.learning.begin_search()
    crawl.learning.end_search(linked[0], linked[1:], loads=2)
    crawl.end(*pages("a", 30), *linked)
    (template,) = crawl.learning.templates
    assert {one.url for one in linked} <= {template.key_url, *template.page_urls}


def test_stored_templates_settle_a_site_and_do_not_grow():
    stored = Template.from_pages(page("a", 0), pages("a", 2, 1))
    learning = SiteLearning()
    assert learning.add_stored([stored]) == 1
    assert learning.is_settled
    assert learning.add_stored([Template.from_dict(stored.to_dict())]) == 0, "it is known"
    for one in pages("a", 30, 3):
        assert judged(learning, one, patience=Patience.VOTERS).template is stored
    learning.learn()
    assert learning.take_events() == []


def test_all_templates_of_a_site_know_the_texts_of_all_of_the_first_sample():
    """In any order."""
    some = [*pages("a", 5), *pages("b", 4)]
    crawls = [Crawl(SiteLearning(max_pages=9)) for _ in range(2)]
    for crawl, order in zip(crawls, (some, some[::-1]), strict=True):
        crawl.end(*order)
    first, second = ({t.key_url[:18]: t.site_texts for t in crawl.learning.templates} for crawl in crawls)
    assert first == second
    assert len(first) == 2
    assert {len(texts) for texts in first.values()} == {5}, "those of a, which five of nine pages have"


def test_a_crawl_with_stored_templates_takes_the_texts_of_the_last_used_one_that_has_any():
    stored = [
        Template.from_pages(page(kind, 0), pages(kind, 3, 1), site_texts=texts)
        for kind, texts in (("a", {}), ("b", {5: 0.5}), ("c", {6: 0.5, 7: 0.5}))
    ]
    learning = SiteLearning()
    learning.add_stored(stored)
    Crawl(learning).end(*pages("d", 3))
    assert [dict(template.site_texts) for template in learning.templates if template not in stored] == [{5: 0.5}]


def test_a_better_template_of_the_same_key_page_replaces_a_known_one():
    lone = Template.from_pages(page("a", 0), pages("a", 3, 1), is_lone=True)
    whole = Template.from_pages(page("a", 0), pages("a", 3, 1))
    learning = SiteLearning()
    assert [learning.add_stored([one]) for one in (lone, whole, lone)] == [1, 1, 0]
    assert learning.templates == [whole]


def test_the_least_recently_used_template_is_dropped():
    kept = [Template.from_pages(page("a", n), pages("a", 2, n + 1)) for n in range(MAX_TEMPLATES)]
    learning = SiteLearning()
    learning.add_stored(kept)
    Crawl(learning).end(*pages("b", 3))
    new, dropped = learning.take_events()
    assert isinstance(new, TemplateLearnt)
    assert dropped == TemplateDropped(kept[-1])
    assert set(learning.templates) == {new.template, *kept[:-1]}


def test_a_template_that_is_too_large_is_not_kept():
    learning = SiteLearning(max_template_bytes=100)
    Crawl(learning).end(*pages("a", 5))
    assert learning.templates == []
    assert {type(event) for event in learning.take_events()} == {TemplateTooLarge}


def broken_template(kind="a"):
    template = Template.from_pages(page(kind, 0), pages(kind, 5, 1))
    template.key_page.ballot.varying.add(10**6)  # no such node
    return template


def test_a_template_that_raises_is_set_aside_and_learnt_anew():
    """A store may hold what passes all checks and fails at a match."""
    some = pages("a", 6)
    broken, (good,) = broken_template(), learnt(*pages("b", 6)).templates
    learning = SiteLearning()
    assert learning.add_stored([broken, good]) == 2
    crawl = Crawl(learning)
    crawl.arrive(some[0])
    assert (learning.templates, learning.take_events()) == ([good], [TemplateBroken(broken)])
    crawl.end(*some[1:])
    assert all(judged(learning, one).fits for one in some)
    assert [type(event) for event in learning.take_events()] == [TemplateLearnt]


@pytest.mark.parametrize(
    "go_on", [SiteLearning.learn, lambda learning: learning.end_search(page("b", 0), pages("b", 2, 1), loads=2)]
)
def test_a_template_of_another_process_that_raises_stops_no_votes(go_on):
    """It comes while pages wait, which would come out as they are."""
    crawl = Crawl(SiteLearning(max_pages=5))
    for one in (*pages("a", 5), *pages("b", 3)):
        crawl.arrive(one)
    good = list(crawl.learning.templates)
    crawl.learning.take_events()
    broken = broken_template("c")
    crawl.learning.add_stored([broken])
    go_on(crawl.learning)
    assert crawl.learning.take_events()[0] == TemplateBroken(broken)
    assert set(good) < set(crawl.learning.templates)
    assert crawl.learning.match(page("b", 0)).fits
    assert crawl.learning.is_settled


def lone_template():
    return Template.from_pages(page("b", 0), pages("b", 3, 1), is_lone=True)


@pytest.mark.parametrize(
    ("sampled", "is_complete", "stored", "phase"),
    [
        (0, False, [], Phase.SAMPLING),
        (5, False, [], Phase.HAS_VOTED),
        (2, False, [], Phase.SAMPLING),
        (5, True, [], Phase.SETTLED),
        (2, True, [], Phase.SETTLED),
        (0, False, [lone_template], Phase.SAMPLING),
        (0, False, [broken_template], Phase.SAMPLING),
        (0, False, [broken_template, lone_template], Phase.SETTLED),
        (5, False, [lone_template], Phase.HAS_VOTED),
    ],
)
def test_the_phases_of_a_site(sampled, is_complete, stored, phase):
    """The table of Phase: the sample votes in part or in whole, and templates of a store are there or fail."""
    learning = SiteLearning(max_pages=sampled if is_complete else FIRST_SAMPLE)
    for one in pages("a", sampled):
        learning.judge(one, patience=Patience.VOTERS)
        learning.plan.answer(one.url, size=9)
    learning.learn()
    learning.add_stored(make() for make in stored)
    learning.judge(page("c", 0))
    assert learning.phase is phase


def test_a_site_is_learnt_again_when_the_templates_of_its_first_sample_fail(monkeypatch):
    crawl = Crawl(SiteLearning(max_pages=5))
    learning = crawl.learning
    for one in pages("a", 5):
        crawl.arrive(one)
    with monkeypatch.context() as broken:
        broken.setattr(Template, "match", lambda *_: 1 / 0)
        broken.setattr(TemplateSet, "match", lambda *_, **__: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            learning.judge(page("a", 9))
    assert (learning.phase, learning.templates) == (Phase.SAMPLING, [])
    for one in pages("a", 60, 10):
        crawl.arrive(one)
    assert learning.phase is Phase.SETTLED
    assert learning.judge(page("a", 99), learn=False).match.fits


@pytest.fixture
def read(monkeypatch):
    """The addresses of the pages whose features are read."""
    found, of = [], PageFeatures.of.__func__
    monkeypatch.setattr(PageFeatures, "of", classmethod(lambda cls, one: found.append(one.url) or of(cls, one)))
    return found


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
    aligned, match = [], TemplateSet.match

    def matched(self, one, **options):
        found = match(self, one, **options)
        aligned.append(len(found.alignments))
        return found

    monkeypatch.setattr(TemplateSet, "match", matched)
    count = 150
    crawl = Crawl().end(*(strange_page(number) for number in range(count)))
    assert len(crawl.html) == count
    assert crawl.searches <= MAX_FAILURES
    assert sum(votes) <= 2 * (count + FREE_VOTES), "those of the samples, and those of pages that are left"
    assert max(aligned) <= 3
    assert len(crawl.learning.templates) <= MAX_TEMPLATES


def typed_page(kind, number):
    """A page of one of many types in one frame."""
    frame = "".join(f'<p class="frame{i}">Frame words {i}</p>' for i in range(4))
    rows = "".join(f'<div class="k{kind}-{i}"><b class="k{kind}x{i}">Kind {kind} {i}</b></div>' for i in range(6))
    name = "".join(chr(97 + int(digit)) for digit in str(number))
    return Page(
        f"<html><body>{frame}{rows}<h1>Own {kind}{name}</h1></body></html>", f"http://a.example/{kind}/{number}"
    )


@pytest.mark.parametrize(("kinds", "is_impatient"), [(8, True), (20, False), (40, True), (40, False)])
def test_many_types_cost_no_more_votes_than_promised(votes, kinds, is_impatient):
    """Also where no page can wait for long, so that the sample votes whenever it has grown by half."""
    crawl, count = Crawl(), 200
    for number in range(count):
        crawl.arrive(typed_page(number * 7 % kinds, number))
        if is_impatient and crawl.learning.is_due:
            crawl.release(Patience.SEARCH)
    crawl.end()
    assert len(crawl.html) == count
    assert sum(votes) <= (7 if is_impatient else 2) * count + FREE_VOTES
    identities = [template.identity for template in crawl.learning.templates]
    assert len(identities) == len(set(identities)) <= MAX_TEMPLATES
    assert judged(crawl.learning, typed_page(1, 1), learn=False).fits


def test_pages_that_wait_are_read_when_they_vote(read):
    """Of 200 pages that wait, 40 are the sample: to read the others twice would cost as much as to learn."""
    learning, some = SiteLearning(), pages("a", FIRST_SAMPLE + 5)
    for one in some:
        learning.judge(one, patience=Patience.VOTERS)
        learning.plan.answer(one.url, size=9)
    assert read == []
    learning.learn()
    assert {one.url for one in some[:FIRST_SAMPLE]} == set(read)


def test_a_page_that_the_parser_cuts_off_does_not_vote():
    """Its footer behind 3,000 nested quotes is no page's footer for it."""
    deep = Page(page("a", 3).text.replace("<h2>", "<q>" * 3_000 + "<h2>"), "http://a.example/deep")
    crawl = Crawl().end(*pages("a", 3), deep)
    (template,) = crawl.learning.templates
    assert deep.url not in {template.key_url, *template.page_urls}
    assert set(crawl.html) == {one.url for one in (*pages("a", 3), deep)}


def test_a_page_that_may_not_wait_has_few_others_read_and_no_page_that_was_cut_off(read):
    """Twelve calendars that wait, equal but for numbers, took seconds in the event loop."""
    learning, deep = SiteLearning(), "<q>" * 3_000
    for number in range(30):
        html = page("a", 0).text.replace("<h2>", f"{deep if number < 3 else ''}<h2>{number}")
        learning.judge(Page(html, f"http://a.example/{number}"), patience=Patience.VOTERS)
    match = judged(learning, page("b", 1), patience=Patience.NONE)
    assert len(read) <= 1 + 2 * MAX_LONE_VOTERS
    cut = {f"http://a.example/{number}" for number in range(3)}
    assert match.template is None or cut.isdisjoint(match.template.page_urls)


def test_the_sample_does_not_depend_on_when_pages_are_read():
    """Features of 100 pages with 1,000 classes each take more than the sample may."""
    classes = [" ".join(f"c{number}-{name}" for name in range(900)) for number in range(100)]
    learning, kept = SiteLearning(), []
    for number, names in enumerate(classes):
        one = Page(
            f'<i class="{names}">{number}</i><b>Word {chr(97 + number % 26)}</b>', f"http://a.example/{number:03}"
        )
        learning.judge(one, patience=Patience.VOTERS)
        if number == 50:
            learning.learn()
        kept.append(len(learning._sample))
    assert kept == list(range(1, 101))


@st.composite
def made_sites(draw):
    """Pages of up to four types, with their links; some are alone, some are copies."""
    found = []
    for kind in KINDS:
        found += pages(kind, draw(st.sampled_from([0, 1, 2, 3, 7, 13, 15])))
    copies = draw(st.lists(st.sampled_from(found), max_size=3)) if found else []
    found += [Page(one.text, f"{one.url}?copy={index}") for index, one in enumerate(copies)]
    addresses = [one.url for one in found]
    links = st.lists(st.sampled_from(addresses), max_size=6, unique=True) if found else st.just([])
    return [(one, draw(links)) for one in found]


def cleaned(arrivals, start, **options):
    """What a crawl makes of pages that arrive in an order: the plan, the sample's templates, and the outputs."""
    crawl = Crawl(SiteLearning(**options))
    crawl.learning.plan.expect(start)
    for one, links in arrivals:
        crawl.arrive(one, links)
    plan = [crawl.learning.plan.position(one.url) for one, _ in sorted(arrivals, key=lambda each: each[0].url)]
    crawl.end()
    templates = sorted(str(one.to_dict()) for one in crawl.learning.templates if not one.is_lone)
    return plan, templates, crawl.html


@settings(max_examples=25, deadline=None)
@given(made_sites().filter(bool), st.sampled_from([5, 12, FIRST_SAMPLE]), st.data())
def test_the_order_of_arrival_does_not_matter(site, most, data):
    """Neither for the plan, nor for the sample and its templates, nor for any page."""
    start = site[0][0].url
    # so that some page leads to each
    site = [(one, [*links, after.url]) for (one, links), (after, _) in zip(site, [*site[1:], site[0]], strict=True)]
    assert cleaned(data.draw(st.permutations(site)), start, max_pages=most) == cleaned(site, start, max_pages=most)


@settings(max_examples=25, deadline=None)
@given(made_sites(), st.data())
def test_whatever_happens_every_page_is_judged_and_keeps_its_own_words(site, data):
    """Arrivals, searches that find or fail, voters that arrive early, templates of others, a crawl that is closed."""
    stored = Template.from_pages(page("a", 50), pages("a", 2, 51))
    budget = Budget(data.draw(st.sampled_from([0, 1, 40])))
    crawl = Crawl(SiteLearning(votes=data.draw(st.sampled_from([1, 2])), budget=budget))
    some = [one for one, _ in site]
    for one, links in site:
        event = data.draw(st.sampled_from(["", "", "", "learn", "stored", "search"]))
        if event == "learn":
            crawl.release(data.draw(st.sampled_from(Patience)))
        elif event == "stored":
            crawl.learning.add_stored([stored])
        elif event == "search":
            crawl.learning.begin_search()
            found = data.draw(st.lists(st.sampled_from(some), max_size=4))
            crawl.learning.end_search(one, found, loads=data.draw(st.integers(0, 3)))
        crawl.arrive(one, links)
    crawl.end()
    assert len(crawl.html) == len({one.url for one in some})
    for one in some:
        assert one.text.partition("<h2>")[2].partition("</h2>")[0] in crawl.html[one.url]
