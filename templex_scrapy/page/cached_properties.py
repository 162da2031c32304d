"""Values that are computed when they are asked for, once."""

from __future__ import annotations

import functools
import sys
from typing import Any, Self, TypeVar, overload

T = TypeVar("T")

if sys.version_info >= (3, 12):
    from functools import cached_property
else:

    class cached_property(functools.cached_property[T]):  # noqa: N801 - the name of what it replaces
        """``functools.cached_property`` as it is from Python 3.12 on.

        That of Python 3.11 has one lock for all instances: the event loop waited 1.6 s for a page of its own while a
        thread parsed another one.
        """

        @overload
        def __get__(self, instance: None, owner: type[Any] | None = None) -> Self: ...
        @overload
        def __get__(self, instance: object, owner: type[Any] | None = None) -> T: ...
        def __get__(self, instance: object | None, owner: type[Any] | None = None) -> Self | T:
            """Return the value; two threads that ask at the same time may both compute it."""
            if instance is None:
                return self
            value: T = self.func(instance)
            vars(instance)[self.func.__name__] = value
            return value


__all__ = ["cached_property"]
