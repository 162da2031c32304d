"""The whole demo crawl, page by page."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import urlsplit

from pictures.drawing import Drawing

_ROOT = Path(__file__).resolve().parents[2]
_HEIGHT, _BOTTOM, _LEFT = 170.0, 210.0, 44.0


def crawl() -> str:
    """Words of each page as it came and as it was stored, in the order of their addresses."""
    pages = _crawled()
    most = max(before for before, _ in pages)
    before, after = (sum(words) for words in zip(*pages, strict=True))
    drawing = Drawing(
        "crawl",
        (760, 250),
        title="The words of all pages of the demo crawl, before and after",
        description=f"{len(pages)} pages with {before:,} words, of which {after:,} were stored.",
    )
    for words in range(0, most + 1, 200):
        y = _BOTTOM - words / most * _HEIGHT
        drawing.line((_LEFT, y), (752, y), stroke_width=0.6)
        drawing.text((_LEFT - 6, y + 4), str(words), "muted", text_anchor="end", font_size=10)
    step = (752 - _LEFT) / len(pages)
    for number, (came, stored) in enumerate(pages):
        for words, colour in ((came, "template"), (stored, "own")):
            height = words / most * _HEIGHT
            drawing.rectangle((_LEFT + number * step + 1, _BOTTOM - height), (step - 2, height), colour)
    drawing.text((_LEFT, 228), f"{len(pages)} pages in the order of their addresses", "muted", font_size=11)
    for x, colour, label in (
        (_LEFT, "own", f"{after:,} words stored"),
        (220, "template", f"{before - after:,} removed"),
    ):
        drawing.rectangle((x, 10), (11, 11), colour)
        drawing.text((x + 17, 20), label, "muted")
    return drawing.as_svg()


def _crawled() -> list[tuple[int, int]]:
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "SAMPLE_OUTPUT": folder}
        command = [sys.executable, "-m", "scrapy", "crawl", "demo"]
        subprocess.run(command, cwd=_ROOT, env=environment, check=True, capture_output=True)  # noqa: S603 - our own
        lines = Path(folder, "demo", "items.jsonl").read_text(encoding="utf-8").splitlines()
    items = [json.loads(line) for line in lines]
    # the order in which pages arrive may differ from crawl to crawl
    items.sort(key=lambda item: urlsplit(item["url"]).path)
    return [(item["words_before"], item["words_after"]) for item in items]
