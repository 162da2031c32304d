"""Pages as trees of nodes in node order: the contract between detectors, measures and outputs."""

import pytest
from helpers.made_sites import HOST, page
from scrapy.http import HtmlResponse, Request, Response, TextResponse

from templex_scrapy.page import (
    LEFT_OUT,
    MAX_DEPTH,
    Node,
    Page,
    body_of,
    is_too_large,
    nodes_of,
    release,
    take_tree,
)


def outline(page_):
    return [node.tag if node.text is None else repr(node.text) for node in page_.nodes]


# --- nodes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<div>one <b>two</b> three</div><p>four</p>", ["div", "'one '", "b", "'two'", "' three'", "p", "'four'"]),
        # blank texts are no nodes, and texts are not stripped
        ("\n <p> \t</p>\xa0 <p>\n x \n</p> ", ["p", "p", repr("\n x \n")]),
        ("<p>a<!-- x -->b<?php y ?>c</p>", ["p", "'a'", "'b'", "'c'"]),
        # some elements are left out with their content, but not the text behind them
        *(
            (
                f"<p>a<{tag}>x</{tag}>b<i>c</i></p><{tag}-x>y</{tag}-x>",
                ["p", "'a'", "'b'", "i", "'c'", f"{tag}-x", "'y'"],
            )
            for tag in sorted(LEFT_OUT)
        ),
        ("<DIV><Svg><linearGradient></linearGradient></Svg></DIV>", ["div", "svg", "lineargradient"]),
    ],
)
def test_nodes_are_elements_and_texts_in_document_order(body, expected):
    made = page(body)
    assert outline(made) == ["body", *expected]
    assert [node.position for node in made.nodes] == list(range(len(made)))


@pytest.mark.parametrize(
    "source", ["<html><frameset><frame src=a></frameset></html>", "<html><head></head></html>", ""]
)
def test_node_0_is_the_root_where_there_is_no_body(source):
    made = Page(source, HOST)
    assert made.nodes[0].tag == made.root.tag == "html"
    assert made.nodes[0].parent is None


def test_a_node_knows_its_element_parent_and_children():
    made = page("<ul><li>one<li>two <i>x</i> tail</ul>")
    body, ul, first, one, second, two, italic, _, tail = made.nodes
    assert (body.parent, ul.parent, first.parent, one.parent) == (None, body, ul, first)
    assert (body.children, ul.children, one.children) == ((ul,), (first, second), ())
    assert second.children == (two, italic, tail)
    assert (one.element, tail.element, two.element) == (first.element, second.element, second.element)
    assert (ul.element.tag, ul.text, one.tag, one.text) == ("ul", None, "#text", "one")
    assert made.nodes[0].element is body_of(made)
    assert all(isinstance(node, Node) and node.page is made for node in made.nodes)


def test_a_page_that_nests_too_deep_is_cut():
    assert not page("<div>" * 100).is_cut
    assert page("<div>" * (MAX_DEPTH + 100)).is_cut


# --- where pages come from -----------------------------------------------------------------------


def test_bytes_are_decoded_by_their_declaration():
    assert outline(Page('<meta charset="windows-1251"><p>Привет'.encode("cp1251"), HOST))[-1] == "'Привет'"
    assert outline(Page("\ufeff<p>Grüße".encode("utf-16"), HOST))[-1] == "'Grüße'"
    for codec in (b"rot13", b"idna", b"undefined"):
        assert outline(Page(b'<meta charset="%b"><p>..x' % codec, HOST))[-1] == "'..x'", "no codec of texts"


def test_a_page_of_a_response():
    request = Request(f"{HOST}last", meta={"redirect_urls": [f"{HOST}old", f"{HOST}older"]})
    made = Page.from_response(HtmlResponse(f"{HOST}last", body=b"<p>x", request=request))
    assert (made.url, made.text, made.aliases) == (f"{HOST}last", "<p>x", (f"{HOST}old", f"{HOST}older"))
    assert Page.from_response(HtmlResponse(HOST, body=b"x")).aliases == ()
    asked = HtmlResponse(f"{HOST}b", body=b"x", request=Request(f"{HOST}a"))
    assert Page.from_response(asked).aliases == (f"{HOST}a",)
    assert Page.from_response(TextResponse(HOST, body="é".encode("latin-1"), encoding="latin-1")).text == "é"
    with pytest.raises(TypeError, match="has no text"):
        Page.from_response(Response(HOST, body=b"x"))


@pytest.mark.parametrize(("source", "is_document"), [("<!DOCTYPE html>x", True), ("<BODY>x", True), ("<p>x", False)])
def test_a_fragment_is_no_document(source, is_document):
    assert Page(source, HOST).is_document is is_document


# --- memory --------------------------------------------------------------------------------------


