"""How Sphinx builds the documentation: `python dev.py docs`."""

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

# Every reference has to lead somewhere; names of other projects do not, since a build needs no network.
nitpicky = True
nitpick_ignore_regex = [
    (r"py:.*", r"(?:collections|cssselect|datetime|enum|lxml|os|pathlib|scrapy|types|typing)\..*"),
    (r"py:.*", r"(?:Self|Any|BaseSettings|Collection|Iterable|Iterator|Callable|Mapping|Sequence|Element|tuple\[str)"),
    # parts of public objects that are none themselves
    (r"py:.*", r"templex_scrapy\.(?:clean|findings|match|arrays|page|readings|seen)\..*"),
    (r"py:.*", r"templex_scrapy\.stores\.(?:counts|protocol)\..*"),
    (r"py:data", r"MAX_STEPS"),
    # the reference goes by objects, not by modules
    (r"py:mod", r"templex_scrapy\..*"),
]

myst_enable_extensions = ["attrs_block", "colon_fence", "deflist"]
myst_heading_anchors = 4
myst_links_external_new_tab = False

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_class_signature = "mixed"
autodoc_default_options = {"members": True}
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True
napoleon_use_rtype = False
napoleon_custom_sections = [("Complexity", "notes_style")]
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
    """Called by Sphinx."""
    # before napoleon, whose handler has the usual priority of 500
    app.connect("autodoc-process-docstring", _keep_colons, priority=400)


def _keep_colons(*arguments: Any) -> None:
    """Keep napoleon from taking what stands before a colon in an attribute's first sentence for its type."""
    _app, what, _name, _documented, _options, lines = arguments
    if what in {"attribute", "data", "property"}:
        lines[:0] = ["..", ""]  # an empty comment, which napoleon takes for the first sentence
