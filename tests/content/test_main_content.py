"""The main content for reading: each step on pages made for it, then the figures on real sites."""

import re
import time

import pytest
from helpers.detector_cases import lines_run, odd_pages
from helpers.made_sites import HOST, page

from templex_scrapy.content import find_content
from templex_scrapy.page import Page, nodes_of
from templex_scrapy.template import Template

pytestmark = pytest.mark.usefixtures("compiled_and_plain")

SHOP = (("A hat", "in"), ("A coat", "in"), ("Two boots", "in"), ("A scarf", "in"), ("A bag", "out"), ("A belt", "out"))
STORY = "<p>" + "It rained on the roofs and in the streets until the evening came. " * 4 + "</p>"
MORE = "<p>" + "Nobody had seen so much water since the year of the great flood. " * 4 + "</p>"
MASTHEAD = "<b><a href='/'>Weather daily</a></b>"
IMPRINT = "<div>Printed in Ghent, and sold wherever it may rain.</div>"
BOTH = STORY + MORE  # neither holds nearly all words, so that the way down ends at what holds both
LINKS = "".join(f'<li><a href="/{name}">{name} again</a></li>' for name in ("Hail", "Snow", "Fog", "Frost"))


def said(key, others=()):
    """The words of what was found, one blank apart."""
    texts = (nodes_of(key).texts[position] for position in sorted(find_content(key, others)))
    return " ".join(" ".join(text for text in texts if text is not None).split())


def pages(*bodies):
    return tuple(page(body, f"{HOST}{number}") for number, body in enumerate(bodies))


def test_a_page_that_says_all_the_same_is_a_copy_and_tells_nothing():
    key, *others = pages(
        f"<div>{STORY}</div>0.3 s", f"<div data-now='1'>{STORY}</div>0.3 s", f"<div>{STORY}</div>0.456 s"
    )
    for other in others:
        assert said(key, (other,)) == said(key) != ""


def test_what_the_site_repeats_goes():
    bodies = (f"<div>{MASTHEAD}{text}{IMPRINT}</div>" for text in (BOTH, MORE, "<p>Fog.</p>"))
    key, *others = pages(*bodies)
    assert said(key, tuple(others)) == said(page(BOTH))
    assert said(key).endswith("Printed in Ghent, and sold wherever it may rain."), "alone nothing tells"


def test_paragraphs_of_links_stay_where_other_pages_of_the_site_are_known():
    link = "<p><a href=/a>Snow in the hills</a></p>"
    key, *others = pages(*(f"<div>{MASTHEAD}{text}</div>" for text in (STORY + link + MORE, MORE, "<p>Fog.</p>")))
    assert said(key, tuple(others)) == said(page(STORY + "<p>Snow in the hills</p>" + MORE))


def test_buttons_and_teasers_stay_where_other_pages_of_the_site_are_known():
    names = {"btn": "Order", "teaser": "Snow", "form": "<input>Write"}
    boxes = "".join(f"<div class={name}>{text}</div>" for name, text in names.items())
    key, *others = pages(*(f"<div>{MASTHEAD}{text}</div>" for text in (BOTH + boxes, MORE, "<p>Fog.</p>")))
    assert said(key, tuple(others)) == said(page(f"{STORY}{MORE}<p>Order Snow</p>"))


def test_labels_and_values_of_the_content_are_kept_though_the_site_repeats_them():
    key, *others = pages(
        *(
            f"<div>{MASTHEAD}<dl><dt>Name</dt><dd>{name}</dd><dt>Price</dt><dd>{number}0 roubles</dd><dt>Stock</dt>"
            f"<dd>{stock}</dd></dl>{IMPRINT}</div>"
            for number, (name, stock) in enumerate(SHOP, 1)
        )
    )
    assert said(key, tuple(others)) == "Name A hat Price 10 roubles Stock in"


