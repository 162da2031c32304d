"""The ``TEMPLEX_*`` settings: read once, checked, and frozen."""

from __future__ import annotations

import difflib
import json
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import partial
from types import MappingProxyType
from typing import Annotated, Any, Literal, Self, TypeVar

import msgspec
from scrapy.utils.misc import load_object

from templex_scrapy.render import OUTPUT_NAMES, Output
from templex_scrapy.search import MAX_LOADS, SIZE
from templex_scrapy.stores import check_store
from templex_scrapy.template import Selectors

PREFIX = "TEMPLEX_"

_T = TypeVar("_T")

_PLACEHOLDER = re.compile(r"%\((.*?)\)")


class TemplexSettingsError(ValueError):
    """A ``TEMPLEX_*`` setting is unknown or has a value that is not allowed.

    It is not a ``NotConfigured``: Scrapy would swallow that and crawl on without cleaning.
    """


# Each parser returns a checked value. It raises any error, with a hint in the message, if the value is not allowed.


def _entry(name: object, parse: Callable[[Any], _T], value: object) -> _T:
    """Parse an entry of a list or of a dict; an error names the entry."""
    try:
        return parse(value)
    except Exception as error:
        raise ValueError(f"{name!r}: {error}") from error


def _of_type(kind: Any) -> Callable[[Any], Any]:
    """Return a parser that takes values of a type, and strings that mean such values: ``bool("False")`` is true."""
    return partial(msgspec.convert, type=kind, strict=False)


def _number(low: int, high: int) -> Callable[[Any], Any]:
    return _of_type(Annotated[int, msgspec.Meta(ge=low, le=high)])


_boolean, _field_name = _of_type(bool), _of_type(Annotated[str, msgspec.Meta(pattern=r"\S")])


def _from_json(value: object, opening: str) -> object:
    """Decode a value in JSON, as the command line gives it; ``[role=banner]`` is no JSON, but a selector."""
    if isinstance(value, str) and value.lstrip().startswith(opening):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value


def _outputs(value: object) -> Mapping[str, Output]:
    value = _from_json(value, "{")
    if not isinstance(value, Mapping) or not value:
        raise ValueError(f"from item field to one of {', '.join(OUTPUT_NAMES)} or a function, with at least one entry")
    return MappingProxyType({_field_name(to): _entry(to, _output, output) for to, output in value.items()})


def _output(value: Any) -> Output:
    """Return an output: an attribute of ``CleanPage``, or a function of a ``CleanPage`` or the path of a function."""
    if value in OUTPUT_NAMES:
        return str(value)
    if not isinstance(value, str) or "." in value:
        function: Output = load_object(value)
        if callable(function):
            return function
    raise ValueError(f"{value!r} is no function of CleanPage and none of {', '.join(OUTPUT_NAMES)}")


def _selectors(value: object) -> tuple[str, ...]:
    value = _from_json(value, "[")
    # a string is a single selector, which may be a group: "a, b"
    selectors = [value] if isinstance(value, str) else value
    if not isinstance(selectors, (list, tuple, set, frozenset)):
        raise TypeError
    for selector in selectors:
        _entry(selector, Selectors, [selector])
    return tuple(selectors)


def _store(value: Any) -> str:
    try:
        check_store(value)
    except (ValueError, ImportError) as error:
        raise ValueError(str(error).replace("; allowed: ", "; ")) from None
    return str(os.fspath(value))


def _report(value: Any) -> str:
    path = os.fspath(value)
    if not isinstance(path, str) or not path.strip() or "\0" in path or path.endswith(("/", os.sep)):
        raise ValueError
    if unknown := set(_PLACEHOLDER.findall(path)) - {"name", "time"}:
        raise ValueError(f"%(name)s and %(time)s are replaced, %({min(unknown)})s is not")
    return path


def _setting(default: Any, parse: Callable[[Any], Any], allowed: str, doc: str) -> Any:
    """Return a field of the settings, with the description for docs and error messages."""
    return field(default=default, metadata={"parse": parse, "allowed": allowed, "doc": doc})


@dataclass(frozen=True, kw_only=True)
class TemplexSettings:
    """The settings of the plug-in; the field ``html_field`` is the setting ``TEMPLEX_HTML_FIELD``, and so on."""

    enabled: bool = _setting(True, _boolean, "True or False", "Switches the plug-in on or off.")  # noqa: FBT003
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
        "True or False",
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
        _of_type(Literal["mark", "drop"]),
        "None, mark, drop",
        "What to do with items whose page has the content of the last crawl: `mark` writes True into the field"
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
        known = {PREFIX + setting.name.upper(): setting for setting in fields(cls)}
        values: dict[str, Any] = {}
        for name in sorted(name for name in settings if name.upper().startswith(PREFIX)):
            if name not in known:
                # without the prefix, which would make any two names similar
                short = [other.removeprefix(PREFIX) for other in known]
                similar = difflib.get_close_matches(name.upper().removeprefix(PREFIX), short, n=1)
                hint = f"did you mean {PREFIX}{similar[0]}?" if similar else f"there are {', '.join(known)}"
                raise TemplexSettingsError(f"there is no setting {name}: {hint}")
            value, metadata = settings[name], known[name].metadata
            try:
                if value is not None:
                    values[known[name].name] = metadata["parse"](value)
            except Exception as error:
                hint = f" ({error})" if str(error) else ""
                raise _wrong(name, value, f"{metadata['allowed']}{hint}") from error
        checked = cls(**values)
        size = f"TEMPLEX_CS_SIZE, which is {checked.cs_size}"
        if checked.votes > checked.cs_size:
            raise _wrong("TEMPLEX_VOTES", checked.votes, f"1 to {size}")
        if checked.max_loads < checked.cs_size:
            raise _wrong("TEMPLEX_MAX_LOADS", checked.max_loads, f"{size}, to 1000")
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


def _wrong(name: str, value: object, allowed: str) -> TemplexSettingsError:
    return TemplexSettingsError(f"{name} = {value!r} is not allowed; allowed: {allowed}")
