"""Values with their sources, and names of authors."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from typing import NamedTuple

_ADDRESS = re.compile(r"https?:|@\w+\.\w|[\w-]{3}\.[a-z]{2,}(?:/|$)")  # the definition of article:author asks for one
# "Written by Ann Lee | 3 May"
_BY = re.compile(
    r"(?:(?:(?:written|posted|published|view all posts|erstellt|geschrieben|verfasst|alles|alle beiträge) )?"
    r"(?:by|von|par|por)[: ]|(?:author|autore?|auteur|text) ?:)\s*",
    re.IGNORECASE,
)
_BEHIND_NAME = re.compile(r"\s*[|•·]\s.*|[,\s]+\d.*")
_NOT_IN_A_LINE = re.compile("[\\x00-\\x1f\\x7f\ud800-\udfff]")  # feeds cannot write lone surrogates

LONGEST_NAME = 100
"""Characters. A longer text is a sentence on an author."""


class Sourced(NamedTuple):
    """A value and its source, as :attr:`CleanPage.metadata` names it."""

    value: str
    source: str


def author_of(texts: Iterable[str], source: str) -> Sourced | None:
    """Return the names in some texts as a single value; None if there are none."""
    names = []
    for text in texts:
        name = line_of(text)
        by = _BY.match(name)
        # "Von Hardesty" is a name, where nothing but a name is expected
        if by and (source == "name" or by[0] not in {"Von ", "Par "}):
            name = name[by.end() :]
        name = (_BEHIND_NAME.sub("", name) if source == "name" else name).strip(" ,:;|-")
        if name and len(name) <= LONGEST_NAME and not _ADDRESS.search(name):
            names.append(name)
    return Sourced(", ".join(dict.fromkeys(names)), source) if names else None


def line_of(text: str) -> str:
    """Return a text on a line, without references and characters that feeds cannot write."""
    return " ".join(_NOT_IN_A_LINE.sub(" ", html.unescape(text)).split())
