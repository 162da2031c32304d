"""What of the template is removed. What belongs to the content: test_kept_parts."""

from __future__ import annotations

import pytest
from made_sites import NUMBERS, left


def stays(body) -> list[str]:
    """What :func:`left` returns where nothing of the body goes."""
    return [body(number) for number in NUMBERS]


@pytest.mark.parametrize("tag", ["iframe", "noscript"])
def test_what_is_no_node_stays_even_where_all_around_it_goes(tag):
    """Nobody has compared what it holds."""
    held = f'<{tag} src="/same">same</{tag}>'
    for cleaned in left(lambda _: f"<div><div>Fixed words {held} and others</div></div>"):
        assert cleaned == f"<div><div>{held}</div></div>"


def test_a_rule_or_a_spacer_alone_is_kept():
    body = lambda n: f"<p>own {n}</p><hr><br><p>and {n}</p>"  # noqa: E731
    assert left(body) == stays(body)
