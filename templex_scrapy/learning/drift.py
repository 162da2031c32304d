"""Tell when pages no longer fit the templates of an earlier crawl: a new design, or a label that is gone."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlsplit

from templex_scrapy.learning.events import TemplateChanged
from templex_scrapy.metadata import label_of
from templex_scrapy.page import nodes_of
from templex_scrapy.template import FIT_RULES, Fit, Match, Template

PAGES_IN_A_ROW = FIT_RULES.fewest_pages + 1
"""Pages in a row at addresses like those of a type, served by no template of the earlier crawl: enough for a type."""

FIRST_PAGES = 5
"""Pages of a type by which labels are judged: the first of the crawl."""

MOST_WITH_LABEL = 1
"""Of these pages, those that may still have a label that is gone: a cache may hold an old page."""


@dataclass(slots=True)
class _Watched:
    """The pages of the crawl at addresses like those of a template of the earlier crawl."""

    served: int = 0  # by templates of the earlier crawl
    unserved: dict[str, Template | None] = field(default_factory=dict)  # the last in a row, with the new templates
    is_decided: bool = False  # whether the design is known to be the old or a new one
    labels: dict[str, frozenset[str]] = field(default_factory=dict)  # the constant labels of the first pages


class Drift:
    """Watches whether pages fit the templates of an earlier crawl; tells once of a design and of each label."""

    def __init__(self, templates: Iterable[Template] = ()) -> None:
        templates = list(templates)
        self._known = {template.identity for template in templates}
        counts: dict[str, Counter[Template]] = {}
        for template in templates:
            for url in () if template.is_lone else template.urls:
                counts.setdefault(_place(url), Counter())[template] += 1
        self._of_place = {place: count.most_common(1)[0][0] for place, count in counts.items()}
        self._watched: defaultdict[Template, _Watched] = defaultdict(_Watched)

    def see(self, match: Match) -> list[TemplateChanged]:
        """Return the changes that a page tells."""
        url, template = match.page.url, match.template
        is_known = template is not None and template.identity in self._known
        old = self._of_place.get(_place(url)) if self._of_place else None
        changes = []
        if old is not None:
            watched = self._watched[old]
            if is_known:
                watched.unserved.clear()
                watched.served += 1
                # a type that the crawl still meets has the old design; other such addresses are of other types
                watched.is_decided |= watched.served == PAGES_IN_A_ROW
            elif not watched.is_decided:
                watched.unserved[url] = template
                if len(watched.unserved) == PAGES_IN_A_ROW:
                    watched.is_decided = True
                    new = next((new for new in reversed(watched.unserved.values()) if new is not None), None)
                    changes.append(TemplateChanged(old, new, tuple(watched.unserved)))
        if template is not None and is_known and match.fit is Fit.SAME_TYPE:
            changes += self._labels_gone(template, match)
        return changes

    def _labels_gone(self, template: Template, match: Match) -> list[TemplateChanged]:
        first = self._watched[template].labels
        if len(first) == FIRST_PAGES or not template.constant_labels:
            return []
        texts = filter(None, nodes_of(match.page).texts)
        first[match.page.url] = template.constant_labels.intersection(map(label_of, texts))
        if len(first) < FIRST_PAGES:
            return []
        changes = []
        for label in sorted(template.constant_labels):
            lacking = tuple(url for url, labels in first.items() if label not in labels)
            if len(lacking) >= FIRST_PAGES - MOST_WITH_LABEL:
                changes.append(TemplateChanged(template, None, lacking, label))
        return changes


def _place(url: str) -> str:
    """Return the part that addresses of a type share: the directory, numbers aside, or the names in the query."""
    parts = urlsplit(url)
    path = parts.path if parts.query else parts.path.rstrip("/").rpartition("/")[0]
    names = sorted(name for name, _ in parse_qsl(parts.query, keep_blank_values=True))
    return "?".join([re.sub(r"\d+", "0", path), *names])
