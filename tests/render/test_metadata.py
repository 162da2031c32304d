"""Date, author, language and description of a page, and where each was found."""

import json

import pytest
from helpers.growth import growth
from helpers.made_sites import made_site

from templex_scrapy import Page, Template
from templex_scrapy.render.dates import day_of
from templex_scrapy.render.metadata import PageMetadata
from templex_scrapy.template import Match

TIME = "<time datetime='{}'>then</time>"
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
        ('<meta name="date" content="soon">', '<time datetime="2026-01-31">', ("2026-01-31", "time")),
        ('<meta name="citation_publication_date" content="2026/1/31">', "", ("2026-01-31", "meta")),
        ('<meta itemprop="datePublished" content="2026-01-31">', "", ("2026-01-31", "meta")),
        ("", '<time datetime="Sat Jan 31 2026 23:59:00 GMT+0100">x</time>', ("2026-01-31", "time")),
        ("", '<abbr class="published" title="2026-01-31T09:00">x</abbr>', ("2026-01-31", "microformat")),
        ("", '<b itemprop="datePublished">31 Jan 2026</b>', ("2026-01-31", "microdata")),
        # the reader's list of other articles stands before and behind
        (
            "<title>The mill race is dry</title>",
            TIME.format("2025-01-01")
            + "<p>x" * 9
            + "<h1>The mill race is dry</h1>"
            + TIME.format("2026-01-31")
            + "<p>x" * 19
            + TIME.format("2025-02-02"),
            ("2026-01-31", "time"),
        ),
        ("", "<p itemprop=dateModified content=2026-01-31>", None),
        ("", "<time class=updated datetime=2026-01-31>x</time>", None),
        ("", "<ol class='comments'><li><time datetime='2026-01-31'>x</time></ol>", None),
        ("", "<div class=review><p>31 January 2026</div>", None),
        ('<meta property="article:modified_time" content="2026-01-31">', "", None),
        (json_ld('{"@type": "Article", "dateModified": "2026-01-31"}'), "", None),
    ],
)
def test_the_day_of_publication_counts_alone(head, body, date):
    assert metadata(head, f"{body}<p>text").get("date") == date


def test_an_address_has_the_day_of_the_place_where_it_was_published():
    head = json_ld('{"datePublished": "2026-02-01T04:00:00Z"}')
    for folder, found in (("2026/01/31", ("2026-01-31", "url")), ("20260131", ("2026-01-31", "url"))):
        page = Page(f"<head>{head}</head><p>text", f"https://site.test/{folder}/a-mill.html")
        assert tuple(Match(page).clean.metadata["date"].values()) == found
    assert Match(Page("<p>text", "https://site.test/2026/1/3-mills")).clean.date == ""


@pytest.mark.parametrize(
    ("folder", "declared", "date"),
    [
        ("2026/12/24", "2026-01-05", "2026-01-05"),
        ("2026/01/07", "2026-01-05", "2026-01-05"),
        ("2026/01/06", "2026-01-05", "2026-01-06"),
        ("2026/01/03", "2026-01-05", "2026-01-03"),
        ("2026/01/03", "9999-12-31", "2026-01-03"),
        ("2091/12/24", "", ""),
    ],
)
def test_an_address_with_a_later_day_than_the_declared_one_names_an_event(folder, declared, date):
    page = Page(f"<head><meta name=date content='{declared}'></head><p>text", f"https://site.test/events/{folder}/")
    assert Match(page).clean.date == date


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("202601311200", "2026-01-31"),
        ("1769860800000", "2026-01-31"),
        ("12 marbles 2020", None),
        ("12 March 2020", "2020-03-12"),
        ("Sept. 3, 2020", "2020-09-03"),
    ],
)
def test_dates_of_programs(text, date):
    assert day_of(text) == date


@pytest.mark.parametrize(
    ("body", "date"),
    [
        ("<h1>The mill race</h1><p>31. Januar 2026</p>", "2026-01-31"),
        ("<h1>The mill race</h1><p>Posted on 31 janvier 2026</p>", "2026-01-31"),
        ("<p>2026年1月31日</p><h1>The mill race</h1>", "2026-01-31"),
        ("<h1>The mill race</h1><p>Updated 31 January 2026</p>", ""),
        ("<h1>The mill race</h1><p>No. 46/2026 of the mill news, and 3 (2026)</p>", ""),
        (f"<h1>The mill race</h1>{'<p>x' * 40}<p>31.01.2026", "2026-01-31"),
        (f"<h1></h1><p>1.1.2020{'<p>x' * 20}<h1>Another headline</h1><p>31.01.2026", "2026-01-31"),
    ],
)
def test_the_day_at_the_headline_is_read_with_the_extra(body, date, monkeypatch):
    pytest.importorskip("htmldate")
    assert metadata("<title>The mill race</title>", body).get("date", ("", "text")) == (date, "text")
    monkeypatch.setattr("templex_scrapy.render.dates.find_spec", lambda _: None)
    assert "date" not in metadata("<title>The mill race</title>", body), "declared dates only"


