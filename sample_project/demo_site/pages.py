"""The pages of the magazine and of the shop: what each type has in its main column and its sidebar."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape

from sample_project.demo_site.facts import facets, facts, reviews
from sample_project.demo_site.frame import LATEST_PATH, Card, View, cards_of, panel
from sample_project.demo_site.markup import items, link, prose, spec_table
from sample_project.demo_site.material import Entry, load_entries
from sample_project.demo_site.wording import Section, Wording

_POPULAR = (("camp", "stove"), ("people", "postman"), ("repairs", "puncture"), ("rides", "ridge"))
_WORDS_PER_MINUTE = 60


def image_path(entry: Entry) -> str:
    """Path of the picture of an article or a product."""
    return f"/pictures/{entry.key}.svg"


@dataclass(frozen=True)
class Edition:
    """The site in one language."""

    words: Wording
    articles: dict[str, list[Entry]] = field(init=False)
    products: dict[str, list[Entry]] = field(init=False)

    def __post_init__(self) -> None:
        language = self.words.language
        products = load_entries(language, "products")
        by_category = {key: [entry for entry in products if entry["category"] == key] for key in self.words.categories}
        object.__setattr__(self, "articles", {key: load_entries(language, key) for key in self.words.magazine})
        object.__setattr__(self, "products", by_category)

    def path(self, section: str, entry: Entry) -> str:
        """Path of an article or a product."""
        return f"{self.words.section_path(section)}{entry['slug']}/"

    def views(self, other: Edition) -> list[View]:
        """All pages of this edition; `other` is the edition that the language switch leads to."""
        views = [self._home(other)]
        views += [self._section(key, other) for key in self.words.magazine]
        views += [self._shop(other), *(self._category(key, other) for key in self.words.categories)]
        for key, articles in self.articles.items():
            views += [self._article(key, position, other) for position in range(len(articles))]
        for key, products in self.products.items():
            views += [self._product(key, position, other) for position in range(len(products))]
        return views

    def newest(self) -> list[tuple[str, Entry]]:
        """All articles with their sections, the newest first."""
        pairs = [(key, entry) for key, entries in self.articles.items() for entry in entries]
        return sorted(pairs, key=lambda pair: pair[1]["date"], reverse=True)

    # the four types of pages

    def _home(self, other: Edition) -> View:
        words, say = self.words, self.words.labels
        newest = [self._article_card(key, entry) for key, entry in self.newest()[:6]]
        goods = [self._product_card(key, entries[0]) for key, entries in self.products.items()]
        lead = "".join(f"<p>{escape(text)}</p>" for text in words.home_intro)
        main = (
            f'<section class="hero"><h1>{escape(words.home_title)}</h1>{lead}{self._latest()}</section>'
            f"<h2>{say['newest']}</h2>{cards_of(newest)}"
            f"<h2>{say['from_shop']}</h2>{cards_of(goods)}"
        )
        return View(
            words=words,
            path=words.home_path,
            other_path=other.words.home_path,
            kind="home",
            section="home",
            title=words.home_title,
            description=words.slogan,
            trail=((words.home_label, words.home_path),),
            main=main,
            aside=self._hours() + self._popular() + self._newsletter(),
        )

    def _section(self, key: str, other: Edition) -> View:
        cards = [self._article_card(key, entry) for entry in self.articles[key]]
        aside = self._popular() + self._from_shop() + self._newsletter()
        return self._list_view(key, self.words.magazine[key], other.words.magazine[key].path, cards, aside)

    def _shop(self, other: Edition) -> View:
        cards = [self._product_card(key, entry) for key, entries in self.products.items() for entry in entries]
        aside = self._categories() + self._hours() + self._newsletter()
        counts = facets(self.words, range(len(cards)))
        return self._list_view("shop", self.words.shop, other.words.shop.path, cards, aside, counts)

    def _category(self, key: str, other: Edition) -> View:
        cards = [self._product_card(key, entry) for entry in self.products[key]]
        aside = self._categories() + self._hours() + self._newsletter()
        counts = facets(self.words, [self._number(entry) for entry in self.products[key]])
        return self._list_view(key, self.words.categories[key], other.words.categories[key].path, cards, aside, counts)

    def _number(self, entry: Entry) -> int:
        return [entry for entries in self.products.values() for entry in entries].index(entry)

    def _list_view(
        self, key: str, section: Section, other_path: str, cards: list[Card], aside: str, counts: str = ""
    ) -> View:
        return View(
            words=self.words,
            path=section.path,
            other_path=other_path,
            kind="list",
            section=key,
            title=section.title,
            description=section.intro,
            trail=self._trail(key),
            main=(
                f'<header class="list-head"><h1>{escape(section.title)}</h1>'
                f'<p class="deck">{escape(section.intro)}</p></header>{counts}{cards_of(cards)}'
            ),
            aside=aside,
            facts=counts,
        )

    def _article(self, key: str, position: int, other: Edition) -> View:
        entries, say = self.articles[key], self.words.labels
        entry = entries[position]
        minutes = max(2, round(len(entry.body.split()) / _WORDS_PER_MINUTE))
        main = f"""<article class="story">
