"""Bound the cost of learning a site: searches, and votes for pages that are alone."""

from dataclasses import dataclass

# the pages of some sites do not link each other: the fourth search would load sixty pages in vain as well
MAX_FAILURES = 3
"""Searches in a row that fail, after which no search begins."""

# a server that answers nothing for a minute says nothing about the links of the pages
MAX_EMPTY = 6
"""Searches in a row that load no page, after which no search begins: sixty requests have failed."""

MAX_LONE_VOTERS = 6
"""Pages that vote for a page that is alone, at most: each such page costs so many votes."""

# a small site may have nothing but an imprint and a contact form, each alone of its type
FREE_VOTES = 2 * MAX_LONE_VOTERS
"""Votes for lone pages that a site has beside those that each sampled page adds: enough for two such pages at once."""


@dataclass(slots=True)
class Budget:
    """The searches and votes of a site. The budget outlives the templates, so that nothing is tried for ever.

    Attributes:
        max_searches: searches in all, at least 0; with 0 nothing is learnt.
        searches: searches begun.
        failures: searches in a row that loaded pages and brought no template.
        empty: searches in a row that could load no page.
        votes: votes that pages that are alone may still cost.
    """

    max_searches: int = 40
    searches: int = 0
    failures: int = 0
    empty: int = 0
    votes: int = FREE_VOTES

    @property
    def given_up(self) -> bool:
        """Whether no further search is begun: they are used up, or failed too often in a row."""
        return self.searches >= self.max_searches or self.failures >= MAX_FAILURES or self.empty >= MAX_EMPTY

    def search_ended(self, *, has_found: bool, loads: int) -> None:
        """Note how a search has ended, and how many candidates it has loaded."""
        self.failures = 0 if has_found else self.failures + (loads > 0)
        self.empty = 0 if loads else self.empty + 1
