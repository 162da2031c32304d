"""Chunks for retrieval: cleaned pages in parts that fit into a prompt, and the frame of each site once.

    ITEM_PIPELINES = {"sample_project.chunks.ChunksPipeline": 350}
    TEMPLEX_OUTPUTS = {"markdown": "content_markdown", "title": "title"}

The items need `url` and `markdown`, and may have `title`. The setting CHUNKS_PATH names the file, JSON Lines.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self, TextIO, TypedDict
from urllib.parse import urlsplit

from itemadapter import ItemAdapter
from scrapy.crawler import Crawler

from templex_scrapy import Template, signals

MOST_WORDS = 250  # of a chunk: many embedding models read no more than 512 tokens
_FENCE = re.compile(r"\s*(```|~~~)")
_HEADING = re.compile(r"(#{1,6}) (.*)")


class Chunk(TypedDict):
    """A part of a page, or the frame of a site.

    `id` is the same in each crawl in which the part has the same URL, headings and text; `headings` are those above it,
    with " > " between them; `is_frame` tells the frame of a site from its pages.
    """

    id: str
    url: str
    title: str
    headings: str
    text: str
    is_frame: bool


def make_chunk(url: str, title: str, headings: str, text: str, *, is_frame: bool = False) -> Chunk:
    """Return a chunk with its id."""
    written = "\n".join((url, headings, text)).encode("utf-8", "replace")
    digest = hashlib.blake2b(written, digest_size=16).hexdigest()
    return Chunk(id=digest, url=url, title=title, headings=headings, text=text, is_frame=is_frame)


def chunks_of(url: str, title: str, markdown: str) -> Iterator[Chunk]:
    """Yield the chunks of a page: what is below each heading, long sections in parts. A # in code is no heading."""
    above: list[tuple[int, str]] = []
    lines: list[str] = []
    in_code = False
    for line in [*markdown.splitlines(), "# "]:
        heading = None if in_code else _HEADING.match(line)
        in_code ^= _FENCE.match(line) is not None
        if heading is None:
            lines.append(line)
            continue
        headings = " > ".join(text for _, text in above)
        yield from (make_chunk(url, title, headings, text) for text in _parts("\n".join(lines)))
        above = [one for one in above if one[0] < len(heading[1])] + [(len(heading[1]), heading[2])]
        lines = []


def _parts(text: str) -> Iterator[str]:
    """Yield the paragraphs of a text, several together as far as they are short; a long one is cut."""
    part: list[str] = []
    length = 0
    for paragraph in filter(None, map(str.strip, text.split("\n\n"))):
        words = paragraph.split()
        if part and length + len(words) > MOST_WORDS:
            yield "\n\n".join(part)
            part, length = [], 0
        *long, last = [words[at : at + MOST_WORDS] for at in range(0, len(words), MOST_WORDS)]
        yield from map(" ".join, long)
        part.append(" ".join(last) if long else paragraph)
        length += len(last)
    if part:
        yield "\n\n".join(part)


class ChunksPipeline:
    """Writes the chunks of each item, and at the end of the crawl the frame of each site as one more."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: TextIO | None = None
        self._frames: dict[str, dict[str, None]] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the pipeline of a crawl."""
        pipeline = cls(Path(crawler.settings.get("CHUNKS_PATH", "chunks.jsonl")))
        for signal in (signals.template_learnt, signals.template_grown):
            crawler.signals.connect(pipeline.template_known, signal)
        return pipeline

    def open_spider(self) -> None:
        """Open the file."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._file = self._path.open("w", encoding="utf-8", errors="replace")

    def template_known(self, template: Template | None = None, new: Template | None = None) -> None:
        """Note what is removed from the pages of a site."""
        known = template or new
        if known is not None:
            texts = (" ".join(removed.text.split()) for removed in known.removed_texts())
            self._frames.setdefault(f"//{urlsplit(known.key_url).netloc}/", {}).update(dict.fromkeys(texts))

    def process_item(self, item: Any) -> Any:
        """Write the chunks of an item."""
        adapter = ItemAdapter(item)
        for chunk in chunks_of(adapter["url"], adapter.get("title") or "", adapter.get("markdown") or ""):
            self._write(chunk)
        return item

    def close_spider(self) -> None:
        """Write the frames and close the file."""
        for site, texts in self._frames.items():
            self._write(make_chunk(site, "", "", "\n".join(texts), is_frame=True))
        if self._file is not None:
            self._file.close()

    def _write(self, chunk: Chunk) -> None:
        if self._file is not None:
            self._file.write(json.dumps(chunk, ensure_ascii=False) + "\n")
