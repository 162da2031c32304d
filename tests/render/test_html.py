"""What is handed on: strip, text, markdown, annotate, hide."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from made_sites import HOST, MENU, NUMBERS, SOME, STRANGER, body_of, learn, left, matches, own, page, site, words
from strategies import sources

from templex_scrapy import Match, Page, Template
from templex_scrapy.render.word_spacing import MAX_STEPS
from templex_scrapy.template.cleaned import words_of

EMPTY = Template.from_pages(page(""), [])
URL = f"{HOST}a/p.html"


def untouched(body: str) -> Match:
    """A match that removes nothing."""
    return EMPTY.match(page(body))


def match_of(body, number: int = STRANGER, head: str | None = None) -> Match:
    pages = site(body) if head is None else site(body, head=head)
    return learn(pages).match(pages[number])


# --- strip: nothing of the page's own is lost ----------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        "<p>Written by <i>our staff</i> on day {}</p>",
        "<p><b>name {}</b> on <i>our site</i> at {}</p>",
        "<p>Posted <i>our staff</i> by <b>the desk</b> on day {}</p>",
    ],
)
def test_own_text_behind_a_removed_text_and_a_removed_element_stays(line):
    for number, cleaned in zip(NUMBERS, left(lambda n: line.format(*[f"own{n}"] * line.count("{}"))), strict=True):
        assert words(cleaned).count(f"own{number}") == line.count("{}")


@pytest.mark.parametrize(
    ("line", "rest"),
    [
        ("<p><i>Fixed</i> own {}</p>", "<p> own {}</p>"),
        ("<p>own {} <i>Fixed</i> {}</p>", "<p>own {}  {}</p>"),
        ("<p><b>own {}</b> <i>Fixed</i> tail {}</p>", "<p><b>own {}</b>  tail {}</p>"),
        ("<p><b>own {}</b> fixed <i>own {}</i></p>", "<p><b>own {}</b> <i>own {}</i></p>"),
        ("<p><!-- c -->Fixed <i>own {}</i></p>", "<p><!-- c --><i>own {}</i></p>"),
        ("<p><i>Fixed</i><!-- c --> own {}</p>", "<p><!-- c --> own {}</p>"),
        ("<div><div><p>Fixed</p></div><p>own {}</p></div>", "<div><p>own {}</p></div>"),
        ("<div><div><p>Fixed</p><p>own {}</p></div></div>", "<div><div><p>own {}</p></div></div>"),
    ],
)
def test_tails_stay_where_they_are(line, rest):
    fill = lambda text, n: text.format(*[f"x{n}"] * text.count("{}"))  # noqa: E731
    assert left(lambda n: fill(line, n)) == [fill(rest, n) for n in NUMBERS]


@pytest.mark.parametrize(
    "blocks", ["<div>Fixed</div>", "<div>Fixed</div><p>Other</p>", "<div>Fixed</div>\n<p>Other</p>"]
)
def test_texts_on_both_sides_of_removed_blocks_stay_apart(blocks):
    match = match_of(lambda n: f"<div>first{n}{blocks}second{n}</div>")
    stripped = "|".join(node.text for node in Page(match.strip(), URL).nodes if node.text)
    for cleaned in (stripped, match.text(), match.markdown()):
        assert {f"first{STRANGER}", f"second{STRANGER}"} <= set(words(cleaned))
        assert not {"Fixed", "Other"} & set(words(cleaned))


@pytest.mark.parametrize(
    ("line", "rest"),
    [
        ("<p><b>one{}</b> fixed <b>two{}</b></p>", "<p><b>one{}</b> <b>two{}</b></p>"),
        ("<p>one{}<b> fixed </b><i>two{}</i></p>", "<p>one{} <i>two{}</i></p>"),
        ("<p><b>one{}</b><i>fixed</i><br>two{}</p>", "<p><b>one{}</b><br>two{}</p>"),
        ("<p><b>one{}</b><br>fixed<br><b>two{}</b></p>", "<p><b>one{}</b><br><br><b>two{}</b></p>"),
        ("<p><a><b>one{}</b></a> fixed <i>fixed</i><i>fixed</i>two{}</p>", "<p><a><b>one{}</b></a> two{}</p>"),
        ("<p><i>one{}</i><b> fixed <u>two{}</u></b></p>", "<p><i>one{}</i><b> <u>two{}</u></b></p>"),
        ("<p><i>one{}<u>x{}</u> fixed </i><b>two{}</b></p>", "<p><i>one{}<u>x{}</u> </i><b>two{}</b></p>"),
        ("<p><b>one{}</b> fixed <!-- c --><i>two{}</i></p>", "<p><b>one{}</b> <!-- c --><i>two{}</i></p>"),
        ("<div><b>one{}</b><div>fixed</div><b>two{}</b></div>", "<div><b>one{}</b> <b>two{}</b></div>"),
        ("<div><p>one{}</p> fixed <p>two{}</p></div>", "<div><p>one{}</p><p>two{}</p></div>"),
        ("<p><b>fixed</b>one{}<i>two{}</i> fixed </p>", "<p>one{}<i>two{}</i></p>"),
        ("<p>one{}<img src=/i{}.png> fixed <b>two{}</b></p>", '<p>one{}<img src="/i{}.png"><b>two{}</b></p>'),
    ],
)
def test_a_blank_is_left_where_words_would_become_one_and_nowhere_else(line, rest):
    """In a row of inline elements the text that goes may hold the only blank between two words."""
    fill = lambda text, n: text.format(*[n] * text.count("{}"))  # noqa: E731
    assert left(lambda n: fill(line, n)) == [fill(rest, n) for n in NUMBERS]


def test_a_long_row_of_elements_that_go_leaves_one_blank():
    """However many stand side by side, the last of them speaks for all."""
    row = "<i>fixed</i>" * (3 * MAX_STEPS)
    assert left(lambda n: f"<p><b>one{n}</b>{row}<b>two{n}</b></p>") == [
        f"<p><b>one{n}</b> <b>two{n}</b></p>" for n in NUMBERS
    ]


@SOME
@given(st.data())
def test_no_two_words_become_one(data):
    """Whatever goes from a row of inline elements, no word is left that holds two words of the page."""
    inline = st.sampled_from(
        ["<b>own{}</b>", "own{} ", "<i> fixed </i>", " fixed ", "<br>", "<u> fixed <b>own{}</b></u>"]
    )
    line = "".join(data.draw(st.lists(inline, max_size=8)))
    joined = lambda text: {"own" * word.count("own") for word in words(text.replace("*", ""))}  # noqa: E731
    for match in matches(lambda n: f"<div>{line.replace('{}', f'x{n}y')}</div>"):
        whole = untouched(body_of(match.page.text))
        assert joined(match.text()) <= joined(whole.text())
        assert joined(match.markdown()) <= joined(whole.markdown())


WORDS = ["Menu", "Home", "All rights reserved", "Read more", "Contact"]
INLINE, BLOCKS = ["b", "i", "span", "a"], ["div", "p", "ul", "section", "table"]


@st.composite
def skeletons(draw, depth: int = 3):
    """A part of a site's template: fixed words, elements, and places (None) for what is a page's own."""
    if depth == 0 or draw(st.integers(0, 2)) == 0:
        return draw(st.sampled_from([None, *WORDS]))
    tag = draw(st.sampled_from(INLINE + BLOCKS))
    attributes = draw(st.sampled_from(["", ' class="a"', ' class="b c"', ' id="d"']))
    return tag, attributes, draw(st.lists(skeletons(depth - 1), max_size=5))


def written(part, number: int, count: list[int], without: int) -> str:
    """A page's version of a part; every so many elements one is left out."""
    if part is None:
        count[0] += 1
        return f" own{number}x{count[0]} "
    if isinstance(part, str):
        return f" {part} "
    tag, attributes, children = part
    count[1] += 1
    if without and count[1] % without == 0:
        return ""
    href = f' href="/{len(children)}"' if tag == "a" else ""
    return f"<{tag}{attributes}{href}>{''.join(written(c, number, count, without) for c in children)}</{tag}>"


