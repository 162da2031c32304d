"""What a shop says beside the description of a product: facts with labels in all common forms, reviews, facets.

Most products share most values, as in real shops. Which product differs in what follows from its number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from html import escape

from sample_project.demo_site.markup import items
from sample_project.demo_site.material import Entry
from sample_project.demo_site.wording import Wording

_ICON = '<svg viewBox="0 0 8 8" width="8" height="8" aria-hidden="true"><circle cx="4" cy="4" r="3"/></svg>'
_FORMS = (
    ("<dl>{}</dl>", "<dt>{}</dt><dd>{}</dd>"),
    ('<ul class="features">{}</ul>', "<li><strong>{}:</strong> {}</li>"),
    ('<div class="attributes">{}</div>', '<div><span class="label">{}</span> <span class="value">{}</span></div>'),
    ('<div class="rows">{}</div>', '<div class="row"><div>{}</div><div>{}</div></div>'),
    ("{}", "<p><b>{}:</b> {}</p>"),
    ('<dl class="facts">{}</dl>', "<div><dt>{}</dt><dd>{}</dd></div>"),
    ('<div class="boxes">{}</div>', '<div class="box"><dl><dt>{}</dt><dd>{}</dd></dl></div>'),
    ("{}", "<h3>{}</h3><ul><li>{}</li></ul>"),
    ("<ul>{}</ul>", "<li>{}: {}</li>"),
    ('<ul class="icons">{}</ul>', f"<li>{_ICON}<span>{{}}</span> <span>{{}}</span></li>"),
    ("<details open>{}</details>", "<summary>{}</summary><p>{}</p>"),
)
"""The forms, each as the whole and the part of it for one label with its value. The twelfth is the table of details."""


def value_of(fact: Sequence[str], number: int, index: int) -> str:
    """Return the value of a product: one half to four fifths of all products share it."""
    _, common, other = fact
    return other if (number + index) % (2 + index % 4) == 0 else common


def facts(words: Wording, number: int) -> str:
    """Render the facts of a product, a few in each form."""
    rows = [(fact[0], value_of(fact, number, index)) for index, fact in enumerate(words.facts)]
    return "\n".join(
        whole.format("".join(part.format(escape(label), escape(value)) for label, value in rows[start :: len(_FORMS)]))
        for start, (whole, part) in enumerate(_FORMS)
    )


def reviews(words: Wording, entry: Entry) -> str:
    """Render the review of a product, or that it has none, as most."""
    say, review = words.labels, entry.fields.get("review")
    if review is None:
        return f"<h2>{say['reviews']}</h2>\n<p>{say['no_reviews']}</p>"
    author, stars, text = review.split(" | ")
    return (
        f'<h2>{say["reviews"]}</h2>\n<div class="review"><p>{say["by"]} <b>{escape(author)}</b> · '
        f'<span title="{stars} / 5">{"★" * int(stars)}</span></p><p>{escape(text)}</p></div>'
    )


def facets(words: Wording, numbers: Sequence[int]) -> str:
    """Render how many products of a list have which value."""
    groups = []
    for index, fact in enumerate(words.facts[:2]):
        counts = Counter(value_of(fact, number, index) for number in numbers)
        rows = (f'<a href="#cards">{escape(value)}</a> ({count})' for value, count in sorted(counts.items()))
        groups.append(f"<h3>{fact[0]}</h3><ul>{items(rows)}</ul>")
    return f'<div class="facets">{"".join(groups)}</div>'
