"""Templates as stored data: what is written can be read, and what is damaged is refused."""

import copy
import json
from typing import Any

import pytest
from helpers.made_sites import HOST, SOME, learn, page, site
from hypothesis import example, given
from hypothesis import strategies as st

from templex_scrapy import Page, Template
from templex_scrapy.mapping import PUBLISHED_CONTENT, PUBLISHED_QUICK

BLOCK = '<ul class="c"><li>One of them</li><li>Two of them</li><li><a href="x.html">Three</a></li></ul>'


def body(number):
    moved = "<br>" * number + BLOCK
    return f'<h1 id="h">Head {number}</h1>{moved}<p>{"odd" if number % 2 else "even"} 😀 &lt;</p><img src="i.png">'


PAGES = site(body)


TEMPLATES = {
    "plain": learn(PAGES),
    "one vote": learn(PAGES, votes=1),
    "quick": Template.from_pages(PAGES[0], PAGES[1:3], 2, similarity=PUBLISHED_QUICK),
    "content": Template.from_pages(PAGES[0], PAGES[1:3], 3, similarity=PUBLISHED_CONTENT),
    "lone": Template.from_pages(PAGES[0], PAGES[1:], 2, is_lone=True),
    "many pages": Template.from_pages(PAGES[0], PAGES[1:3], site_texts=dict.fromkeys(range(2**52 - 2_000, 2**52), 0.5)),
    "no voters": Template.from_pages(PAGES[0], []),
    "empty pages": Template.from_pages(Page("", HOST), [Page(" ", f"{HOST}1"), Page("x", f"{HOST}2")]),
    "strange texts": Template.from_pages(Page("<p>\ud800 \x00 &#12; é", ""), [Page("a", "x"), Page("<p>\udfff", "y")]),
}


def told(template, about):
    """All that a template tells of a page."""
    match = template.match(about)
    return (
        template.key_url,
        template.page_urls,
        template.votes,
        template.nodes,
        template.is_empty,
        template.is_lone,
        match.fits,
        match.coverage,
        match.nodes,
        match.removable,
    )


@pytest.mark.parametrize("name", TEMPLATES)
def test_what_was_stored_is_read_again(name):
    template = TEMPLATES[name]
    data = template.to_dict()
    for read in (Template.from_dict(json.loads(json.dumps(data))), Template.from_dict(data)):
        for about in [*PAGES, page("<p>Another"), Page("", HOST), Page(PAGES[1].text, "http://site.test/z/p.html")]:
            assert told(read, about) == told(template, about)
        assert read.to_dict() == data
        assert (read, hash(read)) == (template, hash(template))
        assert template != data
    assert [other for other, made in TEMPLATES.items() if made == template] == [name]


def test_what_was_stored_cleans_pages_as_the_template_in_memory_does():
    """Frames and comments are no nodes, and only the key page has them here."""
    side = '<div><div class="side"><p>Fixed words of all</p>{}</div></div><p>Fixed <!-- -->end{}</p>'
    frames = ["<iframe></iframe>", "<noscript>x</noscript>", ""]
    for frame in frames:
        pages = site(lambda n, frame=frame: "<br>" * n + side.format(*(["" if n else frame] * 2)))
        template = learn(pages)
        read = Template.from_dict(json.loads(json.dumps(template.to_dict())))
        assert read.key_page.arrays.continued == template.key_page.arrays.continued != frozenset()
        for about in pages:
            one, other = template.match(about), read.match(about)
            assert (other.clean.html, other.clean.text) == (one.clean.html, one.clean.text)
        assert [text.text for text in read.removed_texts()] == [text.text for text in template.removed_texts()]
        assert ("side" in template.match(pages[3]).clean.html) is bool(frame)


def test_the_data_belongs_to_who_asked_for_it():
    template = learn(PAGES)
    before, told_before = copy.deepcopy(template.to_dict()), told(template, PAGES[3])
    data = template.to_dict()
    for value in data.values():
        if isinstance(value, list | dict):
            value.clear()
    assert template.to_dict() == before
    assert told(template, PAGES[3]) == told_before


# --- damage ---


GOOD: dict[str, Any] = TEMPLATES["plain"].to_dict()
WRONG: list[Any] = [None, True, -2, 1.5, "x", b"x", [], {}, [None], [[]], {"x": None}, "\ud800", 10**30]


def fails_or_works(data):
    try:
        return Template.from_dict(data)
    except ValueError:
        return None


@pytest.mark.parametrize(
    "data", [*WRONG, {"format": 0}, {"format": "1"}, {**GOOD, "format": 8}, {**GOOD, "more": 1}], ids=repr
)
def test_what_is_no_template_is_refused(data):
    with pytest.raises(ValueError, match="stored template"):
        Template.from_dict(data)


