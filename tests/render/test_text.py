"""Text and Markdown of a page."""

from __future__ import annotations

import re
import time

import html_text
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_sites import page, words

from templex_scrapy import CleanPage, Match, render


def clean(body: str) -> CleanPage:
    """A page of which nothing is removed."""
    return Match(page(body)).clean


PIECES = st.sampled_from(["a", "b ", " c", ", d", "(", ") e", "<br>", "<hr>", "<!-- c -->", "\n", "&nbsp;", '"f"'])
TAGS = st.sampled_from("b div h2 li p section span table ul".split())


def nested(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.builds("<{0}>{1}</{0}>".format, TAGS, st.lists(inner | PIECES, max_size=5).map("".join))


@given(st.recursive(PIECES, nested, max_leaves=20))
def test_text_has_the_lines_of_html_text(body):
    assert clean(f"<main>{body}</main>").text == html_text.extract_text(f"<main>{body}</main>")


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("on<!-- c -->e <!-- d --> two", "one two"),
        ("one<!-- c --> <!-- d -->two", "one two"),
        ("on<!-- c --><!-- d -->e<script>x()</script>two", "one two"),
        ("$<!-- c -->1<b></b>,2", "$1,2"),
    ],
)
def test_only_a_comment_is_within_a_word(body, text):
    assert clean(f"<p>{body}</p>").text == text


def test_text_keeps_the_cells_of_a_table_apart():
    assert words(clean("<table><tr><th>a<th>b<tr><td>1<td>2</table>").text) == ["a", "b", "1", "2"]
    assert clean("<table><tr><td>12<td>.5<td>:30</table>").text == "12 .5 :30"
    assert clean("<select><option>one<option>!two</select>").text == "one !two"


@pytest.mark.parametrize(("gap", "apart"), [("<div>ad</div>", "12 .75"), ("<br>", "12 .75"), ("<b></b>", "12.75")])
def test_what_stood_around_something_removed_is_apart(gap, apart):
    whole = page(f"<p>paid 12</p>{gap}.75 coins".replace("</p>", "").replace("<p>", "<span>"))
    roots = [position for position, tag in enumerate(whole._arrays.tags) if tag in {"div", "br"}]
    left = render.text(whole, roots)
    assert left == f"paid {apart} coins"
    title, *others = html_text.extract_text(render.cleaned_html(whole, roots)).split()
    assert (title, left.split()) == ("t", others)


@pytest.mark.parametrize(
    "code",
    [
        "<code>def f():\n    return 1</code>",
        "\ndef f():\n    return 1\n",
        "<b>def</b> f<i>(</i><i>)</i>:\n<!-- c -->    <b>return</b> 1<script>x()</script>",
        "def f():<br>    return 1",
        "<div>def f():</div><div>    return 1</div>",
        "<div>def f():\n</div>    return 1",
        "<pre>def f():\n    return 1</pre>",
    ],
)
def test_text_keeps_the_lines_of_code(code):
    assert clean(f"<pre>{code}</pre>").text == "def f():\n    return 1"


def test_text_keeps_what_stands_around_code_and_each_code_in_its_place():
    made = clean("<p>one  two</p><pre>a\n\n  b</pre><div>three<pre>c  d</pre>four</div><pre> \n </pre>").text
    assert made == "one two\n\na\n\n  b\n\nthree\n\nc  d\n\nfour"


def test_text_of_a_page_that_has_marks_of_our_own_loses_nothing():
    made = clean("<p>\ufdd00\ufdd0 one \ufdd01\ufdd0</p><pre>a\n b</pre><p>\ufdd00\ufdd0 two</p>").text
    assert made.count("a\n b") == 1
    assert {"one", "two"} <= set(words(made))


@pytest.mark.parametrize("tag", ["applet", "frameset", "noframes", "noembed", "xmp", "noscript", "template", "iframe"])
def test_text_and_markdown_have_the_words_of_the_nodes(tag):
    for body in (
        f"<p>before</p><{tag}>in &amp; <b>side</b></{tag}><p>after</p>",
        f"<{tag}>{'some words ' * 30}</{tag}>",
    ):
        nodes = words(" ".join(node.text or "" for node in page(body).nodes))
        assert words(clean(body).text) == words(clean(body).markdown.replace("`", "")) == nodes


