"""The parts of the view that need no browser: style sheets, attributes, packaging."""

from __future__ import annotations

import re

import pytest
from lxml import etree
from site_pages import learn, show, site

from templex_scrapy import Page
from templex_scrapy.view import view
from templex_scrapy.view.files import MAX_PICTURE, MAX_PICTURES, as_picture, asked_for, kind_of
from templex_scrapy.view.harmless import NOWHERE, make_harmless, picture
from templex_scrapy.view.styles import (
    LOST,
    MAX_LENGTH,
    MAX_WRITTEN,
    harmless_declarations,
    harmless_sheet,
    stylesheet_urls,
)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("a{background:url(http://x)}", "a{background:LOST}"),
        ("a{background:url( 'http://x' ) no-repeat}", "a{background:LOST no-repeat}"),
        ("a:hover{color:red;BACKGROUND-image:url(x),url(#a)}", "a:hover{color:red;BACKGROUND-image:LOST,url(#a)}"),
        ("a{list-style:url(x);cursor:url(x),auto;content:url(x)}", "a{list-style:none;cursor:none,auto;content:none}"),
        ("a{list-style:url(x);b{background:url(x)}}", "a{list-style:none;b{background:LOST}}"),
        ("@media print{a{background:url(x)}}", "@media print{a{background:LOST}}"),
        ("a{background:u\\72l(http://x)}", "a{background:LOST}"),
        ("a{background:URL(//x)}", "a{background:LOST}"),
        ("a{fill:url(#shape)}", "a{fill:url(#shape)}"),
        ("a{background:url(data:image/png;base64,AA)}", "a{background:url(data:image/png;base64,AA)}"),
        ("a{background:url(data:text/html,x)}", "a{background:LOST}"),
        ("a{background:image-set('x.png' 1x)}", "a{background:LOST}"),
        ("a{background:image-set(url(x.png) 1x)}", "a{background:image-set(none 1x)}"),
        ("a{background:image-set(var(--x) 1x)}", "a{background:LOST}"),
        ("a{--u:url(http://x)}", "a{--u:none}"),
        ("@media print{a{b:url(x)}}", "@media print{a{b:none}}"),
        ("a{content:'</style>'}", 'a{content:"<\\/style>"}'),
        ("@font-face{src:url(x.woff)}", "@font-face{src:none}"),
        ("@media (width < 600px){a{color:red}}", "@media (width < 600px){a{color:red}}"),
        ("a{color:red", "a{color:red}"),
        ("a::after{content:'http://x'}", 'a::after{content:"http://x"}'),
    ],
)
def test_sheets_load_nothing(written, expected):
    """Addresses become none, or the empty picture; everything else stays what it is."""
    assert harmless_sheet(written) == expected.replace("LOST", f'url("{LOST}")')


@pytest.mark.parametrize("written", ["@import 'x';", "@import url(x) print;", "@im\\70ort 'x';", "@IMPORT 'x';"])
def test_imports_are_no_imports(written):
    """However it is written, an import is a rule that browsers do not know."""
    assert harmless_sheet(f"{written} a{{color:red}}").startswith("@templex-none")
    assert "import" not in harmless_sheet(written).lower()


def test_sheets_beyond_the_parser():
    """What is too long or nests too deep is left out, without an error."""
    assert harmless_sheet("a{}" * MAX_LENGTH) == ""
    assert harmless_sheet("(" * 50_000) == ""
    assert harmless_declarations("(" * 50_000) == ""


