"""The fast code against the literal versions, on generated pages (HYPOTHESIS_PROFILE=thorough for many)."""

from __future__ import annotations

from dataclasses import asdict
from urllib.parse import urljoin

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from literal import clique, mapping, rank, tree, votes
from strategies import (
    LinkGraph,
    LinkPage,
    addresses,
    flat_pairs,
    hrefs,
    labelled_pairs,
    link_graphs,
    link_pages,
    page_groups,
    page_pairs,
    run_pairs,
    similarities,
    sources,
    urls,
)

from templex_scrapy import detect_template
from templex_scrapy.mapping import (
    PUBLISHED,
    PUBLISHED_CONTENT,
    PUBLISHED_QUICK,
    TEMPLEX,
    MappingCache,
    Similarity,
    crossings,
    map_pages,
    map_trees,
)
from templex_scrapy.page import Page, absolute, canonical
from templex_scrapy.search import SubdigraphSearch, dom_distance, hyperlink_distance, rank_links

URL = "https://site.test/"
PARAMETER_SETS = [PUBLISHED, PUBLISHED_QUICK, PUBLISHED_CONTENT, TEMPLEX]


# --- mapping -------------------------------------------------------------------------------------


def literal_mapping(page_a: Page, page_b: Page, parameters: dict[str, float]) -> set[tuple[int, int]]:
    return mapping.equal_top_down_mapping(page_a.nodes[0], page_b.nodes[0], **parameters)


def assert_same_mapping(htmls: list[str], parameters: dict[str, float]) -> None:
    page_a, page_b = (Page(html, f"{URL}{name}") for name, html in zip("ab", htmls, strict=True))
    fast = map_pages(page_a, page_b, Similarity(**parameters))
    assert set(fast.items()) == literal_mapping(page_a, page_b, parameters)


@pytest.mark.parametrize("pairs", [page_pairs, flat_pairs, labelled_pairs], ids=["pages", "siblings", "labelled"])
def test_mapping_with_the_named_parameters(pairs):
    @given(pairs, st.sampled_from(PARAMETER_SETS))
    def check(htmls, similarity):
        assert_same_mapping(htmls, asdict(similarity))

    check()


@pytest.mark.parametrize("option", [1, 2, 3, 4])
@pytest.mark.parametrize("pairs", [page_pairs, flat_pairs, labelled_pairs], ids=["pages", "siblings", "labelled"])
def test_mapping_with_any_parameters(pairs, option):
    @given(pairs, similarities())
    def check(htmls, parameters):
        assert_same_mapping(htmls, {**parameters, "option": option})

    check()


