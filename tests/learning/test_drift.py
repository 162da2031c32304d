"""A new design and a label that is gone are told within five pages, and nothing is told of a site that stays."""

import pytest

from templex_scrapy.learning import Patience, SiteLearning, TemplateChanged
from templex_scrapy.learning.drift import FIRST_PAGES, MOST_WITH_LABEL, PAGES_IN_A_ROW
from templex_scrapy.page import Page

FACTS = ("Brand", "Weight", "Colour")
WORDS = ("amber", "basil", "cedar", "delta", "ember", "fjord", "grove", "heath", "inlet", "jetty", "knoll", "lagoon")


def product(number, *, design="old", facts=FACTS, directory="2024/05"):
    """A page with a menu and facts; a design has tags and classes of its own."""
    tag = {"old": "div", "new": "section"}[design]
    menu = "".join(f'<{tag} class="{design}{i}"><a href="/m{i}">Menu {design} {i}</a></{tag}>' for i in range(8))
    word = WORDS[number]
    rows = "".join(f'<dt class="{design}k">{label}</dt><dd class="{design}v">{word} {label}ish</dd>' for label in facts)
    body = f'{menu}<h1 class="{design}h">Lamp {word}</h1><p>All about the {word} lamp.</p><dl>{rows}</dl>'
    return Page(f"<!DOCTYPE html><html><body>{body}</body></html>", f"http://a.example/{directory}/{word}/")


def learnt(pages):
    learning = SiteLearning()
    for page in pages:
        learning.judge(page, patience=Patience.VOTERS)
    learning.learn()
    return learning


def second_crawl(pages):
    """The changes that a crawl tells whose store has the templates of twelve products, and after how many pages."""
    learning = SiteLearning()
    stored = learnt(product(number) for number in range(12)).templates
    learning.add_stored(stored)
    learning.watch(stored)
    told = []
    # pages of known types are judged at once, the others when they have voted
    for patience in (Patience.VOTERS, Patience.NONE):
        for count, page in enumerate(pages, 1):
            learning.judge(page, patience=patience)
            told += [(count, event) for event in learning.take_events() if isinstance(event, TemplateChanged)]
        learning.learn()
    return told


def test_a_new_design_is_told_at_the_third_page_and_once():
    ((count, change),) = second_crawl([product(number, design="new", directory="2025/11") for number in range(8)])
    assert (count, len(change.pages), change.label) == (PAGES_IN_A_ROW, 3, "")
    assert "/2024/05/" in change.old.key_url
    assert change.new is not None
    assert change.new.match(product(9, design="new")).fits


@pytest.mark.parametrize(
    "met",
    [
        [product(number, design="old" if number == 2 else "new") for number in range(5)],
        [product(number, design="new", directory="shop") for number in range(8)],
        [product(number) for number in reversed(range(12))],
    ],
    ids=["a page of the old design between", "a section at other addresses", "other content"],
)
def test_what_is_no_change(met):
    assert second_crawl(met) == []


def test_a_type_that_the_crawl_has_met_is_not_watched_any_more():
    old, new = [product(n) for n in range(8, 8 + PAGES_IN_A_ROW)], [product(n, design="new") for n in range(4)]
    assert second_crawl([*old, *new]) == []
    assert len(second_crawl([*old[:1], *new])) == 1


def test_a_label_that_is_gone_is_told_at_the_fifth_page():
    ((count, change),) = second_crawl([product(number, facts=("Brand", "Colour")) for number in range(8)])
    assert (count, change.new, change.label, len(change.pages)) == (FIRST_PAGES, None, "Weight", FIRST_PAGES)


def test_a_label_that_two_of_the_first_pages_have_is_not_gone():
    lacking = [product(number, facts=("Brand", "Colour")) for number in range(8)]
    one, two = [product(9)] * MOST_WITH_LABEL, [product(9), product(10)]
    assert len(second_crawl([*one, *lacking])) == 1
    assert second_crawl([*two, *lacking]) == []
