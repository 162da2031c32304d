"""Made shops, of which is known what each text is: a label, a value, the page's own, or of the frame.

A shop is chosen by its seed: layout, wording, the forms in which values have labels, and the shares of common values.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

LABEL, VALUE, OWN, FRAME, BOX, ANY = "label", "value", "own", "frame", "box", "any"
"""What a text is. BOX: of the frame, but small, without links, and amid the content. ANY: either will do."""

Pairs = Sequence[tuple[str, "Element | Text"]]


@dataclass(frozen=True, slots=True)
class Text:
    """A text and what it is."""

    what: str
    text: str


@dataclass(frozen=True, slots=True)
class Element:
    """An element: its start tag without brackets, and what it contains."""

    start: str
    children: tuple[Element | Text, ...]

    def write(self, out: list[str], texts: list[tuple[str, str]]) -> None:
        """Append the source, and the texts in document order."""
        tag = self.start.split(" ", 1)[0]
        out.append(f"<{self.start}>")
        for child in self.children:
            if isinstance(child, Text):
                out.append(escape(child.text, quote=False))
                texts.append((child.what, child.text))
            else:
                child.write(out, texts)
        if tag not in {"br", "hr", "img", "input"}:
            out.append(f"</{tag}>")


@dataclass(frozen=True, slots=True)
class MadePage:
    """A page with its texts in document order, those of one line not joined."""

    url: str
    html: str
    texts: tuple[tuple[str, str], ...]


def e(start: str, *children: Element | Text) -> Element:
    """An element."""
    return Element(start, children)


def frame(text: str) -> Text:
    """A text of the frame."""
    return Text(FRAME, text)


def label(text: str) -> Text:
    """A label."""
    return Text(LABEL, text)


# --- forms of labels and values ---


def _table(pairs: Pairs) -> list[Element]:
    return [e("table class=data", e("tbody", *(e("tr", e("th", label(k)), e("td", v)) for k, v in pairs)))]


def _table_plain(pairs: Pairs) -> list[Element]:
    return [e("table", *(e("tr", e("td", e("b", label(k))), e("td", v)) for k, v in pairs))]


def _table_columns(pairs: Pairs) -> list[Element]:
    head = e("tr", *(e("th", label(k)) for k, _ in pairs))
    return [e("table class=grid", e("thead", head), e("tbody", e("tr", *(e("td", v) for _, v in pairs))))]


def _table_four(pairs: Pairs) -> list[Element]:
    cells = [[e("td class=k", label(k)), e("td class=v", v)] for k, v in pairs]
    rows = [e("tr", *(cell for pair in cells[i : i + 2] for cell in pair)) for i in range(0, len(cells), 2)]
    return [e("table", *rows)]


def _dl(pairs: Pairs) -> list[Element]:
    return [e("dl", *(each for k, v in pairs for each in (e("dt", label(k)), e("dd", v))))]


def _dl_div(pairs: Pairs) -> list[Element]:
    return [e("dl class=facts", *(e("div", e("dt", label(k)), e("dd", v)) for k, v in pairs))]


def _cards(pairs: Pairs) -> list[Element]:
    cards = (e("div class=card", e("dl", e("dt", label(k)), e("dd", v))) for k, v in pairs)
    return [e("div class=cards", *cards)]


def _li_strong(pairs: Pairs) -> list[Element]:
    return [e("ul class=features", *(e("li", e("strong", label(f"{k}:")), Text(ANY, " "), v) for k, v in pairs))]


def _p_b(pairs: Pairs) -> list[Element]:
    return [e("p", e("b", label(f"{k}: ")), v) for k, v in pairs]


def _breaks(pairs: Pairs) -> list[Element]:
    lines = (each for k, v in pairs for each in (e("b", label(f"{k}: ")), v, e("br")))
    return [e("p class=lines", *lines)]


def _spans(pairs: Pairs) -> list[Element]:
    rows = (e("div class=attribute", e("span class=label", label(k)), e("span class=value", v)) for k, v in pairs)
    return [e("div class=attributes", *rows)]


def _divs(pairs: Pairs) -> list[Element]:
    return [e("div class=row", e("div class=name", label(k)), e("div class=val", v)) for k, v in pairs]


def _columns(pairs: Pairs) -> list[Element]:
    rows = (e("div class=row", e("div class=col-4", e("b", label(k))), e("div class=col-8", v)) for k, v in pairs)
    return [e("div class=container", *rows)]


def _flat_divs(pairs: Pairs) -> list[Element]:
    flat = (each for k, v in pairs for each in (e("div class=k", label(k)), e("div class=v", v)))
    return [e("div class=grid", *flat)]


def _headings(pairs: Pairs) -> list[Element]:
    return [each for k, v in pairs for each in (e("h3", label(k)), e("ul", e("li", v)))]


def _sections(pairs: Pairs) -> list[Element]:
    return [e("section", e("h4", label(k)), e("p", v)) for k, v in pairs]


def _details(pairs: Pairs) -> list[Element]:
    return [e("details", e("summary", label(k)), e("div", v)) for k, v in pairs]


def _icons(pairs: Pairs) -> list[Element]:
    return [
        e("ul class=icons", *(e("li", e(f"i class='icon icon-{i}'"), e("span", v)) for i, (_, v) in enumerate(pairs)))
    ]


def _under(pairs: Pairs) -> list[Element]:
    return [e("div class=specs", *(e("p", e("small", label(k)), e("br"), v) for k, v in pairs))]


def _value_first(pairs: Pairs) -> list[Element]:
    return [e("div class=stats", *(e("div class=stat", e("strong", v), e("span", label(k))) for k, v in pairs))]


def _one_text(pairs: Pairs) -> list[Element]:
    found = []
    for k, v in pairs:
        if isinstance(v, Text):
            found.append(e("li", Text(VALUE, f"{k}: {v.text}")))
        else:
            found.append(e("li", label(f"{k}: "), v))
    return [e("ul", *found)]


FORMS: tuple[Callable[[Pairs], list[Element]], ...] = (
    _table,
    _table_plain,
    _table_columns,
    _table_four,
    _dl,
    _dl_div,
    _cards,
    _li_strong,
    _p_b,
    _breaks,
    _spans,
    _divs,
    _columns,
    _flat_divs,
    _headings,
    _sections,
    _details,
    _icons,
    _under,
    _value_first,
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

_WORDINGS: tuple[dict[str, str], ...] = (
    {},
    {
        "Brand": "Marke",
        "Availability": "Verfügbarkeit",
        "Condition": "Zustand",
        "Material": "Material",
        "Colour": "Farbe",
        "Weight": "Gewicht",
        "Origin": "Herkunft",
        "Warranty": "Garantie",
        "Delivery": "Lieferzeit",
        "Size": "Größe",
        "Care": "Pflege",
        "Category": "Kategorie",
        "Description": "Beschreibung",
        "Ingredients": "Inhalt",
        "Reviews": "Bewertungen",
    },
    {
        "Brand": "品牌",
        "Availability": "库存",
        "Condition": "状态",
        "Material": "材质",
        "Colour": "颜色",
        "Weight": "重量",
        "Origin": "产地",
        "Warranty": "保修",
        "Delivery": "配送",
        "Size": "尺寸",
        "Care": "保养",
        "Category": "分类",
        "Description": "商品描述",
        "Ingredients": "成分",
        "Reviews": "评价",
    },
    {
        "Brand": "Made by",
        "Availability": "Stock status",
        "Condition": "Item condition",
        "Material": "Main material used",
        "Colour": "Colour / finish",
        "Weight": "Net weight",
        "Origin": "Country of origin",
        "Warranty": "Manufacturer's warranty",
        "Delivery": "Usual time of delivery",
        "Size": "Size (L x W x H)",
        "Care": "How to care for it",
        "Category": "Found in",
        "Description": "About this product",
        "Ingredients": "What is inside",
        "Reviews": "What customers say",
    },
)

_COMMON = {
    "Brand": "Acme",
    "Availability": "In stock",
    "Condition": "New",
    "Material": "Cotton",
    "Colour": "red",
    "Origin": "Portugal",
    "Warranty": "2 years",
    "Delivery": "2-3 working days",
    "Size": "M",
    "Care": "Wash cold",
    "Category": "Garden",
}
_LINKED = ("Brand", "Category")


class Shop:
    """A made shop.

    Args:
        seed: chooses layout, wording, forms, and shares.
        products: number of product pages.
        shares: on which share of the pages a value is the common one, chosen from for each attribute.
    """

    def __init__(
        self, seed: int, products: int = 40, shares: Sequence[float] = (0.2, 0.35, 0.5, 0.65, 0.8, 0.95)
    ) -> None:
        self.random = random.Random(f"shop {seed}")
        pick = self.random.choice
        self.base = f"http://shop{seed}.example/"
        self.layout = pick(("semantic", "divs", "wrapped", "table"))
        self.wording = pick(_WORDINGS)
        self.shares = {name: pick(shares) for name in _COMMON}
        self.forms = self.random.sample(FORMS, 4)
        self.linked = frozenset(name for name in _LINKED if self.random.random() < 0.5)
        self.parts = frozenset(
            part
            for part in (
                "sidebar",
                "trust",
                "also",
                "reviews",
                "share",
                "cart",
                "crumbs",
                "cookie",
                "notice",
                "tabs",
                "optional",
                "help",
                "flat",
                "recent",
                "short",
                "beside",
                "long",
                "many",
            )
            if self.random.random() < 0.6
        )
        self.title = pick(("h1", "h1", "h2", "div class=title"))
        self.order = self.random.sample(("facts", "description", "facts2", "list", "facts3"), 5)
        self.titles = [self._name(i) for i in range(products)]
        self.articles = [f"How to choose {self._words(3)}" for _ in range(max(products // 4, 4))]
        self.categories = [w.title() for w in self.random.sample(_WORDS, 5)]
        self._attributes = self.random.sample(list(_COMMON), len(_COMMON))
        self.pages = {page.url: page for page in self._pages()}

    def t(self, word: str) -> str:
        """A word in the shop's wording."""
        return self.wording.get(word, word)

    def _words(self, n: int) -> str:
        return " ".join(self.random.choice(_WORDS) for _ in range(n))

    def _name(self, i: int) -> str:
        return f"{self._words(2).title()} {i + 100}"

    def _text(self, low: int, high: int) -> Text:
        sentences = [
            f"{self._words(self.random.randint(5, 12)).capitalize()}." for _ in range(self.random.randint(low, high))
        ]
        return Text(OWN, " ".join(sentences))

    def _pages(self) -> Iterator[MadePage]:
        yield self._page("", "Home", self._home())
        for i, _ in enumerate(self.categories):
            yield self._page(f"c/{i}.html", self.categories[i], self._category(i))
        for i, title in enumerate(self.titles):
            yield self._page(f"p/{i}.html", title, self._product(i))
        for i, title in enumerate(self.articles):
            yield self._page(f"a/{i}.html", title, self._article(i))

    def _page(self, path: str, title: str, content: list[Element]) -> MadePage:
        out: list[str] = [f"<!DOCTYPE html><html><head><title>{escape(title)}</title></head>"]
        texts: list[tuple[str, str]] = []
        self._body(path, title, content).write(out, texts)
        out.append("</html>")
        # texts that follow each other without a tag between them are one, and blank ones are none
        return MadePage(self.base + path, "".join(out), tuple(texts))

    # --- frame ---

    def _body(self, path: str, title: str, content: list[Element]) -> Element:
        semantic = self.layout == "semantic"
        tags = (
            {"header": "header", "nav": "nav", "main": "main", "aside": "aside", "footer": "footer"}
            if semantic
            else {
                "header": "div id=head",
                "nav": "div id=menu",
                "main": "div id=content",
                "aside": "div id=side",
                "footer": "div id=foot",
            }
        )
        header = e(
            tags["header"],
            e("a href=/", frame("The Made Shop")),
            e("span", frame("Fine things since 1984")),
            e(
                "form action=/search",
                e("label for=q", frame("Search")),
                e("input id=q name=q"),
                e("button", frame("Go")),
            ),
        )
        nav = e(
            tags["nav"],
            e(
                "ul",
                *(self._entry(path, f"c/{i}.html", name) for i, name in enumerate(self.categories)),
                self._entry(path, "a/0.html", "Magazine"),
            ),
        )
        footer = e(
            tags["footer"],
            e(
                "div",
                e("h4", frame("Service")),
                e("p", frame("Call us on weekdays from nine to five")),
                e("a href=/contact", frame("Contact")),
            ),
            e(
                "div",
                e("h4", frame("Newsletter")),
                e("p", frame("No offer missed any more.")),
                e("form", e("input name=mail"), e("button", frame("Subscribe"))),
            ),
            e("p", frame("© The Made Shop, all rights reserved")),
        )
        side = e(
            tags["aside"],
            e("h3", frame("Opening hours")),
            e("p", frame("Monday to Friday")),
            e("p", frame("9 to 18 h")),
            e("h3", frame("Our shops")),
            e("ul", e("li", e("a href=/s/1", frame("Lisbon"))), e("li", e("a href=/s/2", frame("Porto")))),
            e("div class=ad", e("strong", frame("Summer sale")), e("span", frame("up to 30 %"))),
            *self._recent(),
        )
        crumbs = e("div class=crumbs", e("a href=/", frame("Home")), Text(ANY, " / "), e("span", Text(ANY, title)))
        inner = [crumbs, *content] if "crumbs" in self.parts else content
        main = e(tags["main"], *inner)
        top = [e("div class=top", e("span", frame("Free delivery from 50 EUR")))] if "notice" in self.parts else []
        cookie = [e("div class=cookie", e("p", frame("We use cookies.")), e("button", frame("Accept")))]
        end = cookie if "cookie" in self.parts else []
        sides = [side] if "sidebar" in self.parts else []
        if "beside" in self.parts and sides:
            main, sides = e("div class=columns", main, *sides), []
        if self.layout == "table":
            row = e("tr", *(e("td class=side", part) for part in sides), e("td class=main", main))
            return e("body", *top, header, nav, e("table", row), footer, *end)
        if self.layout == "wrapped":
            middle = e("div class=middle", e("div class=inner", main, *sides))
            return e(
                "body",
                e("div id=page", e("div class=wrap", *top, header, nav), middle, e("div class=wrap", footer)),
                *end,
            )
        return e("body", *top, header, nav, main, *sides, footer, *end)

    def _recent(self) -> list[Element]:
        # a box of the frame with content of its own on each page
        number = self.random.choice((1, 2, 2, 4)) if "recent" in self.parts else 0
        links = (
            e(f"a href=/p/{i}.html", Text(ANY, self.titles[i]))
            for i in self.random.sample(range(len(self.titles)), number)
        )
        heading = e("h3" if "flat" in self.parts else "div class=title", frame("Recently viewed"))
        box = e("div class=box", heading, e("ul", *(e("li", link) for link in links)))
        return [box] if number else []

    def _entry(self, path: str, target: str, name: str) -> Element:
        # the entry of the page itself is another on each page of the menu
        if path == target:
            return e("li class=active", e("span", Text(ANY, name)))
        return e("li", e(f"a href=/{target}", frame(name)))

    # --- content ---

    def _value(self, name: str) -> Text:
        if name in _COMMON:
            is_common = self.random.random() < self.shares[name]
            return Text(VALUE, _COMMON[name] if is_common else self._words(self.random.choice((1, 1, 2))).capitalize())
        number = self.random.randint(100, 99999)
        return Text(VALUE, {"SKU": f"CK-{number}", "Weight": f"{number / 100:.1f} kg"}.get(name, str(number)))

    def _pair(self, name: str) -> tuple[str, Element | Text]:
        value = self._value(name)
        shown = e(f"a href=/by/{value.text.split()[0].lower()}", value) if name in self.linked else value
        return self.t(name), shown

    def _facts(self, index: int) -> list[Element]:
        # own values in most groups, none in the second
        names = self._attributes[4 * index : 4 * index + 4]
        names = [*names, "Weight"] if index == 0 else [names[0], "SKU", *names[1:]] if index == 2 else names
        if "optional" in self.parts:
            names = [name for name in names if name in {"Weight", "SKU"} or self.random.random() < 0.8]
        return self.forms[index]([self._pair(name) for name in names]) if names else []

    def _product(self, i: int) -> list[Element]:
        price = f"{self.random.randint(3, 400)}.{self.random.choice(('00', '50', '99'))}"
        parts = [e(self.title, Text(OWN, self.titles[i]))]
        parts.append(
            e("p class=price", e("span class=amount", Text(VALUE, price)), e("span class=unit", label(" EUR")))
        )
        cart = e(
            "form class=cart", e("label", frame("Quantity")), e("input name=n"), e("button", frame("Add to basket"))
        )
        parts += [cart] if "cart" in self.parts else []
        more = [] if "short" in self.parts else [e("p", self._text(2, 6)), e("p", self._text(1, 3))]
        sections = {
            "facts": self._facts(0),
            "facts2": self._facts(1),
            "facts3": self._facts(2),
            "description": [e("h2", label(self.t("Description"))), e("p", Text(OWN, self._words(5))), *more],
            "list": [
                e("h3", label(self.t("Ingredients"))),
                e("ul", *(e("li", Text(OWN, self._words(2))) for _ in range(self.random.randint(2, 6)))),
            ],
        }
        if "long" in self.parts:
            sections["description"] = [
                e("div class=text", *sections["description"], *(e("p", self._text(6, 9)) for _ in range(9)))
            ]
        for name in self.order:
            section = sections[name]
            parts += [e(f"div class='tab {name}'", *section)] if "tabs" in self.parts else section
        if "trust" in self.parts:
            parts.append(
                e(
                    "ul class=trust",
                    *(
                        e("li", Text(BOX, text))
                        for text in (
                            "Free returns within thirty days",
                            "Secure payment by card",
                            "Climate neutral shipping",
                        )
                    ),
                )
            )
        if "help" in self.parts:
            parts.append(
                e(
                    "div class=help",
                    e("p", Text(BOX, "Any questions about this product? Our team is happy to help you.")),
                    e("a href=/contact", frame("Ask us")),
                )
            )
        if "reviews" in self.parts:
            parts += self._reviews()
        if "share" in self.parts:
            shares = [e(f"a href=http://{n}.example/share", frame(n)) for n in ("Mastodon", "Mail", "Print")]
            parts.append(e("div class=share", e("span", frame("Share this")), *shares))
        if "also" in self.parts:
            others = self.random.sample(range(len(self.titles)), 3)
            cards = (e("div class=teaser", e(f"a href=/p/{j}.html", Text(ANY, self.titles[j]))) for j in others)
            also = [e("h2", frame("You may also like")), *cards]
            parts += also if "flat" in self.parts else [e("div class=also", *also)]
        return [e("div class=product", *parts)]

    def _reviews(self) -> list[Element]:
        found = [e("h2", label(self.t("Reviews")))]
        number = self.random.choice((0, 0, 1, 40 if "many" in self.parts else 3))
        if not number:
            return [*found, e("p class=none", Text(VALUE, "No reviews yet"))]
        reviews = []
        for _ in range(number):
            stars = self.random.choice((5, 5, 5, 4, 1))
            reviews.append(
                e(
                    "div class=review",
                    e("div class=stars", Text(VALUE, f"{stars} of 5 stars")),
                    e(
                        "p class=meta",
                        label("By "),
                        e("b", Text(VALUE, self._words(1).title())),
                        label(" on "),
                        e("time", Text(VALUE, f"{self.random.randint(1, 28)} May 2021")),
                    ),
                    e("p", self._text(1, 3)),
                )
            )
        return [*found, e("div class=reviews", *reviews)]

    def _article(self, i: int) -> list[Element]:
        author = "Ann Lee" if self.random.random() < 0.6 else self._words(2).title()
        head = e(
            "p class=byline",
            label("By "),
            e(f"a href=/by/{author.split()[0].lower()}", Text(VALUE, author)),
            label(" on "),
            Text(VALUE, f"{self.random.randint(1, 28)} June 2021"),
        )
        body = [e("p", self._text(2, 6)) for _ in range(self.random.randint(2, 6))]
        filed = e(
            "p class=filed",
            label("Filed under: "),
            e("a href=/t/1", Text(VALUE, self.random.choice(("News", "News", "Tips")))),
        )
        return [e("article", e("h1", Text(OWN, self.articles[i])), head, *body, filed)]

    def _card(self, i: int) -> Element:
        stock = self._value("Availability")
        return e(
            "div class=item",
            e(f"a href=/p/{i}.html", Text(OWN, self.titles[i])),
            e("span class=brand", self._value("Brand")),
            e("span class=stock", stock),
            e("span class=price", label("from "), Text(VALUE, f"{self.random.randint(3, 99)}.00")),
        )

    def _category(self, i: int) -> list[Element]:
        own = range(i, len(self.titles), len(self.categories))
        facets = e(
            "div class=facets",
            e("h3", Text(ANY, self.t("Brand"))),
            e(
                "ul",
                *(
                    e("li", e(f"a href=?brand={b}", Text(ANY, b)), Text(ANY, f" ({self.random.randint(1, 40)})"))
                    for b in ("Acme", "Orbit")
                ),
            ),
        )
        return [
            e("h1", Text(OWN, self.categories[i])),
            e("p", self._text(1, 2)),
            facets,
            e("div class=grid", *(self._card(j) for j in own)),
        ]

    def _home(self) -> list[Element]:
        links = (e(f"a href=/a/{i}.html", Text(OWN, title)) for i, title in enumerate(self.articles))
        return [
            e("h1", Text(OWN, "Welcome")),
            e("p", self._text(2, 3)),
            e("div class=news", *(e("p", link) for link in links)),
            e("div class=grid", *(self._card(j) for j in range(0, len(self.titles), 7))),
        ]


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
        yield position, types[0] if len(set(types)) == 1 else VALUE
