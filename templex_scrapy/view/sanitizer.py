"""Markup of the page without what could run, submit or navigate: nh3 (ammonia) with the view's lists.

nh3 parses the markup as browsers do and writes only what the lists allow. The addresses of pictures are
kept; links lead nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import nh3

NOWHERE = "about:srcdoc#templex-nowhere"
"""The target of all links: they look like links and do nothing."""

# "noscript" is what a browser with scripts does not show; "math" and "title" are parsed as other kinds of content, by
# which sanitisers were tricked
DROPPED = frozenset(
    """
    animate annotation-xml base fencedframe foreignobject frame frameset iframe link math meta noembed noframes noscript
    param plaintext portal script set style template title xmp
    """.split()
)
"""Elements that are removed with their content."""

TAGS = frozenset(nh3.ALLOWED_TAGS) | frozenset(
    """
    audio big button canvas dialog dir fieldset font form input label legend main menu meter nobr optgroup option output
    picture progress search section select textarea video
    circle clipPath defs ellipse g line linearGradient mask path pattern polygon polyline radialGradient rect stop svg
    symbol text tspan use
    """.split()
)
"""Elements that are kept. Custom elements of the page are kept too; all others are replaced by their content."""

# what a style sheet refers to and what decides the look; no "srcset" or "poster", which would load something else than
# the picture that is marked
_ATTRIBUTES = frozenset(
    """
    align alt background bgcolor border cellpadding cellspacing checked class clear color cols colspan compact dir
    disabled face height hidden href hspace id label lang max min multiple noshade nowrap open placeholder readonly
    reversed role rows rowspan rules scope selected size span src start style text type valign value vspace width
    clip-path clip-rule cx cy d dx dy fill fill-opacity fill-rule font-family font-size font-weight fx fy
    gradientTransform gradientUnits mask offset opacity pathLength points preserveAspectRatio r rx ry spreadMethod
    stop-color stop-opacity stroke stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin stroke-miterlimit
    stroke-opacity stroke-width text-anchor transform viewBox x x1 x2 y y1 y2
    """.split()
)
_CUSTOM = re.compile(r"[a-z][a-z0-9.]*-[a-z0-9.-]*", re.ASCII)
_REFERENCE = re.compile(r"#[\w:.-]+")


def allowed_tags(tags: Iterable[str]) -> frozenset[str]:
    """Return the elements that are kept of a page with these tags."""
    # <product-card> has the look that the style sheet of the page gives to it
    return TAGS | {tag for tag in tags if _CUSTOM.fullmatch(tag)} - DROPPED


def sanitize(markup: str, tags: Iterable[str]) -> str:
    """Return a fragment of HTML with the allowed elements and attributes only.

    Args:
        markup: what stands in the body.
        tags: :func:`allowed_tags` of the page.
    """
    return nh3.clean(
        markup,
        tags=set(tags),
        clean_content_tags=set(DROPPED),
        attributes={"*": set(_ATTRIBUTES)},
        attribute_filter=_filtered,
        generic_attribute_prefixes={"aria-", "data-"},
        url_schemes={"data", "file", "http", "https"},
        link_rel=None,
    )


def _filtered(tag: str, name: str, value: str) -> str | None:
    """Return the value of an allowed attribute, None where it is left out."""
    if name == "href":
        # an icon that is drawn once in the page, such as <use href="#cart">
        if tag == "use":
            return value if _REFERENCE.fullmatch(value) else None
        return NOWHERE if tag in {"a", "area"} else None
    if name == "src":
        return value if tag == "img" else None
    # an important declaration in an attribute would override the view's rules
    return value.replace("!", "") if name == "style" else value
