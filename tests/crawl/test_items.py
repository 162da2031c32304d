"""Every kind of item and of field: written where it can be, left as it is where it cannot."""

import dataclasses
import json
from collections import Counter

import attrs
import pydantic
import pytest
import scrapy
from helpers.crawling import SiteSpider, spider_of
from helpers.web import BANNER, MENU, Reply, html_page
from itemadapter import ItemAdapter
from scrapy.http import HtmlResponse, JsonResponse, TextResponse

from templex_scrapy.crawl import is_html

TEXTS = {"url": (str, ...), "html": (str, ...)}
STRICT = {"url": (str, ...), "html": (str, pydantic.Field(pattern=BANNER))}
WRITABLE = [
    type("ScrapyItem", (scrapy.Item,), {"url": scrapy.Field(), "html": scrapy.Field()}),
    dataclasses.make_dataclass("DataclassItem", ["url", "html"]),
    attrs.make_class("AttrsItem", ["url", "html"]),
    pydantic.create_model("PydanticItem", **TEXTS),
]
FROZEN = [
    dataclasses.make_dataclass("FrozenDataclassItem", ["url", "html"], frozen=True),
    attrs.make_class("FrozenAttrsItem", ["url", "html"], frozen=True),
    pydantic.create_model("FrozenPydanticItem", __config__=pydantic.ConfigDict(frozen=True), **TEXTS),
    pydantic.create_model("StrictItem", __config__=pydantic.ConfigDict(validate_assignment=True), **STRICT),
]
OUTPUTS = {"html": "html", "text": "text"}


def items_of(*kinds):
    return spider_of(lambda response: [kind(url=response.url, html=response.text) for kind in kinds])


def test_every_kind_of_item_is_written_and_frozen_ones_stay_as_they_are(crawl, site):
    crawled = crawl(items_of(dict, *WRITABLE, *FROZEN), f"{site.url}/")
    assert (crawled.count("items/cleaned"), crawled.count("items/unwritable")) == (12 * 5, 12 * 4)
    assert Counter(map(type, crawled.items)) == dict.fromkeys([dict, *WRITABLE, *FROZEN], 12)
    assert all((BANNER in ItemAdapter(item)["html"]) is (type(item) in FROZEN) for item in crawled.items)
    assert len([message for message in crawled.messages() if "cannot be written" in message]) == 1


def test_a_missing_destination_leaves_the_whole_item(crawl, site):
    outputs = {"html": "html", "body_text": "text"}
    crawled = crawl(items_of(*WRITABLE), f"{site.url}/", TEMPLEX_OUTPUTS=outputs)
    assert crawled.count("items/unwritable") == len(crawled.items) == 12 * 4
    assert all(BANNER in ItemAdapter(item)["html"] for item in crawled.items)
    (message,) = [message for message in crawled.messages() if "'body_text'" in message]
    assert "they have no field 'body_text', which" in message


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda r: "".join(r.css("p").getall()), "HTML that is neither a whole page nor one element of the page"),
        (lambda _: "plain text", "text that is no page"),
        (lambda r: r.css("p").getall(), "no page, but a list"),
    ],
)
def test_the_warning_tells_what_a_field_contains(crawl, site, make, told):
    crawled = crawl(spider_of(lambda r: {"url": r.url, "html": make(r)}), f"{site.url}/")
    (message,) = crawled.messages()
    assert f"TEMPLEX_HTML_FIELD is 'html', which contains {told}" in message


@pytest.mark.parametrize("encoding", ["utf-8", "iso-8859-1", "shift_jis"])
def test_bytes_stay_bytes_in_their_charset(crawl, new_site, encoding):
    """What a charset cannot write stays a reference."""
    site, paths = new_site(), ["/", "/news/", "/shop/", "/about/"]
    own = {"iso-8859-1": "Größe ", "shift_jis": "製品情報 "}.get(encoding, "Größe 製品 ")
    for path in paths:
        html = html_page(path, menu=paths, body=f"<p>{own}{path} &#35069;</p>")
        site.add(path, Reply(html.encode(encoding), content_type=f"text/html; charset={encoding}"))
    crawled = crawl(spider_of(lambda r: {"url": r.url, "html": r.body}), f"{site.url}/")
    assert crawled.count("items/cleaned") == 5
    for html in crawled.by_path().values():
        assert own in html.decode(encoding)
        assert BANNER not in html.decode(encoding)
        assert ("&#35069;" in html.decode(encoding)) is (encoding == "iso-8859-1")


