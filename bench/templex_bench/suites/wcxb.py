"""WCXB's layout, which the corpora share: groups of pages of one site, each page with its main content as text.

The pages of a group hardly link each other, so that a page is compared with its siblings.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from templex_bench.suites.model import Gold, KeyPage, SuiteError, fingerprint_of
from templex_bench.suites.saved import Site, Suite

GROUPS = "groups.json"
LAYOUT = "wcxb"
EXPECTED = (
    f"{LAYOUT}: {GROUPS} (site → list of id, url, page_type, main_content) and the pages in pages/<id>.html.gz "
    "or pages/<id>.html"
)


@dataclass(frozen=True, kw_only=True)
class Group(Site):
    """The pages of one site; ``gold`` has the type and the gold standard of each page."""

    gold: Mapping[str, tuple[str, Gold]]

    def key_page(self, url: str) -> KeyPage:
        """Return the page at an address."""
        category, gold = self.gold[str(self.path(url))]
        return KeyPage(page=self.saved(url), category=category, gold=gold)

    def fingerprint(self) -> str:
        """Return a hash of the pages and of the gold standard."""
        return fingerprint_of([super().fingerprint(), self.known, self.gold])


def read(folder: Path) -> Suite | None:
    """Read the suite in a folder; None if it has no groups.

    Raises:
        SuiteError: if the groups are not as they should be.
    """
    file = folder / GROUPS
    if not file.is_file():
        return None
    try:
        groups = json.loads(file.read_text(encoding="utf-8"))
        sites = tuple(_group(str(name), folder / "pages", groups[name]) for name in sorted(groups))
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        what = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise SuiteError(f"{file} is not as it should be: {what}. Expected {EXPECTED}") from error
    return Suite(folder.resolve().name, LAYOUT, sites)


def _group(name: str, folder: Path, entries: Iterable[Mapping[str, object]]) -> Group:
    known: dict[str, str] = {}
    gold: dict[str, tuple[str, Gold]] = {}
    for entry in entries:
        page_id, url = str(entry["id"]), str(entry["url"])
        packed = f"{page_id}.html.gz"
        path = packed if (folder / packed).is_file() else f"{page_id}.html"
        known[path], gold[path] = url, (str(entry.get("page_type") or ""), _gold(entry))
    return Group(name=name, folder=folder, paths=tuple(known), base_url="", known=known, linked=False, gold=gold)


def _gold(entry: Mapping[str, object]) -> Gold:
    labels = entry.get("values")
    known = labels.values() if isinstance(labels, Mapping) else ()
    values = tuple(str(value).strip(" :") for several in known for value in several)
    text = None if values else str(entry["main_content"])
    return Gold(text=text, values=values, snippets=(_texts(entry.get("with")), _texts(entry.get("without"))))


def _texts(listed: object) -> tuple[str, ...]:
    return tuple(map(str, listed)) if isinstance(listed, list) else ()