@pytest.mark.parametrize(
    ("before", "behind", "date"),
    [(5, 0, "2026-01-31"), (6, 0, "2025-02-02"), (-1, 10, "2026-01-31"), (-1, 11, "2025-02-02")],
)
def test_a_date_at_the_headline_is_among_six_texts_before_or_twelve_behind(before, behind, date):
    pytest.importorskip("htmldate")
    line, other = "<p>31.01.2026</p>", "<p>x</p>"
    front = line + other * before if before >= 0 else ""
    back = other * behind + line if before < 0 else ""
    far = other * 20 + TIME.format("2025-02-02")
    # the headline is the first of the twelve
    assert metadata("", f"{front}<h1>The mill race</h1>{back}{far}")["date"][0] == date


@pytest.mark.parametrize(
    ("line", "date"),
    [
        ("Born 5 May 1921", ""),
        ("Concert on 24 December 2091", ""),
        ("<time datetime=2091-12-24>In the far future</time>", ""),
        ("31 December 1994", ""),
        ("1 January 1995", "1995-01-01"),
        ("Last updated <span>5 May 2026</span>", ""),
        ("Updated: <time datetime=2026-05-05>5 May</time>", ""),
        ("Updated: <b>5 May 2026</b> <i>1 May 2026</i>", "2026-05-01"),
        ("<div class=reply><time datetime=2026-05-05>5 May</time></div>", ""),
    ],
)
def test_a_date_that_is_not_declared_is_one_of_the_web_and_of_no_change(line, date):
    pytest.importorskip("htmldate")
    assert metadata("<title>Mill update</title>", f"<h1>Mill update</h1><p>{line}").get("date", ("",))[0] == date


@pytest.mark.parametrize(("lang", "date"), [("en-US", "2026-03-04"), ("en_us", "2026-03-04"), ("en", "2026-04-03")])
def test_americans_write_the_month_first(lang, date):
    pytest.importorskip("htmldate")
    assert metadata(body="<h1>Mill update</h1><p>03/04/2026", html=f"<html lang={lang}>")["date"] == (date, "text")


@pytest.mark.parametrize("source", [b"", " \n", "<!-- 31 January 2026 -->"])
def test_an_empty_page_has_no_metadata(source):
    assert Match(Page(source, "https://site.test/")).clean.metadata == {}


