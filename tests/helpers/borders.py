"""Numbers of rules, moved to see that pages at their border notice it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest


def borders_in(names: dict[str, Any]) -> dict[str, Callable[[], None]]:
    """The checks of a module whose names begin with border_of_, by the name of the number."""
    return {name.removeprefix("border_of_"): check for name, check in names.items() if name.startswith("border_of_")}


@contextmanager
def moved(rules: Any, name: str, factor: float) -> Iterator[None]:
    """Move a number; a whole one to the next whole one at least that far away."""
    value = getattr(rules, name)
    away = math.ceil if factor > 1 else math.floor
    object.__setattr__(rules, name, away(value * factor) if isinstance(value, int) else value * factor)
    try:
        yield
    finally:
        object.__setattr__(rules, name, value)


def check_border(rules: Any, name: str, check: Callable[[], None]) -> None:
    """Run a check, and see that it fails where the number is a quarter less or more."""
    check()
    for factor in (0.75, 1.25):
        with moved(rules, name, factor), pytest.raises(AssertionError):
            check()