def test_what_is_no_page_stays_identical(crawl, site):
    values = [None, "", b"", 42, ["<html>", "<html>"], [], "<main>of another page</main>", "plain text"]
    values += [b"\xff\xfe\x00\x01", json.dumps({"a": 1})]
    made = []

    def items(response):
        new = [{"url": response.url}, *({"url": response.url, "html": value} for value in values)]
        made.extend((item, dict(item)) for item in new)
        return new

    crawled = crawl(spider_of(items), f"{site.url}/")
    assert crawled.count("items/no_page") == len(crawled.items) == len(made) == 12 * (1 + len(values))
    assert all(item == before for item, before in made)
    assert crawled.count("searches") == 0


@pytest.mark.parametrize("kind", [str, lambda text: [text], lambda text: (text,)], ids=["text", "list", "tuple"])
def test_a_page_that_the_spider_has_changed_in_a_field_of_another_name(crawl, site, kind):
    """A list of one page, as ItemLoader makes it without output processors, stays a list."""
    make = spider_of(lambda r: {"url": r.url, "source": kind(r.text.replace("Story", "Tale"))})
    outputs = {"source": "html", "text": "text"}
    crawled = crawl(make, f"{site.url}/", TEMPLEX_HTML_FIELD="source", TEMPLEX_OUTPUTS=outputs)
    assert crawled.count("items/cleaned") == 12
    for item in crawled.items:
        assert type(item["source"]) is type(kind(""))
        (html,) = [item["source"]] if kind is str else item["source"]
        assert "Tale" in html
        assert BANNER not in html + item["text"]


def test_a_dry_run_has_the_columns_of_a_real_one(crawl, site):
    real = crawl(SiteSpider, f"{site.url}/", TEMPLEX_OUTPUTS=OUTPUTS)
    dry = crawl(SiteSpider, f"{site.url}/", TEMPLEX_OUTPUTS=OUTPUTS, TEMPLEX_DRY_RUN=True)
    assert dry.count("items/cleaned") == 12
    assert all(BANNER in html for html in dry.by_path().values())
    assert dry.by_path("text") == real.by_path("text")


def test_odd_pages_come_out_and_do_not_disturb(crawl, site):
    odd = {
        "/empty": Reply(""),
        "/text": Reply("just text"),
        "/json": Reply('{"json": true}'),
        "/xml": Reply('<?xml version="1.0"?><feed><entry/></feed>', content_type="text/xml"),
        "/pdf": Reply(b"%PDF-1.7\n\x00\xff\xfe binary"),
        "/nul": Reply("<!DOCTYPE html><html><body><p>NUL \x00 byte"),
        "/charset": Reply(b"<html><body>\xff\xfe wrong charset"),
        "/frames": Reply("<!DOCTYPE html><html><head></head><frameset><frame src='/'></frameset></html>"),
        "/deep": Reply("<html><body>" + "<div>" * 5000 + "deep" + "</div>" * 5000),
    }
    site.replies |= odd
    site.add("/", menu=[*odd, "/", "/news/", "/shop/", "/about/"])

    class Texts(SiteSpider):
        def parse(self, response, **_):
            yield {"url": response.url, "html": response.body}
            if isinstance(response, HtmlResponse):
                yield from self.links(response)

    plain = crawl(Texts, f"{site.url}/", addon=False).by_path()
    crawled = crawl(Texts, f"{site.url}/")
    pages = crawled.by_path()
    assert pages.keys() == plain.keys() > odd.keys()
    assert {path: pages[path] for path in odd} == {path: plain[path] for path in odd}
    assert crawled.count("errors") == 0
    assert crawled.count("items/cleaned") >= 10


