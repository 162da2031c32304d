"""Which files the view can use, and in what form."""

from __future__ import annotations

import pytest

from templex_scrapy.page import Page
from templex_scrapy.view import STYLE_SHEET, data_url, media_type_of, resource_urls
from templex_scrapy.view.files import MAX_PICTURE, MAX_PICTURES

SITE = "https://site.test/x/"


def test_style_sheets_and_pictures():
    """Sheets first, then pictures, each once, with absolute URLs; also those of lazy loaders."""
    head = (
        '<base href="https://cdn.test/a/"><link rel="StyleSheet" href="x.css"><link rel="stylesheet" href="/x.css">'
        '<link rel="alternate stylesheet" href="b.css"><link rel="stylesheet" disabled href="c.css">'
        '<link rel="icon" href="d.css"><link rel="stylesheet"><link rel="stylesheet" href="x.css">'
    )
    body = (
        '<img src="a.png"><img src="data:image/gif;base64,AA" data-src="/b.jpg"><img alt="none"><img src=" a.png ">'
        '<img src="http://["><img src="data:image/gif;base64,AA"><source src="c.png">'
    )
    page = Page(f"<html><head>{head}</head><body>{body}</body></html>", SITE)
    names = ("a/x.css", "x.css", "a/a.png", "b.jpg")
    assert resource_urls(page) == [f"https://cdn.test/{name}" for name in names]
    many = Page("".join(f"<img src={number}.png>" for number in range(2 * MAX_PICTURES)), SITE)
    assert len(resource_urls(many)) == MAX_PICTURES


def test_only_the_web_is_requested():
    """URLs of other schemes are left out, also those that come from the base URL."""
    odd = ["file:///etc/passwd", "s3://bucket/a", "ftp://host/a", "FILE:/x", "javascript:x", "/\\x:1a/", "about:blank"]
    body = "".join(f'<link rel=stylesheet href="{url}"><img src="{url}"><img data-src="{url}">' for url in odd)
    for base in ("", '<base href="file:///etc/">'):
        page = Page(f"<html><head>{base}</head><body>{body}<img src=a.png></body></html>", SITE)
        assert {url.partition(":")[0] for url in resource_urls(page)} <= {"https"}


@pytest.mark.parametrize(
    ("name", "media_type"),
    [
        ("a.CSS", STYLE_SHEET),
        ("a.css?ver=1", STYLE_SHEET),
        ("load.php?only=styles", STYLE_SHEET),
        ("a.b/c@2/a.css", STYLE_SHEET),
        ("A.PNG", "image/png"),
        ("id_rsa", None),
        ("me@home.txt", None),
        (".env.css", None),
        ("a/.git/x.css", None),
        ("a@b=/id_rsa", None),
    ],
)
def test_media_types_of_saved_files(name, media_type):
    """Other files and hidden files have none."""
    assert media_type_of(name) == media_type


@pytest.mark.parametrize(
    ("body", "media_type", "expected"),
    [
        (b"\x89PNG", "image/png", "data:image/png;base64,iVBORw=="),
        (b"\x89PNG", "image/jpg", "data:image/jpeg;base64,iVBORw=="),
        (b"", "image/png", None),
        (b"x" * (MAX_PICTURE + 1), "image/png", None),
        (b"<script>", "text/html", None),
    ],
)
def test_data_urls(body, media_type, expected):
    """Pictures that browsers show and that are not too large."""
    assert data_url(body, media_type) == expected
