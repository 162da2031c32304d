"""What belongs to the content of a page stays whole."""

import re

import pytest
from helpers.made_sites import left as left_of_site
from helpers.made_sites import page
from parsel import Selector

from sample_project.demo_site import build_site
from templex_scrapy import Page, Template
from templex_scrapy.content.kept_repetitions import Kept, KeptParts
from templex_scrapy.content.thresholds import THRESHOLDS
from templex_scrapy.page import nodes_of

MENU = "<ul><li><a href=/1>fixed one</a></li><li><a href=/2>fixed two</a></li></ul>"
FRAME = f"<div class=head><p>fixed slogan of the shop</p>{MENU}</div>"
LONG = "fixed words that are many more than a small part has"
OWN = "".join(f"<p>own text {index}</p>" for index in range(6))


def main(content):
    """A page with content beside a menu and some own texts."""
    return f"{FRAME}<div class=main><h1>own headline</h1>{content}{OWN}</div>"


def texts_left(html, varying=""):
    """The texts that are left of a page in which every text with "fixed" is repeated.

    Args:
        html: the body.
        varying: a text in whose place other pages have another.
    """
    one = page(html)
    texts = nodes_of(one).texts
    kept = [text for text, gone in zip(texts, kept_parts(one, varying).removable, strict=True) if text and not gone]
    assert [text for text in texts if text and "own" in text] == [text for text in kept if "own" in text]
    return [text.strip() for text in kept]


def left(html, varying=""):
    """The repeated texts that are left."""
    return [text for text in texts_left(html, varying) if "fixed" in text]


def kept_parts(one, varying=""):
    arrays = nodes_of(one)
    equal = bytes(text is None or "fixed" in text for text in arrays.texts)
    ends = [position + size for position, size in enumerate(arrays.sizes)]
    removable = [all(equal[position : ends[position]]) for position in range(len(one))]
    return KeptParts(arrays, bytes(removable), equal, [bool(varying) and text == varying for text in arrays.texts])


@pytest.mark.parametrize(
    "facts",
    [
        "<table><tr><th>fixed label</th><td>own value</td></tr></table>",
        "<table><tr><th>fixed</th><th>fixed</th></tr><tr><td>own value</td><td>fixed</td></tr></table>",
        "<dl><dt>fixed label</dt><dd>own value</dd></dl>",
        "<dl><div><dt>fixed label</dt><dd>own value</dd></div></dl>",
        f"<dl><div><dt>{LONG}</dt><dd>own value</dd></div></dl>",
        "<div class=card><dl><dt>fixed label</dt><dd>own value</dd></dl></div>",
        "<ul><li><strong>fixed:</strong> own value</li><li><strong>fixed:</strong> fixed value</li></ul>",
        "<p><b>fixed label:</b> own value</p>",
        "<div><span class=label>fixed label</span><span class=value>own value</span></div>",
        "<div><div>fixed label</div><div>own value</div></div>",
        "<h3>fixed label</h3><ul><li>own value</li></ul>",
        "<section><h4>fixed label</h4><p>fixed value</p></section>",
        "<ul><li><svg></svg> <span>fixed value</span></li></ul>",
        "<details><summary>fixed label</summary><div><a href=/b>fixed value</a></div></details>",
        "<p>fixed by <a href=/by>fixed author</a></p>",
        "<div><strong>own value</strong><span>fixed label</span></div>",
        "<p>fixed words that are many more than a small part has <b>own value</b> <a href=/x>fixed</a></p>",
        "<section><h2>fixed heading</h2><p>fixed: no review of it yet</p></section>",
        f"<table><tr><th>{LONG}</th></tr></table><b>own value</b>",
        "<div><label>fixed label</label><span>own value</span></div>",
        "<p><span>fixed label</span> <button>own value</button></p>",
        "<form><p>fixed value</p><span>fixed label</span> <b>own value</b><button>own</button></form>",
        "<aside><dl><dt>fixed label</dt><dd>own value</dd></dl></aside>",
        "<header><p>fixed label</p><p>own value</p></header>",
        "<section><header><h3>fixed label</h3></header><ul><li>own value</li></ul></section>",
        "<table>"
        + "".join(f"<tr class={c}><th>fixed <a href=/help>fixed</a></th><td>own</td></tr>" for c in "abcd")
        + "</table>",
        "<div><b>fixed 制造商的产品编号等</b></div><div>own value</div>",
        "<div><b>fixed メーカー希望小売価格の表示</b></div><div>own value</div>",
        "<div><b>fixed หมายเลขสินค้าของผู้ผลิต</b></div><div>own value</div>",
    ],
)
def test_labels_and_values_are_kept(facts):
    assert len(left(main(facts))) == facts.count("fixed")


