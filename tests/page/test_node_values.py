"""Node values: what has to be the same on other pages before a node is removed."""

import time
from itertools import product

import pytest
from helpers.made_sites import HOST, page

from templex_scrapy.page import NodeValues, nodes_of, values_of

pytestmark = pytest.mark.usefixtures("compiled_and_plain")

URL = f"{HOST}a/page.html"


def values(body, url=URL):
    return values_of(page(body, url))


def value(body, url=URL):
    """The value of the first node in the body."""
    return values(body, url).value(1)


def test_the_value_of_a_text_is_its_words():
    assert value(" two\n words ") == value("two words") == "two words"
    assert value("two words") != value("two other words")


@pytest.mark.parametrize(
    ("href", "expected"),
    [
        ("/x", "//site.test/x"),
        ("https://site.test/x", "//site.test/x"),
        ("x?b=2&amp;a=1", "//site.test/a/x?a=1&b=2"),
        ("#top", "#top"),
        ("page.html#top", "#top"),
        ("other.html#top", "//site.test/a/other.html#top"),
        ("other.html#", "//site.test/a/other.html"),
        ("page.html", "//site.test/a/page.html"),
        ("mailto:a@b", "mailto:a@b"),
    ],
)
def test_the_value_of_a_link_is_its_target(href, expected):
    assert value(f'<a href="{href}" class="any">x</a>') == expected


def test_pages_that_share_start_tags_have_their_own_targets():
    made = [page('<a href="x">x</a><a href="/y">y</a>', f"{HOST}{path}") for path in ("a/1", "a/2", "b/1")]
    assert nodes_of(made[0]).start_tag(1) is nodes_of(made[2]).start_tag(1)
    assert [values_of(one).value(1) for one in made] == ["//site.test/a/x", "//site.test/a/x", "//site.test/b/x"]
    assert {values_of(one).value(3) for one in made} == {"//site.test/y"}


READ = ["<p {}>x</p>", "<a {}>x</a>", '<a href="/x" {}>x</a>', '<img src="/i" {}>']
RELATIVE = [
    '<a href="photo{}.html">x</a>',
    '<img src="photo{}.jpg">',
    '<picture><img src="photo{}.jpg"></picture>',
    '<video><source src="clip{}.mp4"></video>',
    '<img src="/blank.gif" data-src="photo{}.jpg">',
    '<img srcset="photo{}.jpg 2x">',
    '<object data="film{}.swf"></object>',
    '<video poster="still{}.jpg"></video>',
]


@pytest.mark.parametrize(
    "element",
    [
        # attributes that people read
        *(element.format(f'{name}="words {{}}"') for element in READ for name in ("title", "aria-label", "alt")),
        # media with their content
        *RELATIVE,
        '<video src="/film{}.mp4"></video>',
        '<audio src="/sound{}.mp3"></audio>',
        '<embed src="/film{}.swf">',
        '<svg><path d="M{}"></path></svg>',
        "<svg><text>label {}</text></svg>",
        '<canvas data-values="{}"></canvas>',
        "<math><mi>x{}</mi></math>",
        '<input type="hidden" value="{}">',
        "<textarea>text {}</textarea>",
        "<select><option>choice {}</option></select>",
        "<button>Buy {}</button>",
        # other values
        '<time datetime="2024-01-0{}">Today</time>',
        '<meta itemprop="price" content="{}.50">',
        '<p style="background-image: url(/pictures/{}.jpg)">z</p>',
        '<form action="/order/{}">Order</form>',
        '<blockquote cite="/source/{}">As they say</blockquote>',
        '<amp-img src="/pictures/{}.jpg"></amp-img>',
    ],
)
def test_elements_with_other_values_differ(element):
    one, same, two = (value(element.format(number)) for number in (1, 1, 2))
    assert one == same != two
    other_directory = value(element.format(1), f"{HOST}b/page.html")
    assert (one != other_directory) is (element in RELATIVE)


SEEMING = """
    |?p=1|http:|https:|http:foo|http:?p=2|http:/foo|&#10;|;x|https:http://site.test/a/x|http://site.test/a/x|&#9;/x
    |/&#9;/x|/x|//|http://|http:///x|///x|HTTP://SITE.TEST/a|/.|/../x|../x|x/../../x|\\x|//site.test:80/x|&#160;?p|&#11;
    |//site.test|//SITE.test/a|//site.test/a|/a/../b|//[x|http://[x|/[x]|?|/x#|x:80|javascript:void(0)|data:,x|x|a//b
    |x?b=1&amp;a=2|x?a=2&amp;b=1|#top|x#top|page.html#top|/a/x#top|https://site.test:80/a/x|/a/%7ex|/a/~x|mailto:a@b
    """


