"""A page without its template: attributes are computed when they are asked for, and cost no tree while they wait."""

import re

import pytest
from helpers.made_sites import HOST, MENU, STRANGER, body_of, learn, own, page, site
from itemadapter import ItemAdapter

from templex_scrapy import Match, Page, extract_content
from templex_scrapy.render import menu_links

NAMES = ("html", "text", "markdown", "annotated_html", "template_html", "words", "removed", "kept_whole", "coverage")


def clean(body="<p><a href='/f'>Fixed</a></p><h1>Head {0}</h1>"):
    pages = site(body.format)
    return learn(pages).match(pages[STRANGER]).clean


def test_the_attributes_of_a_page_that_fits():
    pages = site(lambda n: f"<p><a href='/f'>Fixed</a></p><h1>Head {n}</h1>")
    cleaned = learn(pages).match(pages[STRANGER]).clean
    assert body_of(cleaned.html) == f"<h1>Head {STRANGER}</h1>{own(STRANGER)}"
    assert cleaned.text == f"Head {STRANGER}\n\nownwords{STRANGER}"
    assert cleaned.markdown == f"# Head {STRANGER}\n\nownwords{STRANGER}"
    assert (cleaned.url, cleaned.template_url) == (pages[STRANGER].url, pages[0].url)
    assert (cleaned.fits, cleaned.coverage, cleaned.kept_whole) == (True, 1.0, False)
    assert cleaned.source == pages[STRANGER].text
    assert cleaned.css("h1::text").getall() == cleaned.xpath("//h1/text()").getall() == [f"Head {STRANGER}"]
    assert cleaned.selector.root.base_url == cleaned.url
    assert (cleaned.html is cleaned.html, cleaned.selector is cleaned.selector) == (True, True), "computed once"
    assert cleaned.words == (8 * 3 + 1 + 2 + 1, 2 + 1)


def test_without_a_template_everything_is_the_whole_page():
    one = page("<h1>Head</h1>")
    cleaned = Match(one).clean
    assert (cleaned.html, cleaned.text, cleaned.words) == (one.text, "Head", (1, 1))
    assert (cleaned.fits, cleaned.template_url, cleaned.removed, cleaned.kept_whole) == (False, "", (), False)


def test_a_page_of_which_nothing_would_be_left_is_kept_whole():
    pages = site(lambda _: "<p><a href='/f'>Fixed</a></p>")
    only_template = page(f"{MENU}<p><a href='/f'>Fixed</a></p>")
    cleaned = learn(pages).match(only_template).clean
    assert cleaned.kept_whole
    assert cleaned.html == only_template.text
    assert (cleaned.removed, cleaned.words) == ((), (25, 25))
    assert "Fixed" in cleaned.text
    with_image = page(f"{MENU}<p><a href='/f'>Fixed</a></p><img src='/own.png'>")
    assert not learn(pages).match(with_image).clean.kept_whole


@pytest.mark.parametrize("names", [[], ["html", "markdown", "annotated_html"]])
def test_computed_pages_cost_no_tree_and_give_the_same(names):
    expected = {name: getattr(clean(), name) for name in NAMES}
    pages = site("<p><a href='/f'>Fixed</a></p><h1>Head {0}</h1>".format)
    match = learn(pages).match(pages[STRANGER])
    computed = match.clean
    computed.compute(names)
    assert set(names) - {"html"} <= vars(computed).keys()
    assert not {"_tree", "_parsed", "nodes", "links"} & vars(match.page).keys()
    assert {name: getattr(computed, name) for name in NAMES} == expected


def test_an_unknown_name_is_an_error():
    with pytest.raises(AttributeError, match="htlm"):
        clean().compute(["htlm"])


def test_the_content_is_what_the_site_does_not_repeat():
    """Boxes of the page's own are no content: they stay in the html and not in the content."""
    pages = site(
        lambda n: f"<main><h1>Title {n}</h1><p>{'own words of page ' * 20}{n}</p></main><nav><a>own {n}</a></nav>"
    )
    cleaned = learn(pages).match(pages[STRANGER]).clean
    assert f"own {STRANGER}" in cleaned.text
    assert cleaned.content_text.startswith(f"Title {STRANGER}\n\nown words of page")
    assert "<nav>" not in cleaned.content_html
    assert cleaned.content_markdown.startswith(f"# Title {STRANGER}\n\nown words of page")
    assert "own words of page" in cleaned.content_html


def test_the_content_is_a_fragment_with_absolute_addresses():
    story = "words of the story " * 20
    body = (
        f'<nav><a href="/">Home</a></nav><div><main><!-- c --><h1>Rain &lt;1&gt;</h1><p>{story}<a href="b">b</a></p>'
        f'<script>x()</script><p>a note: <a href="#note">n</a><img src="i.png" srcset="a.png 2x, /b.png 30w"></p>'
        f"<p>{story}</p></main></div>"
    )
    alone = Match(
        Page(f"<html><head><script>y()</script><title>Rain &lt;1&gt;</title></head><body>{body}</body></html>", HOST)
    ).clean
    fragment = alone.content_html
    assert fragment.startswith("<main><h1>Rain &lt;1&gt;</h1><p>words")
    assert fragment.endswith("</main>")
    assert f'href="{HOST}b"' in fragment
    assert 'href="#note"' in fragment
    assert f'src="{HOST}i.png" srcset="{HOST}a.png 2x, {HOST}b.png 30w"' in fragment
    assert "x()" not in fragment
    assert f"[b]({HOST}b)" in alone.content_markdown
    assert "<script>y()</script>" in alone.content_document
    assert "Home" not in alone.content_document


