"""Pairs that are cached for the next page are the ones that would be computed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_sites import page
from strategies import page_groups, similarities

from templex_scrapy import Page
from templex_scrapy.mapping import PUBLISHED, TEMPLEX, MappingCache, map_trees, mapping_cache, tree_mapping
from templex_scrapy.mapping.children import Siblings


@given(page_groups, st.one_of(st.just(TEMPLEX), similarities))
def test_the_mapping_is_the_same_with_a_cache_whatever_was_mapped_before(htmls, similarity):
    key, *others = (Page(html, "").arrays for html in htmls)
    for steps in (tree_mapping._MORE_STEPS, 10, 0):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(tree_mapping, "_MORE_STEPS", steps)
            patch.setattr(tree_mapping, "_STEPS_PER_CHILD", 1)
            cache = MappingCache(key, similarity)
            for other in [*others, key, *others, *reversed(others)]:
                assert map_trees(other, key, similarity, cache) == map_trees(other, key, similarity)


def test_cached_pairs_are_not_used_where_the_limit_of_steps_is_lower():
    one, two = (page("".join(f"<p>{'<b></b>' * n}</p>" for n in some)).arrays for some in ((1, 2, 3), (3, 1)))
    cache = MappingCache(two, PUBLISHED)
    made = [cache.pair(Siblings(one, 0), Siblings(two, 0), 0, max_steps) for max_steps in (100, 1)]
    assert [pairing.is_cut for pairing in made] == [False, True]


def test_equal_lists_are_paired_once(monkeypatch):
    calls = []
    pair_by_rules = mapping_cache.pair_by_rules
    monkeypatch.setattr(mapping_cache, "pair_by_rules", lambda *args: calls.append(args) or pair_by_rules(*args))
    key = page("<p>1</p><div>2</div>").arrays
    cache = MappingCache(key, PUBLISHED)
    for text in "ab":
        map_trees(page(f"<div>{text}</div><p>1<b>x</b></p>").arrays, key, PUBLISHED, cache)
    assert len(calls) == 1