@st.composite
def made_sites(draw) -> list[Page]:
    parts = draw(st.lists(skeletons(), min_size=1, max_size=6))
    pages = []
    for number in range(5):
        counts = [0, 0]
        body = "".join(written(part, number, counts, draw(st.sampled_from([0, 0, 7, 3]))) for part in parts)
        pages.append(page(f"{body}<p>last{number}</p>", f"{HOST}{number}.html"))
    return pages


def own_words(page_: Page) -> set[str]:
    return {w for node in page_.nodes if node.text for w in words(node.text) if re.match(r"own|last", w)}


def check_match(match: Match) -> None:
    page_ = match.page
    assert match.removable <= match.nodes <= set(range(len(page_.nodes)))
    assert match.removable <= match.nodes
    for position in match.removable:
        assert {child.position for child in page_.nodes[position].children} <= match.removable, "whole subtrees go"


@SOME
@given(made_sites(), st.integers(1, 3))
def test_sets_of_positions_are_what_they_are_said_to_be(pages, votes):
    template = Template.from_pages(pages[0], pages[1:4], votes)
    assert template.nodes == template.match(pages[0]).nodes
    for each in pages:
        match = template.match(each)
        check_match(match)
        assert 0.0 <= match.coverage <= 1.0
        assert 0.0 <= match.agreement <= 1.0
        if not match.fits:
            assert match.removable == frozenset()


