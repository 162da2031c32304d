"""Requests as JSON, for a queue that several processes share: data only, so that nobody can make a worker run code.

What scrapy-redis calls a serializer: a module with `dumps` and `loads`, named by SCHEDULER_SERIALIZER.
"""

from __future__ import annotations

from templex_scrapy.crawl.json_requests import dumps, loads

__all__ = ["dumps", "loads"]