def test_sheets_that_grow():
    """A sheet of many background pictures, for each of which something longer is written, is left out."""
    css = "a{background:" + "url()," * (MAX_WRITTEN // len(LOST)) + "red}"
    assert len(css) < MAX_LENGTH
    assert harmless_sheet(css) == ""
    assert harmless_declarations(css[2:-1]) == ""
    assert harmless_sheet(css[: len(css) // 2]).count(LOST) > 1000


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("color:red!important;top:0", "color:red;top:0"),
        ("color:red ! /**/ IMPORTANT", "color:red  /**/ "),
        ("color:red!!important;top:0!x important", "color:red!;top:0!x important"),
        ("color:red!!important important", "color:red "),
        ("color:red!!!important/**/important important", "color:red/**/ "),
        ("background:url(x)", f'background:url("{LOST}")'),
        ("--important: important", "--important: important"),
    ],
)
def test_declarations_lose_importance(written, expected):
    """A style attribute loads nothing and overrules nothing."""
    assert harmless_declarations(written) == expected


def test_stylesheets_of_a_page():
    """Linked sheets with absolute addresses; alternates, switched off ones and other links are none."""
    head = (
        '<base href="https://cdn.test/a/"><link rel="StyleSheet" href="x.css"><link rel="stylesheet" href="/x.css">'
        '<link rel="alternate stylesheet" href="b.css"><link rel="stylesheet" disabled href="c.css">'
        '<link rel="icon" href="d.css"><link rel="stylesheet"><link rel="stylesheet" href="x.css">'
    )
    page = Page(f"<html><head>{head}</head><body></body></html>", "https://site.test/")
    assert stylesheet_urls(page) == ["https://cdn.test/a/x.css", "https://cdn.test/x.css"]


def test_pictures_of_a_page():
    """Sheets first, then pictures with absolute addresses, each once; a script's later address counts as well."""
    body = (
        '<img src="a.png"><img src="data:image/gif;base64,AA" data-src="/b.jpg"><img alt="none"><img src=" a.png ">'
        '<img src="http://["><img src="data:image/gif;base64,AA"><source src="c.png"><link rel=stylesheet href=s.css>'
    )
    page = Page(f"<html><body>{body}</body></html>", "https://site.test/x/")
    assert asked_for(page)[1:3] == ["https://site.test/x/a.png", "https://site.test/b.jpg"]
    assert asked_for(page)[0] == "https://site.test/x/s.css"
    assert not any(address.endswith("c.png") for address in asked_for(page))
    many = Page("".join(f"<img src={number}.png>" for number in range(2 * MAX_PICTURES)), "https://site.test/")
    assert len(asked_for(many)) == MAX_PICTURES


def test_nothing_but_the_web_is_asked_for():
    """No scheme beside http and https, whether the page writes it out or has it from its base address."""
    odd = ["file:///etc/passwd", "s3://bucket/a", "ftp://host/a", "FILE:/x", "javascript:x", "/\\x:1a/", "about:blank"]
    body = "".join(f'<link rel=stylesheet href="{url}"><img src="{url}"><img data-src="{url}">' for url in odd)
    for base in ("", '<base href="file:///etc/">'):
        page = Page(f"<html><head>{base}</head><body>{body}<img src=a.png></body></html>", "https://site.test/x/")
        assert {url.partition(":")[0] for url in asked_for(page)} <= {"https"}
    page = Page(f"<html><body>{body}<img src=a.png></body></html>", "https://site.test/x/")
    assert "https://site.test/x/a.png" in asked_for(page)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.CSS", "text/css"),
        ("a.css?ver=1", "text/css"),
        ("a.css@v", "text/css"),
        ("load.php?only=styles", "text/css"),
        ("a.png", "image/png"),
        ("secret.txt", None),
        ("id_rsa", None),
        ("me@home.txt", None),
        ("css", None),
        (".env.css", None),
        (".png", None),
        ("a.b/c@2/a.css", "text/css"),
        ("a/.git/x.css", None),
        (".cache/a.png", None),
        ("a@b=/id_rsa", None),
        ("data.json", None),
    ],
)
def test_kinds_of_saved_files(name, kind):
    """A saved file is a style sheet or a picture by its name, and no other file is taken for one."""
    assert kind_of(name) == kind


@pytest.mark.parametrize(
    ("body", "kind", "expected"),
    [
        (b"\x89PNG", "image/png", "data:image/png;base64,iVBORw=="),
        (b"\x89PNG", "image/jpg", "data:image/jpeg;base64,iVBORw=="),
        (b"", "image/png", None),
        (b"x" * (MAX_PICTURE + 1), "image/png", None),
        (b"<script>", "text/html", None),
        (b"x", "image/x-icon", None),
    ],
)
def test_pictures_as_addresses(body, kind, expected):
    """Pictures of the kinds that browsers know, and that are not too large, become data URLs."""
    assert as_picture(body, kind) == expected
    assert kind_of("A.PNG") == "image/png"


def cleaned(markup: str) -> str:
    body = etree.fromstring(f"<body>{markup}</body>", etree.HTMLParser()).find("body")
    make_harmless(body)
    return etree.tostring(body, encoding="unicode", method="html")


