"""The links of a menu."""

from __future__ import annotations

from typing import TypedDict

from templex_scrapy.page import Page, absolute, nodes_of


class MenuLink(TypedDict):
    """The text of a link, and the absolute URL in canonical form. Plain data, for items and feeds."""

    text: str
    url: str


def menu_links(page: Page, root: int) -> tuple[MenuLink, ...]:
    """Return the links in a node of a page, each URL once."""
    arrays = nodes_of(page)
    links: dict[str, MenuLink] = {}
    end = root + arrays.sizes[root]
    anchors = [at for at in range(root, end) if arrays.tags[at] == "a"]
    # an unclosed link contains the links behind it
    for link, next_link in zip(anchors, [*anchors[1:], end], strict=False):
        attributes = [
            dict(arrays.start_tag(at).attributes) for at in range(link, min(next_link, link + arrays.sizes[link]))
        ]
        href = attributes[0].get("href")
        url = absolute(page.base_url, href)[1] if href is not None else None
        if url is not None:
            inside = arrays.texts[link : link + len(attributes)]
            pictures = (each.get("alt", "") for each in attributes)
            texts = (" ".join(filter(None, inside)), " ".join(pictures), attributes[0].get("title", ""))
            text = next((words for text in texts if (words := " ".join(text.split()))), "")
            links.setdefault(url, MenuLink(text=text, url=url))
    return tuple(links.values())
