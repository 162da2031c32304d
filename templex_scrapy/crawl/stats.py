"""The names of all stats that the plug-in keeps, each with what it counts."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from scrapy.statscollectors import StatsCollector


class Stat(Enum):
    """A stat; its value is the name under which Scrapy's stats collector has it, ``doc`` what it counts."""

    doc: str

    def __new__(cls, name: str, doc: str) -> Self:
        """Keep the name as value and the description beside it."""
        stat = object.__new__(cls)
        stat._value_ = name
        stat.doc = doc
        return stat

    ITEMS = "templex/items", "items that reached the pipeline"
    ITEMS_CLEANED = "templex/items/cleaned", "items from whose page something was removed"
    ITEMS_NOTHING_TO_REMOVE = (
        "templex/items/nothing_to_remove",
        "items whose page fits a template and has nothing to remove",
    )
    ITEMS_NO_TEMPLATE = (
        "templex/items/no_template",
        "items left as they were because no template fits their page",
    )
    ITEMS_NO_SITE = (
        "templex/items/no_site",
        "items left as they were because neither response nor URL field tells the site",
    )
    ITEMS_NO_FIELD = "templex/items/no_field", "items without the HTML field, or with nothing in it"
    ITEMS_NO_PAGE = "templex/items/no_page", "items whose HTML field is neither str nor bytes"
    ITEMS_FRAGMENT = "templex/items/fragment", "items whose HTML field is a fragment and no whole page"
    ITEMS_SWITCHED_OFF = "templex/items/switched_off", 'items of responses with meta["templex"] = False'
    ITEMS_KEPT_WHOLE = (
        "templex/items/kept_whole",
        "items left as they were because nothing would have been left of the page",
    )
    ITEMS_UNWRITABLE = (
        "templex/items/unwritable",
        "items left as they were because they are frozen or lack a field of TEMPLEX_OUTPUTS",
    )
    ITEMS_ERROR = "templex/items/error", "items left as they were because of an error of the plug-in"
    CHARACTERS_BEFORE = (
        "templex/characters/before",
        "characters of the pages in items whose page fits a template",
    )
    CHARACTERS_AFTER = "templex/characters/after", "characters of the same pages as HTML after cleaning"
    BYTES_BEFORE = "templex/bytes/before", "bytes of the same pages as UTF-8"
    BYTES_AFTER = "templex/bytes/after", "bytes of the same pages as UTF-8 after cleaning"
    WORDS_BEFORE = "templex/words/before", "words in the texts of the same pages"
    WORDS_AFTER = "templex/words/after", "words in the texts of the same pages after cleaning"
    PAGES_MATCHED = (
        "templex/pages/matched",
        "pages with items for which a known template fits, no load needed",
    )
    PAGES_WAITED = "templex/pages/waited", "pages whose items waited for the search of another page"
    PAGES_UNFIT = "templex/pages/unfit", "pages with items that fit no template in the end"
    SEARCHES = "templex/searches", "searches begun, one for each key page"
    SEARCHES_LEARNT = "templex/searches/learnt", "searches that brought a template"
    SEARCHES_FAILED = "templex/searches/failed", "searches that brought none"
    SEARCHES_TIMED_OUT = "templex/searches/timed_out", "searches ended by their deadline"
    SEARCHES_CUT_SHORT = "templex/searches/cut_short", "searches ended because the spider closes"
    SEARCHES_CLIQUE_CUT = (
        "templex/searches/clique_cut",
        "clique searches that were cut because they took too many steps",
    )
    SEARCHES_ELSEWHERE = (
        "templex/searches/elsewhere",
        "searches not begun because another worker on the same store had learnt meanwhile",
    )
    STORE_LOADED = "templex/store/loaded", "templates that came from TEMPLEX_STORE"
    STORE_LEFT_OUT = (
        "templex/store/left_out",
        "stored templates not loaded because all of a site's together exceed TEMPLEX_SITE_MEMORY",
    )
    STORE_SAVED = "templex/store/saved", "templates that were handed to TEMPLEX_STORE"
    STORE_ERRORS = (
        "templex/store/errors",
        "calls of the store that failed, as it was away, full or read-only; the crawl goes on from memory",
    )
    STORE_OUTAGES = "templex/store/outages", "times that the store could be used no longer, or not from the start"
    STORE_LOST = "templex/store/lost", "changes that have never reached the store"
    SITES_GIVEN_UP = "templex/sites/given_up", "sites whose searches are used up or failed too often in a row"
    SITES_FORGOTTEN = "templex/sites/forgotten", "sites put away because of TEMPLEX_MAX_SITES or TEMPLEX_SITE_MEMORY"
    SITES_BROUGHT_BACK = "templex/sites/brought_back", "sites of these that came back with what was known of them"
    SITES_LOST = "templex/sites/lost", "sites that were put away and had to go (TEMPLEX_ATTIC_MEMORY)"
    TEMPLATES_GROWN = "templex/templates/grown", "times that pages joined the voters of a template"
    TEMPLATES_STANDING_IN = (
        "templex/templates/standing_in",
        "templates made of pages of one kind, because no complete subdigraph was found",
    )
    TEMPLATES_RETIRED = "templex/templates/retired", "templates given up because no page of the site had them any more"
    TEMPLATES_REVIVED = "templex/templates/revived", "retired templates that serve again: a page had them after all"
    TEMPLATES_TOO_LARGE = "templex/templates/too_large", "templates not kept because of TEMPLEX_TEMPLATE_MEMORY"
    TEMPLATES_FORGOTTEN = "templex/templates/forgotten", "templates dropped because of TEMPLEX_MAX_TEMPLATES"
    TEMPLATES_FULL = (
        "templex/templates/full",
        "pages without a template of their kind, because as many as TEMPLEX_MAX_TEMPLATES are in use",
    )
    CANDIDATES_ADDED = "templex/candidates/added", "pages that searches looked at, failed ones included"
    CANDIDATES_FROM_CRAWL = (
        "templex/candidates/from_crawl",
        "candidates that the crawl had brought or was bringing anyway",
    )
    CANDIDATES_REQUESTED = "templex/candidates/requested", "candidates that searches requested themselves"
    CANDIDATES_FAILED = "templex/candidates/failed", "requested candidates that brought no usable page"
    PAGES_HANDED_OVER = (
        "templex/pages/handed_over",
        "pages requested by a search and handed to the spider's own request, lost ones (404, 410) included",
    )
    PAGES_COUNTED_TWICE = (
        "templex/pages/counted_twice",
        "pages with status 200 that Scrapy's own stats count once more, because spider and search have shared them",
    )
    HELD_ASKED_AGAIN = (
        "templex/held/asked_again",
        "pages asked for again because they were held when an earlier run was killed (with JOBDIR)",
    )
    HELD_UNPROTECTED = (
        "templex/held/unprotected",
        "pages that a kill would have lost: their requests are no plain data, or the job directory cannot be written",
    )
    HELD_GIVEN_UP = (
        "templex/held/given_up",
        "pages not asked for again, because the crawl was killed several times before they were through",
    )
    HELD_SET_ASIDE = "templex/held/set_aside", "lines in the job directory that are no requests of the spider"
    SITES_KNOWN = "templex/sites/known", "sites known at the end"
    SITES_BYTES = "templex/sites/bytes", "bytes of what is known about sites at the end, roughly"
    SITES_BYTES_MOST = "templex/sites/bytes_most", "the most bytes that this has taken"
    TEMPLATES_KNOWN = "templex/templates/known", "templates known at the end"
    TEMPLATES_BYTES_MOST = "templex/templates/bytes_most", "bytes of the largest template, roughly"
    PAGES_KEPT_BYTES_MOST = "templex/pages/kept_bytes_most", "the most bytes that the page memory has taken"
    PAGES_READ_BYTES_MOST = (
        "templex/pages/read_bytes_most",
        "the most bytes that what is remembered of the trees of pages has taken, roughly",
    )
    SEARCHES_OPEN_MOST = "templex/searches/open_most", "the most searches that were open at a time"
    STORE_SET_ASIDE = "templex/store/set_aside", "stored records, and whole files, set aside because they are damaged"
    STORE_NEWER = "templex/store/newer", "stored records passed over because a later version has written them"
    STORE_REFUSED = "templex/store/refused", "templates not loaded or stored, larger than TEMPLEX_TEMPLATE_MEMORY"
    STORE_MEMORY = "templex/store/memory", "bytes of templates that the store has in memory at the end"
    STORE_EVICTED = (
        "templex/store/evicted",
        "sites whose stored templates were dropped from memory (TEMPLEX_STORE_MEMORY)",
    )
    ERRORS = "templex/errors", "errors of the plug-in itself, each kind logged once with its traceback"


def count(stats: StatsCollector, stat: Stat, by: int = 1) -> None:
    """Add to a stat."""
    stats.inc_value(stat.value, by)