<header><h1>{escape(entry["title"])}</h1>
<p class="deck">{escape(entry["deck"])}</p>
<p class="byline">{say["by"]} <span class="author">{entry["author"]}</span>,
<time datetime="{entry["date"]}">{self.words.date(entry["date"])}</time> &middot;
{minutes} {say["minutes"]}</p></header>
<figure><img src="{image_path(entry)}" alt="{escape(entry["title"])}" width="640" height="360"></figure>
{prose(entry.body)}
<ul class="tags">{items(escape(tag) for tag in entry["tags"].split(", "))}</ul>
</article>
<div class="share"><span>{say["share"]}:</span> <button type="button">{say["copy"]}</button> \
<button type="button">{say["print"]}</button></div>
{self._neighbours(key, position)}
<section class="related"><h2>{say["related"]}</h2>\
{cards_of([self._article_card(key, item) for item in entries if item is not entry])}</section>"""
        return View(
            words=self.words,
            path=self.path(key, entry),
            other_path=other.path(key, other.articles[key][position]),
            kind="article",
            section=key,
            title=entry["title"],
            description=entry["deck"],
            trail=(*self._trail(key), (entry["title"], self.path(key, entry))),
            main=main,
            aside=self._in_section(key) + self._popular() + self._from_shop() + self._hours() + self._newsletter(),
        )

    def _product(self, key: str, position: int, other: Edition) -> View:
        entries, say = self.products[key], self.words.labels
        entry = entries[position]
        details = f"""<h2>{say["details"]}</h2>
{spec_table(entry["spec"])}
{facts(self.words, self._number(entry))}
{reviews(self.words, entry)}"""
        main = f"""<div class="product">
