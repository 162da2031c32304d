"""How Sphinx builds the documentation: ``tox -e docs``."""

from __future__ import annotations

from typing import Any

from sphinx.application import Sphinx

from templex_scrapy import __version__

project = "templex_scrapy"
author = "The templex_scrapy developers"
copyright = author  # noqa: A001 - Sphinx's name for it
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build", "README.md"]

# links between pages must lead somewhere; of Python names only those that the reference lists are linked
nitpicky = True
nitpick_ignore_regex = [(r"py:.*", r".*")]

myst_enable_extensions = ["deflist"]
myst_heading_anchors = 4

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_class_signature = "mixed"
autodoc_default_options = {"members": True}
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True
napoleon_use_rtype = False
add_module_names = False
python_use_unqualified_type_names = True

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
    """Connect the handler below before that of napoleon, whose priority is 500."""
    app.connect("autodoc-process-docstring", _keep_colons, priority=400)


def _keep_colons(*arguments: Any) -> None:
    """Keep napoleon from reading the words before a colon in an attribute's first sentence as its type."""
    _app, what, _name, _documented, _options, lines = arguments
    if what in {"attribute", "data", "property"}:
        lines[:0] = ["..", ""]  # an empty comment, which napoleon reads instead
