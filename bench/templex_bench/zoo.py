"""Make a suite of rendered themes: engines and themes are packages, the text is made from a seed.

Each site is one theme of one engine with the same sort of items, so that the origin of every word is known. Whatever
themes are installed beside the engines are rendered; the manifest has the versions and licences of both. The packages
of Hexo are those in ``node_modules`` of the working directory. A theme in several colours counts once: it is left out
where its template has the same tags and classes as that of another theme of the engine. The clock stands still.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module, metadata
from importlib.util import find_spec
from pathlib import Path
from textwrap import indent

from templex_bench.measures.scores import in_order
from templex_bench.suites.made import MANIFEST, own_nodes, shared_texts
from templex_bench.suites.saved import pages_below
from templex_scrapy.page import Page, nodes_of

ITEMS, VOCABULARY = 24, 60
SECTIONS = ("guide", "notes", "stories")
SECONDS = 300
"""Time that one engine may take."""

NOW = 1_711_929_600
"""The time of all engines: 1 April 2024."""

_NODE = Path("node_modules").resolve()
# no question mark: it would end the address
_CLOCK = f"""data:text/javascript,Date.now = () => {NOW}000; const now = (of, a, as) =>
Reflect.construct(of, [...a, Date.now()].slice(0, a.length || 1), as);
Date.prototype.constructor = Date = new Proxy(Date, {{construct: now}}); Math.random = () => 0.5"""


@dataclass(frozen=True, slots=True)
class Item:
    """A page's own text: a title, and blocks of which those that begin with a mark are headings or points of a list."""

    slug: str
    section: str
    title: str
    blocks: tuple[str, ...]

    @property
    def lines(self) -> list[str]:
        """Its lines of text, without marks."""
        return [self.title, *(block.removeprefix("- ").removeprefix("# ") for block in self.blocks)]

    def markdown(self) -> str:
        """Return the blocks as Markdown."""
        return "\n\n".join(block.replace("# ", "## ", 1) if block.startswith("# ") else block for block in self.blocks)

    def rest(self) -> str:
        """Return the blocks as reStructuredText."""
        return "\n\n".join(f"{b[2:]}\n{'-' * len(b)}" if b.startswith("# ") else b for b in self.blocks)


Render = Callable[[Path, str, Sequence[Item]], Path]
"""Called with an empty folder, a theme and the items; returns where the pages are."""


def items(seed: str, count: int = ITEMS) -> list[Item]:
    """Make items of made-up words, each of which is in one item alone."""
    chance = random.Random(seed)  # noqa: S311 - not for secrets
    syllables = [consonant + vowel for consonant in "bdfgklmnprstvz" for vowel in "aeiou"]
    known: set[str] = set()

    def word() -> str:
        while (made := "".join(chance.choices(syllables, k=chance.choice((3, 3, 4))))) in known:
            pass
        known.add(made)
        return made

    def made(number: int) -> Item:
        words = [word() for _ in range(VOCABULARY)]

        def sentence(least: int, most: int) -> str:
            return " ".join(chance.choices(words, k=chance.randint(least, most))).capitalize()

        blocks = []
        for _ in range(chance.randint(2, 9)):
            kind = chance.random()
            if kind < 0.2:
                blocks.append(f"# {sentence(2, 4)}")
            elif kind < 0.4:
                blocks += [f"- {sentence(2, 8)}" for _ in range(chance.randint(2, 5))]
            blocks.append(". ".join(sentence(5, 18) for _ in range(chance.randint(1, 5))) + ".")
        title = sentence(2, 5)
        slug = "-".join(title.lower().split())
        return Item(f"{slug}-{number}", SECTIONS[number % len(SECTIONS)], title, tuple(blocks))

    return [made(number) for number in range(count)]


