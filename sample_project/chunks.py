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
from typing import Any, Literal, Self, TextIO, TypedDict
from urllib.parse import urlsplit

from itemadapter import ItemAdapter
from parsel import Selector
from scrapy.crawler import Crawler

from templex_scrapy import CleanPage, signals

MOST_WORDS = 250  # of a chunk: many embedding models read no more than 512 tokens
_WORD = re.compile(r"[\u3040-\u9fff]{1,2}\s*|[^\s\u3040-\u9fff]+\s*")  # two ideographs are about one
_FENCE = re.compile(r"[\s>*+-]*(?:\d+[.)]\s+)?(```+|~~~+)(.*)")  # in lists and quotes as well
_HEADING = re.compile(r"(#{1,6}) (.*)")
_LINK = re.compile(r"!?\[((?:[^\[\]\\]|\\.)*)\]\((?:<[^<>]*>|[^()\s]*)\)")


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
    """Yield the chunks of a page: what is below each heading, long sections in parts, each once."""
    seen = set()
    for headings, section in _sections(markdown):
        for text in _parts(section):
            chunk = make_chunk(url, title, headings, text)
            if chunk["id"] not in seen:
                seen.add(chunk["id"])
                yield chunk


def _sections(markdown: str) -> Iterator[tuple[str, str]]:
    """Yield the headings above a section, and the section; a # in code is no heading."""
    above: list[tuple[int, str]] = []
    lines: list[str] = []
    fence = ""
    for line in markdown.splitlines():
        mark = _FENCE.match(line)
        if mark is not None and not fence:
            fence = mark[1]
        elif mark is not None and mark[1].startswith(fence) and not mark[2].strip():
            fence = ""
        heading = None if fence else _HEADING.match(line)
        if heading is None:
            lines.append(line)
            continue
        yield " > ".join(text for _, text in above), "\n".join(lines)
        above = [one for one in above if one[0] < len(heading[1])] + [(len(heading[1]), _LINK.sub(r"\1", heading[2]))]
        lines = []
    yield " > ".join(text for _, text in above), "\n".join(lines)


def _parts(text: str) -> Iterator[str]:
    """Yield the paragraphs of a text, several together as far as they are short; a long one is cut."""
    part: list[str] = []
    length = 0
    for paragraph in filter(None, map(str.strip, text.split("\n\n"))):
        words = _WORD.findall(paragraph)
        if part and length + len(words) > MOST_WORDS:
            yield "\n\n".join(part)
            part, length = [], 0
        *long, last = [words[at : at + MOST_WORDS] for at in range(0, len(words), MOST_WORDS)]
        yield from ("".join(one).strip() for one in long)
        part.append("".join(last))
        length += len(last)
    if part:
        yield "\n\n".join(part)


class ChunksPipeline:
    """Writes the chunks of each item, and at the end of the crawl the frame of each site as one more."""

    def __init__(self, path: Path, mode: Literal["w", "a"] = "w") -> None:
        self._path = path
        self._mode = mode
        self._file: TextIO | None = None
        self._frames: dict[str, dict[str, None]] = {}
        self._templates: set[str] = set()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the pipeline of a crawl; one that is resumed adds to the file."""
        settings = crawler.settings
        pipeline = cls(Path(settings.get("CHUNKS_PATH", "chunks.jsonl")), "a" if settings.get("JOBDIR") else "w")
        crawler.signals.connect(pipeline.page_cleaned, signals.page_cleaned)
        return pipeline

    def open_spider(self) -> None:
        """Open the file."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._file = self._path.open(self._mode, encoding="utf-8", errors="replace")

    def page_cleaned(self, clean: CleanPage) -> None:
        """Note the texts of a template that is new, one of this crawl or one of the store."""
        if clean.fits and clean.template_url not in self._templates:
            self._templates.add(clean.template_url)
            texts = Selector(clean.template_html).xpath("//body//text()[not(parent::script or parent::style)]").getall()
            site = f"//{urlsplit(clean.template_url).netloc}/"
            self._frames.setdefault(site, {}).update(dict.fromkeys(filter(None, map(_line, texts))))

    def process_item(self, item: Any) -> Any:
        """Write the chunks of an item."""
        adapter = ItemAdapter(item)
        for chunk in chunks_of(adapter.get("url") or "", adapter.get("title") or "", adapter.get("markdown") or ""):
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


def _line(text: str) -> str:
    return " ".join(text.split())
