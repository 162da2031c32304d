"""Settings for several workers, on one machine or many: one queue, one duplicate filter, one store of templates.

    SCRAPY_SETTINGS_MODULE=sample_project.distributed scrapy crawl pages -a url=https://example.com/

Start each worker like that, with the same SAMPLE_REDIS (URL of the Redis server) and SAMPLE_JOB (name of the crawl).
The limits of scrapy-redis apply: a worker that is killed loses the requests that it has taken from the queue, and a
Redis server that goes away ends the workers.
"""

from __future__ import annotations

import os

from sample_project.settings import *  # noqa: F403  (the settings of one worker, and those below)

REDIS_URL = os.environ.get("SAMPLE_REDIS") or "redis://localhost:6379/0"
JOB = os.environ.get("SAMPLE_JOB") or "sample"

SCHEDULER = "scrapy_redis.scheduler.Scheduler"
SCHEDULER_QUEUE_KEY = f"{JOB}:%(spider)s:requests"
DUPEFILTER_CLASS = "scrapy_redis.dupefilter.RFPDupeFilter"
SCHEDULER_DUPEFILTER_KEY = f"{JOB}:%(spider)s:dupefilter"
# without this the worker that ends first would empty the queue of all
SCHEDULER_PERSIST = True
# scrapy-redis has SCHEDULER_IDLE_BEFORE_CLOSE for this, which its default queue does not support
SAMPLE_START_SECONDS = 15

# all workers use what one of them has learnt
TEMPLEX_STORE = REDIS_URL

# a report is of one worker
TEMPLEX_REPORT = f"{OUTPUT_FOLDER}/%(name)s/report-{os.getpid()}.html"  # noqa: F405

# The database of a machine takes the pages of all its workers, each as soon as it is cleaned. A worker that is killed
# loses what it has not yet written to a feed.
FEEDS = {}
