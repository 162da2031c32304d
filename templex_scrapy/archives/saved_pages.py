"""Read pages in a folder: files that wget and others save, or the cache of Scrapy's HttpCacheMiddleware."""

from __future__ import annotations

import ast
import gzip
import os
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote

from templex_scrapy.archives.http_responses import GZIP, headers_of, page_of
from templex_scrapy.archives.records import MAX_BYTES, Record, Skip, Skipped
from templex_scrapy.page import NO_PAGE_EXTENSIONS, Page, root_of, site_of

NO_HOST = "http://saved.invalid/"  # of a folder whose pages declare no address; the host name is reserved

_PAGES = (".html", ".htm", ".xhtml", ".shtml")

# example.com/index.php/news.html: "index.php" is no host
HOST = re.compile(
    r"(?:[a-z0-9-]+(?:\.[a-z0-9-]+)*\.(?!(?:php|html?|aspx?)$)[a-z]{2,}|[0-9]{1,3}(?:\.[0-9]{1,3}){3})(?::[0-9]+)?",
    re.IGNORECASE,
)
"""The name of a folder with the pages of a host."""

_INDEX = re.compile(r"(?:^|(?<=/))(?:index|default)\.x?html?$")  # the page of a folder

# Chrome and Firefox write the first; Firefox and Windows also write the others, in the user's language
_PARTS = ("_files", "_file", "-Dateien", "_fichiers", "_archivos", "_arquivos", "_ficheiros", "_bestanden", "-filer")
_SAVED_FROM = re.compile(rb"<!--\s*(?:saved from url=\([0-9]+\)|Page saved with SingleFile\s+url:\s*)([^\s>]+)")
_HEAD = 65_536  # bytes in which a page may declare an address
_CACHED = {"meta", "response_headers", "response_body"}


def walk(root: Path) -> Iterator[tuple[Path, list[str], list[str]]]:
    """Yield each folder below a folder, with the names of files and of subfolders that are left out; in order.

    A subfolder is left out if a browser saved the parts of a page there: ``A page_files``. Hidden names are omitted.
    """
    for folder, folders, files in os.walk(root):
        of_pages = {name.rpartition(".")[0] + end for name in files if is_page_name(name) for end in _PARTS}
        seen = sorted(name for name in folders if not name.startswith("."))
        folders[:] = [name for name in seen if name not in of_pages]
        parts = [name for name in seen if name in of_pages]
        yield Path(folder), sorted(name for name in files if not name.startswith(".")), parts


def is_page_name(name: str) -> bool:
    """Return whether this is the name of a page: ``news.html``, ``list.html?page=2``, ``list.php?page=2.html``."""
    return name.partition("?")[0].lower().endswith(_PAGES) or name.lower().endswith(_PAGES)


def _may_be_page(name: str) -> bool:
    """Return whether a file of this name is a page, or would be if the content looks like HTML."""
    # wget saves /about as "about", and /list.php?page=2 as "list.php?page=2"; popup.js?ver=3 may write a page
    path, mark, _ = name.partition("?")
    is_other = Path(path).suffix[1:].lower() in NO_PAGE_EXTENSIONS if mark else "." in name
    return is_page_name(name) or not is_other


def read_folder(root: Path) -> Iterator[Record | Skipped]:
    """Yield the pages below a folder, in the order of their names."""
    for folder, files, parts in walk(root):
        yield from (Skipped(Skip.PARTS, str(folder / name)) for name in parts)
        if _CACHED.issubset(files):
            page = _cached(root, folder)
            yield Skipped(page, str(folder)) if isinstance(page, Skip) else page
            continue
        for name in filter(_may_be_page, files):
            try:
                yield read_file(root, folder / name)
            except OSError:
                yield Skipped(Skip.DAMAGED, str(folder / name))


def read_file(root: Path, file: Path) -> Record | Skipped:
    """Read a page below a folder.

    Raises:
        OSError: if the file cannot be read.
    """
    page: Record | Skip | None = _obstacle(root, file)
    if page is None:
        body, media_type = _content(file), "text/html" if is_page_name(file.name) else ""
        page = page_of(_address_of(root, file, body), None, {"content-type": media_type}, body, {})
    return Skipped(page, str(file)) if isinstance(page, Skip) else page


def _obstacle(root: Path, file: Path) -> Skip | None:
    """Return why a file below a folder must not be opened; None if it may."""
    if not file.is_file():  # a device or a pipe may have no end
        return Skip.DAMAGED
    # a link may lead to a file that the user can read, but the author of the link cannot
    is_outside = file.is_symlink() and not file.resolve().is_relative_to(root.resolve())
    return Skip.OUTSIDE if is_outside else None


def _address_of(root: Path, file: Path, body: bytes) -> str:
    """Return the address by the path below a folder named like a host, or else the address that the page declares.

    ``mirror/example.com/news/index.html`` is ``http://example.com/news/``.
    """
    folder, *below = file.absolute().relative_to(root.absolute().parent).parts
    for number, part in enumerate([folder, *below[:-1]]):
        if HOST.fullmatch(part):
            return address_below(f"http://{part}/", below[number:])
    return _declared_address(body) or address_below(NO_HOST, below)


def address_below(start: str, parts: Iterable[str]) -> str:
    """Return the address of a path below an address."""
    path, mark, query = _INDEX.sub("", "/".join(parts)).partition("?")
    # file names need not be text
    return start + quote(os.fsencode(path)) + mark + quote(query.removesuffix(".html"), safe="=&+%;,/:")


def _declared_address(body: bytes) -> str | None:
    """Return the address that a page declares: where a browser saved it from, or the canonical link."""
    saved_from = _SAVED_FROM.search(body, 0, _HEAD)
    if saved_from is not None and site_of(address := saved_from[1].decode("utf-8", "replace")) is not None:
        return address
    for link in root_of(Page(body[:_HEAD], NO_HOST)).iter("link"):
        if "canonical" in (link.get("rel") or "").lower().split():
            href = (link.get("href") or "").strip()
            return href if site_of(href) is not None else None
    return None


def _cached(root: Path, folder: Path) -> Record | Skip:
    """Read an entry of Scrapy's FilesystemCacheStorage, without the pickle."""
    if why := next(filter(None, (_obstacle(root, folder / name) for name in sorted(_CACHED))), None):
        return why
    try:
        # only "meta" tells whether HTTPCACHE_GZIP is set: the server may have compressed the body
        opener = gzip.open if _content(folder / "meta").startswith(GZIP) else Path.open
        meta = ast.literal_eval(_content(folder / "meta", opener).decode("utf-8"))
        headers = headers_of(_content(folder / "response_headers", opener))
        body = _content(folder / "response_body", opener)
        return page_of(str(meta["response_url"]), int(meta["status"]), headers, body, {})
    except (OSError, EOFError, zlib.error, ValueError, SyntaxError, KeyError, TypeError, RecursionError, MemoryError):
        return Skip.DAMAGED


def _content(file: Path, opener: Callable[[Path, Any], Any] = Path.open) -> bytes:
    """Return the content of a file, cut just above the most bytes of a page."""
    with opener(file, "rb") as stream:
        return cast("bytes", stream.read(MAX_BYTES + 1))
