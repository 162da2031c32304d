"""Draws the pictures of the demo site as small SVG files, the same ones on each run."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable

_PALETTES = (
    ("#cfe3ea", "#7fa8b0", "#3f6f74", "#1f3f47", "#f2b84b"),
    ("#f6e3cf", "#d99b6c", "#a2593b", "#4f2c24", "#fff4d6"),
    ("#e2ead2", "#a4b87d", "#5f7d4a", "#2f4630", "#f0c75e"),
    ("#e6e0ef", "#a99bc2", "#6a5d8c", "#332d4d", "#f5d0a9"),
)


class Brush:
    """A palette and a row of numbers, both drawn from the picture's name."""

    def __init__(self, name: str) -> None:
        self._digest = hashlib.sha256(name.encode()).digest()
        self.sky, self.far, self.middle, self.near, self.light = _PALETTES[self._digest[0] % len(_PALETTES)]

    def number(self, index: int, low: float, high: float) -> float:
        """A number between low and high, always the same for the same name and index."""
        return low + (high - low) * self._digest[1 + index % 31] / 255


def picture(name: str, motif: str) -> str:
    """Draws one picture.

    Args:
        name: gives colours and proportions; two names give two pictures.
        motif: one of `MOTIFS`.
    """
    brush = Brush(name)
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 360" role="img">'
        f'<rect width="640" height="360" fill="{brush.sky}"/>{MOTIFS[motif](brush)}</svg>\n'
    )


def _ridge(brush: Brush, index: int, height: float, colour: str) -> str:
    swing, length = brush.number(index, 14, 46), brush.number(index + 1, 60, 130)
    points = " ".join(f"{x},{height + swing * math.sin(x / length + index):.0f}" for x in range(0, 641, 20))
    return f'<polygon points="0,360 {points} 640,360" fill="{colour}"/>'


def _sun(brush: Brush) -> str:
    x, y, radius = brush.number(9, 90, 550), brush.number(10, 60, 120), brush.number(11, 24, 44)
    return f'<circle cx="{x:.0f}" cy="{y:.0f}" r="{radius:.0f}" fill="{brush.light}"/>'


def _hills(brush: Brush) -> str:
    return (
        _sun(brush)
        + _ridge(brush, 1, 170, brush.far)
        + _ridge(brush, 4, 230, brush.middle)
        + _ridge(brush, 7, 300, brush.near)
    )


def _sea(brush: Brush) -> str:
    waves = "".join(
        f'<path d="M0 {y} q40 -12 80 0 t80 0 80 0 80 0 80 0 80 0 80 0 80 0" fill="none" stroke="{brush.sky}" '
        f'stroke-width="3" opacity=".5"/>'
        for y in range(250, 350, 24)
    )
    sail = brush.number(12, 180, 430)
    boat = (
        f'<path d="M{sail:.0f} 120 v104 h-70z M{sail + 8:.0f} 140 v84 h52z" fill="{brush.light}"/>'
        f'<path d="M{sail - 80:.0f} 232 h150 l-24 26 h-98z" fill="{brush.near}"/>'
    )
    water = f'<rect y="240" width="640" height="120" fill="{brush.middle}"/>'
    return _sun(brush) + _ridge(brush, 2, 215, brush.far) + water + waves + boat


def _tent(brush: Brush) -> str:
    left = brush.number(5, 170, 260)
    return _hills(brush) + (
        f'<polygon points="{left:.0f},320 {left + 130:.0f},170 {left + 270:.0f},320" fill="{brush.light}"/>'
        f'<polygon points="{left + 130:.0f},170 {left + 105:.0f},320 {left + 165:.0f},320" '
        f'fill="{brush.near}"/>'
    )