@given(made_sites(), st.integers(1, 3))
def test_words_that_no_other_page_has_are_in_all_that_is_handed_on(pages, votes):
    template = Template.from_pages(pages[0], pages[1:4], votes)
    for each in pages:
        match = template.match(each)
        for cleaned in (match.strip(), match.text(), match.markdown()):
            assert own_words(each) <= set(words(cleaned))


@given(made_sites())
def test_strip_takes_out_the_removable_nodes_and_nothing_else(pages):
    template = Template.from_pages(pages[0], pages[1:4])
    for each in pages:
        match = template.match(each)
        kept = [node for node in each.nodes if node.position not in match.removable]
        cleaned = Page(match.strip(), each.url)
        said = lambda nodes: Counter(w for node in nodes if node.text for w in words(node.text))  # noqa: E731
        assert said(cleaned.nodes) == said(kept)
        assert [n.tag for n in cleaned.nodes if n.text is None] == [n.tag for n in kept if n.text is None]


@given(made_sites(), st.booleans())
def test_a_page_that_spends_its_tree_comes_out_the_same_and_has_another_one(pages, again):
    template = Template.from_pages(pages[0], pages[1:4])
    for each in pages:
        match = template.match(each)
        nodes = [(node.tag, node.text) for node in each.nodes]
        kept = match.strip()
        assert match.strip(spend=True) == kept
        assert match.strip(spend=again) == kept
        assert [(node.tag, node.text) for node in each.nodes] == nodes
        assert each.nodes[0].element.tag == "body"


# --- strip: the rest of the document -------------------------------------------------------------

DOCTYPES = [
    "<!DOCTYPE html>",
    '<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01//EN" "http://www.w3.org/TR/html4/strict.dtd">',
    '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">',
    '<!DOCTYPE html SYSTEM "about:legacy-compat">',
]


@pytest.mark.parametrize("doctype", DOCTYPES)
def test_the_doctype_stays(doctype):
    match = match_of(lambda _: "", head=f'{doctype}<html lang="en"><head><title>t</title></head>')
    assert match.removable
    for made in (match.strip(), match.annotate(), match.hide()):
        assert made.startswith(doctype)
        assert '<html lang="en">' in made


def test_a_page_without_doctype_gets_none():
    match = match_of(lambda _: "", head="<html><head></head>")
    assert match.removable
    assert "doctype" not in match.strip().lower()


def test_what_stands_around_the_body_stays():
    head = '<!DOCTYPE html><!-- before --><html><head><meta charset="shift_jis"><script>a < b && c</script></head>'
    cleaned = match_of(lambda _: "", head=head).strip()
    assert "<!-- before -->" in cleaned
    assert '<meta charset="shift_jis">' in cleaned
    assert "<script>a < b && c</script>" in cleaned
    assert cleaned.count("<meta") == 1


def test_scripts_stay_where_their_holder_stays_and_go_with_it():
    match = match_of(lambda n: f"<div>own{n}<script>here()</script></div><div>Fixed<script>there()</script></div>")
    assert "<script>here()</script>" in match.strip()
    assert "there()" not in match.strip()


def test_a_script_alone_keeps_nothing_alive():
    assert left(lambda _: "<div><p>Fixed</p><script>x()</script><style>a{}</style></div>") == ["", "", ""]


