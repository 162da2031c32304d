"""From a key page to a cleaned one, on the gold key pages of the saved sites: the bars of issue 2."""

from __future__ import annotations

import pytest
from detector_cases import SITES, Case, measure, needs_sites, site_cases, template_scores, tool

from templex_scrapy import Template

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
