"""What comes from the web and is no good page: never an error, never a change to what was not understood."""

from __future__ import annotations

import pytest
from made_sites import HOST, MENU, STRANGER, learn, page, site, words

from templex_scrapy import Match, Page, SubdigraphSearch, Template, rank_links

OUTPUTS = ("html", "text", "markdown", "annotated_html", "template_html")

XHTML = (
    '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" '
    '"http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">\n<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="en">'
    '<head><title>t</title></head><body><a name="n" id="m"/><p>one<br/>two &nbsp;&copy;</p><script type="x"/>'
    "<![CDATA[ <b>x</b> ]]></body></html>"
)

HREFS = [
    *"""http://[ http://[::1 http://a:b/ http://x:99999/ http:/// // /// ? # : http: javascript:alert('x') mailto:a@b
    data:text/html,<p> http://xn--/ http://℀/ http://é.test/é?é=é#é //[ \\\\x\\y http://site.test:port/
    http://user:pass@site.test/ /%zz%""".split(),
    *["  /spaced  ", "/a b", "\n/x\n", "http://x y/", f"http://{'a' * 300}.test/", "/\ud800"],
    *["/" + "a/" * 2_000, "../" * 2_000],
]

SOURCES: dict[str, str | bytes] = {
    "empty": "",
    "empty bytes": b"",
    "blank": " \n\t",
    "plain text": "Just some words, 3 < 4 & no markup.\nAnother line.",
    "json": '{"title": "a <b>bold</b> title", "items": [1, 2, null]}',
    "xml": '<?xml version="1.0"?><rss><channel><item><title>x</title><link>/a</link></item></channel></rss>',
    "xml with encoding": '<?xml version="1.0" encoding="iso-8859-1"?><a><b>é</b></a>',
    "pdf": b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\nstream\nx\x9c\x00\xff\xfe<p>endstream\nendobj\n%%EOF",
    "png": b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(range(256)) * 4,
    "gzip": b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03" + bytes(range(255, -1, -1)),
    "wrong charset": '<meta charset="utf-8"><p>Grüße aus Köln'.encode("latin-1"),
    "unknown charset": b'<meta charset="no-such-charset"><p>Gr\xc3\xbc\xc3\x9fe',
    "missing charset": "<p>日本語のページ".encode("shift_jis"),
    "utf-16 with mark": '<meta charset="utf-8"><p>Grüße'.encode("utf-16"),
    "utf-16 without mark": "<p>Grüße".encode("utf-16-le"),
    "utf-7": b'<meta charset="utf-7"><p>+ADw-script+AD4-',
    "nul bytes": "<p>a\x00b\x00</p>\x00<a href='\x00x'>y\x00</a><\x00div>",
    "nul bytes as bytes": b"<p>a\x00b\x00</p>\x00",
    "only nul": "\x00",
    "lone surrogates": "<p title='\ud800'>a\udfff b \ud83d</p>\udc00",
    "astral": "<p>😀 \U0001d518\U0001d52b \U0010ffff",
    "controls": "<p>a\x01b\x08c\x0bd\x0ce\x1ff\x7f\x80\x9f &#1; &#12; &#x1f; &#x7f;",
    "references": "<p>&#0; &#x110000; &#xD800; &#99999999999; &nosuch; &amp;amp; &lt",
    "unclosed": "<div><p>one<p>two<ul><li>a<li>b<table><tr><td>c<td>d<b>bold<i>both",
    "wrongly nested": "<b><p>one</b>two</p></div></span><table><p>x</table></body><p>after</html>tail",
    "open tag": "<p>one</p><div class='a",
    "open comment": "<p>one</p><!-- <p>two</p>",
    "only a comment": "<!-- x -->",
    "only a doctype": "<!DOCTYPE html>",
    "only a tag": "<",
    "only an end tag": "</p>",
    "instruction": "<?php echo '<p>x > y</p>' ?><p>z",
    "two bodies": "<html><body class=a><p>1</p></body><body class=b><p>2</p></body></html><html><body>3",
    "no body": "<html><head><title>t</title></head></html>",
    "frames": '<html><frameset cols="1,2"><frame src="a.html"><frame src="b.html"></frameset></html>',
    "frames with text": "<frameset><frame src=a.html><noframes><p>none <a href=/x>y</a></noframes></frameset>",
    "xhtml": XHTML,
    "xhtml without doctype": '<html xmlns="http://www.w3.org/1999/xhtml"><body><p>x</p><br/></body></html>',
    "svg": '<svg xmlns="http://www.w3.org/2000/svg"><a xlink:href="/x"><text>t</text></a><path d="M0"/></svg>',
    "mathml": "<math><mrow><mi>x</mi><mo>&lt;</mo><mn>1</mn></mrow></math>",
    "custom tags": "<my-app :a='1' @b=2 #c [d]=e><x-y.z>text</x-y.z><a:b c:d='e'>f</a:b></my-app>",
    "attributes without end": "<p " + "a" * 10_000 + "=" + "b" * 10_000 + ">x",
    "many attributes": "<p " + " ".join(f"a{n}=b" for n in range(5_000)) + ">x",
    "many classes": f"<p class='{' '.join(f'c{n}' for n in range(20_000))}'>x",
    "raw text": "<textarea><p>x</p></textarea><title>t</title><xmp><b>x</b></xmp><plaintext><p>rest",
    "scripts": "<script>if (a < b) document.write('<p>x</p>')</script><noscript><img src=x></noscript><style>p > a {}",
    "template": "<template><p>hidden</p></template><p>seen",
    "links that are no addresses": "".join(f'<a href="{href}">x</a>' for href in HREFS),
    "no quotes": "<a href=/x?y=z&w=v title=a'b\"c>x</a><a href=>y</a><a href>z</a><a href='/1' href='/2'>w</a>",
    "links in links": "<a href=/a>x<a href=/b>y<div><a href=/c>z</a></div></a>",
}

