"""Markdown of a page, also as a CommonMark parser renders it."""

import re

import lxml.html
import pytest
from helpers.growth import growth
from helpers.made_sites import page, words
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from templex_scrapy import Match
from templex_scrapy.render.markdown import MAX_ADDED

PARSER = MarkdownIt("commonmark").enable("table")


def markdown(body):
    return Match(page(body)).clean.markdown


def rendered(body):
    """The page that a CommonMark parser makes of the Markdown."""
    return lxml.html.fragment_fromstring(PARSER.render(markdown(body)), create_parent="div")


def text_of(tree):
    return " ".join(" ".join(tree.itertext()).split())


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>a<br><br>b", "a\n\nb"),
        ("<p>$9<sup>25</sup>, the 4<sup>th</sup>", "$9 25, the 4th"),
        ("<b>a<br>b</b>", "**a**  \n**b**"),
        ("<b>a</b><b>b</b>", "**ab**"),
        ("<b>a</b><i>b</i>", "**a***b*"),
        ("<b><i>a</i></b><b><i>b</i></b>", "***ab***"),
        ('<b>a</b><a href="/x"><b>b</b></a>', "**a**[**b**](https://site.test/x)"),
        ("<p>a<b> b </b>c", "a **b** c"),
        ("<b><p>a</p></b>", "a"),
        ("<b><b>x</b></b>", "**x**"),
        ("<b>a <strong>b</strong></b><b>c</b>", "**a bc**"),
        ("<h2>a<br>b</h2>", "## a b"),
        ("<h2>a</h2><hr><p>b", "## a\n\n---\n\nb"),
        ('<a href="/x"><h3>a</h3><p>b</p></a>', "### [a](https://site.test/x)\n\nb"),
        ('<p>before <a href="/x"><div>a</div></a>', "before\n\n[a](https://site.test/x)"),
        ('<a href="/x"><img src="/i.png" alt="i"></a>', "[![i](https://site.test/i.png)](https://site.test/x)"),
        ('<a href="/x"> </a>a', "a"),
        ('<a href="javascript:x()">a</a>', "a"),
        ('<a href="/x y(1)">a</a>', "[a](<https://site.test/x%20y(1)>)"),
        ('<code><a href="/x">f</a></code>', "[`f`](https://site.test/x)"),
        ('<img src="data:image/gif;base64,AA" alt="i">', "i"),
        ("<code>a`b</code>", "``a`b``"),
        ("<code>`a`</code>", "`` `a` ``"),
        ("<pre><!-- c -->a</pre>", "```\na\n```"),
        ("<pre>```</pre>", "````\n```\n````"),
        ('<pre><code class="language-python">a</code></pre>', "```python\na\n```"),
        ('<div class="highlight-c++"><pre>a</pre></div>', "```c++\na\n```"),
        ('<ol start="3"><li>a<li>b</ol>', "3. a\n4. b"),
        ('<ol start="10000"><li>a</ol>', "1. a"),
        ('<ol start="9999"><li>a</ol>', "9999. a"),
        ('<ol start=" 009 "><li>a</ol>', "9. a"),
        (f'<ol start="{"0" * 9}{"9" * 5_000}"><li>a</ol>', "1. a"),
        ("<ul><li><p>a<p>b<li>c</ul>", "- a\n\n  b\n- c"),
        ("<ul><li>a</li><ul><li>b</li></ul><li>c</ul>", "- a\n  - b\n- c"),
        ('<ul><li>a</li><script>b</script><script type="math/tex">c</script></ul>', "- a\n- $c$"),
        ("<ul>a<li>b</li>c</ul>", "a\n\n- b\n- c"),
        ("<blockquote><p>a<p>b</blockquote>", "> a\n> \n> b"),
        ("<dl><dt>a<dd>b</dl>", "a  \nb"),
        ("<dl><dt>a<dd><p>b<p>c<dd>d<dt>e<dd><ul><li>f</ul></dl>", "a  \nb\n\nc\n\nd\n\ne\n\n- f"),
        # marks that a reader would show as asterisks
        ("<p><b>a&nbsp;</b>b", "**a**\xa0b"),
        ("<p><b>Posted:</b>today", "**Posted**:today"),
        ("<p><b>Posted:</b><br>today", "**Posted:**  \ntoday"),
        ("<p>a<b>&nbsp;</b>b<i>:</i>c", "a\xa0b:c"),
        ("<p><b>(a)</b>b", "(a)b"),
        ("<p>a<b>€5</b>", "a€5"),
        ("<p><b>a <i>b</i></b>c", "**a *b***c"),
        ("<p><i><b>a</b>:</i>b", "**a**:b"),
        ("<p><b>a ~</b>b", "a ~b"),
        ("<p><b>http://b.test/a</b>b", "http://b.test/ab"),
        ("<p><b>http://b.test/a</b>, b", "**http://b.test/a**, b"),
        ("<p><b>http://b.test/_a_</b>b", "<http://b.test/_a_>b"),
        ("<p>_a_ https://b.test/_c_. _d_", "\\_a\\_ <https://b.test/_c_>. \\_d\\_"),
        ("<p>https://b.test/c_d www.b.test/_c_", "https://b.test/c_d www.b.test/_c_"),
        ("<p>https://b.test/&lt;b&gt;", "<https://b.test/>\\<b>"),
        ("<p>[x (http://b.test/2.0)],", "\\[x (<http://b.test/2.0>)\\],"),
        ('<p>src="https://b.test/_a" &gt;&lt;/b', 'src="<https://b.test/_a>" >\\</b'),
        ('<p>src="http://b.test/a"&gt;&lt;/b', 'src="<http://b.test/a>">\\</b'),
        ('<p><a href="/x">https://b.test/_c_</a>', "[https://b.test/\\_c\\_](https://site.test/x)"),
        # what HTML has not is a part of a line
        ("<p>a <my-time>b</my-time>. <st1:place>c</st1:place>", "a b. c"),
        ("<p><x-a>a</x-a><x-b>b</x-b>", "a b"),
        ("<my-card><p>a</p><p>b</p></my-card>", "a\n\nb"),
        ("<h2>a <x-y>b</x-y></h2>", "## a b"),
        ("<p>a <svg><title>b</title><text>c</text></svg> d", "a c d"),
        ("<svg><switch><foreignobject>a</foreignobject><text>a</text></switch><text>b</text></svg>", "a b"),
        ("<svg><path><h1>a</h1><p>b", "# a\n\nb"),
        ("<p><span>Ann</span><span>2 May</span><b>B</b>c", "Ann 2 May**B**c"),
        # headings
        ("<h3><div><h1>a</h1></div></h3>", "### a"),
        ("<h2><div>a</div><div>b</div></h2>", "## a b"),
        ('<h2>a<a class="headerlink" href="#a">¶</a></h2>', "## a"),
        ('<h2><a href="#a">a</a> <a class="anchor" href="/p#a">\uf0c1</a></h2>', "## a"),
        ('<h2><a href="/x">a</a></h2>', "## [a](https://site.test/x)"),
        ('<h2><a href="/x#y">★</a></h2>', "[★](https://site.test/x#y)"),
        ("<h1>a<ul><li>b</ul>c", "a\n\n- b\n\nc"),
        ("<h2>C #</h2>", "## C \\#"),
        # lists
        ("<ol><li value=5>a<li>b<li value=9>c</ol>", "5. a\n6. b\n\n9) c"),
        ("<ul><li>a</ul><ul><li>b</ul><ul><li>c</ul>", "- a\n\n* b\n\n- c"),
        ("<ol><li>a</ol><ol><li>b</ol>", "1. a\n\n1) b"),
        ('<ul><li>a<ol start="5"><li>b</ol></ul>', "- a\n\n  5. b"),
        ("<ul><li>a<ol><li>b</ol></ul>", "- a\n  1. b"),
        # pictures that load later
        ('<img src="data:image/gif;base64,AA" data-src="/a.jpg" alt="a">', "![a](https://site.test/a.jpg)"),
        ('<img src="/blank.gif" data-original="/a.jpg">', "![](https://site.test/a.jpg)"),
        ('<img srcset="/s.jpg 300w, /l.jpg 900w" alt="a">', "![a](https://site.test/l.jpg)"),
        ('<img srcset="/s.jpg, data:image/png;base64,x 2x" alt="a">', "![a](https://site.test/s.jpg)"),
        ("<mjx-container>zz</mjx-container><b>word</b>", "zz **word**"),
        ('<picture><source srcset="/a.webp"><img alt="a"></picture>', "![a](https://site.test/a.webp)"),
        (
            '<picture><source data-srcset="/a.webp"><img src="data:,"></picture><noscript><img src="/b.jpg">',
            "![](https://site.test/a.webp)",
        ),
        ('<img src="/blank.gif" alt="a"><noscript><img src="/a.jpg">', "![a](https://site.test/a.jpg)"),
        (
            '<amp-img src="/a.jpg" alt="a"><noscript><img src="/a.jpg"></noscript></amp-img>',
            "![a](https://site.test/a.jpg)",
        ),
        ('<p>x<img class="lazy" alt="a"><noscript><img src="/a.jpg"></noscript>', "x![a](https://site.test/a.jpg)"),
        ('<p>x <noscript><img src="/a.jpg"></noscript>', "x ![](https://site.test/a.jpg)"),
        ('<p>x <noscript><img src="/t.gif" height="1px"></noscript>', "x"),
        ('<p>x <noscript><img src="/t.gif" style="position:absolute; left:-9999px" alt="t"></noscript>', "x"),
        ('<p>x <noscript><img src="/count.php?site=1" alt=""></noscript>', "x"),
        ('<img src="/a.jpg" data-lazy="true" data-original="1" data-url="/b/5">', "![](https://site.test/a.jpg)"),
        # code
        ('<pre><span class="lineno">1</span>a\n<span class="lineno">2</span>b</pre>', "```\na\nb\n```"),
        ('<table><tr><td class="gutter"><pre>1\n2</pre><td class="code"><pre>a\nb</pre></table>', "```\na\nb\n```"),
        # a shadow tree is what browsers show
        ('<x-card><template shadowrootmode="open"><p>a</p></template></x-card><template><p>b</template>', "a"),
        ("<p># a<p>- b<p>1. c<p>&gt; d<p>--- <p>+1", "\\# a\n\n\\- b\n\n1\\. c\n\n\\> d\n\n\\---\n\n+1"),
        (
            "<p>snake_case _a_ *b* &lt;b&gt; 1 &lt; 2 &amp;lt; R&amp;D",
            "snake_case \\_a\\_ \\*b\\* \\<b> 1 < 2 \\&lt; R&D",
        ),
    ],
)
def test_markdown(html, expected):
    assert markdown(html) == expected


