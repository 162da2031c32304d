"""Peers: the two rules by hand, and whatever is installed on pages of one site."""

import logging

import pytest
from templex_bench.peers import PEERS, RUN, SHINGLE

URL = "http://s.test/"
MENU = "Home News Shop About Contact Imprint Help"
STORIES = (
    "The weir was rebuilt in spring, and the mill race runs again behind the old house of the miller.",
    "Nobody has seen the ferry since it was towed away at night, and the ferryman does not miss it at all.",
    "Three lamps were lit on the bridge when the first boat came down the river with wood for the baker.",
    "Since the market moved to the square there is more light, more noise, and hardly a place for carts.",
)
PAGES = [
    (f"<html><body><nav><p>{MENU}</p></nav><main><p>{story}</p></main></body></html>", f"{URL}{number}")
    for number, story in enumerate(STORIES)
]


def extracted(name, pages):
    (html, url), *others = pages
    peer = PEERS[name]
    found = peer.load()(html, url, others) if peer.of_site else peer.load()(html, url)
    return " ".join(found.split())


def test_texts_on_half_of_the_pages_are_left_out():
    assert extracted("half-of-pages", PAGES) == STORIES[0]
    assert extracted("half-of-pages", [PAGES[0], *PAGES[1:2] * 3]) == STORIES[0]
    other = (PAGES[1][0].replace(MENU, "Another menu"), PAGES[1][1])
    assert MENU in extracted("half-of-pages", [PAGES[0], other, other])
    assert MENU in extracted("half-of-pages", PAGES[:1]), "one page proves nothing"


def test_runs_of_shingles_on_half_of_the_pages_are_left_out():
    for words, is_left in ((RUN - 1, True), (RUN, False)):
        run = " ".join(f"{MENU} {MENU}".split()[:words])
        assert (run in extracted("shingles", [(html.replace(MENU, run), url) for html, url in PAGES])) == is_left
    assert (SHINGLE, RUN) == (6, 12)  # mdream's


@pytest.mark.parametrize("name", PEERS)
def test_a_peer_extracts_text_or_is_told_to_be_missing(name):
    handlers = logging.getLogger().handlers[:]
    if PEERS[name].version is None:
        with pytest.raises(ImportError):
            PEERS[name].load()
    else:
        assert isinstance(extracted(name, PAGES), str)
        assert logging.getLogger().handlers == handlers
