"""Texts, code, links and lists as a CommonMark reader reads them back."""

from __future__ import annotations

import re
from itertools import pairwise

_SPACES = re.compile(r"[ \t\n\r\f]+")
# "*note*" and "_x_" in a text are no emphasis; snake_case, "1 < 2" and "R&D" are read as they stand
_SPECIAL = re.compile(r"[\\`*\[\]]|(?<!\w)_|_(?!\w)|<(?=[a-zA-Z/!?])|&(?=#?\w+;)|~(?=~)|(?<=~)~")
HAS_SIGNS = re.compile(r"[\\`*\[\]_<&~$]")
"""Finds a sign in a text that may have to be escaped, in a tenth of the time."""

_WITH_BACKSLASH = r"\\\g<0>"
# GitHub's reader makes a link of an address up to the next space or "<"
_ADDRESS_OR_SPECIAL = re.compile(
    r"www\.[^\s<*`\[\]]+|(https?://[^\s<>*`\[\]\"]*[^\s<>*`\[\]\".,;:!?')])([^\s<]*)(?=(<[a-zA-Z/!?])?)|"
    + _SPECIAL.pattern
)
# a paragraph "1986. A great year" is no list, and "# 1 in the charts" no heading
_BLOCK_START = re.compile(r"(?:#{1,6}(?=\s|$)|[-+](?=\s|$)|>|[-=]+(?=\s*$)|~~~)|\d{1,9}(?=[.)](?:\s|$))")
# a block right below the first line of an item is in a list: an ordered one only if it begins with 1
_LIST = re.compile(r"[-*] |1[.)] ")
# 9,999 is the highest number that an ordered list starts with: the digits are an indentation
_NUMBER = re.compile(r"\s*0*(\d{1,4})\s*", re.ASCII)
_CLOSING = re.compile(r"(?<=\s)#+$")


def escaped(text: str, *, is_linked: bool = False) -> str:
    """Return a text with backslashes before signs that would be marks; in a link no address becomes another link."""
    if is_linked or ("://" not in text and "www." not in text):
        return _SPECIAL.sub(_WITH_BACKSLASH, text)
    return _ADDRESS_OR_SPECIAL.sub(_beside_address, text)


def _beside_address(match: re.Match[str]) -> str:
    address, behind, tag = match.groups()
    if address is None:
        return match[0] if match[0].startswith("www") else f"\\{match[0]}"
    # within an address a backslash is no escape, and __init__ is emphasis to readers that make no link of it
    if tag or _SPECIAL.search(address + behind):
        return f"<{address}>{_SPECIAL.sub(_WITH_BACKSLASH, behind)}"
    return match[0]


def paragraph_line(line: str) -> str:
    """Return a line of a paragraph that does not begin like a heading, an item or a quote."""
    mark = None if line[:1].isalpha() else _BLOCK_START.match(line)
    if mark is None:
        return line
    return f"{mark[0]}\\{line[mark.end() :]}" if mark[0].isdigit() else f"\\{line}"


def heading(level: int, text: str) -> str:
    """Return a heading; of "# C #" the last sign is no text."""
    return f"{'#' * level} {_CLOSING.sub(_WITH_BACKSLASH, text)}"


def collapsed(text: str) -> str:
    """Return a text with one space for each row of white space; a no-break space is none."""
    for space in "\n\t\r\f":
        if space in text:
            text = text.replace(space, " ")
    while "  " in text:
        text = text.replace("  ", " ")
    return text


def link(words: str, target: str) -> str:
    """Return a link, with the spaces around the words outside."""
    core = words.strip(" \t\n\r\f")
    return f"{' ' * words[:1].isspace()}[{core}]({target}){' ' * words[-1:].isspace()}"


def target_of(address: str) -> str:
    """Return an address as the target of a link."""
    # of [x](/wiki/Mercury_(planet)) some readers end the address at the first parenthesis
    target = _SPACES.sub("%20", address.strip()).replace("<", "%3C").replace(">", "%3E").replace("\\", "%5C")
    return f"<{target}>" if "(" in target or ")" in target else target


def code_span(code: str) -> str:
    """Return code within a line, with the spaces around it outside."""
    words = _SPACES.sub(" ", code).strip()
    if not words:
        return " " if code else ""
    fence = "`" * (1 + _longest_run(words))
    pad = " " if "`" in (words[0], words[-1]) else ""
    return f"{' ' * code[0].isspace()}{fence}{pad}{words}{pad}{fence}{' ' * code[-1].isspace()}"


def code_block(code: str, language: str) -> str:
    """Return lines of code between fences."""
    fence = "`" * max(3, 1 + _longest_run(code))
    return f"{fence}{language}\n{code}\n{fence}"


def _longest_run(code: str) -> int:
    return max(map(len, re.findall("`+", code)), default=0)


def number_of(value: str, default: int) -> int:
    """Return the number that an attribute gives; the default if it gives none, or if the number is too high."""
    number = _NUMBER.fullmatch(value)
    return default if number is None else int(number[1])


def lists_of(items: list[tuple[int, list[str]]], before: str, *, is_numbered: bool) -> list[str]:
    """Return the blocks of a list of numbers and blocks: several lists if the numbers are not consecutive.

    Right behind a list, the block ``before``, the signs are others, so that a reader sees two lists.
    """
    lists: list[str] = []
    # a reader counts on
    starts = [at for at in range(len(items)) if not at or (is_numbered and items[at][0] != items[at - 1][0] + 1)]
    for start, end in pairwise([*starts, len(items)]):
        numbers, contents = zip(*items[start:end], strict=True)
        if is_numbered:
            sign = ")" if re.match(r"\d+\. ", before) else "."
            marks = [f"{number}{sign} " for number in numbers]
        else:
            marks = ["* " if before.startswith("- ") else "- "] * len(contents)
        # a list without blank lines is shown with less space; a list of paragraphs needs them
        gap = "\n" if all(_LIST.match(block) for blocks in contents for block in blocks[1:]) else "\n\n"
        lines = []
        for mark, blocks in zip(marks, contents, strict=True):
            item = gap.join(blocks).replace("\n", "\n" + " " * len(mark))
            lines.append(mark + re.sub(r"\n +(?=\n)", "\n", item))
        before = "\n".join(lines)
        lists.append(before)
    return lists
