"""The ``TEMPLEX_*`` settings: read once, checked, and from then on one frozen object."""

from __future__ import annotations

import difflib
import importlib.util
import json
import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any, Self

from cssselect import SelectorError

from templex_scrapy.stores import ALLOWED_STORES, check_store
from templex_scrapy.template.preserve import compile_selectors

PREFIX = "TEMPLEX_"
METHODS = ("temex", "hybrid")
"""What ``TEMPLEX_METHOD`` may be: the detectors that a crawl can learn templates with."""
FORMATS = ("html", "text", "markdown", "annotated")
"""What ``TEMPLEX_OUTPUTS`` may ask for."""


class TemplexSettingsError(ValueError):
    """A ``TEMPLEX_*`` setting is unknown or has a value that is not allowed; the message says what is.

    It is no ``NotConfigured``: Scrapy would swallow that and crawl on without cleaning.
    """


@dataclass(frozen=True, kw_only=True)
class TemplexSettings:
    """All settings of the plug-in; the field ``html_field`` is the setting ``TEMPLEX_HTML_FIELD``, and so on.

    Attributes:
        enabled: whether the plug-in does anything at all.
        html_field: name of the item field that holds a page.
        outputs: item field to write → one of ``"html"``, ``"text"``, ``"markdown"``, ``"annotated"``.
        url_field: name of the item field with the page's address, for items that come from no response.
        method: ``"temex"`` or ``"hybrid"``.
        cs_size: pages of the complete subdigraph that a search looks for, 2 to 20.
        votes: pages that have to agree on a node before it is template, 1 to ``cs_size``.
        max_loads: pages that one search looks at, at most; ``cs_size`` to 1,000.
        max_templates: templates kept for each site, 1 to 1,000.
        max_voters: pages that a template grows to: pages of its kind join the voters until there are so many. 0 to 100;
            with ``cs_size`` or less it stays as it was learnt.
        store: where templates outlive the crawl: path of an SQLite file, or a ``redis://`` URL; None for the job
            directory of a crawl that has one, else for no place.
        preserve: CSS selectors; what they match, what that holds and what it is in is never removed.
        dry_run: count what would be removed, change no item.
        report: path of the crawl report, an HTML file; ``%(name)s`` in it stands for the name of the spider,
            ``%(time)s`` for the time at which the crawl began. None: no report.
        progress: whether a live line on the terminal says how far the crawl is.
        max_searches: searches for each site, 0 to 10,000; with 0 nothing is ever learnt.
        max_failed_searches: searches in a row that may fail before a site is given up, 1 to 10,000.
        max_sites: sites whose templates are at hand, the most recently used ones, 1 to 1,000,000.
        held_items: items of one response that wait for a template, at most; further ones wait in the callback. From 1.
        candidate_timeout: seconds until the download of a candidate is given up, above 0.
        search_timeout: seconds until a search takes what it has; waiting that the download delay of the site imposes is
            added. Above 0.
        concurrent_candidates: candidates downloaded at a time, in all searches, 1 to 1,000.
        max_open_searches: searches under way at a time, in all sites; further ones wait. 1 to 10,000.
        page_memory: bytes of pages kept so that neither spider nor search downloads what the other has, at least 0.
        reading_memory: bytes of what is remembered of the trees of the pages that came last, so that a page that comes
            again (as a candidate, when it has waited, when it votes) is not parsed again, at least 0.
        kept_memory: bytes of compressed pages that wait to join the voters of a template, for each template, at least
            0; as much again for the pages of a site that may stand in where no complete subdigraph is found.
        template_memory: bytes of one template, at least 1; a larger one is not kept.
        site_memory: bytes of the templates of all sites, at least 1; beyond it sites are put away, the least recently
            used one first.
        attic_memory: bytes of what is kept of sites that were put away, at least 0: compressed templates where there is
            no store for them, counts of searches, pages that may stand in. It comes back with the next page of theirs.
        store_memory: bytes of stored templates that stay in memory as they were read or written, so that the crawl can
            go on when the store goes away, at least 0; a quarter as much again for changes that wait for it. Beyond it
            sites are dropped, those not asked for for longest first.
    """

    enabled: bool = True
    html_field: str = "html"
    outputs: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({"html": "html"}))
    url_field: str = "url"
    method: str = "temex"
    cs_size: int = 3
    votes: int = 2
    max_loads: int = 60
    max_templates: int = 30
    max_voters: int = 12
    store: str | None = None
    preserve: tuple[str, ...] = ()
    dry_run: bool = False
    report: str | None = None
    progress: bool = False
    max_searches: int = 40
    max_failed_searches: int = 3
    max_sites: int = 100
    held_items: int = 100
    candidate_timeout: float = 15.0
    search_timeout: float = 60.0
    concurrent_candidates: int = 8
    max_open_searches: int = 100
    page_memory: int = 10_000_000
    reading_memory: int = 4_000_000
    kept_memory: int = 500_000
    template_memory: int = 8_000_000
    site_memory: int = 128_000_000
    attic_memory: int = 4_000_000
    store_memory: int = 64_000_000

    @classmethod
    def from_crawler_settings(cls, settings: Mapping[str, Any]) -> Self:
        """Read and check all ``TEMPLEX_*`` settings of a crawl.

        Args:
            settings: Scrapy's settings, or any mapping. Values may be strings, as given on the command line.

        Raises:
            TemplexSettingsError: if a setting is unknown, or its value is not allowed.
        """
        values: dict[str, Any] = {}
        for name in sorted(name for name in settings if name.startswith(PREFIX)):
            _check_name(name)
            if settings[name] is not None:
                attribute = name.removeprefix(PREFIX).lower()
                values[attribute] = _PARSERS[attribute](name, settings[name])
        checked = cls(**values)
        checked._check_together()
        return checked

    def _check_together(self) -> None:
        if self.votes > self.cs_size:
            raise _wrong("TEMPLEX_VOTES", self.votes, f"1 to TEMPLEX_CS_SIZE, which is {self.cs_size}")
        if self.max_loads < self.cs_size:
            raise _wrong("TEMPLEX_MAX_LOADS", self.max_loads, f"TEMPLEX_CS_SIZE, which is {self.cs_size}, to 1000")