def test_entities_and_characters_survive():
    text = "5 &lt; 6 &amp;amp; 7 é 😀 &nbsp;x"
    cleaned = match_of(lambda n: f'<p title="&quot;q&quot; &lt;{n}">{text} {n}</p>').strip()
    before = page(f'<p title="&quot;q&quot; &lt;{STRANGER}">{text} {STRANGER}</p>').nodes
    after = [node for node in Page(cleaned, URL).nodes if node.tag == "p" or (node.parent and node.parent.tag == "p")]
    assert after[0].element.get("title") == before[1].element.get("title")
    assert after[1].text == before[2].text


def test_nothing_removable_is_the_source_unchanged():
    source = "<!DOCTYPE HTML>\r\n<BODY  class=a><p>no end tag\n<br/><IMG src=x>\r\n"
    match = EMPTY.match(Page(source, URL))
    assert match.strip() == source


def test_a_rule_or_a_spacer_alone_stays():
    assert left(lambda n: f"<p>own {n}</p><hr><br><p>and {n}</p>") == [
        f"<p>own {n}</p><hr><br><p>and {n}</p>" for n in NUMBERS
    ]


def test_a_wrapper_that_still_holds_something_stays():
    assert left(lambda n: f'<div id="w"><div class="x"><p>Fixed</p><p>own {n}</p></div></div>') == [
        f'<div id="w"><div class="x"><p>own {n}</p></div></div>' for n in NUMBERS
    ]


def test_what_is_left_is_well_formed():
    cleaned = match_of(lambda n: f"<ul><li>Fixed<li>own {n}<li>Fixed too</ul><p>open <b>bold {n}<div>x{n}").strip()
    inner = re.sub(r"<!DOCTYPE html>", "", cleaned)
    etree.fromstring(inner)  # no void elements in it, so it must be XML as well


def test_stripping_twice_is_stripping_once():
    for match in matches(lambda n: f"<div><p>Fixed</p><p>own {n}</p></div>"):
        assert match.strip() == match.strip()
        again = EMPTY.match(Page(match.strip(), match.page.url))
        assert again.strip() == match.strip()


def test_the_page_is_not_changed_by_what_is_made_of_it():
    for match in matches(lambda n: f"<div>Fixed <b>own {n}</b> tail <i>Other</i> {n}</div>"):
        before = (match.page.text, etree.tostring(match.page.root.getroottree()), match.page.digest)
        match.strip(), match.text(), match.markdown(), match.annotate(), match.hide()
        assert (match.page.text, etree.tostring(match.page.root.getroottree()), match.page.digest) == before


# --- text and markdown ---------------------------------------------------------------------------


def test_text_is_what_is_left_without_markup():
    match = match_of(lambda n: f"<h1>Headline {n}</h1><p>First <b>paragraph</b>.</p><p>own {n}<script>x()</script>")
    assert match.text().split("\n\n") == [
        f"Headline {STRANGER}",
        f"own {STRANGER}",
        f"ownwords{STRANGER}",
    ]


def test_text_puts_blocks_on_lines_of_their_own_and_keeps_lines_together():
    lines = (
        untouched("<div>One <b>two</b>, <i>three</i>.<ul><li>four<li>five</ul>six<br>seven</div>").text().split("\n")
    )
    assert [line for line in lines if line] == ["One two, three.", "four", "five", "six", "seven"]


def test_text_keeps_the_cells_of_a_table_apart():
    assert words(untouched("<table><tr><th>a<th>b<tr><td>1<td>2</table>").text()) == ["a", "b", "1", "2"]


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
    assert untouched(f"<pre>{code}</pre>").text() == "def f():\n    return 1"


def test_text_keeps_what_stands_around_code_and_each_code_in_its_place():
    made = untouched("<p>one  two</p><pre>a\n\n  b</pre><div>three<pre>c  d</pre>four</div><pre> \n </pre>").text()
    assert made == "one two\n\na\n\n  b\n\nthree\n\nc  d\n\nfour"


def test_text_of_a_page_that_has_marks_of_our_own_loses_nothing():
    made = untouched("<p>\ufdd00\ufdd0 one \ufdd01\ufdd0</p><pre>a\n b</pre><p>\ufdd00\ufdd0 two</p>").text()
    assert made.count("a\n b") == 1
    assert {"one", "two"} <= set(words(made))


