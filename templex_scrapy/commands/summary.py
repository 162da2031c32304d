"""The short result that a person reads."""

from __future__ import annotations

from collections.abc import Iterator

from templex_scrapy.commands.page_result import PageResult
from templex_scrapy.commands.terminal import printable
from templex_scrapy.figures import percent, share

_LABEL = 10  # characters: "template" and two blanks
_MOST_PAGES = 5  # of a template: it has up to twelve voters, and the rest of the summary has five lines


def summary(result: PageResult, *, has_output: bool = False) -> str:
    """Describe a page that a template fits, in a few lines.

    Args:
        result: the result.
        has_output: whether something was written; otherwise the last line says what can be.
    """
    rows = [*_rows(result)]
    if not has_output:
        rows.append(("next", "--html, --text or --markdown writes what is left, --view shows what is removed and why"))
    lines = [printable(result.name), *(f"  {label:<{_LABEL}}{printable(text)}" for label, text in rows)]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def row(label: str, text: str | None) -> str:
    """Format a further line of the summary."""
    return f"  {label:<{_LABEL}}{text}\n"


def _rows(result: PageResult) -> Iterator[tuple[str, str]]:
    title = result.page.title
    if title:
        yield "title", title
    yield "template", f"found, {percent(result.template_share)} of the page's nodes{_source(result)}"
    pages = result.template_pages
    for number, url in enumerate(pages[:_MOST_PAGES]):
        yield "" if number else "pages", result.name_of(url)
    if len(pages) > _MOST_PAGES:
        yield "", f"and {len(pages) - _MOST_PAGES:,} more"
    yield "words", _words(result)
    if result.search is not None:
        deadline = ", then the time was up" if result.was_cut_short else ""
        yield "loaded", f"{result.loaded:,} of {len(result.search.candidates):,} linked pages{deadline}"
    else:
        yield "loaded", "no other page"


def _source(result: PageResult) -> str:
    if result.is_stored:
        return ", from the store"
    if result.is_from_peers:
        return ", from pages of its type, since no two of the linked pages link to each other"
    search = result.search
    # with fewer pages than were wanted, more may be removed that belongs to the content
    if search is None or len(result.voters) >= search.size:
        return ""
    return f", from {len(result.voters)} pages ({search.size} were wanted)"


def _words(result: PageResult) -> str:
    before, after = result.clean.words
    if result.clean.kept_whole:
        return f"{before:,}; nothing would be left, so the page is kept whole"
    return f"{before:,} before, {after:,} after ({share(before, after)} removed)"
