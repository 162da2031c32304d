"""Why a node is template: the reasons agree with the match that they explain."""

from __future__ import annotations

import pytest
from hypothesis import given
from made_sites import HOST, MENU, SOME, learn, own, page, site
from site_pages import learn as learn_big
from site_pages import site as big_site
from strategies import page_groups

from templex_scrapy import Page, Template, combine, detect_content
from templex_scrapy.template.explanation import Explanation, Fate, Says
from templex_scrapy.view.reasons import sentence, told


def at(page_: Page, text: str) -> int:
    """The position of the text node with this text."""
    return next(position for position, said in enumerate(page_.arrays.texts) if said and text in said)


@pytest.fixture
def explained():
    key, voters = big_site()
    template, match = learn_big(key, voters)
    return key, template, match, Explanation(match, voters)


def test_words_that_repeat(explained):
    """A text that stands on all pages goes, and each page is told to have it."""
    key, _, _, explanation = explained
    reason = explanation.reason(at(key, "repeated banner"))
    assert (reason.fate, reason.says, reason.voters, reason.needed) == (Fate.GOES, Says.WORDS, 3, 2)
    assert (reason.place, reason.same, reason.is_block, reason.is_barred) == (3, 3, False, False)
    assert [(vote.url, vote.place, vote.same) for vote in reason.votes] == [
        (f"{HOST}section{number}/", True, True) for number in (1, 2, 3)
    ]


def test_words_of_the_page_itself(explained):
    """A headline is at its place on all pages and says something else on each."""
    key, _, _, explanation = explained
    reason = explanation.reason(at(key, "Headline"))
    assert (reason.fate, reason.place, reason.same) == (Fate.OWN, 3, 0)
    assert {(vote.place, vote.same) for vote in reason.votes} == {(True, False)}


def test_targets_sources_values_and_nothing():
    """Each kind of thing that a node can say has its name."""
    body = '<a href="/x">l</a><img src="/i.png"><time datetime="2020-01-01">t</time><p>w</p>'
    pages = site(lambda _: body)
    match = learn(pages).match(pages[0])
    explanation = Explanation(match)
    kinds = {pages[0].nodes[position].tag: explanation.reason(position).says for position in range(len(pages[0]))}
    assert kinds["a"] is Says.TARGET
    assert kinds["img"] is Says.SOURCE
    assert kinds["time"] is Says.VALUE
    assert kinds["p"] is Says.NOTHING
    assert kinds["#text"] is Says.WORDS


def test_block_elsewhere():
    """A box that stands word for word on other pages, at another place, is template though no vote says so."""
    box = "".join(f"<li><a href='/b{i}'>boxed entry {i}</a></li>" for i in range(6))
    moved = f"<section><div><ul class=moved>{box}</ul></div></section>"
    bodies = {0: f"<article><p>some story</p>{moved}</article>", 1: moved * 1, 2: f"<aside>{moved}</aside>"}
    pages = [page(MENU + bodies[number] + own(number), f"{HOST}a/p{number}.html") for number in range(3)]
    template = Template.from_pages(pages[0], pages[1:])
    reason = Explanation(template.match(pages[0]), pages[1:]).reason(at(pages[0], "boxed entry 0"))
    assert reason.fate is Fate.GOES
    assert reason.is_block
    assert "In a block that stands word for word on other pages" in sentence(reason, reason)


def test_what_the_hybrid_spares_is_barred(explained):
    """What was taken for main content had no vote."""
    key, _, _, _ = explained
    _, voters = big_site()
    template = Template.from_pages(key, voters, content=detect_content(key))
    reason = Explanation(template.match(key), voters).reason(at(key, "The river carries"))
    assert reason.is_barred
    assert reason.fate is Fate.OWN
    assert "no page had a vote" in sentence(reason, reason)


def test_another_page_of_the_site(explained):
    """For a page that is not the key page, the key page counts as one of those that have the node."""
    key, template, _, _ = explained
    other = big_site()[1][0]
    stranger = Page(other.text.replace("(1)", "(9)").replace("Headline 1", "Headline 9"), f"{HOST}section9/")
    explanation = Explanation(template.match(stranger), [key])
    reason = explanation.reason(at(stranger, "repeated banner"))
    assert (reason.voters, reason.place, reason.same) == (4, 4, 4)
    assert [(vote.url, vote.same) for vote in reason.votes] == [(key.url, True)]


def test_a_page_that_voted_itself(explained):
    """A page has no vote on itself."""
    _, template, _, _ = explained
    voter = big_site()[1][0]
    reason = Explanation(template.match(voter), [voter]).reason(at(voter, "repeated banner"))
    assert (reason.voters, reason.place, reason.same, reason.votes) == (3, 3, 3, ())


def test_several_templates(explained):
    """Of several templates that fit, the one with the best coverage speaks."""
    key, template, match, _ = explained
    _, voters = big_site()
    other = Template.from_pages(voters[0], [voters[1], voters[2]])
    combined = combine([other.match(key), template.match(key)])
    reason = Explanation(combined).reason(at(key, "repeated banner"))
    assert reason.fate is Fate.GOES
    assert reason.voters == 3
    assert reason.place == Explanation(match).reason(at(key, "repeated banner")).place


def test_no_template():
    """Without a template there is a reason as well."""
    lone = page("<p>alone</p>")
    match = Template.from_pages(lone, []).match(lone)
    reason = Explanation(match).reason(0)
    assert (reason.voters, reason.fate) == (0, Fate.OWN)
    assert sentence(reason, reason) == "No template was found for this page."


def test_positions_are_checked(explained):
    """A position that the page has not is an error, a negative one too."""
    key, _, _, explanation = explained
    for position in (-1, len(key)):
        with pytest.raises(IndexError, match=str(position)):
            explanation.reason(position)


@SOME
@given(sources=page_groups)
def test_reasons_agree_with_the_match(sources):
    """Fates are those of the match, and the single votes add up to the counts that decided."""
    pages = [Page(source, f"{HOST}p{number}") for number, source in enumerate(dict.fromkeys(sources))]
    match = Template.from_pages(pages[0], pages[1:]).match(pages[0])
    explanation = Explanation(match, pages[1:])
    for position in range(len(pages[0])):
        reason = explanation.reason(position)
        assert (reason.fate is Fate.GOES) == (position in match.removable)
        assert (reason.fate is not Fate.OWN) == (match.fits and position in match.nodes)
        assert sum(vote.place for vote in reason.votes) == reason.place
        assert sum(vote.same for vote in reason.votes) == reason.same


def test_told_names_each_reason_once(explained):
    """What the view's script reads is small: each reason once, and for each node a number."""
    key, _, _, explanation = explained
    data = told(key, explanation)
    assert len(data["nodes"]) == len(key)
    assert max(data["nodes"]) == len(data["reasons"]) - 1
    assert len({(one["fate"], one["text"], one["votes"]) for one in data["reasons"]}) == len(data["reasons"])
    assert data["pages"] == [f"{HOST}section{number}/" for number in (1, 2, 3)]
