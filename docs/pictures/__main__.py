"""Draw all pictures into the folder `drawn`, or into the one that is named."""

from __future__ import annotations

import sys
from pathlib import Path

from pictures.crawl import crawl
from pictures.graph import subdigraph
from pictures.kept import kept
from pictures.tree import votes

PICTURES = {"subdigraph": subdigraph, "votes": votes, "kept": kept, "crawl": crawl}
DRAWN = Path(__file__).resolve().parent / "drawn"


def main() -> None:
    """Draw them."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else DRAWN
    folder.mkdir(parents=True, exist_ok=True)
    for name, draw in PICTURES.items():
        file = folder / f"{name}.svg"
        file.write_text(draw(), encoding="utf-8", newline="\n")
        print(file)


if __name__ == "__main__":
    main()
