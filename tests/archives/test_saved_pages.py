"""Pages in folders: saved files, and the cache of Scrapy."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from scrapy import Request, Spider
from scrapy.extensions.httpcache import FilesystemCacheStorage
from scrapy.http import HtmlResponse
from scrapy.utils.test import get_crawler

from templex_scrapy.archives import Record, Skipped
from templex_scrapy.archives.records import Skip
from templex_scrapy.archives.saved_pages import read_folder

BODY = b"<html><body><p>Words</p></body></html>"


def write(root: Path, *names: str, body: bytes = BODY) -> None:
    for name in names:
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(body)


def addresses(root: Path) -> list[str]:
    return [one.url if isinstance(one, Record) else one.why.name for one in read_folder(root)]


def test_files_have_the_addresses_of_their_places(tmp_path: Path) -> None:
    write(
        tmp_path,
        "example.com/index.html",
        "example.com/a/b.html",
        "example.com/a/about",
        "example.com/list?page=2.html",
        "example.com/über uns.html",
        "example.com/style.css",
        "example.com/.hidden.html",
        "example.com:8080/x.htm",
        "192.0.2.1:8080/b.html",
        "1.2.3/c.html",
    )
    wanted = [
        "http://saved.invalid/1.2.3/c.html",
        "http://192.0.2.1:8080/b.html",
        "http://example.com/",
        "http://example.com/list?page=2",
        "http://example.com/%C3%BCber%20uns.html",
        "http://example.com/a/about",
        "http://example.com/a/b.html",
        "http://example.com:8080/x.htm",
    ]
    assert addresses(tmp_path) == wanted
    assert addresses(tmp_path / "example.com") == wanted[2:-1]


@pytest.mark.parametrize(
    ("head", "address"),
    [
        (b'<link rel="canonical" href="https://site.test/own">', "https://site.test/own"),
        (b'<link rel="canonical" href="/own">', "http://saved.invalid/one.html"),
        (b"", "http://saved.invalid/one.html"),
        (b"<!DOCTYPE html>\n<!-- saved from url=(0022)https://site.test/a-%2Db -->\n", "https://site.test/a-%2Db"),
        (
            b"<html><!--\n Page saved with SingleFile \n url: https://site.test/s?a=1&b \n date: x\n-->",
            "https://site.test/s?a=1&b",
        ),
        (b"<!-- saved from url=(0014)about:internet -->", "http://saved.invalid/one.html"),
        (b"<!-- saved from url=(0014)file:///home/a.html -->", "http://saved.invalid/one.html"),
    ],
)
def test_pages_may_contain_their_address(tmp_path: Path, head: bytes, address: str) -> None:
    write(tmp_path / "pages", "one.html", body=head + BODY)
    assert addresses(tmp_path / "pages") == [address]


def test_what_is_no_page_is_counted(tmp_path: Path) -> None:
    write(tmp_path, "a.html", body=b"\x89PNG...")
    write(tmp_path, "b.html", body=b"")
    write(tmp_path, "c.html", body=b"x" * 8_000_001)
    write(tmp_path, "d", body=b"no page")
    (tmp_path / "e.html").symlink_to(tmp_path / "gone")
    os.mkfifo(tmp_path / "f.html")
    assert addresses(tmp_path) == ["NOT_HTML", "NO_BODY", "TOO_LARGE", "NOT_HTML", "DAMAGED", "DAMAGED"]


def test_files_with_a_query_and_another_ending_are_no_pages(tmp_path: Path) -> None:
    write(tmp_path / "a.example", "popup.js?ver=3.1", "style.CSS?x", "a.jpg?w=640", "list.php?page=2", "list?page=2")
    assert addresses(tmp_path) == ["http://a.example/list.php?page=2", "http://a.example/list?page=2"]


def test_the_parts_of_a_page_that_a_browser_saved_are_no_pages(tmp_path: Path) -> None:
    write(tmp_path / "a.example", "A page.html", "A page_files/saved_resource.html", "A page_files/deep/frame.html")
    write(tmp_path / "a.example", "B.htm", "B-Dateien/anzeige.html", "press_files/news.html", "C.html", "C_files.html")
    names = ["A%20page.html", "B.htm", "C.html", "C_files.html", "press_files/news.html"]
    assert addresses(tmp_path) == ["PARTS", "PARTS", *(f"http://a.example/{name}" for name in names)]


def test_links_that_lead_out_of_the_folder_are_not_followed(tmp_path: Path) -> None:
    write(tmp_path, "secret.html", "out/meta", "out/response_headers", "out/response_body")
    root = tmp_path / "a.example"
    write(root, "d.html", "sub/e.html")
    (root / "a.html").symlink_to("../secret.html")
    (root / "b").symlink_to("/etc/passwd")
    (root / "c.html").symlink_to("sub/e.html")
    (root / "folder").symlink_to(tmp_path / "out")
    (root / "cached").mkdir()
    for name in ("meta", "response_headers", "response_body"):
        (root / "cached" / name).symlink_to(tmp_path / "out" / name)
    (tmp_path / "link").symlink_to(root)
    own = [f"http://a.example/{name}" for name in ("c.html", "d.html")]
    assert addresses(root) == ["OUTSIDE", "OUTSIDE", *own, "OUTSIDE", "http://a.example/sub/e.html"]
    assert len([one for one in addresses(tmp_path / "link") if one != "OUTSIDE"]) == 3


@pytest.mark.parametrize("is_packed", [False, True])
def test_the_cache_of_scrapy(tmp_path: Path, is_packed: bool) -> None:
    settings: dict[str, Any] = {"HTTPCACHE_DIR": str(tmp_path), "HTTPCACHE_GZIP": is_packed}
    pytest.importorskip("twisted.internet.reactor")  # Scrapy before 2.15 asks for one
    crawler = get_crawler(Spider, settings)
    spider = crawler._create_spider("pages")
    storage = FilesystemCacheStorage(crawler.settings)
    storage.open_spider(spider)
    headers = {"Content-Type": "text/html; charset=latin1"}
    for number, status in enumerate((200, 200, 404)):
        url = f"https://site.test/{number}"
        storage.store_response(spider, Request(url), HtmlResponse(url, status=status, headers=headers, body=BODY))
    found = sorted(read_folder(tmp_path), key=str)
    assert found[:2] == [Record(f"https://site.test/{number}", BODY, "cp1252") for number in range(2)]
    assert [one.why for one in found[2:] if isinstance(one, Skipped)] == [Skip.STATUS]
    for meta in tmp_path.rglob("meta"):
        meta.write_bytes(b"__import__('os')")
    assert addresses(tmp_path) == ["DAMAGED"] * 3
