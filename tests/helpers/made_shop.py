"""Made shops, of which is known what each text is: a label, a value, the page's own, or of the frame.

A shop is chosen by its seed: layout, wording, the forms in which values have labels, and the shares of common values.
Sources are written with marked texts: ``_mark("l", "Brand")`` is a label, and so on.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape

TYPES = {"l": "label", "v": "value", "o": "own", "f": "frame", "b": "box", "a": "any"}
"""What a text is. box: of the frame, but small, without links, and amid the content. any: either will do."""

Pairs = Sequence[tuple[str, str]]
_MARKED = re.compile("\x01(.)([^\x02]*)\x02")


@dataclass(frozen=True, slots=True)
class MadePage:
    """A page with its texts in document order, those of one line not joined."""

    url: str
    html: str
    texts: tuple[tuple[str, str], ...]


def _mark(what: str, text: str) -> str:
    return f"\x01{what}{text}\x02"


_label, _value, _own, _frame, _any = (partial(_mark, what) for what in "lvofa")

# --- forms of labels and values ---


def _in(outer: str, row: str) -> Callable[[Pairs], str]:
    """A form that is what a label and a value make, in an element or in none."""
    start, end = (f"<{outer}>", f"</{outer.partition(' ')[0]}>") if outer else ("", "")

    def written(pairs: Pairs) -> str:
        return "".join(row.format(k=_label(k), kc=_label(f"{k}:"), kb=_label(f"{k}: "), v=v) for k, v in pairs)

    return lambda pairs: start + written(pairs) + end


def _columns(pairs: Pairs) -> str:
    head, body = "".join(f"<th>{_label(k)}</th>" for k, _ in pairs), "".join(f"<td>{v}</td>" for _, v in pairs)
    return f"<table class=grid><thead><tr>{head}</tr></thead><tbody><tr>{body}</tr></tbody></table>"


def _two_in_a_row(pairs: Pairs) -> str:
    cells = [f"<td class=k>{_label(k)}</td><td class=v>{v}</td>" for k, v in pairs]
    rows = ("".join(cells[i : i + 2]) for i in range(0, len(cells), 2))
    return f"<table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"


def _icons(pairs: Pairs) -> str:
    icons = (f"<li><i class='icon icon-{i}'></i><span>{v}</span></li>" for i, (_, v) in enumerate(pairs))
    return f"<ul class=icons>{''.join(icons)}</ul>"


def _one_text(pairs: Pairs) -> str:
    items = (_value(f"{k}: {v[2:-1]}") if v[0] == "\x01" else _label(f"{k}: ") + v for k, v in pairs)
    return f"<ul>{''.join(f'<li>{item}</li>' for item in items)}</ul>"


FORMS = (
    lambda pairs: f"<table class=data>{_in('tbody', '<tr><th>{k}</th><td>{v}</td></tr>')(pairs)}</table>",
    _in("table", "<tr><td><b>{k}</b></td><td>{v}</td></tr>"),
    _columns,
    _two_in_a_row,
    _in("dl", "<dt>{k}</dt><dd>{v}</dd>"),
    _in("dl class=facts", "<div><dt>{k}</dt><dd>{v}</dd></div>"),
    _in("div class=cards", "<div class=card><dl><dt>{k}</dt><dd>{v}</dd></dl></div>"),
    _in("ul class=features", "<li><strong>{kc}</strong>\x01a \x02{v}</li>"),
    _in("", "<p><b>{kb}</b>{v}</p>"),
    _in("p class=lines", "<b>{kb}</b>{v}<br>"),
    _in("div class=attributes", "<div class=attribute><span class=label>{k}</span><span class=value>{v}</span></div>"),
    _in("", "<div class=row><div class=name>{k}</div><div class=val>{v}</div></div>"),
    _in("div class=container", "<div class=row><div class=col-4><b>{k}</b></div><div class=col-8>{v}</div></div>"),
    _in("div class=grid", "<div class=k>{k}</div><div class=v>{v}</div>"),
    _in("", "<h3>{k}</h3><ul><li>{v}</li></ul>"),
    _in("", "<section><h4>{k}</h4><p>{v}</p></section>"),
    _in("", "<details><summary>{k}</summary><div>{v}</div></details>"),
    _icons,
    _in("div class=specs", "<p><small>{k}</small><br>{v}</p>"),
    _in("div class=stats", "<div class=stat><strong>{v}</strong><span>{k}</span></div>"),
    _one_text,
)

# --- words ---

_WORDS = """
    amber anchor apple arbor atlas autumn bamboo barley basil beacon birch blossom breeze bronze cabin candle
    canvas cedar cinder clover cobalt coral cotton crane crystal dapple delta drift ember fable falcon fern
    fjord flint garnet ginger glacier granite harbor hazel heather hollow indigo ivory jasper juniper kelp
    lagoon lantern laurel lichen linen maple marble meadow mesa mint mosaic nectar nimbus oak olive onyx opal
    orchid pebble pepper pine plume quartz quill raven reed ridge river saffron sage sierra silver slate
    spruce summit tallow thistle timber topaz tundra umber velvet violet walnut willow wren yarrow zephyr