BESIDE = [
    *(f"<{tag}>Home</{tag}>" for tag in ("nav", "aside", "footer", "header", "form")),
    *(f"<div {name}>Home</div>" for name in ('role="navigation"', 'role="Search"', 'role="dialog"')),
    *(f"<div {name}>Home</div>" for name in ('class="article-comments"', 'id="related_posts"', 'class="share"')),
    '<ol class="Breadcrumbs">Home</ol>',
    '<div class="reviews">Home</div>',
]
OTHER_NAMES = ['class="category-sharing"', 'class="tag-comments"', 'class="commentary"', 'id="shares"']
RAIN, WIND = (f"<div><h1>{name} came</h1>{text}</div>" for name, text in (("Rain", STORY), ("Wind", MORE)))
WIDGET = "class='elementor-widget elementor-widget-text-editor'"
THREAD = f"<div><h1>Rain</h1>{STORY}</div><div><h1>Re: Rain</h1>{MORE}</div>"
HEADLINE = "<div><div><h1>Rain</h1><p>Much of it</p></div><div><h1>Weather</h1></div></div>"
LOGO = "<h1><a href='/'><img alt='Site' src='/logo.png'></a></h1><p>All the news that is wet</p>"
BOX = "<div>Also <p><a href=/a>Hail in the hills</a></p> <p><a href=/b>Snow in the hills</a></p></div>"
LINE = "<div>By <a href=/a>Ann of the hills</a> and <a href=/b>Bob</a></div>"
COLUMN = f"<div>{''.join(f'<p><a href=/{n}>Hail and snow in the hills {n}</a></p>' for n in range(40))}</div>"
FELL = "<div><h1>Rain</h1><p>It fell all day</p><a href=/>Home</a></div>"
ALL = "Rain It fell all day All of it"
TUESDAYS = f"<div><h1>Rain</h1>{'<p>Tuesday</p>' * 200}{STORY}</div><div><div>{BOTH * 3}</div></div>"
TWO_LINKS = "<a href='#toc'>Rain in the hills</a> <a href='#rain'>Link to here</a>"
LEVELS = f"<ul><li>{STORY}</li><li>Open: <ul>{LINKS}</ul></li></ul>"
ROWS = f"<table><tr><td>{STORY}</td></tr><tr><td>{TWO_LINKS}</td><td>{TWO_LINKS}</td></tr></table>"
TARGETS = [
    *(f"<{tag} id=cookies>Made of flour</{tag}>" for tag in ("h2", "p", "pre", "section")),
    "<dl><dt id=sorting>Sorting</dt><dd id=filters>By size</dd></dl>",
    "<div id=comments-and-tags><h2>Comments and <i>tags</i></h2>None</div>",
]
MANY = "rain = hail + snow\n" * 100
TABLE = f"<tbody>{''.join(f'<tr><td>{day}</td><td>{STORY}</td></tr>' for day in range(9))}</tbody>"
FEW = "<p>It rained and rained and rained in the hills again.</p>"
INSIDE = ("btn", "buttons", "card-footer", "cta", "modal", "popup", "teaser")
FORMS = [f"<div class='form form-{number}'>{STORY}<input></div>" for number in range(4)]
NO_BOXES_OF_A_LINK = [
    "<p>See <a href=/a>Snow in the hills</a></p>",
    "<blockquote><a href=/a>It never rains</a></blockquote>",
    "<blockquote><div><a href=/a>It never rains</a></div></blockquote>",
    "<figure><img><figcaption><a href=/a>A cloud by Ann</a></figcaption></figure>",
    *(f"<div><a {target}>Will it rain?</a></div>" for target in ("name=q1", "href='#q1'")),
]
NO_BOXES_INSIDE = [
    "<label>Will it rain?</label>",
    "<div class=verb-form>it rains, it rained</div>",
    "<div class=form-of-poem>Four lines<input></div>",
    "<p>Press <b class=btn>Save</b> in the <i class=popover>menu</i></p>",
    "<figure class=lightbox><figcaption>A cloud</figcaption></figure>",
    "<table><tr class=footer><td>In all</td><td>12</td></tr></table>",
    "<ul><li><div class=footer>In all</div></li></ul>",
    "<dl><dt>In all</dt><dd class=footer>12</dd></dl>",
]
COMMENTS = [f"<div class=comment>{post}</div>" for post in (STORY, MORE, "<p>A short answer</p>")]
SHORT = "<div class=comments><p>Short post one here</p><p>Another short one</p></div>"


