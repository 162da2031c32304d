"""Values that are computed when they are asked for, once."""

from __future__ import annotations

import functools
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING or sys.version_info >= (3, 12):
    from functools import cached_property
else:

    class cached_property(functools.cached_property):  # noqa: N801 - the name of what it replaces
        """``functools.cached_property`` as it is from Python 3.12 on: two threads that ask at once may both compute.

        That of Python 3.11 has one lock for all instances: the event loop waited 1.6 s for a page of its own while a
        thread parsed another one.
        """

        def __get__(self, instance, owner=None):
            if instance is None:
                return self
            value = vars(instance)[self.attrname] = self.func(instance)
            return value


__all__ = ["cached_property"]
