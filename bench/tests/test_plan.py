"""What a run plans, and how candidates are selected."""

from __future__ import annotations

import pytest
from templex_bench.candidates import SELECTIONS, find_subdigraph
from templex_bench.methods import all_methods
from templex_bench.plan import Choice, trials

from templex_scrapy.page import Page
from templex_scrapy.search import rank_links

METHODS = all_methods()


def planned(name: str, choice: Choice | None = None, *, linked: bool = True) -> list[dict[str, object]]:
    return [dict(trial.parameters) for trial in trials([METHODS[name]], choice or Choice(), linked=linked)]


def test_temex_has_all_sizes_and_votes() -> None:
    """Every table of the thesis on sizes, votes and candidates can be made from the default plan."""
    parameters = planned("temex")
    grid = {(p["size"], p["votes"]) for p in parameters if p["candidates"] == "hyperlink analysis"}
    assert grid == {(size, votes) for size in range(1, 9) for votes in range(1, size + 1)}
    others = [p for p in parameters if p["candidates"] != "hyperlink analysis"]
    assert {p["candidates"] for p in others} == set(SELECTIONS) - {"hyperlink analysis"}
    assert {(p["size"], p["votes"]) for p in others} == {(3, 2)}
    assert {p["seed"] for p in others if p["candidates"] == "random links"} == set(range(5))


@pytest.mark.parametrize("name", [name for name, method in METHODS.items() if method.level == "site"])
def test_every_site_level_method_runs_under_equal_conditions(name) -> None:
    """Size 3, candidates by hyperlink analysis."""
    assert any(p["size"] == 3 and p["candidates"] == "hyperlink analysis" for p in planned(name))


def test_page_level_methods_run_once() -> None:
    """They know none of the parameters."""
    for name in ("page-conex", "menex", "trafilatura", "html_text"):
        assert planned(name, Choice(readings=False)) == [{}]


def test_what_is_asked_for_is_what_is_planned() -> None:
    """Sizes, votes and candidates hold for every site-level method; no more votes than pages."""
    choice = Choice(sizes=(1, 3), votes=(2, 3), selections=("menu links",))
    wanted = [{"candidates": "menu links", "size": 3, "votes": votes} for votes in (2, 3)]
    assert planned("hybrid", choice) == wanted
    assert planned("sst", choice) == [{"candidates": "menu links", "size": size} for size in (1, 3)]


def test_siblings_where_pages_do_not_link() -> None:
    """One comparison, with at most eight siblings."""
    assert planned("temex", linked=False) == [{"candidates": "siblings", "size": 8, "votes": 2}]
    assert planned("site-conex", linked=False) == [{"candidates": "siblings", "size": 8}]


def test_keys_tell_experiments_apart() -> None:
    """No two experiments on one key page have the same key."""
    wanted = trials(METHODS.values(), Choice(), linked=True)
    assert len({trial.key("s", "a", "http://a/") for trial in wanted}) == len(wanted)
    assert wanted[0].key("s", "a", "http://a/") != wanted[0].key("s", "b", "http://a/")


def site(menu: list[str], others: list[str]) -> dict[str, str]:
    """Pages that all link each other, some from a menu."""
    items = "".join(f'<li><a href="/{name}">{name}</a></li>' for name in menu)
    links = "".join(f'<p>and <a href="/{name}">{name}</a></p>' for name in others)
    body = '<html><body><nav><ul class="menu">{}</ul></nav><div>{}</div><i>{}</i></body></html>'
    return {f"http://w.example/{name}": body.format(items, links, name) for name in ["key", *menu, *others]}


@pytest.fixture
def pages():
    return site([f"m{number}" for number in range(6)], [f"o{number}" for number in range(6)])


def found_with(pages: dict[str, str], selection: str, seed: int = 0) -> tuple[list[str], int]:
    key = Page(pages["http://w.example/key"], "http://w.example/key")
    fetch = lambda url: Page(pages[url], url) if url in pages else None  # noqa: E731
    compared = find_subdigraph(key, fetch, size=3, selection=selection, seed=seed)
    return [page.url.rpartition("/")[2] for page in compared.pages], compared.loads


def test_menu_and_other_links(pages) -> None:
    """Only links of the menu, or only others."""
    menu, loads = found_with(pages, "menu links")
    others, _ = found_with(pages, "non-menu links")
    assert loads == 3
    assert len(menu) == len(others) == 3
    assert {name[0] for name in menu} == {"m"}
    assert {name[0] for name in others} == {"o"}


def test_hyperlink_analysis_takes_the_first_ranked(pages) -> None:
    """The order is that of the rank."""
    key = Page(pages["http://w.example/key"], "http://w.example/key")
    assert found_with(pages, "hyperlink analysis")[0] == [url.rpartition("/")[2] for url in rank_links(key)[:3]]


def test_random_links_are_seeded(pages) -> None:
    """The same seed selects the same pages, and some other seed others."""
    assert found_with(pages, "random links", 1) == found_with(pages, "random links", 1)
    assert len({tuple(found_with(pages, "random links", seed)[0]) for seed in range(5)}) > 1


def test_pages_that_cannot_be_had_are_loads(pages) -> None:
    """A page that is not there counts as loaded, and the search goes on."""
    key = Page(pages["http://w.example/key"], "http://w.example/key")
    del pages[rank_links(key)[0]]
    names, loads = found_with(pages, "hyperlink analysis")
    assert len(names) == 3
    assert loads == 4
