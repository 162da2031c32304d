"""`scrapy templex learn` stores the templates of sites."""

from __future__ import annotations

from contextlib import closing

import pytest
from helpers.crawling import BREADTH_FIRST, SiteSpider
from helpers.web import Reply, html_page
from scrapy import version_info

from templex_scrapy.commands import learn
from templex_scrapy.learning import FIRST_SAMPLE
from templex_scrapy.stores import open_store

ON_THE_WAY = 3 if version_info >= (2, 18) else 30
"""Pages that may still come when the sample is complete."""


def album(path: str, links: list[str]) -> str:
    """A page of another type than those of ``html_page``: other elements, classes and words."""
    pictures = "".join(f'<figure class="picture"><img src="/{n}{path}.png"></figure>' for n in range(3))
    others = "".join(f'<a class="picture-link" href="{link}">Look at {link}</a>' for link in links)
    words = "".join(f'<b class="fixed{n}">Fixed words of all albums {n}</b>' for n in range(6))
    own = "".join(map(chr, (97 + ord(letter) % 26 for letter in path)))
    return (
        f'<!DOCTYPE html><html><body><nav class="albums">{words}{others}</nav>{pictures}<i>Seen {own}</i></body></html>'
    )


@pytest.fixture
def large(new_site):
    """A site of sixty articles in six sections, and of thirty albums; the start page links only the first album."""
    made = new_site()
    sections = [f"/s{number}/" for number in range(6)]
    for section in sections:
        below = [f"{section}{number}" for number in range(10)]
        made.add(section, menu=[*sections, *below])
        for path in below:
            made.add(path, menu=sections)
    albums = [f"/albums/{number}" for number in range(30)]
    for path in albums:
        made.add(path, album(path, albums))
    made.add("/", menu=[*sections, "/albums/0"])
    return made


def learn_from(templex, *arguments, **options):
    # one request at a time, because the order of several answers is chance
    return templex("learn", *arguments, "-s", "CONCURRENT_REQUESTS=1", **options)


def rows(out: str) -> list[list[str]]:
    head, *lines = out.splitlines()
    assert head.split() == ["SITE", "TYPES", "LONE", "PAGES", "PAGES", "REQUESTS"]
    return [line.split() for line in lines]


def test_learn_once_and_crawl_many(templex, large, crawl, tmp_path):
    """The command prints the types; crawls with the store search nothing, and give the same items in any order."""
    ran = learn_from(templex, f"{large.url}/", "--store", "templates.sqlite3")
    assert (ran.code, ran.err) == (0, "")
    ((name, types, lone, pages, requests),) = rows(ran.out)
    assert name == large.url.removeprefix("http://")
    assert (types, lone) == ("2", "0"), "an album was alone in the first sample"
    assert int(requests) == len(large.log) == int(pages) + 1  # robots.txt
    assert FIRST_SAMPLE + learn.MORE_PAGES <= int(pages) <= FIRST_SAMPLE + learn.MORE_PAGES + ON_THE_WAY
    store = (tmp_path / "templates.sqlite3").read_bytes()
    crawls = []
    for order in ({}, BREADTH_FIRST):
        (tmp_path / "templates.sqlite3").write_bytes(store)
        crawls.append(crawl(SiteSpider, f"{large.url}/", TEMPLEX_STORE=str(tmp_path / "templates.sqlite3"), **order))
    assert [one.count("searches") for one in crawls] == [0, 0]
    crawled = [one.by_path() for one in crawls]
    assert crawled[0] == crawled[1]
    assert len(crawled[0]) == 97
    assert not any("Repeated footer" in html or "Fixed words" in html for html in crawled[0].values())


def test_stored_types_are_not_learnt_again(templex, large):
    """A second run loads as many pages, and the templates stay as they are."""
    first = rows(learn_from(templex, f"{large.url}/", "--store", "templates.sqlite3").out)
    (second,) = rows(learn_from(templex, f"{large.url}/", "--store", "templates.sqlite3").out)
    assert second[1:3] == first[0][1:3]
    assert FIRST_SAMPLE <= int(second[3]) <= FIRST_SAMPLE + ON_THE_WAY


def test_requests_are_bounded(templex, new_site, monkeypatch):
    """Each site gets at most ``MAX_REQUESTS``, whether the pages can be loaded or not."""
    monkeypatch.setattr(learn, "MAX_REQUESTS", 12)
    sites = [new_site(), new_site()]
    for site in sites:
        for number in range(40):
            site.add(f"/{number}", html_page(f"/{number}", menu=[f"/{other}" for other in range(80)]))
    ran = learn_from(templex, *(f"{site.url}/0" for site in sites), "--store", "t.sqlite3", "-s", "RETRY_ENABLED=0")
    assert ran.code == 0, ran.err
    assert [row[4] for row in rows(ran.out)] == ["12", "12"]
    assert [len(site.log) for site in sites] == [12, 12]


