"""The pages on which something about a system was chosen: hashes of their addresses in fitted.csv.

The file has the :func:`mark` of each key page. A rendered theme counts as a whole: with another text it has
other addresses, but the same template.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

import pandas as pd

_THEME = re.compile(r"https://[^/]+\.example/")  # a made-up host, which names engine and theme

_KNOWN: Mapping[str, frozenset[str]] = {
    collection: frozenset(pages.split())
    for collection, pages in pd.read_csv(Path(__file__).with_name("fitted.csv")).itertuples(index=False)
}

FITTED_ON: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(
        ("temex", "hybrid", "page-conex", "complement", "menex", "rtdm-td", "iwptd", "rbm-td", "boilerpy3"),
        frozenset({"sites"}),
    ),
    # the rules were changed after a look at labelled values, snippets and themes
    **dict.fromkeys(("templex", "templex-site"), frozenset({"sites", "swde", "wcxb", "zoo"})),
    "content-words": frozenset(_KNOWN),
}
"""The collections that something about a method was chosen on. Nothing is known of others."""


def mark(url: str) -> str:
    """Return a short hash of an address; all pages of a rendered theme have the same."""
    theme = _THEME.match(url)
    known = theme[0] if theme else url
    return hashlib.blake2b(known.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()


def collections_of(urls: Iterable[str]) -> frozenset[str]:
    """Return the collections that have any of some key pages."""
    marks = set(map(mark, urls))
    return frozenset(name for name, pages in _KNOWN.items() if not pages.isdisjoint(marks))
