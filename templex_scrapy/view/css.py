"""CSS of the page without anything that a browser would load.

The content security policy of the view blocks all requests anyway. This filter keeps the browser from reporting them as
errors, and is a second layer of protection. It works on the source: every loading function is replaced wherever its
name occurs, in comments and strings too, so that it does not depend on how a browser splits CSS into tokens.
"""

from __future__ import annotations

import re

LOST = "data:image/svg+xml,%3Csvg%20xmlns=%22http://www.w3.org/2000/svg%22%20id=%22templex-picture%22/%3E"
"""An empty picture in place of a background picture that the view does not have; view.js looks for it."""

MAX_LENGTH = 2_000_000
"""Characters of a style sheet. Longer ones are left out."""

MAX_STYLE = 20_000
"""Characters of a ``style`` attribute. Longer ones are left out."""

MAX_WRITTEN = 2 * MAX_LENGTH
"""Characters of a filtered style sheet; ``url()`` becomes longer."""

_ESCAPE = re.compile(r"\\(?:([0-9a-f]{1,6})(?:\r\n|[ \t\r\n\f])?|(.))", re.IGNORECASE | re.DOTALL)
_IMPORT = re.compile(r"@import", re.IGNORECASE)
_URL = re.compile(
    r"""url\(\s*+(?:"((?:[^"\\\n]|\\.)*+)"|'((?:[^'\\\n]|\\.)*+)'|((?:[^"'()\\\s]|\\.)*+))\s*+\)""",
    re.IGNORECASE | re.DOTALL,
)
_OTHER_LOADING = re.compile(r"(?:src|image|image-set|cross-fade)\(", re.IGNORECASE)
_LOCAL = re.compile(r"\s*(?:data:(?:image|font|application)/|#)", re.IGNORECASE)
_BACKGROUND = re.compile(r"\s*background(?:-image)?\s*:", re.IGNORECASE)
_IMPORTANT = re.compile(r"(?:!(?:\s|/\*.*?\*/)*+)++important", re.IGNORECASE | re.DOTALL)
_LETTERS = frozenset("-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_WINDOW = 300  # characters before a url() in which the beginning of its declaration is searched


def filter_css(css: str) -> str:
    """Remove from CSS what loads a resource; O(length).

    ``data:`` URLs of images and fonts and references into the page (``url(#shape)``) are kept.

    Returns:
        CSS that can be written into a ``style`` element. Empty if the source or the result is too long.
    """
    if len(css) > MAX_LENGTH:
        return ""
    css = _IMPORT.sub("@templex-none", _ESCAPE.sub(_decoded_letter, css))
    css = _OTHER_LOADING.sub("templex-none(", _without_urls(css))
    return css.replace("</", r"<\/") if len(css) <= MAX_WRITTEN else ""


def filter_style(declarations: str) -> str:
    """Filter the value of a ``style`` attribute. ``!important`` is removed, as it would override the view's rules."""
    if len(declarations) > MAX_STYLE:
        return ""
    filtered = _IMPORTANT.sub("", filter_css(declarations))
    return "" if _IMPORTANT.search(filtered) else filtered


def _decoded_letter(escape: re.Match[str]) -> str:
    """Return the letter or hyphen that an escape stands for, which means the same. Return other escapes unchanged."""
    code, written = escape.groups()
    character = written or (chr(int(code, 16)) if int(code, 16) < 128 else "")
    return character if character in _LETTERS else escape[0]


def _without_urls(css: str) -> str:
    parts, end = [], 0
    for found in re.finditer(r"url\(", css, re.IGNORECASE):
        if found.start() < end:
            continue
        parts.append(css[end : found.start()])
        url = _URL.match(css, found.start())
        end = url.end() if url is not None else found.end()
        if url is None:
            parts.append("templex-none(")
        elif _LOCAL.match(url[1] or url[2] or url[3] or ""):
            parts.append(url[0])
        else:
            parts.append(f"url({LOST})" if _is_background(css, found.start()) else "none")
    return "".join([*parts, css[end:]])


def _is_background(css: str, at: int) -> bool:
    declaration = max(css.rfind(mark, max(0, at - _WINDOW), at) for mark in ";{}") + 1
    return _BACKGROUND.match(css, declaration, at) is not None