BASES = [*"/ x/ /x/y http://other.test/x/ //other.test/ http://[ javascript:x data:,x # ?x mailto:a".split()]
BASES += ["", "  /x/  ", "http://site.test:99999/", "\ud800", "http://é.test/", "ftp://site.test/"]


def check_match(match: Match) -> None:
    assert match.removable <= match.nodes <= set(range(len(match.page.nodes)))
    assert 0 <= match.coverage <= 1
    for output in OUTPUTS:
        assert isinstance(getattr(match.clean, output), str)
    if not match.removable:
        assert match.clean.html == match.page.text


def process(pages: list[Page]) -> list[Match]:
    """All that is done with pages, the first being the key page and the last one a stranger."""
    for each in pages:
        assert isinstance(each.text, str)
        assert [node.position for node in each.nodes] == list(range(len(each.nodes)))
        assert each.nodes
        assert all(isinstance(url, str) and each.nodes[at].tag == "a" for url, at in each.links.items())
        search = SubdigraphSearch(each)
        assert search.wanted() == rank_links(each)[:60]
    template = Template.from_pages(pages[0], pages[1:-1])
    made = [template.match(each) for each in pages]
    for match in made:
        check_match(match)
    return made


def with_text(source: str | bytes, text: str) -> str | bytes:
    return source + text.encode() if isinstance(source, bytes) else source + text


@pytest.mark.parametrize("charset", ["rot13", "hex", "base64", "zlib"])
def test_a_charset_that_is_none(charset):
    """The web names all sorts of them."""
    assert "words" in Page(f'<meta charset="{charset}"><p>words'.encode(), HOST).text


@pytest.mark.parametrize("name", SOURCES)
def test_a_bad_page_is_processed(name):
    """On its own, as each of the pages that make a template, and as a stranger to a good one."""
    source = SOURCES[name]
    process([Page(source, f"{HOST}{n}") for n in range(4)])
    process([Page(with_text(source, f"<p>own {n}"), f"{HOST}{n}") for n in range(4)])
    process([Page(with_text(f"{MENU}<p>{n}", "") if isinstance(source, str) else source, HOST) for n in range(4)])
    good = site(lambda n: f"<p>text {n}</p>")
    bad = Page(source, f"{HOST}bad")
    check_match(learn(good).match(bad))
    process([good[0], bad, good[1], good[2]])
    process([bad, good[0], good[1], good[2]])