@pytest.mark.parametrize(
    ("title", "body", "path", "content"),
    [
        # what is declared or named to be beside the content goes, and what other names say does not
        *(("", f"<div>{beside}{BOTH}</div>", "", BOTH) for beside in BESIDE),
        *(("", f"<div><div {name}>Aside</div>{BOTH}</div>", "", f"Aside {BOTH}") for name in OTHER_NAMES),
        # Prism, highlight.js and others give comments in code the names that readers' comments have
        *(
            (
                "",
                f'<div>{BOTH}<pre><code>x <i class="{name}"># in metres</i></code></pre></div>',
                "",
                f"{BOTH} x # in metres",
            )
            for name in ("token comment", "hljs-comment", "comment")
        ),
        # header and footer of a section are part of it
        *(
            ("", f"<{tag}><header>A</header>{BOTH}<footer>Z</footer></{tag}>", "", f"A {BOTH} Z")
            for tag in ("article", "section")
        ),
        # what holds most of the words is the content, whatever it is called
        ("", f"<form class='comments'>{BOTH}</form><p>Send</p>", "", BOTH),
        ("", f"<aside>{STORY}</aside>{MORE}", "", MORE),
        ("", f"<div role='dialog'>{STORY}{MORE}</div><div>{MORE}</div>", "", MORE),
        ("", f"<dialog>{STORY}</dialog>", "", STORY),  # nothing else would be left
        ("", f"<div><section id=next-steps><h2>On</h2>{MORE}</section>{STORY}</div>", "", f"On {MORE}{STORY}"),
        ("", f"<div>{STORY}<section id=widgets><h2>On</h2>{MORE}</section></div>", "", f"{STORY}On {MORE}"),
        ("", f"<div>{STORY}<div {WIDGET}><h2>On</h2>{MORE}</div></div>", "", f"{STORY}On {MORE}"),
        # of several documents that of the title is the page's, but posts of a thread are one
        ("Rain came - Weather", RAIN + WIND, "", RAIN),
        ("Wind came - Weather", RAIN + WIND, "", WIND),
        ("Rain - Forum", THREAD, "", THREAD),
        ("Rain", f"{HEADLINE}<div>{BOTH}</div>", "", f"Rain Much of it Weather {BOTH}"),  # the box of a headline
        # the way leads down to what holds nearly all words, on a page of prose past a column of links
        ("", f"<div>Tuesday</div><div><p>Weather</p><div>{BOTH}</div></div>", "", BOTH),
        ("", f"<div><div>{BOTH}</div>{COLUMN}</div>", "rain", BOTH),
        # lists of links go unless the page is one, and boxes of links in prose, but not a line with links
        ("", f"<div>{BOTH}<div><ul>{LINKS}</ul></div></div>", "", BOTH),
        ("", f"<div><p>Archive</p><ul>{LINKS}</ul></div>", "", f"Archive {LINKS}"),
        ("", f"<div>{STORY}{BOX}{MORE}</div>", "rain", BOTH),
        ("", f"<div>{STORY}{LINE}{MORE}</div>", "rain", STORY + LINE + MORE),
        # a list between paragraphs is part of the text, and so is one below a paragraph that has no names
        ("", f"<div>{STORY}<ul class=a>{LINKS}</ul>{MORE}</div>", "", f"{STORY}{LINKS}{MORE}"),
        ("", f"<div>{BOTH}<ul>{LINKS}</ul></div>", "", f"{BOTH}{LINKS}"),
        ("", f"<div>{BOTH}<ul class=a>{LINKS}</ul></div>", "", BOTH),
        # the only h1 above is a headline, whatever the title says
        ("Hail", f"<div><h1>Rain</h1>Tuesday</div><div>{BOTH}</div>", "", f"Rain {BOTH}"),
        ("Hail", f"<h1>Rain</h1><h1>Snow</h1><div>{BOTH}</div>", "", BOTH),
        ("Hail", f"<div>{BOTH}</div><h1>Rain</h1>", "", BOTH),
        # headings at the end head nothing, and on a page alone, a paragraph that is a link leads elsewhere
        ("", f"<div>{BOTH}<h2>Related</h2><h3>On hail</h3></div>", "", BOTH),
        ("", f"<div>{BOTH}<h2>Related</h2><i>None</i></div>", "", f"{BOTH}Related None"),
        ("Rain", f"<div>{BOTH}<h2>Rain</h2></div>", "", f"{BOTH}Rain"),
        ("", f"<div>{STORY}<p><a href=/a>Snow in the hills</a></p>{MORE}</div>", "", BOTH),
        # so does a box of a single link, but not a source or a place of the page itself
        ("", f"<div>{STORY}<div><a href=/a>Snow in the hills</a></div>{MORE}</div>", "", BOTH),
        *(("", f"<div>{STORY}{part}{MORE}</div>", "", f"{STORY}{part}{MORE}") for part in NO_BOXES_OF_A_LINK),
        # inside a text, small boxes with such names are none of it, unless they are a third of it, or with the headline
        *(("", f"<div>{STORY}<div class='{name}'>See more</div>{MORE}</div>", "", BOTH) for name in INSIDE),
        ("", f"<div>{STORY}<div class=contact-form>Name <input></div>{MORE}</div>", "", BOTH),
        ("", f"<div>{STORY}{''.join(FORMS)}</div>", "", f"{STORY}{' '.join(FORMS)}"),
        ("", f"<div>{STORY}{FORMS[0]}</div>", "", f"{STORY}{FORMS[0]}"),
        ("", f"<div>{STORY * 5}{''.join(FORMS[:2])}</div>", "", STORY * 5),
        ("", f"<div>{STORY * 4}{''.join(FORMS[:2])}</div>", "", f"{STORY * 4}{''.join(FORMS[:2])}"),
        # an inline element is part of a sentence, and no part of a list, a table or a figure is such a box
        *(("", f"<div>{STORY}{part}{MORE}</div>", "", f"{STORY}{part}{MORE}") for part in NO_BOXES_INSIDE),
        # a lead is called teaser as well
        ("Rain", f"<div><h1>Rain</h1><p class=teaser>{FEW}</p>{BOTH}</div>", "", f"Rain {FEW}{BOTH}"),
        ("Rain", f"<div><h1>Rain</h1>{STORY}<div class=teaser>{FEW}</div>{MORE}</div>", "", f"Rain {BOTH}"),
        ("Rain", f"<div><div class=form><h1>Rain</h1></div>{BOTH}</div>", "", f"Rain {BOTH}"),
        ("", "<div><div class=form>Rain</div><p>Snow</p></div>", "", "Rain Snow"),
        # headings, the header around one, rows and items are no boxes of links
        ("", f"<div>{STORY}<h2>{TWO_LINKS}</h2>{MORE}</div>", "", f"{STORY}{TWO_LINKS}{MORE}"),
        ("", f"<article>{STORY}<header><h2>{TWO_LINKS}</h2></header>{MORE}</article>", "", f"{STORY}{TWO_LINKS}{MORE}"),
        ("", f"<div>{STORY}<div>{TWO_LINKS}</div>{MORE}</div>", "", BOTH),
        ("", f"<div>{STORY}{LEVELS}{ROWS}{MORE}</div>", "", f"{STORY}{LEVELS}{ROWS}{MORE}"),
        # a table of the layout has a link in each cell
        (
            "",
            f"<div>{STORY}<div><table><tr>{'<td><a href=/h>Hail</a></td>' * 2}</tr></table></div>{MORE}</div>",
            "",
            BOTH,
        ),
        ("", f"<div><h3><button>Will it rain?</button></h3>{BOTH}</div>", "", f"Will it rain? {BOTH}"),
        # names are no boxes where they are targets of links, or have the words of the heading
        *(("", f"<div>{STORY}{part}{MORE}</div>", "", f"{STORY}{part}{MORE}") for part in TARGETS),
        ("", f"<div>{BOTH}<div id=cookies><h2>Cookie banner</h2>We have some</div></div>", "", BOTH),
        # a box of links has links, not sentences; a notice has sentences
        ("", f"<div>{BOTH}<div id=menu>{STORY}</div></div>", "", f"{BOTH}{STORY}"),
        ("", f"<div>{BOTH}<div class=newsletter>{STORY}</div></div>", "", BOTH),
        # the content does not end with its largest part
        ("", f"<div>{STORY}<pre>{MANY}</pre>{STORY}</div>", "", f"{STORY}{MANY}{STORY}"),
        ("", f"<div>{STORY}<table><caption>Rain</caption>{TABLE}</table></div>", "", f"{STORY}Rain{TABLE}"),
        ("", f"<div>Tuesday</div><table><caption>Rain</caption>{TABLE}</table>", "", f"Rain {TABLE}"),
        (
            "",
            f"<article><div>{MORE}</div><div>{BOTH * 3}</div><div>{STORY}</div></article>",
            "",
            f"{MORE}{BOTH * 3}{STORY}",
        ),
        ("", f"<div><div>{MORE}</div><div>{BOTH * 3}</div><div>{STORY}</div></div>", "", BOTH * 3),
        ("", f"<article><div>{BOTH}</div><div>{FEW} {FEW}</div></article>", "", BOTH),
        # an article with an h1 of its own is no part of the one with the title
        ("Rain", f"<main><div><h1>Rain</h1>{BOTH}</div><div><h1>Wind</h1>{STORY}</div></main>", "", f"Rain {BOTH}"),
        ("", f"<article><div>{BOTH}</div><div>{FEW} {FEW} {FEW}</div></article>", "", f"{BOTH} {FEW * 3}"),
        # seven words in short lines beside thirty in long ones, and eight
        (
            "",
            f"<article><div>{BOTH}</div><div>{FEW * 3}{'<p>Hail</p>' * 7}</div></article>",
            "",
            f"{BOTH} {FEW * 3} {'<p>Hail</p> ' * 7}",
        ),
        ("", f"<article><div>{BOTH}</div><div>{FEW * 3}{'<p>Hail</p>' * 8}</div></article>", "", BOTH),
        # comments go, although they have most words, where an article remains; not where they are all there is
        ("", f"<div>{BOTH}<div class='commentlist'>{(BOTH + STORY) * 4}</div></div>", "", BOTH),
        ("", "".join(COMMENTS), "", " ".join(COMMENTS)),
        ("", f"<div class='post has-comments'>{STORY * 4}<div class=comments>{MORE}</div></div>", "", STORY * 4),
        ("", SHORT, "forum/t/1", SHORT),
        # the headline comes along, with the texts between it and the content up to the beginning of a text
        ("Rain | Weather", f"<div><p>Tuesday</p><h2>Rain</h2></div><div>{BOTH}</div>", "", f"Rain {BOTH}"),
        ("Rain | Weather", f"{FELL}<div><div>{BOTH}</div></div>", "rain", f"Rain It fell all day {BOTH}"),
        ("Rain | Weather", TUESDAYS, "rain", f"Rain {STORY}{BOTH * 3}"),
        (
            "Rain | Weather",
            f"{FELL}<h2><a href=/all>All of it</a></h2><ul>{LINKS * 40}</ul>",
            "",
            f"{ALL} {LINKS * 40}",
        ),
        # its words are in the title in any order
        ("Rain by Ann, second edition", f"<h2>Rain (second)</h2><div>{BOTH}</div>", "rain", f"Rain (second) {BOTH}"),
        (
            "Much rain by Ann",
            f"<h2>Much rain <i>and snow</i></h2><div>{BOTH}</div>",
            "rain",
            f"Much rain and snow {BOTH}",
        ),
        (
            "Rain again - Site",
            f"<div>{LOGO}</div><div><h1>Rain again</h1></div><div>{BOTH}</div>",
            "",
            f"Rain again {BOTH}",
        ),
    ],
)
def test_the_content_of_a_page_alone(title, body, path, content):
    alone = Page(f"<!DOCTYPE html><html><head><title>{title}</title></head><body>{body}</body></html>", HOST + path)
    assert said(alone) == " ".join(re.sub("<[^>]*>", " ", content).split())


