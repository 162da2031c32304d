"""The web site that the demo crawls."""

from __future__ import annotations

import http.client
from collections import Counter
from collections.abc import Iterator
from urllib.parse import urljoin, urlsplit

import pytest
from parsel import Selector

from sample_project.demo_site import DemoPage, DemoServer, DemoSite, build_site
from sample_project.words import visible_text


@pytest.fixture(scope="module")
def site() -> DemoSite:
    return build_site()


@pytest.fixture(scope="module")
def server(site: DemoSite) -> Iterator[DemoServer]:
    with DemoServer(site, port=0) as running:
        yield running


def different_pages(site: DemoSite) -> list[DemoPage]:
    return [page for path, page in site.pages.items() if path != "/index.html"]


def get(server: DemoServer, path: str, method: str = "GET") -> tuple[int, dict[str, str], bytes]:
    """One request, redirects not followed."""
    connection = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=10)
    try:
        connection.request(method, path)
        response = connection.getresponse()
        return response.status, dict(response.getheaders()), response.read()
    finally:
        connection.close()


def links_of(page: DemoPage) -> set[str]:
    hrefs = Selector(page.html).xpath("//a/@href").getall()
    return {urlsplit(urljoin(page.path, href)).path for href in hrefs if not href.startswith("#")}


def test_four_page_types_in_two_languages_each_with_a_title_of_its_own(site: DemoSite) -> None:
    pages = different_pages(site)
    kinds = Counter((page.language, page.kind) for page in pages)
    english, spanish = {"home": 1, "list": 9, "article": 24, "product": 12}, {"list": 8, "article": 16}
    assert kinds == {("en", k): n for k, n in english.items()} | {("es", k): n for k, n in (english | spanish).items()}
    for page in pages:
        selector = Selector(page.html)
        assert selector.xpath("/html/@lang").get() == page.language, page.path
        assert selector.xpath("//h1/text()").getall() == [page.title], page.path
    assert max(Counter((page.language, page.title) for page in pages).values()) == 1


def test_no_two_articles_have_a_sentence_in_common(site: DemoSite) -> None:
    pages = [page for page in different_pages(site) if page.prose]
    sentences = Counter(line for page in pages for line in page.prose.splitlines() if len(line) > 60)
    assert max(sentences.values()) == 1


def test_every_page_is_linked_and_every_link_but_one_answers(site: DemoSite, server: DemoServer) -> None:
    linked = {path for page in site.pages.values() for path in links_of(page)}
    answers = {path: get(server, path)[0] for path in linked}
    assert {path for path, status in answers.items() if status == 404} == site.lost
    assert {path for path, status in answers.items() if status == 302} == set(site.redirects)
    assert set(site.pages) <= linked


def test_the_journal_has_a_template_of_its_own(site: DemoSite) -> None:
    journal = [page for page in different_pages(site) if page.design == "ledger"]
    assert len(journal) == 9
    for page in journal:
        assert not Selector(page.html).xpath("//header | //nav | //aside | //footer | //@class")


def test_a_redesign_has_the_same_paths_and_prose_in_another_frame(site: DemoSite) -> None:
    redesign = build_site("mill")
    assert redesign.pages.keys() == site.pages.keys()
    page = redesign.pages["/camp/first-night-out/"]
    assert page.prose == site.pages[page.path].prose
    for paragraph in page.prose.split("\n\n"):
        assert " ".join(paragraph.removeprefix("## ").split()) in visible_text(page.html)
    assert not Selector(page.html).xpath("//aside | //footer | //*[@class='panel']")
    with pytest.raises(ValueError, match="'gown'; there are: mill, river"):
        build_site("gown")


def test_a_port_in_use_is_an_error_and_the_usual_port_may_be_another(site: DemoSite, server: DemoServer) -> None:
    with pytest.raises(OSError, match="in use"):
        DemoServer(site, port=urlsplit(server.url).port).start()
    with DemoServer(site) as first, DemoServer(site) as second:
        assert first.url != second.url
        assert get(second, "/")[0] == 200
    with pytest.raises(RuntimeError, match="call start"):
        _ = first.url
