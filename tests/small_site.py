"""A small made site, typed for mypy: a menu, a headline and a text for each page, and a footer."""

from __future__ import annotations

from templex_scrapy import Page


def made_site(
    pages: int = 4, *, host: str = "https://site.test", text: str = "Words of page {number} alone."
) -> list[Page]:
    """Return the pages of a made site: a menu that all have and that links them all, a headline, a text, a footer.

    Args:
        pages: number of pages, at least 1.
        host: scheme and host of the addresses.
        text: the paragraph of each page; ``{number}`` is its number, from 0.
    """
    menu = "".join(f'<li><a href="/{number}.html">Page {number}</a></li>' for number in range(pages))
    return [
        Page(
            f"<!DOCTYPE html><html><head><title>Page {number}</title></head><body><nav><ul>{menu}</ul></nav>"
            f"<main><h1>Headline {number}</h1><p>{text.format(number=number)}</p></main>"
            "<footer><p>Footer of the made site</p></footer></body></html>",
            f"{host}/{number}.html",
        )
        for number in range(pages)
    ]
