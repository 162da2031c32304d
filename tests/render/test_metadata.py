"""Date, author, language and description of a page, and where each was found."""

import json
import time

import pytest
from small_site import made_site

from templex_scrapy import Page, Template
from templex_scrapy.render.metadata import read_metadata
from templex_scrapy.template import Match

GERMAN = "Wasser im Keller ist meist ein Schaden am Abfluss, und den findet man mit etwas Geduld."


def metadata(head="", body="<p>text", html="<html>"):
    clean = Match(
        Page(f"<!doctype html>{html}<head>{head}</head><body>{body}</body></html>", "https://site.test/")
    ).clean
    found = {name: (one["value"], one["source"]) for name, one in clean.metadata.items()}
    plain = {name: getattr(clean, name) for name in ("date", "author", "language", "description")}
    assert plain == {name: found.get(name, ("", ""))[0] for name in plain}
    return found


def json_ld(data):
    return f'<script type="application/ld+json">{data}</script>'


@pytest.mark.parametrize(
    ("head", "body", "date"),
    [
        (json_ld('{"datePublished": "2026-01-31T10:00:00Z"}'), "", ("2026-01-31", "json-ld")),
        (json_ld('{"@graph": [{"@type": "WebSite"}, {"datePublished": "2026-01-31"}]}'), "", ("2026-01-31", "json-ld")),
        ('<meta property="article:published_time" content="2026-01-31T23:00:00+01:00">', "", ("2026-01-31", "meta")),
        ('<meta name="DC.date.issued" content="2026-01-31">', "", ("2026-01-31", "meta")),
        ("", '<p itemprop="datePublished" content="2026-01-31">Last Friday', ("2026-01-31", "microdata")),
        ("", '<time datetime="2026-01-31">31 January</time><time datetime="2026-02-02">', ("2026-01-31", "time")),
    ],
)
def test_date(head, body, date):
    assert metadata(head, body)["date"] == date


def test_a_date_that_is_none_is_passed_over():
    assert metadata('<meta name="date" content="soon">', '<time datetime="2026-01-31">')["date"][1] == "time"
    assert "date" not in metadata("", "<p>31 January 2026, <time>now</time>")


@pytest.mark.parametrize(
    ("head", "body", "author"),
    [
        (json_ld('{"author": {"name": "Ann  Lee"}, "datePublished": "2026-01-31"}'), "", ("Ann Lee", "json-ld")),
        (json_ld('[{"author": [{"name": "Ann Lee"}, "Bo"]}]'), "", ("Ann Lee, Bo", "json-ld")),
        (json_ld('{"@type": "WebSite", "author": "x"}'), '<p itemprop="author" content="Bo">', ("Bo", "microdata")),
        (
            "",
            '<p itemprop="comment"><b itemprop="author">Troll</b></p><a rel="nofollow author">Bo</a>',
            ("Bo", "microformat"),
        ),
        ('<meta name="author" content="Ann Lee">', "", ("Ann Lee", "meta")),
        ("", '<p itemprop="author">By <b itemprop="name">Ann Lee</b>', ("Ann Lee", "microdata")),
        ("", '<p itemprop="author">Ann Lee</p>', ("Ann Lee", "microdata")),
        ("", '<p>By <a rel="author">Ann Lee</a>', ("Ann Lee", "microformat")),
        (
            '<meta property="article:author" content="https://x.test/ann">',
            '<a rel="author">Bo</a>',
            ("Bo", "microformat"),
        ),
        (json_ld('[{"author": "Site"}, {"author": "Bo", "datePublished": "2026-01-31"}]'), "", ("Bo", "json-ld")),
        ('<meta name="author" content=""><meta name="author" content="Ann Lee">', "", ("Ann Lee", "meta")),
        (json_ld('{"author": "A\\ud800\\u0000nn"}'), "", ("A nn", "json-ld")),  # what feeds cannot write is left out
        ("", '<p class="vcard author">By <b class="fn">Ann Lee</b>', ("Ann Lee", "microformat")),
    ],
)
def test_author(head, body, author):
    assert metadata(head, body)["author"] == author


