"""The body of an article that the markup declares."""

import pytest
from helpers.made_sites import page

from templex_scrapy.content import find_content
from templex_scrapy.page import nodes_of

pytestmark = pytest.mark.usefixtures("compiled_and_plain")

STORY = "<p>" + "It rained on the roofs and in the streets until the evening came. " * 6 + "</p>"
AUTHOR = "<p>" + "Ann writes about the weather, and about those who live in it. " * 2 + "</p>"
TEASERS = "<ul><li>" + "<li>".join(f"In {town} the river rose by a metre on the day of the feast." for town in "ABC")
STEPS = "<p>" + "Boil the water of the morning, and let it stand until noon in the yard. " * 3 + "</p>"
CARD = f"<div>{''.join(f'<div>{number} cups of water</div>' for number in range(12))}{STEPS}</div>"


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
@pytest.mark.parametrize("article", ["article", "main", "div"])
def test_the_declared_body_is_the_content_with_the_headline(body, article):
    """The teasers of other articles are no content, and neither is the author."""
    around = f"<{article}><h1>Rain</h1><div {{}}>{STORY}</div>{AUTHOR}</{article}>{TEASERS}"
    assert said(around.format(body)) == said(f"<h1>Rain</h1>{STORY}")
    assert said(around.format("")) != said(f"<h1>Rain</h1>{STORY}")


@pytest.mark.parametrize(
    "html",
    [
        pytest.param(f"<div class=entry-content>{STORY}</div><div class=entry-content>{TEASERS}</div>", id="several"),
        pytest.param(f"<div class=entry-content role=tabpanel>{STORY}</div><div>{TEASERS}</div>", id="tab of a shop"),
        pytest.param(f"<div class=entry-content>{AUTHOR}</div>{TEASERS}", id="no article"),
        pytest.param(f"<div class=my-entry-content itemprop=articleBodyPart>{STORY}</div>{TEASERS}", id="other names"),
        pytest.param(f"<main><div class=entry-content>{STORY}</div>{CARD}</main>", id="a recipe beside"),
        pytest.param(f"<main><p class=entry-content>{STORY}</p>{STORY * 2}</main>", id="one paragraph"),
    ],
)
def test_what_is_not_the_whole_of_one_article_decides_nothing(html):
    plain = html.replace("class=", "data-a=").replace("itemprop=", "data-b=")
    assert said(html) == said(plain) != said(STORY)


def test_an_empty_body_beside_the_text_is_none():
    assert said(f"<div class=entry-content></div><div class=entry-content>{STORY}</div>{TEASERS}") == said(STORY)
