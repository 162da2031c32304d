"""Rendered themes: text from a seed, pages with their items, and the gold standard that follows."""

import json

import made_suites
import pytest
from templex_bench import zoo
from templex_bench.case import Case
from templex_bench.cli import main
from templex_bench.detectors import DETECTORS, Found
from templex_bench.measures.scores import Score, in_order
from templex_bench.suites import open_suite

from templex_scrapy.page import nodes_of


def test_text_is_made_from_the_seed_and_no_word_is_in_two_items():
    made = zoo.items("7")
    assert made == zoo.items("7") != zoo.items("8")
    words = [set(in_order(" ".join(item.lines))) for item in made]
    assert sum(map(len, words)) == len(set.union(*words))
    item = zoo.Item("s", "guide", "T", ("# Heading", "- point", "Words."))
    assert item.lines == ["T", "Heading", "point", "Words."]
    assert item.markdown() == "## Heading\n\n- point\n\nWords."
    assert item.rest() == "Heading\n---------\n\n- point\n\nWords."


def site_of(folder, bodies, lines):
    made_suites.write(
        folder / "one" / "www", {path: f"<html><body>{body}</body></html>" for path, body in bodies.items()}
    )
    told = {"engine": "e", "base_url": "https://e.example/", "pages": list(bodies), "lines": lines}
    made_suites.write(folder / "one", {"made.json": json.dumps(told)})
    return open_suite(folder).sites[0]


def test_what_has_words_of_the_item_alone_is_its_own(tmp_path):
    """Body 0 > ul 1 > li 2 > text 3,  div 4 > p 5 > text 6,  p 7 > text 8,  p 9 > text 10, b 11 > text 12."""
    body = "<ul><li>Home</li></ul><div><p>Bado lumi.</p></div><p>Bado</p><p>Posted in <b>bado</b></p>"
    site = site_of(tmp_path, {"a.html": body}, {"a.html": ["Bado lumi."]})
    key = site.key_page(site.key_urls[0])
    assert key.gold.content == {4, 5, 6}
    assert key.gold.template == {0, 1, 2, 3, 9, 10}
    assert key.gold.neutral == {7, 8, 11, 12}
    assert (key.category, key.gold.text) == ("e", "Bado lumi.")


def test_dates_and_neighbours_do_not_count(tmp_path):
    """Body 0 > b 1 > text 2,  div 3 > p 4 > text 5,  i 6 > text 7,  u 8 > text 9."""
    words = ("Bado lumi", "Kuto", "Zema", "Rigo", "Pemu", "Bado lumi")
    bodies = {
        f"{now}.html": f"<b>Home</b><div><p>{words[now]}</p><i>{now} March</i></div><u>{words[now + 1]}</u>"
        for now in range(5)
    }
    site = site_of(tmp_path, bodies, {path: [own] for path, own in zip(bodies, words, strict=False)})
    case = Case(site, site.key_urls[0])
    gold = case.key.gold
    assert (gold.content, gold.template, gold.neutral) == ({3, 4, 5}, {0, 1, 2}, {6, 7, 8, 9})
    scores = case._scores(DETECTORS["temex"], Found(nodes=frozenset({0, 1, 6, 7})))
    assert scores["template", "nodes"] == Score.of(3, 2, 2)
    assert scores["content", "words"] == Score.of(2, 3, 2), "home is too much, kuto is not counted"


def test_an_item_has_a_page_where_all_its_words_are_in_nodes_of_its_own(tmp_path):
    item = zoo.Item("s", "guide", "Bado lumi", ("Kuto.",))
    texts = {"whole": "<h1>Bado lumi</h1><p>Kuto.", "mixed": "<h1>Bado lumi</h1><p>Kuto, so.", "less": "<h1>Bado lumi"}
    for name, body in texts.items():
        made_suites.write(tmp_path / name, {"a.html": f"<body><b>Home</b>{body}"})
    assert [zoo._placed(tmp_path / name, [item]) for name in texts] == [{"a.html": item.lines}, {}, {}]
    assert zoo._frame(tmp_path / "whole", {"a.html": item.lines}) == {"body", "b", "#text"}
    made_suites.write(tmp_path / "bare", {"a.html": "<body><nav></nav><h1>Bado lumi</h1><p>Kuto."})
    assert not zoo._frame(tmp_path / "bare", {"a.html": item.lines}), "no text is the theme's"


@pytest.mark.integration
def test_a_theme_is_rendered_and_measured(tmp_path, capsys):
    pytest.importorskip("sphinx")
    assert main(["make", "zoo", str(tmp_path / "zoo"), "--engines", "sphinx", "--themes", "classic,nature"]) == 0
    told = "sphinx--classic: 24 items\nsphinx--nature: left out: the same template as sphinx--classic\n"
    assert capsys.readouterr().out == told
    (site,) = open_suite(tmp_path / "zoo").sites
    key = site.key_page(site.key_urls[0])
    assert key.gold.content
    texts = [nodes_of(key.page).texts[at] for at in key.gold.template or ()]
    assert "Quick search" in {text.strip() for text in texts if text}
    manifest = json.loads((tmp_path / "zoo" / "sphinx--classic" / "made.json").read_text())
    assert manifest["packages"][0]["licence"]
    assert manifest["base_url"] == zoo._address("sphinx", "classic")