@pytest.mark.parametrize("name", SOURCES)
def test_bad_source_behind_a_template_is_processed(name):
    """So that something goes, and the rest is written anew."""
    source = SOURCES[name]
    text = source if isinstance(source, str) else Page(source, HOST).text
    process([page(f"{MENU}<p>own {n}</p>{text}", f"{HOST}{n}") for n in range(4)])


@pytest.mark.parametrize("base", BASES)
def test_base_of_every_kind(base):
    made = process(
        [page(f'<base href="{base}">{MENU}<a href="x">y</a><img src=z.png><p>own {n}', f"{HOST}{n}") for n in range(4)]
    )
    for match in made:
        assert match.fits
        assert "menu entry" not in match.clean.html


@pytest.mark.parametrize(
    "url",
    [
        *["", "not a url", "http://x:99999/", "mailto:a", "/relative", "http://é.test/é", "\ud800"],
        *["http://[broken/", "http://x/\x00\n", "data:,x"],
    ],
)
def test_addresses_that_are_none(url):
    process([page(f'{MENU}<a href="x">y</a><p>own {n}', url) for n in range(4)])


def html_10000_deep(number: int) -> Page:
    return page(
        f"{MENU}<p>own{number}</p>{'<div>' * 10_000}deep{number}{'</div>' * 10_000}<p>behind", f"{HOST}{number}"
    )


def test_html_10000_deep_comes_out_unchanged():
    good = learn(site(lambda n: f"<p>{n}"))
    for match in [*process([html_10000_deep(n) for n in range(4)]), good.match(html_10000_deep(9))]:
        assert match.removable == frozenset()
        assert match.clean.html == match.clean.annotated_html == match.page.text
    for output in ("text", "markdown"):
        assert {"own9", "deep9", "behind"} <= set(words(getattr(match.clean, output)))


@pytest.mark.parametrize("depth", [300, 1_900, 10_000])
def test_text_of_html_too_deep_for_the_converters(depth):
    """The head, scripts and the like are no text; what stands in a line stays in a line."""
    inner = (
        "<script>x()</script><p>One <b>two</b>, <i>three</i> &amp; 4.<br>five<noscript><p>six</p></noscript></p>seven"
    )
    deep = page(f"{'<div>' * depth}{inner}{'</div>' * depth}<table><tr><td>8<td>9</table>&#12;\x00<")
    match = Template.from_pages(page(""), []).match(deep)
    lines = match.clean.text.split("\n")
    assert [line for line in lines if line][:3] == ["One two, three & 4.", "five", "seven"]
    assert {"8", "9"} <= set(words(match.clean.text))
    assert match.clean.markdown == match.clean.text


@pytest.mark.parametrize("source", ["<div>" * 9_000, "<b>x" * 9_000, "<p><div" * 9_000, "<pre>x\n" * 5_000])
@pytest.mark.parametrize("end", ["", "\x00", "\ud800", "<", "<!--", "<script>", "&#0;", "]]>", "</html>x"])
def test_no_output_of_a_page_that_the_parser_cuts_raises(source, end):
    check_match(Template.from_pages(page(""), []).match(Page(source + end, HOST)))


def lists(sibling: str, count: int) -> list[Page]:
    """Pages with a long list each; of a list that counts, others have every second, third, fourth entry."""
    entries = lambda n: "".join(sibling.format(k=k * (n + 1)) for k in range(count))  # noqa: E731
    return [page(f"{MENU}<p>own {n}</p>{entries(n)}", f"{HOST}{n}") for n in range(4)]


@pytest.mark.parametrize(
    ("sibling", "count"),
    [
        ("<p>same</p>", 8_000),
        ("word<br>", 8_000),
        ("<li>a<li>b", 4_000),
        ("<!-- c -->x", 8_000),
        ("<p id=n{k}>{k}</p>", 4_000),
        ('<a href="/{k}">{k}</a>', 2_000),
        ('<p id="n{k}" class="c{k}">{k}</p>', 500),
    ],
)
def test_many_siblings(sibling, count):
    pages = lists(sibling, count)
    match = learn(pages).match(pages[STRANGER])
    check_match(match)
    assert match.fits
    assert "own" in match.clean.html
