"""What removal keeps of made shops (tests/helpers/made_shop.py): labels, values, own and frame texts, on the terminal.

Counted are those in the cleaned page and in its main content. Each shop is learnt from all of its pages.
"""

from __future__ import annotations

from collections import Counter

import isolated  # noqa: F401 - finds tests/
from helpers.made_shop import Shop, text_types

from templex_scrapy import SiteCleaner
from templex_scrapy.page import Page, nodes_of


def shops() -> None:
    """Texts of made shops that are in the cleaned page and in its main content."""
    total, html, main = Counter[str](), Counter[str](), Counter[str]()
    for seed in range(20):
        shop = Shop(seed).pages
        pages = [Page(made.html, made.url) for made in shop.values()]
        for match in map(SiteCleaner.learn(pages).match, pages):
            for position, what in text_types(shop[match.page.url], nodes_of(match.page).texts):
                total[what] += 1
                is_kept = position not in match.removable
                html[what] += is_kept
                main[what] += is_kept and (not match.fits or position in match.content)
    for what in ("label", "value", "own", "frame", "box"):
        kept = [f"{count[what]} ({count[what] / total[what]:.4f})" for count in (html, main)]
        print(f"shops {what:5} of {total[what]}: kept {kept[0]}, in the content {kept[1]}")


if __name__ == "__main__":
    shops()
