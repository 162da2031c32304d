"""The registry, and what holds of every detector in it."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import strategies
from detector_cases import URL, figures, needs_sites, odd_pages, page, site_cases
from hypothesis import given, settings
from templex_bench.detectors.registry import DETECTORS, Detector, detector_named

from templex_scrapy.content.conex import detect_content
from templex_scrapy.content.menex import detect_menu
from templex_scrapy.crawl.settings import METHODS
from templex_scrapy.page import Page

ORDERLESS = ("sst", "iwptd", "rbm-td", "content-words")
"""The detectors whose documentation says that the order of the pages does not matter."""

OURS = "content-words"
"""The detector that is in none of the papers; it judges a page alone where there is none to compare it with."""

MENU = '<ul class="menu"><li><a href="/">Home</a></li><li><a href="/b">Blog</a></li></ul>'
KEY = page(
    f"<div>{MENU}</div><div><h2>Rain</h2><p>It rained all day.</p><table><tr><td>9 mm</td></tr></table></div>"
    "<p>Imprint</p>"
)
PAGES = [
    page(f"<div>{MENU}</div><div><h2>{name}</h2><p>{text}</p></div><p>Imprint</p>", URL + name)
    for name, text in (
        ("Wind", "The wind rattled at the doors."),
        ("Lamps", "Lamps were few."),
        ("Fog", "There was fog."),
    )
]

each = pytest.mark.parametrize("detector", DETECTORS.values(), ids=DETECTORS.keys())
each_site_level = pytest.mark.parametrize(
    "detector",
    [detector for detector in DETECTORS.values() if detector.level == "site"],
    ids=lambda detector: detector.name,
)


def fresh(pages: list[str]) -> list[Page]:
    return [Page(html, f"{URL}{number}") for number, html in enumerate(pages)]


def function_of(detector: Detector) -> Callable[..., object]:
    adapted: dict[str, Callable[..., object]] = {"page-conex": detect_content, "menex": detect_menu}
    return adapted.get(detector.name, detector.detect)


def test_all_of_them_are_there() -> None:
    assert list(DETECTORS) == [*"temex hybrid site-conex page-conex menex sst rtdm-td iwptd rbm-td".split(), OURS]
    assert all(name == detector.name for name, detector in DETECTORS.items())


def test_the_methods_of_a_crawl_are_those_of_the_settings() -> None:
    assert {detector.name for detector in DETECTORS.values() if detector.crawl} == set(METHODS)


def test_the_registry_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        DETECTORS["mine"] = DETECTORS["temex"]  # type: ignore[index]
    with pytest.raises(FrozenInstanceError):
        DETECTORS["temex"].crawl = False  # type: ignore[misc]


def test_a_name_that_is_unknown_brings_up_those_that_are_known() -> None:
    assert detector_named("sst") is DETECTORS["sst"]
    with pytest.raises(ValueError, match=r"no detector 'rtdm_td': did you mean 'rtdm-td'\?.*temex, hybrid, .*rbm-td"):
        detector_named("rtdm_td")
    with pytest.raises(ValueError, match=r"no detector '': There are temex"):
        detector_named("")


@each
def test_parameters_and_defaults_are_those_of_the_function(detector: Detector) -> None:
    taken = list(inspect.signature(function_of(detector)).parameters.values())
    given_by_name = [parameter for parameter in taken if parameter.default is not inspect.Parameter.empty]
    assert dict(detector.parameters) == {parameter.name: parameter.default for parameter in given_by_name}
    assert len(taken) - len(given_by_name) == (2 if detector.level == "site" else 1)


@each
def test_a_parameter_that_it_does_not_take_is_refused(detector: Detector) -> None:
    with pytest.raises(TypeError, match="sise"):
        detector.detect(KEY, PAGES, sise=3)


@each
def test_published_figures_are_shares(detector: Detector) -> None:
    assert bool(detector.published) == (detector.name != OURS)
    for figure in detector.published.values():
        assert all(0 < value <= 1 for value in (figure.recall, figure.precision, figure.f1))


@each
def test_it_finds_something_and_not_all(detector: Detector) -> None:
    found = detector.detect(KEY, PAGES, **detector.parameters)
    assert found
    assert found < frozenset(range(len(KEY)))
    assert found == detector.detect(KEY, PAGES), "the parameters are the defaults"


@each_site_level
def test_without_other_pages_the_papers_find_nothing(detector: Detector) -> None:
    found = detector.detect(KEY, [])
    assert bool(found) == (detector.name == OURS)
    assert detector.detect(KEY, [Page(KEY.text, URL + "copy"), KEY]) == found


@each_site_level
def test_copies_have_no_part(detector: Detector) -> None:
    copies = [Page(copied.text, f"{copied.url}-copy") for copied in (KEY, *PAGES)]
    assert detector.detect(KEY, [*PAGES, *copies]) == detector.detect(KEY, PAGES)


@each
@given(pages=strategies.page_groups)
@settings(max_examples=100)
def test_positions_and_the_same_again_and_inputs_unchanged(detector: Detector, pages: list[str]) -> None:
    key, *others = fresh(pages)
    before = [(seen.text, list(seen.arrays.tag_strings), list(seen.arrays.sizes)) for seen in (key, *others)]
    found = detector.detect(key, others)
    assert isinstance(found, frozenset)
    assert found <= frozenset(range(len(key)))
    assert found == detector.detect(key, others)
    again, *more = fresh(pages)
    assert found == detector.detect(again, tuple(more))
    assert before == [(seen.text, seen.arrays.tag_strings, seen.arrays.sizes) for seen in (key, *others)]


@pytest.mark.parametrize("name", ORDERLESS)
@given(pages=strategies.page_groups)
@settings(max_examples=100)
def test_the_order_of_the_pages_does_not_matter(name: str, pages: list[str]) -> None:
    key, *others = fresh(pages)
    assert DETECTORS[name].detect(key, others) == DETECTORS[name].detect(key, others[::-1])


@each
@odd_pages
def test_odd_pages(detector: Detector, html: str) -> None:
    odd = Page(html, URL)
    assert detector.detect(odd, PAGES) <= frozenset(range(len(odd)))
    assert detector.detect(KEY, [odd, *PAGES]) <= frozenset(range(len(KEY)))


@each
@pytest.mark.parametrize("shared", [True, False])
def test_thousands_of_siblings(detector: Detector, shared: bool) -> None:
    """5,000 items a page, the same on all pages or none of them: it comes to an end."""

    def listed(number: int) -> Page:
        items = (f"<li><a href='/{item}'>item {item if shared else (number, item)}</a></li>" for item in range(5000))
        return page(f"{MENU}<ol>{''.join(items)}</ol><p>page {number}</p>", f"{URL}{number}")

    key, *others = map(listed, range(3))
    found = detector.detect(key, others)
    assert found <= frozenset(range(len(key)))
    if detector.target == "template" and detector.name != "hybrid":  # to which the list may be content
        first_text = key.arrays.tag_strings.index("<ol>") + 3
        assert (first_text in found) == shared


@each
def test_a_deep_page(detector: Detector) -> None:
    """As deep as the parser goes, and no recursion with it."""
    key, other = (page("<div><b>x</b>" * 900 + f"<p>{name}</p>", URL + name) for name in ("a", "b"))
    assert detector.detect(key, [other]) <= frozenset(range(len(key)))


def test_the_hash_seed_does_not_matter() -> None:
    script = (
        "from test_registry import DETECTORS, KEY, PAGES\n"
        "print([sorted(detector.detect(KEY, PAGES)) for detector in DETECTORS.values()])\n"
    )
    path = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    printed = {
        subprocess.run(  # noqa: S603 - our own interpreter and script
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert printed == {f"{[sorted(detector.detect(KEY, PAGES)) for detector in DETECTORS.values()]}\n"}


@pytest.mark.shared
@needs_sites
def test_figures_on_real_sites() -> None:
    """Under equal conditions TemEx is ahead of the four older systems, as published."""
    run = figures()

    def scores_of(name: str, case: Any) -> tuple[float, ...]:
        scores: tuple[float, ...] = run.template_scores(case, DETECTORS[name].detect(case.key, case.subdigraphs[3]))
        return scores

    names = ("temex", "sst", "rtdm-td", "iwptd", "rbm-td")
    found = {name: run.measure(site_cases(), partial(scores_of, name))[0] for name in names}
    f1 = {name: scores[2] for name, scores in found.items()}
    assert max(f1, key=lambda name: f1[name]) == "temex"
    assert f1["sst"] > 0.67
    assert f1["rtdm-td"] > 0.77
    assert f1["iwptd"] > 0.73
    assert f1["rbm-td"] > 0.72
    assert all(scores[0] > 0.9 for scores in found.values())
