"""The figures of the report: what they show, what they leave out, and when there is none."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("numpy")
pytest.importorskip("matplotlib")

from lxml import etree
from report_cases import LinkedPage, experiment, on_site
from templex_bench import names, plots
from templex_bench.bootstrap import Bootstrap
from templex_bench.detectors.registry import DETECTORS
from templex_bench.peers import PEERS
from templex_bench.study import Study
from templex_bench.variants import methods


def study(rows, similarities=()):
    """A study of these rows with quick intervals."""
    return Study("sites", "sites", rows, similarities, Bootstrap(resamples=100))


def texts(plot):
    """The texts that stand in a figure, its title and description left out."""
    root = etree.fromstring(plot.svg)
    return [text for element in root.iter("{*}text") if (text := "".join(element.itertext()).strip())]


def test_detectors_are_named_and_bounds_left_out() -> None:
    """What knows the gold standard is no detector."""
    rows = [experiment(), experiment(detector="sst"), experiment(detector="ceiling")]
    shown = texts(plots.precision_against_recall(study(rows), "template", "nodes"))
    assert {"TemEx", "SST", "Recall", "Precision", "F1"} <= set(shown)
    assert names.title("ceiling") not in shown


def test_template_detectors_do_not_crowd_out_content_extractors() -> None:
    """However good the words are that they leave."""
    words = {"target": "content", "unit": "words", "parameters": {}}
    rows = [experiment(0.9, detector=name, **words) for name in ("temex", "justext", "page-conex")]
    shown = texts(plots.precision_against_recall(study(rows), "content", "words"))
    assert "jusText" in shown
    assert "TemEx" not in shown


def test_lines_of_equal_f1_are_labelled_as_far_as_they_are_shown() -> None:
    """The axes start below the lowest mean, and lines below that are not there."""
    rows = [experiment(0.75), experiment(0.85, detector="sst")]
    shown = texts(plots.precision_against_recall(study(rows), "template", "nodes"))
    assert "0.9" in shown
    assert "0.1" not in shown


def test_categories_tell_their_sites() -> None:
    """A row for all and one for each category."""
    rows = [on_site("a", category="blog"), on_site("b", category="blog"), on_site("c", category="shop")]
    shown = texts(plots.f1_by_category(study(rows), "template", "nodes"))
    assert [text for text in shown if "(" in text] == ["all (3)", "blog (2)", "shop (1)"]


def test_no_more_methods_than_can_be_told_apart() -> None:
    """The best are shown."""
    rows = [experiment(0.5 + number / 100, detector=f"d{number}") for number in range(plots.MOST_METHODS + 3)]
    shown = texts(plots.precision_against_recall(study(rows), "template", "nodes"))
    assert [text for text in shown if re.fullmatch(r"d\d+", text)] == [f"d{number}" for number in range(12, 2, -1)]


def test_sizes_are_drawn_beside_the_published_ones() -> None:
    """Two lines in each of two panels."""
    rows = [experiment(parameters={"size": size, "votes": 1}, loads=size) for size in (1, 2, 3)]
    plot = plots.size_of_the_subdigraph(study(rows), "temex", "template", "nodes")
    assert {"measured here", "published", "F1", "Pages loaded"} <= set(texts(plot))


def test_distances_have_signs() -> None:
    """Above the key page is negative, below it positive."""
    linked = [LinkedPage("sites", "a", "k", str(distance), distance, 0.8) for distance in (-1, 0, 1)]
    assert {"\N{MINUS SIGN}1", "0", "+1"} <= set(
        texts(plots.similarity_against_distance(study([experiment()], linked)))
    )


def test_runtimes_stand_on_plain_numbers() -> None:
    """The axes are logarithmic; their labels are numbers, not formulas of TeX, whatever they span."""
    for factor in (3, 3000):
        rows = [on_site("a", page, nodes=200 * factor**page, runtime=0.01 * factor**page) for page in (0, 1)]
        shown = texts(plots.runtime_against_nodes(study(rows), "template"))
        ticks = [text for text in shown if re.search(r"\d", text)]
        assert len(ticks) >= 4
        assert all(re.fullmatch(r"[\d,.]+", tick) for tick in ticks)


def test_a_dollar_sign_starts_no_formula() -> None:
    """Names stand as they are, whatever TeX would make of them."""
    rows = [on_site("a", category="$\\frac{"), on_site("b", category="$x_1$")]
    shown = texts(plots.f1_by_category(study(rows), "template", "nodes"))
    assert "$\\frac{ (1)" in shown
    assert "$x_1$ (1)" in shown


@pytest.mark.parametrize(
    "plot",
    [
        lambda found: plots.f1_by_category(found, "template", "nodes"),
        lambda found: plots.size_of_the_subdigraph(found, "temex", "template", "nodes"),
        plots.similarity_against_distance,
        lambda found: plots.precision_against_recall(found, "menu", "links"),
        lambda found: plots.runtime_against_nodes(found, "menu"),
    ],
)
def test_nothing_to_compare_makes_no_figure(plot) -> None:
    """One category, one size, no distances, no rows."""
    assert plot(study([experiment(category="blog")])) is None


def test_no_two_methods_of_a_figure_look_alike() -> None:
    """Neither what template detectors leave to read nor bounds take a marker away from those that are shown."""
    content = {"target": "content", "unit": "words"}
    shown = [*(name for name, known in DETECTORS.items() if known.target == "content"), "templex", *PEERS]
    others = ["temex", "sst", "iwptd", "rbm-td", "gold-template", "ceiling"]
    rows = [experiment(detector=name, **content) for name in (*shown, *others)]
    found = [method for method in methods(rows) if method.detector in shown]
    styles = [plots._style(study(rows), method) for method in found]
    assert len(styles) == len(shown) == 10
    assert len({style["marker"] for style in styles}) == 10


@pytest.mark.parametrize("sites", ["a", "abcdef"])
def test_captions_tell_from_how_many_sites_on_there_is_an_interval(sites) -> None:
    """Below that there is no band, which must not be looked for."""
    rows = [on_site(site, parameters={"size": size, "votes": 1}) for site in sites for size in (1, 2)]
    linked = [LinkedPage("sites", site, "k", str(distance), distance, 0.8) for site in sites for distance in (0, 1)]
    sizes = plots.size_of_the_subdigraph(study(rows), "temex", "template", "nodes")
    for plot in (sizes, plots.similarity_against_distance(study(rows, linked))):
        assert plot.notes[0].startswith("Band: 95 % interval, from 5 sites on.")
