"""The texts of the demo site, read from the folder `material`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

MATERIAL = Path(__file__).parent / "material"

_ENTRY = re.compile(r"^=== *(\S+) *\n(.*?)(?=^=== |\Z)", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One article, journal page or product: `key: value` lines, an empty line, then its prose."""

    key: str
    fields: Mapping[str, str]
    body: str

    def __getitem__(self, name: str) -> str:
        """The value of a field; a missing one is a mistake in the material."""
        return self.fields[name]


def load_entries(language: str, name: str) -> list[Entry]:
    """Read the entries of one file, in file order.

    Args:
        language: the folder, "en" or "es".
        name: the file without its suffix, such as "repairs".
    """
    text = (MATERIAL / language / f"{name}.txt").read_text(encoding="utf-8")
    return [_entry(key, block) for key, block in _ENTRY.findall(text)]


def load_style(name: str) -> str:
    """Read a style sheet of the site."""
    return (MATERIAL / f"{name}.css").read_text(encoding="utf-8").strip()


def _entry(key: str, block: str) -> Entry:
    head, _, body = block.partition("\n\n")
    fields = dict(line.split(": ", 1) for line in head.splitlines())
    return Entry(key=key, fields=fields, body=body.strip())
