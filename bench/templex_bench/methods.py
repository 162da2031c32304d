"""The methods to measure: detectors, templex itself, peers, and functions of users."""

from __future__ import annotations

import importlib
import json
import operator
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal

from templex_bench.detectors import DETECTORS, Find, Found, Method, Target
from templex_bench.peers import PEERS, Peer
from templex_bench.suites import SuiteError
from templex_scrapy.page import Page
from templex_scrapy.template import Template, votes_for


def _of_peer(peer: Peer) -> Method:
    def load() -> Find:
        extract = peer.load()
        if peer.of_site:
            return lambda key, pages: Found(text=extract(key.text, key.url, [(page.text, page.url) for page in pages]))
        return lambda key, _pages: Found(text=extract(key.text, key.url))

    level: Literal["page", "site"] = "site" if peer.of_site else "page"
    title = peer.title or peer.package
    return Method(peer.name, title, "peer", "content", level, load, whole_site=peer.of_site)


def _templex(key: Page, pages: Sequence[Page], votes: int = 0) -> Found:
    """Return the text of the cleaned page, as in the items of a crawl; of a whole site, the template has grown."""
    template = Template.from_pages(key, pages, votes or votes_for(len(pages), 2))
    return Found(text=template.match(key).clean.text)


_OWN = (
    Method("templex", "templex cleaned page", "own", "content", "site", lambda: _templex, votes=True),
    Method(
        "templex-site",
        "templex cleaned page, as crawled",
        "own",
        "content",
        "site",
        lambda: _templex,
        whole_site=True,
    ),
)

METHODS: Mapping[str, Method] = {
    **DETECTORS,
    **{method.name: method for method in _OWN},
    **{name: _of_peer(peer) for name, peer in PEERS.items()},
}
"""All methods that come with the bench, by name: detectors, own, peers."""

_TARGETS: Mapping[str, Target] = {"template": "template", "content": "content", "menu": "menu", "text": "content"}
_FORM = f"SHAPE=package.module:function or SHAPE=file.jsonl, SHAPE one of {', '.join(_TARGETS)}"
PREDICTIONS = ".jsonl"
"""The suffix of a file with texts that another system extracted: a JSON object a line with ``url`` and ``text``."""


def method_named(name: str) -> Method:
    """Return a method of the bench, or one made of a user's function: ``SHAPE=package.module:function``.

    A function of the shape ``text`` gets the source of a page and its address; the others get the key page and the
    pages of its complete subdigraph. It returns text, positions of nodes, one position, or None. A file
    (:data:`PREDICTIONS`) may stand in place of module and function.

    Raises:
        SuiteError: if there is no such method, or its name has another form.
    """
    if name in METHODS:
        return METHODS[name]
    shape, _, path = name.rpartition("=")
    predicted = path.endswith(PREDICTIONS)
    if shape not in _TARGETS or not (predicted or all(path.partition(":"))):
        raise SuiteError(f"there is no detector {name!r}; there are {', '.join(METHODS)}, and yours: {_FORM}")
    load = partial(_predicted, path) if predicted else partial(_yours, shape, path)
    return Method(name, path, "yours", _TARGETS[shape], "page" if shape == "text" else "site", load)


def _yours(shape: str, path: str) -> Find:
    function = _imported(path)

    def find(key: Page, pages: Sequence[Page]) -> Found:
        found = function(key.text, key.url) if shape == "text" else function(key, pages)
        if shape == "text":
            return Found(text=found or "")
        positions = () if found is None else found if isinstance(found, Iterable) else [found]
        nodes = frozenset(map(operator.index, positions))
        if wrong := nodes.difference(range(len(key))):
            raise ValueError(f"{path} returns {min(wrong)}: the page has the nodes 0 to {len(key) - 1}")
        return Found(nodes=nodes)

    return find


def _predicted(path: str) -> Find:
    """Return the texts of a file by address; a page that the file lacks has no text."""
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
        texts = {line["url"]: line.get("text") or "" for line in map(json.loads, filter(None, lines))}
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise SuiteError(f"{path} is no file of predictions: {type(error).__name__}: {error}") from error
    return lambda key, _pages: Found(text=texts.get(key.url, ""))


def _imported(path: str) -> Callable[..., Any]:
    # a script in the working directory, as `python -m` would find it
    if "" not in sys.path:
        sys.path.insert(0, "")
    module, _, function = path.partition(":")
    try:
        found: Callable[..., Any] = getattr(importlib.import_module(module), function)
    except (Exception, SystemExit) as error:  # whatever importing anybody's module raises
        raise SuiteError(f"{path} cannot be loaded: {type(error).__name__}: {error}") from error
    return found