LONG = "".join(f"<p>{' '.join(f'{name}{number}' for number in range(60))}</p>" for name in "abc")
TEASERS = "".join(
    f"<div><h3><a href=/{n}>Hail of day {n}</a></h3><p>{' '.join(f'lead{n}' for _ in range(12))}</p></div>"
    for n in range(8)
)
OF_FILES = re.sub("(href=/.)", r"\1.pdf", TEASERS)


@pytest.mark.parametrize(
    ("behind", "stays"),
    [
        (f"<div class=more>{TEASERS}</div>", False),
        (f"<div class=more><dl>{TEASERS.replace('div', 'dd')}</dl></div>", False),
        (f"<h2>fixed</h2><div class=more>{TEASERS}</div>", True),
        (f"<ul>{TEASERS}</ul>", True),
        *((f"<div class=more>{TEASERS.replace('href=/', f'href={to}')}</div>", True) for to in ("#", "/x#", "tel:")),
        (f"<div class=more>{OF_FILES}</div>", True),
        (f"<div class=more>{TEASERS}<table><tr><td>{' '.join(['12'] * 140)}</table></div>", True),
        (f"<div class=more>{TEASERS.replace('<h3>', '<p>').replace('</h3><p>', ' ')}</div>", True),  # in sentences
        (f"<div class=more><b><a href=/1>{'more ' * 30}</a></b><p>{'lead ' * 90}</p></div>", True),  # a single link
    ],
)
def test_a_box_of_links_behind_a_long_text_leads_elsewhere(behind, stays):
    other = page("<article><h2>fixed</h2></article>")
    for key, others in ((f"<div>{LONG}</div>{behind}", ()), (f"<div><div>{LONG}</div>{behind}</div>", (other,))):
        assert ("lead" in said(page(f"<article>{key}</article>"), others)) is stays
    assert "lead" in said(page(f"<article>{LONG}{behind}</article>")), "it is in the text"
    assert "lead" in said(page(f"<article><div>{LONG.replace('c59', '')}</div>{behind}</article>")), "a shorter text"