def test_a_page_is_parsed_when_it_is_used_and_again_after_release():
    made = page("<p>x")
    assert made.digest == page("<p>x", f"{HOST}other").digest != page("<p>y").digest
    parts = {"_tree", "_parsed", "nodes", "links"}
    assert not parts & vars(made).keys()
    before, links = outline(made), made.links
    assert parts <= vars(made).keys()
    release(made)
    assert not parts & vars(made).keys()
    assert (outline(made), made.links) == (before, links)


def test_a_tree_that_is_taken_is_the_caller_s():
    made = page("<p>x")
    arrays, body = nodes_of(made), take_tree(made)
    body.clear()
    assert outline(made) == ["body", "p", "'x'"]
    assert nodes_of(made) is arrays


@pytest.mark.parametrize("ask", [lambda made: made.root, lambda made: made.nodes[1].element])
def test_a_tree_of_which_a_user_has_elements_is_not_taken(ask):
    made = page("<p>x")
    element = ask(made)
    assert take_tree(made) is None
    assert ask(made) is element
    assert take_tree(page("<p>x")) is not None


def test_a_page_whose_text_is_in_noscript_alone_is_read_with_it():
    def tags(text, hidden):
        body = f"<div>{text}</div><noscript><p>{hidden}</p></noscript>"
        return [node.tag for node in Page(f"<html><body>{body}</body></html>", "https://site.test/").nodes]

    plain = ["body", "div", "#text"]
    assert tags("Loading", "rain " * 50) == [*plain, "noscript", "p", "#text"]
    assert tags("Loading", "rain " * 49) == plain
    assert tags("snow " * 60, "rain " * 60) == plain, "no more than outside"
    assert tags("snow " * 100, "rain " * 200) == plain, "a page of its own"
    read = [*plain, "noscript", "p", "#text"]
    for letters, of_a_word in (("雨", 2), ("あ", 4), ("ก", 4)):  # scripts without blanks between words
        assert tags("Loading", letters * of_a_word * 50) == read
        assert tags("Loading", letters * of_a_word * 49) == plain
        assert tags(letters * of_a_word * 100, letters * of_a_word * 200) == plain, "a page of its own"


@pytest.mark.parametrize(
    ("html", "title"),
    [
        ("<title> Water in\n the cellar </title>", "Water in the cellar"),
        ("<svg><g><title>Logo</title></g></svg><p>Text", ""),
        ("<p>Text", ""),
        (f"<title>{'a' * 1001}</title>", "a" * 1000),
    ],
)
def test_the_title_is_that_of_the_page(html, title):
    assert Page(html, "https://example.com/").title == title


def test_a_page_is_selected_from_and_joins_urls_as_a_response_does():
    made = Page('<base href="/b/"><p class="x">one<p>two', "https://site.test/a/")
    assert made.css("p.x::text").getall() == ["one"]
    assert made.xpath("//p[text()=$text]", text="two").getall() == ["<p>two</p>"]
    assert made.urljoin("c") == "https://site.test/b/c"
    made.css("p").drop()
    assert [node.text for node in made.nodes if node.text] == ["one", "two"], "what is changed changes nothing else"


@pytest.mark.parametrize(
    ("source", "is_large"),
    [
        ("<p" + " a=1" * 500 + ">x", False),
        ("<p" + " a=1" * 501 + ">x", True),
        ("<p" + " a" * 501 + ">x", True),
        ("<p" + "/a" * 501 + ">x", True),
        ("<p" + " a='>'" * 501 + ">x", True),
        ('<p b="\'>"' + " a" * 500 + ">x", True),
        ("<pb" + " a" * 500 + ">x", True),
        ('<p a="' + " b" * 501 + '">x', False),
        ("<p>" + " a" * 501, False),
        ("<script>if (a <b" + " c" * 501 + "</script>", False),
        ("<script" + " a" * 501 + "></script>", True),
        ("<script>'</p>'; n<m" + " /a/" * 600 + "</script>", False),
        ("<!-- n<m" + " a" * 600 + " --><p>", False),
        ("<textarea></p>n<m" + " a" * 600 + "</textarea>", False),
        ("<!--<m" + " a" * 2000 + ">-->", False),
        ("<!--<m" + " a" * 2001 + ">-->", True),
        ("<script></script><p" + " a" * 501 + ">", True),
        ("<!-- <script> --><p" + " a" * 501 + ">", True),
        ("<textarea><script></textarea><p" + " a" * 2001 + ">", True),
        ("<script/><p" + " a" * 501 + ">", True),
        ("<p" + " a" * 400 + ">" + "<p" + " a" * 400 + ">", False),
    ],
)
def test_an_element_with_many_attributes_makes_a_page_too_large(source, is_large):
    assert is_too_large(source) == is_large
