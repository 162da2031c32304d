"""The class names with which TeCo's pages carry their gold standard."""

from __future__ import annotations

import re

LABEL = "TECO_"
"""How these class names begin."""

_WRITTEN_CLASS = re.compile(r"""(\sclass\s*=\s*)("[^"]*"|'[^']*'|[^\s>"']+)""", re.IGNORECASE)


def without_labels(source: str) -> str:
    """Remove the class names of the gold standard from a page's source; O(length of the source).

    A ``class`` attribute that is left empty is removed.
    """
    return _WRITTEN_CLASS.sub(_rewritten, source) if LABEL in source else source


def _rewritten(written: re.Match[str]) -> str:
    start, value = written.groups()
    if LABEL not in value:
        return written[0]
    quote = value[0] if value[0] in "\"'" else ""
    names = [name for name in value.strip("\"'").split() if not name.startswith(LABEL)]
    return f"{start}{quote}{' '.join(names)}{quote}" if names else ""
