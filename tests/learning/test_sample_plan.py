"""The addresses of a first sample: breadth first by rank, whatever comes when."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templex_scrapy.learning import sample_plan
from templex_scrapy.learning.sample_plan import SamplePlan

SITE = {"/": ["/b", "/a"], "/b": ["/d", "/", "/a"], "/a": ["/c", "/d"], "/c": ["/e"], "/d": [], "/e": ["/b"]}
BREADTH_FIRST = ["/", "/b", "/a", "/d", "/c", "/e"]


def plan_of(answers, most=9, **options):
    plan = SamplePlan(most, **options)
    plan.expect("/")
    for address, links in answers:
        plan.answer(address, links, size=10)
    return plan


def order(plan, addresses=BREADTH_FIRST):
    return sorted((one for one in addresses if plan.position(one) < len(plan)), key=plan.position)


@given(st.permutations(list(SITE.items())), st.integers(1, 6))
def test_the_order_is_breadth_first_by_rank_also_if_parents_come_late(answers, most):
    assert order(plan_of(answers)) == BREADTH_FIRST
    plan = plan_of(answers, most)
    assert plan.is_complete
    assert [one for one in BREADTH_FIRST if (plan.position(one) < plan.end)] == BREADTH_FIRST[:most]


def test_it_is_complete_with_the_last_of_the_first_pages_and_not_before():
    answers = [("/", SITE["/"]), ("/a", SITE["/a"]), ("/c", []), ("/d", []), ("/e", [])]
    plan = plan_of(answers, 3)
    assert not plan.is_complete
    assert [plan.position(one) < plan.end for one in ("/", "/b", "/a")] == [True, False, False]
    plan.answer("/b", size=10)
    assert plan.is_complete


def test_an_address_that_brings_no_page_is_not_waited_for():
    plan = plan_of([("/", SITE["/"]), ("/a", [])], 2)
    assert not plan.is_complete
    plan.answer("/b")
    assert plan.is_complete


def test_a_page_without_items_leads_on_but_does_not_count():
    plan = SamplePlan(1)
    plan.expect("/")
    plan.answer("/", ["/a"])
    assert not plan.is_complete
    plan.answer("/a", size=1)
    assert plan.is_complete


def test_only_the_first_answer_counts():
    plan = plan_of([("/", ["/a"]), ("/", ["/z"]), ("/", [])], 2)
    assert plan.position("/z") == float("inf")
    assert not plan.is_complete


@given(st.permutations([("/new", ["/x"]), ("/other", []), ("/x", [])]))
def test_a_page_that_nothing_leads_to_is_a_further_first_page(answers):
    """A start URL has redirected to it, say."""
    plan = SamplePlan(3)
    plan.expect("/old")
    for address, links in answers:
        plan.answer(address, links, size=1)
    assert not plan.is_complete, "/old may still come"
    plan.answer("/old")
    assert plan.is_complete
    assert order(plan, ["/x", "/other", "/new", "/old"]) == ["/old", "/new", "/x", "/other"]


@pytest.mark.parametrize(("max_bytes", "is_complete"), [(20, True), (21, False)])
def test_of_large_pages_fewer_are_enough(max_bytes, is_complete):
    assert plan_of([("/", SITE["/"]), ("/b", [])], max_bytes=max_bytes).is_complete == is_complete


def test_a_plan_is_bounded(monkeypatch):
    monkeypatch.setattr(sample_plan, "MAX_PLANNED", 3)
    plan = SamplePlan(9)
    plan.answer("/", [f"/{number}" for number in range(9)])
    for number in range(9):
        plan.answer(f"/{number}", size=1)
    assert [plan.position(one) < plan.end for one in ("/1", "/2")] == [True, False]
    assert (len(plan), plan.is_complete) == (3, False)
