"""Pairing children: the rules one by one, and the literal procedure on generated lists."""

from __future__ import annotations

from dataclasses import asdict, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from literal import mapping as literal
from made_sites import page
from strategies import flat_pairs, labelled_pairs, run_pairs, similarities

from templex_scrapy import Page
from templex_scrapy.mapping import PUBLISHED, PUBLISHED_CONTENT, PUBLISHED_QUICK, TEMPLEX, Similarity, children
from templex_scrapy.mapping.children import Pairing, pair_children
from templex_scrapy.mapping.siblings import Siblings, Tree

NAMED = [PUBLISHED, PUBLISHED_QUICK, PUBLISHED_CONTENT, TEMPLEX]
BY_POSITION = Similarity(position=1.0, classes=0.0, children=0.0, attributes=0.0, threshold=0.7)
HALF = Similarity(position=0.5, classes=0.5, children=0.0, attributes=0.0, threshold=0.5)


def paired(a: Page, b: Page, similarity: Similarity, max_steps: int = 10**6) -> Pairing:
    return pair_children(Siblings(Tree(a._arrays), 0), Siblings(Tree(b._arrays), 0), similarity, max_steps)


def pairs(a: str, b: str, similarity: Similarity = PUBLISHED) -> dict[int, int]:
    """The pairs of the children of two bodies."""
    return dict(paired(page(a), page(b), similarity).pairs)


def assert_as_literal(a: Page, b: Page, similarity: Similarity) -> None:
    plain = literal.pair_children(a.nodes[0].children, b.nodes[0].children, **asdict(similarity))
    for few in (children._FEW, 0):  # one by one; in groups
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(children, "_FEW", few)
            made = paired(a, b, similarity)
        assert sorted(made.pairs) == sorted(plain)
        assert not made.is_cut


@pytest.mark.parametrize("similarity", NAMED)
def test_the_same_id_pairs_first_whatever_else_differs(similarity):
    a = '<p>1</p><i id="m" class="c" title="x"></i>'
    b = '<i id="n" class="c" title="x"></i><i id="m"><b></b><b></b></i><p>1</p>'
    assert pairs(a, b, similarity)[1] == 1


def test_ids_pair_across_each_other():
    assert pairs('<p id="m"></p><p id="n"></p>', '<p id="n"></p><p id="m"></p>', TEMPLEX) == {0: 1, 1: 0}


def test_an_empty_id_or_one_of_another_tag_is_not_the_same():
    assert pairs('<i id="" title="a"></i>', '<i id="" title="b"></i>') == {}
    assert pairs('<i id="m"></i>', '<b id="m"></b>') == {}


def test_the_same_words_pair_next_to_ids():
    """The sections of a menu, of which each page marks its own; a row that begins with a text of the other side."""
    words = replace(TEMPLEX, threshold=1.0)
    a = '<li class="on"><a>News</a></li><li><a>Shop</a></li><li><a>About</a></li>'
    b = '<li><a>News</a></li><li class="on"><a>Shop</a> <i>open</i></li><li><a>About</a></li>'
    assert pairs(a, b, words) == {0: 0, 1: 1, 2: 2}
    assert pairs(a, b, replace(words, words=False))[0] == 1
    assert pairs("<p>one</p><p>two</p>", "<p>two</p><p>one</p>", words)[0] == 1
    assert pairs("<p>one</p><p>two</p>", "<p>one</p><p>one</p><p>two</p>", words)[1] == 2, "one is there twice"
    assert pairs('<p id="m">one</p><p>two</p>', '<p>one</p><p id="m">two</p>', words)[0] == 1


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("<b>b</b><hr><p>k</p>", "<i>i</i><p>k</p>"),
        ("<dt>dd</dt><dt>foo</dt>", "<dd>dt</dd><dt>foo</dt><p></p>"),
    ],
)
def test_the_same_words_do_not_pair_different_tags(a, b):
    made = paired(page(a), page(b), TEMPLEX).pairs
    tags = [[child.tag for child in page(html).nodes[0].children] for html in (a, b)]
    assert made
    assert all(tags[0][i] == tags[1][j] for i, j in made)


def test_lists_that_share_some_words_are_lists_of_content():
    a, b = "<p>one</p><p>two</p><p>three</p>", "<p>two</p><p>one</p><p>four</p>"
    assert pairs(a, b, TEMPLEX) == {0: 0, 1: 1, 2: 2}


def test_unique_tags_and_classes_pair_next_to_ids():
    """Nothing is similar enough; b.c is alone on both sides, i is not in B, u is not in A."""
    unique = replace(PUBLISHED, unique=True, threshold=1.0)
    a = '<i></i><i></i><b class="c" title="x"></b>'
    b = '<u></u><u></u><b class="c"><s></s></b>'
    assert pairs(a, b, unique) == {2: 2}
    assert pairs(a, b, replace(unique, unique=False)) == {}
    assert pairs('<b class="c" id="m"></b>', '<b class="c"></b><b class="d" id="m"></b>', unique) == {0: 1}
    assert pairs("x", "y", unique) == {}, "a text is never unique"


def test_equal_classes_and_attributes_pair_before_what_is_similar():
    equal = '<i class="c" title="x"></i>'
    assert pairs(f"<i></i>{equal}", f"{equal}{equal}") == {1: 1}
    a, b = f'{equal}<i class="d" title="x"></i>', f'<i class="d" title="x"></i>{equal}'
    assert pairs(a, b, BY_POSITION) == {0: 1, 1: 0}


@pytest.mark.parametrize("rest", ['class="c"', 'title="x"'])
def test_empty_classes_or_attributes_are_not_equal(rest):
    assert pairs(f"<i {rest}></i><i></i>", f"<i></i><i {rest}></i>", BY_POSITION) == {0: 0, 1: 1}