@pytest.mark.parametrize(
    ("of_text", "tags", "stays"),
    [
        ("div class='text text-1'", "div class=more", False),
        ("div class='text text-1'", "div class='text hail'", False),
        ("div class='text text-1'", "div class='text text-2 hail'", True),
        ("div class='text text-1'", "section", False),
        ("section class=text", "section", True),
        ("div id=part-1", "div id=part-2", True),
        ("div id=part-1", "div id=more", False),
    ],
)
def test_posts_and_sections_below_each_other_are_of_one_kind(of_text, tags, stays):
    texts = [f"<{tag}>{inside}</{tag.split()[0]}>" for tag, inside in ((of_text, LONG), (tags, TEASERS))]
    assert ("lead" in said(page(f"<article>{''.join(texts)}</article>"))) is stays


def test_a_review_is_an_article_and_comments_stay_where_there_is_little_else():
    note = f"<p>{' '.join(f'note{n}' for n in range(80))}</p>"
    assert said(page(f"<div class=review>{STORY * 9}</div><div>{note}</div>")).startswith("It rained")
    assert "flood" in said(page(f"<div><p>Rain.</p><div class='commentlist'>{BOTH * 4}</div></div>"))


@pytest.mark.parametrize("tag", ["article", "li", "p", "tr"])
def test_the_way_ends_above_the_longest_of_several_items(tag):
    """A page of a blog with a long post and a short one, a short paragraph before a long one."""
    short = words(10)
    items = page(f"<div>Tuesday</div><div><{tag}>{short}</{tag}><{tag} class=post-2>{words(80)}</{tag}></div>")
    assert said(items) == f"{short} {words(80)}"
    shorter = page(f"<div>Tuesday</div><div><{tag}>It was sold</{tag}><{tag} class=post-2>{words(80)}</{tag}></div>")
    assert said(shorter) == f"It was sold {words(80)}"
    boxes = page(f"<div>Tuesday</div><div><div>{short}</div><div class=post-2>{words(80)}</div></div>")
    assert said(boxes) == words(80)


