"""The document in the frame: which elements carry the marks of which nodes."""

from __future__ import annotations

import html
from urllib.parse import unquote

import pytest
from lxml import etree
from lxml import html as lxml_html
from site_pages import learn, show, site

from templex_scrapy.page import Page
from templex_scrapy.view import view
from templex_scrapy.view.frame import grey_box


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


def test_main_content_of_which_much_is_removed_is_outlined_in_parts():
    """The outline is around what is kept; main content of which little is removed is outlined as a whole."""
    key, voters = site()
    story = next(node.position for node in key.nodes if node.tag == "main")
    for content in (range(len(key)), range(story, story + key.arrays.sizes[story])):
        parts = framed(show(key, voters, content=content)).xpath("//*[@data-templex-part='content']")
        assert [part.tag for part in parts] == ["main"]


def test_style_sheets_and_pictures():
    """Files that are given are used; grey boxes stand for other pictures, and other sheets are missing."""
    dot = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
    head = '<link rel="stylesheet" href="/s.css"><link rel="stylesheet" href="/t.css"><style type="text/x">b{}</style>'
    body = (
        f'<img id="a" src="/p.png"><img id="b" data-src="l.png"><img id="c" src="/odd.png"><img id="d" src="{dot}">'
        '<picture><source srcset="q"><img id="e" src="none.png" width="320" height="90" alt="A heron"></picture>'
    )
    files = {
        "https://site.test/s.css": "h1 { color: red }",
        "https://site.test/p.png": dot,
        "https://site.test/section0/l.png": dot,
        "https://site.test/odd.png": "https://elsewhere.test/odd.png",
    }
    tree = framed(show(*site(head=head, body=body), files=files))
    assert [sheet.text for sheet in tree.xpath("//style")][1:] == ["h1 { color: red }"]
    sources = [tree.xpath(f"//*[@id='{name}']/@src")[0] for name in "abcde"]
    assert [source == dot for source in sources] == [True, True, False, True, False]
    assert "A heron" in unquote(sources[4])


@pytest.mark.parametrize(
    ("attributes", "size"),
    [
        (("320", "90"), (320, 90)),
        (("50", None), (50, 50)),
        ((None, None), (48, 36)),
        (("100%", "-1"), (48, 36)),
        (("999999", "1"), (4000, 1)),
    ],
)
def test_size_of_grey_boxes(attributes, size):
    """That of the picture, within limits."""
    assert f'width="{size[0]}" height="{size[1]}"' in unquote(grey_box(*attributes, "alt"))


def test_the_page_is_not_changed():
    """The view works on a copy."""
    key, voters = site(body="<script>x</script><img src=y>")
    before = etree.tostring(key.root)
    _, match = learn(key, voters)
    view(match)
    assert etree.tostring(key.root) == before