def _sphinx(folder: Path, theme: str, made: Sequence[Item]) -> Path:
    docs, out = folder / "docs", folder / "out"
    _write(docs / "conf.py", f"project = 'The miller'\nauthor = 'The miller'\nhtml_theme = {theme!r}\n")
    entries = indent("\n".join(f"{section}/index" for section in SECTIONS), "   ")
    _write(docs / "index.rst", f"The miller\n==========\n\n.. toctree::\n\n{entries}\n")
    for section in SECTIONS:
        title = section.capitalize()
        listing = f"{title}\n{'=' * len(title)}\n\n.. toctree::\n   :glob:\n\n   *\n"
        _write(docs / section / "index.rst", listing)
    for item in made:
        _write(docs / item.section / f"{item.slug}.rst", f"{item.title}\n{'=' * len(item.title)}\n\n{item.rest()}\n")
    _python(folder, "sphinx", "-q", "-b", "html", str(docs), str(out))
    return out


def _mkdocs(folder: Path, theme: str, made: Sequence[Item]) -> Path:
    _write(
        folder / "mkdocs.yml",
        f"site_name: The miller\nsite_url: {_address('mkdocs', theme)}\ntheme:\n  name: {theme}\n",
    )
    _write(folder / "docs/index.md", "# The miller\n\nWelcome to the mill.\n")
    for item in made:
        _write(folder / f"docs/{item.section}/{item.slug}.md", f"# {item.title}\n\n{item.markdown()}\n")
    _python(folder, "mkdocs", "build", "-q", "-d", "out")
    return folder / "out"


def _pelican(folder: Path, theme: str, made: Sequence[Item]) -> Path:
    place = _pelican_folders()[theme]
    settings = "SITENAME = 'The miller'\nAUTHOR = 'The miller'\nTIMEZONE = 'UTC'\nDEFAULT_LANG = 'en'\n"
    _write(folder / "conf.py", f"{settings}SITEURL = ''\nRELATIVE_URLS = True\nTHEME = {str(place)!r}\n")
    for number, item in enumerate(made):
        head = f"Title: {item.title}\nDate: 2024-03-{number % 28 + 1:02}\nCategory: {item.section}\nTags: mill, weir\n"
        _write(folder / f"content/{item.slug}.md", f"{head}Slug: {item.slug}\n\n{item.markdown()}\n")
    _python(folder, "pelican", "content", "-o", "out", "-s", "conf.py", "-q")
    return folder / "out"


def _nikola(folder: Path, theme: str, made: Sequence[Item]) -> Path:
    _python(folder, "nikola", "init", "-q", "site")
    site = folder / "site"
    with (site / "conf.py").open("a", encoding="utf-8") as conf:
        conf.write(f"\nTHEME = {theme!r}\nBLOG_TITLE = 'The miller'\nSITE_URL = {_address('nikola', theme)!r}\n")
        conf.write(f"CONTENT_FOOTER_FORMATS[DEFAULT_LANG][1]['date'] = {time.gmtime(NOW).tm_year}\n")
    for number, item in enumerate(made):
        head = f".. title: {item.title}\n.. slug: {item.slug}\n.. date: 2024-03-{number % 28 + 1:02}\n"
        _write(site / f"posts/{item.slug}.rst", f"{head}.. tags: mill, {item.section}\n\n{item.rest()}\n")
    _python(site, "nikola", "build", "-q")
    return site / "output"


def _hexo(folder: Path, theme: str, made: Sequence[Item]) -> Path:
    settings = {
        "title": "The miller",
        "url": _address("hexo", theme),
        "theme": theme,
        "permalink": ":name/",
        "per_page": 8,
    }
    _write(folder / "_config.yml", json.dumps(settings))
    # it loads the plug-ins that are named there
    plugins = {file.name: "*" for file in _NODE.glob("hexo-*") if not file.name.startswith("hexo-theme-")}
    _write(folder / "package.json", json.dumps({"hexo": {"version": ""}, "dependencies": plugins}))
    (folder / "node_modules").symlink_to(_NODE)
    for number, item in enumerate(made):
        day = f"2024-03-{number % 28 + 1:02}"
        head = f"title: {item.title}\ndate: {day}\nupdated: {day}\ncategories: {item.section}\ntags: [mill, weir]\n"
        _write(folder / f"source/_posts/{item.slug}.md", f"---\n{head}---\n\n{item.markdown()}\n")
    _run(folder, "node", "--import", _CLOCK, str(_NODE / "hexo/bin/hexo"), "generate")
    return folder / "public"