def test_a_fragment_of_the_response_is_cleaned_as_that_part(crawl, site):
    share = '<div class="share"><p>Share this very page with all of your friends</p><a href="/share">Share</a></div>'
    for path in [*MENU, *(f"/news/{n}.html" for n in range(6))]:
        links = "".join(f'<p><a href="/news/{n}.html">Story {n}</a></p>' for n in range(6)) * (path == "/news/")
        site.add(path, body=share + links)
    crawled = crawl(spider_of(lambda r: {"url": r.url, "html": r.css("main").get()}), f"{site.url}/")
    assert crawled.count("items/cleaned") == 12
    for html in crawled.by_path().values():
        assert html.startswith('<main class="article"><h1>Headline of')
        assert html.endswith("</main>")
        assert "Share this" not in html


def test_a_fragment_without_template_and_one_that_is_all_template_stay_as_they_are(crawl, site):
    fragments = spider_of(lambda r: [{"url": r.url, "html": r.css(part).get()} for part in ("main", "header")])
    crawled = crawl(fragments, f"{site.url}/", TEMPLEX_OUTPUTS=OUTPUTS)
    assert crawled.count("items/unchanged") == crawled.count("items/kept_whole") == 12, "nothing is left of the header"
    for item in crawled.items:
        is_main = item["html"].startswith("<main")
        assert ("Headline of" in item["text"]) is is_main
        assert (BANNER in item["text"]) is (BANNER in item["html"]) is not is_main


@pytest.mark.parametrize("content_type", ["text/html charset=utf-8", "text/html, text/html", "Text/HTML,charset=utf-8"])
def test_pages_whose_type_is_written_wrongly_are_cleaned(crawl, site, content_type):
    for reply in site.replies.values():
        reply.content_type = content_type
    crawled = crawl(SiteSpider, f"{site.url}/", TEMPLEX_OUTPUTS=OUTPUTS)
    assert crawled.count("items/cleaned") == len(crawled.items) == 12


def test_other_texts_are_no_pages():
    types = ["text/plain", "text/html-sandboxed", "application/json"]
    assert not any(is_html(TextResponse("http://a/", headers={"Content-Type": one})) for one in types)
    assert not is_html(JsonResponse("http://a/", headers={"Content-Type": "text/html, text/html"}))


@pytest.mark.parametrize("status", [200, 404])
def test_nothing_is_learnt_from_errors_and_json(crawl, site, status):
    class Answers(SiteSpider):
        handle_httpstatus_list = (404,)

        def parse(self, response, **_):
            html = response.json()["html"] if status == 200 else response.text
            yield {"url": response.url, "html": html}
            yield from (response.follow(path) for path in MENU[1:])

    for reply in site.replies.values():
        reply.status = status
        if status == 200:
            reply.body, reply.content_type = json.dumps({"html": reply.body}), "application/json"
    crawled = crawl(Answers, f"{site.url}/")
    assert crawled.count("items/not_learnt") == len(crawled.items) == len(MENU)
    assert all(BANNER in item["html"] for item in crawled.items)


def test_outputs_are_written_for_pages_without_a_template(crawl, site):
    crawled = crawl(SiteSpider, f"{site.url}/", TEMPLEX_OUTPUTS=OUTPUTS, TEMPLEX_MAX_SEARCHES=0)
    assert crawled.count("items/no_template") == 12
    assert all(BANNER in item["text"] and BANNER in item["html"] for item in crawled.items)


def test_an_output_may_be_a_function(crawl, site):
    def headings(clean):
        return clean.css("h1::text").getall()

    crawled = crawl(SiteSpider, f"{site.url}/", TEMPLEX_OUTPUTS={"html": "html", "headings": headings})
    assert crawled.count("items/cleaned") == 12
    assert all(len(item["headings"]) == 1 and item["headings"][0] in item["html"] for item in crawled.items)


def test_an_item_whose_function_fails_stays_as_it_is(crawl, site):
    def fails(clean):
        raise ValueError(f"nothing in {clean.url}")

    crawled = crawl(SiteSpider, f"{site.url}/", TEMPLEX_OUTPUTS={"html": "html", "title": fails})
    assert len(crawled.items) == crawled.count("errors") == 12
    assert all(BANNER in item["html"] and "title" not in item for item in crawled.items)
    assert len(crawled.messages()) == 1
