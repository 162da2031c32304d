"""The document in the frame: which elements carry the marks of which nodes."""

from __future__ import annotations

import html

import pytest
from lxml import etree
from lxml import html as lxml_html
from site_pages import learn, show, site

from templex_scrapy.page import Page
from templex_scrapy.view import view


def framed(written: str) -> etree._Element:
    """The tree of the frame of a view."""
    source = written.partition('srcdoc="')[2].partition('"></iframe>')[0]
    return lxml_html.document_fromstring(html.unescape(source))


def fate_of(tree: etree._Element, path: str) -> str:
    (element,) = tree.xpath(path)
    return str(element.get("data-templex-fate"))


def with_everywhere(markup: str, old: str = "</main>") -> tuple[Page, list[Page]]:
    """The site with the same markup on all its pages; ``#`` in it becomes the page's URL."""
    key, voters = site()
    pages = [Page(one.text.replace(old, markup.replace("#", one.url) + old), one.url) for one in (key, *voters)]
    return pages[0], pages[1:]


def test_marks():
    """Elements have the fate of their node; a text with another fate has an element of its own."""
    tree = framed(show(*site()))
    assert fate_of(tree, "//header") == "removed"
    assert fate_of(tree, "//h1") == "own"
    assert fate_of(tree, "//*[@class='byline']") == "kept"

    assert not tree.xpath("//*[@class='byline']/templex-text[@data-templex-fate='removed']")
    roots = tree.xpath("//*[@data-templex-root]")
    assert [root.tag for root in roots] == ["header", "footer"]
    assert [part.get("id") for part in tree.xpath("//*[@data-templex-part='menu']")] == ["menu"]


def test_marks_of_the_page_itself_are_removed():
    """A page cannot mark its own elements."""
    tree = framed(show(*site(body="<p data-templex=0 data-templex-root data-templex-fate=removed id=x>z</p>")))
    (element,) = tree.xpath("//*[@id='x']")
    assert element.get("data-templex-fate") == "own"
    assert element.get("data-templex-root") is None


def test_what_libxml2_nests_and_browsers_do_not():
    """Content behind an element that is empty in browsers is marked as part of what it is in there."""
    tree = framed(show(*with_everywhere('<div><embed src="/x"><p class="all">On all pages</p><p id="own">#</p></div>')))
    assert tree.xpath("//embed") == []
    assert fate_of(tree, "//*[@class='all']") == "kept"
    assert fate_of(tree, "//*[@id='own']") == "own"
    tree = framed(show(*with_everywhere('<span id="c"><embed src="/x">Made by a shop</span>', '<b class="author">')))
    (text,) = tree.xpath("//*[@id='c']//*[text()='Made by a shop'] | //*[@id='c'][text()='Made by a shop']")
    assert text.get("data-templex-fate") == "removed"


def test_text_only_elements_get_no_elements():
    """Browsers would show them as source."""
    body = "<form><textarea>a<!-- --></textarea><select><option>One</option></select></form>"
    tree = framed(show(*with_everywhere(body)))
    assert tree.xpath("//textarea//* | //option//*") == []


@pytest.mark.parametrize("source", ["", "<frameset><frame src='x'></frameset>", "\0\x01<p>\ud800</p>", "plain text"])
def test_odd_pages(source):
    """What is hardly a page has a view all the same."""
    assert framed(show(Page(source, "https://site.test/odd"), site()[1])).find("body") is not None


def test_the_page_is_not_changed():
    """The view works on a copy."""
    key, voters = site(body="<script>x</script><img src=y>")
    before = etree.tostring(key.root)
    _, match = learn(key, voters)
    view(match)
    assert etree.tostring(key.root) == before