@pytest.mark.parametrize(
    "body",
    [
        lambda n: "".join(f"<p class=date>{number:x} 12 foo {number:x} 2017" for number in range(n)),
        lambda n: "<h1>x</h1>" + "<p>12 foo 2017 " * n,
        lambda n: "<time datetime='12 foo 2017'>x</time>" * n,
        lambda n: "<p>" + "3/4/20 " * n,
        lambda n: "<script>" + "<!-- " * n,
        lambda n: "<script>" + "<meta " * n,
        lambda n: "<meta>x" * n,
        lambda n: "<p itemprop=author><b itemprop=name></b></p>" * n,
        lambda n: "<p class=byline>" + "<b>,</b>" * n,
        lambda n: "<div class=p-author>" * (n // 10) + "<b>x</b>" * n,
    ],
)
def test_hostile_pages_take_linear_time(body):
    metadata("", "<p>31 de enero de 2026")  # dateparser is loaded

    def read(size):
        page = Page(f"<body>{body(size)}", "https://site.test/")
        assert len(page)  # parsed
        said = PageMetadata(page, [])
        return lambda: (said.date, said.author)

    assert growth(read, 2_000) < 3


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
        ("", '<p itemprop="author">By <b itemprop="name">Ann Lee</b>', ("Ann Lee", "microdata")),
        ("", '<p itemprop="author">Ann Lee</p>', ("Ann Lee", "microdata")),
        (
            '<meta property="article:author" content="https://x.test/ann">',
            '<a rel="author">Bo</a>',
            ("Bo", "microformat"),
        ),
        (json_ld('[{"author": "Site"}, {"author": "Bo", "datePublished": "2026-01-31"}]'), "", ("Bo", "json-ld")),
        ('<meta name="author" content=""><meta name="author" content="Ann Lee">', "", ("Ann Lee", "meta")),
        (json_ld('{"author": "A\\ud800\\u0000nn"}'), "", ("A nn", "json-ld")),  # what feeds cannot write is left out
        ("", '<p class="vcard author">By <b class="fn">Ann Lee</b>', ("Ann Lee", "microformat")),
        (
            '<meta name="citation_author" content="Ann Lee"><meta name="citation_author" content="Bo">',
            "",
            ("Ann Lee, Bo", "meta"),
        ),
        (
            json_ld('{"@type": "Article"}') + json_ld('{"@type": "Person", "name": "Ann Lee"}'),
            "",
            ("Ann Lee", "json-ld"),
        ),
        ("", '<p class="post-byline">Written by Ann Lee | 31 January', ("Ann Lee", "name")),
        ("", '<p class="autor">von Ann von Lee, 31.1.2026', ("Ann von Lee", "name")),
        ("", '<p>By <a href="/authors/ann">Ann Lee</a> and others', ("Ann Lee", "name")),
        ("", '<p class="author-bio">Ann likes mills.<p class="byline">Bo', ("Bo", "name")),
        (json_ld('{"author": "O&#39;Lee"}'), "", ("O'Lee", "json-ld")),
        (json_ld('{"author": "Von Hardesty"}'), "", ("Von Hardesty", "json-ld")),
        (json_ld('{"author": ["will.i.am", "Aravind S.R"]}'), "", ("will.i.am, Aravind S.R", "json-ld")),
        (json_ld('{"author": ["https://mill.test/", "www.mill.test", "Ann Lee"]}'), "", ("Ann Lee", "json-ld")),
    ],
)
def test_author(head, body, author):
    assert metadata(head, body)["author"] == author


def test_an_author_costs_no_search_for_a_date(monkeypatch):
    monkeypatch.setattr("templex_scrapy.render.marked_body.written_day", lambda *_, **__: 1 / 0)
    clean = Match(Page("<h1>Mills</h1><p>31 January 2026<p class=byline>Ann Lee", "https://site.test/")).clean
    assert (clean.author, clean.description) == ("Ann Lee", "")
    with pytest.raises(ZeroDivisionError):
        _ = clean.date


@pytest.mark.parametrize("article", ["", json_ld('{"@type": "Article"}')])
def test_whom_a_page_is_about_is_not_its_author(article):
    person = json_ld('{"@type": "Person", "name": "Ann Lee"}')
    assert "author" not in metadata(f"<title>Ann Lee, miller</title>{article}{person}")


@pytest.mark.parametrize(
    ("head", "html", "language"),
    [
        ("", '<html lang="de-CH">', ("de", "html")),
        ("", "<html lang=gsw>", ("gsw", "html")),
        ('<meta property="og:locale" content="pt_BR">', "", ("pt", "meta")),
        *(
            (f'<meta http-equiv="content-language" content="{code}">', f"<html lang={code or 7}>", None)
            for code in ["", *"utf-8 gb2312 xx english und iso-8859-1 win-1251 12 web all usa".split()]
        ),
    ],
)
def test_the_declared_language_is_a_code_of_iso_639(head, html, language):
    assert metadata(head, html=html).get("language") == language


def test_the_language_of_a_text_is_recognized():
    pytest.importorskip("py3langid")
    assert metadata(body=f"<p>{GERMAN}")["language"] == ("de", "text")
    assert "language" not in metadata(body="<p>Wasser im Keller"), "too short"


@pytest.mark.parametrize("data", ["7", '{"@graph": 7, "author": 7}', '{"author": {"name": 7}}', '[[{"author": 1}]]'])
def test_data_of_other_types_says_nothing(data):
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
    assert ("_tree" in vars(page), "_metadata" in vars(clean)) == (False, False)
    assert (clean.date, clean.author) == ("", "Ann Lee")


def test_a_thousand_objects_of_json_ld_are_read():
    for empty, date in ((999, "2026-01-31"), (1000, "")):
        data = "[" + "{}," * empty + '{"datePublished": "2026-01-31"}]'
        found = metadata(json_ld(data)).get("date", ("", ""))
        assert (found[0] if found[1] == "json-ld" else "") == date