@pytest.mark.parametrize(
    "block",
    [
        f"<p>{LONG}</p>",
        f"<ul><li>{LONG}</li><li>fixed</li></ul>",
        f"<table><tr><td><table><tr><td>{LONG}</td></tr></table></td></tr></table><b>own value</b>",
        f"<div><i>fixed</i><p>{LONG}<a href=/x>fixed</a></p></div><div><i>own</i><p>own <a href=/y>own</a></p></div>",
        "<div><a href=/1>fixed</a> <a href=/2>fixed</a></div>",
        "<p><a href=/1>fixed</a></p>",
        "<form><p>fixed</p><input></form>",
        "<div><button>fixed</button></div>",
        "<nav><p>fixed</p><p>own place</p></nav>",
        "<aside><p>fixed</p><p><a href=/x>own box</a></p></aside>",
        "<div role=navigation><p>fixed</p><p>own place</p></div>",
        "<div>" + "".join(f"<li class=entry><a href=/{n}>fixed {n}</a></li>" for n in range(5)) + "<li>own</li></div>",
    ],
)
def test_blocks_are_removed(block):
    assert left(main(block)) == []


BESIDE = f"{FRAME}<div class=more>{{}}</div><div class=main><h1>own headline</h1>{OWN * 4}</div>"
BOX = "<div class={}><div><p>fixed label</p><p>own value</p></div></div>"
CARDS = "".join(f"<div class=card><a href=/{n}>own {n}</a> <b>own price {n}</b></div>" for n in range(6))
FACTS = f"{FRAME}<ul>{''.join(f'<li>own {n}</li>' for n in range(12))}</ul><div><h2>fixed heading</h2>"
REVIEWS = "".join(f"<div><p>own review {n}</p><p>own author {n}</p></div>" for n in range(50))
WORDS = f"<p>{'own words ' * 50}</p>"


@pytest.mark.parametrize(
    ("html", "kept"),
    [
        # small parts outside the content are removed, breadcrumbs too, though their parent is in it
        (main(""), []),
        (BESIDE.format("<p><a href=/>fixed home</a> <b>own place</b></p>"), []),
        (f"<p>fixed note</p><div class=main><h1>own headline</h1>{OWN * 4}</div><p>fixed end</p>", []),
        # a heading is kept before a long text that is removed
        (main(f"<h2>fixed heading</h2><p>{LONG}</p>"), ["fixed heading"]),
        # labels in a box with own words are kept
        (f"{FRAME}<div class=main><h1>own headline</h1>{OWN}{BOX.format('facets')}</div>", ["fixed label"]),
        (f"{FRAME}<div class=main><h1>own headline</h1>{OWN}{BOX.format('reviews')}</div>", ["fixed label"]),
        # cards with words of their own are content as much as paragraphs are
        (f"<div>{MENU}</div><div><div>{OWN * 5}</div><div>{CARDS}<i>fixed label</i></div></div>", ["fixed label"]),
        # a long description, many short facts, and many reviews do not narrow the content
        (main(f"<div class=description>{WORDS * 2}</div><p><b>fixed label</b> own value</p>"), ["fixed label"]),
        (f"{FACTS}{WORDS}</div>", ["fixed heading"]),
        (main(f"<div class=reviews>{REVIEWS}</div><dl><dt>fixed label</dt><dd>own</dd></dl>"), ["fixed label"]),
        ("<p>own</p>", []),
    ],
)
def test_the_content_region(html, kept):
    assert left(html) == kept


def test_values_and_labels_beside_two_own_texts_at_most_are_removed():
    row = "<tr><th>fixed label</th><td>own value</td></tr>"
    rows = "<tr><th>fixed</th><td>fixed value</td></tr>"
    for number in range(1, THRESHOLDS.outside_texts + 1):
        html = BESIDE.format(f"<table>{row * number}{rows}</table>")
        assert left(html) == []
        assert "fixed value" in left(html, "fixed value"), "a value that varies stays anywhere"
    assert left(BESIDE.format(f"<table>{row * (THRESHOLDS.outside_texts + 1)}{rows}</table>")).count("fixed label") == 3


