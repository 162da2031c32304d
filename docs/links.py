"""Find links of the built site that lead nowhere: to pages, files and anchors that are not there.

python docs/links.py FOLDER
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

from lxml import html

_LINKS = (("a", "href"), ("link", "href"), ("img", "src"), ("script", "src"), ("iframe", "src"), ("use", "href"))


def broken_links(folder: Path) -> list[str]:
    """All broken links of a site on disk; links to other hosts are ignored.

    Args:
        folder: the folder with the built pages.

    Returns:
        A line for each broken link: the page, the link, and what is missing.
    """
    pages = {file: html.parse(file).getroot() for file in sorted(folder.resolve().rglob("*.html"))}
    anchors = {file: set(root.xpath("//@id | //a/@name")) for file, root in pages.items()}
    return [
        f"{file.relative_to(folder.resolve())}: {link}: {problem}"
        for file, root in pages.items()
        for link in dict.fromkeys(_internal(root))
        if (problem := _problem(file, link, anchors)) is not None
    ]


def _internal(root: html.HtmlElement) -> Iterator[str]:
    for tag, attribute in _LINKS:
        for link in root.xpath(f"//{tag}/@{attribute}"):
            parts = urlsplit(link)
            if not parts.scheme and not parts.netloc:
                yield link


def _problem(file: Path, link: str, anchors: dict[Path, set[str]]) -> str | None:
    parts = urlsplit(link)
    target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
    if target.is_dir():
        target /= "index.html"
    if not target.is_file():
        return "no such file"
    # Sphinx answers these two by scripts
    if parts.fragment in {"", "top"} or target not in anchors or unquote(parts.fragment) in anchors[target]:
        return None
    return "no such anchor"


def main(arguments: list[str]) -> int:
    """Print the broken links of a folder; 1 if there are any."""
    if len(arguments) != 1 or not Path(arguments[0], "index.html").is_file():
        print("usage: python docs/links.py FOLDER (with an index.html in it)", file=sys.stderr)
        return 2
    broken = broken_links(Path(arguments[0]))
    print("\n".join(broken) if broken else "No link between the pages is broken.")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
