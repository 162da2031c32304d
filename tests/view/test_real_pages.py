"""Views of real pages: the demo's with its style sheet, and one of each saved site."""

from __future__ import annotations

from pathlib import Path

import pytest
from browsing import SWITCHES

from sample_project.demo_site import build_site
from templex_scrapy import Page, SubdigraphSearch, Template, detect_content, detect_menu
from templex_scrapy.commands.saved import SavedPages
from templex_scrapy.view import view

SITES = Path(__file__).resolve().parents[3] / "shared" / "sites"
NAMES = sorted(folder.name for folder in SITES.glob("*/")) or ["none"]
ALWAYS = 4
"""Sites that every run of the tests looks at."""


def view_of(key: Page, fetch) -> str:
    search = SubdigraphSearch(key)
    while wanted := search.wanted():
        search.add(wanted[0], fetch(wanted[0]))
    template = Template.from_pages(key, search.pages)
    parts = {"menu": detect_menu(key), "content": detect_content(key)}
    return view(template.match(key), template=template, pages=search.pages, **parts)


def assert_it_works(opened) -> None:
    whole = opened.frame.locator("body").inner_text()
    shown = {}
    for switch in SWITCHES[:4]:
        opened.press(switch)
        shown[switch] = opened.frame.locator("body").inner_text()
    assert shown["marked"] == shown["original"] == whole
    assert len(shown["template"]) < len(whole)
    assert len(shown["content"]) < len(whole)
    opened.press("split")
    assert opened.inspect() == []


def test_demo_site(open_view):
    """The pages of the demo, whose styles are in the page."""
    pages = {f"https://weir.test{path}": page.html for path, page in build_site().pages.items()}
    url = "https://weir.test/repairs/brakes-that-squeal/"

    def fetch(url: str) -> Page | None:
        return Page(pages[url], url) if url in pages else None

    opened = open_view(view_of(Page(pages[url], url), fetch))
    assert_it_works(opened)
    opened.press("content")
    assert not opened.sees(".site-header a")
    assert opened.sees("article h1, main h1")


@pytest.mark.shared
@pytest.mark.parametrize(
    "name", [*NAMES[:ALWAYS], *(pytest.param(name, marks=pytest.mark.slow) for name in NAMES[ALWAYS:])]
)
def test_saved_sites(open_view, name):
    """Whatever real pages are made of, the view says nothing on the console, asks for nothing and switches."""
    if not (SITES / name).is_dir():
        pytest.skip(f"no saved sites in {SITES}")
    saved = SavedPages.at(SITES / name)
    opened = open_view(view_of(saved.key_page()[0], saved.fetch))
    assert_it_works(opened)
