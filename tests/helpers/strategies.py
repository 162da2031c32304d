"""Hypothesis strategies: small pages, pairs of related pages, link graphs, pages full of links."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from html import escape
from itertools import pairwise, product
from random import Random

from hypothesis import strategies as st

from templex_scrapy import Page
from templex_scrapy.mapping import Similarity


@dataclass
class Tree:
    """An element to be written as HTML; a child is an element or a text."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Tree | str] = field(default_factory=list)

    def html(self) -> str:
        start = "".join(f' {name}="{escape(value)}"' for name, value in self.attributes.items())
        inner = "".join(escape(c) if isinstance(c, str) else c.html() for c in self.children)
        return f"<{self.tag}{start}>{inner}</{self.tag}>"

    def elements(self) -> Iterator[Tree]:
        yield self
        for child in self.children:
            if isinstance(child, Tree):
                yield from child.elements()


def document(body: Tree) -> str:
    return f"<!DOCTYPE html><html><head><title>t</title></head>{body.html()}</html>"


# --- trees ---------------------------------------------------------------------------------------

# Tags which the parser may nest in each other as they stand. The simplest kind comes first, because
# hypothesis shrinks towards the beginning of a list.
TAGS = ["div", "span"]
CLASSES = ["", "a", "b", "a b", "b a", "b c"]
ATTRIBUTES: list[dict[str, str]] = [{}, {"title": "x"}, {"title": "y"}, {"title": "x", "lang": "en"}, {"lang": "en"}]
IDS = ["", "m", "n"]
TEXTS = ["x", "y", "x y"]

Kind = tuple[str, dict[str, str]]


def kind(tag: str, class_: str, attributes: dict[str, str], id_: str) -> Kind:
    """Return one kind of element; an empty class or id is no attribute."""
    return tag, {name: value for name, value in {"class": class_, **attributes, "id": id_}.items() if value}


# Few ids, since a same id settles a pair before anything else is looked at; kinds with both classes and
# attributes, since the precedence rules need them; and some with an empty class or id.
KINDS: list[Kind] = [
    *(kind(tag, c, a, "") for a, c, tag in product(ATTRIBUTES, CLASSES, TAGS)),
    *(kind("div", c, a, i) for i, c, a in product(IDS[1:], CLASSES[:2], ATTRIBUTES[:2])),
    ("div", {"class": ""}),
    ("div", {"id": "", "title": "x"}),
]

# A page uses only few kinds, so that siblings of the same kind, ties and crossing pairs are common.
palettes = st.lists(st.sampled_from(KINDS), min_size=1, max_size=4)


def element(kind_: Kind) -> Tree:
    return Tree(kind_[0], dict(kind_[1]))


