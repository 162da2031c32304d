"""The ``TEMPLEX_*`` settings: read once, checked, and frozen."""

from __future__ import annotations

import difflib
import json
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any, Self

from cssselect import SelectorError
from scrapy.utils.misc import load_object

from templex_scrapy.render import OUTPUT_NAMES, Output
from templex_scrapy.search import MAX_LOADS, SIZE
from templex_scrapy.stores import ALLOWED_STORES, check_store
from templex_scrapy.template import Selectors

PREFIX = "TEMPLEX_"

_PLACEHOLDER = re.compile(r"%\((.*?)\)")


class TemplexSettingsError(ValueError):
    """A ``TEMPLEX_*`` setting is unknown or has a value that is not allowed.

    It is not a ``NotConfigured``: Scrapy would swallow that and crawl on without cleaning.
    """


def _wrong(name: str, value: object, allowed: str) -> TemplexSettingsError:
    return TemplexSettingsError(f"{name} = {value!r} is not allowed; allowed: {allowed}")


def _boolean(name: str, value: object) -> bool:
    # not bool(value): "False" on the command line would be true
    text = str(value).lower()
    if text not in {"1", "true", "0", "false"}:
        raise _wrong(name, value, "True or False")
    return text in {"1", "true"}


def _number(low: int, high: int) -> Callable[[str, Any], int]:
    def parse(name: str, value: Any) -> int:
        try:
            number = int(value)
        except (TypeError, ValueError, OverflowError):
            number = low - 1
        # True and 3.5 would become 1 and 3
        is_exact = not isinstance(value, bool) and (isinstance(value, str) or number == value)
        if not is_exact or not low <= number <= high:
            raise _wrong(name, value, f"a whole number from {low} to {high}")
        return number

    return parse


