"""Settings of the sample project: templex_scrapy on, three ways to store, and good manners.

The folder for the output is `output`, or what the environment variable SAMPLE_OUTPUT names.
"""

from __future__ import annotations

import os
from pathlib import Path

BOT_NAME = "sample_project"
SPIDER_MODULES = ["sample_project.spiders"]
NEWSPIDER_MODULE = "sample_project.spiders"

# --- Removing the template: one line, and a second one to have the text as well, and how much is left.
ADDONS = {"templex_scrapy.Addon": 500}
TEMPLEX_OUTPUTS = {
    "html": "html",
    "text": "text",
    "words_before": "sample_project.items.words_before",
    "words_after": "sample_project.items.words_after",
}

# --- Storing: JSON Lines and Parquet through feeds, SQLite through a pipeline.
OUTPUT_FOLDER = Path(os.environ.get("SAMPLE_OUTPUT") or Path(__file__).resolve().parent.parent / "output").absolute()
FEEDS = {
    f"{OUTPUT_FOLDER}/%(name)s/items.jsonl": {"format": "jsonlines", "overwrite": True},
    f"{OUTPUT_FOLDER}/%(name)s/items.parquet": {"format": "parquet", "overwrite": True},
}
FEED_EXPORTERS = {"parquet": "templex_scrapy.ParquetItemExporter"}
FEED_EXPORT_ENCODING = "utf-8"
SQLITE_PATH = f"{OUTPUT_FOLDER}/%(name)s/items.sqlite"
ITEM_PIPELINES = {
    # the pipeline of templex_scrapy is at 100
    "sample_project.pipelines.SqlitePipeline": 400,
}
EXTENSIONS = {"sample_project.summary.Summary": 500}

# --- Seeing what is removed: a report.
TEMPLEX_REPORT = f"{OUTPUT_FOLDER}/%(name)s/report.html"

# --- Manners: say who asks, obey robots.txt, request little at a time, and less if the site is slow.
USER_AGENT = "templex-scrapy-sample/0.1 (Scrapy; a person tries a crawler: set USER_AGENT to say who you are)"
ROBOTSTXT_OBEY = True
CONCURRENT_REQUESTS_PER_DOMAIN = 2
DOWNLOAD_DELAY = 0.25
AUTOTHROTTLE_ENABLED = True
AUTOTHROTTLE_START_DELAY = 0.5
AUTOTHROTTLE_TARGET_CONCURRENCY = 1.0
DOWNLOAD_TIMEOUT = 30
DOWNLOAD_MAXSIZE = 20_000_000

# --- A quiet terminal: problems, and the summary at the end. `-L INFO` shows more.
LOG_LEVEL = "WARNING"
TELNETCONSOLE_ENABLED = False
