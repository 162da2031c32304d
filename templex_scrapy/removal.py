"""From nodes that may go to what goes: the rules that keep a page readable."""

from __future__ import annotations

from templex_scrapy.page import Outline


def removal_roots(outline: Outline, gone: bytearray) -> tuple[int, ...]:
    """Roots of the largest subtrees that may go.

    Args:
        outline: the page's nodes.
        gone: as in ``Flags``; closed downwards.
    """
    roots = []
    position = gone.find(1)
    while position >= 0:
        end = position + outline.sizes[position]
        if _says_something(outline, position, end):
            roots.append(position)
        position = gone.find(1, end)
    return tuple(roots)


_SPEAKING = ("<a ", "<img", "<input", "<svg", "<button", "<select", "<textarea", "<video", "<audio", "<object", "<embed")


def _says_something(outline: Outline, start: int, end: int) -> bool:
    """Whether a subtree holds text, a link or media; a rule or a spacer alone is left where it is."""
    if outline.texts[start:end].count(None) < end - start:
        return True
    return any(label.startswith(_SPEAKING) for label in outline.labels[start:end])
