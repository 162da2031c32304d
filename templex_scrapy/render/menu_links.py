"""The links of a menu."""

from __future__ import annotations

from typing import TypedDict

from templex_scrapy.page import NodeArrays, Page, absolute, nodes_of, tag_of


class MenuLink(TypedDict):
    """A link of a menu: its text, and its absolute URL in canonical form. Plain data, for items and feeds."""

    text: str
    url: str


def menu_links(page: Page, root: int) -> tuple[MenuLink, ...]:
    """Return the links in a node of a page, each URL once."""
    arrays = nodes_of(page)
    links: dict[str, MenuLink] = {}
    for position in range(root, root + arrays.sizes[root]):
        start_tag = arrays.start_tag(position)
        href = dict(start_tag.attributes).get("href") if start_tag.tag == "a" else None
        url = absolute(page.base_url, href)[1] if href is not None else None
        if url is not None:
            links.setdefault(url, MenuLink(text=_link_text(arrays, position), url=url))
    return tuple(links.values())


def _link_text(arrays: NodeArrays, link: int) -> str:
    """Return the text of a link up to the next link; else the ``alt`` of its pictures, else its ``title``."""
    end = link + arrays.sizes[link]
    # an unclosed link contains the links behind it
    next_link = next((inside for inside in range(link + 1, end) if tag_of(arrays.tag_strings[inside]) == "a"), end)
    subtree = range(link, next_link)
    pictures = [dict(arrays.start_tag(position).attributes).get("alt", "") for position in subtree]
    title = dict(arrays.start_tag(link).attributes).get("title", "")
    texts = (" ".join(arrays.texts[position] or "" for position in subtree), " ".join(pictures), title)
    return next((words for text in texts if (words := " ".join(text.split()))), "")
