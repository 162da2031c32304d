"""HTML of a page without its template, with the template marked, and of the template alone."""

import re

import pytest
from helpers.made_sites import (
    HOST,
    MENU,
    NUMBERS,
    SOME,
    STRANGER,
    body_of,
    drawn_sites,
    learn,
    matches,
    page,
    site,
    words,
)
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from templex_scrapy import Page, Template
from templex_scrapy.render import cleaned_html
from templex_scrapy.render.html import content_fragment

URL = f"{HOST}a/p.html"


OUTPUTS = ("html", "text", "markdown", "annotated_html", "template_html")


def clean(body, number=STRANGER, **options):
    """A page of a site after cleaning."""
    pages = site(body, **options)
    return learn(pages).match(pages[number]).clean


def own_words(page_):
    return {w for node in page_.nodes if node.text for w in words(node.text) if re.match(r"own|last", w)}


@SOME
@given(drawn_sites(), st.integers(1, 3))
def test_exactly_the_removed_nodes_are_missing(pages, votes):
    template = Template.from_pages(pages[0], pages[1:4], votes)
    for each in pages:
        match = template.match(each)
        kept = [node for node in each.nodes if node.position not in match.removable]
        cleaned = Page(match.clean.html, each.url)
        if not match.clean.kept_whole:
            assert [n.tag for n in cleaned.nodes if n.text is None] == [n.tag for n in kept if n.text is None]
            assert [w for n in cleaned.nodes if n.text for w in n.text.split()] == [
                w for n in kept if n.text for w in n.text.split()
            ]
        for output in (match.clean.html, match.clean.text, match.clean.markdown):
            assert own_words(each) <= set(words(output))


# --- the rest of the document ---


DOCTYPES = [
    "<!DOCTYPE html>",
    '<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01//EN" "http://www.w3.org/TR/html4/strict.dtd">',
    '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">',
    '<!DOCTYPE html SYSTEM "about:legacy-compat">',
]


@pytest.mark.parametrize("doctype", DOCTYPES)
def test_what_is_around_the_body_is_kept(doctype):
    head = '<!-- before --><html lang="en"><head><meta charset="shift_jis"><script>a < b && c</script></head>'
    cleaned = clean(
        "<p>own{0}<script>x()</script></p><p><a href='/f'>Fixed</a><script>y()</script></p>".format, head=doctype + head
    )
    assert "<script>x()</script>" in cleaned.html
    assert "y()" not in cleaned.html, "it is removed with its parent"
    for made in (cleaned.html, cleaned.annotated_html, cleaned.template_html):
        assert made.startswith(doctype)
        for kept in (
            "<!-- before -->",
            '<html lang="en">',
            '<meta charset="shift_jis">',
            "<script>a < b && c</script>",
        ):
            assert made.count(kept) == 1


@pytest.mark.skipif(etree.LIBXML_VERSION < (2, 14), reason="reads the content as elements")
@pytest.mark.parametrize(
    "raw",
    [
        "<xmp><b>a & b</b> &lt; &#1;</xmp>after",
        '<iframe src="/x?a&amp;b"><p>y & z</p></iframe>after',
        "<noembed><i>a</i></noembed><noframes><p>x &amp;</noframes>",
        "<!-- <xmp>&lt; --><script>'<xmp>&lt;'</script><xmp>a<b</xmp>",
        "<script-x></script-x><xmp>a<b</xmp><script></script>",
    ],
)
def test_raw_text_is_written_as_it_stood(raw):
    written = cleaned_html(page(f"<p>gone</p>{raw}"), [1])
    assert f"{raw}</body>" in written


def test_plaintext_is_written_so_that_no_end_tag_becomes_text():
    """No end tag ends ``plaintext``: a page that is read again would have words that it never had."""
    written = cleaned_html(Page("<p>gone</p><p>a<plaintext>b & <i>c", HOST), [1])
    assert "".join(node.text or "" for node in Page(written, HOST).nodes) == "ab & <i>c"


def test_what_follows_the_end_tags_is_written_into_the_body():
    source = "<html><body><p>gone</p><p>a</p></body></html>\n<p>b</p><script>1</script>"
    assert cleaned_html(Page(source, HOST), [1]).endswith("<body><p>a</p>\n<p>b</p><script>1</script></body></html>")


@pytest.mark.parametrize("consume_tree", [False, True])
def test_comments_around_the_root_are_kept_in_order(consume_tree):
    source = "<!DOCTYPE html><!-- 1 --><!-- 2 --><html><body><p>gone</p><p>x</p></body></html><!-- 3 --><!-- 4 -->"
    written = cleaned_html(Page(source, HOST), [1], consume_tree=consume_tree)
    assert re.findall(r"\d", written) == list("1234")


