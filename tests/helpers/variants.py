"""Modules compiled, and the same sources as plain Python, both in this process."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import ModuleType
from typing import Any
from unittest.mock import patch

from templex_scrapy.compiled import IS_COMPILED, Sources

VARIANTS = ["compiled", "plain"] if IS_COMPILED else ["plain"]

_PACKAGE = "templex_scrapy"
_HELPERS = "helpers.made_sites", "helpers.detector_cases"  # make the pages of most tests
_plain: dict[str, ModuleType] = {}


def load(name: str, variant: str) -> ModuleType:
    """Import a module of the package in a variant, given its name without that of the package.

    The plain modules are a second package of the same name, known to this function alone: compiled modules call each
    other, so that a plain module needs plain modules around it.
    """
    name = f"{_PACKAGE}.{name}"
    if variant == "compiled" or not IS_COMPILED:
        return importlib.import_module(name)
    if name not in _plain:
        # the second package decides anew whether it runs compiled
        with patch.dict(os.environ, TEMPLEX_COMPILED="0"), _plain_in_use():
            importlib.import_module(name)
    return _plain[name]


@contextmanager
def imported(tests: ModuleType, variant: str) -> Iterator[None]:
    """Exchange what a module of tests, and helpers that it uses, import from the package."""
    helpers = [sys.modules[name] for name in _HELPERS if name in sys.modules]
    with ExitStack() as stack:
        for module in [tests, *helpers]:
            exchanged = {name: _in(variant, name, value) for name, value in vars(module).items()}
            stack.enter_context(patch.multiple(module, **exchanged))
        if variant == "plain" and IS_COMPILED:  # functions import modules as well
            stack.enter_context(_plain_in_use())
        yield


@contextmanager
def _plain_in_use() -> Iterator[None]:
    """Let imports give the modules of the second package."""
    shared = _taken()
    sys.modules.update(_plain)
    with patch.object(sys, "meta_path", [Sources, *sys.meta_path]):
        try:
            yield
        finally:
            _plain.update(_taken())
            sys.modules.update(shared)


def _in(variant: str, imported_as: str, value: Any) -> Any:
    """Return the function, class, module or constant of that name in a variant; all else as it is."""
    name = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
    if not isinstance(name, str) or not name.startswith(f"{_PACKAGE}."):
        return value
    module = load(name.removeprefix(f"{_PACKAGE}."), variant)
    return module if isinstance(value, ModuleType) else getattr(module, getattr(value, "__name__", imported_as), value)


def _taken() -> dict[str, ModuleType]:
    """Take the modules of the package out of those that are imported."""
    return {key: sys.modules.pop(key) for key in list(sys.modules) if key.partition(".")[0] == _PACKAGE}
