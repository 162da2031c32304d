"""The tables of the report against figures computed by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

pytest.importorskip("numpy")

from report_cases import LinkedPage, experiment, on_site
from templex_bench import names, published
from templex_bench.bootstrap import Bootstrap
from templex_bench.candidate_tables import candidates_table, distances_table, sizes_table, votes_table
from templex_bench.detectors.registry import DETECTORS
from templex_bench.difference_tables import differences_table
from templex_bench.listing_tables import errors_table, found_table, sites_table, suites_table
from templex_bench.measure_tables import (
    category_matrix,
    category_table,
    detectors_table,
    other_sizes_table,
    others_table,
)
from templex_bench.peers import PEERS
from templex_bench.runtime_tables import runtime_table, trend
from templex_bench.study import Study
from templex_bench.tables import MINUS
from templex_bench.tables import MISSING as NONE

ANALYSIS = "hyperlink analysis"
CEILING = names.title("ceiling")


def study(rows, similarities=(), **settings):
    """A study of these rows with quick intervals."""
    return Study("sites", "sites", rows, similarities, Bootstrap(resamples=500, **settings))


def column(table, title, group=None):
    """The texts of a column by the first cell of each row."""
    place = next(i for i, c in enumerate(table.columns) if c.title == title and group in {None, c.group})
    return {row.cells[0].text: row.cells[place].text for row in table.rows}


def marks(table, title):
    """The marks of a column by the first cell of each row."""
    place = next(i for i, c in enumerate(table.columns) if c.title == title)
    return {row.cells[0].text: row.cells[place].mark for row in table.rows}


def notes_of(table, title):
    """What cells of a column say about missing sites, by the first cell of each row."""
    place = next(i for i, c in enumerate(table.columns) if c.title == title)
    return {row.cells[0].text: row.cells[place].note for row in table.rows}


def test_a_mean_is_over_sites_of_means_over_pages() -> None:
    """Two pages of site a (0.2, 0.4) and one of site b (0.9) make (0.3 + 0.9) / 2, not 0.5."""
    rows = [on_site("a", 0, f1=0.2), on_site("a", 1, f1=0.4), on_site("b", f1=0.9)]
    table = detectors_table(study(rows), "template", "nodes")
    assert column(table, "F1", "measured here") == {"TemEx": "0.600"}
    assert column(table, "Sites") == {"TemEx": "2"}
    assert column(table, "Key pages") == {"TemEx": "3"}


def test_where_sites_have_pages_of_several_types_every_page_counts() -> None:
    """The same pages with page types make (0.2 + 0.4 + 0.9) / 3; the mean over sites stands besides."""
    rows = [
        on_site("a", 0, f1=0.2, category="article"),
        on_site("a", 1, f1=0.4, category="forum"),
        on_site("b", f1=0.9, category="forum"),
    ]
    table = detectors_table(study(rows), "template", "nodes")
    assert column(table, "F1", "measured here") == {"TemEx": "0.500"}
    assert column(table, "F1, sites equal") == {"TemEx": "0.600"}


def test_loads_count_the_key_page_and_runtimes_are_milliseconds() -> None:
    """Three loads and the key page are four; 0.25 s are 250 ms."""
    table = detectors_table(study([experiment(loads=3, runtime=0.25)]), "template", "nodes")
    assert column(table, "Loads", "measured here") == {"TemEx": "4.00"}
    assert column(table, "Runtime, ms", "measured here") == {"TemEx": "250"}


def test_detectors_stand_side_by_side_with_what_was_published() -> None:
    """Best first, the best marked, bounds last and out of the race, Table 12.3 beside them."""
    rows = [experiment(0.5, detector="sst"), experiment(0.8), experiment(0.95, detector="ceiling")]
    table = detectors_table(study(rows), "template", "nodes")
    assert [row.cells[0].text for row in table.rows] == ["TemEx", "SST", CEILING]
    assert marks(table, "F1") == {"TemEx": "best", "SST": "", CEILING: ""}
    assert column(table, "F1", "published") == {"TemEx": "0.875", "SST": "0.419", CEILING: NONE}
    assert table.rows[-1].kind == "bound"


def test_published_columns_without_figures_are_left_out() -> None:
    """A detector that no paper has gives no empty columns."""
    table = detectors_table(study([experiment(detector="mine")]), "template", "nodes")
    assert not [c for c in table.columns if c.group == "published"]


def test_errors_count_as_nothing_found_and_are_listed() -> None:
    """A detector that went wrong on one of two pages has half of its F1 left, none of its time, and is listed."""
    rows = [
        on_site("a", f1=0.8, runtime=0.1),
        on_site("b", f1=0.0, runtime=9.9, error="Boom"),
        on_site("c", detector="sst"),
    ]
    found = study(rows)
    table = detectors_table(found, "template", "nodes")
    assert column(table, "F1", "measured here") == {"SST": "0.800", "TemEx": "0.400"}
    assert column(table, "Runtime, ms", "measured here")["TemEx"] == "100"
    assert column(table, "Errors") == {"SST": "0", "TemEx": "1"}


def test_equal_errors_are_listed_once() -> None:
    """With the number of experiments, not of their rows, and sites that an error met, and where it came first."""
    wrong = {"f1": 0.0, "error": "Boom", "detector": "sst"}
    rows = [on_site(site, **wrong, **unit) for site in "bac" for unit in ({}, {"target": "content", "unit": "words"})]
    rows.append(on_site("a", f1=0.0, error="Crash", detector="sst"))
    table = errors_table([study(rows)])
    assert [[cell.text for cell in row.cells] for row in table.rows] == [
        ["sites", "SST", "Boom", "3", "3", "a", "https://a.example/0"],
        ["sites", "SST", "Crash", "1", "1", "a", "https://a.example/0"],
    ]
    assert errors_table([study([experiment()])]) is None


def test_who_never_ended_well_is_no_rival() -> None:
    """A peer that always went wrong is not beaten; one that went wrong at times is, and it is said how often."""
    content = {"target": "content", "unit": "words", "parameters": {}}
    rows = [on_site(site, f1=0.8, detector="site-conex", **content) for site in "abcdef"]
    rows += [on_site(site, f1=0.0, detector="justext", error="not there", **content) for site in "abcdef"]
    assert differences_table(study(rows), "content", "words") is None
    assert len(detectors_table(study(rows), "content", "words").rows) == 1
    rows += [on_site(site, f1=0.6, detector="boilerpy3", **content) for site in "abcde"]
    rows.append(on_site("f", f1=0.0, detector="boilerpy3", error="Boom", **content))
    table = differences_table(study(rows), "content", "words")
    assert column(table, "boilerpy3") == {"all": "+0.300"}
    assert "boilerpy3 1 of 6" in " ".join(table.notes)


def test_missing_sites_are_told() -> None:
    """A detector that was not run on a site rests on fewer, and says so in tables of rows and of cells."""
    rows = [on_site(site, detector=name, category="blog") for site in "ab" for name in ("temex", "sst")]
    rows += [on_site("c", detector=name, category="shop") for name in ("temex", "sst")]
    del rows[3]
    found = study(rows)
    assert column(detectors_table(found, "template", "nodes"), "Sites") == {"TemEx": "3", "SST": "2 of 3"}
    matrix = category_matrix(found, "template", "nodes")
    assert notes_of(matrix, "blog") == {"TemEx": "", "SST": "1 of 2 sites"}
    assert notes_of(matrix, "All") == {"TemEx": "", "SST": "2 of 3 sites"}


def test_a_missing_page_is_told() -> None:
    """A site whose second page has no measures is there, but not with all its pages."""
    rows = [on_site("a", page, detector=name) for page in (0, 1) for name in ("temex", "sst")]
    rows[3] = on_site("a", 1, detector="sst", f1=None, gold=50, error="Boom")
    assert column(detectors_table(study(rows), "template", "nodes"), "Key pages") == {"TemEx": "2", "SST": "1 of 2"}


def test_by_category_with_the_nearest_published_one() -> None:
    """Shops are compared with companies and shops (Table 9.2), manuals with nothing."""
    rows = [on_site("a", f1=0.6, category="shop"), on_site("b", f1=0.8, category="docs")]
    found = study(rows)
    table = category_table(found, "temex", "template", "nodes")
    assert column(table, "F1", "measured here") == {"docs": "0.800", "shop": "0.600", "all": "0.700"}
    assert column(table, "F1", "published") == {"docs": NONE, "shop": "0.982", "all": "0.875"}
    assert column(table, "Category", "published") == {"docs": NONE, "shop": "Companies / Shops", "all": "all"}


def test_standard_parameters_are_the_papers() -> None:
    """Size 3 with two votes and hyperlink analysis is what stands side by side, whatever else was tried."""
    rows = [
        experiment(0.8, parameters={"size": 3, "votes": 2, "candidates": ANALYSIS}),
        *(experiment(0.1, parameters={"size": size, "votes": 2, "candidates": ANALYSIS}) for size in (2, 4, 5)),
        experiment(0.2, parameters={"size": 3, "votes": 1, "candidates": ANALYSIS}),
        experiment(0.3, parameters={"size": 3, "votes": 2, "candidates": "random links"}),
    ]
    assert column(detectors_table(study(rows), "template", "nodes"), "F1", "measured here") == {"TemEx": "0.800"}


def test_further_parameters_make_rows_of_their_own() -> None:
    """The same detector with two similarities is two rows that name what differs; seeds are only repetitions."""
    rows = [experiment(f1, parameters={"similarity": name, "seed": seed}) for name, seed, f1 in (
        ("tuned", 1, 0.8), ("tuned", 2, 0.6), ("published", 1, 0.5),
    )]  # fmt: skip
    table = detectors_table(study(rows), "template", "nodes")
    assert column(table, "F1", "measured here") == {
        "TemEx (similarity tuned)": "0.700",
        "TemEx (similarity published)": "0.500",
    }


def test_other_sizes_are_told_beside_the_equal_conditions() -> None:
    """One size for all in the main table, further ones with their differences; a whole series has its own table."""
    rows = [experiment(f1, detector="sst", parameters={"size": size}) for size, f1 in ((3, 0.5), (8, 0.6))]
    rows += [experiment(size / 10, parameters={"size": size}) for size in range(1, 9)]
    table = detectors_table(study(rows), "template", "nodes")
    assert column(table, "F1", "measured here") == {"SST": "0.500", "TemEx": "0.300"}
    table = other_sizes_table(study(rows), "template", "nodes")
    assert column(table, "F1") == {"SST (size 8)": "0.600"}
    assert column(table, "F1 less that at the equal size") == {"SST (size 8)": "+0.100"}
    assert other_sizes_table(study(rows[:1]), "template", "nodes") is None


def test_words_left_by_template_detectors_have_their_own_table() -> None:
    """A template detector is no content extractor: it does not race with them."""
    words = {"target": "content", "unit": "words"}
    rows = [experiment(0.9, detector="temex", **words), experiment(0.7, detector="conex", parameters={}, **words)]
    rows += [experiment(0.8, detector="trafilatura", parameters={}, **words)]
    assert list(column(detectors_table(study(rows), "content", "words"), "F1")) == ["trafilatura", "ConEx, page level"]
    assert column(others_table(study(rows)), "F1") == {"TemEx": "0.900"}
    notes = " ".join(others_table(study(rows)).notes)
    assert "Published" not in notes, "there are no published figures of what template detectors leave"
    assert column(differences_table(study(rows), "content", "words"), "trafilatura") == {"all": f"{MINUS}0.100"}
    assert list(column(category_matrix(study(by_category(rows)), "content", "words"), "All")) == [
        "trafilatura",
        "ConEx, page level",
    ]
    assert others_table(study(rows[1:])) is None


def by_category(rows):
    return [replace(row, category=category, site=category) for row in rows for category in ("blog", "shop")]


def test_size_against_measures() -> None:
    """A row for each size, at the published votes, with Table 7.7 beside it."""
    rows = [
        experiment(f1, parameters={"size": size, "votes": votes, "candidates": ANALYSIS}, loads=size * 2, cs_size=size)
        for size, votes, f1 in ((1, 1, 0.5), (2, 1, 0.99), (2, 2, 0.6), (3, 2, 0.75))
    ]
    table = sizes_table(study(rows), "temex", "template", "nodes")
    assert column(table, "F1", "measured here") == {"1": "0.500", "2": "0.600", "3": "0.750"}
    assert column(table, "Votes") == {"1": "1", "2": "2", "3": "2"}
    assert column(table, "Loads", "measured here") == {"1": "3.00", "2": "5.00", "3": "7.00"}
    assert column(table, "Loads", "published") == {"1": "2.00", "2": "8.86", "3": "12.63"}
    assert marks(table, "F1") == {"1": "", "2": "", "3": "best"}


def test_votes_by_size() -> None:
    """F1 for every number of votes, the best of each size marked and named."""
    rows = [
        experiment(f1, parameters={"size": size, "votes": votes})
        for size, votes, f1 in ((2, 1, 0.7), (2, 2, 0.6), (3, 1, 0.5), (3, 2, 0.8), (3, 3, 0.8))
    ]
    table = votes_table(study(rows))
    assert [[cell.text for cell in row.cells] for row in table.rows] == [
        ["2", "0.700", "0.600", NONE, "1", "2", "0.845"],
        ["3", "0.500", "0.800", "0.800", "2, 3", "2", "0.913"],
    ]
    assert [[cell.mark for cell in row.cells[1:4]] for row in table.rows] == [["best", "", ""], ["", "best", "best"]]


def test_selection_of_candidates() -> None:
    """In the order of Table 7.6, with the paired difference to hyperlink analysis."""
    rows = [
        on_site(site, f1=f1, parameters={"size": 3, "votes": 2, "candidates": way})
        for site in "abcdef"
        for way, f1 in ((ANALYSIS, 0.9), ("random links", 0.7), ("menu links", 0.9))
    ]
    table = candidates_table(study(rows))
    assert column(table, "F1", "measured here") == {
        "random links": "0.700", "menu links": "0.900", ANALYSIS: "0.900",
    }  # fmt: skip
    assert column(table, "F1 less that of hyperlink analysis") == {
        "random links": f"{MINUS}0.200", "menu links": "0.000", ANALYSIS: NONE,
    }  # fmt: skip
    assert marks(table, "F1 less that of hyperlink analysis")["random links"] == "below"
    assert column(table, "F1", "published")["menu links"] == "0.837"


def test_similarity_by_distance() -> None:
    """A mean over sites of means over key pages, with the number of sites that have the distance."""
    linked = [
        LinkedPage("sites", "a", "k", "1", 0, 0.1, 0.8),
        LinkedPage("sites", "a", "k", "2", 0, 0.1, 0.6),
        LinkedPage("sites", "b", "k", "1", 0, 0.1, 1.0),
        LinkedPage("sites", "b", "k", "2", -1, 0.1, 0.5),
        LinkedPage("sites", "c", "k", "1", 0, 0.1, None),
    ]
    table = distances_table(study([experiment()], linked))
    assert column(table, "Similarity") == {f"{MINUS}1": "0.500", "0": "0.850"}
    assert column(table, "Sites", "measured here") == {f"{MINUS}1": "1 of 2", "0": "2"}
    assert column(table, "Linked pages") == {f"{MINUS}1": "1", "0": "3"}
    assert column(table, "Recall", "published") == {f"{MINUS}1": "0.821", "0": "0.892"}
    assert "share of the key page's template nodes" in table.notes[0]


def test_similarity_by_distance_without_gold() -> None:
    """It is another quantity, so it has a note of its own and no published figure beside it."""
    linked = [LinkedPage("sites", "a", "k", str(number), 0, value) for number, value in enumerate((0.8, 0.6))]
    table = distances_table(study([experiment(None)], linked))
    assert column(table, "Similarity") == {"0": "0.700"}
    assert not [column for column in table.columns if column.group == "published"]
    assert "not the figures of Table 7.4" in table.notes[0]
    assert "Published" not in " ".join(table.notes)


def test_differences_to_peers_are_paired_and_marked() -> None:
    """Only pages that both have count; an interval on one side of 0 is marked, by category only where it is so."""
    content = {"target": "content", "unit": "words", "parameters": {}}
    rows = []
    for number in range(12):
        category, less = ("blog", 0.2) if number % 2 else ("shop", -0.1 if number < 6 else 0.1)
        rows.append(on_site(f"s{number}", f1=0.7, detector="site_conex", category=category, **content))
        if number:
            rows.append(on_site(f"s{number}", f1=0.7 - less, detector="trafilatura", category=category, **content))
    table = differences_table(study(rows), "content", "words")
    # shop: sites 2 and 4 differ by -0.1, sites 6, 8 and 10 by +0.1.
    assert column(table, "trafilatura") == {"blog": "+0.200", "shop": "+0.020", "all": "+0.118"}
    assert marks(table, "trafilatura") == {"blog": "above", "shop": "", "all": "above"}
    assert notes_of(table, "trafilatura") == {"blog": "", "shop": "5 of 6 sites", "all": "11 of 12 sites"}


def test_a_method_without_peers_makes_no_table_of_differences() -> None:
    """There is nothing to compare with."""
    rows = [experiment(target="content", unit="words", detector="conex")]
    assert differences_table(study(rows), "content", "words") is None


def test_the_growth_of_the_runtime() -> None:
    """Times that grow with the square of the nodes have exponent 2 and are told at 1,000 nodes."""
    rows = [
        on_site(f"s{site}", page, nodes=nodes, runtime=nodes**2 * 1e-8)
        for site in range(6)
        for page, nodes in enumerate((100 + site, 900 + site, 3000 + site))
    ]
    found = study(rows)
    line = trend(found, rows)
    assert line.exponent == pytest.approx(2)
    assert line.interval.low == pytest.approx(2)
    table = runtime_table(found)
    assert column(table, "Exponent") == {"TemEx": "2.00"}
    assert column(table, "At 1,000 nodes, ms") == {"TemEx": "10.0"}
    assert column(table, "Growth") == {"TemEx": "linear"}


def test_one_size_of_page_has_no_trend() -> None:
    """Without pages of other sizes there is a time and no growth."""
    table = runtime_table(study([experiment(runtime=0.002)]))
    assert column(table, "Median") == {"TemEx": "2.00"}
    assert column(table, "Exponent") == {"TemEx": NONE}


def test_without_a_gold_standard_it_tells_what_was_found() -> None:
    """Counts and shares instead of recall and precision; no bounds, which are made of the gold standard."""
    none = {"f1": None, "correct": None}
    words = {"target": "content", "unit": "words", **none}
    rows = [on_site("a", retrieved=25, **none), on_site("b", retrieved=0, **none)]
    rows += [on_site("a", detector="html_text", parameters={}, retrieved=80, **words)]
    rows += [on_site("a", detector="trafilatura", parameters={}, retrieved=20, **words)]
    rows += [on_site("a", detector="ceiling", retrieved=0, **none), on_site("a", retrieved=60, **words)]
    table = found_table(study(rows))
    assert [[cell.text for cell in row.cells[:6]] for row in table.rows] == [
        ["TemEx", "template, nodes", "12.5", "0.125", "1", "3.0"],
        ["html-text (all the text)", "main content, words", "80.0", "1.000", "0", NONE],
        ["trafilatura", "main content, words", "20.0", "0.250", "0", NONE],
        ["TemEx", "words left by template detectors", "60.0", "0.750", "0", "3.0"],
    ]
    assert detectors_table(study(rows), "template", "nodes") is None


def test_the_suites_and_every_site() -> None:
    """How much was measured, and each site by itself."""
    rows = [on_site("a", 0, f1=0.5), on_site("a", 1, f1=0.7), on_site("b", f1=0.9, nodes=300)]
    rows.append(on_site("b", target="menu", unit="links", f1=None, detector="menex", nodes=300))
    suites = suites_table([study(rows)])
    assert [cell.text for cell in suites.rows[0].cells] == [
        "sites", "2", "3", "100", "100", "300", "2", "0", "0", "4", "0", "4", "sites",
    ]  # fmt: skip
    assert column(sites_table(study(rows), "template", "nodes"), "TemEx") == {"a": "0.600", "b": "0.900"}


def test_published_figures_are_shares_and_hang_together() -> None:
    """Every figure lies in [0, 1], and the best of Table 8.4 at size 3 is two votes."""
    every = [*published.DETECTORS.values(), *published.SIZES.values(), *published.CANDIDATES.values()]
    every += [row for rows in published.CATEGORIES.values() for row in rows.values()]
    every += [row for rows in published.CONTENT_SIZES.values() for row in rows.values()]
    assert all(0 < value <= 1 for row in every for value in (row.recall, row.precision, row.f1))
    assert published.VOTES[3] == 2
    temex = published.CATEGORIES["temex", "template", "nodes"]
    assert sum(row.f1 for row in temex.values()) / 5 == pytest.approx(0.8754, abs=1e-4)
    hybrid = published.CATEGORIES["hybrid", "template", "nodes"]
    assert sum(row.f1 for row in hybrid.values()) / 5 == pytest.approx(0.8829, abs=3e-4)
    menu = published.CATEGORIES["menex", "menu", "links"]
    assert sum(row.f1 for row in menu.values()) / 5 == pytest.approx(0.8634, abs=1e-4)


def test_detectors_are_known_by_the_names_of_the_registry() -> None:
    """Published figures are the registry's own, each with its cost; detectors and peers have their titles and roles."""
    for detector in DETECTORS.values():
        assert names.title(detector.name) == detector.title
        assert names.role(detector.name) == "ours"
        for unit, known in detector.published.items():
            ours = published.DETECTORS[names.canonical(detector.name), detector.target, unit]
            assert (ours.recall, ours.precision, ours.f1) == (known.recall, known.precision, known.f1)
            assert ours.runtime is not None
    assert {names.role(name) for name in PEERS} == {"peer"}
    assert set(published.PEERS) <= set(PEERS)
    assert [names.role(name) for name in ("ceiling", "gold-template-removed", "oracle")] == ["bound"] * 3


def test_a_method_with_a_size_of_its_own_tells_it() -> None:
    """Content words are measured with eight pages where the others have three: every table says so."""
    content = {"target": "content", "unit": "words", "detector": "content-words"}
    rows = [
        on_site(
            f"s{number}", category=category, parameters={"size": size, "candidates": "hyperlink analysis"}, **content
        )
        for number, category in enumerate(("blog", "shop"))
        for size in (3, 8)
    ]
    table = category_matrix(study(rows), "content", "words")
    assert [row.cells[0].text for row in table.rows] == ["templex content words (size 8)"]
