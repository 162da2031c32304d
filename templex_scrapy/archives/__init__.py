"""Stored pages: archives and tables of them, cleaned site by site without a crawl."""

from templex_scrapy.archives.cleaning import Counts, Outcome, clean_table
from templex_scrapy.archives.partitions import Grouped
from templex_scrapy.archives.readers import STREAM, read_table
from templex_scrapy.archives.records import ArchiveError, Columns, Record, Skipped, text_of
from templex_scrapy.archives.run import RESUMED, ObservedPage, Options, clean_archives
from templex_scrapy.archives.saved_pages import HOST, NO_HOST, read_file, read_folder

__all__ = [
    "HOST",
    "NO_HOST",
    "RESUMED",
    "STREAM",
    "ArchiveError",
    "Columns",
    "Counts",
    "Grouped",
    "ObservedPage",
    "Options",
    "Outcome",
    "Record",
    "Skipped",
    "clean_archives",
    "clean_table",
    "read_file",
    "read_folder",
    "read_table",
    "text_of",
]