def test_text_and_markdown_of_a_page_without_text_are_empty():
    for body in ("", "<div></div>", "<script>x()</script>", "<!-- c -->"):
        assert untouched(body).text() == ""
        assert untouched(body).markdown() == ""


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<h1>a</h1><h3>b</h3>", "# a\n\n### b"),
        ("<p>a <em>b</em> <strong>c</strong></p>", "a *b* **c**"),
        ('<p>a <a href="/x">link</a>.</p>', "a [link](/x)."),
        ('<p><img src="/i.png" alt="an image"></p>', "![an image](/i.png)"),
        ("<ul><li>a<li>b<ul><li>c</ul></ul>", "- a\n- b\n  - c"),
        ("<ol><li>a<li>b</ol>", "1. a\n2. b"),
        ("<pre><code>def f():\n    return 1\n</code></pre>", "```\ndef f():\n    return 1\n```"),
        ("<p>call <code>f(x)</code></p>", "call `f(x)`"),
        ("<blockquote><p>said</blockquote>", "> said"),
        ("<p>one<br>two</p>", "one  \ntwo"),
        ("<p>a</p><script>x()</script><style>b{}</style><p>c</p>", "a\n\nc"),
    ],
)
def test_markdown(html, markdown):
    assert untouched(html).markdown() == markdown


def test_markdown_of_a_table():
    made = untouched("<table><tr><th>Name<th>Goals</tr><tr><td>x<td>1</tr></table>").markdown()
    assert [re.sub(r"\s", "", line) for line in made.splitlines()] == ["|Name|Goals|", "|---|---|", "|x|1|"]


@pytest.mark.parametrize("image", ["{}", '<a href="/">{}</a>', "<p><b>{}</b></p>"])
@pytest.mark.parametrize("tag", ["h1", "td"])
def test_markdown_keeps_images_wherever_they_are(tag, image):
    inner = f"<{tag}>a {image}</{tag}>".format('<img src="/i.png" alt="image">')
    html = f"<table><tr>{inner}</tr></table>" if tag == "td" else inner
    assert "![image](/i.png)" in untouched(html).markdown()


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
    assert words(untouched(html).markdown()) == re.findall("one|two|three", html)


def test_markdown_keeps_words_together():
    assert untouched("<p>o<b></b>n<i>e</i></p>").markdown() == "on*e*"


def test_markdown_keeps_an_image_in_a_block_of_its_own():
    assert (
        untouched('<div>one<div><img src="/i.png" alt="x"></div>two</div>').markdown() == "one\n\n![x](/i.png)\n\ntwo"
    )


# --- annotate ------------------------------------------------------------------------------------


def test_annotate_marks_the_elements_of_the_template():
    for number, match in zip(NUMBERS, matches(lambda n: f'<h1 class="x">Head {n}</h1><p>Fixed</p>'), strict=True):
        annotated = Page(match.annotate(), match.page.url)
        assert len(annotated.nodes) == len(match.page.nodes)
        for before, after in zip(match.page.nodes, annotated.nodes, strict=True):
            assert (before.tag, before.text) == (after.tag, after.text)
            if before.text is None:
                marked = "template_node" in (after.element.get("class") or "").split()
                assert marked == (before.position in match.nodes)
        assert f'<h1 class="x">Head {number}</h1>' in match.annotate()
        assert 'class="nav0 template_node"' in match.annotate()


def test_annotate_keeps_classes_and_adds_its_own_once():
    match = match_of(lambda _: '<p class="  a   b ">Fixed</p><p class="template_node">Other</p>')
    assert 'class="a b template_node"' in re.sub(r"\s+", " ", match.annotate()).replace('" a', '"a')
    assert '<p class="template_node">Other' in match.annotate()


def test_annotate_of_a_page_that_does_not_fit_marks_nothing():
    assert "template_node" not in untouched("<p>x").annotate()


# --- hide ----------------------------------------------------------------------------------------


def shown(html: str) -> dict[str, bool]:
    """Each text of a page and whether it is visible, by the nearest style around it."""
    found = {}
    for node in Page(html, URL).nodes:
        if node.text is not None:
            visible = True
            for element in [node.element, *node.element.iterancestors()]:
                style = element.get("style") or ""
                if "visibility:" in style:
                    visible = style.rpartition("visibility:")[2].strip().startswith("visible")
                    break
            for word in words(node.text):
                found[word] = visible
    return found


