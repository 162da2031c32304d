"""What a crawl knows about one site: how it is learnt, and who works on it."""

from __future__ import annotations

import asyncio

from templex_scrapy.learning import SiteLearning


class Site:
    """A site of a crawl.

    Args:
        name: the site, as :func:`templex_scrapy.page.site_of` names it.
        learning: what is known of its templates.

    Attributes:
        lock: held while the learning is used, perhaps in a thread.
        turn: held while voters vote, perhaps after a wait for other workers.
        search_ended: set when the open search ends; None if no search is open.
        users: tasks that use this object.
        waiting: pages that wait for voters.
        rounds: times that voters have arrived.
        is_loaded: whether the stored templates were loaded.
    """

    def __init__(self, name: str, learning: SiteLearning) -> None:
        self.name = name
        self.learning = learning
        self.lock = asyncio.Lock()
        self.turn = asyncio.Lock()
        self.search_ended: asyncio.Event | None = None
        self.users = 0
        self.waiting = 0
        self.rounds = 0
        self.is_loaded = False
