"""Suites of sites with a gold standard, and the readers of their layouts."""

from templex_bench.gold.model import Gold, KeyPage, Site, Suite, SuiteError
from templex_bench.gold.reading import LAYOUTS, open_suite

__all__ = ["LAYOUTS", "Gold", "KeyPage", "Site", "Suite", "SuiteError", "open_suite"]
