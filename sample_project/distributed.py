"""Settings for several workers, on one machine or many: one queue, one filter of duplicates, one store of templates.

    SCRAPY_SETTINGS_MODULE=sample_project.distributed scrapy crawl pages -a url=https://example.com/

Each worker is started like that, with the same SAMPLE_REDIS (URL of the Redis server) and SAMPLE_JOB (name of the
crawl; a new name is a new crawl, an old one goes on with what is left of it).
"""

from __future__ import annotations

import os

from sample_project.settings import *  # noqa: F403  (the settings of one worker, and those below)

REDIS_URL = os.environ.get("SAMPLE_REDIS") or "redis://localhost:6379/0"
JOB = os.environ.get("SAMPLE_JOB") or "sample"

# --- The queue and the filter of duplicates are scrapy-redis's; requests in the queue are data, not pickle. What is
# ours waits for a server that is away, and gives back what a dead worker had in hand.
SCHEDULER = "sample_project.shared_scheduler.SharedScheduler"
SCHEDULER_SERIALIZER = "sample_project.json_requests"
SCHEDULER_QUEUE_CLASS = "sample_project.shared_queue.SharedQueue"
SCHEDULER_QUEUE_KEY = f"{JOB}:%(spider)s:requests"
DUPEFILTER_CLASS = "scrapy_redis.dupefilter.RFPDupeFilter"
SCHEDULER_DUPEFILTER_KEY = f"{JOB}:%(spider)s:dupefilter"
# Without this the worker that ends first would empty the queue of all.
SCHEDULER_PERSIST = True
# So many seconds a worker waits for a server that is away before it ends, and so long one question may take.
SHARED_QUEUE_PATIENCE = 300
REDIS_PARAMS = {"socket_connect_timeout": 3, "socket_timeout": 5}

# --- What one worker has learnt all of them use.
TEMPLEX_STORE = REDIS_URL

# --- The database of a machine takes the pages of all its workers, each as soon as it is cleaned. Of a feed a worker
# that is killed loses what it has not written yet.
FEEDS = {}
