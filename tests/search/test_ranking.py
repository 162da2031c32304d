"""The order of a page's links (Algorithm 8): the papers' examples, rules one by one, and the literal version."""

import time

import pytest
from helpers.made_sites import HOST, page
from helpers.strategies import link_pages, urls
from hypothesis import example, given
from literal import rank as literal

from templex_scrapy import Page
from templex_scrapy.search import hyperlink_distance, rank_links

KEY = f"{HOST}a/b/key.html"
SPRINGER = "https://www.springer.com/gp/computer-science/become-an-author"
CALTECH = "https://www.caltech.org/about/news"


def links(*hrefs, url=KEY):
    return page("".join(f'<p><a href="{href}">x</a>' for href in hrefs), url)


def paths(page_):
    return [url.removeprefix(HOST) for url in rank_links(page_)]


@pytest.mark.parametrize("distance", [hyperlink_distance, literal.hyperlink_distance], ids=["product", "literal"])
@pytest.mark.parametrize(
    ("key", "url", "expected"),
    [
        (SPRINGER, "https://www.springer.com/gp/computer-science/stay-informed", 0),
        (SPRINGER, "https://www.springer.com/gp/computer-science/", 0),
        (SPRINGER, "https://www.springer.com/gp/computer-science/information-systems-and-applications/", 1),
        (SPRINGER, "https://www.springer.com/gp/", -1),
        (SPRINGER, "https://www.springer.com/gp/engineering/", -1),
        (SPRINGER, "https://www.springer.com", -2),
        (SPRINGER, "https://www.springernature.com", -3),
        (CALTECH, "https://www.caltech.org/about/news/ztf-spots-asteroid-shortest-year", 1),
        (CALTECH, "https://www.caltech.org/academics/resources/academic-calendar", -1),
        ("https://www.upv.es", "https://www.upv.es/organizacion/la-institucion/index-en.html", 2),
        ("https://www.upv.es/organizacion/la-institucion/index-en.html", "https://www.upv.es", -2),
    ],
)
def test_hyperlink_distances_of_the_papers(distance, key, url, expected):
    assert distance(key, url) == expected


@given(urls, urls)
def test_hyperlink_distance_is_that_of_the_literal_version(key_url, url):
    assert hyperlink_distance(key_url, url) == literal.hyperlink_distance(key_url, url)


def links_at_all_depths(levels, links):
    """A chain of blocks, each with some links and with blocks of links."""
    level = "".join(f'<p><a href="/{{level}}-{n}">x</a><a href="/{{level}}-{n}b">y</a></p>' for n in range(links))
    return Page("".join(f"<div>{level.format(level=number)}" for number in range(levels)), HOST)


@given(link_pages())
@example(links_at_all_depths(15, 1))
@example(links_at_all_depths(5, 4))
@example(links_at_all_depths(1, 20))
def test_rank_is_that_of_the_literal_version(made):
    assert rank_links(made) == literal.rank_links(made)


def test_ten_thousand_links_at_1900_depths_are_ranked_in_seconds():
    made = links_at_all_depths(1_900, 3)
    made.links  # noqa: B018 - parsed before the time is taken
    began = time.thread_time()
    assert len(rank_links(made)) == 11_400
    assert time.thread_time() - began < 4


def test_only_other_pages_of_the_site_are_ranked():
    elsewhere = ["https://other.test/", "http://site.test:8080/", "a.pdf", "mailto:a"]
    made = links("key.html", "#top", "", "?x=1", *elsewhere, "http://site.test/a/b/x", "ok")
    assert sorted(paths(made)) == ["a/b/key.html?x=1", "a/b/ok", "http://site.test/a/b/x"]
    moved = Page(links("/old", "/new", "/other").text, f"{HOST}new", aliases=[f"{HOST}old"])
    assert paths(moved) == ["other"]


@pytest.mark.parametrize("rank", [rank_links, literal.rank_links], ids=["product", "literal"])
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        # the second and third are 4 edges from the first, the one in the other block 5
        ("<ul><li>/1</li><li>/2</li><li>/3</li></ul><div>/4</div>", "/1 /4 /2 /3"),
        # 5 is farther from 1 than 2 is, but next to 4: the nearest link taken counts, not the sum
        ("<ul><li>/1</li><li>/2</li></ul><div><div><div>/4 /5</div></div></div>", "/1 /4 /2 /5"),
        # ties: document order
        ("<p>/3</p><p>/1</p><p>/2</p><p>/0</p>", "/3 /1 /2 /0"),
        # distances count within a group: /x/1 is near to a link of another group only
        ("<div>/x/1 /2</div><p>/x/3</p><p>/x/4</p>", "/2 /x/1 /x/3 /x/4"),
    ],
)
def test_within_a_distance_the_link_farthest_from_those_taken_comes_next(rank, body, expected):
    for path in sorted(expected.split(), key=len, reverse=True):
        body = body.replace(path, f'<a href="{path.replace("/", "~")}">x</a>')
    made = page(body.replace("~", "/"))
    assert rank(made) == [HOST + path[1:] for path in expected.split()]


def test_a_page_without_links_or_without_address_has_no_candidates():
    assert rank_links(page("x")) == []
    assert rank_links(Page('<a href="http://site.test/">x</a>', "")) == []


def test_a_host_in_other_letters_is_one_host_in_both_spellings():
    made = Page('<a href="/x">x</a><a href="https://xn--mnchen-3ya.test/y">y</a>', "https://münchen.test/")
    assert len(rank_links(made)) == 2
