"""ParseCache of what the papers leave open: detectors take them, and the report keeps them apart from the defaults."""

from __future__ import annotations

import pytest

pytest.importorskip("numpy")

import suites
from report_cases import experiment, on_site
from templex_bench.bootstrap import Bootstrap
from templex_bench.case import Case
from templex_bench.detectors.registry import DETECTORS
from templex_bench.experiment import Experiment
from templex_bench.gold import open_suite
from templex_bench.measure_tables import LESS_THAN_BEST, detectors_table
from templex_bench.measured_readings import DEFAULT
from templex_bench.methods import all_methods
from templex_bench.order import order_remarks, order_table
from templex_bench.plan import Choice, Trial, trials
from templex_bench.reading_tables import CHOSEN_WITHOUT, nearest_to_published, readings_table
from templex_bench.readings import READINGS, arguments, of_detector
from templex_bench.study import Study
from templex_bench.summary import paragraphs
from templex_bench.tables import MINUS, MISSING, Table

METHODS = all_methods()
EQUAL = {"candidates": "hyperlink analysis", "size": 3}


def study(rows: list[Experiment]) -> Study:
    return Study("sites", "sites", rows, (), Bootstrap(resamples=100), "again")


def cells(table: Table | None) -> list[list[str]]:
    assert table is not None
    return [[cell.text for cell in row.cells] for row in table.rows]


def sst(f1: float, recall: float, precision: float, **parameters: object) -> Experiment:
    """An experiment with SST."""
    return experiment(f1, recall=recall, precision=precision, detector="sst", parameters={**EQUAL, **parameters})


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> Case:
    site = open_suite(suites.selected(tmp_path_factory.mktemp("suite"), sites=1)).sites[0]
    return Case("suite", site, site.key_urls[0])


@pytest.mark.parametrize("reading", READINGS, ids=lambda reading: f"{reading.detector}: {reading.title}")
def test_each_reading_is_one_that_its_detector_takes(case, reading) -> None:
    """No misspelt name or value: an experiment with it ends well."""
    method = METHODS[reading.detector]
    votes = {"votes": 2} if method.votes else {}
    parameters = {**(EQUAL | votes if method.level == "site" else {}), **reading.parameters}
    rows = case.measure(Trial(method.name, parameters), method, method.load())
    assert rows
    assert not [row.error for row in rows if row.error]


@pytest.mark.parametrize("reading", READINGS, ids=lambda reading: f"{reading.detector}: {reading.title}")
def test_each_reading_differs_from_the_default(reading) -> None:
    """A reading with the default's own values would be measured for nothing."""
    defaults = DETECTORS[reading.detector].parameters
    assert {name: value for name, value in arguments(reading.parameters).items() if defaults.get(name) != value}


def test_readings_of_a_detector_are_all_different() -> None:
    """Two readings with the same parameters would be one experiment."""
    for detector in DETECTORS:
        keys = [tuple(sorted(reading.parameters.items())) for reading in of_detector(detector)]
        assert len(keys) == len(set(keys))


def test_readings_are_measured_at_the_size_of_the_method() -> None:
    """Three pages, four for site-level ConEx, none for page-level methods; nothing where sizes are asked for."""
    for name, standard in (("iwptd", {**EQUAL}), ("site-conex", {**EQUAL, "size": 4}), ("menex", {})):
        planned = [dict(trial.parameters) for trial in trials([METHODS[name]], Choice(), linked=True)]
        for reading in of_detector(name):
            assert {**standard, **reading.parameters} in planned
        for choice, linked in ((Choice(sizes=(3,)), True), (Choice(readings=False), True), (Choice(), False)):
            few = [dict(trial.parameters) for trial in trials([METHODS[name]], choice, linked=linked)]
            assert not [parameters for parameters in few if not parameters.keys() <= {"candidates", "size"}]


def test_readings_stay_out_of_the_other_tables() -> None:
    """The detector has one row, with the default's figure."""
    table = detectors_table(study([sst(0.6, 0.6, 0.6), sst(0.9, 0.9, 0.9, pages_with=2)]), "template", "nodes")
    assert [row[:4] for row in cells(table)] == [["SST", "0.600", "0.600", "0.600"]]


