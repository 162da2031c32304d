"""The short result that a person reads."""

from __future__ import annotations

from collections.abc import Iterator

from templex_scrapy.commands.finding import Finding
from templex_scrapy.commands.terminal import printable

MENU_LINKS = 12
"""Links of the menu that are listed; of further ones the number is told."""

_LABEL = 10
_LINK_TEXT = 28


def summary(finding: Finding) -> str:
    """What was found, in a few lines."""
    lines = [printable(finding.name), *(f"  {line}" for line in _lines(finding))]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _lines(finding: Finding) -> Iterator[str]:
    search = finding.search
    if finding.found:
        yield _row("template", f"found, coverage {finding.match.coverage:.0%}{_shortage(finding)}")
    else:
        yield _row("template", f"not found: {finding.why_not}")
    for number, page in enumerate(finding.pages):
        yield _row("" if number else "pages", printable(page.url))
    deadline = ", then the time was up" if finding.timed_out else ""
    yield _row("loads", f"{search.loads:,} of {len(search.candidates):,} linked pages{deadline}")
    if finding.found:
        yield _row("words", _words(finding))
    yield from _menu(finding)


def _shortage(finding: Finding) -> str:
    missing = finding.search.size - len(finding.pages)
    return f" (by {len(finding.pages)} pages; {finding.search.size} were looked for)" if missing > 0 else ""


def _words(finding: Finding) -> str:
    before, after = finding.words
    if finding.cleaned.kept_whole:
        return f"{before:,}; nothing would be left, so the page stays whole"
    share = f": {1 - after / before:.0%} taken out" if before else ""
    return f"{before:,} before, {after:,} after{share}"


def _menu(finding: Finding) -> Iterator[str]:
    links = finding.menu_links
    if not links:
        yield _row("menu", "none found")
        return
    shown = links[:MENU_LINKS]
    width = min(max(len(printable(link.text)) for link in shown), _LINK_TEXT)
    for number, link in enumerate(shown):
        text = printable(link.text)
        short = text if len(text) <= width else text[: width - 1] + "…"
        yield _row("" if number else "menu", f"{short:<{width}}  {printable(link.url)}")
    if len(links) > MENU_LINKS:
        yield _row("", f"and {len(links) - MENU_LINKS:,} more")


def _row(label: str, text: str) -> str:
    return f"{label:<{_LABEL}}{text}"
