"""A small site to view: a menu, a side box and a footer that repeat, and an article that is its own."""

from __future__ import annotations

from typing import Any

from templex_scrapy import Match, Page, Template
from templex_scrapy.view import view

HOST = "https://site.test/"
MENU = "".join(f'<li class="entry"><a href="/section{i}/">Section {i}</a></li>' for i in range(6))
SENTENCES = (
    "The river carries stones from the upper valley down to the plain, and drops them where it slows.",
    "A lantern stood on the wall of the harbour for sixty years until the lamp was moved to the pier.",
    "Whoever walks the ridge in winter meets few people, and hears the ice in the gullies crack at noon.",
)


def page(number: int, *, head: str = "", body: str = "", title: str = "", attributes: str = "") -> Page:
    """A page of the site; ``body`` is put at the end of its article."""
    own = " ".join(f"{sentence} ({number})" for sentence in SENTENCES)
    return Page(
        f"<!DOCTYPE html><html><head><title>{title or f'Page {number}'}</title>{head}</head><body {attributes}>"
        f'<header id="top"><p class="claim">Welcome to the repeated banner</p><ul id="menu">{MENU}</ul></header>'
        f'<main><h1>Headline {number}</h1><p class="story">{own}</p>'
        f'<p class="byline">Written by <b class="author">Author {number}</b></p>{body}</main>'
        '<footer id="bottom"><p>Repeated footer with imprint and terms</p></footer></body></html>',
        f"{HOST}section{number}/",
    )


def site(**options: Any) -> tuple[Page, list[Page]]:
    """A key page, made with the options, and the pages that vote on it."""
    return page(0, **options), [page(1), page(2), page(3)]


def learn(key: Page, voters: list[Page]) -> tuple[Template, Match]:
    """The template of a key page, and the key page laid over it."""
    template = Template.from_pages(key, voters)
    return template, template.match(key)


def show(key: Page, voters: list[Page], **options: Any) -> str:
    """The view of a key page."""
    return view(learn(key, voters)[1], pages=voters, **options)
