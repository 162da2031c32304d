"""Miniature suites in each layout, written into a folder."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from pathlib import Path

PAGES = ("index.html", "news.html", "shop.html", "about.html", "docs/one.html", "docs/two.html")
STORY = "The weir was rebuilt in spring, and the mill race runs again behind the {name} house."


def saved_page(name: str, *, root: str = "") -> str:
    """A page with a menu, a story about the name and a footer; ``root`` leads from its folder to that of the site."""
    menu = "".join(f'<li><a href="{root}{path}">{path.partition(".")[0]}</a></li>' for path in PAGES)
    return (
        f"<!DOCTYPE html><html><head><title>{name}</title></head><body><ul>{menu}</ul><div class='story'>"
        f"<h1>{name}</h1><p>{STORY.format(name=name)}</p></div>"
        "<div>All rights reserved by the miller</div></body></html>"
    )


def write(folder: Path, files: Mapping[str, str]) -> Path:
    """Write files into a folder that is made if it is not there."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return folder


def pages_of(site: str) -> dict[str, str]:
    return {path: saved_page(f"{site} {path.partition('.')[0]}", root="../" * path.count("/")) for path in PAGES}


def selected(folder: Path, *, sites: int = 2) -> Path:
    """The layout with selectors."""
    for number in range(sites):
        name = f"site{number}"
        manifest = {
            "category": "blog" if number % 2 else "shop",
            "base_url": f"https://{name}.example/",
            "pages": list(PAGES),
            "gold": {
                "key_pages": ["index.html", "docs/one.html"],
                "not_template": ["div.story"],
                "main_content": ["div.story"],
                "main_menu": "ul",
            },
        }
        write(folder / name, {"site.json": json.dumps(manifest)})
        write(folder / name / "www", pages_of(name))
    return folder


def wcxb(folder: Path, *, values: Mapping[str, list[str]] | None = None) -> Path:
    """WCXB's layout: one group of three pages, packed, and one of one; with snippets, or with labelled values."""
    (folder / "pages").mkdir(parents=True)
    groups: dict[str, list[dict[str, object]]] = {"mill.example": [], "alone.example": []}
    for number, name in enumerate(("alpha", "beta", "gamma", "delta")):
        site = "alone.example" if name == "delta" else "mill.example"
        entry = {"id": f"{number:04}", "url": f"https://{site}/{name}", "page_type": "article" if number else "forum"}
        gold = {"main_content": f"{name}\n\n{STORY.format(name=name)}", "with": ["The weir"], "without": ["All rights"]}
        groups[site].append({**entry, **(gold if values is None else {"values": values})})
        (folder / "pages" / f"{number:04}.html.gz").write_bytes(gzip.compress(saved_page(name).encode()))
    return write(folder, {"groups.json": json.dumps(groups)})