STORY = "In year {0} it rained on the hills for three days, and the mill by the river stood still. " * 6


def hash_in(frame, story):
    """The content hash of a page of a site with a frame, by the template of its pages."""
    pages = [
        page(frame.format(number, f"<main><h1>Rain {number}</h1>{story.format(number)}</main>")) for number in range(4)
    ]
    return learn(pages).match(pages[STRANGER]).clean.content_hash


def test_the_hash_of_the_content_is_that_of_its_words():
    """Frame, markup and white space do not count; each word, number and label does."""
    story = f"<p>{STORY}</p><table><tr><th>Mills</th><td>1{{0}}2</td></tr></table><p>{STORY}</p>"
    before = hash_in(f"{MENU}{{1}}<footer>Printed on 3 March, visitor {{0}}</footer>", story)
    assert re.fullmatch("5:[0-9a-f]{32}", before)
    frame = (
        f'{MENU}<div class="nav9"><a href="/new?sid={{0}}f3">novelties</a></div><div class="css-x1">{{1}}</div>'
        "<footer>Printed on 4 April, visitor 10{0}17</footer>"
    ).replace("menu entry 3", "another entry")
    marked = story.replace("the hills", "<b class=x>the</b>\n HILLS").replace("<p>", "\n<p class=y>")
    assert hash_in(frame, marked) == before
    for word, other in (("river", "lake"), ("Mills", "Towns"), ("1{0}2", "1{0}3"), ("still.", "still!")):
        assert hash_in(frame, marked.replace(word, other, 1)) != before, word


def test_long_addresses_do_not_fill_the_memory():
    base = f"{HOST}{'d/' * 900}"
    many = Match(Page(f'<base href="{base}"><main>{"<p>words <a href=x>link</a></p>" * 4_500}</main>', HOST)).clean
    assert len(many.content_html) < 6_000_000
    assert len(many.markdown) < 6_000_000


@pytest.mark.parametrize("output", ["text", "markdown", "html"])
def test_the_content_of_one_page_in_one_call(output):
    story = f"<body><nav>Menu</nav><main><h1>Rain</h1><p>{'words ' * 60}</p></main>"
    said = extract_content(story.encode(), HOST, output=output)
    assert "words" in said
    assert "Menu" not in said
    with pytest.raises(ValueError, match="allowed are 'text', 'markdown' and 'html'"):
        extract_content(story, output="pdf")


def test_the_menu_has_texts_and_absolute_urls():
    items = "".join(f'<li><a href="/{name}">{name.title()}</a></li>' for name in ("home", "news", "shop", "about"))
    picture = '<li><a href="/"><img alt="Start page" src="x.png"></a></li>'
    alone = Page(f"<body><nav><ul>{items}{picture}</ul></nav><main><p>{'words ' * 60}</p></main>", HOST)
    menu = Match(alone).clean.menu
    assert [link["text"] for link in menu] == ["Home", "News", "Shop", "About", "Start page"]
    assert menu[1]["url"] == f"{HOST}news"
    assert ItemAdapter({"menu": menu}).asdict() == {"menu": menu}


def test_the_text_of_an_unclosed_link_ends_at_the_next_link():
    unclosed = Page('<body><nav><a href="/a"><b>One</b><p><a href="/b"><b>Two</b><p><a href="/c">Three</a></nav>', HOST)
    assert [link["text"] for link in menu_links(unclosed, 0)] == ["One", "Two", "Three"]
    assert menu_links(Page("<body><nav>None</nav>", HOST), 0) == ()


def test_elements_that_a_user_has_are_not_changed():
    pages = site("<p><a href='/f'>Fixed</a></p><h1>Head {0}</h1>".format)
    held = next(node.element for node in pages[STRANGER].nodes if node.tag == "a")
    before = len(list(held.getroottree().iter()))
    assert "Fixed" not in learn(pages).match(pages[STRANGER]).clean.html
    assert len(list(held.getroottree().iter())) == before


@pytest.mark.parametrize("around", ['div class="highlight-python"', 'fb:like {{x}} class="highlight-python a&#1;"'])
def test_markdown_of_a_part_knows_the_language_of_its_code(around):
    """Which the element around the part declares, whatever its names are."""
    source = Page(f"<body><p>Text</p><{around}><pre>def f()</pre></{around.split()[0]}>", "https://site.test/")
    whole = Match(source).clean
    part = whole.part("<pre>def f()</pre>")
    assert part is not None
    assert (part.markdown, part.html) == ("```python\ndef f()\n```", "<pre>def f()</pre>")
    assert whole.text == "Text\n\ndef f()"


def test_markdown_without_links_and_without_images():
    clean = Match(Page('<p>a <a href="/b">b <img src="/c.png" alt="c"></a> d', HOST)).clean
    assert clean.markdown == f"a [b ![c]({HOST}c.png)]({HOST}b) d"
    assert clean.markdown_without_links == f"a b ![c]({HOST}c.png) d"
    assert clean.markdown_without_images == f"a [b]({HOST}b) d"
    assert clean.content_markdown_without_links == clean.markdown_without_links, "there is no content to tell apart"
    assert clean.content_markdown_without_images == clean.markdown_without_images
