"""Sources in which content stands behind the end of the body."""

import pytest
from helpers.strategies import sources
from hypothesis import given
from lxml import etree
from parsel import Selector

from templex_scrapy.page import Page, nodes_of, repaired
from templex_scrapy.page.parsing import parse
from templex_scrapy.page.size_limits import MAX_PAGE_SIZE

URL = "http://site.test/"


def texts(source):
    return [node.text for node in Page(source, URL).nodes if node.text is not None]


def tree(root):
    return etree.tostring(root.getroottree())


@pytest.mark.parametrize(
    "source",
    [
        "<html><body><p>a</p></body></html><p>b</p>",
        "<html><body><p>a</p></body><p>b</p></html>",
        "<HTML><BODY><P>a</P></BODY></Html><P>b</P></HTML>",
        "<html><head></head></html><p>a</p><p>b</p></body></html>",
        "<html><body><p>a</p></body></html>\n<!DOCTYPE html><html><body><p>b</p></body></html>",
        '<html><head></head><body class="x" /><p>a</p><p>b</p></body></html>',
        '<html lang="en" /><body><p>a</p><p>b</p></body></html>',
        "<html><body><div><p>a</body></html><script>'</p>'</script><p>b</p></div><!-- c --></body></html>",
        "<html><body><p>a</p><script>'</body>'</script></body></html><script></script>\n<p>b",
        "<html><body><p>a</p><noscript></body></noscript><p>b</p></body></html>",
        "<html><body><p>a</p><template></body></html></template><p>b</p>",
    ],
)
def test_text_behind_the_end_tags_is_in_the_body(source):
    assert texts(source) == ["a", "b"]
    assert Page(source, URL).selector.css("body p::text").getall() == ["a", "b"]


@pytest.mark.parametrize(
    "behind",
    [
        "</body></html>",
        "</body><script>document.write('<p>b</p></body>')</script></html>",
        "</body></html><!-- served in 3 ms --><noscript>b</noscript> ; <img alt='a > b' src=/pixel>",
        "</html>\n<style>p > b {}</style></body>",
        "<script>let end = '</body></html>'</script>",
        "<!-- </body></html> -->",
        "<iframe srcdoc='<body>b</body>'></iframe>",
        "<plaintext></body></html>",
        "<textarea></body></html>",
        "<body></body>\n</body></html>\n",
        "\x01<body></body>\n</body></html>\n",
        "<p title='</body></html>",
        "",
    ],
)
def test_other_sources_have_the_tree_of_parsel(behind):
    source = f"<html><body><p>a</p>{behind}"
    assert tree(parse(source)[0]) == tree(Selector(source, type="html").root)
    assert repaired(source) is source


@given(sources)
def test_the_mark_leaves_no_trace(source):
    if repaired(source) is source:
        assert tree(parse(source)[0]) == tree(Selector(source, type="html").root)


def test_no_tag_comes_of_what_stands_around_an_end_tag():
    assert texts("<body><p>a <</body>b c</p>") == ["a <", "b c"]


def test_attributes_are_as_they_were():
    body = Page("<body/><p><a href=/b/>c</a></p>", URL).root.find("body")
    assert body.find("p/a").get("href") == "/b/"
    assert Page("<body a=b/ c/><p>d</p>", URL).root.find("body").attrib == {"a": "b/", "c": ""}


@pytest.mark.parametrize(
    "piece", ["<!--", "<script>", "<a ", "<a b=", "<a b='", "</body", "</body>x", "<html/>", "<body "]
)
def test_a_long_source_is_read_once(piece):
    """The time of a test: each of these would take hours if it were read again from each place."""
    source = "<p></html>x" + piece * (MAX_PAGE_SIZE // len(piece))
    assert len(repaired(source)) > len(piece)


def test_a_page_without_body_has_no_second_one():
    frames = "<html><frameset><frame src=a></frameset></html>"
    assert nodes_of(Page(frames, URL)).tags[:2] == ("html", "frameset")