def _wrong(name: str, value: object, allowed: str) -> TemplexSettingsError:
    return TemplexSettingsError(f"{name} = {value!r} is not allowed; allowed: {allowed}")


def _check_name(name: str) -> None:
    known = [known_field.name.upper() for known_field in fields(TemplexSettings)]
    if name.removeprefix(PREFIX) not in known:
        similar = difflib.get_close_matches(name.removeprefix(PREFIX), known, n=1)
        all_known = ", ".join(PREFIX + one for one in known)
        hint = f"did you mean {PREFIX}{similar[0]}?" if similar else f"there are {all_known}"
        message = f"there is no setting {name}: {hint}"
        raise TemplexSettingsError(message)


_Parser = Callable[[str, Any], Any]


def _boolean(name: str, value: object) -> bool:
    written = str(value).lower()
    if written in {"1", "true"}:
        return True
    if written in {"0", "false"}:
        return False
    raise _wrong(name, value, "True or False")


def _number(kind: type[int | float], low: float, high: float = math.inf, *, above: bool = False) -> _Parser:
    """A parser for numbers from ``low`` (or above it) to ``high``."""
    what = "a whole number" if kind is int else "a number"
    bounds = f"{'above' if above else 'from'} {low}" + (f" to {high}" if high < math.inf else "")

    def parse(name: str, value: Any) -> float:
        try:
            number = kind(value)
        except (TypeError, ValueError, OverflowError):
            number = math.nan
        is_exact = not isinstance(value, bool) and (isinstance(value, str) or number == value)
        if not is_exact or not low <= number <= high or not math.isfinite(number) or (above and number == low):
            raise _wrong(name, value, f"{what} {bounds}")
        return float(number) if kind is float else int(number)

    return parse


def _choice(*allowed: str) -> _Parser:
    def parse(name: str, value: object) -> str:
        if value not in allowed:
            similar = difflib.get_close_matches(str(value), allowed, n=1)
            raise _wrong(
                name,
                value,
                ", ".join(map(repr, allowed)) + (f"; did you mean {similar[0]!r}?" if similar else ""),
            )
        return str(value)

    return parse