def test_the_best_pair_comes_first():
    """From left to right the first of A would take the only child of B."""
    assert pairs('<i class="c"></i><i class="d"></i>', '<i class="d"></i>', HALF) == {1: 0}


def test_the_threshold_itself_is_enough():
    assert pairs('<i class="c"></i>', "<i></i>", HALF) == {0: 0}
    assert pairs('<i class="c"></i>', "<i></i>", replace(HALF, threshold=0.6)) == {}


def test_ties_go_to_the_lowest_index_in_a_then_in_b():
    assert pairs("<p></p><p></p>", "<p></p>") == {0: 0}
    assert pairs("<p></p>", "<p></p><p></p>") == {0: 0}
    one, two = '<p class="a b"></p>' * 2, '<p class="a"></p><p class="b"></p><p class="a"></p>'
    assert pairs(one, two, replace(HALF, position=0.0, children=0.5)) == {0: 0, 1: 1}, "also in another group"


def test_positions_are_computed_once():
    """Without the pair of the ids u would be first on both sides; of all three it is one step away."""
    a, b = '<u></u><b></b><i id="m"></i>', '<i id="m"></i><u></u><s></s>'
    assert pairs(a, b, replace(BY_POSITION, threshold=1.0)) == {2: 0}
    assert pairs(a, b, replace(BY_POSITION, threshold=0.6)) == {2: 0, 0: 1}


@st.composite
def posts(draw: st.DrawFn) -> str:
    """Articles as WordPress writes them: lists of classes that overlap."""
    names = st.sets(st.sampled_from(["post-1", "post-2", "post-3", "news", "music", "hentry", "sticky"]), max_size=4)
    drawn = draw(st.lists(st.tuples(names, st.integers(0, 2)), max_size=9))
    return "".join(f'<p class="{" ".join(sorted(some))}">{"<b></b>" * count}</p>' for some, count in drawn)


@pytest.mark.parametrize("lists", [flat_pairs, labelled_pairs, run_pairs], ids=["siblings", "ids", "runs"])
def test_pairs_are_those_of_the_literal_procedure(lists):
    @given(lists, st.one_of(st.sampled_from(NAMED), similarities))
    def check(htmls, similarity):
        assert_as_literal(*(Page(html, "") for html in htmls), similarity)

    check()


@given(posts(), posts(), st.one_of(st.sampled_from(NAMED), similarities))
def test_pairs_of_overlapping_class_lists_are_those_of_the_literal_procedure(one, two, similarity):
    assert_as_literal(page(one), page(two), similarity)


# --- the limit of steps --------------------------------------------------------------------------


def articles(count: int, first: int) -> str:
    """Children that are all different, with overlapping classes."""
    names = [f"post-{n} in-{n % 7} by-{n % 11} at-{n % 13}" for n in range(first, first + count)]
    return "".join(f'<div class="{name}">{"<p></p>" * (n % 3)}</div>' for n, name in enumerate(names))


def test_beyond_the_limit_what_is_left_pairs_in_order():
    one, two = page(articles(40, 0) + "<b></b>"), page("<b></b>" + articles(40, 1000))
    full, cut = paired(one, two, TEMPLEX), paired(one, two, TEMPLEX, 100)
    assert (full.is_cut, cut.is_cut) == (False, True)
    assert full.steps > 1000
    assert cut.steps < 200
    assert dict(cut.pairs)[40] == 0, "rules before similarity are not limited"
    assert len(cut.pairs) == len(full.pairs) == 41


def test_bits_of_many_classes_count_as_steps():
    names = " ".join(map(str, range(5000)))
    one, two = (page(f'<div class="{names} {own}"></div>' * 13 + "<b></b>") for own in ("x", "y"))
    made = paired(one, two, TEMPLEX, 2**15)
    assert made.is_cut
    assert sorted(made.pairs) == [(index, index) for index in range(14)]


def test_what_pairs_in_order_reaches_the_threshold():
    few, many = (f"<p>{'<b></b>' * count}</p>" * 2 for count in (1, 9))
    assert paired(page(few), page(many), replace(TEMPLEX, unique=False), 0).pairs == []
    assert len(paired(page(few), page(few + many), replace(TEMPLEX, unique=False), 0).pairs) == 2


def test_steps_grow_with_the_number_of_children_where_kinds_are_few():
    def steps(count: int) -> int:
        one, two = ("".join(f"<p>{'<b></b>' * (n % step)}</p>" for n in range(count)) for step in (2, 3))
        return paired(page(one), page(two), TEMPLEX).steps

    assert steps(400) < 2.5 * steps(200) < 3000


@given(posts(), posts(), st.one_of(st.sampled_from(NAMED), similarities), st.integers(0, 60))
def test_pairs_are_one_to_one_and_the_literal_ones_unless_cut(one, two, similarity, max_steps):
    a, b = page(one), page(two)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(children, "_FEW", 0)  # pairs that are compared one by one are never cut
        made = paired(a, b, similarity, max_steps)
    assert len(made.pairs) == len(dict(made.pairs)) == len({j for _, j in made.pairs})
    if not made.is_cut:
        assert_as_literal(a, b, similarity)


def test_few_children_are_compared_one_by_one():
    """12 with 12 take 144 steps; with 13, those that are alike count as one group."""
    a, other = page("<p></p>" * 12), "<p><b></b></p>"
    assert paired(a, page("<p></p>" * 11 + other), PUBLISHED_QUICK).steps == children._FEW == 144
    assert paired(a, page("<p></p>" * 12 + other), PUBLISHED_QUICK).steps < 100