def test_where_nothing_is_removed_the_source_is_unchanged():
    source = "<!DOCTYPE HTML>\r\n<BODY  class=a><p>no end tag\n<br/><IMG src=x>\r\n"
    assert cleaned_html(Page(source, URL), []) == source


def test_elements_of_any_name_are_kept():
    written = cleaned_html(page("<p>gone</p><removed>a</removed><REMOVED>b</REMOVED>"), [1])
    assert "<removed>a</removed><removed>b</removed>" in written


@pytest.mark.parametrize(
    ("source", "written"),
    [
        ("<p>one<script>1</script>two</p>", "<p>one two</p>"),
        ("<p>one<style>1</style><!-- c --><script>1</script>two</p>", "<p>one two</p>"),
        ("<p>one <script>1</script>two</p><meta>", "<p>one two</p>"),
        ("<p>one<br><script>1</script>two</p>", "<p>one<br>two</p>"),
    ],
)
def test_words_beside_a_script_stay_apart(source, written):
    assert content_fragment(Page(f"<body>{source}<p>", HOST), ()) == f"<div>{written}<p></p></div>"


def test_the_page_is_not_changed():
    for match in matches(lambda n: f"<div>Fixed <b>own {n}</b> tail <i>Other</i> {n}</div>"):
        before = (match.page.text, etree.tostring(match.page.root.getroottree()), match.page.digest)
        for name in OUTPUTS:
            assert getattr(match.clean, name)
        assert (match.page.text, etree.tostring(match.page.root.getroottree()), match.page.digest) == before


# --- annotated ---


def test_the_elements_of_the_template_are_marked():
    for number, match in zip(NUMBERS, matches(lambda n: f'<h1 class="x">Head {n}</h1><p>Fixed</p>'), strict=True):
        html = match.clean.annotated_html
        annotated = Page(html, match.page.url)
        for before, after in zip(match.page.nodes, annotated.nodes, strict=True):
            assert (before.tag, before.text) == (after.tag, after.text)
            if before.text is None:
                marked = "template_node" in (after.element.get("class") or "").split()
                assert marked == (before.position in match.nodes)
        assert f'<h1 class="x">Head {number}</h1>' in html
        assert 'class="nav0 template_node"' in html


@pytest.mark.parametrize(
    ("tag", "written"),
    [
        ('<p class="  a   b ">', '<p class="a b template_node">Fixed words'),
        ('<p class="template_node">', '<p class="template_node">Fixed words'),
        ("<p class='a\x01b &#2;'>", '<p class="a\ufffdb \ufffd template_node">Fixed words'),
    ],
)
def test_classes_are_kept_and_the_own_one_is_added_once(tag, written):
    if etree.LIBXML_VERSION >= (2, 14) or "\x01" not in tag:  # which leaves such characters out
        assert written in clean(lambda _: f"{tag}Fixed words</p>").annotated_html


# --- the template alone ---


@pytest.mark.parametrize(
    ("line", "rest"),
    [
        ("<p>fixed</p><p>{0}</p>", "<p>fixed</p>"),
        ("<p>fixed <b>{0}</b> again</p>", "<p>fixed  again</p>"),
        ("<p>{0} <b>fixed</b> {0}</p>", "<p><b>fixed</b></p>"),
        ("<div>{0}<ul><li>fixed</li><li>{0}</li></ul>fine</div>", "<div><ul><li>fixed</li></ul>fine</div>"),
        ('<div class="a"><p>{0}</p></div>', '<div class="a"></div>'),
    ],
)
def test_what_is_not_template_is_removed(line, rest):
    for match in matches(line.format):
        template = match.clean.template_html
        assert body_of(template).startswith(MENU)
        kept = {match.page.nodes[position].text for position in match.nodes}
        assert {node.text for node in Page(template, URL).nodes} <= {*kept, "fixed  again"}
        if 'class="a"' not in line:
            assert body_of(template) == MENU + rest


# --- odd characters and sources ---


@pytest.mark.parametrize("written", ["&#12;", "\x0c", "\n\f\n", "&#1;", "\x1f", "\x0b"])
@pytest.mark.parametrize("beside", ["<b>Fixed</b>", "<script>x()</script>", "<!-- c -->", "<iframe></iframe>"])
def test_control_characters_break_nothing(beside, written):
    """A form feed is a space in HTML, and lxml accepts it in a source and nowhere else."""
    cleaned = clean(lambda n: f"<p><i>own{n}</i>{written}{beside}{written} tail{n}</p>")
    for name in ("html", "text", "markdown", "annotated_html"):
        assert {f"own{STRANGER}", f"tail{STRANGER}"} <= set(words(getattr(cleaned, name)))
    assert "menu" in cleaned.template_html