def _wheel(brush: Brush) -> str:
    turn = brush.number(3, 0, 0.4)
    spokes = "".join(
        f'<line x1="320" y1="180" x2="{320 + 128 * math.cos(turn + n * math.pi / 9):.1f}" '
        f'y2="{180 + 128 * math.sin(turn + n * math.pi / 9):.1f}"/>'
        for n in range(18)
    )
    return (
        _ridge(brush, 6, 300, brush.far)
        + f'<g fill="none" stroke="{brush.near}"><circle cx="320" cy="180" r="140" stroke-width="16"/>'
        f'<circle cx="320" cy="180" r="122" stroke="{brush.middle}" stroke-width="6"/>'
        f'<g stroke-width="2">{spokes}</g></g><circle cx="320" cy="180" r="18" fill="{brush.light}"/>'
    )


def _chain(brush: Brush) -> str:
    slope = brush.number(3, -0.25, 0.25)
    links = "".join(
        f'<rect x="{x}" y="{160 + (x - 320) * slope:.0f}" width="92" height="44" rx="22" '
        f'fill="{brush.middle if n % 2 else brush.near}"/>'
        f'<circle cx="{x + 22}" cy="{182 + (x - 320) * slope:.0f}" r="9" fill="{brush.light}"/>'
        for n, x in enumerate(range(-20, 660, 70))
    )
    return _ridge(brush, 6, 310, brush.far) + links


def _stove(brush: Brush) -> str:
    steam = "".join(
        f'<path d="M{x} 120 q-16 -22 0 -44 t0 -44" fill="none" stroke="{brush.far}" stroke-width="6"/>'
        for x in (280, 320, 360)
    )
    return (
        _ridge(brush, 6, 300, brush.far)
        + steam
        + f'<rect x="235" y="135" width="170" height="96" rx="10" fill="{brush.near}"/>'
        f'<rect x="225" y="126" width="190" height="16" rx="8" fill="{brush.middle}"/>'
        f'<path d="M300 290 q20 -62 20 -48 q0 -14 20 48z" fill="{brush.light}"/>'
        f'<rect x="268" y="288" width="104" height="38" rx="6" fill="{brush.middle}"/>'
    )


def _portrait(brush: Brush) -> str:
    return (
        _ridge(brush, 2, 240, brush.far) + f'<path d="M190 360 q10 -130 130 -130 t130 130z" fill="{brush.middle}"/>'
        f'<circle cx="320" cy="160" r="{brush.number(4, 58, 70):.0f}" fill="{brush.light}"/>'
        f'<path d="M244 150 q76 -{brush.number(5, 90, 130):.0f} 152 0 l34 8 -190 2z" fill="{brush.near}"/>'
    )


def _bag(brush: Brush) -> str:
    width = brush.number(4, 190, 270)
    left = 320 - width / 2
    return (
        f'<ellipse cx="320" cy="314" rx="190" ry="16" fill="{brush.far}"/>'
        f'<path d="M270 110 q50 -70 100 0" fill="none" stroke="{brush.near}" stroke-width="12"/>'
        f'<rect x="{left:.0f}" y="110" width="{width:.0f}" height="200" rx="18" fill="{brush.middle}"/>'
        f'<rect x="{left:.0f}" y="104" width="{width:.0f}" height="{brush.number(5, 70, 110):.0f}" rx="18" '
        f'fill="{brush.near}"/><rect x="308" y="170" width="24" height="44" rx="4" fill="{brush.light}"/>'
    )


def _tool(brush: Brush) -> str:
    angle = brush.number(4, -40, 40)
    return (
        f'<ellipse cx="320" cy="320" rx="200" ry="14" fill="{brush.far}"/>'
        f'<g transform="rotate({angle:.0f} 320 180)"><rect x="170" y="160" width="300" height="40" rx="12" '
        f'fill="{brush.middle}"/><circle cx="170" cy="180" r="58" fill="{brush.near}"/>'
        f'<path d="M112 180 l58 -30 v60z" fill="{brush.sky}"/>'
        f'<circle cx="470" cy="180" r="40" fill="{brush.near}"/>'
        f'<circle cx="470" cy="180" r="18" fill="{brush.light}"/></g>'
    )


MOTIFS: dict[str, Callable[[Brush], str]] = {
    "bag": _bag,
    "chain": _chain,
    "hills": _hills,
    "portrait": _portrait,
    "sea": _sea,
    "stove": _stove,
    "tent": _tent,
    "tool": _tool,
    "wheel": _wheel,
}
