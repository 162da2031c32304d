"""What comes from the web and is no good page: never an error, never a change to what was not understood."""

import pytest
from helpers.made_sites import HOST, MENU, STRANGER, learn, page, site, words

from templex_scrapy import Match, Page, SubdigraphSearch, Template, rank_links
from templex_scrapy.render import OUTPUT_NAMES

HREFS = [
    *"""http://[ http://[::1 http://a:b/ http://x:99999/ http:/// // /// ? # : http: javascript:alert('x') mailto:a@b
    data:text/html,<p> http://xn--/ http://℀/ http://é.test/é?é=é#é //[ \\\\x\\y http://site.test:port/
    http://user:pass@site.test/ /%zz%""".split(),
    *["  /spaced  ", "/a b", "\n/x\n", "http://x y/", f"http://{'a' * 300}.test/", "/\ud800"],
    *["/" + "a/" * 2_000, "../" * 2_000],
]

# what the fuzzer has no pieces for: bytes, whole documents, sizes
SOURCES: dict[str, str | bytes] = {
    "empty": b"",
    "blank": " \n\t",
    "plain text": "Just some words, 3 < 4 & no markup.\nAnother line.",
    "json": '{"title": "a <b>bold</b> title", "items": [1, 2, null]}',
    "xml": '<?xml version="1.0" encoding="iso-8859-1"?><rss><item><title>é</title><link>/a</link></item></rss>',
    "pdf": b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\nstream\nx\x9c\x00\xff\xfe<p>endstream\nendobj\n%%EOF",
    "png": b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(range(256)) * 4,
    "wrong charset": '<meta charset="utf-8"><p>Grüße aus Köln'.encode("latin-1"),
    "utf-16 without mark": "<p>Grüße".encode("utf-16-le"),
    "nul bytes": "<p>a\x00b\x00</p>\x00<a href='\x00x'>y\x00</a><\x00div>",
    "lone surrogates": "<p title='\ud800'>a\udfff b \ud83d</p>\udc00",
    "controls": "<p>a\x01b\x08c\x0bd\x0ce\x1ff\x7f\x80\x9f &#1; &#12; &#x1f; &#x7f; &#99999999999; &nosuch; &lt",
    "wrongly nested": "<b><p>one</b>two</p></div></span><table><p>x</table></body><p>after</html>tail",
    "open tag": "<p>one</p><div class='a",
    "open comment": "<p>one</p><!-- <p>two</p>",
    "only a comment": "<!-- x -->",
    "two bodies": "<html><body class=a><p>1</p></body><body class=b><p>2</p></body></html><html><body>3",
    "no body": "<html><head><title>t</title></head></html>",
    "frames": "<frameset><frame src=a.html><noframes><p>none <a href=/x>y</a></noframes></frameset>",
    "xhtml": '<html xmlns="http://www.w3.org/1999/xhtml"><body><a id="m"/><p>x<br/></p><script/></body></html>',
    "svg": '<svg xmlns="http://www.w3.org/2000/svg"><a xlink:href="/x"><text>t</text></a><path d="M0"/></svg>',
    "custom tags": "<my-app :a='1' @b=2 #c [d]=e><x-y.z>text</x-y.z><a:b c:d='e'>f</a:b></my-app>",
    "attributes without end": "<p " + "a" * 10_000 + "=" + "b" * 10_000 + ">x",
    "many attributes": "<p " + " ".join(f"a{n}=b" for n in range(5_000)) + ">x",
    "many classes": f"<p class='{' '.join(f'c{n}' for n in range(20_000))}'>x",
    "raw text": "<textarea><p>x</p></textarea><title>t</title><xmp><b>x</b></xmp><plaintext><p>rest",
    "links that are no addresses": "".join(f'<a href="{href}">x</a>' for href in HREFS),
    "links in links": "<a href=/a>x<a href=/b>y<div><a href=/c>z</a></div></a><a href=>y</a><a href=1 href=2>w</a>",
}
BASES = [*"/ x/ http://other.test/x/ //other.test/ http://[ javascript:x data:,x # ?x".split()]
BASES += ["", "  /x/  ", "http://site.test:99999/", "\ud800", "http://é.test/"]


