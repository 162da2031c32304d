"""The body of an article that the markup declares, and hidden data."""

import pytest
from helpers.made_sites import page

from templex_scrapy.content import find_content
from templex_scrapy.page import nodes_of

pytestmark = pytest.mark.usefixtures("compiled_and_plain")

STORY = "<p>" + "It rained on the roofs and in the streets until the evening came. " * 6 + "</p>"
TEASERS = "<ul><li>" + "<li>".join(f"In {town} the river rose by a metre on the day of the feast." for town in "ABC")
DATA = "<div itemscope style='display: none'>2026-11-27" + "<h1>Rain</h1><p>It rained on the roofs again.</p>" * 99


def said(body):
    key = page(f"<title>Rain</title>{body}")
    texts = (nodes_of(key).texts[position] for position in sorted(find_content(key)))
    return " ".join(" ".join(filter(None, texts)).split())


@pytest.mark.parametrize(
    "body",
    [
        pytest.param('itemprop="articleBody"', id="Schema.org"),
        pytest.param('itemprop="text articleBody"', id="two properties"),
        pytest.param('class="post entry-content"', id="hAtom"),
        pytest.param("class=e-content", id="h-entry"),
    ],
)
def test_the_declared_body_is_the_content_with_the_headline(body):
    """As long as the story, the teasers are no content, and neither is the author of the article."""
    author = "<p>" + "Ann writes about the weather, and about those who live in it. " * 6 + "</p>"
    around = "<article><h1>Rain</h1><div {}>{}</div>{}</article>{}"
    assert said(around.format(body, STORY, author, TEASERS)) == said(f"<h1>Rain</h1>{STORY}")
    assert said(around.format("", STORY, author, TEASERS)) != said(f"<h1>Rain</h1>{STORY}")


@pytest.mark.parametrize(
    "html",
    [
        pytest.param(f"<div class=entry-content>{STORY}</div><div class=entry-content>{TEASERS}</div>", id="several"),
        pytest.param(f"<div class=entry-content role=tabpanel>{STORY}</div><div>{TEASERS}</div>", id="tab of a shop"),
        pytest.param(f"<div class=entry-content>Rain.</div><div>{STORY}</div>{TEASERS}", id="no running text"),
        pytest.param(f"<div class=my-entry-content itemprop=articleBodyPart>{STORY}</div>{TEASERS}", id="other names"),
    ],
)
def test_what_is_no_body_of_one_article_decides_nothing(html):
    plain = html.replace("class=", "data-a=").replace("itemprop=", "data-b=")
    assert said(html) == said(plain) != said(STORY)


def test_an_empty_body_beside_the_text_is_none():
    assert said(f"<div class=entry-content></div><div class=entry-content>{STORY}</div>{TEASERS}") == said(STORY)


@pytest.mark.parametrize("hidden", ["style='color: red; display:none'", "hidden"])
def test_hidden_data_of_the_article_is_no_content(hidden):
    data = DATA.replace("style='display: none'", hidden)
    assert said(f"<h1>Rain</h1><div>{STORY}</div>{data}") == said(f"<h1>Rain</h1>{STORY}")


def test_what_is_hidden_until_a_script_shows_it_is_content():
    for html in (f"<div itemscope hidden>{STORY}</div>", f"<div style='display: none'>{STORY}</div><p>{STORY}"):
        assert said(html).count("evening") == html.count("evening")
