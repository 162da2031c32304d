"""The title of a page: what the site adds to every title goes, and nothing else."""

import pytest
from helpers.growth import growth
from helpers.made_sites import MENU, page
from hypothesis import given
from hypothesis import strategies as st

from templex_scrapy import SiteCleaner, Template
from templex_scrapy.metadata.site_title import SiteTitle, has_part, headline, title_of
from templex_scrapy.page import nodes_of

TITLES = [
    "Water in the cellar - The Weir House",
    "Why brakes squeal - The Weir House",
    "The A-Z of weirs - The Weir House",
]


def cleaned(titles, heading="<h2>Head {}</h2>"):
    """The pages of a site with these titles, cleaned by the template of the first one."""
    pages = [
        page(
            f"{MENU}<main>{heading.format(number)}<p>{f'Words of page {number}, all its own. ' * 9}</main>",
            f"https://site.test/{number}.html",
            head=f"<!DOCTYPE html><html><head><title>{title}</title></head>",
        )
        for number, title in enumerate(titles)
    ]
    template = Template.from_dict(Template.from_pages(pages[0], pages[1:]).to_dict())
    return [template.match(one).clean for one in pages]


ALONE = ["Water in the cellar", "Why brakes squeal", "The A-Z of weirs"]
HEADS = [f"Head {number}" for number in range(4)]
LESS = "<h3>Less</h3><h2>Head <b>{}</b><a href='#h'>¶</a></h2>"


@pytest.mark.parametrize(
    ("titles", "heading", "expected"),
    [
        (TITLES, "<h2>Head {}</h2>", ALONE),
        ([" | ".join(reversed(title.split(" - "))) for title in TITLES], "<h2>Head {}</h2>", ALONE),
        # a heading tells where the title ends, and a title that says nothing of the page gives way to it
        ([f"{head} - Section - The Weir House" for head in HEADS], "<h2>Head {}</h2>", HEADS),
        (["The Weir House"] * 4, LESS, HEADS),
        ([""] * 4, LESS, HEADS),
        (["The Weir House"] * 4, "", ["The Weir House"] * 4),
        ([*TITLES, "The Weir House"], "", [*ALONE, "The Weir House"]),  # the home page
    ],
)
def test_what_the_site_adds_to_every_title_is_left_out(titles, heading, expected):
    assert [one.title for one in cleaned(titles, heading)] == expected


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("six three four", "three four"),
        # less than half of the title, at the end, is the name of the site
        ("eleven twelve three four", None),
        ("three four five six", "one two four six five"),
        ("one four two five", "one two four six five"),
        ("one four two", "one two four six five"),
        ("one two", None),
        ("four", None),
    ],
)
def test_the_headline_has_most_words_of_the_title(title, expected):
    """Two words or more, and .6 of the words of the heading."""
    arrays = nodes_of(page("<h1>three four</h1><h2>one two four six five</h2>"))
    found = headline(arrays, [*arrays.positions("h1"), *arrays.positions("h2")], title)
    assert (arrays.texts[found + 1] if found >= 0 else None) == expected


@pytest.mark.parametrize(
    ("title", "shared", "expected"),
    [
        ("Rain - News", "Rain", "Rain"),
        ("Rainy days in Rome", "Rain", "Rainy days in Rome"),
        ("Acme Widgets 3000 review", "Acme", "Acme Widgets 3000 review"),
        ("Acme - Widgets", "Acme", "Acme - Widgets"),
        ("Rain", "|", "Rain"),
    ],
)
def test_a_title_for_sharing_ends_where_a_part_of_the_title_does(title, shared, expected):
    head = f"<html><head><title>{title}</title><meta property=og:title content='{shared}'>"
    made = page("<p>Text", "https://site.test/", head=f"{head}<meta property=og:site_name content=Acme></head>")
    assert title_of(made, SiteTitle(), (), ()) == expected


def test_a_heading_of_the_content_comes_before_others():
    head = "<head><title>Why brakes squeal - Repairs</title></head>"
    made = page("<h1>Repairs</h1><h2>Why brakes squeal</h2>", head=head)
    assert title_of(made, SiteTitle(), {3, 4}, ()) == "Why brakes squeal"


def test_a_page_alone_keeps_what_no_heading_ends():
    alone = page("<p>Text", head="<title>Water in the cellar - The Weir House</title>")
    assert SiteCleaner().match(alone).clean.title == "Water in the cellar - The Weir House"


@pytest.mark.parametrize(
    ("titles", "left"),
    [
        (["Aa - X", "Bb - X", "Cc - Y", "Dd - Z"], ["Aa", "Bb", "Cc - Y", "Dd - Z"]),
        (["Aa - X", "Bb - W", "Cc - Y", "Dd - Z"], ["Aa - X", "Bb - W", "Cc - Y", "Dd - Z"]),
        (["Aa - X"] * 5, ["Aa - X"] * 5),  # copies count once
    ],
)
def test_half_of_the_titles_must_have_it(titles, left):
    assert [SiteTitle.of(titles).without(title) for title in titles] == left


@pytest.mark.parametrize(
    ("part", "is_part"),
    [("Water in the cellar", True), ("the weir house", True), ("Water", False), ("House", False), ("", False)],
)
def test_a_part_of_a_title_ends_at_a_separator(part, is_part):
    assert has_part("Water in the cellar - The Weir House", part) == is_part


@pytest.mark.parametrize(("length", "left"), [(300, "a"), (301, "a - ")])
def test_very_long_titles_are_not_compared(length, left):
    site_name = " - " + "x" * (length - 4)
    assert SiteTitle.of([f"a{site_name}", f"b{site_name}"]).without(f"a{site_name}").startswith(left)
    assert len(SiteTitle.of([f"a{site_name}", f"b{site_name}"]).suffixes) == (length <= 300)


@given(st.lists(st.text(st.sampled_from("ab-|: ")), max_size=6))
def test_a_title_never_becomes_empty(titles):
    site = SiteTitle.of(titles)
    for title in titles:
        assert bool(site.without(title)) == bool(title)
        assert site.without(title) in title


def test_headings_in_headings_take_linear_time():
    def read(size):
        nested = page("<h1><div>" * (size // 10) + "<p>word " * size, "https://site.test/")
        nodes_of(nested)
        return lambda: title_of(nested, SiteTitle(), (), ())

    assert growth(read, 9_000) < 3


def test_a_text_in_a_heading_is_read_as_far_as_a_title():
    long = page(f"<h1>{'x' * 1200}</h1>", "https://site.test/", head="<html><head></head>")
    assert title_of(long, SiteTitle(), (), ()) == "x" * 1000
