"""Items: what stands in the same list on many pages is template there, however it looks, and stays all the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from made_sites import HOST, MENU, own, page

from templex_scrapy import Match, Page, Template
from templex_scrapy.template.growth import PendingPage, grown
from templex_scrapy.template.items import TIMES, Items, items_of

NAMES = ("beach", "castle", "garden", "harbour", "market", "museum", "palace", "tower")
PAGES = 13

Body = Callable[[int], str]


def pages_with(body: Body, count: int = PAGES + 1) -> list[Page]:
    return [page(MENU + body(number) + own(number), f"{HOST}a/p{number}.html") for number in range(count)]


def grown_up(pages: Sequence[Page]) -> Template:
    """The template of the first page, learnt from three others and grown by the rest."""
    return grown(Template.from_pages(pages[0], pages[1:4]), [PendingPage.of(one) for one in pages[4:]], 2)


def match_of(body: Body, which: int = PAGES) -> Match:
    """The match of a page of the site; of the last, which the template has not seen."""
    pages = pages_with(body)
    return grown_up(pages[:PAGES]).match(pages[which])


def submenu(number: int) -> str:
    """A list of links in which the page's own entry is no link, and looks different."""
    entries = [f'<li class="entry"><a href="/{name}.html">{name}</a></li>' for name in NAMES]
    entries[number % len(NAMES)] = f'<li class="here"><b>{NAMES[number % len(NAMES)]}</b></li>'
    return f'<ul class="sub">{"".join(entries)}</ul>'


def holding(match: Match, words: str) -> set[int]:
    """Positions of a text and of the element around it."""
    (text,) = [node for node in match.page.nodes if node.text == words]
    assert text.parent is not None
    return {text.position, text.parent.position}


@pytest.mark.parametrize("which", [0, 5, PAGES], ids=["key page", "voter", "stranger"])
def test_the_entry_of_the_page_itself_is_template_like_the_others(which: int) -> None:
    match = match_of(submenu, which)
    here = holding(match, NAMES[which % len(NAMES)])
    assert here <= match.nodes
    assert not here & match.removable
    assert own(which) in match.strip()


def test_a_submenu_that_the_key_page_lacks_is_template() -> None:
    match = match_of(lambda number: submenu(number) if number % 4 else "")
    for name in NAMES:
        assert holding(match, name) <= match.nodes


def test_the_template_says_the_same_of_its_key_page_as_a_match_does() -> None:
    pages = pages_with(submenu)
    template = grown_up(pages[:PAGES])
    assert template.nodes == template.match(pages[0]).nodes
    read = Template.from_dict(template.to_dict())
    assert read.nodes == template.nodes
    assert read.match(pages[PAGES]).nodes == template.match(pages[PAGES]).nodes


def test_items_let_nothing_go() -> None:
    pages = pages_with(submenu)
    template = grown_up(pages[:PAGES])
    without = Template.from_dict({**template.to_dict(), "items": {}})
    for one in pages:
        assert template.match(one).removable == without.match(one).removable
        assert template.match(one).coverage == without.match(one).coverage
    assert template.match(pages[PAGES]).nodes > without.match(pages[PAGES]).nodes


def odd_list(said: str, tag: str, number: int) -> str:
    """A list of two entries that looks different on each page, so that the mapping does not find it."""
    entry = f'<li class="e{number}" title="t{number}">'
    return f'<{tag} class="k{number}">{entry}{said}</li>{entry}things{number}</li></{tag}>'


@pytest.mark.parametrize(
    ("said", "tag", "share", "is_template"),
    [
        ("opening hours", "ul", 1, True),
        ("opening hours", "ol", 1, False),
        ("opening hours", "ul", 3, False),
        ("12 / 7", "ul", 1, False),
    ],
    ids=["the same list", "another list", "a third of the pages", "numbers"],
)
def test_words_in_the_same_list_of_enough_pages(said: str, tag: str, share: int, *, is_template: bool) -> None:
    def body(number: int) -> str:
        if number == PAGES:
            return odd_list(said, tag, number)
        return odd_list(said, "ul", number) if number and number % share == 0 else ""

    match = match_of(body)
    assert (holding(match, said) <= match.nodes) == is_template
    assert not holding(match, said) & match.removable


def test_what_a_page_has_more_often_is_none() -> None:
    for times in range(1, TIMES + 2):
        found = items_of(page("<p>reply</p>" * times).values)
        assert [len(positions) for positions in found.values()] == ([times] if times <= TIMES else [])


def test_an_item_is_all_that_holds_nothing_else_that_speaks() -> None:
    one = page('<div><p class="a"><i></i><a href="/x"><b>words</b></a></p><p><img src="/i.png"></p></div>')
    found = sorted(positions for (positions,) in items_of(one.values).values())
    assert [one.nodes[position].element.tag for position in found] == ["p", "p"]


def test_three_pages_have_no_items() -> None:
    """Where few vote, as many let a node go as make it template."""
    pages = pages_with(submenu)
    template = Template.from_pages(pages[0], pages[1:4])
    without = Template.from_dict({**template.to_dict(), "items": {}})
    for one in (pages[0], pages[1], pages[5]):
        assert template.match(one).nodes == without.match(one).nodes


def test_content_that_was_taken_out_has_no_items() -> None:
    pages = pages_with(submenu)
    content = frozenset(node.position for node in pages[0].nodes if node.tag == "ul")
    template = Template.from_pages(pages[0], pages[1:3], content=content).joined(pages[3:PAGES], 6, 3)
    assert not template.to_dict()["items"]


def test_joining_in_steps_never_counts_more_than_at_once() -> None:
    node_values = [one.values for one in pages_with(lambda number: submenu(number) if number % 3 else "")]
    at_once = Items.common_to(node_values).pages
    in_steps = Items.common_to(node_values[:4]).joined(node_values[4:7]).joined(node_values[7:]).pages
    assert in_steps.keys() <= at_once.keys()
    assert all(count <= at_once[item] for item, count in in_steps.items())
    assert {item for item, count in at_once.items() if count == len(node_values)} <= {
        item for item, count in in_steps.items() if count == len(node_values)
    }
    assert Items.common_to(node_values[:4]).joined([]).pages == Items.common_to(node_values[:4]).pages


def test_elements_nested_without_end() -> None:
    deep = page("<div>" * 200 + "words" + "</div>" * 200)
    assert list(items_of(deep.values).values()) == [[1]]


def test_the_flags_of_the_key_page_stay_as_they_are() -> None:
    template = grown_up(pages_with(submenu)[:PAGES])
    flags = template._key.of_nodes.flags(own_vote=1)
    before = flags.copy()
    assert template.nodes
    assert flags == before