<img src="{image_path(entry)}" alt="{escape(entry["title"])}" width="640" height="360">
<div class="buy"><h1>{escape(entry["title"])}</h1>
<p class="price">{self.words.price(entry["price"])}</p>
<form method="post" action="/basket">
<label>{say["quantity"]} <input type="number" name="n" value="1" min="1"></label>
<button>{say["basket"]}</button></form></div>
<div class="description">{prose(entry.body)}
{details}</div>
</div>
<section class="related"><h2>{say["also"]}</h2>\
{cards_of([self._product_card(key, item) for item in entries if item is not entry])}</section>"""
        return View(
            words=self.words,
            path=self.path(key, entry),
            other_path=other.path(key, other.products[key][position]),
            kind="product",
            section=key,
            title=entry["title"],
            description=entry.body.splitlines()[0],
            trail=(*self._trail(key), (entry["title"], self.path(key, entry))),
            main=main,
            aside=self._categories() + self._promise() + self._hours() + self._newsletter(),
            facts=details,
        )

    # parts that several types share

    def _latest(self) -> str:
        if self.words.language != "en":
            return ""
        button = link(LATEST_PATH, self.words.labels["latest"], 'class="button"')
        return f"<p>{button}</p>"

    def _article_card(self, key: str, entry: Entry) -> Card:
        note = f"{self.words.magazine[key].title} · {self.words.date(entry['date'])} · {entry['author']}"
        return Card(
            path=self.path(key, entry),
            title=entry["title"],
            text=entry["deck"],
            note=note,
            image=image_path(entry),
        )

    def _product_card(self, key: str, entry: Entry) -> Card:
        first_sentence = entry.body.split(". ")[0].rstrip(".")
        return Card(
            path=self.path(key, entry),
            title=entry["title"],
            text=f"{first_sentence}.",
            note=self.words.price(entry["price"]),
            image=image_path(entry),
        )

    def _trail(self, key: str) -> tuple[tuple[str, str], ...]:
        words = self.words
        home = (words.home_label, words.home_path)
        if key in words.magazine:
            return (home, (words.magazine[key].title, words.magazine[key].path))
        shop = (home, (words.shop.title, words.shop.path))
        if key in words.categories:
            return (*shop, (words.categories[key].title, words.categories[key].path))
        return shop

    def _neighbours(self, key: str, position: int) -> str:
        entries, say = self.articles[key], self.words.labels
        links = []
        if position > 0:
            links.append((say["previous"], "prev", entries[position - 1]))
        if position + 1 < len(entries):
            links.append((say["next"], "next", entries[position + 1]))
        rows = (
            f"<span>{label}: {link(self.path(key, entry), entry['title'], f'rel={relation}')}</span>"
            for label, relation, entry in links
        )
        return f'<nav class="neighbours">{"".join(rows)}</nav>'

    def _in_section(self, key: str) -> str:
        rows = [link(self.path(key, entry), entry["title"]) for entry in self.articles[key]]
        section = self.words.magazine[key]
        heading = f"{self.words.labels['in_section']}: {section.title}"
        return panel("in-section", heading, f"<ul>{items(rows)}</ul>")

    def _popular(self) -> str:
        rows = []
        for key, wanted in _POPULAR:
            entry = next(entry for entry in self.articles[key] if entry.key == wanted)
            rows.append(link(self.path(key, entry), entry["title"]))
        return panel("popular", self.words.labels["popular"], f"<ol>{items(rows)}</ol>")

    def _from_shop(self) -> str:
        key, entries = next(iter(self.products.items()))
        entry, say = entries[0], self.words.labels
        body = (
            f'<img src="{image_path(entry)}" alt="" loading="lazy">'
            f"<p>{link(self.path(key, entry), entry['title'])}, {self.words.price(entry['price'])}</p>"
            f"<p>{link(self.words.shop.path, say['all'])}</p>"
        )
        return panel("from-shop", say["from_shop"], body)

    def _categories(self) -> str:
        rows = [link(part.path, part.title) for part in self.words.categories.values()]
        return panel("categories", self.words.shop.title, f"<ul>{items(rows)}</ul>")

    def _promise(self) -> str:
        return panel("promise", self.words.labels["promise"], f"<ul>{items(self.words.assurances)}</ul>")

    def _hours(self) -> str:
        rows = "".join(f"<tr><td>{days}</td><td>{time}</td></tr>" for days, time in self.words.hours)
        return panel("hours", self.words.labels["hours"], f"<table>{rows}</table>")

    def _newsletter(self) -> str:
        say = self.words.labels
        body = (
            f'<p>{say["newsletter_text"]}</p><form method="post" action="/letter">'
            f'<input type="email" name="email" aria-label="{say["email"]}" placeholder="{say["email"]}">'
            f"<button>{say['subscribe']}</button></form>"
        )
        return panel("newsletter", say["newsletter"], body)
