"""Which servers the files of a page may come from."""

from __future__ import annotations

import asyncio
from ipaddress import ip_address

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse, Response, TextResponse

from templex_scrapy import Page
from templex_scrapy.commands.files import FileFetcher, is_local


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "LOCALHOST.",
        "a.localhost",
        "printer",
        "nas.local",
        "router.lan",
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f.0.0.1",
        "10.1.2.3",
        "192.168.0.1:8080",
        "169.254.169.254",
        "[::1]",
        "[fe80::1]",
        "[::ffff:10.0.0.1]",
        "[64:ff9b::a00:1]",
        "[2002:7f00:1::1]",
    ],
)
def test_local_servers(host):
    """This machine, its network and what serves machines in a cloud, however they are written."""
    assert is_local(f"http://{host}/x.css")


@pytest.mark.parametrize(
    "host",
    [
        "example.com",
        "local.example",
        "8.8.8.8",
        "[2001:4860:4860::8888]",
        "[64:ff9b::808:808]",
        "[2002:808:808::1]",
        "[",
    ],
)
def test_servers_elsewhere(host):
    """All others, and what is no address."""
    assert not is_local(f"http://{host}/x.css")
    assert is_local("http://example.com/", ip_address("10.0.0.1"))


PAGE = "".join(
    f'<link rel="stylesheet" href="{url}">'
    for url in ("http://192.168.0.1/a.css", "/b.css", "/to-local.css", "/to-file.css", "http://rebound.example/c.css")
)


def fetched(key_address: str | None) -> tuple[set[str], set[str]]:
    """What is asked for, and what is got, of a page from a server with this address."""
    asked = set()
    url = "http://public.example/"

    async def download(request: Request) -> Response:
        asked.add(request.url)
        leads = {"/to-local.css": "http://10.0.0.1/d.css", "/to-file.css": "file:///etc/passwd"}
        to = leads.get(request.url.removeprefix("http://public.example"))
        if to is not None:
            return Response(request.url, status=302, headers={"Location": to})
        address = ip_address("10.0.0.7" if "rebound" in request.url else "8.8.8.8")
        return TextResponse(request.url, body=b"a{}", headers={"Content-Type": "text/css"}, ip_address=address)

    key = HtmlResponse(url, body=PAGE.encode(), ip_address=key_address and ip_address(key_address))
    got = asyncio.run(FileFetcher(key, {"playwright": True}, download).fetch(Page(PAGE, url)))
    return asked, set(got)


@pytest.mark.parametrize("address", ["8.8.8.8", None])
def test_a_public_page_gets_nothing_from_the_local_network(address):
    """Neither straight nor by a redirect, nor by a name that leads there."""
    asked, got = fetched(address)
    assert got == {"http://public.example/b.css"}
    assert not [url for url in asked if "192.168" in url or "10.0.0.1" in url or url.startswith("file")]


def test_a_local_page_gets_what_it_asks_for():
    """A page of the local network may have files there, but none of the disk."""
    asked, got = fetched("10.0.0.5")
    assert {"http://192.168.0.1/a.css", "http://public.example/to-local.css", "http://rebound.example/c.css"} <= got
    assert not [url for url in asked if url.startswith("file")]


def got_by(key: Response, *wanted: str, proxy: str | None = None) -> tuple[list[str], set[str]]:
    """What is asked for, and what is got, by a page that wants these sheets; all servers are at 10.0.0.5."""
    asked = []

    async def download(request: Request) -> Response:
        asked.append(request.url)
        request.meta["proxy"] = proxy
        if request.url.endswith("/away.css"):
            return Response(request.url, status=302, headers={"Location": "http://①②⑦.0.0.1:9200/b.css"})
        address = ip_address("10.0.0.5")
        return TextResponse(request.url, body=b"a{}", headers={"Content-Type": "text/css"}, ip_address=address)

    page = Page("".join(f'<link rel="stylesheet" href="{url}">' for url in wanted), key.url)
    got = asyncio.run(FileFetcher(key, {}, download).fetch(page))
    return asked, set(got)


@pytest.mark.parametrize("url", ["http://127.0.0.1\\@example.com/a.css", "http://①②⑦.0.0.1:9200/b.css"])
def test_addresses_that_scrapy_rewrites(url):
    """What counts is the server that is asked, not the one that the address seems to name."""
    asked, got = got_by(HtmlResponse("http://public.example/", ip_address=ip_address("8.8.8.8")), url)
    assert (asked, got) == ([], set())


def test_redirects_to_addresses_that_scrapy_rewrites():
    """The same at the later hops."""
    asked, got = got_by(HtmlResponse("http://public.example/"), "/away.css")
    assert (asked, got) == (["http://public.example/away.css"], set())


def test_a_proxy_in_the_local_network_says_nothing_about_servers():
    """Neither is a page local because the proxy is, nor do its files get lost for that."""
    proxy = "http://10.0.0.5:3128"
    request = Request("http://public.example/", meta={"proxy": proxy})
    key = HtmlResponse(request.url, request=request, ip_address=ip_address("10.0.0.5"))
    asked, got = got_by(key, "http://192.168.0.1/a.css", "/b.css", "http://cdn.example/c.css", proxy=proxy)
    assert asked == ["http://public.example/b.css", "http://cdn.example/c.css"]
    assert got == set(asked)


def test_a_local_page_from_a_cache_gets_its_own_files():
    """A page whose server's address is not known gets what is on that server, and at that port, alone."""
    own, other = "http://wiki.example:8080/a.css", "http://wiki.example/a.css"
    assert got_by(HtmlResponse("http://wiki.example:8080/"), own, other)[1] == {own}


def test_a_public_name_that_leads_to_the_local_network_later():
    """The page's own name does not help where its server is known to be elsewhere."""
    assert got_by(HtmlResponse("http://public.example/", ip_address=ip_address("8.8.8.8")), "/a.css")[1] == set()