def words(count):
    return " ".join(f"word{number}" for number in range(count))


def test_no_element_is_left_of_which_no_words_are_left():
    key, other = pages(f"<div>{MASTHEAD}{BOTH}<hr></div>", f"<div>{MASTHEAD}<p>Fog</p></div>")
    found = find_content(key, [other])
    assert [nodes_of(key).start_tag(position).tag for position in sorted(found)] == [
        "div",
        "p",
        "#text",
        "p",
        "#text",
        "hr",
    ]


def test_linked_values_between_headline_and_root_come_along():
    def story(name, brand):
        row = f"<div><div>Brand</div><div><a href=/{brand}>{brand}</a></div></div>"
        head = f"<div><h1>{name}</h1><p>{name} it is</p>{row}<a href=/>Home</a></div>"
        return Page(f"<title>{name} | Weather</title>{head}<div><p>{f'{name} again. ' * 50}</p></div>", f"{HOST}{name}")

    others = story("Hail", "Meteor"), story("Snow", "Frosty"), story("Fog", "Frosty")
    assert said(story("Rain", "Acme"), others).startswith("Rain Rain it is Brand Acme Rain again.")
    assert said(story("Rain", "Frosty"), others).startswith("Rain Rain it is Brand Frosty Rain again.")


POSTS = "".join(
    f"<div class=post><p class=rank>Expert</p><p class=from>Ghent {n}</p><div class=text>{text}</div></div>"
    for n, text in enumerate(
        (STORY, MORE, "<p>Thanks.</p>", f"{STORY}<p>I agree with all of this, and so does she.</p>")
    )
)


