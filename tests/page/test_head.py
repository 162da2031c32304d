"""What a page declares: base, title, meta tags and JSON-LD as it is on the web."""

import json
import time

import pytest

from templex_scrapy import Page
from templex_scrapy.page import head_of
from templex_scrapy.page.accessors import release_tree
from templex_scrapy.page.head import MAX_DATA

NEWS = {"@type": "NewsArticle", "datePublished": "2019-05-06T07:08", "author": {"@type": "Person", "name": "Bo Weir"}}
PLAIN = json.dumps(NEWS)


def script(data, kind="application/ld+json"):
    return f'<script type="{kind}">{data if isinstance(data, str) else json.dumps(data)}</script>'


def head(source):
    return head_of(Page(source, "https://mill.test/"))


def described(*scripts):
    return [dict(one) for one in head("".join(scripts)).data.objects]


FOUND = {"@type": ("NewsArticle",), "datePublished": ("2019-05-06T07:08",), "author": ("Bo Weir",)}


def test_what_a_page_declares_stays_known_without_its_tree():
    page = Page(
        '<base target="_top"><base href="/a/"><base href="/b/"><meta name="Generator" content=" phpBB ">'
        '<meta name="generator" content="Mill 2"><meta name="x"><meta itemprop="datePublished" content="2020">'
        '<svg><title>Icon</title></svg><title> The  page </title><body><meta itemprop="y" content="of a comment">'
        f'<meta property="og:title" content="{"t" * 6000}"><p>Text',
        "http://a.example/",
    )
    declared = head_of(page)
    release_tree(page)
    assert head_of(page) is declared
    assert (declared.base_href, declared.title) == ("/a/", "The page")
    assert declared.metas == {
        "generator": ["phpBB", "Mill 2"],
        "datepublished": ["2020"],
        "og:title": ["t" * 5000],
    }


@pytest.mark.parametrize(
    "written",
    [
        PLAIN,
        "\ufeff\n" + PLAIN,
        f"<![CDATA[{PLAIN}]]>",
        f"//<![CDATA[\n{PLAIN}\n//]]>",
        f"/* <![CDATA[ */ {PLAIN} /* ]]> */",
        f"<!--\n{PLAIN}\n-->",
        f"// of the theme\n{PLAIN};",
        f"{PLAIN};",
        PLAIN[:-1] + ", }",
        PLAIN[:-1] + ', "sameAs": ["https://mill.test/a", /* none */ ], }',
        PLAIN.replace('"', "&quot;"),
        PLAIN[:-1] + ', "name": "It\\\'s"}',
        PLAIN.replace("Bo Weir", "Bo&#32;Weir"),
    ],
)
def test_json_ld_is_read_as_it_is_written(written):
    found = {name: value for name, value in described(script(written))[0].items() if name != "name"}
    assert found == FOUND


def test_the_type_of_a_script_may_name_a_charset():
    assert described(script(PLAIN, "application/ld+json; charset=utf-8")) == [FOUND]
    assert described(script(PLAIN, "application/json")) == []


def test_references_lead_to_objects_of_any_script():
    person = {"@type": "Person", "@id": "#bo", "name": "Bo Weir"}
    article = {**NEWS, "author": [{"@id": "#bo"}, {"@id": "#nobody"}, "Al"]}
    graphs = [script({"@graph": [article]}), script({"@graph": [{"publisher": person}]})]
    assert {**FOUND, "author": ("Bo Weir", "Al")} in described(*graphs)


def test_the_main_entity_of_a_page_describes_it_and_what_it_mentions_does_not():
    page = {"@type": "WebPage", "mainEntity": NEWS, "mentions": [{"@type": "Article", "author": "Al"}]}
    assert FOUND in described(script(page))
    assert not any(one.get("author") == ("Al",) for one in described(script(page)))
    assert head(script(page)).data.types == {"WebPage", "NewsArticle", "Person", "Article"}


@pytest.mark.parametrize("damaged", ["", "{", "null", '"text"', "{'a': 1}", "[" * 100_000, '{"a": }', '{"author": "x'])
def test_damaged_data_says_nothing_and_other_scripts_are_read(damaged):
    assert described(script(damaged), script(PLAIN)) == [FOUND]


@pytest.mark.parametrize("unit", ['"', '\\"', "/*", "//", ", ", "{}", '{"@id": "#a"}', "[{", "<!--", '{"a": [1, '])
def test_hostile_data_takes_no_long_time(unit):
    source = script(unit * (MAX_DATA // len(unit)))
    page = Page(source, "https://mill.test/")
    start = time.process_time()
    _ = head_of(page).data
    assert time.process_time() - start < 3, "0.3 s at most as a rule"


def test_many_empty_scripts_take_no_long_time():
    page = Page(script("") * 20_000, "https://mill.test/")
    assert len(page)  # parsed
    start = time.process_time()
    head_of(page)
    assert time.process_time() - start < 1, "0.03 s as a rule, and 3 s in the square of their number"


def test_a_long_name_is_kept_once_for_all_references():
    author = {"@id": "q", "name": "&amp;" * 800 + "Ann"}
    objects = described(script([author, *[{"author": [{"@id": "q"}] * 100}] * 300]))
    names = {id(name): len(name) for one in objects for name in one.get("author", ())}
    assert list(names.values()) == [100]


@pytest.mark.parametrize("behind", ['{"a": }', "; foo[0]={x: 1}", "{"])
def test_what_stands_before_damaged_data_is_read(behind):
    assert FOUND in described(script(PLAIN + behind))


@pytest.mark.parametrize(
    "author", ["https://mill.test/#bo", {"@id": "https://mill.test/#bo"}, {"name": {"@value": "Bo Weir"}}]
)
def test_an_author_may_be_an_address_in_the_data_or_a_text_with_its_language(author):
    person = {"@type": "Person", "@id": "https://mill.test/#bo", "name": [{"@value": "Bo Weir", "@language": "en"}]}
    assert FOUND in described(script([person, {**NEWS, "author": author}]))


def test_half_a_million_characters_are_read():
    for length, number in ((MAX_DATA, 1), (MAX_DATA + 1, 0)):
        assert len(described(script(PLAIN.ljust(length)))) == number


def test_a_hundred_types_are_kept():
    objects = [{"@type": f"https://schema.org/T{number}"} for number in range(150)]
    types = head(script(objects)).data.types
    assert len(types) == 100
    assert "T99" in types
