"""Settings for several processes, on one machine or many: one queue, one duplicate filter, one store of templates.

    SCRAPY_SETTINGS_MODULE=sample_project.distributed scrapy crawl pages -a url=https://example.com/

Start each process like that, with the same SAMPLE_REDIS (URL of the Redis server) and SAMPLE_JOB (name of the crawl).
The limits of scrapy-redis apply: a process that is killed loses the requests that it has taken from the queue, and a
Redis server that fails ends the processes.
"""

from __future__ import annotations

import os

from sample_project.settings import *  # noqa: F403  (the settings of one process, and those below)

REDIS_URL = os.environ.get("SAMPLE_REDIS") or "redis://localhost:6379/0"
JOB = os.environ.get("SAMPLE_JOB") or "sample"

SCHEDULER = "scrapy_redis.scheduler.Scheduler"
SCHEDULER_QUEUE_KEY = f"{JOB}:%(spider)s:requests"
DUPEFILTER_CLASS = "scrapy_redis.dupefilter.RFPDupeFilter"
SCHEDULER_DUPEFILTER_KEY = f"{JOB}:%(spider)s:dupefilter"
# without this the process that ends first would empty the queue of all
SCHEDULER_PERSIST = True
# scrapy-redis has SCHEDULER_IDLE_BEFORE_CLOSE for this, which its default queue does not support
SAMPLE_START_SECONDS = 15

# all processes use what one of them has learnt
TEMPLEX_STORE = REDIS_URL

# a report is of one process
TEMPLEX_REPORT = f"{OUTPUT_FOLDER}/%(name)s/report-{os.getpid()}.html"  # noqa: F405

# The database of a machine takes the pages of all its processes, each as soon as it is cleaned. A process that is
# killed loses what it has not yet written to a feed.
FEEDS = {}