@pytest.mark.parametrize(
    "hostile",
    [
        lambda n: '<img src="data:," srcset="data:image/png;base64,' + "A" * 50 * n + '">',
        lambda n: '<img src="data:," srcset="data:' + ",A" * 50 * n + '">',
        lambda n: "<math>" + "<mover>" * 40 + "<mi>x</mi>" * n + "<mo>^</mo></mover>" * 40 + "</math>",
        lambda n: "<math>" + "<mi>x</mi>" * n + "</math>",
        lambda n: "<picture>" + "<source></source>" * n + '<img src="blank.gif" alt="a">' * n + "</picture>",
        lambda n: (
            "<br>" * 5 * n
            + '<div class="MathJax_Display">'
            + "<span class=MathJax></span>" * n
            + "</div><math>x</math>"
        ),
        lambda n: '<script type="math/tex"></script>' * n + "<sup></sup>" * n,
        lambda n: "<code></code>" * n + "<sup></sup>" * n,
        lambda n: "<b>" + "&nbsp;" * 50 * n + "word</b>",
        lambda n: "<b><i>" * (n // 50) + "word <br>" * n,
        lambda n: "<b>" * (n // 50) + "<p>one <i>two</i></p>" * n,
        lambda n: "<!-- c -->x " * n,
        lambda n: " " * 100 * n,
        lambda n: f"<pre>a{' ' * 100 * n}b\n</pre>",
        lambda n: "<tr><td>1<td>2<td>3</tr>" * n,
        lambda n: "<noscript><p>no</p></noscript> " * n,
        lambda n: "<pre>" * 190 + "a\n" * 50 * n,
        lambda n: "<ul><li>" * 95 + "<pre>" + "a\n" * n,
        lambda n: "<dl><dd>" * 95 + "<pre>" + "a\n" * n,
    ],
)
def test_text_and_markdown_take_linear_time(hostile):
    def write(size):
        body = page(f"<p>a {hostile(size)}")
        return lambda: (Match(body).clean.text, Match(body).clean.markdown)

    assert growth(write, 2_000) < 3


def test_cells_that_span_keep_their_columns():
    table = "<table><tr><th>a<th colspan=2>b</tr><tr><td rowspan=2>c<td>d<td>e</tr><tr><td>f<td>g<tr><td>h</table>"
    rows = [[cell.text or "" for cell in row] for row in rendered(table).iter("tr")]
    assert rows == [["a", "b", ""], ["c", "d", "e"], ["", "f", "g"], ["h", "", ""]]


def test_a_cell_spans_twenty_columns_at_most():
    for span, cells in ((20, 21), (21, 21)):
        made = markdown(f"<table><tr><th colspan={span}>a<th>b</tr></table>")
        assert made.splitlines()[0].count("|") == cells + 1


def test_blocks_in_a_cell_are_on_its_line():
    table = "<table><tr><th>a<th>b</tr><tr><td><ul><li>c<li>d</ul><td><pre>e | f\ng</pre></tr></table>"
    assert [text_of(cell) for cell in rendered(table).iter("td")] == ["c d", "e | f g"]


def test_a_table_in_a_cell_of_data_is_text():
    inner = "<table><tr><td>one<td>two</table>"
    table = f"<table><tr><th>a<th>b</tr><tr><td>{inner}<td>c</table>"
    assert [text_of(cell) for cell in rendered(table).iter("td")] == ["one two", "c"]


@pytest.mark.parametrize(
    "table",
    [
        "<table><tr><td><h2>a</h2><td>b</table>",
        "<table><tr><td><ul><li>a</ul><td>b</table>",
        "<table role=presentation><tr><td>a<td>b</table>",
        "<table><tr><td>a</table>",
        "<table>a<tr><td>b<td>c</table>",
        "<table><tr><td><table><tr><td>a</table><td>b</table>",
        "<table><tr><th>a<th>b<tr><td><table><tr><td>c</td><tr><td>c</table></table>",
    ],
)
def test_tables_for_the_layout_are_no_tables(table):
    assert "|" not in markdown(table)
    assert words(markdown(table)) == re.findall(r"\b[abc]\b", re.sub("<[^>]*>", " ", table))


@pytest.mark.parametrize(("levels", "indented"), [(10, 10), (11, 10)])
def test_ten_levels_are_indented(levels, indented):
    made = markdown("<blockquote>" * levels + "a" + "</blockquote>" * levels)
    assert made == "> " * indented + "a"


@pytest.mark.parametrize("tag", ["<div>", "<x-a>", "<template shadowrootmode=open>"])
@pytest.mark.parametrize(("levels", "written"), [(196, "**a**\n\nb"), (197, "a\n\nb"), (1_900, "a\n\nb")])
def test_of_a_shadow_tree_that_is_nested_too_deep_the_words_are_written(tag, levels, written):
    """Its elements, html and body among them, have at most 200 levels; none of them is a node of the page."""
    name = tag[1:-1].split()[0]
    shadow = f"<template shadowrootmode=open>{tag * levels}<b>a</b>{f'</{name}>' * levels}</template>"
    assert markdown(f"{shadow}<p>b") == written


TEXTS = st.text(st.sampled_from("ab1 *_`[]()<>#+-.|&;!\\~=\n"), min_size=1, max_size=8).map(
    lambda text: text.replace("&", "&amp;").replace("<", "&lt;")
)
TAGS = st.sampled_from(
    "p div h1 h3 b i em strong span ul ol li blockquote a code pre table tr td th dl dt dd sup br hr".split()
)
TREES = st.recursive(
    TEXTS,
    lambda inner: st.tuples(TAGS, st.lists(inner, max_size=4)).map(
        lambda made: f'<{made[0]} href="/x">{"".join(made[1])}</{made[0]}>'
    ),
    max_leaves=12,
)


@given(TREES)
def test_a_parser_reads_the_words_and_no_marks_of_the_page(body):
    def letters(text):
        return re.findall("[ab1]", text)

    # the numbers of lists are no words, and neither are targets
    tree = lxml.html.fragment_fromstring(PARSER.render(markdown(body)), create_parent="div")
    own = " ".join(node.text or "" for node in page(body).nodes)
    assert letters(text_of(tree)) == letters(own)
    assert text_of(tree).count("*") <= own.count("*")


def test_what_indentation_and_spans_add_is_bounded():
    code = "<pre>" + "x\n" * 400_000
    lines, numbers = "<blockquote>" * 10 + code, "<ol start=9999><li>" * 10 + code
    spans = f"<table><tr>{'<td colspan=20 rowspan=20>x' * 400}{'<tr><td>y' * 19}"
    for body in (lines, numbers, spans):
        assert len(markdown(body)) < len(body) + 3 * MAX_ADDED
        assert markdown(body).count("x") == body.count("x") - body.count("<ex")