def test_readings_stand_beside_the_default() -> None:
    """The default first, with the published figures; each reading with its paired difference."""
    rows = [sst(0.6, 0.5, 0.7), sst(0.9, 0.9, 0.9, pages_with=2), sst(0.4, 0.4, 0.6, attributes="start tags")]
    assert cells(readings_table(study(rows), "template", "nodes")) == [
        ["SST", DEFAULT, "0.500", "0.700", "0.600", MISSING, "0.375", "0.580", "0.419"],
        ["SST", "elements told apart by whole start tags", "0.400", "0.600", "0.400", f"{MINUS}0.200", *[MISSING] * 3],
        ["SST", "nodes on two pages", "0.900", "0.900", "0.900", "+0.300", *[MISSING] * 3],
    ]


def menex(site: str, f1: float, names: str = "words") -> Experiment:
    """An experiment with MenEx, one key page for each site."""
    parameters = {} if names == "words" else {"text": "root", "names": names}
    return on_site(site, f1=f1, detector="menex", target="menu", unit="links", parameters=parameters)


def test_a_reading_is_chosen_without_the_site() -> None:
    """The default is best on all sites by the first alone: without that the other reading is, and it fails there."""
    rows = [menex("a", 1.0), menex("b", 0.6), menex("c", 0.6)]
    rows += [menex("a", 0.1, "exact"), menex("b", 0.7, "exact"), menex("c", 0.7, "exact")]
    found = cells(readings_table(study(rows), "menu", "links"))
    default, other, chosen = ([row[1], row[4], row[5]] for row in found)
    assert default == [DEFAULT, "0.733", MISSING]
    assert other[1] == "0.500"
    # a: chosen on b and c, where the other one is best; b and c: the default, which is best on the other two
    assert chosen == [CHOSEN_WITHOUT, f"{(0.1 + 0.6 + 0.6) / 3:.3f}", f"{MINUS}0.300"]


def test_figures_tell_what_they_are_worth_elsewhere() -> None:
    """Beside the figure of the default stands that of the readings chosen on the other sites."""
    rows = [menex("a", 1.0), menex("b", 0.6), menex("c", 0.6)]
    alone = detectors_table(study(rows), "menu", "links")
    rows += [menex("a", 0.1, "exact"), menex("b", 0.7, "exact"), menex("c", 0.7, "exact")]
    told = "the reading of the paper, and nothing else, chosen for each site on all other sites: MenEx 0.433"
    assert told in " ".join(detectors_table(study(rows), "menu", "links").notes)
    assert "all other sites" not in " ".join(alone.notes)
    (_, menu) = paragraphs([study(rows)])
    assert menu.text.endswith("on all other sites, MenEx has F1 0.433.")


def test_one_site_leaves_none_to_choose_on() -> None:
    """Then there is no such row."""
    found = cells(readings_table(study([menex("a", 1.0), menex("a", 0.1, "exact")]), "menu", "links"))
    assert [row[1] for row in found] == [DEFAULT, "text “root”, names “exact”"]


def test_no_readings_make_no_table() -> None:
    """The default alone decides nothing."""
    assert readings_table(study([sst(0.6, 0.5, 0.7)]), "template", "nodes") is None


def test_the_nearest_reading_is_nearest_in_all_three_measures() -> None:
    """Published: recall 0.375, precision 0.580, F1 0.419."""
    rows = [sst(0.6, 0.5, 0.7), sst(0.9, 0.9, 0.9, pages_with=2), sst(0.4, 0.4, 0.6, attributes="start tags")]
    nearest = nearest_to_published(study(rows), "sst", "template", "nodes")
    assert nearest is not None
    assert nearest.title == "elements told apart by whole start tags"
    assert nearest_to_published(study(rows), "temex", "template", "nodes") is None


def ordered() -> list[Experiment]:
    """Three detectors, of which the thesis has HybEx before TemEx before SST."""
    return [
        on_site(site, detector=detector, f1=f1, recall=f1 - 0.1, precision=f1 + 0.1)
        for detector, f1 in (("temex", 0.8), ("sst", 0.7), ("hybrid", 0.6))
        for site in "ab"
    ]


def test_the_order_here_and_in_the_thesis() -> None:
    """Places by F1 among the detectors that were measured."""
    table = order_table(study(ordered()))
    places = [(row[0], row[1], row[3], row[8]) for row in cells(table)]
    assert places == [
        ("TemEx", "1", MISSING, "2"),
        ("SST", "2", f"{MINUS}0.100", "3"),
        ("HybEx", "3", f"{MINUS}0.200", "1"),
    ]


