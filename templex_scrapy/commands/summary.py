"""The short result that a person reads."""

from __future__ import annotations

from collections.abc import Iterator
from unicodedata import combining, east_asian_width

from templex_scrapy.commands.finding import Finding
from templex_scrapy.commands.terminal import printable
from templex_scrapy.crawl.summary import percent, share

MENU_LINKS = 12
"""Links of the menu that are listed; of further ones the number is told."""

_LABEL = 10
_LINK_TEXT = 28  # columns


def summary(finding: Finding) -> str:
    """What was found, in a few lines."""
    lines = [printable(finding.name), *(f"  {line}" for line in _lines(finding))]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _lines(finding: Finding) -> Iterator[str]:
    search = finding.search
    if finding.found:
        # coverage would say nothing: the page is laid over a template of its own, which it covers
        yield _row("template", f"found, {percent(finding.template_share)} of the page's nodes{_shortage(finding)}")
    else:
        yield _row("template", f"not found: {finding.why_not}")
    for number, page in enumerate(finding.pages):
        yield _row("" if number else "pages", printable(finding.called(page.url)))
    deadline = ", then the time was up" if finding.timed_out else ""
    yield _row("loads", f"{search.loads:,} of {len(search.candidates):,} linked pages{deadline}")
    if finding.found:
        yield _row("words", _words(finding))
    yield from _menu(finding)


def _shortage(finding: Finding) -> str:
    if finding.kin:
        return f"; pages of its kind vote, since {_why_they_vote(finding)}"
    missing = finding.search.size - len(finding.pages)
    return f" (by {len(finding.pages)} pages; {finding.search.size} were looked for)" if missing > 0 else ""


def _why_they_vote(finding: Finding) -> str:
    if not finding.search.candidates:
        return "the page links to no other page of its site"
    if not finding.loaded:
        return "none of the linked pages could be loaded"
    return "no two of the linked pages link each other"


def _words(finding: Finding) -> str:
    before, after = finding.words
    if finding.cleaned.kept_whole:
        return f"{before:,}; nothing would be left, so the page stays whole"
    return f"{before:,} before, {after:,} after" + (f": {share(before, after)} taken out" if before else "")


def _menu(finding: Finding) -> Iterator[str]:
    links = finding.menu_links
    if not links:
        yield _row("menu", "none found")
        return
    shown = links[:MENU_LINKS]
    texts = [_shortened(printable(link.text)) for link in shown]
    width = max(map(_columns, texts))
    for number, (text, link) in enumerate(zip(texts, shown, strict=True)):
        yield _row(
            "" if number else "menu", f"{text}{' ' * (width - _columns(text))}  {printable(finding.called(link.url))}"
        )
    if len(links) > MENU_LINKS:
        yield _row("", f"and {len(links) - MENU_LINKS:,} more")
    if finding.found and not any(link.is_template for link in links):
        yield _row("", "(none of its links is template: perhaps not the site's menu)")


def _columns(text: str) -> int:
    """Columns of a terminal that a text takes: letters of Chinese, Japanese and Korean take two."""
    return sum(0 if combining(letter) else 2 if east_asian_width(letter) in "FW" else 1 for letter in text)


def _shortened(text: str) -> str:
    if _columns(text) <= _LINK_TEXT:
        return text
    while _columns(text) >= _LINK_TEXT:
        text = text[:-1]
    return f"{text}…"


def _row(label: str, text: str) -> str:
    return f"{label:<{_LABEL}}{text}"
