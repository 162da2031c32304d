"""Templates, menus and main content on the gold key pages of the saved sites."""

from __future__ import annotations

from typing import Any

import pytest
from detector_cases import (
    SITES,
    Case,
    content_scores,
    measure,
    menu_scores,
    needs_sites,
    site_cases,
    template_scores,
    tool,
)

from templex_scrapy import Template, detect_content, detect_menu, find_content
from templex_scrapy.papers import detect_content_site

pytestmark = [pytest.mark.shared, needs_sites]


def scores(case: Case) -> tuple[float, ...]:
    """Return P, R, F1 of template nodes, of the words of the cleaned text, and of the words of the untouched page."""
    template = Template.from_pages(case.key, case.subdigraphs[3], 2)
    untouched = "\n".join(text for text in case.key._arrays.texts if text is not None)
    word_scores = tool("gold").word_scores
    return (
        *template_scores(case, template.nodes),
        *word_scores(template.match(case.key).clean.text, case.gold.content_text),
        *word_scores(untouched, case.gold.content_text),
        float(len(case.subdigraphs[3])),
    )


@pytest.fixture(scope="module")
def means() -> dict[str, float]:
    if not any(SITES.glob("*/site.json")):
        pytest.skip(f"no saved sites in {SITES}")
    names = ("P", "R", "F1", "wP", "wR", "wF1", "pageP", "pageR", "pageF1", "CS")
    return dict(zip(names, measure(site_cases(), scores)[0], strict=True))


def test_template_nodes(means):
    assert means["F1"] >= 0.80


def test_words_of_the_cleaned_text(means):
    assert means["wF1"] >= 0.905
    assert means["wR"] >= 0.985 * means["pageR"]
    assert means["pageF1"] < means["wF1"]


def test_subdigraphs_are_found(means):
    assert means["CS"] > 2.5


@pytest.mark.parametrize(
    ("variant", "nodes", "words"),
    [({}, 0.72, 0.80), ({"least_text": 0, "max_words": 3}, 0.58, 0.69)],
    ids=["default", "as printed"],
)
def test_conex(variant: dict[str, Any], nodes: float, words: float) -> None:
    total, _ = measure(site_cases(), lambda case: content_scores(case, detect_content(case.key, **variant)))
    assert (total[2] > nodes, total[5] > words) == (True, True), total


def test_site_conex() -> None:
    total, _ = measure(
        site_cases(), lambda case: content_scores(case, detect_content_site(case.key, case.subdigraphs[4]))
    )
    assert (total[2] > 0.76, total[5] > 0.83) == (True, True), total


def test_menex() -> None:
    total, _ = measure(site_cases(), lambda case: menu_scores(case, detect_menu(case.key)))
    assert total[2] > 0.83, total


def test_main_content() -> None:
    """Well ahead of site-level ConEx (word F1 0.850) with the same four pages, and without loss of recall."""
    total, _ = measure(site_cases(), lambda case: content_scores(case, find_content(case.key, case.subdigraphs[4])))
    assert total[5] > 0.93
    assert min(total[3:5]) > 0.93