def test_short_posts_of_a_forum_are_content():
    thread = "<div class=comment><p>Is the bridge open?</p></div>" + POSTS.replace("class=post", "class=comment")
    assert "Is the bridge open?" in said(page(f"<div>{BOTH}{thread}</div>", f"{HOST}viewtopic.php?t=1"))
    assert "Is the bridge open?" not in said(page(f"<div>{BOTH}{thread}</div>", f"{HOST}rain"))


NAMES = ("Brand", "Colour", "Size", "Weight", "Origin", "Material", "Care", "Warranty")
REVIEWS = "<div class=reviews><p>It kept me dry for a year, and then it did not</p></div>"


ROW, VALUE_FIRST = "<tr><th>{0}</th><td>{1}</td></tr>", "<tr><td>{1}</td><th>{0}</th><td><a href=/x>Help</a></td></tr>"


def product(name, labels=NAMES, rest="", row=ROW):
    rows = "".join(row.format(label, f"{name} {number}") for number, label in enumerate(labels))
    text = "".join(f"<p>{f'{name} {number}, said twice. ' * 20}</p>" for number in range(3))
    body = f"<div>{MASTHEAD}<h1>{name}</h1><table>{rows}</table><div><div>{text}</div></div>{rest}{IMPRINT}</div>"
    return Page(f"<title>{name} | Weather</title>{body}", f"{HOST}{name}")