def test_values_are_kept_if_other_pages_have_another_text_in_their_place():
    value = f"{'fixed ' * (THRESHOLDS.label_words + 1)}value"
    assert left(main(f"<p>{value}</p>")) == []
    assert left(main(f"<p>{value}</p>"), value) == [value]
    assert len(left(main(f"<dl><dt>fixed label</dt><dd><a href=/x>{value}</a></dd></dl>"), value)) == 2
    assert len(left(main(f"<table><tr><th>fixed</th><td><a href=/x>{value}</a></td></tr></table>"), value)) == 2


def test_reasons():
    one = page(
        "<div><p><b>fixed label</b> own value</p><h2>fixed heading</h2>"
        f"{OWN}<p>fixed varying {'fixed ' * THRESHOLDS.label_words}</p>{MENU}"
        "</div>"
    )
    long = next(text for text in nodes_of(one).texts if text and "varying" in text)
    parts = kept_parts(one, long)
    reasons = {text: parts.reason(position) for position, text in enumerate(nodes_of(one).texts) if text}
    assert reasons["fixed label"] is Kept.LINE
    assert reasons["fixed heading"] is Kept.SMALL
    assert reasons[long] is Kept.VALUE
    assert reasons["fixed one"] is None
    assert reasons[" own value"] is None


def test_a_link_that_varies_is_kept_with_its_picture_in_the_content_only():
    link = "<a href=/member/2><img src=ada.png><b>fixed name</b></a>"
    one = page(f"<div class=main><h1>own headline</h1><div class=user>{link}</div>{OWN}<nav>{link}</nav></div>")
    parts = kept_parts(one, "fixed name")
    kept = [node.tag for node in one.nodes if parts.reason(node.position) is Kept.VARYING_LINK]
    assert kept == ["div", "a", "img", "b", "#text"]
    assert not any(kept_parts(one).reason(node.position) for node in one.nodes)


def test_a_link_that_varies_does_not_divide_a_small_part():
    one = page(f"{FRAME}<div class=main>{OWN}<div><img src=pen.png> fixed by <a href=/2>fixed name</a></div></div>")
    assert [node.tag for node in one.nodes if kept_parts(one, "fixed name").reason(node.position) is Kept.SMALL] == [
        "div",
        "img",
        "#text",
        "a",
        "#text",
    ]


@pytest.mark.parametrize("language", ["en", "es"])
def test_products_of_the_demo_site_lose_nothing(language):
    """Most of them share most values, which have labels of twelve forms."""
    made = [one for one in build_site().pages.values() if (one.kind, one.language) == ("product", language)]
    pages = [Page(one.html, f"https://site.test{one.path}") for one in made]
    template = Template.from_pages(pages[0], pages[1:4])
    for one, each in zip(made, pages, strict=True):
        left = " ".join(template.match(each).clean.text.split())
        facts = " ".join(" ".join(Selector(one.facts).xpath("//text()").getall()).split())
        prose = re.split(r"[#|>\n-]+ ", one.prose)
        assert [text for text in (facts, *prose) if " ".join(text.split()).rstrip(" |") not in left] == []
        assert "4 Mill Lane" not in left


@pytest.mark.parametrize(
    ("row", "kept"),
    [
        ("<p>OWN</p><b>Brand</b><a href=/acme>Acme</a><p>OWN</p>", ["Brand", "Acme"]),
        ("<p>OWN</p><b>Brand</b><a href=/acme>Acme</a>", ["Brand", "Acme"]),
        ("<b>Brand</b><a href=/acme>Acme</a><p>OWN</p>", ["Brand", "Acme"]),
        ("<a href=/acme>Acme</a><p>OWN</p>", []),
        ("<p>OWN</p><a href=/acme>Acme</a><p>OWN</p>", []),
        ("<p>OWN</p><b>Share</b><a href=/m>Mastodon</a><a href=/w>Mail</a><p>OWN</p>", ["Share"]),
    ],
)
def test_a_repeated_link_stays_behind_its_label_if_no_other_link_follows(row, kept):
    def body(n):
        return f"<main>{row.replace('OWN', ' '.join(f'own{n}x{k}' for k in range(30)))}</main>"

    for cleaned in left_of_site(body):
        assert [word for word in ("Brand", "Acme", "Share", "Mastodon", "Mail") if word in cleaned] == kept