def _field_name(name: str, value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise _wrong(name, value, "the name of an item field")
    return value


def _from_json(value: object, opening: str) -> object:
    """Decode a value in JSON, as the command line gives it."""
    if isinstance(value, str) and value.lstrip().startswith(opening):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value


def _outputs(name: str, value: object) -> Mapping[str, Output]:
    value = _from_json(value, "{")
    known = ", ".join(OUTPUT_NAMES)
    if not isinstance(value, Mapping) or not value:
        raise _wrong(name, value, f"a dict from item field to one of {known} or a function, with at least one entry")
    return MappingProxyType({_field_name(name, to): _output(f"{name}[{to!r}]", out) for to, out in value.items()})


def _output(name: str, value: Any) -> Output:
    """Return an output: an attribute of ``CleanPage``, or a function of a ``CleanPage`` or the path of a function."""
    if value in OUTPUT_NAMES:
        return str(value)
    if not isinstance(value, str) or "." in value:
        try:
            function: Output = load_object(value)
        except (ImportError, NameError, TypeError, ValueError) as error:
            raise _wrong(name, value, f"a function of CleanPage, or its path ({error})") from None
        if callable(function):
            return function
    similar = difflib.get_close_matches(str(value), OUTPUT_NAMES, n=1)
    hint = f"; did you mean {similar[0]!r}?" if similar else ""
    raise _wrong(name, value, f"{', '.join(OUTPUT_NAMES)}, or a function of CleanPage{hint}")


def _selectors(name: str, value: object) -> tuple[str, ...]:
    value = _from_json(value, "[")
    # a string is a single selector, which may be a group: "a, b"
    selectors = [value] if isinstance(value, str) else value
    if not isinstance(selectors, (list, tuple, set, frozenset)):
        raise _wrong(name, value, "a list of CSS selectors")
    for selector in selectors:
        try:
            Selectors([selector])
        except (SelectorError, TypeError, AttributeError) as error:
            raise _wrong(name, selector, f"CSS selectors ({error})") from None
    return tuple(selectors)


def _store(name: str, value: object) -> str:
    if not isinstance(value, (str, os.PathLike)):
        raise _wrong(name, value, ALLOWED_STORES)
    try:
        check_store(value)
    except (ValueError, ImportError) as error:
        raise _wrong(name, value, f"{ALLOWED_STORES} ({str(error).partition('; allowed: ')[0]})") from None
    return str(os.fspath(value))


def _report(name: str, value: object) -> str:
    allowed = "None or the path of an HTML file that is to be written"
    path = os.fspath(value) if isinstance(value, (str, os.PathLike)) else None
    if not isinstance(path, str) or not path.strip() or "\0" in path or path.endswith(("/", os.sep)):
        raise _wrong(name, value, allowed)
    if unknown := set(_PLACEHOLDER.findall(path)) - {"name", "time"}:
        raise _wrong(name, value, f"{allowed}; %(name)s and %(time)s are replaced, %({min(unknown)})s is not")
    return path


def _skip(name: str, value: object) -> str:
    if value not in ("mark", "drop"):
        raise _wrong(name, value, "None, 'mark' or 'drop'")
    return str(value)


def _setting(default: Any, parse: Callable[[str, Any], Any], allowed: str, doc: str) -> Any:
    """Return a field of the settings, with the description for docs and error messages."""
    return field(default=default, metadata={"parse": parse, "allowed": allowed, "doc": doc})


@dataclass(frozen=True, kw_only=True)
class TemplexSettings:
    """The settings of the plug-in; the field ``html_field`` is the setting ``TEMPLEX_HTML_FIELD``, and so on."""

    enabled: bool = _setting(True, _boolean, "True, False", "Switches the plug-in on or off.")  # noqa: FBT003
    html_field: str = _setting("html", _field_name, "a field name", "The item field that contains a page.")
    url_field: str = _setting(
        "url", _field_name, "a field name", "The item field with the page's URL, for items that come from no response."
    )
    outputs: Mapping[str, Output] | None = _setting(
        None,
        _outputs,
        "a dict",
        "Item field to write → attribute of CleanPage, or a function of one. Default: TEMPLEX_HTML_FIELD → html.",
    )
    preserve: tuple[str, ...] = _setting(
        (), _selectors, "CSS selectors", "Elements that are never removed, with their contents and their ancestors."
    )
    remove: tuple[str, ...] = _setting(
        (), _selectors, "CSS selectors", "Elements that are always removed, with their contents."
    )
    dry_run: bool = _setting(
        False,  # noqa: FBT003
        _boolean,
        "True, False",
        "Counts what would be removed. Existing fields of an item are not changed; outputs that it lacks are written.",
    )
    store: str | None = _setting(
        None,
        _store,
        "None, a path, a redis:// URL, a class",
        "Where templates outlive the crawl: an SQLite file, a Redis server or a store of yours. None: the job"
        " directory, if the crawl has one, else a temporary file.",
    )
    skip_unchanged: str | None = _setting(
        None,
        _skip,
        "None, mark, drop",
        "What becomes of items whose page has the content of the last crawl: `mark` writes True into the field"
        " `templex_unchanged`, and False into that of other items; `drop` drops the items. Needs a store.",
    )
    report: str | None = _setting(
        None,
        _report,
        "None, a path",
        "The HTML file to which a report of the crawl is written; %(name)s is the spider, %(time)s the start time.",
    )
    cs_size: int = _setting(
        SIZE, _number(2, 20), "2 to 20", "Pages of the complete subdigraph that a search wants, at least TEMPLEX_VOTES."
    )
    votes: int = _setting(2, _number(1, 20), "1 to 20", "Pages that must agree on a node before it is template.")
    max_loads: int = _setting(
        MAX_LOADS, _number(2, 1000), "2 to 1000", "Pages that one search looks at, at least TEMPLEX_CS_SIZE."
    )
    max_searches: int = _setting(
        40, _number(0, 10_000), "0 to 10000", "Searches for each site; with 0 nothing is learnt from pages."
    )
    memory: int = _setting(
        45_000_000,
        _number(1_000_000, 10**12),
        "from 1000000",
        "Bytes for templates, downloaded pages and parsed pages. Templates that do not fit are in the store.",
    )

    @classmethod
    def from_crawler_settings(cls, settings: Mapping[str, Any]) -> Self:
        """Read and check all ``TEMPLEX_*`` settings of a crawl; values may be strings, as on the command line.

        Raises:
            TemplexSettingsError: if a setting is unknown, or a value is not allowed.
        """
        parsers = {PREFIX + setting.name.upper(): (setting.name, setting.metadata["parse"]) for setting in fields(cls)}
        values: dict[str, Any] = {}
        for name in sorted(name for name in settings if name.upper().startswith(PREFIX)):
            if name not in parsers:
                raise _unknown(name, list(parsers))
            if settings[name] is not None:
                attribute, parse = parsers[name]
                values[attribute] = parse(name, settings[name])
        checked = cls(**values)
        if checked.votes > checked.cs_size:
            raise _wrong("TEMPLEX_VOTES", checked.votes, f"1 to TEMPLEX_CS_SIZE, which is {checked.cs_size}")
        if checked.max_loads < checked.cs_size:
            raise _wrong(
                "TEMPLEX_MAX_LOADS", checked.max_loads, f"TEMPLEX_CS_SIZE, which is {checked.cs_size}, to 1000"
            )
        return checked

    @property
    def site_memory(self) -> int:
        """Bytes for the templates of all sites, and for the pages that wait to vote."""
        return self.memory * 4 // 9

    @property
    def template_memory(self) -> int:
        """Bytes of the largest template that is kept."""
        return self.memory // 5

    @property
    def download_memory(self) -> int:
        """Bytes for downloaded pages that spider and searches share."""
        return self.memory * 2 // 9

    @property
    def parse_memory(self) -> int:
        """Bytes for the node arrays of pages that were parsed lately."""
        return self.memory // 3

    @property
    def item_outputs(self) -> Mapping[str, Output]:
        """Item field to write → attribute of ``CleanPage``, or a function of a ``CleanPage``."""
        return {self.html_field: "html"} if self.outputs is None else self.outputs


def _unknown(name: str, known: list[str]) -> TemplexSettingsError:
    # without the prefix, which would make any two names similar
    similar = difflib.get_close_matches(
        name.upper().removeprefix(PREFIX), [one.removeprefix(PREFIX) for one in known], n=1
    )
    hint = f"did you mean {PREFIX}{similar[0]}?" if similar else f"there are {', '.join(known)}"
    return TemplexSettingsError(f"there is no setting {name}: {hint}")
