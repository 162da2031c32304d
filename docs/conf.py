"""How Sphinx builds the documentation: ``python3 dev.py docs``."""

from __future__ import annotations

import re
from pathlib import Path

from sphinx.application import Sphinx

from templex_scrapy import __version__

project = "templex_scrapy"
author = "The templex_scrapy developers"
copyright = author  # noqa: A001 - Sphinx's name for it
version = release = __version__

extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build", "README.md"]
nitpicky = True  # links between pages must lead somewhere
myst_heading_anchors = 4

html_theme = "furo"
html_title = f"templex_scrapy {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0b6e63", "color-brand-content": "#0b6e63"},
    "dark_css_variables": {"color-brand-primary": "#5fd0c0", "color-brand-content": "#5fd0c0"},
}
pygments_style = "friendly"
pygments_dark_style = "monokai"


def setup(app: Sphinx) -> None:
    """Connect the handler below."""
    app.connect("source-read", _expand)


def _expand(app: Sphinx, page: str, source: list[str]) -> None:
    """Give Sphinx the directives that a code host would show as they are: tables of contents and the changes."""
    if page == "changes":
        source[0] = (Path(app.srcdir).parent / "CHANGELOG.md").read_text(encoding="utf-8")
    if page.endswith("index"):
        for section in re.split(r"^#+ ", source[0], flags=re.MULTILINE):
            links = re.findall(r"^- \[.*?\]\((\S+)\.md\)", section, re.MULTILINE)
            directive = ["", "```{toctree}", f":caption: {section.partition(chr(10))[0]}", ":hidden:", *links, "```"]
            source[0] += "\n".join([*directive, ""] if links else [])
