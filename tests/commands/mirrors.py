"""Saved sites for tests that need no network."""

from __future__ import annotations

from pathlib import Path

from crawling import page

NAMES = ("index", "news", "shop", "about")


def write(file: Path, source: str | bytes) -> Path:
    """Write a file, and the folders that it is in."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(source.encode() if isinstance(source, str) else source)
    return file


def mirror(folder: Path, links: str = "{name}.html", *, head: str = "") -> Path:
    """Four pages that link to each other, one file for each; ``links`` is how a link to one is written."""
    menu = [links.format(name=name) for name in NAMES]
    for name in NAMES:
        write(folder / f"{name}.html", page(f"/{name}", menu=menu, head=head.format(name=name)))
    return folder