def test_language():
    assert metadata(html='<html lang="de-CH">')["language"] == ("de", "html")
    assert metadata('<meta property="og:locale" content="pt_BR">')["language"] == ("pt", "meta")


def test_the_language_of_a_text_is_recognized():
    pytest.importorskip("py3langid")
    assert metadata(body=f"<p>{GERMAN}")["language"] == ("de", "text")
    assert "language" not in metadata(body="<p>Wasser im Keller"), "too short"


@pytest.mark.parametrize(
    "data",
    [
        "",
        "{",
        "null",
        "7",
        '"text"',
        '{"@graph": 7, "author": 7}',
        '{"author": {"name": 7}}',
        "[" * 100_000,
        '[[{"author": 1}]]',
    ],
)
def test_damaged_data_says_nothing(data):
    assert metadata(json_ld(data)) == {}


def test_names_are_limited_one_by_one():
    names = [f"Author {number} of many" for number in range(30)]
    assert metadata(json_ld(json.dumps({"author": names})))["author"][0] == ", ".join(names)
    for length, found in ((100, "json-ld"), (101, "meta")):
        head = json_ld(json.dumps({"author": "x" * length})) + '<meta name="author" content="Ann Lee">'
        assert metadata(head)["author"][1] == found


def test_an_author_is_looked_for_in_ten_elements():
    for others, found in ((9, True), (10, False)):
        body = '<a rel="author">https://social.test/ann</a> ' * others + '<a rel="author">Ann Lee</a>'
        assert ("author" in metadata("", body)) is found


def test_long_data_is_not_read():
    for length, found in ((500_000, True), (500_001, False)):
        assert ("author" in metadata(json_ld('{"author": "Ann Lee"}'.ljust(length)))) is found


def test_the_page_s_own_description_comes_before_that_of_what_it_shows():
    head = json_ld('{"@type": "Product", "description": "of JSON-LD"}')
    assert metadata(head)["description"] == ("of JSON-LD", "json-ld")
    head += '<meta name="description" content="second"><meta property="og:description" content=" first\n one ">'
    assert metadata(head)["description"] == ("first one", "meta")


def test_what_the_frame_says_is_not_the_page_s():
    said = '<p><time datetime="2026-10-08">today</time> <a rel="author" href="/w">Webmaster</a></p></footer>'
    pages = [Page(page.text.replace("</footer>", said), page.url) for page in made_site()]
    match = Template.from_pages(pages[0], pages[1:]).match(pages[0])
    assert not {"date", "author"} & match.clean.metadata.keys()
    assert {"date", "author"} <= Match(pages[0]).clean.metadata.keys()


def test_the_values_are_the_same_when_the_tree_is_used_up():
    page = Page('<meta name="author" content="Ann Lee"><p>text', "https://site.test/")
    clean = Match(page).clean
    clean.compute(["html", "date"])
    assert page._tree is None
    assert (clean.date, clean.author) == ("", "Ann Lee")


@pytest.mark.parametrize(
    "body", ["<p itemprop=author><b itemprop=name></b></p>" * 9_000, "<div class=p-author>" * 500 + "<b>x</b>" * 15_000]
)
def test_hostile_pages_take_no_long_time(body):
    page = Page(f"<body>{body}", "https://site.test/")
    assert len(page) > 15_000  # parsed
    start = time.process_time()
    assert read_metadata(page, []) == {}
    assert time.process_time() - start < 1, "0.05 s as a rule"


def test_a_thousand_objects_of_json_ld_are_read():
    for empty, date in ((999, "2026-01-31"), (1000, "")):
        data = "[" + "{}," * empty + '{"datePublished": "2026-01-31"}]'
        assert metadata(json_ld(data)).get("date", ("",))[0] == date