def _django(name: str) -> Render:
    def render(folder: Path, _theme: str, made: Sequence[Item]) -> Path:
        _write(folder / "items.json", json.dumps([asdict(item) for item in made]))
        _python(folder, "templex_bench.zoo_django", name, "out")
        return folder / "out"

    return render


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def _python(folder: Path, *command: str) -> None:
    _run(folder, sys.executable, "-W", "ignore", "-m", *command)


def _run(folder: Path, *command: str) -> None:
    done = subprocess.run(  # noqa: S603 - an engine that the user has installed
        command, cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False
    )
    if done.returncode:
        raise ZooError(" ".join((done.stderr or done.stdout).split())[-300:])


class ZooError(Exception):
    """An engine has failed."""


def _entry_points(group: str) -> dict[str, str]:
    return {one.name: one.dist.name if one.dist else "" for one in metadata.entry_points(group=group)}


_OF_SPHINX = "agogo alabaster bizstyle classic haiku nature pyramid scrolls sphinxdoc traditional".split()


def _pelican_folders() -> dict[str, Path]:
    below = [Path(str(path)) for path in import_module("pelican").__path__]
    roots = [root / "themes" for root in below if (root / "themes").is_dir()]
    return {one.name: one for root in roots for one in sorted(root.iterdir()) if (one / "templates").is_dir()}


def _pelican_themes() -> dict[str, str]:
    packages = {str(one.name).lower() for one in metadata.distributions()}
    named = {theme: (f"pelican-theme-{theme}", f"pelican-{theme}", "pelican") for theme in _pelican_folders()}
    return {theme: next(name for name in names if name in packages) for theme, names in named.items()}


def _nikola_themes() -> dict[str, str]:
    data = Path(str(import_module("nikola").__file__)).parent / "data" / "themes"
    return {one.name: "nikola" for one in sorted(data.iterdir()) if not one.name.startswith("base")}


def _hexo_themes() -> dict[str, str]:
    return {one.name.removeprefix("hexo-theme-"): one.name for one in sorted(_NODE.glob("hexo-theme-*"))}


ENGINES: Mapping[str, tuple[Render, Callable[[], Mapping[str, str]]]] = {
    "sphinx": (_sphinx, lambda: {**dict.fromkeys(_OF_SPHINX, "sphinx"), **_entry_points("sphinx.html_themes")}),
    "mkdocs": (_mkdocs, lambda: _entry_points("mkdocs.themes")),
    "pelican": (_pelican, _pelican_themes),
    "nikola": (_nikola, _nikola_themes),
    "hexo": (_hexo, _hexo_themes),
    "oscar": (_django("oscar"), lambda: {"default": "django-oscar"}),
    "machina": (_django("machina"), lambda: {"default": "django-machina"}),
    "spirit": (_django("spirit"), lambda: {"default": "django-spirit"}),
}
"""By name: what renders items, and the themes that are installed, with their packages where these are known."""


def _is_installed(engine: str) -> bool:
    return (_NODE / engine).is_dir() if engine == "hexo" else find_spec(engine) is not None


def make(out: Path, engines: Sequence[str], seed: int, themes: Sequence[str] | None = None) -> Iterator[str]:
    """Render all themes of some engines, each into a folder of its own; yield what became of each."""
    os.environ["SOURCE_DATE_EPOCH"] = str(NOW)  # the programs below read it
    for engine in engines:
        known: dict[frozenset[str], str] = {}
        render, installed = ENGINES[engine]
        if not _is_installed(engine):
            yield f"{engine} is not installed"
            continue
        for theme, package in sorted(installed().items()):
            if themes is not None and theme not in themes:
                continue
            name = f"{engine}--{theme}"
            made = items(f"{seed} {name}")
            with tempfile.TemporaryDirectory() as folder:
                try:
                    pages = render(Path(folder), theme, made)
                except (ZooError, OSError, subprocess.TimeoutExpired) as error:
                    yield f"{name}: left out: {error}"
                    continue
                lines = _placed(pages, made)
                if len(lines) < len(made) / 2:
                    yield f"{name}: left out: only {len(lines)} of {len(made)} items have a page"
                    continue
                frame = _frame(pages, lines)
                same = known.setdefault(frame, name)
                if same != name or not frame:
                    yield f"{name}: left out: {f'the same template as {same}' if same != name else 'no template'}"
                    continue
                _save(out / name, pages, lines, engine, theme, package)
            yield f"{name}: {len(lines)} items"


