"""The size above which a page is left as it is, and how much work a page is; both read the source alone."""

from __future__ import annotations

import re

MAX_PAGE_SIZE = 2_000_000
"""Characters of a page above which it is left as it is."""

MAX_PAGE_TAGS = 40_000
"""Tags of a page above which it is left as it is: nearly twice as many as any of 1,249 saved pages has."""

MAX_ATTRIBUTES = 500
"""Attributes of an element above which the page is left as it is: libxml2 takes time in their square.

Of 4,076 saved pages none has an element with more than 200.
"""

_CHARACTERS = 50  # of text, that take as long as a tag
_ATTRIBUTE = r"""[\s/]*+[^\s/>][^\s/>=]*+(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s>]*+))?+"""
_ATTRIBUTES = rf"(?:{_ATTRIBUTE}){{0,{MAX_ATTRIBUTES}}}+[\s/]*+(?:>|\Z)"
# A comparison in a script, comment or textarea is no tag. But the parser may read tags where one of these seems to be,
# as in <textarea><script></textarea>: so there is a limit for these too, of four times the time. A script, which may
# be long, has none up to the first end of what else it may be in.
_COMPARISON = rf"<[a-z](?:{_ATTRIBUTE}){{0,{4 * MAX_ATTRIBUTES}}}+[\s/]*+(?:>|\Z)"
_NO_END = r"[^<-]++|-(?!-!?>)|<(?!/(?:iframe|noembed|noframes|script|style|textarea|title|xmp))"
_RAW_TEXT = "|".join(
    rf"<{name}(?=[\s/>]){_ATTRIBUTES}(?<!/>){start}(?:[^<]++|{_COMPARISON}|<(?![a-z]|/{name}))*+"
    for name, start in (("script", f"(?:{_NO_END})*+"), ("style", ""), ("textarea", ""))
)
_OF_FEW_ATTRIBUTES = re.compile(
    rf"(?:[^<]++|<!--(?:[^<-]++|-(?!->)|{_COMPARISON}|<(?![a-z]))*+|{_RAW_TEXT}|<[a-z]{_ATTRIBUTES}|<(?![a-z]))*+",
    re.IGNORECASE,
)
# an element with more attributes is longer than this, of two characters each, or has the end of a tag in a value
_MAY_HAVE_MORE = re.compile(rf"<[a-z][^>]{{{2 * MAX_ATTRIBUTES}}}", re.IGNORECASE)
_QUOTED_END = re.compile(r"""=\s*+(?:"[^">]*+>|'[^'>]*+>)""")


def is_too_large(text: str) -> bool:
    """Return whether a page is too large to be worked on; O(length)."""
    if len(text) > MAX_PAGE_SIZE or text.count("<") > MAX_PAGE_TAGS:
        return True
    # fifteen of sixteen pages are told in a third of the time
    if not (_MAY_HAVE_MORE.search(text) or _QUOTED_END.search(text)):
        return False
    return _OF_FEW_ATTRIBUTES.fullmatch(text) is None


def weight(text: str) -> int:
    """Return how much work a page is, in tags, or in attributes where it has more of these."""
    return max(text.count("<"), text.count("=")) + len(text) // _CHARACTERS
