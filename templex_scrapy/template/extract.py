"""Extract the main content of a single page, without a template."""

from __future__ import annotations

from typing import Literal

from templex_scrapy.page import Page
from templex_scrapy.template.template import Match


def extract_content(html: str | bytes, url: str = "", *, output: Literal["text", "markdown", "html"] = "text") -> str:
    """Return the main content of a page, judged by this page alone.

    In a crawl, and with other pages of the site, :class:`Template` sees more: what the site repeats.

    Args:
        html: the source. Bytes are decoded as Scrapy decodes them.
        url: address of the page, from which relative links start.
        output: what is returned. HTML is a fragment; it and Markdown have absolute links.

    Raises:
        ValueError: if ``output`` is none of the three.
    """
    if output not in {"text", "markdown", "html"}:
        raise ValueError(f"output is {output!r}: allowed are 'text', 'markdown' and 'html'")
    return str(getattr(Match(Page(html, url)).clean, f"content_{output}"))