def of_products(**parts):
    return said(product("Hat", **parts), tuple(product(name, **parts) for name in ("Coat", "Boots", "Scarf")))


def test_a_product_is_content_as_far_as_its_facts_reach():
    found = of_products()
    assert found.startswith("Hat Brand Hat 0 Colour Hat 1")
    assert "Warranty Hat 7" in found
    assert "Ghent" not in found


@pytest.mark.parametrize("row", [ROW, VALUE_FIRST])
def test_reviews_of_a_product_are_content(row):
    names = ("Hat", "Coat", "Boots", "Scarf")
    key, *others = (product(name, rest=REVIEWS.replace("me", name), row=row) for name in names)
    assert "It kept Hat dry" in said(key, tuple(others))
    key, *others = (product(name, NAMES[:3], REVIEWS.replace("me", name)) for name in names)
    assert "It kept Hat dry" not in said(key, tuple(others)), "three labels are no product"


@pytest.mark.parametrize("labels", [["by"] * 8, [str(number) for number in range(8)]])
def test_the_same_label_again_and_again_or_a_number_is_no_fact(labels):
    assert "It kept" not in of_products(labels=labels, rest=REVIEWS)


def test_work_grows_as_the_page_does():
    few, many = (page(f"<div>{POSTS * count}</div>", f"{HOST}viewtopic.php?t=1") for count in (8, 32))
    less, more = (lines_run(lambda one=one: find_content(one)) for one in (few, many))
    assert len(few) < less < more < 5 * less


@odd_pages
def test_odd_pages_alone(html):
    odd = Page(html, HOST)
    assert find_content(odd, []) <= frozenset(range(len(odd)))


def test_links_that_vary_do_not_count_as_words_of_the_text():
    """Above ``THRESHOLDS.article_words`` words, short facts between the headline and the text are left out."""

    def made(name, tags):
        facts = "".join(f"<div>{' '.join(f'{name}{fact}{word}' for word in 'abcde')}</div>" for fact in "klmnopqrst")
        links = "".join(f"<div class=tag><a href=/t/{tag}>{tag} topic group</a></div>" for tag in tags)
        text = "".join(f"<p>{' '.join(f'{name}{row}{word}' for word in range(40))}.</p>" for row in "uvwxyz")
        frame = "<ul><li><a href=/1>One</a></li><li><a href=/2>Two</a></li></ul>"
        body = f"<div>{frame}</div><div><h1>On {name}</h1><div>{facts}{links}</div><div>{text}</div></div>"
        return Page(f"<html><head><title>On {name}</title></head><body>{body}</body></html>", f"{HOST}{name}")

    key, *others = (made(name, "abcd" if name < "d" else "efgh") for name in ("ann", "bob", "cy", "di", "ed"))
    match = Template.from_pages(key, others).match(key)
    assert "a topic group" in match.clean.html
    assert "anntd annte" in match.clean.content_text


@pytest.mark.parametrize("title", ["a", "b"])
def test_headings_around_a_long_text_take_no_longer_than_one(title):
    """The words of a text are read once, however many headings it is in."""

    def seconds(nested):
        one = page(f"<title>{title}</title>{'<h1><i>' * nested}{'a,' * 300_000}</i></h1>{STORY}")
        nodes_of(one)
        began = time.process_time()
        find_content(one)
        return time.process_time() - began

    assert min(seconds(20) for _ in range(3)) < 3 * min(seconds(1) for _ in range(3))