def check_match(match):
    assert match.removable <= match.nodes <= set(range(len(match.page.nodes)))
    assert 0 <= match.coverage <= 1
    for output in OUTPUT_NAMES:
        assert getattr(match.clean, output) is not None
    if not match.removable:
        assert match.clean.html == match.page.text


def process(pages):
    """All that is done with pages, the first being the key page and the last one a stranger."""
    for each in pages:
        assert [node.position for node in each.nodes] == list(range(len(each.nodes)))
        assert each.nodes
        assert all(each.nodes[at].tag == "a" for at in each.links.values())
        assert SubdigraphSearch(each).wanted() == rank_links(each)[:60]
    template = Template.from_pages(pages[0], pages[1:-1])
    made = [template.match(each) for each in pages]
    for match in made:
        check_match(match)
    return made


@pytest.mark.parametrize("name", SOURCES)
def test_a_bad_page_is_processed(name):
    """Alone, as each of the pages that make a template, as a stranger to a good one, and behind a template."""
    source = SOURCES[name]
    own = [source + (f"<p>own {n}".encode() if isinstance(source, bytes) else f"<p>own {n}") for n in range(4)]
    process([Page(source, f"{HOST}{n}") for n in range(4)])
    process([Page(each, f"{HOST}{n}") for n, each in enumerate(own)])
    good, bad = site(lambda n: f"<p>text {n}</p>"), Page(source, f"{HOST}bad")
    check_match(learn(good).match(bad))
    process([good[0], bad, good[1], good[2]])
    process([bad, *good[:3]])
    process([page(f"{MENU}<p>own {n}</p>{Page(each, HOST).text}", f"{HOST}{n}") for n, each in enumerate(own)])


@pytest.mark.parametrize("base", BASES)
def test_base_of_every_kind(base):
    body = f'<base href="{base}">{MENU}<a href="x">y</a><img src=z.png><p>own {{}}'
    for match in process([page(body.format(n), f"{HOST}{n}") for n in range(4)]):
        assert match.fits
        assert "menu entry" not in match.clean.html


@pytest.mark.parametrize(
    "url", ["", "not a url", "http://x:99999/", "mailto:a", "/relative", "\ud800", "http://[broken/"]
)
def test_addresses_that_are_none(url):
    process([page(f'{MENU}<a href="x">y</a><p>own {n}', url) for n in range(4)])


def test_html_10000_deep_comes_out_unchanged():
    deep = f"{MENU}<p>own{{0}}</p>{'<div>' * 10_000}deep{{0}}{'</div>' * 10_000}<p>behind"
    pages = [page(deep.format(n), f"{HOST}{n}") for n in range(4)]
    for match in [*process(pages), learn(site(lambda n: f"<p>{n}")).match(pages[3])]:
        assert match.removable == frozenset()
        assert match.clean.html == match.clean.annotated_html == match.page.text
    for output in ("text", "markdown"):
        assert {"own3", "deep3", "behind"} <= set(words(getattr(match.clean, output)))


@pytest.mark.parametrize("source", ["<div>" * 9_000, "<b>x" * 9_000, "<p><div" * 9_000, "<pre>x\n" * 5_000])
def test_no_output_of_a_page_that_the_parser_cuts_raises(source):
    for end in ["", "\x00", "\ud800", "<!--", "<script>", "&#0;", "]]>", "</html>x"]:
        check_match(Match(Page(source + end, HOST)))


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
    """Of a list that counts, others have every second, third, fourth entry."""
    lists = ["".join(sibling.format(k=k * (n + 1)) for k in range(count)) for n in range(4)]
    pages = [page(f"{MENU}<p>own {n}</p>{entries}", f"{HOST}{n}") for n, entries in enumerate(lists)]
    match = learn(pages).match(pages[STRANGER])
    check_match(match)
    assert match.fits
    assert "own" in match.clean.html