def test_each_difference_in_order_is_explained() -> None:
    """A paragraph for each detector, with its places and figures."""
    remarks = order_remarks(study(ordered()))
    assert remarks is not None
    told = {paragraph.label: paragraph.text for paragraph in remarks.paragraphs}
    assert list(told) == ["The order", "TemEx", "SST", "HybEx"]
    assert "TemEx, SST and HybEx here, and HybEx, TemEx and SST in the thesis; 2 of 3 pairs" in told["The order"]
    assert "Place 2 here, 3 in the thesis; F1 0.700, published 0.419 (+0.281)" in told["SST"]
    assert f"Its precision less that of TemEx: {MINUS}0.200, on too few sites for an interval" in told["HybEx"]
    assert "none of these places is certain" in told["The order"]
    assert "Before HybEx here, behind it in the thesis: F1 +0.200" in told["TemEx"]
    assert "Before HybEx here" in told["SST"]
    assert "500 pages" in told["SST"]


def on_sites(**levels: list[float]) -> list[Experiment]:
    """Detectors with their F1 on each of some sites."""
    return [
        on_site(f"s{number}", detector=detector, f1=value)
        for detector, values in levels.items()
        for number, value in enumerate(values)
    ]


def test_what_stands_as_in_the_thesis_is_not_explained() -> None:
    """The thesis has HybEx, TemEx, SST: then there is nothing to give reasons for, whatever the suite."""
    remarks = order_remarks(study(on_sites(hybrid=[0.9] * 6, temex=[0.8] * 6, sst=[0.5] * 6)))
    assert remarks is not None
    told = " ".join(paragraph.text for paragraph in remarks.paragraphs)
    assert "0 of 3 pairs stand the other way round" in told
    assert remarks.title == "The order, as in the thesis"
    assert not [word for word in ("500 pages", "spares", "behind it", "development sites") if word in told]


def test_places_that_are_level_are_told_as_level() -> None:
    """TemEx is ahead of HybEx by chance and of SST on every site: intervals tell, in the words and in the tables."""
    rows = on_sites(
        temex=[0.9, 0.7, 0.9, 0.7, 0.9, 0.75], hybrid=[0.7, 0.9, 0.7, 0.9, 0.7, 0.9], sst=[0.5, 0.4, 0.5, 0.4, 0.5, 0.4]
    )
    found = study(rows)
    remarks, table = order_remarks(found), detectors_table(found, "template", "nodes")
    assert remarks is not None
    assert table is not None
    told = {paragraph.label: paragraph.text for paragraph in remarks.paragraphs}
    assert "1 of 3 pairs stand the other way round. In 0 of those" in told["The order"]
    assert "Level here with HybEx:" in told["TemEx"]
    assert "Level here" not in told["SST"]
    for one in (table, order_table(found)):
        assert one is not None
        at = [column.title for column in one.columns].index(LESS_THAN_BEST)
        gaps = {row.cells[0].text: row.cells[at] for row in one.rows}
        assert gaps["TemEx"].text == MISSING
        assert (gaps["HybEx"].mark, gaps["SST"].mark) == ("", "below")
        assert gaps["HybEx"].interval
    assert f"Precision of HybEx less that of TemEx, paired by key page: {gaps['HybEx'].text} [" in " ".join(table.notes)


def test_one_detector_has_no_order() -> None:
    """There is nothing to put in order."""
    assert order_table(study(ordered()[:2])) is None
    assert order_remarks(study(ordered()[:2])) is None


@pytest.mark.parametrize("detector", ["temex", "hybrid"])
def test_a_similarity_that_was_chosen_by_hand_is_told(detector) -> None:
    """With other readings measured or not: their row tells nothing of the similarity."""
    found = study([on_site("a", detector=detector), on_site("b", detector="sst")])
    told = "The similarity of TemEx and HybEx (weights, threshold, position option) was chosen by hand"
    assert " ".join(detectors_table(found, "template", "nodes").notes).count(told) == 1
    (_, template, *_) = paragraphs([study([on_site("a", detector=detector)])])
    assert told in template.text
    assert "was chosen by hand" not in " ".join(
        detectors_table(study([on_site("b", detector="sst")]), "template", "nodes").notes
    )
