"""From which servers the style sheets and pictures of a page are fetched."""

from __future__ import annotations

import asyncio
from ipaddress import ip_address

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse, Response, TextResponse

from templex_scrapy.commands.files import fetch_files, is_local


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("localhost", True),
        ("A.LOCALHOST.", True),
        ("printer", True),
        ("nas.local", True),
        ("127.1", True),
        ("2130706433", True),
        ("192.168.0.1:8080", True),
        ("169.254.169.254", True),
        ("[::1]", True),
        ("[::ffff:10.0.0.1]", True),
        ("example.com", False),
        ("8.8.8.8", False),
        ("[2001:4860:4860::8888]", False),
        ("[", False),
    ],
)
def test_local_servers(host, local):
    """This machine and its network are local, however they are written."""
    assert is_local(f"http://{host}/x.css") is local
    assert is_local("http://example.com/", ip_address("10.0.0.1"))


def fetched(
    key_url: str, key_address: str | None, *wanted: str, proxy: str | None = None
) -> tuple[list[str], set[str]]:
    """What is requested, and what the view gets, for a page with these style sheets.

    Servers are at 8.8.8.8, but for those whose address says something else; what is fetched by a proxy has its address.
    """
    requested = []

    async def download(request: Request) -> Response:
        requested.append(request.url)
        if proxy is not None:
            request.meta["proxy"] = proxy
        if request.url.endswith("/moved.css"):
            return Response(request.url, status=302, headers={"Location": "http://10.0.0.1/d.css"})
        address = ip_address("10.0.0.7" if proxy or "rebound" in request.url else "8.8.8.8")
        return TextResponse(request.url, body=b"a{}", headers={"Content-Type": "text/css"}, ip_address=address)

    source = "".join(f'<link rel="stylesheet" href="{url}">' for url in wanted)
    request = Request(key_url, meta={"proxy": proxy} if proxy is not None else {})
    address = None if key_address is None else ip_address(key_address)
    key = HtmlResponse(key_url, body=source.encode(), ip_address=address, request=request)
    got = asyncio.run(fetch_files(key, {"playwright": True}, download))
    return requested, set(got)


PUBLIC = "http://public.example"


@pytest.mark.parametrize("address", ["8.8.8.8", None])
@pytest.mark.parametrize(
    "url",
    [
        "http://192.168.0.1/a.css",
        "/moved.css",
        "file:///etc/passwd",
        "http://rebound.example/c.css",
        "http://127.0.0.1\\@example.com/a.css",
        "http://①②⑦.0.0.1:9200/b.css",
    ],
)
def test_a_public_page_gets_nothing_from_the_local_network(address, url):
    """Neither by its address, nor by a redirect, by a name that leads there, or by one that Scrapy rewrites."""
    requested, got = fetched(f"{PUBLIC}/", address, url, "/b.css")
    assert got == {f"{PUBLIC}/b.css"}
    assert not [url for url in requested if "0.0.1" in url or url.startswith("file")]


def test_a_page_of_the_local_network_gets_its_files():
    """A local page may have files of the network, but not of the disk."""
    requested, got = fetched(
        "http://wiki.example/", "10.0.0.5", "http://192.168.0.1/a.css", "/b.css", "file:///etc/passwd"
    )
    assert got == {"http://192.168.0.1/a.css", "http://wiki.example/b.css"} == set(requested)


def test_a_public_name_that_leads_to_the_local_network_later():
    """The page's own name does not help if its server is known to be elsewhere."""
    assert fetched("http://rebound.example/", "8.8.8.8", "/a.css")[1] == set()
    assert fetched("http://rebound.example/", None, "/a.css")[1] == set()


def test_the_address_of_a_proxy_means_nothing():
    """A page is not local because the proxy is, and its files are fetched all the same."""
    sheets = ("http://192.168.0.1/a.css", "/b.css", "http://cdn.example/c.css")
    requested, got = fetched(f"{PUBLIC}/", "10.0.0.5", *sheets, proxy="http://10.0.0.5:3128")
    assert requested == [f"{PUBLIC}/b.css", "http://cdn.example/c.css"]
    assert got == set(requested)
