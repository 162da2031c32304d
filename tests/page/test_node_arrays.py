"""Node arrays, read from the tree as libxml2 writes it, against a plain walk over the tree."""

import time

import pytest
from helpers.growth import growth
from helpers.made_sites import HOST, page
from helpers.strategies import PIECES, sources
from hypothesis import example, given
from literal import mapping, tree
from lxml import etree

from templex_scrapy.page import Page, body_of, nodes_of
from templex_scrapy.page.reader import read_nodes

pytestmark = pytest.mark.usefixtures("compiled_and_plain")

# A control character cannot be written in XML; in attributes, which are read as libxml2 writes them, it is U+FFFD.
UNWRITABLE = dict.fromkeys([*range(9), 11, 12, *range(14, 32), 0xFFFE, 0xFFFF], "\ufffd")


def assert_as_walked(made):
    plain = tree.nodes_below(body_of(made))
    arrays = nodes_of(made)
    assert [(node.tag, node.text) for node in made.nodes] == [(node.tag, node.text) for node in plain]
    assert list(arrays.parents) == [node.parent for node in plain]
    assert all(node.element is other.element for node, other in zip(made.nodes, plain, strict=True))
    for position in range(len(made)):
        children = [child for child, parent in enumerate(arrays.parents) if parent == position]
        assert arrays.children(position) == children
        assert arrays.child_counts[position] == len(children)
        below = [other for other in range(len(made)) if position in {other, *arrays.ancestors(other)}]
        assert below == list(range(position, position + arrays.sizes[position]))
    for node in made.nodes:
        start_tag = arrays.start_tag(node.position)
        assert start_tag.tag == node.tag
        assert start_tag.id == mapping.id_of(node).translate(UNWRITABLE)
        assert start_tag.classes == {name.translate(UNWRITABLE) for name in mapping.class_names(node)}
        pairs = {(name, value.translate(UNWRITABLE)) for name, value in mapping.other_attributes(node)}
        assert start_tag.attributes == pairs


@given(sources)
@example("".join(PIECES))
@example("".join(f"{piece}</div><p>" for piece in PIECES))
@example("<a\x85>x</a><a<b>y</a<b>")
@example("<p>1<!-- a -->2<?b?>3<b></b><!-- c -->4 <!-- d --> 5<script></script><!-- e -->6")
@example("<iframe><p>x</iframe>y<noscript>z<iframe></iframe><noscript><p>u</noscript></noscript>v<template><i>w")
@example('<!DOCTYPE html public "-//w3c//dtd xhtml 1.0 strict//EN" "u"><br><p lang=en><a name=x>')
@example("<p\xa0title='x'>x</p>")
@example("<div b\xa0title='x'>x</div>")
@example("<div b\xa0class='y'>x</div>")
@example("<p>a&#1;b</p>c&#1;")
def test_nodes_of_any_source_are_those_of_a_plain_walk(source):
    assert_as_walked(Page(source, HOST))


@pytest.mark.skipif(etree.LIBXML_VERSION < (2, 14), reason="libxml2 leaves such characters out")
def test_characters_that_cannot_be_written_take_linear_time():
    made = page("<p>a&#1;b</p>" * 4000)
    start = time.process_time()
    assert nodes_of(made).texts[2] == "a\x01b"
    assert time.process_time() - start < 1


@pytest.mark.parametrize(
    "name", ["W3C//DTD XHTML", "w3c//dtd xhtml", "W&amp;C//DTD XHTML", "W&C//DTD XHTML", "W[é|C//DTD XHTML"]
)
def test_an_xhtml_doctype_adds_no_attributes_and_stays(name):
    identifiers = f'"-//{name} 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd"'
    doctype = f"<!DOCTYPE html PUBLIC {identifiers}>"
    made = Page(f'{doctype}<html lang="en"><body><a name="x">y</a><br></body></html>', "https://site.test/")
    assert nodes_of(made).tag_strings[1:] == ('<a name="x">', "#text", "<br>")
    if etree.LXML_VERSION >= (6,) or not set("&[") & set(name):  # older versions lose such a name
        assert made.root.getroottree().docinfo.doctype == doctype


def test_start_tags_are_shared_between_pages():
    one, two = nodes_of(page('<p class="b a" id="m">x</p>')), nodes_of(page('<div><p class="b a" id="m">x</p></div>'))
    assert one.start_tag(1) is two.start_tag(2)
    assert one.start_tag(1).tag_and_classes == "p a b"


def test_digest_of_the_texts():
    def digest(body):
        return nodes_of(page(body)).text_digest

    assert digest("<p>read 12 times</p>") == digest("<div>read  7 times</div>")
    assert digest("<p>part2b</p>") != digest("<p>part3b</p>"), "a number within a word is part of it"
    assert digest("<h1>Day 1</h1>") != digest("<h1>Day 2</h1>")
    assert digest("<h1x>Day 1</h1x>") == digest("<h1x>Day 2</h1x>"), "no heading"
    assert digest("<h1><b><h1>Day 1</h1></b></h1>") != digest("<h1><b><h1>Day 2</h1></b></h1>")
    assert digest("<p></p>") == b""


def test_texts_that_only_comments_separate():
    made = page("<p>1<!-- a -->2<?b?>3<b></b><!-- c -->4 <!-- d --> 5<script></script><!-- e -->6 <!-- f --><i></i>7")
    assert nodes_of(made).continued == {3, 4, 7}


@pytest.mark.parametrize(
    ("shape", "size"),
    # the parser cuts what is deeper than 2,000 levels; some 2,000 start tags are kept, others are read each time
    [("<div>{}", 900), ("<p class='{}'>x</p>", 4000), ("<template>{}", 900), ("<!--{}--><script></script>", 4000)],
    ids=["deep", "broad", "left out", "comments"],
)
def test_deep_and_broad_trees_take_linear_time(shape, size):
    def make(count):
        body = body_of(page("".join(shape.format(number) for number in range(count))))
        return lambda: read_nodes(body)

    assert growth(make, size) < 3


def test_parents_of_frames():
    assert nodes_of(page("<p>x<iframe></iframe></p><div><noscript>y</noscript></div><i></i>")).frame_parents == {1, 3}


def test_repeated_siblings_have_the_same_tag_and_classes():
    arrays = nodes_of(page('<li class="a">1</li><li>2</li><li class="a">3</li>text<li class="a">4</li>'))
    assert arrays.repeated_siblings(3) == [[1, 5, 8]]
    assert arrays.repeated_siblings(4) == []
