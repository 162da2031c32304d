"""Whether the passes over all nodes run compiled or as plain Python.

Modules with a ``.pxd`` beside them are compiled when the package is built, where that can be done (``hatch_build.py``).
With ``TEMPLEX_COMPILED=0`` in the environment they run as plain Python all the same; with 1, it is an error if they do
not run compiled.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib.machinery import EXTENSION_SUFFIXES, ModuleSpec
from importlib.metadata import version
from importlib.util import spec_from_file_location
from pathlib import Path

_PACKAGE = __name__.partition(".")[0]
_ASKED = os.environ.get("TEMPLEX_COMPILED", "")


class _Sources:
    """Finds the sources of modules that are compiled."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None, _: object = None) -> ModuleSpec | None:
        """Return where a module is; None for all that are not compiled."""
        if path is None or not name.startswith(f"{_PACKAGE}."):
            return None
        source = Path(path[0], f"{name.rpartition('.')[2]}.py")
        return spec_from_file_location(name, source) if source.with_suffix(".pxd").exists() else None


if _ASKED not in {"", "0", "1"}:
    raise ImportError(f"TEMPLEX_COMPILED is {_ASKED!r}: allowed are 0 and 1")
if _ASKED == "0":
    sys.meta_path.insert(0, _Sources)

_BUILT = (Path(__file__).parent / "page" / f"_scan{suffix}" for suffix in EXTENSION_SUFFIXES)
IS_COMPILED = _ASKED != "0" and any(path.exists() for path in _BUILT)
"""Whether they run compiled: all that have types, or none."""

IS_ASKED_FOR = _ASKED == "1"
"""Whether it is an error if they do not run as they were built."""

if IS_ASKED_FOR and not IS_COMPILED:
    raise ImportError("TEMPLEX_COMPILED is 1, but this installation of templex_scrapy is plain Python")

NOTES: list[str] = []
"""What does not run as it was built, and why; from the modules that find out."""


def running() -> str:
    """Return the version that runs, and how; with all notes once the room of pages was imported."""
    how = "compiled" if IS_COMPILED else "plain Python"
    return "; ".join([f"{_PACKAGE} {version('templex-scrapy')}, {how}", *NOTES])