@pytest.mark.parametrize("key", sorted(GOOD))
def test_a_missing_or_wrong_part_raises_nothing_but_value_error(key):
    with pytest.raises(ValueError, match="stored template"):
        Template.from_dict({name: part for name, part in GOOD.items() if name != key})
    for wrong in WRONG:
        if (read := fails_or_works({**GOOD, key: wrong})) is not None:
            assert read.match(PAGES[3]).clean.html


@pytest.mark.parametrize(
    ("key", "change"),
    [
        ("tag_strings", lambda v: v[:-1]),
        ("texts", lambda v: [None] * len(v)),
        ("texts", lambda v: ["x"] * len(v)),
        ("sizes", lambda v: [0, *v[1:]]),
        ("sizes", lambda v: [v[0], v[0], *v[2:]]),
        ("sizes", lambda v: [10**9] * len(v)),
        ("present", lambda v: v[:-1]),
        ("present", lambda v: [0, *v[1:]]),
        ("votes", lambda _: 0),
        ("other_values", lambda v: {position: dict.fromkeys(values, 2**31) for position, values in v.items()}),
        ("block_shapes", lambda v: [(tag, nodes, 2**31) for tag, nodes, _ in v]),
        ("site_texts", lambda _: {2**52: 0.5}),
        ("site_texts", lambda _: dict.fromkeys(range(2_001), 0.5)),
        ("present", lambda v: [len(GOOD["urls"]) + 1, *v[1:]]),
        ("present", lambda v: [2**31, *v[1:]]),
        ("equal", lambda v: [len(GOOD["urls"]) + 1, *v[1:]]),
        *((name, lambda v: [*v, len(GOOD["texts"])]) for name in ("varying", "frame_parents", "continued")),
        ("urls", lambda v: v[:-1]),
        ("urls", lambda _: []),
        ("other_values", lambda _: {"0": {"x": 0}}),
        ("other_values", lambda _: {"0": {}}),
        ("other_values", lambda v: {**v, str(len(GOOD["texts"])): {"x": 1}}),
        ("blocks", lambda v: {**v, "made up": -1}),
        ("similarity", lambda v: {**v, "position": 2}),
        ("similarity", lambda v: {**v, "position": float("nan")}),
        ("names", lambda v: {**v, "p x": 0}),
        ("single_share", lambda _: 2),
        ("text_digests", lambda v: v[:-1]),
    ],
)
def test_damage_is_refused(key, change):
    with pytest.raises(ValueError, match="stored template"):
        Template.from_dict({**GOOD, key: change(copy.deepcopy(GOOD[key]))})


scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 40),
    st.sampled_from([10**9, 10**30, -(10**30), 0.5, float("nan"), float("inf")]),
    st.text(max_size=5),
    st.sampled_from(["#text", "<a>", '<a href="x">', "<", "", '<b class="x', "&#1;", "http://[x"]),
)


values = st.recursive(scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner))


@st.composite
def damaged(draw):
    """The data of a template in which some values, at whatever depth, are others."""
    data = copy.deepcopy(GOOD)
    for _ in range(draw(st.integers(1, 4))):
        here: Any = data
        key: Any = draw(st.sampled_from(sorted(data)))
        while isinstance(here[key], list | dict) and here[key] and draw(st.integers(0, 4)):
            here = here[key]
            key = draw(st.sampled_from(sorted(here) if isinstance(here, dict) else range(len(here))))
        how = draw(st.sampled_from(["replace", "replace", "delete", "repeat", "swap"]))
        if how == "delete" and len(here) > 1:
            del here[key]
        elif how == "repeat" and isinstance(here, list):
            here.insert(key, copy.deepcopy(here[key]))
        elif how == "swap" and isinstance(here, list):
            other = draw(st.integers(0, len(here) - 1))
            here[key], here[other] = here[other], here[key]
        else:
            here[key] = draw(values)
    return data


# start tags that no parser writes
ODD_TAGS = [tag.replace('href="', 'href="&#x110000;&#99999999999999999999;') for tag in GOOD["tag_strings"]]


@SOME
@example({**GOOD, "tag_strings": ODD_TAGS})
@given(damaged())
def test_damaged_data_raises_nothing_but_value_error_and_what_is_read_works(data):
    read = fails_or_works(data)
    if read is not None:
        for about in (PAGES[0], PAGES[3], Page("<p>x", "")):
            match = read.match(about)
            assert match.removable <= match.nodes <= set(range(len(about.nodes)))
            assert 0 <= match.coverage <= 1
            assert match.clean.html == about.text or match.removable
        fails_or_works(read.to_dict())