def test_text_behind_what_goes_stays():
    """Only the element goes, and with it what it holds."""
    assert cleaned("one<script>x</script> two<!-- c --> <b>three</b><iframe>y</iframe>four") == (
        "<body>one two <b>three</b>four</body>"
    )


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("<picture><source><source><img></picture>after", "<picture><img src></picture>after"),
        ("<p>a<embed src=x>b<i>c</i></p>d", "<p>ab<i>c</i></p>d"),
        ("<p>a<bgsound src=x>b<embed>c<i>d</i>e</p>f", "<p>abc<i>d</i>e</p>f"),
        ("<video><source src=a><track src=b>c</video>d", "<video tabindex>c</video>d"),
        ("<p>a<wbr>b<wbr>c</p>d", "<p>a<wbr>b<wbr>c</p>d"),
        ("<p>a<keygen>b</p>", "<p>ab</p>"),
        ("<p>a<image>b<i>c</i></p>d", "<p>a<img src>b<i>c</i></p>d"),
        ("<p>a<command>b</command><isindex>c</p>d", "<p>a<command>b</command>c</p>d"),
        ("<p><object data=x><param name=a><embed src=y>b</object>c</p>", "<p>bc</p>"),
        ("<p>a<area>b<br>c<param>d<hr></p>e", "<p>a<area tabindex>b<br>cd</p><hr>e"),
        ("a<embed><script>b</script><i onclick=c>d</i><iframe>e</iframe><object><a href=f>g</a>", "a<i>d</i><a>g</a>"),
    ],
)
def test_what_browsers_do_not_nest(written, expected):
    """What libxml2 nests in an element that is empty to browsers stays, and is made harmless; so is a fallback."""
    plain = re.sub(r' (src|tabindex)="[^"]*"', r" \1", cleaned(written)).replace(" src", " src")
    plain = re.sub(r' href="[^"]*" tabindex', "", plain).replace("</wbr>", "")
    assert plain == f"<body>{expected}</body>"


def test_looks_stay():
    """What makes the look of a page stays: classes, ids, sizes, styles, data and accessibility attributes."""
    written = '<p class="a b" id="c" style="color: red" data-theme="x" aria-hidden="true" dir="rtl">t</p>'
    assert cleaned(written) == f"<body>{written}</body>"


def test_links_stay_links_that_lead_nowhere():
    """A link looks like a link; an anchor without address is none."""
    assert f'<a href="{NOWHERE}" tabindex="-1">' in cleaned('<a href="https://x">x</a>')
    assert "href" not in cleaned('<a name="x">x</a>')


def test_drawings_stay():
    """Shapes of an inline drawing stay, with references into the drawing; nothing else of it does."""
    written = cleaned(
        '<svg viewBox="0 0 9 9" onload="x"><defs><path id="p" d="M0 0"/></defs><use href="#p"/><use href="http://x#p"/>'
        '<rect fill="url(#g)" stroke="url(http://x)" width="9"/><image href="x"/><style>*{}</style></svg>'
    )
    assert 'href="#p"' in written
    assert 'fill="url(#g)"' in written
    for gone in ("http", "onload", "<image", "<style"):
        assert gone not in written


@pytest.mark.parametrize(
    ("attributes", "size"),
    [
        ({"width": "320", "height": "90"}, (320, 90)),
        ({"width": "50"}, (50, 50)),
        ({}, (48, 36)),
        ({"width": "100%", "height": "-1"}, (48, 36)),
        ({"width": "999999", "height": "1"}, (4000, 1)),
    ],
)
def test_size_of_pictures(attributes, size):
    """A missing picture takes the room that it would have had, within reason."""
    assert f"width%3D%22{size[0]}%22%20height%3D%22{size[1]}%22" in picture(attributes)


def test_without_template_and_parts():
    """A match alone is enough for a view."""
    key, voters = site()
    _, match = learn(key, voters)
    written = view(match)
    assert written.startswith("<!DOCTYPE html>")
    assert "compared</li>" not in written
    assert written.count("data-templex-part=") == 3, "in the style sheet and the script alone"


def test_page_stays_as_it_is():
    """The view works on a copy: page and match are the same before and after."""
    key, voters = site(body="<script>x</script><img src=y>")
    before = etree.tostring(key.root)
    show(key, voters)
    assert etree.tostring(key.root) == before


def test_lone_surrogates():
    """The view of a page whose address has no form in UTF-8 can be written all the same."""
    key, voters = site()
    show(Page(key.text, "https://site.test/\udcff"), voters).encode("utf-8")
