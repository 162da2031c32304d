"""Pairing children: the rules one by one, and the literal procedure on generated lists."""

from dataclasses import asdict, replace

import pytest
from helpers.made_sites import page
from helpers.strategies import flat_pairs, labelled_pairs, run_pairs, similarities
from hypothesis import given
from hypothesis import strategies as st
from literal import mapping as literal

from templex_scrapy import Page
from templex_scrapy.mapping import PUBLISHED, PUBLISHED_CONTENT, PUBLISHED_QUICK, TEMPLEX, Similarity, children
from templex_scrapy.mapping.children import pair_children
from templex_scrapy.mapping.siblings import Siblings, Tree
from templex_scrapy.page import nodes_of

pytestmark = pytest.mark.usefixtures("compiled_and_plain")

NAMED = [PUBLISHED, PUBLISHED_QUICK, PUBLISHED_CONTENT, TEMPLEX]
BY_POSITION = Similarity(position=1.0, classes=0.0, children=0.0, attributes=0.0, threshold=0.7)
HALF = Similarity(position=0.5, classes=0.5, children=0.0, attributes=0.0, threshold=0.5)


def paired(a, b, similarity, max_steps=10**6):
    return pair_children(Siblings(Tree(nodes_of(a)), 0), Siblings(Tree(nodes_of(b)), 0), similarity, max_steps)


def pairs(a, b, similarity=PUBLISHED):
    """The pairs of the children of two bodies."""
    return dict(paired(page(a), page(b), similarity).pairs)


def assert_as_literal(a, b, similarity):
    plain = literal.pair_children(a.nodes[0].children, b.nodes[0].children, **asdict(similarity))
    made = paired(a, b, similarity)
    assert sorted(made.pairs) == sorted(plain)
    assert not made.is_cut


WORDS, UNIQUE = replace(TEMPLEX, threshold=1.0), replace(PUBLISHED, unique=True, threshold=1.0)
MENU = '<li class="on"><a>News</a></li><li><a>Shop</a></li><li><a>About</a></li>'
SHOP = '<li><a>News</a></li><li class="on"><a>Shop</a> <i>open</i></li><li><a>About</a></li>'
C, D, CX, DX = '<i class="c"></i>', '<i class="d"></i>', '<i class="c" title="x"></i>', '<i class="d" title="x"></i>'


@pytest.mark.parametrize(
    ("similarity", "a", "b", "expected"),
    [
        # the same id pairs first, whatever else differs, and across others
        (
            PUBLISHED_QUICK,
            '<i id="m" class="c"></i><p>1</p>',
            '<i class="c"></i><i id="m"><b></b></i><p>1</p>',
            {0: 1, 1: 2},
        ),
        (TEMPLEX, '<p id="m"></p><p id="n"></p>', '<p id="n"></p><p id="m"></p>', {0: 1, 1: 0}),
        (PUBLISHED, '<i id="" title="a"></i>', '<i id="" title="b"></i>', {}),
        (PUBLISHED, '<i id="m"></i>', '<b id="m"></b>', {}),
        # the same words come next: sections of a menu, of which each page marks its own
        (WORDS, MENU, SHOP, {0: 0, 1: 1, 2: 2}),
        (replace(WORDS, words=False), MENU, SHOP, {0: 1, 2: 2}),
        (WORDS, "<p>one</p><p>two</p>", "<p>two</p><p>one</p>", {0: 1, 1: 0}),
        (WORDS, "<p>one</p><p>two</p>", "<p>one</p><p>one</p><p>two</p>", {0: 0, 1: 2}),
        (WORDS, '<p id="m">one</p><p>two</p>', '<p>one</p><p id="m">two</p>', {0: 1}),
        # lists that share some words are lists of content
        (TEMPLEX, "<p>1</p><p>2</p><p>3</p>", "<p>2</p><p>1</p><p>4</p>", {0: 0, 1: 1, 2: 2}),
        # then tags with classes that are there once on both sides; a text is never unique
        (UNIQUE, f"<i></i><i></i>{CX}", f"<u></u><u></u>{C}", {2: 2}),
        (replace(UNIQUE, unique=False), f"<i></i><i></i>{CX}", f"<u></u><u></u>{C}", {}),
        (UNIQUE, '<b class="c" id="m"></b>', '<b class="c"></b><b class="d" id="m"></b>', {0: 1}),
        (UNIQUE, "x", "y", {}),
        # then the same classes and attributes, if there are both
        (PUBLISHED, f"<i></i>{CX}", CX * 2, {1: 1}),
        (BY_POSITION, CX + DX, DX + CX, {0: 1, 1: 0}),
        (BY_POSITION, f"{C}<i></i>", f"<i></i>{C}", {0: 0, 1: 1}),
        (BY_POSITION, '<i title="x"></i><i></i>', '<i></i><i title="x"></i>', {0: 0, 1: 1}),
        # then the most similar: from left to right the first of A would take the only child of B
        (HALF, C + D, D, {1: 0}),
        (HALF, C, "<i></i>", {0: 0}),
        (replace(HALF, threshold=0.6), C, "<i></i>", {}),
        # ties go to the lowest index in A, then in B, also in another group
        (PUBLISHED, "<p></p><p></p>", "<p></p>", {0: 0}),
        (PUBLISHED, "<p></p>", "<p></p><p></p>", {0: 0}),
        (replace(HALF, position=0.0, children=0.5), '<i class="c d"></i>' * 2, C + D + C, {0: 0, 1: 1}),
        # positions count once: without the pair of the ids u would be first on both sides
        (replace(BY_POSITION, threshold=1.0), '<u></u><b></b><i id="m"></i>', '<i id="m"></i><u></u><s></s>', {2: 0}),
    ],
)
def test_children_pair_by_the_first_rule_that_holds(similarity, a, b, expected):
    assert pairs(a, b, similarity) == expected


