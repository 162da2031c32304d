"""The jobs of the workers: pages that are to be cleaned."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import Enum
from math import inf

from scrapy import Request

from templex_scrapy.learning import Patience
from templex_scrapy.page import Page
from templex_scrapy.render import CleanPage


class Stage(Enum):
    """Where a page is; ``site_worker`` has the table of transitions."""

    NEW = "not judged yet"
    VOTERS = "waits for other pages"
    SEARCH = "waits for a search"


@dataclass(eq=False)
class Job:
    """A page that is to be cleaned.

    Attributes:
        patience: how long the page may still wait.
        learn: whether something may be learnt from it.
        request: the request of the page's response, from which a search derives requests.
        requests: the requests that the callback has made, by fingerprint.
        links: the addresses of these in the order of the ranking; None if the callback is not through.
        size: bytes of the response.
    """

    page: Page
    patience: Patience
    learn: bool = True
    request: Request | None = None
    requests: Mapping[bytes, Request] = field(default_factory=dict)
    links: Collection[str] | None = None
    size: int = 0
    stage: Stage = Stage.NEW
    deadline: float = inf  # until when the page waits for voters
    done: asyncio.Future[CleanPage] = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    has_voted: bool = False

    def fail(self, error: Exception) -> None:
        """Give an error to whoever waits, who reports it; the items come out as they are."""
        if not self.done.done():
            self.done.set_exception(error)