@st.composite
def trees(draw: st.DrawFn, palette: list[Kind], most: int = 6, depth: int = 3) -> Tree:
    """One element with at most ``most`` children, these with fewer."""
    tree = element(draw(st.sampled_from(palette)))
    if depth:
        for is_text in draw(st.lists(st.sampled_from([False, False, False, True]), max_size=most)):
            if is_text:
                tree.children.append(draw(st.sampled_from(TEXTS)))
            else:
                tree.children.append(draw(trees(palette, most=max(1, most // 2), depth=depth - 1)))
    return tree


@st.composite
def bodies(draw: st.DrawFn, palette: list[Kind], most: int = 6) -> Tree:
    """The body of a page of several levels."""
    return Tree("body", {}, draw(trees(palette, most=most)).children)


@st.composite
def flat_bodies(draw: st.DrawFn, palette: list[Kind], ids: str = "", most: int = 9) -> Tree:
    """A body with many siblings; with ids, pairs are settled first, in any order, so that they cross."""
    body = Tree("body")
    some = st.tuples(st.sampled_from(palette), st.sampled_from([0, 0, 0, 1, 2]), st.sampled_from(["", "", *ids]))
    for kind_, size, id_ in draw(st.lists(some, max_size=most)):
        body.children.append(element(kind_))
        body.children[-1].children.extend(Tree("i") for _ in range(0 if id_ else size))
        if id_:
            body.children[-1].attributes["id"] = id_
    return body


@st.composite
def run_bodies(draw: st.DrawFn, palette: list[Kind], most: int = 8) -> Tree:
    """A body as real lists are: long runs of one kind, or of two that alternate."""
    body = Tree("body")
    runs = st.tuples(st.lists(st.sampled_from(palette), min_size=1, max_size=2), st.integers(1, most))
    for kinds, times in draw(st.lists(runs, max_size=3)):
        for kind_ in kinds * times:
            body.children.append(element(kind_))
    return body


# --- mutations -----------------------------------------------------------------------------------


def mutate(parent: Tree, chance: Random, palette: list[Kind]) -> None:
    """Do one change; to an element without children only an insertion."""
    children = parent.children
    names = ["insert", "delete", "duplicate", "move", "change"]
    name = chance.choice(names) if children else "insert"
    index, to = chance.randrange(max(len(children), 1)), chance.randint(0, len(children))
    child = children[index] if children else ""
    kind_ = chance.choice(chance.choice([palette, KINDS]))
    match name:
        case "insert":
            children.insert(to, element(kind_) if chance.random() < 0.75 else chance.choice(TEXTS))
        case "delete":
            del children[index]
        case "duplicate":
            children.insert(to, copy.deepcopy(child))
        case "move":
            children.insert(to, children.pop(index))
        case "change" if isinstance(child, str):
            children[index] = chance.choice(TEXTS)
        case "change":
            child.tag, child.attributes = kind_[0], dict(kind_[1])


def mutated(body: Tree, chance: Random, palette: list[Kind]) -> Tree:
    """Return a changed copy; half of the changes hit the children of body, where the siblings are most."""
    result = copy.deepcopy(body)
    for _ in range(chance.randint(0, 6)):
        parents = [one for one in result.elements() if one.children]
        mutate(chance.choice(parents) if parents and chance.random() < 0.5 else result, chance, palette)
    return result


@st.composite
def related_pages(draw: st.DrawFn, body: Callable[[list[Kind]], st.SearchStrategy[Tree]], count: int = 2) -> list[str]:
    """Pages of one palette: the first, and others that are mutations of it or made anew."""
    palette = draw(palettes)
    first = draw(body(palette))
    pages = [first]
    while len(pages) < count:
        if draw(st.sampled_from([True, True, True, False])):
            pages.append(mutated(first, draw(st.randoms(use_true_random=False)), palette))
        else:
            pages.append(draw(body(palette)))
    return [document(page) for page in pages]


page_pairs = related_pages(bodies)
flat_pairs = related_pages(flat_bodies)
labelled_pairs = related_pages(partial(flat_bodies, ids="mnop"))
run_pairs = related_pages(run_bodies)
page_groups = st.integers(1, 5).flatmap(lambda count: related_pages(bodies, count=count))


# --- similarities --------------------------------------------------------------------------------


@st.composite
def _similarities(draw: st.DrawFn) -> Similarity:
    cuts = sorted(draw(st.lists(st.integers(0, 10), min_size=3, max_size=3)))
    position, classes, children, attributes = ((high - low) / 10 for low, high in pairwise([0, *cuts, 10]))
    return Similarity(
        position=position,
        classes=classes,
        children=children,
        attributes=attributes,
        threshold=draw(st.integers(1, 10)) / 10,
        unique=draw(st.booleans()),
        words=draw(st.booleans()),
    )


similarities = _similarities()
"""The grid of the papers: weights in tenths that sum to 1, a threshold in tenths."""


# --- link graphs ---------------------------------------------------------------------------------


@dataclass
class LinkGraph:
    """Pages 0, 1, …; ``links[m]`` are the pages that page m links to; some pages do not load."""

    links: list[set[int]]
    order: list[int]
    broken: set[int]
    size: int


@st.composite
def link_graphs(draw: st.DrawFn, most: int = 8) -> LinkGraph:
    """Graphs in which every second link is mutual, so that there are cliques of several sizes."""
    count = draw(st.integers(1, most))
    links: list[set[int]] = [set() for _ in range(count)]
    for a in range(count):
        for b in range(a):
            way = draw(st.sampled_from(["both", "both", "both", "none", "none", "there", "back"]))
            if way in {"both", "there"}:
                links[a].add(b)
            if way in {"both", "back"}:
                links[b].add(a)
    broken = draw(st.sets(st.integers(0, count - 1), max_size=2))
    order = draw(st.permutations(range(count)))
    return LinkGraph(links, order, broken, size=draw(st.integers(1, 5)))


# --- pages full of links ---------------------------------------------------------------------------

KEY_URLS = [
    "https://site.test/a/b/key",
    "https://site.test/",
    "https://site.test",
    "https://site.test/a/b/",
    "https://site.test/a",
    "http://site.test:8080/a/b/c/key?y=2&x=1",
    "https://site.test/a//b/key",
]
# Same directory, below, above and beside; the key pages themselves; other hosts, ports and schemes; URLs
# that are one after canonicalisation; what is plainly no page; what is no URL.
HREFS = [
    *["", "/a/b/one two"],
    *"""
    one two three?q=1 /a/b/one /a/b/c/one /a/b/c/d/one /a/b/c/d/e/ /a/one /a/ /a / /x /x/ /x/y/one /a/x/one /a/b
    /a/b/ /a/b/key /a/b/c/key?x=1&y=2 /a/b/c/key?y=2&x=1#top /a//b/one /A/b/one ../one ./c/one ../../x/one c/../two
    #top ?q=2 ?b=2&a=1 ?a=1&b=2 https://site.test/a/b/one http://site.test/a/b/one https://SITE.test/a/b/two
    https://site.test:443/a/b/three http://site.test:80/a/b/four https://site.test:8080/a/b/five
    http://site.test:8080/a/b/c/six //site.test/a/b/seven https://other.test/a/b/one https://www.site.test/a/b/one
    file.pdf /a/b/image.PNG /feed.xml archive.zip?x=1 page.html /a/%C3%A9t%C3%A9/one /a/été/one
    mailto:somebody@site.test javascript:void(0) http://[broken/one ftp://site.test/a/b/one
    """.split(),
]


@st.composite
def link_trees(draw: st.DrawFn, depth: int = 4) -> Tree:
    """Blocks within blocks, with links as leaves."""
    tree = Tree("div")
    for is_link in draw(st.lists(st.sampled_from([True, True, False]), max_size=5)):
        if is_link or not depth:
            tree.children.append(Tree("a", {"href": draw(st.sampled_from(HREFS))}, ["link"]))
        else:
            tree.children.append(draw(link_trees(depth=depth - 1)))
    return tree


@st.composite
def link_pages(draw: st.DrawFn) -> Page:
    """Pages with links at all hyperlink distances, at all depths."""
    body = Tree("body", {}, [draw(link_trees()), draw(link_trees())])
    return Page(document(body), draw(st.sampled_from(KEY_URLS)))


urls = st.builds(
    lambda host, words, name: "/".join([f"https://{host}", *words, name]),
    st.sampled_from(["site.test", "site.test", "other.test"]),
    st.lists(st.sampled_from(["a", "b", "c"]), max_size=4),
    st.sampled_from(["", "page", "a"]),
)

ADDRESS_PIECES = [" ", *"a b.html b//c / / // .. ../ ./ . ?x=/c #d ;e : %2F %2e%2E %2E %D8%A3 %d8 é [ ~ A".split()]
hrefs = st.builds(
    lambda start, pieces: start + "".join(pieces),
    st.sampled_from(
        ["", "", "", "/", "//other.test", "http:", "https://site.test", "HTTP://Site.test:80", "mailto:", "g:"]
    ),
    st.lists(st.sampled_from(ADDRESS_PIECES), max_size=5),
)
addresses = st.builds(
    lambda start, pieces: start + "".join(pieces),
    st.sampled_from(["https://site.test", "https://site.test/", "http://site.test:8080/a/"]),
    st.lists(st.sampled_from(["a", "b", "/", "/", "..", "?x=/c/d", "#e/f", ";g"]), max_size=5),
)


# --- sources -------------------------------------------------------------------------------------

# Pieces that a serialiser, a tokeniser or a regular expression may stumble over.
# Many to a line, so that they can be seen at once.
# fmt: off
PIECES = [
    "x", " ", "\n", "a < b", "a > b", "a & b", '"', "'", "]]>", "-->", "<", ">", "</", "<!", "<!>", "<?",
    "é", "😀", "&lt;b&gt;", "&amp;lt;", "&quot;", "&nbsp;", "&#0;", "&#1;", "&#12;", "&#13;", "&#xD;",
    "&#x85;", "&#xFFFD;", "&#xD800;", "&#x110000;", "&bogus;", "&#10;", "\t", "\r\n", "\x0c", "\x00", "\x01",
    "\x85", "\u2028", "\ufeff", "<div>", "</div>", "<p>", "</p>", "<b>", "</b>", "<ul><li>", "</ul>", "<br>",
    "<br/>", "<hr />", "<IMG SRC=x>", "<a href='x'>", "</a>", "<table><tr><td>", "</table>",
    "<select><option>", "</select>", "<p/>", "<b/>x", "<!-- c -->", "<!-- <b> -->", "<!---->", "<!-->",
    "<!--->", "<!-- a -- b -->", "<!-- x --!>", "<!-- ]]> -->", "<!-- <script> -->", "<!--<![CDATA[-->",
    "<![CDATA[ a<b ]]>", "<![CDATA[x", "<?php a ?>", "<?a>", "<?xml x?>", "<script>a<b && '</div>'</script>",
    "<script><!-- x --></script>", "<script/>", "<script src=x></script>x", "<style>a>b{}</style>",
    "<style>", "</style>", "<noscript><p>x</p></noscript>", "<noscript>", "</noscript>",
    "<template><i>y</i><!-- c --></template>", "<template>", "</template>",
    "<iframe src=x><p>y</p></iframe>", "<iframe/>", "<scripted>x</scripted>", "<style-x>y</style-x>",
    "<SCRIPT>z</SCRIPT>", "<svg:script>w</svg:script>",
    "<svg viewBox='0'><script>1</script><style>x</style></svg>", "<math><mi>x</mi></math>", "<o:p>x</o:p>",
    "<textarea><b>x</b></textarea>", "<title>x</title>", "<xmp><b>x</b></xmp>", "<plaintext>", "<x-y z>",
    "<div class='a  b' id=m title=\"x>y\">", "<div title='a\"b' lang=\"c'd\">", "<div title=''>",
    "<input disabled>", "<div title='a&#10;b&#9;c&#13;d'>", "<div title='a\nb'>", "<div title=' = '>",
    "<div title=a=b>", "<div =x>", "<div title='x=\"y\"' data-a=\"class='b'\">", "<div id=a id=b>",
    "<div ID=m CLASS='A'>", '<div a"b=c>', "<div a'b>", "<div <b>", "<a<b>", "<div/title=x>",
    "<div xml:lang=en lang=de>", "<a name=n>", "<div xmlns='u'>", "<div é='è'>",
    "<div title='&amp;quot;&lt;&nbsp;&#1;'>", "<div title='/'>", "<div title=x/>", "<div a:b=c>",
    "<div class='a&#160;b'>", "<div title>", "<div title='\x00'>", "<div @click=x :y=z #w>",
    "<div [a]=b (c)=d {e}>", "<html lang=en>", "<body class=x>", "</body>", "</html>", "<head>", "</head>",
    "<frameset><frame src=x>",
]
# fmt: on
XHTML = (
    '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">'
    '<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="en"><body>'
)
STARTS = [
    "",
    "<!DOCTYPE html><html><body>",
    "<html><head><title>t</title></head><body>",
    XHTML,
    "<?xml version='1.0'?><html>",
]

sources = st.builds(
    lambda start, pieces: start + "".join(pieces),
    st.sampled_from(STARTS),
    st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=3)), max_size=12),
)