@pytest.mark.parametrize(
    ("a", "b"),
    [("<b>b</b><hr><p>k</p>", "<i>i</i><p>k</p>"), ("<dt>dd</dt><dt>foo</dt>", "<dd>dt</dd><dt>foo</dt><p></p>")],
)
def test_the_same_words_do_not_pair_different_tags(a, b):
    tags = [[child.tag for child in page(html).nodes[0].children] for html in (a, b)]
    made = pairs(a, b, TEMPLEX)
    assert made
    assert all(tags[0][i] == tags[1][j] for i, j in made.items())


@st.composite
def posts(draw):
    """Articles as WordPress writes them: lists of classes that overlap."""
    names = st.sets(st.sampled_from(["post-1", "post-2", "post-3", "news", "music", "hentry", "sticky"]), max_size=4)
    drawn = draw(st.lists(st.tuples(names, st.integers(0, 2)), max_size=9))
    return "".join(f'<p class="{" ".join(sorted(some))}">{"<b></b>" * count}</p>' for some, count in drawn)


@pytest.mark.parametrize(
    "lists",
    [flat_pairs, labelled_pairs, run_pairs, st.tuples(posts(), posts())],
    ids=["siblings", "ids", "runs", "overlapping classes"],
)
def test_pairs_are_those_of_the_literal_procedure(lists):
    @given(lists, st.one_of(st.sampled_from(NAMED), similarities))
    def check(htmls, similarity):
        assert_as_literal(*(Page(html, "") for html in htmls), similarity)

    check()


# --- the limit of steps --------------------------------------------------------------------------


def articles(count, first):
    """Children that are all different, with overlapping classes."""
    names = [f"post-{n} in-{n % 7} by-{n % 11} at-{n % 13}" for n in range(first, first + count)]
    return "".join(f'<div class="{name}">{"<p></p>" * (n % 3)}</div>' for n, name in enumerate(names))


def test_beyond_the_limit_what_is_left_pairs_in_order():
    one, two = page(articles(40, 0) + "<b></b>"), page("<b></b>" + articles(40, 1000))
    full, cut = (paired(one, two, TEMPLEX, max_steps) for max_steps in (1600, 1599))
    assert (full.is_cut, full.steps) == (False, 1600)
    assert (cut.is_cut, cut.steps) == (True, 0)
    assert dict(cut.pairs)[40] == 0, "rules before similarity are not limited"
    assert len(cut.pairs) == len(full.pairs) == 41


@pytest.mark.parametrize(("names", "steps"), [(15, 676), (16, 2 * 676)])
@pytest.mark.parametrize("similarity", [TEMPLEX, PUBLISHED])
def test_comparisons_of_many_names_count_as_more_steps(similarity, names, steps):
    if similarity.attributes:
        start = f"<p {' '.join(f'a{n}' for n in range(names - 2))} title='{{}}' class='{{}}'>"
    else:
        start = f"<p title='{{}}' class='{' '.join(map(str, range(names - 1)))} {{}}'>"
    one, two = (page("".join(start.format(n, f"{own}{n}") for n in range(26))) for own in ("x", "y"))
    assert paired(one, two, similarity, steps).steps == steps
    made = paired(one, two, similarity, steps - 1)
    assert made.is_cut


def test_equal_shapes_at_the_same_index_pair_before_others_in_order():
    """The last child is the same advert on both pages, and one page has two longer children more before it."""
    one, two = (page("".join(f"<p>{'<b></b>' * (n in longer)}</p>" for n in range(26))) for longer in ({1}, {1, 2, 3}))
    pairs = dict(paired(one, two, replace(TEMPLEX, unique=False), 0).pairs)
    assert all(pairs[n] == n for n in range(26) if n not in {2, 3})


def test_what_pairs_in_order_reaches_the_threshold():
    few, many = (f"<p>{'<b></b>' * count}</p>" * 26 for count in (1, 9))
    assert paired(page(few), page(many), replace(TEMPLEX, unique=False), 0) == ([], 0, True)
    assert len(paired(page(few), page(few + many), replace(TEMPLEX, unique=False), 0).pairs) == 26


@given(posts(), posts(), st.one_of(st.sampled_from(NAMED), similarities), st.integers(0, 60))
def test_pairs_are_one_to_one_and_the_literal_ones_unless_cut(one, two, similarity, max_steps):
    a, b = page(one), page(two)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(children, "_FEW", 0)  # so few are always compared
        made = paired(a, b, similarity, max_steps)
    assert len(made.pairs) == len(dict(made.pairs)) == len({j for _, j in made.pairs})
    if not made.is_cut:
        assert_as_literal(a, b, similarity)


def test_25_with_25_children_are_always_compared():
    a, other = page("<p></p>" * 25), "<p><b></b></p>"
    assert paired(a, page("<p></p>" * 24 + other), PUBLISHED_QUICK, 0).steps == children._FEW == 625
    assert paired(a, page("<p></p>" * 25 + other), PUBLISHED_QUICK, 0).is_cut
