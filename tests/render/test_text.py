"""Text and Markdown of a page."""

import re

import html_text
import pytest
from helpers.made_sites import page, words
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from templex_scrapy import Match, render
from templex_scrapy.page import nodes_of
from templex_scrapy.render.text import writable

pytestmark = pytest.mark.usefixtures("compiled_and_plain")


def clean(body):
    """A page of which nothing is removed."""
    return Match(page(body)).clean


PIECES = st.sampled_from(["a", "b ", " c", ", d", "(", ") e", "<br>", "<hr>", "<!-- c -->", "\n", "&nbsp;", '"f"'])
TAGS = st.sampled_from("b div h2 li p section span table ul".split())


def nested(inner):
    return st.builds("<{0}>{1}</{0}>".format, TAGS, st.lists(inner | PIECES, max_size=5).map("".join))


@given(st.recursive(PIECES, nested, max_leaves=20))
def test_text_has_the_lines_of_html_text(body):
    assert clean(f"<main>{body}</main>").text == html_text.extract_text(f"<main>{body}</main>")


CODE = "def f():\n    return 1"


@pytest.mark.parametrize(
    ("body", "text"),
    [
        # only a comment is within a word
        ("<p>on<!-- c -->e <!-- d --> two</p>", "one two"),
        ("<p>one<!-- c --> <!-- d -->two</p>", "one two"),
        ("<p>on<!-- c --><!-- d -->e<script>x()</script>two</p>", "one two"),
        ("<p>$<!-- c -->1<b></b>,2</p>", "$1,2"),
        # cells are apart
        ("<table><tr><td>12<td>.5<td>:30</table>", "12 .5 :30"),
        ("<select><option>one<option>!two</select>", "one !two"),
        # code keeps its lines, and its place among other text
        (f"<pre><code>{CODE}</code></pre>", CODE),
        (f"<pre>\n{CODE}\n</pre>", CODE),
        ("<pre><b>def</b> f<i>(</i><i>)</i>:\n<!-- c -->    <b>return</b> 1<script>x()</script></pre>", CODE),
        ("<pre>def f():<br>    return 1</pre>", CODE),
        ("<pre><div>def f():</div><div>    return 1</div></pre>", CODE),
        ("<pre><div>def f():\n</div>    return 1</pre>", CODE),
        (f"<pre><pre>{CODE}</pre></pre>", CODE),
        (
            "<p>one  two</p><pre>a\n\n  b</pre><div>three<pre>c  d</pre>four</div><pre> \n </pre>",
            "one two\n\na\n\n  b\n\nthree\n\nc  d\n\nfour",
        ),
        ("<div></div><script>x()</script><!-- c -->", ""),
    ],
)
def test_text(body, text):
    assert clean(body).text == text


@pytest.mark.parametrize("depth", [300, 10_000])
def test_text_of_html_too_deep_for_the_converters(depth):
    """The head, scripts and the like are no text; what stands in a line stays in a line."""
    inner = "<script>x()</script><p>One <b>two</b> &amp; 4.<br>five<noscript><p>six</p></noscript></p>seven"
    deep = clean(f"{'<div>' * depth}{inner}{'</div>' * depth}<table><tr><td>8<td>9</table>&#12;\x00<")
    assert [line for line in deep.text.split("\n") if line][:3] == ["One two & 4.", "five", "seven"]
    assert {"8", "9"} <= set(words(deep.text))
    assert deep.markdown == deep.text


@pytest.mark.parametrize(("gap", "apart"), [("<div>ad</div>", "12 .75"), ("<br>", "12 .75"), ("<b></b>", "12.75")])
def test_what_stood_around_something_removed_is_apart(gap, apart):
    whole = page(f"<p>paid 12</p>{gap}.75 coins".replace("</p>", "").replace("<p>", "<span>"))
    roots = [position for position, tag in enumerate(nodes_of(whole).tags) if tag in {"div", "br"}]
    left = render.text(whole, roots)
    assert left == f"paid {apart} coins"
    title, *others = html_text.extract_text(render.cleaned_html(whole, roots)).split()
    assert (title, left.split()) == ("t", others)


def test_text_that_is_removed_from_code_is_written_nowhere():
    whole = page("<p><code>a <b>gone</b> b</code> <code>gone</code></p><pre>c <i>gone</i>gone<b>\n  d</b></pre>")
    roots = [position for position, text in enumerate(nodes_of(whole).texts) if text == "gone"]
    assert render.text(whole, roots) == "a b\n\nc\n  d"
    assert render.markdown(whole, roots) == "`a b`\n\n```\nc\n  d\n```"


def test_a_text_behind_a_removed_one_does_not_continue_the_text_before():
    whole = page("<p><b>one</b>gone<!-- c -->two</p>")
    assert render.text(whole, [nodes_of(whole).texts.index("gone")]) == "one two"


@pytest.mark.parametrize("tag", ["applet", "frameset", "noframes", "noembed", "xmp", "noscript", "template", "iframe"])
def test_text_and_markdown_have_the_words_of_the_nodes(tag):
    for body in (
        f"<p>before</p><{tag}>in &amp; <b>side</b></{tag}><p>after</p>",
        f"<{tag}>{'some words ' * 30}</{tag}>",
    ):
        nodes = words(" ".join(node.text or "" for node in page(body).nodes))
        assert words(clean(body).text) == words(clean(body).markdown.replace("`", "")) == nodes


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
        "<p>o<b></b>n<i></i>e</p>",
    ],
)
def test_markdown_keeps_words_apart(html):
    assert words(clean(html).markdown) == re.findall("one|two|three", re.sub("</?[bi]>", "", html))


@given(st.text(st.characters(codec=None) | st.sampled_from("\0\t\f\r\x1f\x7f\ud800\udfff\ufffe\uffff\U0001ffff")))
def test_what_lxml_refuses_becomes_a_space_or_a_sign_and_nothing_else_changes(text):
    element = etree.Element("p")
    element.text = written = writable(text)
    assert len(written) == len(text)
    for before, after in zip(text, written, strict=True):
        if before != after:
            assert after == (" " if before.isspace() else "\ufffd")
            with pytest.raises(ValueError, match=r"XML compatible|surrogates"):
                element.text = before
