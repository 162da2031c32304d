"""Cython's decorators, as they are in plain Python: they do nothing.

Modules that import this one are compiled. Then ``hatch_build.py`` puts Cython's own module in its place, and the types
that the decorators name, as strings, are those of C. So Cython is no dependency of what runs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

F = TypeVar("F")


def cfunc(function: F) -> F:
    """Mark a function that only one module calls, or modules that have it from a ``.pxd``: compiled, one of C."""
    return function


ccall = cfunc
"""Mark a function of C that Python may call as well."""


def returns(_type: object) -> Callable[[F], F]:
    """Name the type of the value that a function returns."""
    return cfunc


def locals(**_types: object) -> Callable[[F], F]:  # noqa: A001 - Cython's name
    """Name the types of arguments and variables of a function."""
    return cfunc


def declare(**_types: object) -> None:
    """Name the types of variables of a module; compiled, other modules do not see them."""