def _placed(pages: Path, made: Sequence[Item]) -> dict[str, list[str]]:
    """Return the lines of each page that has one item whole, by path: all of its words in nodes of its own."""
    found: dict[str, list[str]] = {}
    words = {item.slug: Counter(in_order(" ".join(item.lines))) for item in made}
    taken: set[str] = set()
    for path in pages_below(pages):
        page = Page((pages / path).read_bytes(), "http://site.example/")
        texts = nodes_of(page).texts
        there = {word for text in texts if text is not None for word in in_order(text)}
        whole = [item for item in made if words[item.slug].keys() <= there and item.slug not in taken]
        if len(whole) == 1:
            own = own_nodes(page, frozenset(words[whole[0].slug]))
            if words[whole[0].slug] <= Counter(word for at in own for word in in_order(texts[at] or "")):
                taken.add(whole[0].slug)
                found[path] = whole[0].lines
    return found


def _frame(pages: Path, lines: Mapping[str, list[str]]) -> frozenset[str]:
    """Return tags and classes of the template nodes of all pages with an item.

    None where half of the pages have no text in common but the site's name, and those of items.
    """
    found: set[str] = set()
    made = {path: Page((pages / path).read_bytes(), "http://site.example/") for path in lines}
    for path, page in made.items():
        own = own_nodes(page, frozenset(word for line in lines[path] for word in in_order(line)))
        found.update(nodes_of(page).start_tag(at).tag_and_classes for at in range(len(page)) if at not in own)
    words = {word for own_lines in lines.values() for line in own_lines for word in in_order(line)} | {"the", "miller"}
    return frozenset(found if any(not words.issuperset(text.split()) for text in shared_texts(made.values())) else ())


def _save(folder: Path, pages: Path, lines: Mapping[str, list[str]], engine: str, theme: str, package: str) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    paths = pages_below(pages)
    for path in paths:
        (folder / "www" / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(pages / path, folder / "www" / path)
    told = {
        "engine": engine,
        "theme": theme,
        "packages": [about for name in dict.fromkeys((engine, package)) if (about := _about(name))],
        "base_url": _address(engine, theme),
        "pages": paths,
        "lines": lines,
    }
    _write(folder / MANIFEST, json.dumps(told, indent=1, ensure_ascii=False))


def _address(engine: str, theme: str) -> str:
    host = "".join(letter if letter.isalnum() else "-" for letter in f"{engine}-{theme}".lower())
    return f"https://{host}.example/"


def _about(package: str) -> dict[str, str]:
    described = _NODE / package / "package.json"
    if package.startswith("hexo") and described.is_file():
        told = json.loads(described.read_text(encoding="utf-8"))
        return {"name": package, "version": told["version"], "licence": str(told.get("license", ""))}
    try:
        found, files = metadata.metadata(package), metadata.files(package) or ()
    except (metadata.PackageNotFoundError, ValueError):  # a module's name, or none
        return {}
    kinds = [one.rpartition(" :: ")[2] for one in found.get_all("Classifier") or () if one.startswith("License")]
    written = [found[name].partition("\n")[0] for name in ("License-Expression", "License") if name in found]
    written += [", ".join(kinds), *(one.read_text().strip().partition("\n")[0] for one in files if "LICEN" in one.name)]
    licence = next((one for one in written if one not in {"", "UNKNOWN"}), "not stated")
    return {"name": found["Name"], "version": found["Version"], "licence": licence}
