"""Signals that the add-on sends through Scrapy's signal manager, as Scrapy sends its own.

All are sent in the thread of the event loop. A handler takes the arguments that it names, none of them keyword-only,
and must be quick. An error in it is logged, and the crawl continues. Arguments belong to the crawl: do not change them.
"""

from __future__ import annotations

search_begins = object()
"""A search for a template begins. Argument: ``key_url``, the URL of the key page."""

search_ends = object()
"""A search has ended. Arguments: ``search``, ``template`` (None: no template was found), and ``cut_short``: whether its
deadline or the end of the crawl has ended it.

If a template was found, ``template_learnt`` is sent before, and the template is already in the store.
"""

template_learnt = object()
"""There is a new template: a search has found it, or pages of one type have voted. Argument: ``template``."""

template_grown = object()
"""Further pages joined the voters of a template. Arguments: ``old``, the template before, and ``new``, the one now."""

template_dropped = object()
"""A template is no longer used, because newer ones are. Argument: ``template``."""

template_changed = object()
"""Pages no longer fit a template of an earlier crawl: the site has a new design, or a label is gone from a type.

Arguments: ``site``; ``old``, the template; ``new``, the template that serves the pages now (None: there is none, or a
label is gone); ``pages``, addresses of some of them; ``label``, the label that is gone ("": the design is new).
"""

page_cleaned = object()
"""The page of a response with items is cleaned, or fits no template. Argument: ``clean``, a :class:`CleanPage`."""

item_cleaned = object()
"""The outputs were written into an item, or would be without ``TEMPLEX_DRY_RUN``. Argument: ``clean``."""