@pytest.mark.parametrize(
    "line",
    [
        "<p>fixed</p><p>own{}</p>",
        "<p>fixed <b>own{}</b> again</p>",
        "<p>own{} <b>fixed</b> tail{}</p>",
        "<p>own{}<br>fixed<br>more{}<!-- c -->fine<!-- c -->most{}</p>",
        "<div>own{}<ul><li>fixed</li><li>own{}</li></ul>fine</div>",
        '<p style="color: red;">own{}</p><p style="color: red">fixed</p>',
    ],
)
def test_hide_shows_the_template_and_nothing_else(line):
    for number, match in zip(NUMBERS, matches(lambda n: line.format(*[f"x{n}"] * line.count("{}"))), strict=True):
        hidden = match.hide()
        seen = shown(hidden)
        assert seen["menu"]
        assert not seen[f"ownwords{number}"]
        for word, visible in seen.items():
            assert visible == word.isdigit() or visible == (word in {"menu", "entry", "fixed", "again", "fine"}), word
        assert Counter(words(" ".join(n.text for n in Page(hidden, URL).nodes if n.text))) == Counter(
            words(" ".join(n.text for n in match.page.nodes if n.text))
        )


def test_hide_keeps_the_style_of_an_element():
    assert 'style="color: red; visibility: hidden"' in match_of(lambda n: f'<p style="color: red;">own{n}</p>').hide()


def test_hide_wraps_bare_text_in_a_span():
    hidden = match_of(lambda n: f"<p>Fixed <b>bold</b> own{n}</p>").hide()
    assert f'<span style="visibility: hidden"> own{STRANGER}</span>' in hidden


def test_hide_puts_no_markup_into_a_text_field():
    hidden = match_of(lambda n: f"<form><textarea>typed {n}</textarea></form>").hide()
    assert "<textarea><span" not in hidden


# --- nothing in the source confuses it -----------------------------------------------------------


@pytest.mark.parametrize("written", ["&#12;", "\x0c", "&#1;", "\x08", "\x1f"])
@pytest.mark.parametrize("make", ["strip", "text", "markdown", "hide"])
def test_control_characters_beside_what_goes_break_nothing(make, written):
    match = match_of(lambda n: f"<p><i>own{n}</i>{written}<b>Fixed</b>{written} tail{n}</p>")
    assert f"tail{STRANGER}" in getattr(match, make)()


@pytest.mark.parametrize("written", ["&#12;", "\x0c", "\n\f\n", "&#1;", "\x1f", "\x0b"])
@pytest.mark.parametrize(
    "beside",
    ["<script>x()</script>", "<style>a{{}}</style>", "<!-- c -->", "<iframe></iframe>", "<link>", "<button>x</button>"],
)
@pytest.mark.parametrize("make", ["strip", "text", "markdown", "annotate", "hide"])
def test_control_characters_beside_what_is_not_read_break_nothing(make, beside, written):
    """A form feed is a blank in HTML, and lxml takes it in a source and nowhere else."""
    match = match_of(lambda n: f"<p>own{n}{written}{beside}{written} tail{n}</p>")
    made = getattr(match, make)()
    assert f"own{STRANGER}" in made
    assert f"tail{STRANGER}" in made
    if make == "text":
        assert f"own{STRANGER}tail" not in made


# without the filter once the test above passes
@SOME
@given(sources, sources)
def test_any_source_is_cleaned_without_an_error(one, other):
    pages = [Page(f"{one}{MENU}{other}{own(n)}", f"{HOST}{n}") for n in range(4)]
    template = learn(pages)
    for each in pages:
        match = template.match(each)
        check_match(match)
        for make in (match.strip, match.text, match.markdown, match.annotate, match.hide):
            assert isinstance(make(), str)


def test_body_of_the_helper_reads_what_it_should():
    assert body_of(page("<p>x</p>").text) == "<p>x</p>"


# --- words ---------------------------------------------------------------------------------------


def test_words_are_counted_alike_wherever_they_are_told():
    """What is counted off the nodes is what a reader of the cleaned page counts; characters of Han count one by one."""
    match = match_of(lambda n: f"<p><b>two words, {n}</b> <b>Fixed</b>漢字</p><script>not(this)</script>")
    before, after = words_of(match.page, match.roots)
    assert words_of(match.page) == (before, before)
    assert words_of(Page(match.strip(), URL)) == (after, after)
    assert before - after == words_of(page(f"{MENU}Fixed漢字"))[0]
    assert after == 3 + 1
