"""Addresses and links of a page."""

from urllib.parse import urljoin

import pytest
from helpers.made_sites import HOST, page
from helpers.strategies import addresses, hrefs
from hypothesis import example, given
from w3lib.url import canonicalize_url

from templex_scrapy.page import Page, absolute, canonical, is_page_url, nodes_of, site_of, values_of
from templex_scrapy.page import addresses as page_addresses
from templex_scrapy.page.addresses import find_links, shortened_base

KEY = f"{HOST}a/b/key.html"


def links(*hrefs, url=KEY, head=""):
    body = "".join(f'<p><a href="{href}">x</a>' for href in hrefs)
    return Page(f"<html><head>{head}</head><body>{body}</body></html>", url)


# --- page.addresses ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hrefs", "expected"),
    [
        (
            ["next.html?b=2&amp;a=1#frag", "../up", "/top"],
            [f"{HOST}a/b/next.html?a=1&b=2", f"{HOST}a/up", f"{HOST}top"],
        ),
        (["//other.test/x", "HTTP://Other.TEST/p"], ["https://other.test/x", "http://other.test/p"]),
        (["/file.pdf", "#top", ""], [f"{HOST}file.pdf", KEY]),
        (["mailto:a@b", "javascript:x()", "ftp://site.test/", "http://[", "http://x:99999/", "data:,x"], []),
        (["/x y", " /x%20y ", "\n/x%20y\t"], [f"{HOST}x%20y"]),
    ],
)
def test_links_are_canonical_and_absolute(hrefs, expected):
    assert list(links(*hrefs).links) == expected


@given(addresses, hrefs)
@example("https://site.test/a/b?x=/c/d", "e")
@example("https://site.test", "e")
@example("https://site.test/a/b/c?/d/", "../../../e/f#/g?")
@example("https://site.test/a/;b/c", "./e#f")
@example("https://site.test/a=(b),c&d/e", "../f:g/it's!$*+@h?page=2#i")
@example("https://site.test/a/b", "e:f?g=")
@example("https://site.test/a/b", "/e?f=1&d=2")
def test_absolute_addresses_are_those_of_urljoin(base, href):
    """Most are joined as they are written."""
    try:
        joined = urljoin(base, href.strip(" \t\n\r\f"))
    except ValueError:
        joined = None
    address = None if joined is None else canonical(joined)
    assert absolute(base, href) == (joined, address)
    assert address is None or address == canonicalize_url(joined)


def test_the_first_node_that_leads_there_wins():
    made = links("/x", "/y", "/x#again", "/x?")
    assert list(made.links.values()) == sorted(made.links.values())
    first = next(node for node in made.nodes if node.tag == "a")
    assert made.nodes[made.links[f"{HOST}x"]] is first


def test_only_links_in_a_are_links():
    made = page('<link href="/a"><area href="/b"><a name="/c">x</a><form action="/d"></form><a href="/e">y</a>')
    assert list(made.links) == [f"{HOST}e"]
    assert page('<noscript><a href="/a">x</a></noscript><template><a href="/b">y</a></template>').links == {}


@pytest.mark.parametrize(
    ("head", "base"),
    [
        ("", KEY),
        ('<base href="/x/">', f"{HOST}x/"),
        ('<base href="x/">', f"{HOST}a/b/x/"),
        ('<base href="https://other.test/y">', "https://other.test/y"),
        ('<base href="//other.test/">', "https://other.test/"),
        ('<base target="_blank"><base href="/x/"><base href="/y/">', f"{HOST}x/"),
        ('<base href="">', KEY),
        (f'<base href="/{"x" * 2000}/">', KEY),
        ('<base href="javascript:x">', KEY),
        ('<base href="http://[">', KEY),
    ],
)
def test_base(head, base):
    made = links("z", "/z", head=head)
    assert made.base_url == base
    assert set(made.links) == {urljoin(base, "z"), urljoin(base, "/z")}


# --- canonical, site -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "url", ["", "x", "/x", "mailto:a", "http://", "http://[", "http://x:99999/", "ftp://x/", "//x/"]
)
def test_what_is_no_address_has_no_canonical_form(url):
    assert canonical(url) is None


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("http://müller.example/", "http://xn--mller-kva.example/"),
        ("https://MÜLLER.example/", "http://XN--MLLER-KVA.example:80/"),
        ("http://müller。example:8080/", "http://xn--mller-kva.example:8080/"),
        # also of what has no punycode
        *((url, canonical(url)) for url in ("http://ü..b/", f"http://{'ü' * 70}.test/", "http://m%C3%BCller.test/")),
        *((url, canonical(url)) for url in ("http://Ü.test/x", "http://faß.test/")),
    ],
)
def test_a_host_is_one_site_in_letters_and_in_punycode(one, two):
    assert site_of(one) == site_of(two) is not None


def test_a_site_is_host_and_port_and_the_same_on_http_and_https():
    assert (
        site_of("http://site.test/a")
        == site_of("https://site.test:443/")
        == site_of("http://SITE.test:80")
        == "site.test"
    )
    assert site_of("http://site.test:8080/") == "site.test:8080"
    assert site_of("https://site.test:80/") == "site.test:80"
    assert site_of("mailto:a") is site_of("http://[") is site_of("http://x:99999") is None


@pytest.mark.parametrize(
    ("names", "is_page"),
    [
        ("a.pdf a.PDF a.zip a.jpg feed.rss a.xml style.css a.pdf?x=1", False),
        (" a a.html a.php?f=b.pdf a.aspx v1.2 a.pdf/ pdf a.b/c", True),
    ],
)
def test_what_is_a_page_by_its_extension(names, is_page):
    assert [name for name in names.split(" ") if is_page_url(HOST + name) is not is_page] == []


@pytest.mark.parametrize(("room", "left"), [(0, ["l0"]), (2 * len(f"{HOST}l0"), ["l0", "l1", "l2"])])
def test_links_are_read_up_to_a_length_of_all_of_them(monkeypatch, room, left):
    monkeypatch.setattr(page_addresses, "MAX_JOINED", room)
    many = "".join(f"<a href=l{n}>x</a>" for n in range(9))
    found = find_links(nodes_of(Page(f"<body>{many}", HOST)), HOST)
    assert list(found) == [f"{HOST}{name}" for name in left]


def test_a_long_base_of_many_links_is_shortened_and_stays_itself():
    long, other = f"https://site.test/{'x' * 1900}/", f"https://site.test/{'y' * 1900}/"
    assert shortened_base(long, 1000) == long
    short = shortened_base(long, 2000)
    assert len(short) < 80
    assert short.startswith("https://site.test/")
    assert short != shortened_base(other, 2000)
    assert len(shortened_base(f"https://{'x' * 1900}.test/", 2000)) < 400, "no host has so long a name"


LONG = "x" * 1900


@pytest.mark.parametrize(
    ("address", "other", "same", "same_query"),
    [(f"{LONG}/a", f"{LONG}/b", "l0", False), (f"a?{LONG}", f"a?y{LONG}", "l0", True), (f"a?{LONG}", "", "/l0", False)],
)
def test_links_of_pages_at_long_addresses_lead_where_they_led(address, other, same, same_query):
    many = "<a href=?p=2>x</a>" + "".join(f"<a href=l{n}>x</a>" for n in range(2000))
    here = values_of(Page(f"<body><a href=l0>x</a>{many}", HOST + address))
    there = values_of(Page(f"<body><a href={same}>x</a>{many}", HOST + other))
    assert here.value(1) == there.value(1)
    assert (here.value(3) == there.value(3)) is same_query
