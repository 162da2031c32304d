"""What removal keeps of made shops (tests/made_shop.py): labels, values, own and frame texts, on the terminal.

Counted are those in the cleaned page and in its main content, over five orders of arrival. The pages are brought in
order to the templates of their site as in a crawl, without a network.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence

import isolated  # noqa: F401 - finds tests/
from made_shop import Shop, text_types

from templex_scrapy.learning import Judged, NeedsSearch, Patience, SiteLearning
from templex_scrapy.page import Page, nodes_of
from templex_scrapy.search import SubdigraphSearch
from templex_scrapy.template import Match

MADE, ORDERS = 20, 5


class Arrivals:
    """A site's pages, brought in order to its templates as a crawl does it that downloads faster than pages wait.

    Args:
        pages: the pages, in the order of their arrival.
        votes: as TEMPLEX_VOTES.
    """

    def __init__(self, pages: Sequence[Page], votes: int = 2) -> None:
        self._pages = {page.url: page for page in pages}
        self.site = SiteLearning(votes=votes)

    def __iter__(self) -> Iterator[Match]:
        waiting = dict.fromkeys(self._pages.values())
        for page in self._pages.values():
            match = self._judge(page, Patience.VOTERS)
            self.site.plan.answer(page.url, size=len(page.text))
            if self.site.is_complete and not self.site.is_settled:
                self.site.learn()
            if match is not None:
                del waiting[page]
                yield match
        self.site.learn()
        for page in waiting:
            match = self._judge(page, Patience.SEARCH)
            if match is not None:
                yield match

    def _judge(self, page: Page, patience: Patience) -> Match | None:
        """Judge a page, with a search where a crawl would begin one; None if it waits."""
        if isinstance(verdict := self.site.judge(page, patience=patience), NeedsSearch):
            self.site.begin_search()
            search = SubdigraphSearch(page)
            while wanted := search.wanted():
                search.add(wanted[0], self._pages.get(wanted[0]))
            self.site.end_search(page, search.pages, loads=search.loads)
            verdict = self.site.judge(page)
        return verdict.match if isinstance(verdict, Judged) else None


def shops() -> None:
    """Texts of made shops that are in the cleaned page and in its main content."""
    total, html, main = Counter[str](), Counter[str](), Counter[str]()
    for seed in range(MADE):
        shop = Shop(seed).pages
        for order in range(ORDERS):
            pages = [Page(made.html, made.url) for made in shop.values()]
            random.Random(order).shuffle(pages)  # noqa: S311 - not for secrets
            for match in Arrivals(pages):
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
