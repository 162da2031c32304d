"""The frame of the pages: header and menu on top, content on the left, sidebar on the right.

It renders a `View`, the content of a page, as an HTML document. The journal has a design of its own (`ledger.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from sample_project.demo_site.markup import items, link
from sample_project.demo_site.material import load_style
from sample_project.demo_site.wording import Wording

JOURNAL_PATH = "/journal/"
LATEST_PATH = "/latest/"

_SCRIPT = (
    "document.querySelector('.menu-button').addEventListener('click', function () {"
    " document.documentElement.classList.toggle('menu-open'); });"
)


@dataclass(frozen=True, kw_only=True)
class Card:
    """A teaser of another page."""

    path: str
    title: str
    text: str
    note: str
    image: str


@dataclass(frozen=True, kw_only=True)
class View:
    """The content of a page; `main` and `aside` are HTML, `facts` is the part of `main` that pages share."""

    words: Wording
    path: str
    other_path: str
    kind: str
    section: str
    title: str
    description: str
    trail: tuple[tuple[str, str], ...]
    main: str
    aside: str
    facts: str = ""


@dataclass(frozen=True)
class MenuEntry:
    """A line of the main menu, with the lines of its submenu."""

    path: str
    label: str
    active: bool
    below: tuple[MenuEntry, ...] = ()


def document(view: View) -> str:
    """Render the whole page."""
    words = view.words
    say = words.labels
    return f"""<!DOCTYPE html>
<html lang="{words.language}">
{_head(view)}
<body class="page page-{view.kind}">
<a class="skip" href="#content">{say["skip"]}</a>
<header class="site-header">
<div class="wrap masthead">
<p class="brand"><a href="{words.home_path}">{words.name}</a></p>
<p class="slogan">{words.slogan}</p>
{_search_form(words)}
<p class="language"><span>{say["language"]}:</span> {_language_switch(view)}</p>
<button class="menu-button" aria-controls="menu">{say["menu"]}</button>
</div>
<nav id="menu" class="menu" aria-label="{say["menu"]}">
<ul class="wrap">{_menu_list(_menu(view), "active")}</ul>
</nav>
</header>
<div class="wrap columns">
<main id="content">
<nav class="trail" aria-label="{say["trail"]}"><ol>{_trail(view)}</ol></nav>
{view.main}
</main>
<aside class="sidebar" aria-label="{say["reading"]}">
{view.aside}
</aside>
</div>
<footer class="site-footer">
<div class="wrap footer-columns">
<section><h2>{say["visit"]}</h2><address>{"<br>".join(words.address)}</address></section>
<section><h2>{say["reading"]}</h2><ul>{items(_footer_links(words))}</ul></section>
<section><h2>{say["promise"]}</h2><ul>{items(words.assurances)}</ul></section>
</div>
<p class="wrap small">{say["footer"]} {say["rights"]}</p>
</footer>
<script>{_SCRIPT}</script>
</body>
</html>
"""


def panel(name: str, heading: str, body: str) -> str:
    """Render a titled box; `body` is HTML."""
    return f'<section class="panel {name}"><h2>{escape(heading)}</h2>{body}</section>'


def cards_of(cards: list[Card]) -> str:
    """Render teasers of other pages, side by side with their pictures."""
    return '<div class="cards">' + "".join(_card(card) for card in cards) + "</div>"


def _card(card: Card) -> str:
    return (
        f'<article class="card"><a href="{card.path}"><img src="{card.image}" alt="" loading="lazy"></a>'
        f"<h3>{link(card.path, card.title)}</h3><p>{escape(card.text)}</p>"
        f'<p class="note">{escape(card.note)}</p></article>'
    )


def _head(view: View) -> str:
    words = view.words
    alternate = (
        f'<link rel="alternate" hreflang="{_other(words)}" href="{view.other_path}">\n' if view.other_path else ""
    )
    return f"""<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(view.title)} | {words.name}</title>
<meta name="description" content="{escape(view.description)}">
<meta property="og:title" content="{escape(view.title)}">
<meta property="og:site_name" content="{words.name}">
<link rel="canonical" href="{view.path}">
{alternate}<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<style>
{load_style("river")}
</style>
</head>"""


def _other(words: Wording) -> str:
    return "es" if words.language == "en" else "en"


def _language_switch(view: View) -> str:
    other = _other(view.words)
    path = view.other_path or ("/es/" if other == "es" else "/")
    return link(path, view.words.other_language, f'hreflang="{other}" lang="{other}"')


def _search_form(words: Wording) -> str:
    label = words.labels["search"]
    return (
        f'<form class="search" role="search" action="{words.home_path}"><input type="search" name="q" '
        f'aria-label="{label}" placeholder="{label}"><button>{words.labels["go"]}</button></form>'
    )


def _menu(view: View) -> list[MenuEntry]:
    words, active = view.words, view.section
    below = tuple(MenuEntry(part.path, part.title, key == active) for key, part in words.categories.items())
    in_shop = active == "shop" or active in words.categories
    return [
        MenuEntry(words.home_path, words.home_label, active == "home"),
        *(MenuEntry(part.path, part.title, key == active) for key, part in words.magazine.items()),
        MenuEntry(words.shop.path, words.shop.title, in_shop, below),
        MenuEntry(JOURNAL_PATH, words.journal_label, active=False),
    ]


def _menu_list(entries: list[MenuEntry], active_class: str) -> str:
    return "".join(_menu_item(entry, active_class) for entry in entries)


def _menu_item(entry: MenuEntry, active_class: str) -> str:
    mark = f' class="{active_class}"' if entry.active else ""
    below = f"<ul>{_menu_list(list(entry.below), active_class)}</ul>" if entry.below else ""
    return f"<li{mark}>{link(entry.path, entry.label)}{below}</li>"


def _trail(view: View) -> str:
    *parents, (last, _) = view.trail
    return items([*(link(path, label) for label, path in parents), f'<span aria-current="page">{escape(last)}</span>'])


def _footer_links(words: Wording) -> list[str]:
    links = [link(part.path, part.title) for part in words.magazine.values()]
    if words.language == "en":
        links.append(link(LATEST_PATH, words.labels["latest"]))
    return [*links, link(words.shop.path, words.shop.title)]
