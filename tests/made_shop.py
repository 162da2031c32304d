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
Form = Callable[[Pairs], "list[Element]"]


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


def _in(outer: str, row: Callable[[str, Element | Text], Sequence[Element | Text]]) -> Form:
    """A form that is one element with what a label and a value make."""
    return lambda pairs: [e(outer, *(each for k, v in pairs for each in row(k, v)))]


def _columns(pairs: Pairs) -> list[Element]:
    head = e("thead", e("tr", *(e("th", label(k)) for k, _ in pairs)))
    return [e("table class=grid", head, e("tbody", e("tr", *(e("td", v) for _, v in pairs))))]


def _two_in_a_row(pairs: Pairs) -> list[Element]:
    cells = [[e("td class=k", label(k)), e("td class=v", v)] for k, v in pairs]
    rows = [e("tr", *(cell for pair in cells[i : i + 2] for cell in pair)) for i in range(0, len(cells), 2)]
    return [e("table", *rows)]


def _icons(pairs: Pairs) -> list[Element]:
    icons = (e("li", e(f"i class='icon icon-{i}'"), e("span", v)) for i, (_, v) in enumerate(pairs))
    return [e("ul class=icons", *icons)]


FORMS: tuple[Form, ...] = (
    lambda pairs: [e("table class=data", e("tbody", *(e("tr", e("th", label(k)), e("td", v)) for k, v in pairs)))],
    _in("table", lambda k, v: [e("tr", e("td", e("b", label(k))), e("td", v))]),
    _columns,
    _two_in_a_row,
    _in("dl", lambda k, v: [e("dt", label(k)), e("dd", v)]),
    _in("dl class=facts", lambda k, v: [e("div", e("dt", label(k)), e("dd", v))]),
    _in("div class=cards", lambda k, v: [e("div class=card", e("dl", e("dt", label(k)), e("dd", v)))]),
    _in("ul class=features", lambda k, v: [e("li", e("strong", label(f"{k}:")), Text(ANY, " "), v)]),
    lambda pairs: [e("p", e("b", label(f"{k}: ")), v) for k, v in pairs],
    _in("p class=lines", lambda k, v: [e("b", label(f"{k}: ")), v, e("br")]),
    _in(
        "div class=attributes",
        lambda k, v: [e("div class=attribute", e("span class=label", label(k)), e("span class=value", v))],
    ),
    lambda pairs: [e("div class=row", e("div class=name", label(k)), e("div class=val", v)) for k, v in pairs],
    _in(
        "div class=container",
        lambda k, v: [e("div class=row", e("div class=col-4", e("b", label(k))), e("div class=col-8", v))],
    ),
    _in("div class=grid", lambda k, v: [e("div class=k", label(k)), e("div class=v", v)]),
    lambda pairs: [each for k, v in pairs for each in (e("h3", label(k)), e("ul", e("li", v)))],
    lambda pairs: [e("section", e("h4", label(k)), e("p", v)) for k, v in pairs],
    lambda pairs: [e("details", e("summary", label(k)), e("div", v)) for k, v in pairs],
    _icons,
    _in("div class=specs", lambda k, v: [e("p", e("small", label(k)), e("br"), v)]),
    _in("div class=stats", lambda k, v: [e("div class=stat", e("strong", v), e("span", label(k)))]),
    _in(
        "ul",
        lambda k, v: [e("li", *([Text(VALUE, f"{k}: {v.text}")] if isinstance(v, Text) else [label(f"{k}: "), v]))],
    ),
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
        self.parts = frozenset(part for part in _PARTS if self.random.random() < 0.6)
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
        names = ("head", "menu", "content", "side", "foot")
        semantic = self.layout == "semantic"
        header_, nav_, main_, aside_, footer_ = (
            ("header", "nav", "main", "aside", "footer") if semantic else (f"div id={name}" for name in names)
        )
        search = e("label for=q", frame("Search")), e("input id=q name=q"), e("button", frame("Go"))
        header = e(
            header_, e("a href=/", frame("The Made Shop")), e("span", frame("Fine things since 1984")),
            e("form action=/search", *search),
        )  # fmt: skip
        entries = [self._entry(path, f"c/{i}.html", name) for i, name in enumerate(self.categories)]
        nav = e(nav_, e("ul", *entries, self._entry(path, "a/0.html", "Magazine")))
        service = e("h4", frame("Service")), e("p", frame("Call us on weekdays from nine to five"))
        letter = e("h4", frame("Newsletter")), e("p", frame("No offer missed any more."))
        footer = e(
            footer_,
            e("div", *service, e("a href=/contact", frame("Contact"))),
            e("div", *letter, e("form", e("input name=mail"), e("button", frame("Subscribe")))),
            e("p", frame("© The Made Shop, all rights reserved")),
        )
        side = e(
            aside_, e("h3", frame("Opening hours")), e("p", frame("Monday to Friday")), e("p", frame("9 to 18 h")),
            e("h3", frame("Our shops")),
            e("ul", e("li", e("a href=/s/1", frame("Lisbon"))), e("li", e("a href=/s/2", frame("Porto")))),
            e("div class=ad", e("strong", frame("Summer sale")), e("span", frame("up to 30 %"))),
            *self._recent(),
        )  # fmt: skip
        crumbs = e("div class=crumbs", e("a href=/", frame("Home")), Text(ANY, " / "), e("span", Text(ANY, title)))
        inner = [crumbs, *content] if "crumbs" in self.parts else content
        main = e(main_, *inner)
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
        sample = self.random.sample(range(len(self.titles)), number)
        links = (e(f"a href=/p/{i}.html", Text(ANY, self.titles[i])) for i in sample)
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
            trust = ("Free returns within thirty days", "Secure payment by card", "Climate neutral shipping")
            parts.append(e("ul class=trust", *(e("li", Text(BOX, text)) for text in trust)))
        if "help" in self.parts:
            words = Text(BOX, "Any questions about this product? Our team is happy to help you.")
            parts.append(e("div class=help", e("p", words), e("a href=/contact", frame("Ask us"))))
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
            stars_ = e("div class=stars", Text(VALUE, f"{stars} of 5 stars"))
            author = label("By "), e("b", Text(VALUE, self._words(1).title()))
            date = label(" on "), e("time", Text(VALUE, f"{self.random.randint(1, 28)} May 2021"))
            reviews.append(e("div class=review", stars_, e("p class=meta", *author, *date), e("p", self._text(1, 3))))
        return [*found, e("div class=reviews", *reviews)]

    def _article(self, i: int) -> list[Element]:
        author = "Ann Lee" if self.random.random() < 0.6 else self._words(2).title()
        link = e(f"a href=/by/{author.split()[0].lower()}", Text(VALUE, author))
        date = label(" on "), Text(VALUE, f"{self.random.randint(1, 28)} June 2021")
        head = e("p class=byline", label("By "), link, *date)
        body = [e("p", self._text(2, 6)) for _ in range(self.random.randint(2, 6))]
        topic = e("a href=/t/1", Text(VALUE, self.random.choice(("News", "News", "Tips"))))
        filed = e("p class=filed", label("Filed under: "), topic)
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
        brands = (
            e("li", e(f"a href=?brand={b}", Text(ANY, b)), Text(ANY, f" ({self.random.randint(1, 40)})"))
            for b in ("Acme", "Orbit")
        )
        facets = e("div class=facets", e("h3", Text(ANY, self.t("Brand"))), e("ul", *brands))
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
