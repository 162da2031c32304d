"""Decide whether the passes over all nodes run compiled or as plain Python.

Some modules are compiled when the package is built, where that can be done (``hatch_build.py``). With
``TEMPLEX_COMPILED=0`` in the environment they run as plain Python all the same; with 1, it is an error if they do not
run compiled. A development install has the digests of their sources beside this module: after a source was edited,
all of them run as plain Python, since compiled modules call each other.
"""

from __future__ import annotations

import hashlib
import os
import sys
import warnings
from collections.abc import Sequence
from importlib.machinery import EXTENSION_SUFFIXES, ModuleSpec
from importlib.metadata import version
from importlib.util import spec_from_file_location
from pathlib import Path

_PACKAGE = __name__.partition(".")[0]
_FOLDER = Path(__file__).parent
_ASKED = os.environ.get("TEMPLEX_COMPILED", "")


class Sources:
    """Finds the sources of all modules of the package, so that none is loaded compiled."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None, _: object = None) -> ModuleSpec | None:
        """Return where the source of a module is; None for packages, and for modules of others."""
        if path is None or not name.startswith(f"{_PACKAGE}."):
            return None
        source = Path(path[0], f"{name.rpartition('.')[2]}.py")
        return spec_from_file_location(name, source) if source.exists() else None


def edited(folder: Path = _FOLDER) -> list[str]:
    """Return the sources that differ from what was compiled, given the folder of the package.

    The lines of ``compiled.sha256`` are those of ``sha256sum``. Only development installs have that file.
    """
    digests = folder / "compiled.sha256"
    lines = digests.read_text("utf-8").splitlines() if digests.exists() else []
    compiled = {name: digest for digest, name in map(str.split, lines)}
    return [name for name, digest in compiled.items() if digest_of(folder / name) != digest]


def digest_of(source: Path) -> str:
    """Return the SHA-256 of a file; empty if there is none."""
    return hashlib.sha256(source.read_bytes()).hexdigest() if source.exists() else ""


if _ASKED not in {"", "0", "1"}:
    raise ImportError(f"TEMPLEX_COMPILED is {_ASKED!r}: allowed are 0 and 1")

_EDITED = [] if _ASKED == "0" else edited()
if _EDITED:
    _told = f"{', '.join(_EDITED)} edited after the last compilation; `pip install -e .` compiles again"
    if _ASKED == "1":
        raise ImportError(f"TEMPLEX_COMPILED is 1, but the compiled modules are out of date: {_told}")
    warnings.warn(f"templex_scrapy runs as plain Python, ten times slower: {_told}", RuntimeWarning, stacklevel=2)
if _ASKED == "0" or _EDITED:
    sys.meta_path.insert(0, Sources)

_BUILT = (_FOLDER / "page" / f"reader{suffix}" for suffix in EXTENSION_SUFFIXES)
IS_COMPILED = _ASKED != "0" and not _EDITED and any(path.exists() for path in _BUILT)
"""True if the compiled modules are in use."""

if _ASKED == "1" and not IS_COMPILED:
    raise ImportError("TEMPLEX_COMPILED is 1, but this installation of templex_scrapy is plain Python")


def running() -> str:
    """Return the version that runs, and how."""
    return f"{_PACKAGE} {version('templex-scrapy')}, {'compiled' if IS_COMPILED else 'plain Python'}"
