"""Nodes read from libxml2's tree, against those read from the bytes that libxml2 writes of it."""

from __future__ import annotations

import timeit

import pytest
from detector_cases import SITES, needs_sites
from hypothesis import example, given
from lxml import etree
from made_sites import page
from strategies import PIECES, STARTS, sources

from templex_scrapy.page import LEFT_OUT, Page, body_of, nodes_of
from templex_scrapy.page.node_arrays import _read_written, read_tree

pytestmark = pytest.mark.skipif(read_tree is None, reason="plain Python, or another lxml than at the build")

FRAGMENT = "<!DOCTYPE html><html><body>{}</body></html>"


def read(body, left_out=LEFT_OUT):
    """Read the nodes; None if that is left to the bytes, otherwise the same as from these."""
    found = read_tree(body, left_out)
    if found is not None:
        expected = _read_written(body, left_out)
        written = [[start_tag.tag_string for start_tag in scan.start_tags] for scan in (found, expected)]
        assert written[0] == written[1]
        assert found[1:] == expected[1:]
        assert [type(value) for value in found] == [type(value) for value in expected]
    return found


@given(sources)
@example("".join(PIECES))
@example("".join(f"{piece}</div><p>" for piece in PIECES))
@example("<a\x85>x</a><a<b>y</a<b>")
@example("<p>1<!-- a -->2<?b?>3<b></b><!-- c -->4 <!-- d --> 5<script></script><!-- e -->6")
@example("<iframe><p>x</iframe>y<noscript>z<iframe></iframe><noscript><p>u</noscript></noscript>v<template><i>w")
@example("<p title='\ufffd\uffff\ufffe'><p title='\uff01'><p title='\ufeff'><p title='\x7f\x85\xa0'><p title='\uf000'>")
@example('<!DOCTYPE html public "-//w3c//dtd xhtml 1.0 strict//EN" "u"><br><p lang=en><a name=x>')
def test_the_same_as_from_bytes(source):
    body = body_of(Page(source, "https://site.test/"))
    read(body)
    read(body, LEFT_OUT - {"noscript"})


@pytest.mark.parametrize("piece", PIECES)
def test_each_piece(piece):
    for start in STARTS:
        body = body_of(Page(f"{start}<p>1{piece}2</p>3{piece}", "https://site.test/"))
        read(body)


@pytest.mark.parametrize(
    "body", ["<p>x</p>", "<p title='<&\">\n\t\r'>é&lt;\uff01</p>", "<div><script>a<b</script></div>"]
)
def test_nothing_usual_is_left_to_the_bytes(body):
    assert read(body_of(page(body))) is not None


@pytest.mark.parametrize(
    "xml",
    [
        "<a xmlns='u'/>",
        "<a xmlns:b='u'/>",
        "<a xml:lang='en'/>",
        "<a><![CDATA[x]]>y</a>",
        "<!DOCTYPE a [<!ENTITY e 'x'>]><a>&e;</a>",
        "<!DOCTYPE a [<!ENTITY e 'x'>]><a><script>&e;</script></a>",
        "<!DOCTYPE a [<!ENTITY e 'x'>]><a b='&e;'/>",
    ],
)
def test_what_no_page_has_is_left_to_the_bytes(xml):
    parser = etree.XMLParser(resolve_entities=False, strip_cdata=False)
    assert read_tree(etree.fromstring(xml, parser), LEFT_OUT) is None


def test_changed_trees():
    body = body_of(page("<p>1<b>2</b>3<i>4</i>5</p><p class=a>6</p>"))
    body[0].remove(body[0][0])
    assert read(body) is not None
    etree.strip_tags(body, "i")  # leaves texts beside texts
    assert read(body) is None
    body[0].text = ""
    body[1].text = None
    body[1].set("class", "b")
    body.append(etree.fromstring("<p class='b'>7</p>"))  # from another document
    assert read(body) is not None


def test_part_of_a_tree():
    body = body_of(page("<p>1</p><p>2<b>3</b></p>4<p>5</p>"))
    assert read(body[1]).texts == [None, "2", None, "3"]
    assert read(body[0]).depth == 1


def test_what_is_no_element():
    with pytest.raises(TypeError):
        read_tree(None, LEFT_OUT)
    assert read_tree(etree.Comment("x"), LEFT_OUT) is None


def deep(count, tag="div"):
    top = element = etree.Element("div")
    for _ in range(count):
        element = etree.SubElement(element, tag)
    return top


def broad(count):
    return body_of(page("".join(f"<p class='{number}'>x</p>" for number in range(count))))


@pytest.mark.parametrize(
    ("make", "size"), [(deep, 1_000), (broad, 8_000), (lambda count: deep(count, "template"), 1_000)]
)
def test_deep_and_broad_trees_take_linear_time(make, size):
    def seconds(count):
        body = make(count)
        return min(timeit.repeat(lambda: read_tree(body, LEFT_OUT), number=1, repeat=5))

    # eight times as many nodes: a busy machine may quadruple that, and quadratic time would be 64
    assert seconds(8 * size) < 32 * seconds(size)


def test_the_page_reads_its_tree(monkeypatch):
    expected = list(nodes_of(page("<p>x</p>")).texts)
    monkeypatch.setattr("templex_scrapy.page.node_arrays.scan", None)
    assert list(nodes_of(page("<p>x</p>")).texts) == expected


@pytest.mark.integration
@pytest.mark.shared
@needs_sites
def test_saved_pages():
    paths = sorted(SITES.glob("**/*.html"))[::10]
    left = [
        path for path in paths if read(body_of(Page(path.read_text("utf-8", "replace"), "https://site.test/"))) is None
    ]
    assert paths
    assert len(left) < len(paths) / 100
