"""Pages as trees of nodes in node order: the contract between detectors, scorers and outputs."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from lxml import etree
from made_sites import HOST, page
from parsel import Selector
from scrapy.http import HtmlResponse, Request, Response, TextResponse
from strategies import sources

from templex_scrapy import Page
from templex_scrapy.page import LEFT_OUT, Node

SHARED = Path(__file__).resolve().parents[3] / "shared"


def told(page_: Page) -> list[str]:
    return [node.tag if node.text is None else repr(node.text) for node in page_.nodes]


def walk(text: str) -> list[tuple[Any, str | None, Any]]:
    """(element, text, element the text is in) in node order, by the definition, on parsel's own tree."""
    root = Selector(text, type="html").root
    body = root if root.tag == "body" else root.find("body")

    def visit(element):
        yield element, None, element
        if element.text and element.text.strip():
            yield None, element.text, element
        for child in element:
            if isinstance(child.tag, str) and child.tag not in LEFT_OUT:
                yield from visit(child)
            if child.tail and child.tail.strip():
                yield None, child.tail, element

    return list(visit(root if body is None else body))


def test_elements_and_texts_in_document_order():
    made = page('<div class="a">one <b>two</b> three</div><p>four</p>')
    assert told(made) == ["body", "div", "'one '", "b", "'two'", "' three'", "p", "'four'"]
    assert [node.position for node in made.nodes] == list(range(8))
    assert isinstance(made.nodes, tuple)
    assert len(made) == 8


def test_blank_texts_are_no_nodes_and_texts_are_not_stripped():
    assert told(page("\n <p> \t</p>\xa0 <p>\n x \n</p> ")) == ["body", "p", "p", repr("\n x \n")]


@pytest.mark.parametrize("tag", sorted(LEFT_OUT))
def test_what_is_left_out_is_left_out_with_what_it_holds_but_for_the_text_behind_it(tag):
    made = page(f"<p>a<{tag}>x</{tag}>b<i>c</i></p>")
    assert told(made) == ["body", "p", "'a'", "'b'", "i", "'c'"]
    assert made.nodes[3].element.tag == "p"


def test_comments_and_instructions_are_left_out_and_the_text_behind_them_stays():
    assert told(page("<p>a<!-- x -->b<?php y ?>c</p>")) == ["body", "p", "'a'", "'b'", "'c'"]


def test_what_only_begins_like_a_left_out_tag_is_a_node():
    assert told(page("<scripted>x</scripted><style-x>y</style-x>")) == ["body", "scripted", "'x'", "style-x", "'y'"]


def test_the_head_is_no_part_of_the_page():
    assert told(Page("<html><head><title>t</title></head><body>x</body></html>", HOST)) == ["body", "'x'"]


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
    assert (body.children, ul.children, first.children) == ((ul,), (first, second), (one,))
    assert second.children == (two, italic, tail)
    assert one.children == ()
    assert (one.element, tail.element, two.element) == (first.element, second.element, second.element)
    assert (ul.element.tag, ul.text, one.tag, one.text) == ("ul", None, "#text", "one")
    assert made.nodes[0].element is made.body
    assert all(isinstance(node, Node) and node.page is made for node in made.nodes)
    assert made.nodes is made.nodes


def test_tags_are_in_lower_case():
    assert told(page("<DIV><Svg><linearGradient></linearGradient></Svg></DIV>")) == [
        "body",
        "div",
        "svg",
        "lineargradient",
    ]


@given(sources)
def test_nodes_are_those_of_the_definition_on_parsel_s_tree(source):
    text = source.encode("utf-8", "replace").decode()
    expected = walk(text)
    made = Page(text, HOST)
    assert [(n.tag, n.text) for n in made.nodes] == [
        ("#text" if e is None else e.tag.lower(), t) for e, t, _ in expected
    ]
    paths = {element: element.getroottree().getpath(element) for element, _, _ in expected if element is not None}
    assert [n.element.getroottree().getpath(n.element) for n in made.nodes] == [
        paths[owner] for _, _, owner in expected
    ]
    for node in made.nodes:
        assert all(child.parent is node for child in node.children)
        if node.parent is not None:
            assert node in node.parent.children