def _field_name(name: str, value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise _wrong(name, value, "the name of an item field")
    return value


def _outputs(name: str, value: object) -> Mapping[str, str]:
    """A mapping, or one written in JSON as on the command line."""
    allowed = f"a dict from item field to one of {', '.join(FORMATS)}, with at least one entry"
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            raise _wrong(name, value, allowed) from None
    if not isinstance(value, Mapping) or not value:
        raise _wrong(name, value, allowed)
    choose = _choice(*FORMATS)
    return MappingProxyType({_field_name(name, to): choose(f"{name}[{to!r}]", kind) for to, kind in value.items()})


def _selectors(name: str, value: object) -> tuple[str, ...]:
    """A list of selectors, or one selector (which may be a group, ``"a, b"``) as a string."""
    selectors = [value] if isinstance(value, str) else value
    if not isinstance(selectors, (list, tuple, set, frozenset)):
        raise _wrong(name, value, "a list of CSS selectors")
    for selector in selectors:
        try:
            compile_selectors([selector])
        except (SelectorError, TypeError, AttributeError) as error:
            raise _wrong(name, selector, f"CSS selectors ({error})") from None
    return tuple(sorted(selectors) if isinstance(value, (set, frozenset)) else selectors)


def _store(name: str, value: object) -> str | None:
    if value is None:
        return None
    if not isinstance(value, (str, os.PathLike)):
        raise _wrong(name, value, ALLOWED_STORES)
    try:
        check_store(value)
    except (ValueError, ImportError) as error:
        cause = str(error).partition("; allowed: ")[0]
        raise _wrong(name, value, f"{ALLOWED_STORES} ({cause})") from None
    return os.fspath(value)


def _report(name: str, value: object) -> str:
    allowed = "None or the path of an HTML file that is to be written"
    if not isinstance(value, (str, os.PathLike)):
        raise _wrong(name, value, allowed)
    path = os.fspath(value)
    if not isinstance(path, str) or not path.strip() or "\0" in path or path.endswith(("/", os.sep)):
        raise _wrong(name, value, allowed)
    _check_extra(name, value, allowed, "report", ("jinja2", "matplotlib"))
    return path


def _progress(name: str, value: object) -> bool:
    wanted = _boolean(name, value)
    if wanted:
        _check_extra(name, value, "False", "progress", ("rich",))
    return wanted


def _check_extra(name: str, value: object, allowed: str, extra: str, modules: tuple[str, ...]) -> None:
    missing = [module for module in modules if importlib.util.find_spec(module) is None]
    if missing:
        needed = f'it needs {" and ".join(missing)}: pip install "templex-scrapy[{extra}]"'
        raise _wrong(name, value, f"{allowed} ({needed})")


_PARSERS: Mapping[str, _Parser] = MappingProxyType(
    {
        "enabled": _boolean,
        "html_field": _field_name,
        "outputs": _outputs,
        "url_field": _field_name,
        "method": _choice(*METHODS),
        "cs_size": _number(int, 2, 20),
        "votes": _number(int, 1, 20),
        "max_loads": _number(int, 1, 1000),
        "max_templates": _number(int, 1, 1000),
        "max_voters": _number(int, 0, 100),
        "store": _store,
        "preserve": _selectors,
        "dry_run": _boolean,
        "report": _report,
        "progress": _progress,
        "max_searches": _number(int, 0, 10_000),
        "max_failed_searches": _number(int, 1, 10_000),
        "max_sites": _number(int, 1, 1_000_000),
        "held_items": _number(int, 1),
        "candidate_timeout": _number(float, 0, above=True),
        "search_timeout": _number(float, 0, above=True),
        "concurrent_candidates": _number(int, 1, 1000),
        "max_open_searches": _number(int, 1, 10_000),
        "page_memory": _number(int, 0),
        "reading_memory": _number(int, 0),
        "kept_memory": _number(int, 0),
        "template_memory": _number(int, 1),
        "site_memory": _number(int, 1),
        "attic_memory": _number(int, 0),
        "store_memory": _number(int, 0),
    }
)