""".split()

_TERMS = (
    "Brand|Availability|Condition|Material|Colour|Weight|Origin|Warranty|Delivery|Size|Care|Category|"
    "Description|Ingredients|Reviews"
).split("|")
_WORDINGS: tuple[dict[str, str], ...] = tuple(
    dict(zip(_TERMS, words.split("|"), strict=True))
    for words in (
        "|".join(_TERMS),
        (
            "Marke|Verfügbarkeit|Zustand|Material|Farbe|Gewicht|Herkunft|Garantie|Lieferzeit|Größe|Pflege|Kategorie|"
            "Beschreibung|Inhalt|Bewertungen"
        ),
        "品牌|库存|状态|材质|颜色|重量|产地|保修|配送|尺寸|保养|分类|商品描述|成分|评价",
        (
            "Made by|Stock status|Item condition|Main material used|Colour / finish|Net weight|Country of origin|"
            "Manufacturer's warranty|Usual time of delivery|Size (L x W x H)|How to care for it|Found in|"
            "About this product|What is inside|What customers say"
        ),
    )
)

_COMMON = dict(
    part.split("=")
    for part in (
        "Brand=Acme|Availability=In stock|Condition=New|Material=Cotton|Colour=red|Origin=Portugal|Warranty=2 years|"
        "Delivery=2-3 working days|Size=M|Care=Wash cold|Category=Garden"
    ).split("|")
)
_LINKED = ("Brand", "Category")
_PARTS = """sidebar trust also reviews share cart crumbs cookie notice tabs optional help flat recent short beside long
many""".split()


class Shop:
    """A made shop.

    Args:
        seed: chooses layout, wording, forms, and shares.
        products: number of product pages.
    """

    def __init__(self, seed: int, products: int = 40) -> None:
        self.random = random.Random(f"shop {seed}")
        pick = self.random.choice
        self.base = f"http://shop{seed}.example/"
        self.layout = pick(("semantic", "divs", "wrapped", "table"))
        self.wording = pick(_WORDINGS)
        # on which share of the pages a value is the common one
        self.shares = {name: pick((0.2, 0.35, 0.5, 0.65, 0.8, 0.95)) for name in _COMMON}
        self.forms = self.random.sample(FORMS, 4)
        self.linked = frozenset(name for name in _LINKED if self.random.random() < 0.5)
        self.parts = frozenset(part for part in _PARTS if self.random.random() < 0.6)
        self.title = pick(("h1", "h1", "h2", "div class=title"))
        self.order = self.random.sample(("facts", "description", "facts2", "list", "facts3"), 5)
        self.titles = [f"{self._words(2).title()} {i + 100}" for i in range(products)]
        self.articles = [f"How to choose {self._words(3)}" for _ in range(max(products // 4, 4))]
        self.categories = [w.title() for w in self.random.sample(_WORDS, 5)]
        self._attributes = self.random.sample(list(_COMMON), len(_COMMON))
        self.pages = {page.url: page for page in self._pages()}

    def t(self, word: str) -> str:
        """A word in the shop's wording."""
        return self.wording.get(word, word)

    def _words(self, n: int) -> str:
        return " ".join(self.random.choice(_WORDS) for _ in range(n))

    def _text(self, low: int, high: int) -> str:
        lengths = (self.random.randint(5, 12) for _ in range(self.random.randint(low, high)))
        return _own(" ".join(f"{self._words(length).capitalize()}." for length in lengths))

    def _pages(self) -> Iterator[MadePage]:
        yield self._page("", "Home", self._home())
        for i, _ in enumerate(self.categories):
            yield self._page(f"c/{i}.html", self.categories[i], self._category(i))
        for i, title in enumerate(self.titles):
            yield self._page(f"p/{i}.html", title, self._product(i))
        for i, title in enumerate(self.articles):
            yield self._page(f"a/{i}.html", title, self._article(i))

    def _page(self, path: str, title: str, content: str) -> MadePage:
        source = self._body(path, title, content)
        texts = tuple((TYPES[what], text) for what, text in _MARKED.findall(source))
        body = _MARKED.sub(lambda found: escape(found[2], quote=False), source)
        html = f"<!DOCTYPE html><html><head><title>{escape(title)}</title></head>{body}</html>"
        return MadePage(self.base + path, html, texts)

    def _if(self, part: str, source: str) -> str:
        return source if part in self.parts else ""

    # --- frame ---

    def _body(self, path: str, title: str, content: str) -> str:
        def element(name: str, tag: str, inner: str) -> str:
            return f"<{tag}>{inner}</{tag}>" if self.layout == "semantic" else f"<div id={name}>{inner}</div>"

        f = _frame
        header = element(
            "head",
            "header",
            f"<a href=/>{f('The Made Shop')}</a><span>{f('Fine things since 1984')}</span><form action=/search>"
            f"<label for=q>{f('Search')}</label><input id=q name=q><button>{f('Go')}</button></form>",
        )
        entries = [self._entry(path, f"c/{i}.html", name) for i, name in enumerate(self.categories)]
        nav = element("menu", "nav", f"<ul>{''.join(entries)}{self._entry(path, 'a/0.html', 'Magazine')}</ul>")
        footer = element(
            "foot",
            "footer",
            f"<div><h4>{f('Service')}</h4><p>{f('Call us on weekdays from nine to five')}</p>"
            f"<a href=/contact>{f('Contact')}</a></div><div><h4>{f('Newsletter')}</h4>"
            f"<p>{f('No offer missed any more.')}</p><form><input name=mail><button>{f('Subscribe')}</button></form>"
            f"</div><p>{f('© The Made Shop, all rights reserved')}</p>",
        )
        side = element(
            "side",
            "aside",
            f"<h3>{f('Opening hours')}</h3><p>{f('Monday to Friday')}</p><p>{f('9 to 18 h')}</p><h3>{f('Our shops')}"
            f"</h3><ul><li><a href=/s/1>{f('Lisbon')}</a></li><li><a href=/s/2>{f('Porto')}</a></li></ul><div class=ad>"
            f"<strong>{f('Summer sale')}</strong><span>{f('up to 30 %')}</span></div>{self._recent()}",
        )
        crumbs = f"<div class=crumbs><a href=/>{f('Home')}</a>{_any(' / ')}<span>{_any(title)}</span></div>"
        main = element("content", "main", self._if("crumbs", crumbs) + content)
        top = self._if("notice", f"<div class=top><span>{f('Free delivery from 50 EUR')}</span></div>")
        cookie = f"<div class=cookie><p>{f('We use cookies.')}</p><button>{f('Accept')}</button></div>"
        end, side = self._if("cookie", cookie), self._if("sidebar", side)
        if "beside" in self.parts and side:
            main, side = f"<div class=columns>{main}{side}</div>", ""
        if self.layout == "table":
            cell = side and f"<td class=side>{side}</td>"
            middle = f"{top}{header}{nav}<table><tr>{cell}<td class=main>{main}</td></tr></table>{footer}"
        elif self.layout == "wrapped":
            middle = (
                f"<div id=page><div class=wrap>{top}{header}{nav}</div><div class=middle><div class=inner>{main}{side}"
                f"</div></div><div class=wrap>{footer}</div></div>"
            )
        else:
            middle = f"{top}{header}{nav}{main}{side}{footer}"
        return f"<body>{middle}{end}</body>"

    def _recent(self) -> str:
        # a box of the frame with content of its own on each page
        number = self.random.choice((1, 2, 2, 4)) if "recent" in self.parts else 0
        sample = self.random.sample(range(len(self.titles)), number)
        links = "".join(f"<li><a href=/p/{i}.html>{_any(self.titles[i])}</a></li>" for i in sample)
        tag = "h3" if "flat" in self.parts else "div class=title"
        heading = f"<{tag}>{_frame('Recently viewed')}</{tag.partition(' ')[0]}>"
        return f"<div class=box>{heading}<ul>{links}</ul></div>" if number else ""

    def _entry(self, path: str, target: str, name: str) -> str:
        # the entry of the page itself is another on each page of the menu
        if path == target:
            return f"<li class=active><span>{_any(name)}</span></li>"
        return f"<li><a href=/{target}>{_frame(name)}</a></li>"

    # --- content ---

    def _value_of(self, name: str) -> str:
        if name in _COMMON:
            is_common = self.random.random() < self.shares[name]
            return _value(_COMMON[name] if is_common else self._words(self.random.choice((1, 1, 2))).capitalize())
        number = self.random.randint(100, 99999)
        return _value({"SKU": f"CK-{number}", "Weight": f"{number / 100:.1f} kg"}[name])

    def _pair(self, name: str) -> tuple[str, str]:
        value = self._value_of(name)
        brand = value[2:-1].split()[0].lower()
        return self.t(name), f"<a href=/by/{brand}>{value}</a>" if name in self.linked else value

    def _facts(self, index: int) -> str:
        # own values in most groups, none in the second
        names = self._attributes[4 * index : 4 * index + 4]
        names = [*names, "Weight"] if index == 0 else [names[0], "SKU", *names[1:]] if index == 2 else names
        if "optional" in self.parts:
            names = [name for name in names if name in {"Weight", "SKU"} or self.random.random() < 0.8]
        return self.forms[index]([self._pair(name) for name in names]) if names else ""

    def _product(self, i: int) -> str:
        price = f"{self.random.randint(3, 400)}.{self.random.choice(('00', '50', '99'))}"
        title = f"<{self.title}>{_own(self.titles[i])}</{self.title.partition(' ')[0]}>"
        amount = f"<span class=amount>{_value(price)}</span><span class=unit>{_label(' EUR')}</span>"
        cart = f"<label>{_frame('Quantity')}</label><input name=n><button>{_frame('Add to basket')}</button>"
        more = "" if "short" in self.parts else f"<p>{self._text(2, 6)}</p><p>{self._text(1, 3)}</p>"
        sections = {
            "facts": self._facts(0),
            "facts2": self._facts(1),
            "facts3": self._facts(2),
            "description": f"<h2>{_label(self.t('Description'))}</h2><p>{_own(self._words(5))}</p>{more}",
            "list": f"<h3>{_label(self.t('Ingredients'))}</h3><ul>{self._items()}</ul>",
        }
        if "long" in self.parts:
            text = "".join(f"<p>{self._text(6, 9)}</p>" for _ in range(9))
            sections["description"] = f"<div class=text>{sections['description']}{text}</div>"
        parts = [title, f"<p class=price>{amount}</p>", self._if("cart", f"<form class=cart>{cart}</form>")]
        for name in self.order:
            tab = f"<div class='tab {name}'>{sections[name]}</div>"
            parts.append(tab if "tabs" in self.parts else sections[name])
        trust = ("Free returns within thirty days", "Secure payment by card", "Climate neutral shipping")
        items = "".join(f"<li>{_mark('b', text)}</li>" for text in trust)
        parts.append(self._if("trust", f"<ul class=trust>{items}</ul>"))
        words = _mark("b", "Any questions about this product? Our team is happy to help you.")
        parts.append(self._if("help", f"<div class=help><p>{words}</p><a href=/contact>{_frame('Ask us')}</a></div>"))
        parts.append(self._reviews() if "reviews" in self.parts else "")
        shares = (f"<a href=http://{n}.example/share>{_frame(n)}</a>" for n in ("Mastodon", "Mail", "Print"))
        share = f"<div class=share><span>{_frame('Share this')}</span>{''.join(shares)}</div>"
        parts.append(self._if("share", share))
        if "also" in self.parts:
            others = self.random.sample(range(len(self.titles)), 3)
            link = "<div class=teaser><a href=/p/{}.html>{}</a></div>"
            also = (
                f"<h2>{_frame('You may also like')}</h2>{''.join(link.format(j, _any(self.titles[j])) for j in others)}"
            )
            parts.append(also if "flat" in self.parts else f"<div class=also>{also}</div>")
        return f"<div class=product>{''.join(parts)}</div>"

    def _items(self) -> str:
        return "".join(f"<li>{_own(self._words(2))}</li>" for _ in range(self.random.randint(2, 6)))

    def _reviews(self) -> str:
        heading = f"<h2>{_label(self.t('Reviews'))}</h2>"
        number = self.random.choice((0, 0, 1, 40 if "many" in self.parts else 3))
        if not number:
            return f"{heading}<p class=none>{_value('No reviews yet')}</p>"
        reviews = "".join(
            f"<div class=review><div class=stars>{_value(f'{self.random.choice((5, 5, 5, 4, 1))} of 5 stars')}</div>"
            f"<p class=meta>{_label('By ')}<b>{_value(self._words(1).title())}</b>{_label(' on ')}"
            f"<time>{_value(f'{self.random.randint(1, 28)} May 2021')}</time></p><p>{self._text(1, 3)}</p></div>"
            for _ in range(number)
        )
        return f"{heading}<div class=reviews>{reviews}</div>"

    def _article(self, i: int) -> str:
        author = "Ann Lee" if self.random.random() < 0.6 else self._words(2).title()
        link = f"<a href=/by/{author.split()[0].lower()}>{_value(author)}</a>"
        date = _label(" on ") + _value(f"{self.random.randint(1, 28)} June 2021")
        body = "".join(f"<p>{self._text(2, 6)}</p>" for _ in range(self.random.randint(2, 6)))
        topic = f"{_label('Filed under: ')}<a href=/t/1>{_value(self.random.choice(('News', 'News', 'Tips')))}</a>"
        head = f"<h1>{_own(self.articles[i])}</h1><p class=byline>{_label('By ')}{link}{date}</p>"
        return f"<article>{head}{body}<p class=filed>{topic}</p></article>"

    def _card(self, i: int) -> str:
        stock = self._value_of("Availability")
        link = f"<a href=/p/{i}.html>{_own(self.titles[i])}</a><span class=brand>{self._value_of('Brand')}</span>"
        price = f"{_label('from ')}{_value(f'{self.random.randint(3, 99)}.00')}"
        return f"<div class=item>{link}<span class=stock>{stock}</span><span class=price>{price}</span></div>"

    def _category(self, i: int) -> str:
        brands = "".join(
            f"<li><a href=?brand={b}>{_any(b)}</a>{_any(f' ({self.random.randint(1, 40)})')}</li>"
            for b in ("Acme", "Orbit")
        )
        facets = f"<div class=facets><h3>{_any(self.t('Brand'))}</h3><ul>{brands}</ul></div>"
        head = f"<h1>{_own(self.categories[i])}</h1><p>{self._text(1, 2)}</p>"
        cards = "".join(self._card(j) for j in range(i, len(self.titles), len(self.categories)))
        return f"{head}{facets}<div class=grid>{cards}</div>"

    def _home(self) -> str:
        links = "".join(f"<p><a href=/a/{i}.html>{_own(title)}</a></p>" for i, title in enumerate(self.articles))
        text = f"<h1>{_own('Welcome')}</h1><p>{self._text(2, 3)}</p>"
        cards = "".join(self._card(j) for j in range(0, len(self.titles), 7))
        return f"{text}<div class=news>{links}</div><div class=grid>{cards}</div>"


def text_types(made: MadePage, texts: Sequence[str | None]) -> Iterator[tuple[int, str]]:
    """Yield the position of each text node of a made page and what it is.

    Args:
        made: the made page.
        texts: the texts of its nodes in node order, None for elements.
    """
    written = [(what, "".join(text.split())) for what, text in made.texts if text.strip()]
    index = 0
    for position, text in enumerate(texts):
        if text is None:
            continue
        left, types = "".join(text.split()), []
        while left:
            what, part = written[index]
            assert left.startswith(part), (left, part)
            left, index = left[len(part) :], index + 1
            types.append(what)
        yield position, types[0] if len(set(types)) == 1 else "value"