@given(sources)
def test_the_tree_is_the_one_parsel_builds(source):
    text = source.encode("utf-8", "replace").decode()
    root = Selector(text, type="html").root
    assume(isinstance(root, etree._Element))  # parsel 1.9 takes what looks like JSON for that, whatever it is told
    assert etree.tostring(Page(text, HOST).root) == etree.tostring(root)


# --- where pages come from -----------------------------------------------------------------------


def test_bytes_are_decoded_by_their_declaration():
    assert told(Page('<meta charset="windows-1251"><p>Привет'.encode("cp1251"), HOST))[-1] == "'Привет'"
    assert told(Page("\ufeff<p>Grüße".encode("utf-16"), HOST))[-1] == "'Grüße'"


def test_a_page_of_a_response():
    request = Request(f"{HOST}last", meta={"redirect_urls": [f"{HOST}old", f"{HOST}older"]})
    made = Page.from_response(HtmlResponse(f"{HOST}last", body=b"<p>x", request=request))
    assert (made.url, made.text, made.aliases) == (f"{HOST}last", "<p>x", (f"{HOST}old", f"{HOST}older"))
    assert Page.from_response(HtmlResponse(HOST, body=b"x")).aliases == ()
    asked = HtmlResponse(f"{HOST}b", body=b"x", request=Request(f"{HOST}a"))
    assert Page.from_response(asked).aliases == (f"{HOST}a",)
    assert Page.from_response(TextResponse(HOST, body="é".encode("latin-1"), encoding="latin-1")).text == "é"


def test_a_response_without_text_is_refused():
    with pytest.raises(TypeError, match="has no text"):
        Page.from_response(Response(HOST, body=b"x"))


def test_a_page_that_waits_has_no_tree():
    made = page("<p>x")
    assert made.digest == page("<p>x", f"{HOST}other").digest != page("<p>y").digest
    assert not {"root", "reading", "nodes", "elements"} & made.__dict__.keys()


# --- the saved sites -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tools():
    if not (SHARED / "sites").is_dir() or not (SHARED / "tools" / "gold.py").is_file():
        pytest.skip(f"no saved sites in {SHARED}")
    sys.path.insert(0, str(SHARED / "tools"))
    return importlib.import_module("gold"), importlib.import_module("site_archive")


@pytest.mark.shared
def test_nodes_of_all_saved_pages_are_those_of_the_gold_standard(tools):
    gold, archive = tools
    pages = 0
    for manifest in sorted((SHARED / "sites").glob("*/site.json")):
        site = archive.SavedSite(manifest.parent)
        for path in site.pages:
            source = site.read(path)
            _, body = gold.parse(source)
            found = [(n.tag, n.text, n.element.sourceline) for n in Page(source, site.url(path)).nodes]
            assert found == [
                ("#text" if element is None else element.tag.lower(), text, owner.sourceline)
                for element, text, owner in gold.walk(body)
            ], (site.name, path)
            pages += 1
    assert pages > 900


def test_a_page_whose_text_is_in_noscript_alone_is_read_with_it() -> None:
    def tags(text: str, hidden: str) -> list[str]:
        body = f"<div>{text}</div><noscript><p>{hidden}</p></noscript>"
        return [node.tag for node in Page(f"<html><body>{body}</body></html>", "https://site.test/").nodes]

    plain = ["body", "div", "#text"]
    assert tags("Loading", "rain " * 50) == [*plain, "noscript", "p", "#text"]
    assert tags("Loading", "rain " * 49) == plain
    assert tags("snow " * 60, "rain " * 60) == plain, "no more than outside"
    assert tags("snow " * 100, "rain " * 200) == plain, "a page of its own"