@settings(max_examples=settings().max_examples // 10)  # long lists cost the literal version most
@given(run_pairs, st.one_of(st.sampled_from(PARAMETER_SETS).map(asdict), similarities()))
def test_mapping_of_repetitive_siblings(htmls, parameters):
    assert_same_mapping(htmls, parameters)


@st.composite
def numbered_lists(draw: st.DrawFn) -> str:
    """Entries with a value of their own each, some left out, some of another class: positions move with each pair."""
    order = draw(st.one_of(st.just(list(range(14))), st.permutations(range(14))))
    kept = draw(st.lists(st.booleans(), min_size=14, max_size=14))
    classes = draw(st.lists(st.sampled_from(["", "a", "a b"]), min_size=14, max_size=14))
    entries = [(n, classes[n]) for n in order if kept[n]]
    return "".join(f'<p title="{n}" class="{name}">{"<b></b>" * (n % 3)}</p>' for n, name in entries)


@pytest.mark.parametrize("option", [1, 2, 3])
def test_mapping_of_lists_whose_positions_move(option):
    @given(numbered_lists(), numbered_lists(), st.one_of(st.sampled_from(PARAMETER_SETS).map(asdict), similarities()))
    def check(one, two, parameters):
        assert_same_mapping([f"<body>{one}", f"<body>{two}"], {**parameters, "option": option})

    check()


def test_mapping_of_lists_whose_positions_move_in_short_runs(monkeypatch):
    """Option 3 as on lists that are too long for the literal version."""
    monkeypatch.setattr(crossings, "_RUN", 3)
    monkeypatch.setattr(crossings, "_NEAR", (1, 3))

    @given(numbered_lists(), numbered_lists(), st.one_of(st.sampled_from(PARAMETER_SETS).map(asdict), similarities()))
    def check(one, two, parameters):
        assert_same_mapping([f"<body>{one}", f"<body>{two}"], {**parameters, "option": 3})

    check()


@given(page_groups, st.one_of(st.sampled_from(PARAMETER_SETS).map(asdict), similarities()))
def test_mapping_with_what_earlier_mappings_have_shown(htmls, parameters):
    """Pairs that are remembered are the ones that would be found, whatever was laid over the page before."""
    key, *others = (Page(html, f"{URL}{number}").arrays for number, html in enumerate(htmls))
    similarity = Similarity(**parameters)
    mapping_cache = MappingCache(key, similarity)
    for other in [*others, key, *others, *reversed(others)]:
        assert map_trees(other, key, similarity, mapping_cache) == map_trees(other, key, similarity)


# --- voting --------------------------------------------------------------------------------------


@given(page_groups, st.integers(1, 4), st.one_of(st.just(asdict(PUBLISHED)), similarities()))
def test_template_nodes(htmls, needed, parameters):
    key, *pages = (Page(html, f"{URL}{number}") for number, html in enumerate(htmls))
    fast = detect_template(key, pages, votes=needed, similarity=Similarity(**parameters), same=False)
    assert fast == votes.template_nodes(key, pages, needed, **parameters)


# --- nodes ---------------------------------------------------------------------------------------

# A control character has no way to be written in XML; in attributes, which are read as libxml2 writes
# them, it is U+FFFD.
UNWRITABLE = dict.fromkeys([*range(9), 11, 12, *range(14, 32), 0xFFFE, 0xFFFF], "\ufffd")


def assert_same_nodes(page: Page) -> None:
    plain = tree.nodes_below(page.body)
    parents = [-1 if node.parent is None else node.parent.position for node in page.nodes]
    assert [(node.tag, node.text) for node in page.nodes] == [(node.tag, node.text) for node in plain]
    assert parents == [node.parent for node in plain]
    for position, (node, plain_node) in enumerate(zip(page.nodes, plain, strict=True)):
        assert node.position == position
        assert node.element is plain_node.element
        assert [child.position for child in node.children] == [
            child for child, parent in enumerate(parents) if parent == position
        ]


@given(sources)
def test_nodes_of_any_source(source):
    assert_same_nodes(Page(source, URL))


@given(sources)
def test_features_of_any_source(source):
    page = Page(source, URL)
    for node in page.nodes:
        features = page.arrays.start_tag(node.position)
        assert features.tag == node.tag
        assert features.id == mapping.id_of(node).translate(UNWRITABLE)
        assert features.classes == {name.translate(UNWRITABLE) for name in mapping.class_names(node)}
        assert features.attributes == {
            (name, value.translate(UNWRITABLE)) for name, value in mapping.other_attributes(node)
        }


@pytest.mark.parametrize("source", ["<a\x85>x</a>", "<p\xa0title='x'>x</p>"])
def test_unicode_whitespace_belongs_to_a_tag_name(source):
    assert_same_nodes(Page(source, URL))


@pytest.mark.parametrize("source", ["<div b\xa0title='x'>x</div>", "<div b\xa0class='y'>x</div>"])
def test_unicode_whitespace_belongs_to_an_attribute_name(source):
    page = Page(source, URL)
    features = page.arrays.start_tag(1)
    assert features.classes == mapping.class_names(page.nodes[1])
    assert features.attributes == mapping.other_attributes(page.nodes[1])


# --- links ---------------------------------------------------------------------------------------


@given(urls, urls)
def test_hyperlink_distance(key_url, url):
    assert hyperlink_distance(key_url, url) == rank.hyperlink_distance(key_url, url)


@given(addresses, hrefs)
@example("https://site.test/a/b?x=/c/d", "e")
@example("https://site.test", "e")
def test_absolute_addresses(base, href):
    """Links that are joined by counting directories, and remembered for the next page of the directory."""
    try:
        joined = urljoin(base, href.strip(" \t\n\r\f"))
    except ValueError:
        joined = None
    expected = joined, None if joined is None else canonical(joined)
    assert absolute(base, href) == expected
    assert absolute(base, href) == expected


@given(page_pairs, st.data())
def test_dom_distance(htmls, data):
    nodes = st.sampled_from(Page(htmls[0], URL).nodes)
    node_a, node_b = data.draw(nodes), data.draw(nodes)
    assert dom_distance(node_a, node_b) == rank.dom_distance(node_a, node_b)


@given(link_pages())
def test_rank_links(found: LinkPage):
    page = Page(found.html, found.url)
    assert rank_links(page) == rank.rank_links(page)


# --- complete subdigraphs ------------------------------------------------------------------------


def graph_page(name: str, targets: list[str]) -> Page:
    anchors = "".join(f'<a href="{target}">x</a>' for target in targets)
    # The name keeps two pages with the same links from being copies of each other.
    return Page(f"<html><body><h1>{name}</h1>{anchors}</body></html>", name)


def graph_pages(graph: LinkGraph) -> tuple[Page, dict[str, Page | None], dict[str, set[str]]]:
    """Return the key page, the other pages, and the literal version's links of those that load."""
    names = [f"{URL}{number}" for number in range(len(graph.links))]
    pages: dict[str, Page | None] = {}
    links: dict[str, set[str]] = {}
    for number, targets in enumerate(graph.links):
        linked = [names[target] for target in sorted(targets)]
        if number in graph.broken:
            pages[names[number]] = None
        else:
            # Links to itself, to the key page and to what the key page does not link count for nothing.
            pages[names[number]] = graph_page(names[number], [names[number], URL, f"{URL}far", *linked])
            links[names[number]] = set(linked)
    return graph_page(URL, names), pages, links


def assert_same_search(search: SubdigraphSearch, expected: tuple[str, ...], loads: int) -> None:
    assert tuple(page.url for page in search.pages) == expected
    assert search.loads == loads
    assert search.done


@given(link_graphs())
def test_search_in_any_order_of_adding(graph):
    key, pages, links = graph_pages(graph)
    search = SubdigraphSearch(key, size=graph.size)
    order = [f"{URL}{number}" for number in graph.order]
    for url in order:
        if search.done:
            break
        search.add(url, pages[url])
    assert_same_search(search, *clique.search_result(order, links, graph.size))


@given(link_graphs(), st.integers(1, 10))
def test_search_in_rank_order(graph, max_loads):
    key, pages, links = graph_pages(graph)
    search = SubdigraphSearch(key, size=graph.size, max_loads=max_loads)
    order = rank.rank_links(key)[:max_loads]
    added = []
    while wanted := search.wanted():
        assert wanted == order[len(added) :]
        added.append(wanted[0])
        search.add(wanted[0], pages[wanted[0]])
    assert_same_search(search, *clique.search_result(order, links, graph.size))


@pytest.mark.parametrize("size", [3, 4, 6])
def test_search_of_larger_graphs(size):
    @given(link_graphs(most=11))
    def check(graph):
        key, pages, links = graph_pages(graph)
        search = SubdigraphSearch(key, size=size)
        order = [f"{URL}{number}" for number in graph.order]
        for url in order:
            if not search.done:
                search.add(url, pages[url])
        assert_same_search(search, *clique.search_result(order, links, size))

    check()


@given(link_graphs())
def test_search_is_the_same_after_every_load(graph):
    """What is found so far is what the literal version returns for the pages added so far."""
    key, pages, links = graph_pages(graph)
    search = SubdigraphSearch(key, size=graph.size)
    order = [f"{URL}{number}" for number in graph.order]
    for number, url in enumerate(order, start=1):
        if search.done:
            break
        search.add(url, pages[url])
        expected, _ = clique.search_result(order[:number], links, graph.size)
        assert tuple(page.url for page in search.pages) == expected
