"""Why a node is template: the reasons agree with the match that they explain."""

import pytest
from helpers.made_sites import HOST, MENU, SOME, learn, own, page, site
from helpers.strategies import page_groups
from hypothesis import given

from templex_scrapy import Match, Page, Template
from templex_scrapy.content import Kept
from templex_scrapy.page import nodes_of
from templex_scrapy.template import Explanation, Fate, Removed, TemplateSet, ValueType


def at(page_, text):
    """The position of the text node with this text."""
    return next(position for position, said in enumerate(nodes_of(page_).texts) if said and text in said)


@pytest.fixture
def pages():
    return site(lambda n: f"<h1>Headline {n}</h1><p><a href='/r'>All rights reserved</a></p>")


@pytest.mark.parametrize(
    ("of", "text", "fate", "counts"),
    [
        (0, "All rights", Fate.REMOVED, (2, 2, 2)),
        (0, "Headline", Fate.OWN, (2, 2, 0)),
        # the key page votes on other pages, and a page has no vote on itself
        (3, "All rights", Fate.REMOVED, (3, 3, 3)),
        (1, "All rights", Fate.REMOVED, (2, 2, 2)),
    ],
)
def test_votes_on_a_text(pages, of, text, fate, counts):
    reason = Explanation(learn(pages).match(pages[of])).reason(at(pages[of], text))
    assert (reason.fate, reason.needed, reason.value_type, reason.is_moved) == (fate, 2, ValueType.TEXT, False)
    assert (reason.voters, reason.present, reason.equal) == counts


def test_a_text_that_repeats_and_is_kept():
    pages = site(lambda n: f"<h1>Headline {n}</h1><p><b>Label:</b> value {n}</p><p>Small note</p>")
    explanation = Explanation(learn(pages).match(pages[0]))
    reasons = {text: explanation.reason(at(pages[0], text)) for text in ("Label", "Small note")}
    assert {reason.fate for reason in reasons.values()} == {Fate.KEPT}
    assert {text: reason.kept for text, reason in reasons.items()} == {
        "Label": Kept.LINE,
        "Small note": Kept.SMALL,
    }


def test_targets_sources_values_and_nothing():
    """Each kind of thing that a node can say has its name."""
    body = '<a href="/x">l</a><img src="/i.png"><time datetime="2020-01-01">t</time><p>w</p>'
    pages = site(lambda _: body)
    match = learn(pages).match(pages[0])
    explanation = Explanation(match)
    kinds = {pages[0].nodes[position].tag: explanation.reason(position).value_type for position in range(len(pages[0]))}
    assert kinds["a"] is ValueType.TARGET
    assert kinds["img"] is ValueType.SOURCE
    assert kinds["time"] is ValueType.ATTRIBUTES
    assert kinds["p"] is ValueType.NONE
    assert kinds["#text"] is ValueType.TEXT


def test_block_elsewhere():
    """A box that stands word for word on other pages, at another place, is template though no vote says so."""
    box = "".join(f"<li><a href='/b{i}'>boxed entry {i}</a></li>" for i in range(6))
    moved = f"<section><div><ul class=moved>{box}</ul></div></section>"
    bodies = {0: f"<p>some story</p><aside>{moved}</aside>", 1: moved, 2: f"<nav>{moved}</nav>"}
    pages = [page(MENU + bodies[number] + own(number), f"{HOST}a/p{number}.html") for number in range(3)]
    template = Template.from_pages(pages[0], pages[1:])
    reason = Explanation(template.match(pages[0])).reason(at(pages[0], "boxed entry 0"))
    assert reason.fate is Fate.REMOVED
    assert reason.is_moved


def test_what_is_removed_without_votes_on_its_value():
    """A link of the frame leads elsewhere on each page, and what the user removes is on no other page."""
    make = lambda n: f"<main>{own(n)}<p class=note>Note {n}</p></main><ul><li><a href=/{n}/edit>Edit</a></li></ul>"
    pages = [page(MENU + make(n), f"{HOST}{n}") for n in range(8)]
    match = Template.from_pages(pages[0], pages[1:]).match(pages[0], remove=[".note"])
    reasons = {text: Explanation(match).reason(at(pages[0], text)) for text in ("Edit", "Note", "menu entry")}
    assert {reason.fate for reason in reasons.values()} == {Fate.REMOVED}
    assert [reason.removed for reason in reasons.values()] == [Removed.LINK, Removed.SELECTED, Removed.REPEATED]
    assert not any(reason.is_moved for reason in reasons.values())


def test_of_several_templates_the_one_with_the_best_coverage_counts(pages):
    templates = [learn(pages), Template.from_pages(pages[1], [pages[2], pages[3]])]
    reason = Explanation(TemplateSet(templates).match(pages[0])).reason(at(pages[0], "All rights"))
    assert (reason.fate, reason.needed) == (Fate.REMOVED, 2)


def test_no_template_and_no_such_node():
    explanation = Explanation(Match(page("<p>alone</p>")))
    assert (explanation.reason(0).voters, explanation.reason(0).fate) == (0, Fate.OWN)
    for position in (-1, 3):
        with pytest.raises(IndexError, match=str(position)):
            explanation.reason(position)


@SOME
@given(sources=page_groups)
def test_reasons_agree_with_the_match(sources):
    """Fates are those of the match, and no page has a value without the node."""
    pages = [Page(source, f"{HOST}p{number}") for number, source in enumerate(dict.fromkeys(sources))]
    match = Template.from_pages(pages[0], pages[1:]).match(pages[0])
    explanation = Explanation(match)
    for position in range(len(pages[0])):
        reason = explanation.reason(position)
        assert (reason.fate is Fate.REMOVED) == (position in match.removable)
        assert (reason.fate is not Fate.OWN) == (match.fits and position in match.nodes)
        assert 0 <= reason.equal <= reason.present <= reason.voters