def test_links_that_may_not_be_requested(templex, site):
    """The command obeys robots.txt, and requests no link that acts, is marked nofollow or leads to another site."""
    site.add("/robots.txt", Reply("User-agent: *\nDisallow: /shop/", content_type="text/plain"))
    more = '<a href="/cart/add/5">Buy</a><a rel="nofollow" href="/never">x</a><a href="http://127.0.0.1:9/">y</a>'
    site.add("/news/", html_page("/news/", body=f'{more}<a href="/moved">z</a><a href="/away">w</a>'))
    site.add("/moved", Reply("", 302, headers={"Location": "/logout"}))
    site.add("/away", Reply("", 302, headers={"Location": "http://127.0.0.1:9/"}))
    ran = learn_from(templex, f"{site.url}/news/", "--store", "t.sqlite3")
    assert (ran.code, ran.err) == (0, "")
    assert set(site.log) == {"/robots.txt", "/news/", "/", "/about/", "/contact/", "/moved", "/away"}
    assert len(rows(ran.out)) == 1


def test_a_page_that_cannot_be_loaded(templex, site, new_site):
    """A line says why, the exit code is 1, and the other sites are learnt."""
    other = new_site()
    other.add("/gone", Reply("gone", 410))
    other.add("/robots.txt", Reply("User-agent: *\nDisallow: /private", content_type="text/plain"))
    bad = [f"{other.url}/gone", f"{other.url}/private", "http://127.0.0.1:9/"]
    ran = learn_from(templex, *bad, f"{site.url}/", "--store", "t.sqlite3", "-s", "RETRY_ENABLED=0")
    assert ran.code == 1
    whys = "answered with status 410", "not fetched: Forbidden by robots.txt", "not fetched: Connection was refused"
    assert all(f"scrapy templex learn: {url}: {why}" in ran.err for url, why in zip(bad, whys, strict=True))
    assert len(ran.err.splitlines()) == 3
    ((name, types, *_),) = rows(ran.out)
    assert (name, types) == (site.url.removeprefix("http://"), "1")


def test_a_site_of_one_page_has_no_template(templex, new_site):
    lonely = new_site()
    lonely.add("/", menu=[])
    ran = learn_from(templex, f"{lonely.url}/", "--store", "t.sqlite3")
    assert (ran.code, ran.problem.endswith("no template: 1 page")) == (1, True)


def test_a_file_that_is_no_store(templex, site, tmp_path):
    """No page is requested."""
    (tmp_path / "notes.txt").write_text("dear notes " * 100, encoding="utf-8")
    ran = templex("learn", f"{site.url}/", "--store", "notes.txt")
    assert (ran.code, site.log) == (1, [])
    assert ran.problem.startswith("scrapy templex: notes.txt cannot be used as a template store")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--store", "t.sqlite3"), "scrapy templex learn <url> ... --store STORE"),
        (("http://a.example/",), "which store?"),
        (("a.example", "--store", "t.sqlite3"), "a URL begins with https:// or http://"),
        (("http://a.example/", "--store", "missing/t.sqlite3"), "the folder 'missing' does not exist"),
        (("http://a.example/", "--store", "ftp://x"), "ftp:// is not a store"),
        (("http://a.example/", "--store", "t.sqlite3", "--spider", "none"), "there is no spider 'none'"),
    ],
)
def test_wrong_usage(templex, tmp_path, arguments, message):
    ran = templex("learn", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err
    assert "Traceback" not in ran.err
    assert list(tmp_path.iterdir()) == []


def test_the_store_and_the_spider_of_a_project(templex, site, tmp_path):
    """The store is that of the project, also if the crawls of the project learn nothing."""
    project = {"TEMPLEX_STORE": "ours.sqlite3", "TEMPLEX_MAX_SEARCHES": 0, "USER_AGENT": "the project's"}
    ran = learn_from(templex, f"{site.url}/", project=project)
    assert (ran.code, ran.err) == (0, "")
    with closing(open_store(tmp_path / "ours.sqlite3", strict=True)) as store:
        assert list(store.sites()) == [site.url.removeprefix("http://")]
    assert {headers["User-Agent"] for _, headers in site.headers} == {"the project's"}