def test_elements_without_a_value_of_their_own():
    assert value('<p class="x" id="y">z</p>') is value('<p style="color: red">z</p>') is None
    assert value('<img src="" data-src="/a">') == value('<img src="" data-src="/a">', f"{HOST}b/other.html")


def test_relative_addresses_depend_on_the_directory_or_the_page():
    made = values('<p><a href="x">1</a></p><p><a href="?page=2">2</a></p><p><a href="/x">3</a></p>')
    paragraphs = [(1, 4), (4, 7), (7, 10)]
    for url, same in (
        (URL, [True, True, True]),
        (f"{URL}2", [True, False, True]),
        (f"{HOST}b/page.html", [False, False, True]),
    ):
        other = NodeValues(made.arrays, url, url)
        assert [made.leads_to_the_same(other, *span) for span in paragraphs] == same


def test_all_values_are_one_for_each_node():
    made = values('<a href="/x">text</a><p>long ' + "word " * 20)
    assert list(made.all_values) == [made.value(position) for position in range(5)]
    assert len(made.all_values[4] or "") == 24, "a long value is a digest"


def test_a_digest_depends_on_tags_shape_words_and_where_links_lead():
    def digest(html, url=URL):
        return values(html, url).digest(1)

    block = "<div><ul><li><a href='/x'>a</a><li><a href='/y'>b</a></ul><p>some words</p></div>"
    assert digest(block) == digest(block, f"{HOST}b/other.html")
    assert digest(block) == digest(block.replace("some words", " some\n words "))
    others = [
        ("'/y'", "'/z'"),
        ("some", "other"),
        ("<li><a", "<li class=q><a"),
        ("<p>", "<hr><p>"),
        ("</ul>", "</ul>x"),
    ]
    assert len({digest(block), *(digest(block.replace(*other, 1)) for other in others)}) == 6
    relative = block.replace("'/y'", "'y'")
    assert digest(relative) == digest(relative, f"{HOST}a/other.html") != digest(relative, f"{HOST}b/other.html")
    to_the_page = block.replace("'/y'", "'?y'")
    assert digest(to_the_page) != digest(to_the_page, f"{HOST}a/other.html")


@pytest.mark.parametrize("nested", ["<b><i>x", "<svg><g>"])
def test_values_and_digests_of_nested_elements_take_linear_time(nested):
    made = values(nested * 900 + "<p>word</p>" * 20_000)
    began = time.thread_time()
    assert len(made.all_values) > 40_000
    assert len({made.digest(position) for position in range(1, 1_800)}) > 1_000
    assert time.thread_time() - began < 5


@pytest.mark.parametrize(
    ("shapes", "targets"),
    [
        *((shape, SEEMING) for shape in ('<a href="{}"></a>', '<img src="{}">', '<img src="/y" data-src="{}">')),
        ('<a title="t" href="{0}"></a><img src="{0}"><video src="{0}">{0}</video>', "/a/x|x|?p=1|x#top"),
        ('<a></a><b></b><b class="c"></b><b title="{0}"></b><b title="t"></b><b style="color: red"></b>{0}', "t"),
    ],
)
def test_a_page_that_shares_start_tags_has_the_values_that_it_has_alone(shapes, targets):
    """Addresses written alike lead elsewhere from another page: ``http:photo.jpg`` is beside a page on http."""
    body = "".join(shapes.format(target.strip("\n")) for target in ["", " ?p=1", " ", *targets.split("|")])
    bases = ("<base>", "<base href='http://site.test'>", "<base href='ftp://site.test/x/'>")
    urls = URL, f"{HOST}a/other.html", URL.replace("http:", "https:"), f"{HOST}b/", "http://other.test/a/"
    pages = [values(base + body, url) for base, url in product(bases, urls)]
    shared = [[one.value(position) for one in pages] for position in range(len(pages[0].arrays.sizes))]
    for one, of_page in zip(pages, zip(*shared, strict=True), strict=True):
        for start_tag in one.arrays.start_tags:
            start_tag.value = None, None
        assert list(one.all_values) == list(of_page)


@pytest.mark.parametrize("url", ["", "a.html"])
def test_links_and_pictures_of_a_page_without_an_absolute_address_have_values(url):
    """Values that count as read before they are would be equal on all pages, and the page's own picture would go."""
    assert value('<a href="doc1.pdf" title="a file of ours">Read</a>', url)
    assert value('<img src="photo1.jpg" alt="a photo of ours">', url)
