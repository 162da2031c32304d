"""The web site that the demo crawls."""

from __future__ import annotations

import http.client
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import pytest
from parsel import Selector

from sample_project.demo_site import DemoPage, DemoServer, DemoSite, build_site
from sample_project.words import count_words, visible_text

ROOT = Path(__file__).resolve().parents[2]


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


def test_four_page_kinds_in_two_languages(site: DemoSite) -> None:
    pages = different_pages(site)
    assert len(pages) == 83
    kinds = Counter((page.language, page.kind) for page in pages)
    assert kinds == {
        ("en", "home"): 1,
        ("en", "list"): 9,
        ("en", "article"): 24,
        ("en", "product"): 12,
        ("es", "home"): 1,
        ("es", "list"): 8,
        ("es", "article"): 16,
        ("es", "product"): 12,
    }


def test_every_page_says_its_language_and_has_a_headline_and_title_of_its_own(site: DemoSite) -> None:
    for page in different_pages(site):
        selector = Selector(page.html)
        assert selector.xpath("/html/@lang").get() == page.language, page.path
        assert selector.xpath("//h1/text()").getall() == [page.title], page.path
    titles = Counter((page.language, page.title) for page in different_pages(site))
    assert max(titles.values()) == 1


def test_the_site_is_the_same_in_every_process() -> None:
    code = "from sample_project.demo_site import build_site; import hashlib; s = build_site();"
    code += "print(hashlib.sha256(repr((s.pages, s.files, s.redirects)).encode()).hexdigest())"
    runs = [
        subprocess.run(  # noqa: S603  (our own program)
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert runs[0] == runs[1]


def test_no_two_articles_read_alike(site: DemoSite) -> None:
    pages = [page for page in different_pages(site) if page.prose]
    sentences = Counter(line for page in pages for line in page.prose.splitlines() if len(line) > 60)
    assert max(sentences.values()) == 1
    assert all(count_words(f"<body>{page.prose}") >= 45 for page in pages)


def test_every_link_answers_but_one(site: DemoSite, server: DemoServer) -> None:
    linked = {path for page in site.pages.values() for path in links_of(page)}
    answers = {path: get(server, path)[0] for path in linked}
    assert {path for path, status in answers.items() if status == 404} == site.lost
    assert {path for path, status in answers.items() if status == 302} == set(site.redirects)
    assert set(answers.values()) == {200, 302, 404}


def test_every_page_is_reached_by_links(site: DemoSite) -> None:
    seen, waiting = {"/"}, ["/"]
    while waiting:
        for path in links_of(site.pages[waiting.pop()]) - seen:
            seen.add(path)
            if path in site.pages:
                waiting.append(path)
    assert set(site.pages) <= seen


def test_every_picture_is_there(site: DemoSite) -> None:
    wanted = {src for page in site.pages.values() for src in Selector(page.html).xpath("//img/@src").getall()}
    assert wanted
    assert wanted <= set(site.files)


def test_the_redirect_leads_to_the_newest_article(site: DemoSite, server: DemoServer) -> None:
    status, headers, _ = get(server, "/latest/")
    assert status == 302
    assert site.pages[headers["Location"]].kind == "article"


def test_the_home_page_has_two_addresses(server: DemoServer) -> None:
    assert get(server, "/")[2] == get(server, "/index.html")[2]


def test_the_journal_has_a_template_of_its_own(site: DemoSite) -> None:
    journal = [page for page in different_pages(site) if page.design == "ledger"]
    assert len(journal) == 9
    for page in journal:
        assert not Selector(page.html).xpath("//header | //nav | //aside | //footer | //@class")
        assert "Workshop hours" not in page.html


def test_the_frame_of_the_magazine_is_on_all_of_its_pages(site: DemoSite) -> None:
    for page in different_pages(site):
        if page.design == "river":
            selector = Selector(page.html)
            assert len(selector.xpath("//nav[@id='menu']//li[@class='active']/a")) >= 1, page.path
            assert selector.xpath("//aside//form"), page.path
            assert selector.xpath("//footer//address"), page.path


def test_a_redesign_has_the_same_addresses_and_prose_in_other_frames(site: DemoSite) -> None:
    redesign = build_site("mill")
    assert redesign.pages.keys() == site.pages.keys()
    page, old = redesign.pages["/camp/first-night-out/"], site.pages["/camp/first-night-out/"]
    assert page.prose == old.prose
    for paragraph in page.prose.split("\n\n"):
        assert " ".join(paragraph.removeprefix("## ").split()) in visible_text(page.html)
    assert not Selector(page.html).xpath("//aside | //footer | //*[@class='panel']")


def test_an_unknown_dress_is_told() -> None:
    with pytest.raises(ValueError, match="'gown'; there are: mill, river"):
        build_site("gown")


def test_head_has_no_body(server: DemoServer) -> None:
    status, headers, body = get(server, "/", "HEAD")
    assert (status, body) == (200, b"")
    assert int(headers["Content-Length"]) > 1000


def test_the_server_leaves_nothing_running(site: DemoSite) -> None:
    before = threading.active_count()
    server = DemoServer(site, port=0)
    address = urlsplit(server.start())
    get(server, "/")
    server.stop()
    server.stop()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((str(address.hostname), address.port or 0), timeout=2)
    deadline = time.monotonic() + 5
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threading.active_count() <= before
    with pytest.raises(RuntimeError, match="call start"):
        _ = server.url


def test_a_second_server_takes_another_port(site: DemoSite) -> None:
    with DemoServer(site) as first, DemoServer(site) as second:
        assert first.url != second.url
        assert get(second, "/")[0] == 200


def test_a_port_in_use_is_told(site: DemoSite, server: DemoServer) -> None:
    with pytest.raises(OSError, match="in use"):
        DemoServer(site, port=urlsplit(server.url).port).start()