def test_text_and_markdown_of_a_page_without_text_are_empty():
    for body in ("", "<div></div>", "<script>x()</script>", "<!-- c -->"):
        assert clean(body).text == ""
        assert clean(body).markdown == ""


@pytest.mark.parametrize("image", ["{}", '<a href="/">{}</a>', "<p><b>{}</b></p>"])
@pytest.mark.parametrize("tag", ["h1", "td"])
def test_markdown_keeps_images_wherever_they_are(tag, image):
    inner = f"<{tag}>a {image}</{tag}>".format('<img src="/i.png" alt="image">')
    html = f"<table><tr>{inner}</tr></table>" if tag == "td" else inner
    assert "![image](https://site.test/i.png)" in clean(html).markdown


@pytest.mark.parametrize(
    "html",
    [
        "<select><option>one</option><option>two</option></select>",
        "<p>one</p><button>two</button><button>three</button>",
        "<div>one<div></div>two</div>",
        "<div>one <p><b></b></p> two<section>&nbsp;</section>three</div>",
        "<header>one</header><main>two</main><nav>three</nav>",
        "<form>one<fieldset><legend>two</legend>three</fieldset></form>",
        "<p>one<input>two<svg></svg>three</p>",
        "<table><tr><td><h2>one</h2><h3>two</h3>three</td></tr></table>",
        "<details><summary>one</summary>two</details>three",
    ],
)
def test_markdown_keeps_words_apart(html):
    assert words(clean(html).markdown) == re.findall("one|two|three", html)


def test_markdown_keeps_words_together():
    assert clean("<p>o<b></b>n<i>e</i></p>").markdown == "on*e*"


def test_what_is_nested_too_deep_for_the_converters_is_read_as_flat_text():
    deep = clean("<p>one</p>" + "<div>" * 500 + "two<script>x()</script>" + "</div>" * 500 + "<p>three</p>")
    assert words(deep.text) == words(deep.markdown) == ["one", "two", "three"]


@pytest.mark.parametrize(
    "body",
    [
        "<!-- c -->x " * 60_000,
        f"<p>{' ' * 1_000_000}x</p>",
        f"<pre>a{' ' * 1_000_000}b\n</pre>",
        "<tr><td>1<td>2<td>3</tr>" * 15_000,
        "<noscript><p>no</p></noscript> " * 10_000,
        "<b>" * 150 + "<p>one <i>two</i></p>" * 20_000,
    ],
    ids=["comments", "spaces", "spaces in code", "table", "noscripts", "marks"],
)
def test_text_and_markdown_of_long_pages_take_seconds(body):
    clean = Match(page(body)).clean
    began = time.thread_time()
    assert clean.text
    assert clean.markdown
    assert time.thread_time() - began < 5


LINES = "a\n" * 50_000


@pytest.mark.parametrize(
    "body",
    [
        "<pre>" * 190 + LINES * 10 + "</pre>" * 190,
        "<ul><li>" * 95 + f"<pre>{LINES}</pre>" + "</ul>" * 95,
        "<blockquote>" * 190 + f"<pre>{LINES}</pre>" + "</blockquote>" * 190,
        "<dl><dd>" * 95 + f"<pre>{LINES}</pre>" + "</dl>" * 95,
        "<ol start=9999><li>" * 95 + f"<pre>{LINES}</pre>" + "</ol>" * 95,
        "<table><tr><td>a<td>b" + "<tr><td colspan=99 rowspan=99>c<td>d" * 10_000 + "</table>",
    ],
    ids=["code", "lists", "quotes", "definitions", "numbers", "spans"],
)
def test_nested_blocks_do_not_multiply_their_text(body):
    """A page of 2,000,000 characters in 190 nested pre took 16 s and 1.5 GB."""
    clean = Match(page(body)).clean
    began = time.thread_time()
    assert len(clean.text) <= len(body)
    assert len(clean.markdown) <= 35 * len(body)
    assert time.thread_time() - began < 5
